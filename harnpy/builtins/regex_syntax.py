r"""Translation of Harn's regular expressions into the dialect of RE2 (builtins 1.6).

The dialect is that of Rust's ``regex`` crate. RE2 shares its core; this pass rewrites what differs: Unicode
classes, class sets, free spacing, ``\u`` escapes, and refuses what only one of both has.
"""

from __future__ import annotations

from harnpy.builtins.regex_classes import PERL, Ranges, class_text, combined, negated, ranges_text, read_ranges, union
from harnpy.builtins.regex_engine import invalid

FLAGS = "imsx"
_MAX_DEPTH = 250


def check_flags(flags: str) -> str:
    """Give the flags, each once."""
    for flag in flags:
        if flag not in FLAGS:
            raise invalid(f"unsupported regex flag '{flag}', expected one of i/m/s/x")
    return "".join(sorted(set(flags)))


class Translator:
    """One pass over a pattern; what matches one character goes through ``atom``."""

    def __init__(self, pattern: str, flags: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.out: list[str] = []
        # The flags that hold here, and those outside of each open group.
        self.flags = frozenset(flags + "u")
        self.outer: list[frozenset[str]] = []
        self.word_boundaries = False
        self.names: set[str] = set()

    def translate(self) -> str:
        """Give the pattern for RE2."""
        readers = {"\\": self._escape, "[": self._class, "(": self._group, ")": self._close}
        while self.at < len(self.pattern):
            character = self.pattern[self.at]
            reader = readers.get(character)
            if reader is not None:
                reader()
            elif "x" in self.flags and (character.isspace() or character == "#"):
                self._skip_space()
            else:
                self._plain(character)
        return "".join(self.out)

    def atom(self, text: str) -> None:
        """Take what matches one character, in RE2's spelling."""
        self.out.append(text)

    def _plain(self, character: str) -> None:
        end = self.at + 1
        if character == "{":
            end = _repetition_end(self.pattern, self.at)
        if character in _OPERATORS or end > self.at + 1:
            self.out.append(self.pattern[self.at : end])
        else:
            self.atom(character)
        self.at = end

    def _skip_space(self) -> None:
        if self.pattern[self.at] != "#":
            self.at += 1
            return
        end = self.pattern.find("\n", self.at)
        self.at = len(self.pattern) if end < 0 else end + 1

    def _close(self) -> None:
        if self.outer:
            self.flags = self.outer.pop()
        self.out.append(")")
        self.at += 1

    def _group(self) -> None:
        pattern, start = self.pattern, self.at
        if len(self.outer) >= _MAX_DEPTH:
            raise invalid("groups are nested too deep")
        if not pattern.startswith("(?", start):
            self._open("(", start + 1)
            return
        for opening in _REFUSED_GROUPS:
            if pattern.startswith(opening, start):
                raise invalid(f"{opening} is not supported")
        if not pattern.startswith(("(?<", "(?P<"), start):
            self._flag_group(start)
            return
        name_start = pattern.index("<", start) + 1
        name_end = pattern.find(">", name_start)
        if name_end < 0:
            raise invalid("unclosed group name")
        name = pattern[name_start:name_end]
        if name in self.names:
            raise invalid(f"duplicate group name: {name}")
        self.names.add(name)
        self._open(f"(?P<{name}>", name_end + 1)

    def _open(self, text: str, at: int) -> None:
        self.outer.append(self.flags)
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
            self.outer.append(self.flags)
        self.flags = (self.flags | frozenset(on)) - frozenset(off)
        self.at = end + 1
        kept = self.kept_flags(on) + ("-" + self.kept_flags(off) if self.kept_flags(off) else "")
        if closing == ":":
            self.out.append(f"(?{kept}:")
        elif kept:
            self.out.append(f"(?{kept})")

    def kept_flags(self, flags: str) -> str:
        """Give the flags that RE2 is to deal with."""
        return "".join([flag for flag in flags if flag in "imsU"])

    def _escape(self) -> None:
        letter = self.pattern[self.at + 1 : self.at + 2] or " "
        if letter in "wWdDsS" and "u" in self.flags:
            self.atom(class_text(PERL[letter]))
            self.at += 2
        elif letter in "123456789":
            raise invalid("back-references are not supported")
        elif letter in "CQEGZKR":
            raise invalid(f"\\{letter} is not supported")
        elif letter in "bBAz":
            self.word_boundaries = self.word_boundaries or letter in "bB"
            self.out.append("\\" + letter)
            self.at += 2
        else:
            escape, self.at = read_escape(self.pattern, self.at)
            self.atom(escape)

    # --- classes ---

    def _class(self) -> None:
        end, plain = _class_end(self.pattern, self.at)
        body = self.pattern[self.at : end]
        if "x" in self.flags:
            body = _without_space(body)
        self.atom(self.plain_class(body) if plain else ranges_text(_SetReader(self, body).read()))
        self.at = end

    def plain_class(self, body: str) -> str:
        """Put Unicode classes into a class that RE2 understands otherwise."""
        parts = []
        at = 0
        while at < len(body):
            letter = body[at + 1 : at + 2]
            if body[at] != "\\":
                parts.append(body[at])
                at += 1
            elif letter and letter in "wWdDsS" and "u" in self.flags:
                parts.append(PERL[letter])
                at += 2
            else:
                escape, at = read_escape(body, at)
                parts.append(escape)
        return "".join(parts)


_OPERATORS = "|*+?^$"
_REFUSED_GROUPS = ("(?=", "(?!", "(?<=", "(?<!", "(?>", "(?(", "(?#", "(?R)", "(?&")


def _repetition_end(pattern: str, start: int) -> int:
    """Give the place behind ``{2,3}``; the place behind the brace when it is no repetition."""
    end = pattern.find("}", start)
    low, _, high = pattern[start + 1 : end].partition(",")
    if end > 0 and low.isdigit() and (not high or high.isdigit()):
        return end + 1
    return start + 1


def read_escape(pattern: str, at: int) -> tuple[str, int]:
    """Read the escape of one character or class, in RE2's spelling, and the place behind it."""
    letter = pattern[at + 1 : at + 2]
    braced_end = pattern.find("}", at) if pattern.startswith("{", at + 2) else -1
    braced = pattern[at + 3 : braced_end]
    if letter in ("p", "P"):
        if braced_end > 0:
            return _property(letter, braced), braced_end + 1
        return pattern[at : at + 3], at + 3
    sizes = {"x": 2, "u": 4, "U": 8}
    if letter in sizes:
        if braced_end > 0:
            return f"\\x{{{braced}}}", braced_end + 1
        end = at + 2 + sizes[letter]
        return f"\\x{{{pattern[at + 2 : end]}}}", end
    if letter.isspace():
        return f"\\x{{{ord(letter):x}}}", at + 2
    return "\\" + letter, at + 2


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

    def read(self) -> Ranges:
        """Read the class that begins here."""
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

    def _operand(self, first: bool) -> Ranges:
        """Read items up to an operator or the end of the class, as one set."""
        body = self.body
        plain: list[str] = ["\\]"] if first and self._skip("]") else []
        sets: list[Ranges] = []
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
            text = self.translator.plain_class("".join(plain))
            sets.append(read_ranges(f"[{text}]"))
        return union(sets)
