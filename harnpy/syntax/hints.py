"""Advises about a token that cannot stand where it is: what was probably meant, and what Harn writes for it."""

from __future__ import annotations

from itertools import pairwise

from harnpy.syntax import foreign
from harnpy.syntax import tokens as t
from harnpy.syntax.tokens import Tokens

# How many tokens before the wrong one can be what leads to it.
_LINE = 40
_SEPARATORS = (t.NEWLINE, ";", t.BLOCK)
_STRINGS = (t.STRING, t.RAW_STRING, t.TRIPLE_STRING, t.INTERP_START)


def hint(tokens: Tokens, index: int, possible: set[str], opener: int | None) -> str | None:
    """Give the advice about the token at ``index``; ``opener`` is the innermost open bracket."""
    found = _Place(tokens, index, possible, opener)
    return found.foreign_word() or found.foreign_sign() or found.misplaced()


class _Place:
    """The wrong token and what stands before it, commas that the token pass put in left out."""

    def __init__(self, tokens: Tokens, index: int, possible: set[str], opener: int | None) -> None:
        self.tokens, self.index, self.possible, self.opener = tokens, index, possible, opener
        self.kind = tokens.kinds[index]
        line: list[int] = []
        for at in range(index - 1, max(-1, index - _LINE), -1):
            if tokens.kinds[at] in _SEPARATORS:
                break
            if not self._put_in(at):
                line.append(at)
        self.line = line[::-1]
        self.before = tokens.kinds[line[0]] if line else tokens.kinds[index - 1] if index else t.NEWLINE
        self.first = tokens.kinds[line[-1]] if line else self.kind

    def _put_in(self, at: int) -> bool:
        return self.tokens.kinds[at] == "," and self.tokens.values[at] is None

    def _joined(self, *kinds: str) -> bool:
        """Tell whether the tokens that end here are of these kinds, without a blank between them."""
        starts, ends = self.tokens.starts, self.tokens.ends
        at = [*self.line, self.index][-len(kinds) :]
        same = tuple(self.tokens.kinds[each] for each in at) == kinds
        return same and all(ends[each] == starts[following] for each, following in pairwise(at))

    def _following(self, kind: str) -> bool:
        tokens, after = self.tokens, self.index + 1
        return tokens.kinds[after : after + 1] == [kind] and tokens.starts[after] == tokens.ends[self.index]

    def foreign_word(self) -> str | None:
        """Look for a word of another language: the token, the one before it, or one that the line begins with."""
        tokens = self.tokens
        near = [self.index, *self.line[-1:], *self.line[:1]]
        for at in near:
            if tokens.kinds[at] == t.IDENT and tokens.values[at] in foreign.WORDS:
                return foreign.WORDS[str(tokens.values[at])]
        if any(tokens.kinds[at] == t.IDENT and tokens.values[at] in ("lambda", "function") for at in self.line):
            return foreign.WORDS["lambda"]
        if self.kind in _STRINGS and self.line and tokens.ends[self.line[-1]] == tokens.starts[self.index]:
            return foreign.prefix_hint(tokens.values[self.line[-1]])
        if self.kind == "from" and not self.line:
            return foreign.IMPORT
        if self.first == "import" and self.kind != "import":
            return foreign.IMPORT
        if self.kind == "type" and self._following("("):
            return foreign.WORDS["typeof"]
        if self.kind == "require" and self.line:
            return foreign.IMPORT
        return None

    def foreign_sign(self) -> str | None:
        """Look for a sign that other languages have."""
        kind, possible = self.kind, self.possible
        if (kind == "=" and self._following(">")) or self._joined("=", ">"):
            return "a closure is written `{ x -> x + 1 }`, an arm of `match` `1 -> { ... }`"
        if kind == "=" and (self._joined("==", "=") or self._joined("!=", "=")):
            return '`1 == "1"` is false: there is no `===`'
        if self._joined("<", ">"):
            return "write `!=`"
        if kind == ":" and self._following("="):
            return "a variable is declared with `let x = 1`, and changed with `x = 2`"
        if self._joined("+", "+") or (len(self.line) > 1 and kind == t.END and self._ends_with_steps()):
            return "write `i += 1` or `i -= 1`"
        if kind == t.IDENT and (self._joined(t.INT, kind) or self._joined(t.FLOAT, kind)) and self._is_exponent():
            return foreign.EXPONENT
        if kind in ("let", "const") and self.first == "for":
            return "write `for i in 0 to 10 exclusive { ... }`"
        if kind == ":" and t.BLOCK in possible:
            return "a block stands in braces: `if c { ... }`"
        if kind == "for" and self.line:
            return "there are no comprehensions: write `xs.filter({ x -> x > 1 }).map({ x -> x * 2 })`"
        if kind == "if" and self.line and self.before not in ("=", "else"):
            return "write `c ? a : b` or `if c { a } else { b }`"
        if kind == "," and self.first == "for" and "in" in possible:
            return "write `for (k, v) in d.iter() { ... }`, or `for entry in d { entry.key ... entry.value }`"
        if kind == "," and self.first in ("let", "const"):
            return "write one `let` for each, or take a list apart: `let [a, b] = [1, 2]`"
        return None

    def _is_exponent(self) -> bool:
        return str(self.tokens.values[self.index])[:1] in "eE"

    def _ends_with_steps(self) -> bool:
        kinds, (left, right) = self.tokens.kinds, self.line[-2:]
        joined = self.tokens.ends[left] == self.tokens.starts[right]
        return joined and kinds[left] == kinds[right] and kinds[left] in "+-"

    def misplaced(self) -> str | None:
        """Look for a sign or a word of Harn in the wrong place."""
        kind, before, possible = self.kind, self.before, self.possible
        if kind == "=" and (t.BLOCK in possible or "{" in possible or self._in_group()):
            return "`=` assigns, `==` compares"
        if ")" in possible and (kind == t.KEY or (kind in (":", "=") and before == t.IDENT)):
            return "Harn has no named arguments; pass a dict: f({name: value})"
        if kind == "." and before == ".":
            return "a range is written `1 to 3`, or `1 to 3 exclusive` without its end"
        if kind in ("else", "catch", "finally") and before == ";":
            return f"`{kind}` follows the closing `}}` directly, without `;`"
        if kind in ("import", "pipeline") and "return" in possible:
            return f"`{kind}` stands only at the top level of a file"
        if kind == ";" and before == ";":
            return "one `;` separates statements"
        if before == "pub":
            return "`pub` stands only before a declaration or an import"
        if len(self.line) == 1 and before == t.IDENT and kind in (*_STRINGS, t.IDENT, t.INT, t.FLOAT):
            return f"a function is called with parentheses: `{self.tokens.values[self.line[0]]}(...)`"
        if t.BLOCK in possible and (before in ("else", "try") or self.first in ("if", "while", "for")):
            return "a block stands in braces: `if c { ... }`"
        return self._wrong_body()

    def _wrong_body(self) -> str | None:
        """Look at what the innermost brace belongs to."""
        kinds, opener = self.tokens.kinds, self.opener
        if opener is None or opener < 2:
            return None
        if kinds[opener] == t.DICT and kinds[opener - 2 : opener] == [")", "->"]:
            typed = opener + 2 >= len(kinds) or kinds[opener + 2] in (":", t.MAYBE)
            return None if typed else "behind `->` stands the type of the result; without one write `fn f(x) { ... }`"
        if kinds[opener - 2] == "interface":
            return "an interface lists methods: what has fields is a `struct`, or a `type A = {x: int}`"
        if kinds[opener - 2] == "enum" and self.kind == "=":
            return "variants of an enum have no values of their own: they may hold some, as in `Circle(radius)`"
        return None

    def _in_group(self) -> bool:
        """Tell whether the innermost bracket is one around an expression, not around arguments."""
        opener, kinds = self.opener, self.tokens.kinds
        return opener is not None and kinds[opener] == "(" and (opener == 0 or kinds[opener - 1] in _BEFORE_GROUPS)


_BEFORE_GROUPS = ("if", "while", "match", "return", "&&", "||", "!", "(", ",", "=", *_SEPARATORS)
