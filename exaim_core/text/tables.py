"""Word a table's rows as sentences: "| Potassium | 6.9 | mmol/L |" is "Potassium: 6.9 mmol/L".

A row is read under its header. A column of units, and a unit in brackets behind a header or a row's name,
goes behind the value; a column of references or of flags is left out of the sentence: neither is about this
patient. Other columns keep their header's name. Tables are in Markdown, or lines separated by semicolons or
tabs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from exaim_core.text.keys import KeyMeaning, KeySense, hangs_on, is_empty, meaning, names_by, refuses
from exaim_core.text.quantities import is_unit, quantities
from exaim_core.text.refusals import doubts, flag
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("text/tables")

_RULE: Final = re.compile(r":?-{2,}:?|:?-:?|=+")
_UNIT: Final = re.compile(r"units?", re.IGNORECASE)
_DELIMITED: Final = re.compile(r"[^;\t|]{1,60}(?:(?P<mark>;|\t)[^;\t|]{0,60})(?:(?P=mark)[^;\t|]{0,60})+")
_NUMBER: Final = re.compile(r"[<>≤≥]?\d+(?:[.,]\d+)*")
_DECIMAL: Final = re.compile(r"\d+[.,]\d+(?![\d./-])")
_FEW_PARTS: Final = re.compile(r"\d+(?:[.,/]\d+)?")
_TIMES: Final = frozenset({"ms", "s", "minute", "hour", "day", "week", "month", "year"})
_ORDINAL: Final = re.compile(r"\d{1,2}[.)]?")
_NAMED_UNIT: Final = re.compile(r"(?P<name>.*\S)\s*[,\[(]\s*(?P<unit>[^\s\[\]()][^\[\]()]*?)\s*[\])]?")


_NAMED: Final = frozenset({"sure", "treatment", "diagnosis"})
_OPPOSED: Final = frozenset(
    {KeySense.FORBIDS, KeySense.TO_DO, KeySense.ARGUES, KeySense.EXCLUDES, KeySense.INSTEAD}
)


_HEADS: Final = ("value", "reference", "grades", "no_name", "counts", "to_do", "how", "ruled", "goes_on")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row: its thing, and the rest of it as a sentence."""

    item: str
    text: str


def cells_of(line: str) -> tuple[str, ...]:
    """Return the cells of a table's line; () if it is none."""
    bare = line.strip()
    if bare.startswith("|") and bare.count("|") >= 2:
        inside = bare[1:-1] if bare.endswith("|") else bare[1:]
        return tuple(cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inside))
    marked = _DELIMITED.fullmatch(bare)
    if marked is None or re.search(r"[;\t] |[.?!] ", bare):
        return ()
    return tuple(cell.strip() for cell in bare.split(marked["mark"]))


def is_rule(cells: tuple[str, ...]) -> bool:
    """Return whether the line only separates the header from the rows."""
    return bool(cells) and all(_RULE.fullmatch(cell) for cell in cells)


def is_header(cells: tuple[str, ...], below: tuple[str, ...]) -> bool:
    """Return whether `cells` head the row `below` without a rule between: names above a number."""
    return (
        len(cells) == len(below)
        and not any(char.isdigit() for cell in cells for char in cell)
        and any(_NUMBER.fullmatch(cell) for cell in below)
    )


def gives_a_value(cells: tuple[str, ...]) -> bool:
    """Return whether a row gives a measured value behind its name, so that it heads nothing.

    A time or a bound is none ("ECG | 24 h", "Potassium | > 6.5"), and of more than two cells a whole number alone is
    none ("Score | 0 | 1"). Nor does a name that only a header has give one ("Drug | 5 mg").
    """
    if any(_FORMS[form].fullmatch(cells[0]) for form in ("no_name", "to_do", "reference", "value")):
        return False
    return any(
        _DECIMAL.match(cell) is not None
        or _opens_with_unit(cell)
        or (_FEW_PARTS.fullmatch(cell) is not None and (len(cells) == 2 or is_unit(behind)))
        for cell, behind in zip_longest(cells[1:], cells[2:], fillvalue="")
    )


def _opens_with_unit(cell: str) -> bool:
    return any(one.start == 0 and one.unit and one.unit not in _TIMES for one in quantities(cell)[:1])


def heads_again(cells: tuple[str, ...]) -> bool:
    """Return whether a row within a table may head another one, if a rule follows: each cell is a known head."""
    return bool(opposed(cells)) or all(
        meaning(cell).sense is not KeySense.OTHER
        or names_by(cell) != ""
        or any(_FORMS[form].fullmatch(cell) for form in _HEADS)
        for cell in cells
    )


def may_head_too(cells: tuple[str, ...]) -> bool:
    """Return whether a row below another may also be a header: "Time | Hb", "Mother | at admission".

    It gives no value, says of none that it is missing ("Potassium | pending"), and does not open with a ban.
    """
    missing = any(is_empty(cell) or hangs_on(cell) or refuses(cell) for cell in cells[1:] if cell)
    return not missing and not gives_a_value(cells) and meaning(cells[0]).sense is not KeySense.FORBIDS


