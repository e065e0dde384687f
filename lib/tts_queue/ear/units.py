"""Units after a number: symbols by name, "/" as "per"."""

from __future__ import annotations

from typing import Final, NamedTuple

from tts_queue.ear.atoms import AtomKind
from tts_queue.ear.lexicon import LEXICON
from tts_queue.ear.names import word_said
from tts_queue.ear.numbers import in_words
from tts_queue.ear.place import After, Place, Rewritten, SpokenPiece
from tts_queue.ear.powers import power

_WIDEST: Final = 4  # atoms of one symbol: "mm^3" has three
_CHAIN: Final = 4  # parts of a unit: "mL/min/1.73 m2" has three
_SHORT: Final = frozenset({"L", "l", "h", "g", "d", "s"})


class Symbol(NamedTuple):
    """A unit's symbol: the atoms that it takes, and its names."""

    atoms: int
    one: str
    many: str


def symbol(place: Place, offset: int) -> Symbol | None:
    """Return the unit whose symbol begins at an offset, the longest that fits."""
    joined = place.text(offset)
    found = [(1, joined)]
    for width in range(2, _WIDEST + 1):
        at = offset + width - 1
        if not place.glued(at):
            break
        joined += place.text(at)
        found.append((width, joined.replace("^", "")))
    if place.ends_word(offset) and place.joined(offset + 1):  # "mm Hg"
        two = LEXICON.two_words.get(f"{place.text(offset)} {place.text(offset + 1)}")
        found += [(2, two)] if two else []
    for width, name in reversed(found):
        ends = not (place.glued(offset + width) and place[offset + width].kind is not AtomKind.SIGN)
        if name in LEXICON.units and ends:
            return Symbol(width, *LEXICON.units[name])
    return None


def thousands(place: Place) -> Rewritten | None:
    """Return the K of "8.2 K/uL" as thousands: it stands before a volume."""
    if place.text(0) != "K" or not place.is_sign(1, "/") or place.left.after is not After.NUMBER:
        return None
    if (below := _below(place, 1)) is None:
        return None
    return Rewritten(1 + below.atoms, (SpokenPiece(0, "thousand"), *_further(below, 1)), After.QUANTITY)


def measured(place: Place, *, one: bool) -> Rewritten | None:
    """Return the unit that begins here, with all that stands below its "/"."""
    unit = symbol(place, 0)
    if unit is None:
        return None
    said = Rewritten(unit.atoms, (SpokenPiece(0, unit.one if one else unit.many),), After.QUANTITY)
    return _with_below(place, said)


def counted(place: Place) -> Rewritten | None:
    """Return a word that is counted by a unit ("cells/mm3"), with that unit."""
    if place[0].kind is not AtomKind.LETTERS or not place.is_sign(1, "/") or not place.glued(1, 2):
        return None
    word = place.text(0)
    if place.left.after is not After.NUMBER and word not in LEXICON.counted:
        return None
    unit = symbol(place, 2)
    if unit is None and not place.is_number(2):
        return None
    if unit is not None and len(place.text(2)) == 1 and place.text(2) not in _SHORT:
        return None
    said = _with_below(place, Rewritten(1, (SpokenPiece(0, word_said(word)),), After.QUANTITY))
    return said if said.atoms > 1 else None


def per(place: Place) -> Rewritten | None:
    """Return what stands below a "/" after a number: "92/min", "72 /min"."""
    if not place.is_sign(0, "/") or place.left.after is not After.NUMBER:
        return None
    return _below(place, 0)


def _with_below(place: Place, said: Rewritten) -> Rewritten:
    atoms, pieces = said.atoms, said.pieces
    for _ in range(_CHAIN):
        below = _below(place, atoms)
        if below is None:
            break
        pieces += _further(below, atoms)
        atoms += below.atoms
    return Rewritten(atoms, pieces, After.QUANTITY)


def _further(said: Rewritten, offset: int) -> tuple[SpokenPiece, ...]:
    return tuple(SpokenPiece(offset + at, text) for at, text in said.pieces)


def _below(place: Place, at: int) -> Rewritten | None:
    """Return a "/" at an offset and the unit below it: one of it, or a number of them."""
    if not place.is_sign(at, "/") or not place.joined(at + 1):
        return None
    first = at + 1
    if (ten := power(place, first)) is not None:
        pieces = (SpokenPiece(0, "per"), *_further(ten, 1))
        unit = symbol(place, first + ten.atoms) if place.joined(first + ten.atoms) else None
        named = (SpokenPiece(1 + ten.atoms, unit.many),) if unit else ()
        return Rewritten(1 + ten.atoms + (unit.atoms if unit else 0), pieces + named, After.QUANTITY)
    if place.is_number(first):
        unit = symbol(place, first + 1) if place.joined(first + 1) else None
        if unit is None:
            return None
        name = unit.one if place.text(first) == "1" else unit.many
        said = (SpokenPiece(0, "per"), SpokenPiece(1, in_words(place.text(first))), SpokenPiece(2, name))
        return Rewritten(2 + unit.atoms, said, After.QUANTITY)
    unit = symbol(place, first)
    if unit is not None:
        return Rewritten(1 + unit.atoms, (SpokenPiece(0, "per"), SpokenPiece(1, unit.one)), After.QUANTITY)
    text = place.text(first)
    if place.glued(first) and place[first].kind is AtomKind.LETTERS and text.islower() and len(text) > 2:
        return Rewritten(2, (SpokenPiece(0, "per"), SpokenPiece(1, text)), After.QUANTITY)
    return None
