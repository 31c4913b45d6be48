"""Speed of harnpy: Harn programs beside hand-written Python, start-up, parsing, concurrency, HTTP.

    python -m benchmarks [--rows WORD ...] [--rounds N] [--list]

Prints one table: the figure of each row, its goal and its gate (ratios to hand-written Python unless the row says
otherwise). Exit code 1 when a gate does not hold.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.row import Row

MODULES = ("language", "stack", "agent_turn", "startup", "loading", "branches", "model_calls", "stopping", "growth")
HEADER = ("row", "measured", "goal", "gate", "holds", "detail")


def main() -> int:
    """Read the command line, measure, print; give the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", metavar="WORD", help="only rows with one of these words in their names")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each comparison (default 7)")
    parser.add_argument("--list", action="store_true", help="only list the names of the rows")
    options = parser.parse_args()
    modules = [import_module(f"benchmarks.{name}") for name in MODULES]
    if options.list:
        print("\n".join([name for module in modules for name in module.NAMES]))
        return 0
    measured = [row for module in modules for row in _rows(module, options)]
    if not measured:
        parser.error(f"no row has a name with {' or '.join(options.rows)}")
    sys.stderr.write("\n")
    print(table(measured))
    return 1 if any(row.verdict() == "FAILED" for row in measured) else 0


def _rows(module: Any, options: argparse.Namespace) -> list[Row]:
    """Measure the chosen rows of one module; each one is told on stderr when it is there."""
    words = options.rows
    names = {name for name in module.NAMES if words is None or any(word in name for word in words)}
    found = []
    for row in module.rows(names, options.rounds) if names else ():
        sys.stderr.write(f"{row.name}: {row.value:.2f}{row.unit} {row.verdict()}\n")
        sys.stderr.flush()
        found.append(row)
    return found


def table(rows: list[Row]) -> str:
    """Give the table as Markdown, its columns aligned."""
    lines = [HEADER, *[row.cells() for row in rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADER))]
    rule = "|" + "|".join(["-" * (width + 2) for width in widths]) + "|"
    texts = ["| " + " | ".join([f"{c:{w}}" for c, w in zip(line, widths, strict=True)]) + " |" for line in lines]
    return "\n".join([texts[0], rule, *texts[1:]])


if __name__ == "__main__":
    sys.exit(main())
