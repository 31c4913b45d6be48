"""Every class of the resolved tree has exactly the functions that compile it."""

from __future__ import annotations

import pytest

from harnpy.analysis import resolved as r
from harnpy.runtime.compile import Compiler


def subclasses(base: type) -> list[type]:
    """Give the classes below ``base``."""
    return [kind for kind in vars(r).values() if isinstance(kind, type) and issubclass(kind, base) and kind is not base]


@pytest.mark.parametrize("kind", subclasses(r.Expr))
def test_every_expression_compiles(kind: type) -> None:
    assert kind in Compiler.expressions or kind in Compiler.emitters or kind in Compiler.leaves


# The block that holds a `defer` compiles it.
@pytest.mark.parametrize("kind", [kind for kind in subclasses(r.Stmt) if kind is not r.Defer])
def test_every_statement_compiles(kind: type) -> None:
    assert kind in Compiler.statements


def test_the_tables_name_only_nodes_that_exist() -> None:
    for table in (Compiler.expressions, Compiler.emitters, Compiler.leaves, Compiler.conditions):
        assert all(issubclass(kind, r.Expr) for kind in table)
    for table in (Compiler.statements, Compiler.statement_emitters):
        assert all(issubclass(kind, (r.Expr, r.Stmt)) for kind in table)
