"""What to write instead of words and signs of other languages: every hint about such habits comes from here."""

from __future__ import annotations

_FUNCTION = "a function is declared with `fn name(...) { ... }`"
# What is said of imports that are written in another way.
IMPORT = 'write `import {name} from "std/json"`, or `import * as json from "std/json"`'

# Words that are written where Harn has another word or sign.
WORDS = {
    "and": "write `&&`",
    "or": "write `||`",
    "not": "write `!x`; only `x not in xs` has the word",
    "is": "`==` compares values",
    "lambda": "a closure is written `{ x -> x + 1 }`",
    "def": _FUNCTION,
    "func": _FUNCTION,
    "function": _FUNCTION,
    "async": "there is no `async`: every function may wait",
    "await": "there is no `await`: a call waits for its result; `await(task)` waits for what `spawn` started",
    "class": "a type with fields is declared with `struct`",
    "new": "there is no `new`: write `Name {field: value}`, or call the function",
    "elif": "write `else if`",
    "elsif": "write `else if`",
    "unless": "write `if !c { ... }`",
    "foreach": "write `for x in list { ... }`",
    "do": "a loop is written `while c { ... }`",
    "loop": "write `while true { ... }`",
    "with": "there is no `with`: what `defer { ... }` holds runs when the function ends",
    "switch": "write `match x { 1 -> { ... } _ -> { ... } }`",
    "case": "an arm of `match` is written `1 -> { ... }`",
    "except": "write `try { ... } catch (e) { ... }`",
    "raise": 'write `throw "text"` or `throw {category: ..., message: ...}`',
    "pass": "an empty block is written `{ }`",
    "del": "values are not deleted: write `xs = xs.filter(...)` or `d = d.remove(key)`",
    "global": "a function may change a `let` of its module as it is: there is no `global`",
    "nonlocal": "a closure may change a `let` around it as it is: there is no `nonlocal`",
    "export": "write `pub` before what other files may import",
    "public": "write `pub` before what other files may import",
    "private": "what has no `pub` is private",
    "typeof": "write `type_of(x)`",
    "instanceof": 'write `type_of(x) == "name"`',
}

_LISTS = "lists have methods for it: "
# Names of functions and values that harnpy has under others.
NAMES = {
    **dict.fromkeys(("None", "null", "undefined"), "nothing is written `nil`"),
    **{name: f"write `{name.lower()}`" for name in ("True", "False")},
    **dict.fromkeys(("str", "String"), "write `to_string(x)`"),
    **dict.fromkeys(("parseInt", "Number"), "write `to_int(x)` or `to_float(x)`"),
    "parseFloat": "write `to_float(x)`",
    "isinstance": 'write `type_of(x) == "int"`',
    "repr": "write `to_string(x)` or `json_stringify(x)`",
    "enumerate": _LISTS + "`xs.enumerate()`",
    "sorted": _LISTS + "`xs.sorted()`, `xs.sorted_by(fn)`",
    "reversed": _LISTS + "`xs.reversed()`",
    "sum": _LISTS + "`xs.sum()`",
    "any": _LISTS + "`xs.any(fn)`",
    "all": _LISTS + "`xs.all(fn)`",
    "zip": _LISTS + "`xs.zip(ys)`",
    "map": _LISTS + "`xs.map(fn)`",
    "filter": _LISTS + "`xs.filter(fn)`",
    "reduce": _LISTS + "`xs.reduce(start, fn)`",
    "input": "write `harness.stdio.read_line()` or `harness.stdio.prompt(text)`",
    "open": "write `harness.fs.read_text(path)` or `harness.fs.write_text(path, text)`",
    "fetch": "write `harness.net.get(url)`",
    "console": "write `harness.stdio.println(x)`",
    "JSON": "write `json_parse(text)` and `json_stringify(x)`",
    "json": "write `json_parse(text)` and `json_stringify(x)`",
    "Math": "functions such as `max`, `floor` and `sqrt` are global",
    "process": "write `harness.process`, `harness.env`; arguments of the program are in `argv`",
    "sys": "arguments of the program are in `argv`; `exit(code)` ends it",
    "os": "write `harness.env`, `harness.fs`, `harness.process`",
    "self": "a method of `impl` names its receiver: `fn area(self) { ... }`",
    "this": "a method of `impl` names its receiver: `fn area(self) { ... }`",
    "setTimeout": "write `harness.clock.sleep_ms(ms)`, in a `spawn { ... }` when others shall go on",
    **dict.fromkeys(
        ("Error", "Exception", "ValueError"), 'anything can be thrown: `throw "text"`, `throw {message: ...}`'
    ),
    "help": "`:help` lists the commands of the prompt, `harnpy doc NAME` explains a function",
    "quit": "`exit()` ends the program, `:quit` the prompt",
}

_CONVERSIONS = {"string": "to_string", "int": "to_int", "float": "to_float", "list": "to_list"}
_TYPES = frozenset((*_CONVERSIONS, "bool", "dict", "bytes", "closure", "nil", "any"))

EXPONENT = "numbers have no exponent: write `0.001`, `1000000` or `pow(10, n)`"

# Characters that begin no token.
CHARACTERS = {
    "'": "strings stand in double quotes",
    "`": 'strings stand in double quotes, over several lines in `"""`, and may hold `${...}`',
    "#": "a comment begins with `//`",
}

_PREFIXES = {
    **dict.fromkeys(("f", "F"), 'every string may hold values, without a prefix: `"... ${x} ..."`'),
    **dict.fromkeys(("b", "B"), "bytes are made with `bytes_from_string(text)`"),
    **dict.fromkeys(("u", "U", "R", "fr", "rf"), 'strings are written `"..."` or raw `r"..."`'),
}


def name_hint(name: str, *, called: bool, before: str, following: str) -> str | None:
    """Give the hint about a name that is not defined; ``before`` and ``following`` are the characters around it."""
    if before.isdigit():
        return EXPONENT if name[0] in "eE" else None
    if following == '"' and name in _PREFIXES:
        return _PREFIXES[name]
    if name in WORDS:
        return WORDS[name]
    if called and name in _CONVERSIONS:
        return f"write `{_CONVERSIONS[name]}(x)`"
    if called and name == "dict":
        return "a dict is written `{key: value}`, an empty one `{}`"
    if called or name not in _TYPES:
        return NAMES.get(name)
    return f'a type is no value: write `type_of(x) == "{name}"`, or a type behind `:`'


def prefix_hint(name: object) -> str | None:
    """Give the hint about a word that stands directly before a string."""
    return _PREFIXES.get(name) if type(name) is str else None
