"""Scopes while a module is resolved: which variable a name means, and where it lives in the frame.

A frame is laid out as parameters, captures, other locals (``resolved.Function``). The number of
captures is known only at the end of a function, so slots of locals are provisional until
``FunctionScope.finish`` shifts them. Whether a variable is boxed is known when its scope ends.
"""

from __future__ import annotations

from harnpy.analysis import resolved as R

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Variable:
    """One local variable as one function sees it.

    ``root`` is the variable of the declaring function (itself, if not a capture); ``assigned`` and
    ``captured`` are kept there. ``early`` tells that a hoisted name was read before its declaration.
    ``nodes`` are the resolved nodes that carry its slot.
    """

    __slots__ = (
        "assigned",
        "captured",
        "declared",
        "early",
        "enum",
        "function",
        "hoisted",
        "mutable",
        "name",
        "nodes",
        "root",
        "slot",
        "views",
    )

    def __init__(self, name: str, mutable: bool, function: FunctionScope, slot: int) -> None:
        self.name = name
        self.mutable = mutable
        self.function = function
        self.slot = slot
        self.root = self
        self.assigned = False
        self.captured = False
        self.declared = True
        self.hoisted = False
        self.early = False
        # The enum of this module that the value belongs to, where that is known.
        self.enum: str | None = None
        self.nodes: list[Any] = []
        # The captures of this variable in inner functions.
        self.views: list[Variable] = []

    @property
    def boxed(self) -> bool:
        """Tell whether the variable needs a cell: it changes, or is set, after closures share it."""
        root = self.root
        return (root.captured and root.assigned) or (root.hoisted and root.early)


class Pending:
    """A ``const`` or ``let`` whose value is being resolved; closures in it may name it already."""

    __slots__ = ("mutable", "name", "variable")

    def __init__(self, name: str, mutable: bool) -> None:
        self.name = name
        self.mutable = mutable
        self.variable: Variable | None = None


class Scope:
    """The names of one block; ``hoisted`` are its functions and types, declared on entry."""

    __slots__ = ("hoisted", "names", "types", "variables", "variants")

    def __init__(self) -> None:
        self.names: dict[str, Variable] = {}
        # Every variable of the scope: a redeclared one is no longer in ``names``.
        self.variables: list[Variable] = []
        self.hoisted: dict[str, Variable] = {}
        # Aliases and interfaces declared here: their key in the module's table of types.
        self.types: dict[str, str] = {}
        # Variants of enums declared here: (enum, has no payload), see ``resolve_patterns``.
        self.variants: dict[str, list[tuple[str, bool]]] = {}


