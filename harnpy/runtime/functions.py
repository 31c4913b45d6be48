"""Makes functions: the code object shared by all closures, argument binding and parameter checks (language 7.2)."""

from __future__ import annotations

from harnpy.analysis import resolved as r
from harnpy.errors import HarnError
from harnpy.runtime.templates import share
from harnpy.runtime.values import Closure, Code, Handle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.templates import Builder, Eval

ANONYMOUS = "<closure>"


def make_code(compiler: Compiler, function: r.Function) -> Code:
    """Make the code of ``function``; its body is compiled when it is first called."""
    params = function.params
    exact = -1 if any(param.rest for param in params) else len(params)
    code = Code(
        function.name or ANONYMOUS,
        function,
        compiler.module,
        exact,
        lambda frame: _first_call(compiler, code, frame),
        Binder(compiler, function).bind,
    )
    return code


def _first_call(compiler: Compiler, code: Code, frame: list[Any]) -> Any:
    function = code.function
    body = compiler.body(function)
    if function.produces:
        body = _producer(compiler, function, body)
    if code.drops_handle and code.exact > 0:
        body = _dropping(code, body)
    code.body = body
    return body(frame)


def let_handle_drop(compiler: Compiler, code: Code) -> None:
    """Have a leading handle dropped from the arguments of all calls (builtins 0.3)."""
    code.drops_handle = True
    code.body = lambda frame: _first_call(compiler, code, frame)


def _dropping(code: Code, body: Eval) -> Eval:
    """A call with just as many arguments as parameters does not pass through ``bind``: look at the first one here."""
    count = code.exact

    def run(f: list[Any]) -> Any:
        if type(f[0]) is Handle:
            f = code.bind(Closure(code, f[count:]), f[:count])
        return body(f)

    return run


def _producer(compiler: Compiler, function: r.Function, body: Eval) -> Eval:
    """A call of a generator function checks its arguments and gives the generator."""
    from harnpy.runtime.generators import make_producer

    ctx = compiler.ctx
    checks = check_parameters(compiler, function)

    def produce(f: list[Any]) -> Any:
        checks(f)
        return make_producer(ctx, function.produces, body, f)

    return produce


# --- parameter types -------------------------------------------------------------------------------


def check_parameters(compiler: Compiler, function: r.Function) -> Eval:
    """Give a function of the frame that refuses arguments of wrong types."""
    from harnpy.runtime.templates import Builder

    b = Builder(compiler)
    emit_parameter_checks(b, function)
    b.line("return None")
    return b.build()


def emit_parameter_checks(b: Builder, function: r.Function) -> None:
    """Write the type checks of the arguments; they come first in a body."""
    name = function.name or ANONYMOUS
    for slot, param in enumerate(function.params):
        if param.type is None:
            continue
        checker = b.compiler.checker(param.type)
        if checker is None:
            continue
        refuse = f"refuse_argument({b.bind(checker)}, {b.bind(name)}, {b.bind(param.name)}, "
        test = f"not in {b.bind(checker.kinds)} and not {b.bind(checker.accepts)}"
        if param.rest:
            with b.block(f"for item in f[{b.bind(slot)}]:"):
                b.line(f"if type(item) {test}(item): {refuse}item)")
        else:
            value = f"f[{b.bind(slot)}]"
            b.line(f"if type({value}) {test}({value}): {refuse}{value})")


def refuse_argument(checker: Any, function: str, param: str, value: Any) -> None:
    """Raise the error of an argument that its type does not accept."""
    raise checker.parameter_error(function, param, value)


# --- binding ----------------------------------------------------------------------------------------


class Binder:
    """Makes the frames of calls that need work: other counts than the parameters', rest, defaults."""

    __slots__ = ("_compiler", "_constants", "_defaults", "_function", "_named", "_required", "_rest")

    def __init__(self, compiler: Compiler, function: r.Function) -> None:
        params = function.params
        self._compiler = compiler
        self._function = function
        self._rest = bool(params) and params[-1].rest
        self._named = len(params) - self._rest
        without = [slot for slot in range(self._named) if params[slot].default is None]
        self._required = without[-1] + 1 if without else 0
        self._defaults: dict[int, Eval] = {}
        self._constants = _constant_defaults(params[: self._named])

    def bind(self, closure: Closure, args: list[Any]) -> list[Any]:
        """Make ``args`` the frame: drop a leading handle where std functions ask for it, count, fill in."""
        if closure.code.drops_handle and args and type(args[0]) is Handle:
            del args[0]
        named = self._named
        given = len(args)
        extra = None
        if given < named:
            if given < self._required:
                raise self._too_few(given)
            args += self._constants[given:]
        elif given > named:
            extra = args[named:]
            del args[named:]
        if self._rest:
            args.append(extra or [])
        args += closure.tail
        for slot in range(given, named):
            if args[slot] is _COMPUTED:
                args[slot] = self._default(slot)(args)
        return args

    def _default(self, slot: int) -> Eval:
        found = self._defaults.get(slot)
        if found is None:
            default = self._function.params[slot].default
            assert default is not None
            found = self._defaults[slot] = self._compiler.expr(default)
        return found

    def _too_few(self, given: int) -> HarnError:
        params = self._function.params[: self._named]
        required = sum(param.default is None for param in params)
        expected = str(required)
        if self._rest:
            expected = f"at least {required}"
        elif required < len(params):
            expected = f"{required}..={len(params)}"
        word = "argument" if expected in ("1", "at least 1") else "arguments"
        name = self._function.name or ANONYMOUS
        return HarnError(f"Arity mismatch: '{name}' expects {expected} {word}, got {given}")


class _Computed:
    """Stands in a frame for an omitted argument whose default is still to be evaluated."""

    __slots__ = ()


_COMPUTED = _Computed()


def _constant_defaults(params: tuple[r.Param, ...]) -> list[Any]:
    """Give the default of each parameter where it is a constant, else ``_COMPUTED``."""
    return [param.default.value if isinstance(param.default, r.Const) else _COMPUTED for param in params]


# --- closures ---------------------------------------------------------------------------------------


def make_closure(b: Builder, node: r.MakeClosure) -> str:
    """A closure: its code, the captured slots and room for its locals."""
    function = node.function
    parts = [f"f[{b.bind(slot)}]" for slot in function.captures]
    free = function.nslots - len(function.params) - len(parts)
    if free > 4:
        parts.append(f"*{b.bind((None,) * free)}")
    else:
        parts += ["None"] * free
    return f"Closure({b.bind(b.compiler.make_code(function))}, [{', '.join(parts)}])"


share(Closure=Closure, refuse_argument=refuse_argument)

EMITTERS: dict[type, Callable[[Builder, Any], str]] = {r.MakeClosure: make_closure}