def title_of(header: tuple[str, ...]) -> str:
    """Return what the header's first cell says about all rows: "Urine" does, "Test" does not.

    Under a score or a grade stand values that earn it, which are nobody's.
    """
    if not header or _FORMS["no_name"].fullmatch(header[0]):
        return ""
    return f"graded by {header[0]}" if _FORMS["grades"].fullmatch(header[0]) else header[0]


def opposed(header: tuple[str, ...]) -> tuple[KeyMeaning, ...]:
    """Return the meaning of each head if columns have different senses: "Give | Avoid"; else ()."""
    found = tuple(map(meaning, header))
    differ = len({each.say for each in found}) > 1 and KeySense.FORBIDS in {each.sense for each in found}
    argued = all(each.sense is KeySense.ARGUES for each in found)
    return found if (differ or argued) and all(each.sense in _OPPOSED for each in found) else ()


def doubted_row(header: tuple[str, ...], cells: tuple[str, ...]) -> dict[str, str]:
    """Return a row of things to do, or of diagnoses, as an object if a cell says yes, no or a condition.

    It is then read as one; {} for any other row.
    """
    if len(header) != len(cells) or not header:
        return {}
    if _FORMS["to_do"].fullmatch(header[0]) is None and names_by(header[0]) not in _NAMED:
        return {}
    beside = {name: cell for name, cell in zip(header[1:], cells[1:], strict=True) if not _is_blank(cell)}
    says = (
        flag(name, cell) is not None
        or doubts(name, cell)
        or hangs_on(cell)
        or refuses(cell.partition(":")[0])
        for name, cell in beside.items()
    )
    return {header[0]: cells[0], **beside} if any(says) else {}


def _is_blank(cell: str) -> bool:
    return not any(map(str.isalnum, cell)) or _FORMS["blank"].fullmatch(cell) is not None


def row_of(header: tuple[str, ...], cells: tuple[str, ...]) -> TableRow:
    """Return the row under `header`; with an empty header its cells are read in order."""
    if (
        len(header) == len(cells) > 2
        and _ORDINAL.fullmatch(cells[0])
        and _FORMS["counts"].fullmatch(header[0])
    ):
        header, cells = header[1:], cells[1:]
    if len(header) == len(cells) and _FORMS["to_do"].fullmatch(header[0]):
        return _to_do(header, cells)
    item, unit = _parted(cells[0])
    if not header or len(header) != len(cells):
        return TableRow(cells[0], _in_order(cells[1:]))
    parts: list[str] = []
    if _is_value(item):
        item, parts = "", [f"{header[0]}: {item}"]  # the first column holds values, as the others do
    for name, cell in zip(header[1:], cells[1:], strict=True):
        if not cell or _FORMS["reference"].fullmatch(name):
            continue
        named, own = _parted(name)
        if (own or unit) and _NUMBER.fullmatch(cell):
            cell = f"{cell} {own or unit}"
        if _UNIT.fullmatch(name):
            if parts:
                parts[-1] = f"{parts[-1]} {cell}"
        elif _FORMS["value"].fullmatch(named):
            parts.append(cell)
        else:
            parts.append(f"{named}: {cell}")
    return TableRow(item, "; ".join(parts))


def _to_do(header: tuple[str, ...], cells: tuple[str, ...]) -> TableRow:
    """Return a row of things to do: the thing with dose, route and time, and the rest beside it."""
    columns = [(name, cell) for name, cell in zip(header[1:], cells[1:], strict=True) if not _is_blank(cell)]
    how = [cell for name, cell in columns if _FORMS["how"].fullmatch(name)]
    rest = [
        cell if _FORMS["ruled"].fullmatch(name) else f"{name}: {cell}"
        for name, cell in columns
        if not _FORMS["how"].fullmatch(name)
    ]
    return TableRow(" ".join((cells[0], *how)), "; ".join(rest))


def _is_value(cell: str) -> bool:
    """Return whether a cell holds a number with its unit and nothing else."""
    found = quantities(cell)
    return len(found) == 1 and bool(found[0].unit) and (found[0].start, found[0].end) == (0, len(cell))


def _parted(name: str) -> tuple[str, str]:
    """Return a header's or a row's name, and the unit in brackets after it ("" for none)."""
    name = re.sub(r"(?<!\s)\s*+[(\[]\s*+[)\]]\Z", "", name)
    found = _NAMED_UNIT.fullmatch(name)
    return (found["name"], found["unit"]) if found and is_unit(found["unit"]) else (name, "")


def _in_order(cells: tuple[str, ...]) -> str:
    """Return cells without a header as a list; a unit goes behind the number before it."""
    made: list[str] = []
    for cell in filter(None, cells):
        if made and is_unit(cell) and _NUMBER.fullmatch(made[-1]):
            made[-1] += f" {cell}"
        else:
            made.append(cell)
    return ", ".join(made)
