"""Hypothesis strategies that make syntax trees as the parser could have made them."""

from __future__ import annotations

from attrs import evolve
from hypothesis import strategies as st

from harnpy.syntax import nodes as n
from harnpy.syntax.match_patterns import read_pattern
from harnpy.syntax.tokens import CONTEXTUAL_WORDS, RESERVED

AT = (0, 0)

lower = st.sampled_from(["a", "b", "x1", "_y", "naïve", "日本", *sorted(CONTEXTUAL_WORDS)])
upper = st.sampled_from(["A", "Box", "Ünit"])
names = lower | upper
words = names | st.sampled_from(sorted(RESERVED))
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.text('{}"\\$ab\n\r\t r#', max_size=8)
one_line = text.map(lambda value: value.replace("\n", ""))


def node(kind, /, **fields):
    """Make nodes of ``kind`` from strategies for its fields."""
    places = {name: st.just(AT) for name in ("name_span", "path_span") if hasattr(kind, name)}
    return st.builds(kind, span=st.just(AT), **places, **fields)


def tuples(items, **sizes):
    """Make tuples of items."""
    return st.lists(items, **{"max_size": 3, **sizes}).map(tuple)


# --- types --------------------------------------------------------------------------------------

_literal_types = node(n.LiteralType, value=st.none() | st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | text)


def _types(inner):
    shape = tuples(node(n.ShapeField, name=words, type=inner, optional=st.booleans()))
    return st.one_of(
        node(n.NamedType, name=names, args=tuples(inner)),
        node(n.UnionType, members=tuples(inner, min_size=2)),
        node(n.IntersectionType, members=tuples(inner, min_size=2)),
        node(n.FnType, params=tuples(inner), returns=st.none() | inner),
        node(n.ShapeType, fields=shape, rest=st.none() | names),
    )


types = st.recursive(_literal_types | node(n.NamedType, name=names, args=st.just(())), _types, max_leaves=4)
maybe_type = st.none() | types

# --- expressions --------------------------------------------------------------------------------

strings = st.one_of(
    node(n.StringLit, value=text, form=st.just("plain")),
    node(n.StringLit, value=one_line, form=st.just("raw")),
    node(
        n.StringLit, value=st.sampled_from(["", "a", "a\n", "a\n  b\n\nc", "${x}", '"', "\\n"]), form=st.just("triple")
    ),
)
literals = st.one_of(
    node(n.IntLit, value=st.integers(0, 2**63 - 1)),
    node(n.FloatLit, value=st.floats(0, allow_nan=False)),
    st.sampled_from([n.DurationLit(AT, 50, "50ms"), n.DurationLit(AT, 120_000, "2m")]),
    strings,
    node(n.BoolLit, value=st.booleans()),
    node(n.NilLit),
    node(n.Name, name=names),
)
_OPERATORS = ["+", "-", "*", "/", "%", "**", "==", "!=", "<", ">", "<=", ">=", "in", "not in", "&&", "||", "??"]


def _interpolations(inner):
    def weave(holes, pieces, form):
        parts = []
        for hole, piece in zip(holes, pieces, strict=False):
            parts += [piece, hole] if piece else [hole]
        return n.Interp(AT, tuple(parts), form)

    plain = st.builds(
        weave, st.lists(inner, min_size=1, max_size=2), st.lists(text, min_size=2, max_size=2), st.just("plain")
    )
    pieces = st.lists(st.sampled_from(["a", "x\ny ", "${"]), min_size=2, max_size=2)
    return plain | st.builds(weave, st.lists(inner, min_size=1, max_size=2), pieces, st.just("triple"))


def _entries(inner):
    plain = node(n.DictEntry, key=node(n.StringLit, value=words | text), value=inner, computed=st.just(False))
    computed = node(n.DictEntry, key=inner, value=inner, computed=st.just(True))
    return tuples(plain | computed | node(n.Spread, value=inner))


def params(inner):
    """Make parameter lists in an allowed order."""
    required = tuples(node(n.Param, name=names, type=maybe_type), max_size=2)
    optional = tuples(node(n.Param, name=names, type=maybe_type, default=inner), max_size=2)
    rest = tuples(node(n.Param, name=names, type=maybe_type, rest=st.just(True)), max_size=1)
    return st.builds(lambda *groups: sum(groups, ()), required, optional, rest)


def _small_blocks(inner):
    statement = st.one_of(
        node(n.ExprStmt, value=inner),
        node(n.Return, value=st.none() | inner),
        node(n.Binding, mutable=st.booleans(), pattern=node(n.NameBinding, name=names), type=maybe_type, value=inner),
    )
    return node(n.Block, body=tuples(statement, max_size=2))


def _is_value(expr):
    return not isinstance(expr, n.ListLit | n.DictLit) and isinstance(read_pattern(expr), n.ValuePat)