class FunctionScope:
    """What is known about the function being resolved."""

    __slots__ = (
        "_captured",
        "_inner",
        "_locals",
        "cell_blocks",
        "free_slots",
        "kind",
        "loops",
        "next_slot",
        "nparams",
        "outer_captures",
        "parent",
        "pending",
        "placeholders",
        "produces",
        "scopes",
        "tail_ok",
        "tails",
    )

    def __init__(self, parent: FunctionScope | None, kind: str, nparams: int) -> None:
        self.parent = parent
        self.kind = kind
        self.nparams = nparams
        self.next_slot = nparams
        self.free_slots: list[int] = []
        self.scopes: list[Scope] = []
        self.loops = 0
        self.produces = ""
        # Whether a call that is returned here leaves nothing to be done in this function.
        self.tail_ok = kind in ("fn", "closure", "tool")
        self.tails: list[R.Call | R.MethodCall] = []
        # The variables that `_` means in the pipes around, innermost last.
        self.placeholders: list[Variable] = []
        # The bindings of this function whose values are being resolved, innermost last.
        self.pending: list[Pending] = []
        # Captured variables of the enclosing function, in the order of their slots here.
        self.outer_captures: list[Variable] = []
        self._captured: dict[Variable, Variable] = {}
        self._locals: list[Variable] = []
        self._inner: list[tuple[R.Function, list[Variable]]] = []
        self.cell_blocks: list[tuple[R.Block, list[Variable]]] = []

    # --- scopes and declarations ---

    def push(self) -> Scope:
        """Open a scope."""
        scope = Scope()
        self.scopes.append(scope)
        return scope

    def pop(self) -> Scope:
        """Close the innermost scope: decide which of its variables are boxed, free the slots."""
        scope = self.scopes.pop()
        for variable in scope.variables:
            if variable.boxed:
                _box(variable)
            if not variable.captured:
                self.free_slots.append(variable.slot)
        return scope

    def declare(self, name: str, mutable: bool) -> Variable:
        """Declare ``name`` in the innermost scope, in a slot of its own."""
        variable = self.temporary(name, mutable)
        scope = self.scopes[-1]
        scope.names[name] = variable
        scope.variables.append(variable)
        return variable

    def temporary(self, name: str, mutable: bool = False) -> Variable:
        """Make a variable with a slot but without a visible name."""
        if self.free_slots:
            slot = self.free_slots.pop()
        else:
            slot = self.next_slot
            self.next_slot = slot + 1
        variable = Variable(name, mutable, self, slot)
        self._locals.append(variable)
        return variable

    def hoist(self, name: str) -> None:
        """Make the function or type ``name`` of this block visible before its declaration."""
        variable = self.declare(name, False)
        variable.hoisted = True
        variable.declared = False
        self.scopes[-1].hoisted[name] = variable

    def adopt(self, variable: Variable) -> None:
        """Declare ``variable``, which closures captured while its value was resolved, as a hoisted one."""
        scope = self.scopes[-1]
        scope.names[variable.name] = variable
        scope.variables.append(variable)
        scope.hoisted[f"{variable.name} in slot {variable.slot}"] = variable

    def parameter(self, name: str, slot: int) -> Variable:
        """Declare the parameter in ``slot``."""
        variable = self.scopes[-1].names[name] = Variable(name, False, self, slot)
        return variable

    # --- look-up ---

    def find(self, name: str) -> Variable | None:
        """Give the variable that ``name`` means here; one of an outer function becomes a capture."""
        for scope in reversed(self.scopes):
            found = scope.names.get(name)
            if found is not None:
                return found
        if self.parent is None:
            return None
        outer = self.parent.find(name)
        return None if outer is None else self._capture(outer)

    def find_pending(self, name: str) -> Variable | None:
        """Give the variable ``name`` of an outer function whose value, being resolved, holds this one."""
        if self.parent is None:
            return None
        outer = self.parent.pending_variable(name) if self.kind != "branch" else None
        outer = outer or self.parent.find_pending(name)
        return None if outer is None else self._capture(outer)

    def pending_variable(self, name: str) -> Variable | None:
        """Give the variable ``name`` whose value is being resolved in this very function."""
        for pending in reversed(self.pending):
            if pending.name == name:
                if pending.variable is None:
                    pending.variable = self.temporary(name, pending.mutable)
                    pending.variable.hoisted = pending.variable.early = True
                return pending.variable
        return None

    def _capture(self, outer: Variable) -> Variable:
        view = self._captured.get(outer)
        if view is None:
            view = Variable(outer.name, outer.mutable, self, self.nparams + len(self.outer_captures))
            view.root = outer.root
            view.root.captured = True
            outer.views.append(view)
            self.outer_captures.append(outer)
            self._captured[outer] = view
        return view

    def visible_names(self) -> set[str]:
        """Give the names of all local variables in sight."""
        names: set[str] = set()
        function: FunctionScope | None = self
        while function is not None:
            for scope in function.scopes:
                names.update(scope.names)
            function = function.parent
        return names

    # --- the end of the function ---

    def add_inner(self, function: R.Function, captured: list[Variable]) -> None:
        """Note a closure made here and the variables of this function that it takes."""
        self._inner.append((function, captured))

    def finish(self) -> int:
        """Settle slots now that the captures are known; give the size of the frame."""
        shift = len(self.outer_captures)
        if shift:
            for variable in self._locals:
                slot = variable.slot = variable.slot + shift
                for node in variable.nodes:
                    node.slot = slot
        for function, captured in self._inner:
            function.captures = tuple([variable.slot for variable in captured])
        for block, variables in self.cell_blocks:
            block.cells = tuple([variable.slot for variable in variables])
        if self.produces:
            for call in self.tails:
                call.tail = False
        return self.next_slot + shift


def _box(variable: Variable) -> None:
    """Turn the nodes of ``variable`` and of its captures into their boxed forms."""
    for node in variable.nodes:
        if type(node) is R.Local:
            # Same slots, so the node can change its class in place: who holds it need not know.
            node.__class__ = R.LocalCell  # type: ignore[assignment]
        elif type(node) is R.ToLocal:
            node.boxed = True
    for view in variable.views:
        _box(view)
