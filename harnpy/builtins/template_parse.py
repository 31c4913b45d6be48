"""Reads a template into nodes: texts, outputs, conditions, loops and includes (builtins 1.17)."""

from __future__ import annotations

from harnpy.builtins.template_expressions import Expression, Parser
from harnpy.builtins.template_scan import Piece, Template, scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.errors import HarnError


class Node:
    """Something of a template; ``at`` is where it begins."""

    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        self.at = at


class Text(Node):
    """A verbatim text."""

    __slots__ = ("text",)

    def __init__(self, at: int, text: str) -> None:
        super().__init__(at)
        self.text = text


class Output(Node):
    """``{{ expression }}``."""

    __slots__ = ("expression",)

    def __init__(self, at: int, expression: Expression) -> None:
        super().__init__(at)
        self.expression = expression


class Branches(Node):
    """``{{ if }}``: conditions with their blocks, and the block of ``else``."""

    __slots__ = ("branches", "otherwise")

    def __init__(self, at: int, branches: list[tuple[Expression, list[Node]]], otherwise: list[Node]) -> None:
        super().__init__(at)
        self.branches = branches
        self.otherwise = otherwise


class Loop(Node):
    """``{{ for }}``; ``key`` is ``""`` unless two names stand there."""

    __slots__ = ("body", "key", "name", "otherwise", "source")

    def __init__(self, at: int, key: str, name: str, source: Expression) -> None:
        super().__init__(at)
        self.key = key
        self.name = name
        self.source = source
        self.body: list[Node] = []
        self.otherwise: list[Node] = []


class Include(Node):
    """``{{ include }}``."""

    __slots__ = ("bindings", "path")

    def __init__(self, at: int, path: Expression, bindings: list[tuple[str, Expression]]) -> None:
        super().__init__(at)
        self.path = path
        self.bindings = bindings


class _Reader:
    """Reads nested blocks; the directive that ended a block stays in ``ending``."""

    def __init__(self, template: Template) -> None:
        self._template = template
        self._pieces = scan(template)
        self.ending: tuple[str, Piece] | None = None

    def block(self) -> list[Node]:
        """Read up to the end of the template, or to a directive that ends a block."""
        nodes: list[Node] = []
        for piece in self._pieces:
            if not piece.is_directive:
                if piece.text:
                    nodes.append(Text(piece.at, piece.text))
                continue
            word, _, rest = piece.text.strip().partition(" ")
            if word == "elif" or (word in ("else", "end") and not rest.strip()):
                self.ending = (word, piece)
                return nodes
            nodes.append(self._node(word, piece))
        self.ending = None
        return nodes

    def _node(self, word: str, piece: Piece) -> Node:
        if word == "if":
            return self._branches(piece)
        if word == "for":
            return self._loop(piece)
        has_more = piece.text.strip() != word
        if word.startswith("include") and (has_more or word != "include") and not word[7:8].isidentifier():
            return self._include(piece)
        parser = self._parser(piece)
        expression = parser.piped()
        parser.end()
        return Output(piece.at, expression)

    def _parser(self, piece: Piece, word: str = "") -> Parser:
        """Give the parser of what stands in a directive behind its word."""
        parser = Parser(self._template, piece.text, piece.inside)
        if word:
            parser.take(word)
        return parser

    def _condition(self, word: str, piece: Piece) -> Expression:
        parser = self._parser(piece, word)
        condition = parser.piped()
        parser.end()
        return condition

    def _branches(self, piece: Piece) -> Branches:
        branches = [(self._condition("if", piece), self.block())]
        while self.ending is not None and self.ending[0] == "elif":
            condition = self._condition("elif", self.ending[1])
            branches.append((condition, self.block()))
        return Branches(piece.at, branches, self._otherwise("if", piece))

    def _loop(self, piece: Piece) -> Loop:
        parser = self._parser(piece, "for")
        key, name = "", parser.name("expected a name in for-loop")
        if parser.take(","):
            key, name = name, parser.name("expected a name in for-loop")
        parser.need("in", "expected `in` in for-loop")
        source = parser.piped()
        parser.end()
        loop = Loop(piece.at, key, name, source)
        loop.body = self.block()
        if self.ending is not None and self.ending[0] == "elif":
            raise self.stray()
        loop.otherwise = self._otherwise("for", piece)
        return loop

    def _otherwise(self, word: str, piece: Piece) -> list[Node]:
        """Read the block of ``else``, if there is one, and the ``end``."""
        nodes: list[Node] = []
        if self.ending is not None and self.ending[0] == "else":
            nodes = self.block()
            if self.ending is not None and self.ending[0] != "end":
                raise self.stray()
        if self.ending is None:
            raise self._template.fault(piece.at, f"`{{{{ {word} }}}}` missing matching `{{{{ end }}}}`")
        self.ending = None
        return nodes

    def stray(self) -> HarnError:
        """Make the fault of the directive that ended a block where it must not."""
        assert self.ending is not None
        word, piece = self.ending
        return self._template.fault(piece.at, f"unexpected `{{{{ {word} }}}}`")

    def _include(self, piece: Piece) -> Include:
        parser = self._parser(piece, "include")
        path = parser.expression()
        bindings: list[tuple[str, Expression]] = []
        if parser.take("with"):
            parser.need("{", "expected `{` after `with`")
            while not parser.take("}"):
                name = parser.name("expected a name in `with`")
                parser.need(":", "expected `:` in `with`")
                bindings.append((name, parser.piped()))
                if not parser.take(","):
                    parser.need("}", "expected `}`")
                    break
        parser.end()
        return Include(piece.at, path, bindings)


def parse(template: Template) -> list[Node]:
    """Give the nodes of a template.

    Raises:
        HarnError: a fault in it, with its place.
    """
    reader = _Reader(template)
    nodes = reader.block()
    if reader.ending is not None:
        raise reader.stray()
    return nodes
