"""``match``: patterns become tests that bind on the way, arms a chain of branches (language 8.4)."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError, Site, thrown_text
from harnpy.runtime import blocks
from harnpy.runtime.equality import equal
from harnpy.runtime.patterns import declare, emit_declare
from harnpy.runtime.statements import as_expression, in_statement_mode
from harnpy.runtime.templates import share
from harnpy.runtime.values import RESULT, EnumType, EnumValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.templates import Builder

    Run = Callable[[list[Any]], Any]
    Matcher = Callable[[list[Any], Any], bool]
    # A name and the expression of its value.
    Bind = tuple[r.Target, str]
    # The test of a pattern's outside, its inner patterns with the expressions that they see, and bindings.
    Parts = tuple[str, list[tuple[r.MatchPattern, str]], list[Bind]]

NO_ARM = "No match arm matched the value"


def no_arm(site: Site) -> HarnError:
    """Make the error of a value that no arm matches."""
    error = thrown_text(NO_ARM)
    error.locate(site)
    return error


share(EnumValue=EnumValue, RESULT=RESULT, no_arm=no_arm)


# --- arms -------------------------------------------------------------------------------------


def emit_match(b: Builder, node: r.Match, prefix: str | None) -> None:
    """Write ``match`` as a chain of branches on the subject."""
    subject = b.name("m")
    b.line(f"{subject} = {b.value(node.subject)}")
    header = "if"
    for arm in node.arms:
        test, binds = _arm(b, arm, subject)
        _emit_branch(b, f"{header} {test}:", binds, arm.body, subject, prefix)
        if test == "True":
            return
        header = "elif"
    failure = f"raise no_arm({b.bind(b.compiler.site(node))})"
    if node.arms:
        with b.block("else:"):
            b.line(failure)
    else:
        b.line(failure)


def _emit_branch(b: Builder, header: str, binds: list[Bind], body: r.Block, subject: str, prefix: str | None) -> None:
    """Write the bindings of an arm and its body below ``header``."""

    def write() -> None:
        for target, value in binds:
            emit_declare(b, target, value)
        # A container in the subject must not look shared to the assignments of the arm.
        b.line(f"{subject} = None")
        blocks.emit_block(b, body, prefix)

    blocks.suite(b, header, write)


def _arm(b: Builder, arm: r.MatchArm, subject: str) -> tuple[str, list[Bind]]:
    """Give the test of an arm as an expression, and what its body has yet to bind."""
    if arm.guard is not None:
        matchers = [matcher(b.compiler, pattern) for pattern in arm.patterns]
        return f"{b.bind(_guarded(_any_of(matchers), b.compiler.expr(arm.guard)))}(f, {subject})", []
    if len(arm.patterns) == 1:
        return _written(b, arm.patterns[0], subject)
    tests = [_written(b, pattern, subject)[0] for pattern in arm.patterns]
    return "True" if "True" in tests else " or ".join([f"({test})" for test in tests]), []


def _written(b: Builder, pattern: r.MatchPattern, subject: str) -> tuple[str, list[Bind]]:
    """Give the test of a pattern as an expression, and its bindings; rare patterns are functions that bind, too."""
    kind = type(pattern)
    simple = _simple(b, pattern, subject)
    if simple is not None:
        return simple
    parts = _PARTS[kind](b, pattern, subject) if kind in _PARTS else None
    if parts is None:
        return f"{b.bind(matcher(b.compiler, pattern))}(f, {subject})", []
    head, inner, binds = parts
    tests = [head]
    for part, text in inner:
        found = _simple(b, part, text)
        if found is None:
            return f"{b.bind(matcher(b.compiler, pattern))}(f, {subject})", []
        if found[0] != "True":
            tests.append(found[0])
        binds = [*binds, *found[1]]
    return " and ".join(tests), binds


def _simple(b: Builder, pattern: r.MatchPattern, subject: str) -> tuple[str, list[Bind]] | None:
    """The test and the binding of a pattern without parts; ``None`` for any other."""
    if type(pattern) is r.MWild:
        return "True", []
    if type(pattern) is r.MBind:
        return "True", [(pattern.target, subject)]
    if type(pattern) is r.MValue and type(pattern.value) is r.Const:
        return _constant_test(b, pattern.value.value, subject), []
    return None


def _constant_test(b: Builder, value: Any, subject: str) -> str:
    """Give the test for equality with a constant; a bool is no number here."""
    if value is None or value is True or value is False:
        return f"{subject} is {value!r}"
    if type(value) is str:
        return f"{subject} == {b.bind(value)}"
    return f"(type({subject}) is int or type({subject}) is float) and {subject} == {b.bind(value)}"


def _dict_parts(b: Builder, pattern: r.MDict, subject: str) -> Parts:
    return (
        f"type({subject}) is dict",
        [(part, f"{subject}.get({b.bind(key)})") for key, part in pattern.fields],
        [],
    )


def _list_parts(b: Builder, pattern: r.MList, subject: str) -> Parts:
    count = len(pattern.items)
    compare = "==" if pattern.rest is None else ">="
    binds = [] if pattern.rest is None else [(pattern.rest, f"{subject}[{count}:]")]
    inner = [(part, f"{subject}[{position}]") for position, part in enumerate(pattern.items)]
    return f"type({subject}) is list and len({subject}) {compare} {count}", inner, binds


def _variant_parts(b: Builder, pattern: r.MVariant, subject: str) -> Parts | None:
    """Without parentheses an imported name may be anything; the function finds that out."""
    if pattern.args is None:
        return None
    enum = "RESULT" if pattern.enum is None else b.bind(b.compiler.expr(pattern.enum)) + "(f)"
    variant = f"{subject}.variant == {b.bind(pattern.variant)} and {subject}.type is {enum}"
    inner = [
        (part, f"({subject}.fields[{position}] if len({subject}.fields) > {position} else None)")
        for position, part in enumerate(pattern.args)
    ]
    return f"type({subject}) is EnumValue and {variant}", inner, []


_PARTS: dict[type, Callable[[Builder, Any, str], Parts | None]] = {
    r.MDict: _dict_parts,
    r.MList: _list_parts,
    r.MVariant: _variant_parts,
}


def _any_of(matchers: list[Matcher]) -> Matcher:
    if len(matchers) == 1:
        return matchers[0]

    def match(frame: list[Any], value: Any) -> bool:
        for matches in matchers:  # noqa: SIM110 - a loop, because any() would run Harn code from C
            if matches(frame, value):
                return True
        return False

    return match


def _guarded(matches: Matcher, guard: Run) -> Matcher:
    def match(frame: list[Any], value: Any) -> bool:
        return bool(matches(frame, value) and guard(frame))

    return match


# --- patterns ---------------------------------------------------------------------------------


def matcher(compiler: Compiler, pattern: r.MatchPattern) -> Matcher:
    """Give the function that tests a value against ``pattern`` and binds its names."""
    return _MATCHERS[type(pattern)](compiler, pattern)


def _wild(compiler: Compiler, pattern: r.MWild) -> Matcher:
    def match(frame: list[Any], value: Any) -> bool:
        return True

    return match


def _bind(compiler: Compiler, pattern: r.MBind) -> Matcher:
    store = declare(compiler, pattern.target)

    def match(frame: list[Any], value: Any) -> bool:
        store(frame, value)
        return True

    return match


def _value(compiler: Compiler, pattern: r.MValue) -> Matcher:
    wanted = compiler.expr(pattern.value)

    def match(frame: list[Any], value: Any) -> bool:
        return equal(value, wanted(frame))

    return match


def _variant(compiler: Compiler, pattern: r.MVariant) -> Matcher:
    name = pattern.variant
    args = pattern.args
    parts = None if args is None else tuple([matcher(compiler, part) for part in args])
    enum = (lambda frame: RESULT) if pattern.enum is None else compiler.expr(pattern.enum)

    def match(frame: list[Any], value: Any) -> bool:
        kind = enum(frame)
        if type(kind) is not EnumType:
            return parts is None and _equals_property(value, kind, name)
        if type(value) is not EnumValue or value.variant != name or value.type is not kind:
            return False
        if parts is None:
            return True
        fields = value.fields
        for position, matches in enumerate(parts):
            if not matches(frame, fields[position] if position < len(fields) else None):
                return False
        return True

    return match


def _equals_property(value: Any, holder: Any, name: str) -> bool:
    """Compare with ``holder.name``: what looked like a variant is a property of something else."""
    from harnpy.runtime.access import get_property

    return equal(value, get_property(holder, name))


def _dict(compiler: Compiler, pattern: r.MDict) -> Matcher:
    parts = tuple([(key, matcher(compiler, part)) for key, part in pattern.fields])

    def match(frame: list[Any], value: Any) -> bool:
        if type(value) is not dict:
            return False
        for key, matches in parts:  # noqa: SIM110 - as above
            if not matches(frame, value.get(key)):
                return False
        return True

    return match


def _list(compiler: Compiler, pattern: r.MList) -> Matcher:
    parts = tuple([matcher(compiler, part) for part in pattern.items])
    count = len(parts)
    rest = None if pattern.rest is None else declare(compiler, pattern.rest)

    def match(frame: list[Any], value: Any) -> bool:
        if type(value) is not list or (len(value) != count if rest is None else len(value) < count):
            return False
        for position, matches in enumerate(parts):
            if not matches(frame, value[position]):
                return False
        if rest is not None:
            rest(frame, value[count:])
        return True

    return match


_MATCHERS: dict[type, Callable[[Compiler, Any], Matcher]] = {
    r.MWild: _wild,
    r.MBind: _bind,
    r.MValue: _value,
    r.MVariant: _variant,
    r.MDict: _dict,
    r.MList: _list,
}

blocks.RESULT_FORMS[r.Match] = emit_match

STATEMENT_EMITTERS: dict[type, Callable[[Builder, Any], None]] = {r.Match: in_statement_mode(emit_match)}

STATEMENTS: dict[type, Callable[[Compiler, Any], Run]] = {
    r.Match: blocks.standalone(STATEMENT_EMITTERS[r.Match]),
}

EXPRESSIONS: dict[type, Callable[[Compiler, Any], Run]] = {r.Match: as_expression}
