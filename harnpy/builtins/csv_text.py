"""CSV (builtins 1.9)."""

from __future__ import annotations

import csv
import io

from harnpy.builtins.arguments import ABSENT, text, too_few
from harnpy.errors import thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The limit of Python's reader holds for the whole process, so it is set for each reading only.
_FIELD_LIMIT = 2**31 - 1


def _options(name: str, options: Any) -> tuple[bool, str]:
    given = options if type(options) is dict else {}
    delimiter = text(given.get("delimiter") or ",")
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise thrown_text(f"{name}: delimiter must be one character")
    return bool(given.get("headers")), delimiter


def csv_parse(source: Any = ABSENT, options: Any = None) -> list[Any]:
    """Read rows of texts: lists, or with the option ``headers`` dicts by the names in the first row.

    Options: ``headers`` (false), ``delimiter`` (``","``). Errors: throws a text for wrong options.
    """
    if source is ABSENT:
        raise too_few("csv_parse", 1)
    headers, delimiter = _options("csv_parse", options)
    stream = io.StringIO(text(source).removeprefix("\ufeff"), newline="")
    of_the_host = csv.field_size_limit(_FIELD_LIMIT)
    try:
        rows: list[Any] = [row for row in csv.reader(stream, delimiter=delimiter) if row]
    except csv.Error as error:
        raise thrown_text(f"csv_parse: {error}") from None
    finally:
        csv.field_size_limit(of_the_host)
    if not headers:
        return rows
    if not rows:
        return []
    names = rows[0]
    return [dict(zip(names, row + [""] * (len(names) - len(row)), strict=False)) for row in rows[1:]]


def csv_stringify(rows: Any = ABSENT, options: Any = None) -> str:
    """Write rows, which are all lists or all dicts; dicts get a row of headers when ``headers`` is true.

    Options: ``headers`` (false), ``delimiter`` (``","``). Errors: throws a text for other rows.
    """
    if rows is ABSENT:
        raise too_few("csv_stringify", 1)
    headers, delimiter = _options("csv_stringify", options)
    if type(rows) is not list:
        raise thrown_text("csv_stringify: expected a list of rows")
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    for row in _cells(rows, headers):
        writer.writerow(["" if cell is None else text(cell) for cell in row])
    return out.getvalue()


def _cells(rows: list[Any], headers: bool) -> list[list[Any]]:
    dicts = [type(row) is dict for row in rows]
    if any(dicts):
        if not all(dicts):
            raise thrown_text("csv_stringify: mixed list/dict rows are not supported")
        names = sorted({name for row in rows for name in row})
        body = [[row.get(name) for name in names] for row in rows]
        return [names, *body] if headers else body
    if any(type(row) is not list for row in rows):
        raise thrown_text("csv_stringify: each row must be a list of cells (or use dict rows)")
    return rows
