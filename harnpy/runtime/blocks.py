"""Writes sequences of statements into Python functions: blocks, blocks with a value, and function bodies."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.runtime.control import ReturnJump
from harnpy.runtime.flow import BODY, EXPRESSION, STATEMENT, leave_by
from harnpy.runtime.functions import emit_parameter_checks
from harnpy.runtime.signals import RETURN_JUMP, SIGNALS, leaves, statement_bits
from harnpy.runtime.templates import Builder, share
from harnpy.runtime.values import UNSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.flow import Flow

    Run = Callable[[list[Any]], Any]

share(UNSET=UNSET)

# How many nodes a loop or function body takes into its own Python function.
BODY_ROOM = 24

# How long a generated function may grow before its further statements are functions of their own: Python's
# compiler takes more than its share of time for very long ones.
MOST_LINES = 300

# The prefix of the line that delivers the value of a block.
RETURN = "return "

_LEAVING = frozenset((r.Return, r.Throw, r.Break, r.Continue))
_WITHOUT_EFFECT = frozenset((r.Const, r.DurationConst, r.Local, r.MakeClosure))

# Expressions with blocks inside that can deliver a value by a prefix: (builder, node, prefix).
# Filled by the modules of these nodes.
RESULT_FORMS: dict[type, Callable[[Builder, Any, str | None], None]] = {}

# The same for nodes that are always functions of their own: (compiler, node, flow).
OWN_FORMS: dict[type, Callable[[Compiler, Any, Flow], Run]] = {}


# --- what the compiler asks for ---------------------------------------------------------------


def block(compiler: Compiler, node: r.Block) -> Run:
    """Compile ``node`` in statement mode."""
    return part(compiler, node, STATEMENT)


def block_value(compiler: Compiler, node: r.Block) -> Run:
    """Compile ``node`` in expression mode: it gives the value of its last statement."""
    return part(compiler, node, EXPRESSION)


def body(compiler: Compiler, function: r.Function) -> Run:
    """Compile the body of ``function``: it gives the result of a call, or ``TAIL``."""
    if function.kind == "module":
        return _module_body(compiler, function.body)
    b = _builder(compiler, BODY)
    if not function.produces:  # a generator checks when it is made
        emit_parameter_checks(b, function)
    prefix = None if function.kind == "fn" else RETURN
    if leaves(function.body) & RETURN_JUMP:
        with b.block("try:"):
            emit_block(b, function.body, prefix)
            b.line("pass")
        with b.block("except ReturnJump as jump:"):
            b.line("if jump.frame is not f: raise")
            b.line("return jump.value")
    else:
        emit_block(b, function.body, prefix)
    return build(b)


def part(compiler: Compiler, node: r.Block, flow: Flow) -> Run:
    """Compile ``node`` as a Python function of its own whose statements leave as ``flow`` says."""
    b = _builder(compiler, flow)
    emit_block(b, node, None if flow is STATEMENT else RETURN)
    return build(b)


def part_watched(compiler: Compiler, node: r.Block, flow: Flow, *, watched: bool) -> Run:
    """Compile ``node`` as ``part`` does; when ``watched``, none of its statements begins after an expired deadline."""
    before, compiler.watched = compiler.watched, watched
    try:
        return part(compiler, node, flow)
    finally:
        compiler.watched = before


def form(compiler: Compiler, node: Any, flow: Flow) -> Run:
    """Compile an expression with blocks inside as a Python function of its own."""
    own = OWN_FORMS.get(type(node))
    if own is not None:
        return own(compiler, node, flow)
    b = _builder(compiler, flow)
    RESULT_FORMS[type(node)](b, node, None if flow is STATEMENT else RETURN)
    return build(b)


def standalone(emit: Callable[[Builder, Any], None]) -> Callable[[Compiler, Any], Run]:
    """Give the compile function of a statement class from its emitter."""

    def compile_statement(compiler: Compiler, node: Any) -> Run:
        b = _builder(compiler, STATEMENT)
        emit(b, node)
        return build(b)

    return compile_statement


def build(b: Builder) -> Run:
    """Finish the function; one without any line does nothing."""
    if not b.lines:
        b.line("pass")
    return b.build()


def _builder(compiler: Compiler, flow: Flow) -> Builder:
    b = Builder(compiler, BODY_ROOM)
    b.flow = flow
    return b


def _module_body(compiler: Compiler, node: r.Block) -> Run:
    """Compile statements that run once: no source is generated for their sequence."""
    if node.defers:
        run_all = part(compiler, node, STATEMENT)
        return _taking_returns(lambda frame: (run_all(frame) or (None,))[0])
    runs = tuple([compiler.stmt(statement) for statement in node.body])
    cells = node.cells

    def run(frame: list[Any]) -> Any:
        for slot in cells:
            frame[slot] = [UNSET]
        for statement in runs:
            signal = statement(frame)
            if signal is not None:
                return signal[0]
        return None

    return _taking_returns(run) if leaves(node) & RETURN_JUMP else run


def _taking_returns(run: Run) -> Run:
    """A ``return`` inside an expression jumps to the function that it stands in."""

    def take(frame: list[Any]) -> Any:
        try:
            return run(frame)
        except ReturnJump as jump:
            if jump.frame is not frame:
                raise
            return jump.value

    return take


# --- writing ----------------------------------------------------------------------------------


def emit_block(b: Builder, node: r.Block, prefix: str | None) -> None:
    """Write the statements of ``node``; ``prefix`` delivers the value of the last one, if any."""
    for slot in node.cells:
        b.line(f"f[{b.bind(slot)}] = [UNSET]")
    if node.defers:
        _emit_with_defers(b, node, prefix)
    else:
        _emit_sequence(b, node.body, prefix)


def suite(b: Builder, header: str, write: Callable[[], None]) -> None:
    """Write ``header`` and below it what ``write`` writes, or ``pass``.

    Temporary names of this path are let go on the others, too: the next statement releases them all.
    """
    loose = b.loose[:]
    with b.block(header):
        before = len(b.lines)
        write()
        if len(b.lines) == before:
            b.line("pass")
    b.loose += [name for name in loose if name not in b.loose]


def emit_statement(b: Builder, node: r.Stmt) -> None:
    """Write one statement, or the call of its function with the handling of its signal."""
    b.release()
    compiler = b.compiler
    inner: Any = node
    if type(node) is r.ExprStmt:
        inner = node.value
        if type(inner) not in compiler.statements:
            if type(inner) not in _WITHOUT_EFFECT:
                b.line(b.value(inner))
            return
    emit = compiler.statement_emitters.get(type(inner))
    compound = type(inner) in RESULT_FORMS
    if emit is None or (compound and b.room <= 0) or len(b.lines) > MOST_LINES:
        emit_call(b, compiler.stmt(node), leaves(node) & SIGNALS)
        return
    b.room -= compound
    emit(b, inner)


def emit_call(b: Builder, run: Run, bits: int) -> None:
    """Write the call of a compiled statement that may give the signals in ``bits``."""
    call = b.bind(run) + "(f)"
    if not bits:
        b.line(call)
        return
    signal = b.name("s")
    b.line(f"{signal} = {call}")
    with b.block(f"if {signal} is not None:"):
        leave_by(b, signal, bits)


def emit_value(b: Builder, node: r.Expr) -> str:
    """Write an expression that is the whole right side of a statement; blocks may be written in place."""
    emit = RESULT_FORMS.get(type(node))
    if emit is None or b.room <= 0:
        return b.value(node)
    b.room -= 1
    name = b.name("r")
    emit(b, node, f"{name} = ")
    b.loose.append(name)
    return name


def _emit_sequence(b: Builder, statements: tuple[r.Stmt, ...], prefix: str | None) -> None:
    last = len(statements) - 1
    ctx = b.bind(b.compiler.ctx) if b.compiler.watched else ""
    for position, statement in enumerate(statements):
        if ctx:
            b.line(f"if {ctx}.stop: {ctx}.stop()")
            if type(statement) is r.ExprStmt:  # it may have an effect that others see
                b.line(f"{ctx}.scheduler.check_clock()")
        if position == last and prefix is not None and type(statement) is r.ExprStmt:
            _emit_result(b, statement.value, prefix)
            return
        emit_statement(b, statement)
        if type(statement) in _LEAVING:
            return
    if prefix is not None:
        b.line(prefix + "None")


def _emit_result(b: Builder, node: r.Expr, prefix: str) -> None:
    """Write the last statement of a block that has a value."""
    b.release()
    emit = RESULT_FORMS.get(type(node))
    if emit is not None and b.room > 0 and len(b.lines) <= MOST_LINES:
        b.room -= 1
        emit(b, node, prefix)
    elif emit is not None or type(node) in OWN_FORMS:
        emit_apart(b, node, prefix)
    else:
        b.line(prefix + b.value(node))


def emit_apart(b: Builder, node: Any, prefix: str | None) -> None:
    """Write the call of an expression with blocks inside that is a function of its own."""
    if prefix is None:
        emit_call(b, form(b.compiler, node, STATEMENT), statement_bits(node) & SIGNALS)
        return
    flow = BODY if prefix == RETURN and b.flow is BODY else EXPRESSION
    b.line(f"{prefix}{b.bind(form(b.compiler, node, flow))}(f)")


def _emit_with_defers(b: Builder, node: r.Block, prefix: str | None) -> None:
    """Write a block with ``defer``: what follows the first one runs protected by it, and so on."""
    from harnpy.runtime.cleanup import protect

    statements = node.body
    first = next(number for number, statement in enumerate(statements) if type(statement) is r.Defer)
    _emit_sequence(b, statements[:first], None)
    defer: Any = statements[first]
    rest = statements[first + 1 :]
    protected = r.Block(node.span, rest, (), any(type(statement) is r.Defer for statement in rest))
    if prefix is None:
        flow = STATEMENT
    else:
        flow = BODY if prefix == RETURN and b.flow is BODY else EXPRESSION
    run = protect(b.compiler, part(b.compiler, protected, flow), block(b.compiler, defer.body), flow)
    if prefix is not None:
        b.line(f"{prefix}{b.bind(run)}(f)")
    else:
        emit_call(b, run, (leaves(protected) | leaves(defer.body)) & SIGNALS)
