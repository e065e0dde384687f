"""A number of a record in figures, with all of its digits."""

from __future__ import annotations

from decimal import Decimal


def figure(value: float | str) -> str:
    """Return a number as it is read: no needless decimals, no exponent, no digit lost; text as it stands."""
    if isinstance(value, str):
        return value
    told = format(Decimal(str(value)), "f")
    return (told.rstrip("0").rstrip(".") if "." in told else told) or "0"
