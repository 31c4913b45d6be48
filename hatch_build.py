"""Build hook: puts the standard library, parsed and resolved, into the wheel."""

from __future__ import annotations

import sys
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PrebuiltCache(BuildHookInterface[Any]):
    """Fills ``harnpy/_data/cache``, so that a fresh installation parses no standard library."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the cache to a wheel; an editable installation reads the checkout."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from harnpy.analysis.cache import build_stdlib_cache

        self._folder = tempfile.TemporaryDirectory()
        build_stdlib_cache(self._folder.name)
        build_data["force_include"][self._folder.name] = "harnpy/_data/cache"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what the wheel now holds."""
        if version != "editable":
            self._folder.cleanup()