def _patterns(inner):
    part = st.one_of(
        node(n.WildcardPat),
        node(n.NamePat, name=names.filter(lambda name: name != "_")),
        node(n.ValuePat, value=inner.filter(lambda expr: not isinstance(expr, n.Name))),
    )
    return st.one_of(
        node(n.WildcardPat),
        node(n.NamePat, name=names),
        node(n.ValuePat, value=inner.filter(_is_value)),
        node(n.VariantPat, enum=upper, variant=words, args=st.none() | tuples(part)),
        node(n.VariantPat, enum=st.none(), variant=upper, args=tuples(part)),
        node(n.DictPat, fields=tuples(node(n.DictPatField, key=words | text, pattern=part))),
        node(n.ListPat, items=tuples(part), rest=st.none() | names),
    )


def _with_blocks(inner):
    block = _small_blocks(inner)
    branch = node(n.IfExpr, cond=inner, then=block, otherwise=st.none() | block)
    arm = node(n.MatchArm, patterns=tuples(_patterns(inner), min_size=1), guard=st.none() | inner, body=block)
    tries = st.one_of(
        node(n.TryExpr, body=block, finally_body=st.none() | block),
        node(n.TryExpr, body=block, catch_body=block, finally_body=st.none() | block),
        node(n.TryExpr, body=block, catch_name=names, catch_type=maybe_type, catch_body=block),
    )
    parallel = {"subject": inner, "binder": st.none() | names, "max_concurrent": st.none() | inner, "body": block}
    return st.one_of(
        branch,
        node(n.IfExpr, cond=inner, then=block, otherwise=branch),
        node(n.MatchExpr, subject=inner, arms=tuples(arm)),
        tries,
        node(n.RetryExpr, count=inner, body=block),
        node(n.ParallelExpr, kind=st.sampled_from(["count", "each", "settle"]), **parallel),
        node(n.ParallelExpr, kind=st.just("each"), stream=st.just(True), **parallel),
        node(n.SpawnExpr, body=block),
        node(n.DeadlineExpr, limit=inner, body=block),
        node(n.Lambda, params=params(inner), body=block, style=st.just("closure")),
        node(n.Lambda, params=params(inner), body=block, style=st.just("fn"), returns=maybe_type),
    )


def _expressions(inner):
    arguments = tuples(inner | node(n.Spread, value=inner))
    return st.one_of(
        node(n.Unary, op=st.sampled_from("!-"), operand=inner),
        node(n.Binary, op=st.sampled_from(_OPERATORS), left=inner, right=inner),
        node(n.Pipe, left=inner, right=inner),
        node(n.RangeExpr, start=inner, end=inner, exclusive=st.booleans()),
        node(n.Ternary, cond=inner, then=inner, otherwise=inner),
        node(n.TryStar, value=inner),
        node(n.Call, callee=inner, args=arguments),
        node(n.Call, callee=node(n.Name, name=names), args=arguments, type_args=tuples(types, min_size=1)),
        node(n.MethodCall, receiver=inner, name=words, args=arguments, optional=st.booleans()),
        node(n.Property, receiver=inner, name=words, optional=st.booleans()),
        node(n.Index, receiver=inner, index=inner, optional=st.booleans()),
        node(n.Slice, receiver=inner, start=st.none() | inner, end=st.none() | inner, optional=st.booleans()),
        node(n.Unwrap, value=inner),
        node(n.Propagate, value=inner),
        node(n.ListLit, items=arguments),
        node(n.DictLit, entries=_entries(inner)),
        node(
            n.StructInit,
            name=upper,
            entries=tuples(node(n.DictEntry, key=node(n.StringLit, value=words), value=inner)),
        ),
        _interpolations(inner),
        _with_blocks(inner),
    )


expressions = st.recursive(literals, _expressions, max_leaves=8)

# --- statements and declarations ----------------------------------------------------------------

binding_patterns = st.one_of(
    node(n.NameBinding, name=names),
    node(
        n.DictBinding,
        fields=tuples(
            st.builds(
                lambda key, alias, default: n.DictField(
                    AT, key, key if alias is None and key not in RESERVED else alias or "a", default
                ),
                words,
                st.none() | names,
                st.none() | literals,
            )
        ),
        rest=st.none() | names,
    ),
    node(
        n.ListBinding, items=tuples(node(n.ListItem, name=names, default=st.none() | literals)), rest=st.none() | names
    ),
)
public = {"public": st.booleans()}
bindings = node(
    n.Binding, mutable=st.booleans(), pattern=binding_patterns, type=maybe_type, value=expressions, **public
)
_targets = st.recursive(
    node(n.Name, name=names),
    lambda inner: node(n.Property, receiver=inner, name=words) | node(n.Index, receiver=inner, index=literals),
    max_leaves=3,
)
fields = tuples(node(n.StructField, name=names, type=maybe_type, optional=st.booleans()))
named_params = params(literals)
skill_fields = tuples(node(n.DictEntry, key=node(n.StringLit, value=names), value=expressions))
attr_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 2**63 - 1)
    | st.floats(-9, 9)
    | text
    | node(n.AttrCall, name=st.sampled_from(["a", "b.type"]), args=st.none()),
    lambda inner: (
        tuples(inner)
        | node(n.AttrCall, name=names, args=tuples(node(n.AttrArg, name=st.none() | words, value=inner)))
        | tuples(node(n.AttrArg, name=words | text, value=inner), min_size=1)
    ),
    max_leaves=4,
)
attributes = {
    "attributes": tuples(
        node(n.Attribute, name=names, args=tuples(node(n.AttrArg, name=st.none() | words, value=attr_values))),
        max_size=2,
    )
}


