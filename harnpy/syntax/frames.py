"""What the token pass remembers about one open bracket."""

from __future__ import annotations

# Kinds in which what follows a `:` is a type.
_TYPED = frozenset(("parameters", "closure head", "struct"))


class Frame:
    """The state between one opening bracket and its end.

    ``kind`` says what the bracket is; ``listed`` that elements with commas stand in it; ``types`` that
    a type is being read; ``heads`` holds the words whose block is still to come, innermost last.
    """

    __slots__ = (
        "after_parallel",
        "binding",
        "heads",
        "kind",
        "listed",
        "parameters_read",
        "ternaries",
        "type_declaration",
        "typed_colon",
        "types",
        "types_only",
    )

    def __init__(self, kind: str, *, listed: bool, types: bool = False) -> None:
        self.kind = kind
        self.listed = listed
        self.types = types
        self.types_only = types
        self.typed_colon = kind in _TYPED
        self.heads: list[str] = []
        self.binding = False  # between `const` or `let` and its `=`
        self.type_declaration = False  # between `type` and the end of the declaration
        self.parameters_read = False
        self.after_parallel = False  # the last bracket closed was the body of `parallel`
        self.ternaries = 0  # `?` whose `:` is still to come

    @property
    def head(self) -> str:
        """The word whose block comes next, or an empty text."""
        return self.heads[-1] if self.heads else ""

    def separate(self) -> None:
        """Forget what ends with a statement or an element."""
        self.types = self.types_only
        self.binding = self.type_declaration = False
        self.ternaries = 0
        if self.heads:
            self.heads.clear()

    def begin_body(self, kind: str) -> None:
        """Go from the parameters of a closure to its statements."""
        self.kind = kind
        self.listed = self.typed_colon = False
        self.separate()
