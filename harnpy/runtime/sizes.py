"""Bounds on the size of texts and lists: an error of the program instead of a machine without memory."""

from __future__ import annotations

from harnpy.errors import Site, runtime_error
from harnpy.runtime.templates import share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from harnpy.analysis import resolved as r
    from harnpy.runtime.limits import Limits
    from harnpy.runtime.templates import Builder


def refuse_text(size: int, limit: int, site: Site | None = None) -> NoReturn:
    """Raise the error of a text of ``size`` characters."""
    error = runtime_error(f"the text would have {size} characters; at most {limit} are allowed")
    error.site = site
    raise error


def refuse_list(size: int, limit: int, site: Site | None = None) -> NoReturn:
    """Raise the error of a list of ``size`` items."""
    error = runtime_error(f"the list would have {size} items; at most {limit} are allowed")
    error.site = site
    raise error


def emit_text_bound(b: Builder, size: str, node: r.Node, test: str = "") -> None:
    """Write the check that a text of ``size`` characters may be made, where the condition ``test`` holds."""
    limit = b.bind(b.compiler.ctx.limits.max_string)
    b.line(f"if {test}{size} > {limit}: refuse_text({size}, {limit}, {b.bind(b.compiler.site(node))})")


def emit_list_bound(b: Builder, size: str, node: r.Node, test: str = "") -> None:
    """Write the check that a list of ``size`` items may be made, where the condition ``test`` holds."""
    limit = b.bind(b.compiler.ctx.limits.max_list)
    b.line(f"if {test}{size} > {limit}: refuse_list({size}, {limit}, {b.bind(b.compiler.site(node))})")


def check_growth(kind: type, size: int, limits: Limits, site: Site) -> None:
    """Refuse to let a text or list grow to ``size``."""
    if kind is str:
        if size > limits.max_string:
            refuse_text(size, limits.max_string, site)
    elif size > limits.max_list:
        refuse_list(size, limits.max_list, site)


share(refuse_text=refuse_text, refuse_list=refuse_list)
