"""The token pass in front of the parser: which newlines count, what each `{`, `?`, `<` and word is (language 3)."""

from __future__ import annotations

from harnpy.syntax import tokens as t
from harnpy.syntax.brackets import Brackets
from harnpy.syntax.contextual import TESTS
from harnpy.syntax.fault import Fault
from harnpy.syntax.frames import Frame
from harnpy.syntax.kinds import (
    BLOCK_WORDS,
    CLOSERS,
    CONTINUATIONS,
    ELEMENT_STARTS,
    FOLLOWS_BLOCK,
    HEADS,
    INFIX_WORDS,
    NAMED_HEADS,
    OPEN_ENDED,
    OPERAND_ENDS,
    SEPARATED,
    WITH_PARAMETERS,
)
from harnpy.syntax.tokens import RESERVED, Tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Layout:
    """Turns the raw tokens of one text into those that the grammar knows."""

    def __init__(self, raw: Tokens, max_nesting: int) -> None:
        self.raw = raw
        self.brackets = Brackets(raw)
        self.out = Tokens()
        self.max_nesting = max_nesting
        self.frames: list[Frame] = []
        self.frame: Frame = Frame("file", listed=False)
        self.last: str = t.NEWLINE  # kind of the last token given out
        self.index = 0
        self.attribute_end = -1  # how many tokens were out when an attribute ended
        self._handlers = self._make_handlers()

    def _make_handlers(self) -> dict[str, Callable[[], None]]:
        handlers: dict[str, Callable[[], None]] = {
            "{": self._brace,
            "(": self._bracket,
            "[": self._bracket,
            t.HOLE_OPEN: self._hole,
            "?": self._question,
            "!": self._bang,
            "<": self._less,
            ">": self._greater,
            "->": self._arrow,
            ":": self._colon,
            ",": self._comma,
            ";": self._semicolon,
            "=": self._equals,
            ".": self._dot,
            "?.": self._dot,
            "@": self._at,
            t.IDENT: self._identifier,
            t.CONTEXTUAL: self._contextual,
        }
        handlers |= dict.fromkeys(CLOSERS, self._close)
        handlers |= dict.fromkeys(RESERVED, self._keyword)
        return handlers

    def run(self) -> Tokens:
        """Go through all tokens once."""
        raw, out, handlers = self.raw, self.out, self._handlers
        kinds, values, starts, ends = raw.kinds, raw.values, raw.starts, raw.ends
        put_kind, put_value = out.kinds.append, out.values.append
        put_start, put_end = out.starts.append, out.ends.append
        count = len(kinds)
        while self.index < count:
            index = self.index
            kind = kinds[index]
            if kind == "NEWLINE":
                self._newline(index)
                self.index += 1
                continue
            if self.frame.listed and self.last in OPERAND_ENDS and kind in ELEMENT_STARTS:
                self._missing_comma(index)
            handler = handlers.get(kind)
            if handler is not None:
                handler()
            else:
                put_kind(kind)
                put_value(values[index])
                put_start(starts[index])
                put_end(ends[index])
                self.last = kind
            self.index += 1
        return out

    def put(self, kind: str) -> None:
        """Give out the current token as ``kind``."""
        raw, index, out = self.raw, self.index, self.out
        out.kinds.append(kind)
        out.values.append(raw.values[index])
        out.starts.append(raw.starts[index])
        out.ends.append(raw.ends[index])
        self.last = kind

    def following(self, offset: int = 1) -> str:
        """Give the kind of a later raw token, ``END`` past the last."""
        at = self.index + offset
        kinds = self.raw.kinds
        return kinds[at] if at < len(kinds) else t.END

    def after_attribute(self) -> bool:
        """Tell whether the last token ended an attribute, or could have."""
        return self.attribute_end == len(self.out.kinds)

    # --- newlines and separators --------------------------------------------------------------

    def _newline(self, index: int) -> None:
        last, following, frame = self.last, self.raw.kinds[index + 1], self.frame
        if last in OPEN_ENDED or last in SEPARATED or self.after_attribute():
            return
        if following in CONTINUATIONS or following in CLOSERS or following == t.END:
            return
        if following == "?" and index + 1 in self.brackets.ternaries:
            return
        if following == ":" and (frame.ternaries or frame.kind == "struct literal"):
            return
        if following == "|" and (frame.types or frame.kind == "match"):
            return
        if last == "}" and (following in FOLLOWS_BLOCK or frame.kind == "select"):
            frame.separate()
            return
        if frame.listed:
            if following != ",":
                self._missing_comma(index)
            return
        self.put(t.NEWLINE)
        frame.separate()

    def _missing_comma(self, index: int) -> None:
        """Put in the comma that may be left out between elements; for messages it is what stands there."""
        if self._goes_on():
            return
        out, start = self.out, self.raw.starts[index]
        out.add(",", None, start, start)
        self.last = ","
        self.frame.separate()

    def _goes_on(self) -> bool:
        """Tell whether the next word is an operator rather than the next element."""
        if self.following(0) != t.CONTEXTUAL:
            return False
        word = str(self.raw.values[self.index])
        return word in INFIX_WORDS and TESTS[word](self)

    def _comma(self) -> None:
        self.put(",")
        frame = self.frame
        if frame.listed:
            frame.separate()

    def _semicolon(self) -> None:
        self.put(";")
        self.frame.separate()

    # --- brackets -----------------------------------------------------------------------------

    def _open(self, terminal: str, frame: Frame) -> None:
        self.put(terminal)
        if len(self.frames) >= self.max_nesting:
            index = self.index
            raise Fault("nested too deeply", (self.raw.starts[index], self.raw.ends[index]), placed=True)
        self.frames.append(self.frame)
        self.frame = frame

    def _close(self) -> None:
        if self.frame.kind == "types":
            self.frame = self.frames.pop()
        closed = self.frame
        self.put(self.following(0))
        if self.frames:
            self.frame = self.frames.pop()
        self.frame.after_parallel = closed.kind == "parallel"
        if closed.kind == "arm" or (closed.kind == "fn" and self.frame.kind == "impl"):
            self.last = t.NEWLINE  # the next arm or method begins, whatever its first token is
        if closed.kind == "attribute":
            self.attribute_end = len(self.out.kinds)

    def _hole(self) -> None:
        self._open(t.HOLE_OPEN, Frame("hole", listed=False))

    def _bracket(self) -> None:
        outer, opener = self.frame, self.following(0)
        if outer.types:
            kind, types = "shape", True
        elif opener == "(" and self.after_attribute():
            kind, types = "attribute", False
        elif opener == "(" and self._opens_parameters():
            kind, types = "parameters", False
        else:
            kind, types = opener, False
        self._open(opener, Frame(kind, listed=True, types=types))

    def _opens_parameters(self) -> bool:
        frame = self.frame
        if frame.kind == "enum" or frame.head == "catch":
            return True
        if frame.head in WITH_PARAMETERS and not frame.parameters_read:
            frame.parameters_read = True
            return True
        return False

    def _brace(self) -> None:
        frame, last = self.frame, self.last
        if last in BLOCK_WORDS:
            self._open_block(last)
        elif last == "->" and frame.kind == "match":
            frame.separate()
            self._open_block("arm")
        elif last in OPERAND_ENDS:
            if frame.head not in NAMED_HEADS and last == t.IDENT and self._is_struct_literal():
                self._open(t.STRUCT, Frame("struct literal", listed=True))
            else:
                self._open_block(frame.head or "block")
        elif frame.types:
            self._open(t.DICT, Frame("shape", listed=True, types=True))
        elif self.index in self.brackets.arrows:
            self._open(t.CLOSURE, Frame("closure head", listed=True))
        else:
            self._open(t.DICT, Frame("dict", listed=True))

    def _open_block(self, head: str) -> None:
        frame = self.frame
        if frame.heads and (frame.head == head):
            frame.heads.pop()
        frame.types = False
        self._open(t.BLOCK, Frame(head, listed=head in ("struct", "enum")))

    def _is_struct_literal(self) -> bool:
        """Apply language 3.4."""
        name = self.raw.values[self.index - 1]
        if not (isinstance(name, str) and name[0].isupper()):
            return False
        at = 2 if self.following() == t.NEWLINE else 1
        first = self.following(at)
        if first == "}":
            return True
        if first not in (t.IDENT, t.CONTEXTUAL, t.STRING):
            return False
        after = self.following(at + 1)
        return (self.following(at + 2) if after == t.NEWLINE else after) == ":"

    # --- operators with several meanings ------------------------------------------------------

    def _question(self) -> None:
        frame = self.frame
        if frame.types or frame.kind in ("struct", "shape") or frame.head in WITH_PARAMETERS:
            self.put(t.MAYBE)
        elif self.index in self.brackets.ternaries:
            self.put(t.TERNARY)
            frame.ternaries += 1
        elif self.following() == "[":
            self.put(t.MAYBE_INDEX)
        else:
            self.put(t.MAYBE)

    def _bang(self) -> None:
        self.put(t.UNWRAP if self.last in OPERAND_ENDS else "!")

    def _less(self) -> None:
        if self._opens_types():
            self._open(t.TYPE_OPEN, Frame("types", listed=True, types=True))
        else:
            self.put("<")

    def _opens_types(self) -> bool:
        closer = self.brackets.types.get(self.index)
        if closer is None or self.last != t.IDENT:
            return False
        if self.frame.types or self.frame.head in NAMED_HEADS or self._names_type_declaration():
            return True
        return self.raw.kinds[closer + 1] == "("

    def _names_type_declaration(self) -> bool:
        return self.following(-2) == "type"

    def _greater(self) -> None:
        if self.frame.kind == "types":
            self.put(t.TYPE_CLOSE)
            self.frame = self.frames.pop()
        else:
            self.put(">")

    def _arrow(self) -> None:
        frame = self.frame
        self.put("->")
        if self.index - 1 in self.brackets.heads:
            frame.types = True
        elif frame.kind == "closure head":
            frame.begin_body("closure")
        elif frame.kind == "parallel":
            frame.separate()

    def _colon(self) -> None:
        frame = self.frame
        self.put(":")
        if frame.ternaries:
            frame.ternaries -= 1
        elif frame.typed_colon or frame.binding:
            frame.types = True

    def _equals(self) -> None:
        frame = self.frame
        self.put("=")
        frame.types = frame.type_declaration
        frame.binding = False
        if frame.heads and not frame.type_declaration:
            frame.heads.clear()

    def _dot(self) -> None:
        self.put(self.following(0))
        following = self.following()
        if following in (t.IDENT, t.CONTEXTUAL) or following in RESERVED:
            self.index += 1
            self.put(t.NAME)

    def _at(self) -> None:
        self.put("@")
        following = self.following()
        if following in (t.IDENT, t.CONTEXTUAL, "retry"):
            self.index += 1
            self.put(t.IDENT)
            self.attribute_end = len(self.out.kinds)

    # --- words --------------------------------------------------------------------------------

    def _identifier(self) -> None:
        self.put(t.FIELD if self._at_field() else t.IDENT)

    def _at_field(self) -> bool:
        return self.frame.kind in ("skill", "eval_pack") and self.at_statement_start()

    def at_statement_start(self) -> bool:
        """Tell whether the current token begins a statement."""
        return (
            self.last in SEPARATED
            or self.last == t.BLOCK
            or (self.last == "->" and not self.frame.listed and not self.frame.types)
        )

    def _keyword(self) -> None:
        frame, word = self.frame, self.following(0)
        if frame.listed and self._is_key():
            self.put(t.KEY)
            return
        if word == "select" and self.following() == "(":  # the function, not the statement
            self.put(t.IDENT)
            return
        self.put(word)
        if word in ("const", "let"):
            frame.binding = True
        elif word == "type":
            frame.type_declaration = True
        elif word in HEADS and not frame.types:
            frame.heads.append(word)
            frame.parameters_read = False

    def _is_key(self) -> bool:
        """Tell whether a keyword is the key of a dict, shape, pattern or attribute."""
        out = self.out.kinds
        if self.frame.kind not in ("dict", "shape", "attribute", "("):
            return False
        following = self.following()
        if following != ":" and not (following == "?" and self.following(2) == ":"):
            return False
        if self.last in OPERAND_ENDS and not self.frame.ternaries:
            self._missing_comma(self.index)
        return out[-1] in (t.DICT, ",", "(")

    def _contextual(self) -> None:
        word = str(self.raw.values[self.index])
        test = TESTS.get(word)
        if test is not None and not self._at_field() and test(self):
            self.put(word)
            if word in ("throws", "where"):
                self.frame.types = word == "throws"
        else:
            self._identifier()


def lay_out(raw: Tokens, max_nesting: int) -> Tokens:
    """Make the tokens for the grammar of raw tokens."""
    return Layout(raw, max_nesting).run()
