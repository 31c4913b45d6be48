"""Decimal arithmetic: exact for + - *, 28 digits for division (language 6.1); loaded with the first decimal."""

from __future__ import annotations

from decimal import Context, Decimal, DecimalException

from harnpy.errors import runtime_error

# Wide enough that no sum or product of sensible operands is ever rounded.
_EXACT = Context(prec=100_000)
_QUOTIENT = Context(prec=28)


def calculate(op: str, left: Decimal | int, right: Decimal | int) -> Decimal:
    """Give ``left op right`` for ``+ - * / %``; the divisor is not zero."""
    a = Decimal(left)
    b = Decimal(right)
    try:
        if op == "+":
            return _EXACT.add(a, b)
        if op == "-":
            return _EXACT.subtract(a, b)
        if op == "*":
            return _EXACT.multiply(a, b)
        if op == "/":
            return _QUOTIENT.divide(a, b)
        return _EXACT.remainder(a, b)
    except DecimalException:
        raise runtime_error("decimal result out of range") from None
