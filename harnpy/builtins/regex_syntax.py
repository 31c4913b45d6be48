r"""Translation of Harn's regular expressions into the dialect of RE2 (builtins 1.6).

The dialect is that of Rust's ``regex`` crate. RE2 shares its core; this pass rewrites what differs: Unicode
classes, class sets, free spacing, ``\u`` escapes, and refuses what only one of both has.
"""

from __future__ import annotations

from harnpy.builtins.regex_classes import PERL, class_text, negated, read_ranges
from harnpy.errors import HarnError, thrown_text

FLAGS = "imsx"
_MAX_DEPTH = 250


def invalid(detail: str) -> HarnError:
    """Make the error of a pattern or flag that is not accepted."""
    return thrown_text(f"Invalid regex: {detail}")


def check_flags(flags: str) -> str:
    """Give the flags, each once."""
    for flag in flags:
        if flag not in FLAGS:
            raise invalid(f"unsupported regex flag '{flag}', expected one of i/m/s/x")
    return "".join(sorted(set(flags)))


class Translator:
    """One pass over a pattern."""

    def __init__(self, pattern: str, flags: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.out: list[str] = []
        self.spaced = "x" in flags
        self.unicode = True
        self.word_boundaries = False
        # What `spaced` and `unicode` were outside of each open group.
        self.outer: list[tuple[bool, bool]] = []

    def translate(self) -> str:
        """Give the pattern for RE2."""
        pattern, size = self.pattern, len(self.pattern)
        while self.at < size:
            character = pattern[self.at]
            if character == "\\":
                self._escape()
            elif character == "[":
                self._class()
            elif character == "(":
                self._group()
            elif character == ")":
                self._close()
            elif self.spaced and (character.isspace() or character == "#"):
                self._skip_space()
            else:
                self.out.append(character)
                self.at += 1
        return "".join(self.out)

    def _skip_space(self) -> None:
        if self.pattern[self.at] != "#":
            self.at += 1
            return
        end = self.pattern.find("\n", self.at)
        self.at = len(self.pattern) if end < 0 else end + 1

    def _close(self) -> None:
        if self.outer:
            self.spaced, self.unicode = self.outer.pop()
        self.out.append(")")
        self.at += 1

    def _group(self) -> None:
        pattern, start = self.pattern, self.at
        if len(self.outer) >= _MAX_DEPTH:
            raise invalid("groups are nested too deep")
        if not pattern.startswith("(?", start):
            self._open("(", start + 1)
            return
        for opening in ("(?=", "(?!", "(?<=", "(?<!", "(?>", "(?(", "(?#", "(?R)", "(?&"):
            if pattern.startswith(opening, start):
                raise invalid(f"{opening} is not supported")
        if pattern.startswith(("(?<", "(?P<"), start):
            name_start = pattern.index("<", start) + 1
            self._open("(?P<", name_start)
            return
        self._flag_group(start)

    def _open(self, text: str, at: int) -> None:
        self.outer.append((self.spaced, self.unicode))
        self.out.append(text)
        self.at = at

    def _flag_group(self, start: int) -> None:
        """Read ``(?i)``, ``(?i-s:`` and their like; ``x`` and ``u`` are dealt with here."""
        end = start + 2
        while end < len(self.pattern) and self.pattern[end] not in ":)":
            end += 1
        if end == len(self.pattern):
            raise invalid("unclosed group")
        words, closing = self.pattern[start + 2 : end], self.pattern[end]
        on, _, off = words.partition("-")
        for flag in on + off:
            if flag not in "imsxuU":
                raise invalid(f"unsupported regex flag '{flag}', expected one of i/m/s/x")
        if closing == ":":
            self._open("", end + 1)
        self.spaced = ("x" in on or self.spaced) and "x" not in off
        self.unicode = ("u" in on or self.unicode) and "u" not in off
        self.at = end + 1
        kept_on = "".join([flag for flag in on if flag in "imsU"])
        kept_off = "".join([flag for flag in off if flag in "imsU"])
        kept = kept_on + ("-" + kept_off if kept_off else "")
        if closing == ":":
            self.out.append(f"(?{kept}:")
        elif kept:
            self.out.append(f"(?{kept})")

    def _escape(self) -> None:
        pattern, at = self.pattern, self.at
        letter = pattern[at + 1 : at + 2]
        if letter and letter in "wWdDsS" and self.unicode:
            self.out.append(class_text(PERL[letter]))
            self.at += 2
        elif letter and letter in "123456789":
            raise invalid("back-references are not supported")
        elif letter and letter in "CQEGZK":
            raise invalid(f"\\{letter} is not supported")
        else:
            if letter and letter in "bB":
                self.word_boundaries = True
            escape, self.at = self._code_point(at)
            self.out.append(escape)

    def _code_point(self, at: int) -> tuple[str, int]:
        """Read one escape and give it in RE2's spelling, with the place behind it."""
        pattern = self.pattern
        letter = pattern[at + 1 : at + 2]
        if letter and letter in "uU" and pattern[at + 2 : at + 3] == "{":
            return "\\x", at + 2
        if letter and letter in "uU":
            size = 4 if letter == "u" else 8
            digits = pattern[at + 2 : at + 2 + size]
            return f"\\x{{{digits}}}", at + 2 + size
        if letter in ("p", "P") and pattern[at + 2 : at + 3] == "{":
            end = pattern.find("}", at)
            if end > 0:
                return _property(letter, pattern[at + 3 : end]), end + 1
        if self.spaced and letter.isspace():
            return f"\\x{{{ord(letter):x}}}", at + 2
        return "\\" + letter, at + 2

    # --- classes ---

    def _class(self) -> None:
        end, plain = _class_end(self.pattern, self.at)
        body = self.pattern[self.at : end]
        if self.spaced:
            body = _without_space(body)
        self.out.append(self._plain_class(body) if plain else self._class_set(body))
        self.at = end

    def _plain_class(self, body: str) -> str:
        """Put Unicode classes into a class that RE2 understands otherwise."""
        parts = []
        at = 0
        inner = Translator(body, "")
        while at < len(body):
            letter = body[at + 1 : at + 2]
            if body[at] == "\\":
                if letter and letter in "wWdDsS" and self.unicode:
                    parts.append(PERL[letter])
                    at += 2
                    continue
                escape, at = inner._code_point(at)
                parts.append(escape)
            else:
                parts.append(body[at])
                at += 1
        return "".join(parts)

    def _class_set(self, body: str) -> str:
        from harnpy.builtins.regex_classes import ranges_text

        reader = _SetReader(self, body)
        return ranges_text(reader.read())


def _property(letter: str, name: str) -> str:
    if name.startswith("^"):
        letter, name = ("P" if letter == "p" else "p"), name[1:]
    for separator in ("=", ":"):
        name = name.rpartition(separator)[2]
    return f"\\{letter}{{{_PROPERTIES.get(name.strip(), name.strip())}}}"


_PROPERTIES = {
    "Letter": "L",
    "Alphabetic": "L",
    "Lowercase": "Ll",
    "Uppercase": "Lu",
    "Lowercase_Letter": "Ll",
    "Uppercase_Letter": "Lu",
    "Mark": "M",
    "Number": "N",
    "Decimal_Number": "Nd",
    "Punctuation": "P",
    "Symbol": "S",
    "Separator": "Z",
    "Other": "C",
    "Control": "Cc",
    "any": "Any",
}


def _class_end(pattern: str, start: int) -> tuple[int, bool]:
    """Find the end of a class; the flag tells whether RE2 reads it as it stands."""
    depth = 0
    plain = True
    at = start
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 2
            continue
        if character == "[" and pattern.startswith("[:", at) and depth:
            end = pattern.find(":]", at)
            if end > 0:
                at = end + 2
                continue
        if character == "[":
            depth += 1
            plain = plain and depth == 1
            at += 1
            at += pattern.startswith("^", at)
            # A bracket at the very start is a member.
            at += pattern.startswith("]", at)
            continue
        if character == "]":
            depth -= 1
            if depth == 0:
                return at + 1, plain
        elif character in "&-~" and pattern.startswith(character * 2, at):
            plain = False
        at += 1
    raise invalid("unclosed character class")


def _without_space(body: str) -> str:
    kept = []
    at = 0
    while at < len(body):
        size = 2 if body[at] == "\\" else 1
        if size == 2 or not body[at].isspace():
            kept.append(body[at : at + size])
        at += size
    return "".join(kept)


class _SetReader:
    """Reads a class with nested classes and the operators ``&&``, ``--`` and ``~~``."""

    def __init__(self, translator: Translator, body: str) -> None:
        self.translator = translator
        self.body = body
        self.at = 0
        self.depth = 0

    def read(self) -> list[tuple[int, int]]:
        """Read the class that begins here."""
        from harnpy.builtins.regex_classes import combined

        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise invalid("classes are nested too deep")
        self.at += 1
        inverse = self._skip("^")
        result = self._operand(first=True)
        while not self._skip("]"):
            operator = self.body[self.at : self.at + 2]
            self.at += 2
            result = combined(operator, result, self._operand(first=False))
        self.depth -= 1
        return negated(result) if inverse else result

    def _skip(self, text: str) -> bool:
        hit = self.body.startswith(text, self.at)
        self.at += len(text) if hit else 0
        return hit

    def _operand(self, first: bool) -> list[tuple[int, int]]:
        """Read items up to an operator or the end of the class, as one set."""
        from harnpy.builtins.regex_classes import union

        body = self.body
        plain: list[str] = ["\\]"] if first and self._skip("]") else []
        sets: list[list[tuple[int, int]]] = []
        while self.at < len(body) and body[self.at] != "]" and body[self.at : self.at + 2] not in ("&&", "--", "~~"):
            if body.startswith("[:", self.at) and (end := body.find(":]", self.at)) > 0:
                plain.append(body[self.at : end + 2])
                self.at = end + 2
            elif body[self.at] == "[":
                sets.append(self.read())
            elif body[self.at] == "\\":
                plain.append(body[self.at : self.at + 2])
                self.at += 2
            else:
                plain.append(body[self.at])
                self.at += 1
        if plain:
            text = self.translator._plain_class("".join(plain))
            sets.append(read_ranges(f"[{text}]"))
        return union(sets)
