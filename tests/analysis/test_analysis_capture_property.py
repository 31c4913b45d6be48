"""Random programs of nested scopes, closures and loops run as a model with explicit environments says."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnpy.analysis import modules
from harnpy.analysis.resolve import resolve
from harnpy.options import Options
from harnpy.session import Session
from harnpy.source import Source
from harnpy.streams import memory_streams
from harnpy.syntax import nodes as N

SPAN = (0, 1)
NAMES = ["a", "b", "c"]


# --- programs as plain data: ("let", name, number) ("add", name, number) ("show", name)
#     ("block", body) ("loop", name, turns, body) ("closure", name, body) ("fn", name, body) ("call", name)


@st.composite
def bodies(draw, variables=(), functions=(), depth=0):
    """Make statements that use only names that are visible where they stand."""
    variables, functions = list(variables), list(functions)
    body = []
    for _ in range(draw(st.integers(1, 5))):
        kinds = ["let"]
        kinds += ["add", "show"] * bool(variables)
        kinds += ["call"] * bool(functions)
        kinds += ["block", "loop", "closure", "fn"] * (depth < 3)
        kind = draw(st.sampled_from(kinds))
        if kind == "let":
            name = draw(st.sampled_from(NAMES))
            body.append(("let", name, draw(st.integers(0, 9))))
            variables.append(name)
        elif kind == "add":
            body.append(("add", draw(st.sampled_from(variables)), draw(st.integers(1, 9))))
        elif kind == "show":
            body.append(("show", draw(st.sampled_from(variables))))
        elif kind == "call":
            body.append(("call", draw(st.sampled_from(functions))))
        elif kind == "block":
            body.append(("block", draw(bodies(variables, functions, depth + 1))))
        elif kind == "loop":
            name = draw(st.sampled_from(NAMES))
            inner = draw(bodies([*variables, name], functions, depth + 1))
            body.append(("loop", name, draw(st.integers(0, 3)), inner))
        else:
            name = f"f{depth}{len(body)}"
            body.append((kind, name, draw(bodies(variables, functions, depth + 1))))
            functions.append(name)
    return body


# --- the model: an environment is a chain of (name, cell, rest); a declaration makes a new one ---


def run_model(body, env, shown):
    for statement in body:
        env = _model_step(statement, env, shown)


def _find(env, name):
    while env[0] != name:
        env = env[2]
    return env[1]


def _model_step(statement, env, shown):
    kind, name = statement[0], statement[1]
    if kind == "let":
        return (name, [statement[2]], env)
    if kind == "add":
        _find(env, name)[0] += statement[2]
    elif kind == "show":
        shown.append(_find(env, name)[0])
    elif kind == "call":
        inner, seen = _find(env, name)[0]
        run_model(inner, seen, shown)
    elif kind == "block":
        run_model(statement[1], env, shown)
    elif kind == "loop":
        for turn in range(statement[2]):
            run_model(statement[3], (name, [turn], env), shown)
    else:
        return (name, [(statement[2], env)], env)
    return env


# --- the same as a syntax tree ---


def _name(name):
    return N.Name(SPAN, name)


def _block(body):
    return N.Block(SPAN, tuple([_statement(statement) for statement in body]))


def _call(name, *args):
    return N.ExprStmt(SPAN, N.Call(SPAN, _name(name), args))


def _statement(statement):
    kind, name = statement[0], statement[1]
    if kind == "let":
        return N.Binding(SPAN, True, N.NameBinding(SPAN, name), None, N.IntLit(SPAN, statement[2]))
    if kind == "add":
        return N.Assign(SPAN, _name(name), "+=", N.IntLit(SPAN, statement[2]))
    if kind == "show":
        return _call("println", _name(name))
    if kind == "call":
        return _call(name)
    if kind == "block":
        return N.ExprStmt(SPAN, N.BlockExpr(SPAN, _block(name)))
    if kind == "loop":
        turns = N.Call(SPAN, _name("range"), (N.IntLit(SPAN, statement[2]),))
        return N.For(SPAN, N.NameBinding(SPAN, name), turns, _block(statement[3]))
    if kind == "fn":
        return N.FnDecl(SPAN, name, SPAN, (), _block(statement[2]))
    closure = N.Lambda(SPAN, (), _block(statement[2]), "closure")
    return N.Binding(SPAN, False, N.NameBinding(SPAN, name), None, closure)


def _run(tree, monkeypatch):
    streams, out, err = memory_streams()
    session = Session(Options(no_cache=True), streams)
    monkeypatch.setattr(modules, "load_source", lambda source, use_cache: resolve(tree, source))
    limit = sys.getrecursionlimit()
    code = session.run(lambda: Source("<test>", " "))
    session.close()
    # A run raises the limit for good; Hypothesis wants it as it was.
    sys.setrecursionlimit(limit)
    assert (code, err) == (0, [])
    return [int(line) for line in "".join(out).split()]


@pytest.mark.parametrize("place", ["module", "function", "closure"])
@settings(max_examples=60, deadline=None)
@given(body=bodies())
def test_captures_follow_the_model(place, body):
    shown = []
    run_model(body, None, shown)
    if place == "module":
        program = [("block", body)]
    elif place == "function":
        program = [("fn", "run", body), ("call", "run")]
    else:
        program = [("closure", "run", body), ("call", "run")]
    tree = N.Module(SPAN, tuple([_statement(statement) for statement in program]))
    with pytest.MonkeyPatch.context() as patch:
        assert _run(tree, patch) == shown
