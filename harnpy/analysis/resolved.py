"""The resolved tree: what the evaluator compiles and what the module cache stores.

The resolver turns the AST into this smaller language: names are slots, cells or globals, sugar is
gone, tail calls are marked. The classes stand in ``resolved_*`` and are all reached through here.
"""

from __future__ import annotations

from harnpy.analysis.resolved_base import *  # noqa: F403
from harnpy.analysis.resolved_blocks import *  # noqa: F403
from harnpy.analysis.resolved_expressions import *  # noqa: F403
from harnpy.analysis.resolved_modules import *  # noqa: F403
from harnpy.analysis.resolved_statements import *  # noqa: F403