def _functions(blocks, **extra):
    return node(
        n.FnDecl,
        name=names,
        params=named_params,
        body=blocks,
        returns=maybe_type,
        type_params=tuples(names),
        stream=st.booleans(),
        throws=maybe_type,
        bounds=tuples(node(n.Bound, name=names, interfaces=tuples(names, min_size=1))),
        **public,
        **extra,
    )


def declarations(blocks, **extra):
    """Make declarations whose bodies are ``blocks``."""
    head = {"name": names, **public, **extra}
    signature = node(n.MethodSig, name=names, params=named_params, returns=maybe_type, type_params=tuples(names))
    return st.one_of(
        _functions(blocks, **extra),
        node(n.ToolDecl, params=named_params, body=blocks, description=st.none() | text, returns=maybe_type, **head),
        node(n.SkillDecl, fields=skill_fields, **head),
        node(n.StructDecl, fields=fields, type_params=tuples(names), **head),
        node(
            n.EnumDecl,
            variants=tuples(node(n.Variant, name=names, fields=st.none() | fields)),
            type_params=tuples(names),
            **head,
        ),
        node(n.TypeDecl, type=types, type_params=tuples(names), **head),
        st.builds(
            lambda declaration, kinds: evolve(
                declaration, types=tuple(name for name, _ in kinds), type_defaults=tuple(kind for _, kind in kinds)
            ),
            node(n.InterfaceDecl, methods=tuples(signature), type_params=tuples(names), **head),
            st.lists(st.tuples(names, maybe_type), max_size=2),
        ),
        node(n.ImplDecl, name=names, methods=tuples(_functions(blocks)), **extra),
    )


def _selects(blocks):
    cases = tuples(node(n.SelectCase, name=names, channel=expressions, body=blocks), min_size=1)
    return st.one_of(
        node(n.Select, cases=cases, default_body=st.none() | blocks),
        node(n.Select, cases=cases, timeout=expressions, timeout_body=blocks),
    )


def _statements(inner):
    blocks = node(n.Block, body=tuples(inner))
    return st.one_of(
        node(
            n.For,
            pattern=binding_patterns | node(n.PairBinding, first=names, second=names),
            iterable=expressions,
            body=blocks,
        ),
        node(n.While, cond=expressions, body=blocks),
        node(n.Guard, cond=expressions, otherwise=blocks),
        node(n.Defer, body=blocks),
        node(n.Mutex, key=st.none() | expressions, body=blocks),
        _selects(blocks),
        node(n.ExprStmt, value=node(n.BlockExpr, body=blocks) | node(n.ScopeExpr, body=blocks)),
        node(n.ExprStmt, value=node(n.IfExpr, cond=expressions, then=blocks, otherwise=st.none() | blocks)),
        node(n.CostRoute, options=skill_fields, body=blocks),
        node(n.Override, name=names, params=tuples(names), body=blocks),
        node(n.EvalPackDecl, name=names, fields=skill_fields),
        declarations(blocks),
    )


_simple = st.one_of(
    node(n.ExprStmt, value=expressions),
    bindings,
    node(n.Assign, target=_targets, op=st.sampled_from(["=", "+=", "-=", "*=", "/=", "%="]), value=expressions),
    node(n.Return, value=st.none() | expressions),
    node(n.Throw, value=expressions),
    node(n.Yield, value=st.none() | expressions),
    node(n.Emit, value=expressions),
    node(n.Require, cond=expressions, message=st.none() | expressions),
    node(n.Break),
    node(n.Continue),
)
statements = st.recursive(_simple, _statements, max_leaves=3)
_blocks = node(n.Block, body=tuples(_simple, max_size=2))
imports = st.one_of(
    node(n.Import, path=text, **public),
    node(n.Import, path=text, names=tuples(names.map(lambda name: (name, AT))), **public),
    node(n.Import, path=text, alias=names, **public),
)
pipelines = node(
    n.PipelineDecl,
    name=names,
    params=named_params,
    body=_blocks,
    returns=maybe_type,
    extends=st.none() | names,
    throws=maybe_type,
    **public,
    **attributes,
)
modules = node(n.Module, body=tuples(statements | declarations(_blocks, **attributes) | imports | pipelines))
