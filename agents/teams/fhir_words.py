"""The words of FHIR's data types: coded concepts, quantities, ranges and ratios."""

from __future__ import annotations

from typing import Any

from agents.figures import figure


def words(concept: Any) -> str:
    """Return a coded concept as it is written, or by the name of its first code that has one."""
    if concept is None:
        return ""
    coded = (each.display or each.code for each in concept.coding or ())
    return str(concept.text or next(filter(None, coded), "")).strip()


def codes(concept: Any) -> frozenset[str]:
    """Return the codes of a concept, of whatever system."""
    found = (concept.coding or ()) if concept is not None else ()
    return frozenset(str(each.code) for each in found if each.code)


def quantity_words(quantity: Any) -> str:
    """Return a quantity with its comparator and unit; "" for none."""
    if quantity is None or quantity.value is None:
        return ""
    unit = str(quantity.unit or quantity.code or "")
    return " ".join(filter(None, (quantity.comparator, figure(quantity.value), unit)))


def range_words(held: Any) -> str:
    """Return a range: "5 to 10 mg", "from 5 mg", "up to 10 mg"; "" for none."""
    low, high = (quantity_words(held.low), quantity_words(held.high)) if held is not None else ("", "")
    if low and high:
        same = (held.low.unit or held.low.code) == (held.high.unit or held.high.code)
        return f"{figure(held.low.value) if same else low} to {high}"
    return f"from {low}" if low else f"up to {high}" if high else ""


def ratio_words(ratio: Any, between: str = " to ") -> str:
    """Return a ratio: "1 to 128"; "" where a part is not said."""
    parts = (ratio.numerator, ratio.denominator) if ratio is not None else ()
    told = [quantity_words(each) for each in parts]
    return between.join(told) if told and all(told) else ""
