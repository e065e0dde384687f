"""Say numbers and what joins them: signs, ranges, products, lists, ordinals, digits that are a name."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tts_queue.ear.atoms import RAISED, AtomKind
from tts_queue.ear.fractions import slashed
from tts_queue.ear.lexicon import LEXICON
from tts_queue.ear.numbers import by_digit, cardinal, in_words, is_name, ordinal
from tts_queue.ear.place import AMOUNTS, After, LeftContext, Place, Rewritten, SpokenPiece
from tts_queue.ear.powers import power, scientific
from tts_queue.ear.units import symbol

_MOST: Final = 8  # numbers of a list, atoms that a product is looked at
_ORDINALS: Final = ("st", "nd", "rd", "th")
_LENGTHS: Final = frozenset({"m", "cm", "mm", "µm", "μm", "um", "nm", "km", "inch", "inches", "ft"})
_TIMES: Final = frozenset(
    "d day days wk wks week weeks month months mo h hr hrs hour hours min mins minutes yr yrs year "
    "years".split()
)
_SHORT_CALLS: Final = frozenset({"call", "dial", "phone"})
_INTERVALS: Final = {
    "h": "hour", "hr": "hour", "hrs": "hour", "hour": "hour", "hours": "hour", "hourly": "hour", "d": "day",
    "day": "day", "days": "day", "min": "minute", "mins": "minute", "wk": "week", "week": "week",
    "weeks": "week",
}  # fmt: skip


def number(place: Place) -> Rewritten | None:
    """Return a number by itself; a unit after it is read by the next rule."""
    if not place.is_number(0):
        return None
    for rule in (_ordinal, scientific, slashed, _listed, _comma, _named, _grouped):
        if (said := rule(place)) is not None:
            return said
    if (said := power(place, 0)) is not None:
        return _times(said) if place.left.after is After.NUMBER else said
    one = place.text(0) == "1" and place.left.after is not After.TO
    return Rewritten(1, (SpokenPiece(0, in_words(place.text(0))),), After.NUMBER, one=one)


def _times(power: Rewritten) -> Rewritten:
    """Return a power after a number: without the word "500 10*9/L" would be heard as 510."""
    (piece,) = power.pieces
    return replace(power, pieces=(piece._replace(text=f"times {piece.text}"),))


def _ordinal(place: Place) -> Rewritten | None:
    if not (place.is_whole(0) and place.glued(1) and place.is_word(1, *_ORDINALS)):
        return None
    return Rewritten(2, (SpokenPiece(0, ordinal(int(place.text(0)))),), After.PLACE)


def _listed(place: Place) -> Rewritten | None:
    """Return "1-0-1", or "13,18,21", with a pause between the numbers."""
    joiner = place.text(1)
    if not (joiner == "," or place.is_dash(1)) or place.left.after is After.TO:
        return None
    pieces, at = [SpokenPiece(0, in_words(place.text(0)))], 1
    while place.text(at) == joiner and place.glued(at, at + 1) and place.is_number(at + 1):
        pieces += [SpokenPiece(at, ","), SpokenPiece(at + 1, in_words(place.text(at + 1)))]
        at += 2
    return Rewritten(at, tuple(pieces), After.NUMBER) if at >= 5 else None


def _comma(place: Place) -> Rewritten | None:
    if not (place.text(1) == "," and place.glued(1, 2) and place.is_whole(0) and place.is_whole(2)):
        return None
    said = f"{in_words(place.text(0))} comma {by_digit(place.text(2))}"
    return Rewritten(3, (SpokenPiece(0, said),), After.NUMBER)


def _named(place: Place) -> Rewritten | None:
    """Return digits that are a name, one by one, in the groups in which they are written."""
    if not place.is_whole(0) or (place.glued(1) and not place.is_dash(1)):
        return None
    called = _is_called(place)
    second = place.text(2)
    dashed = place.is_dash(1) and place.glued(1, 2) and place.is_whole(2) and second[0] == "0" < second[1:]
    if not called and not dashed and not is_name(place.text(0)):
        return None
    if not called and not dashed and place.joined(1) and symbol(place, 1):
        return None
    pieces, at = [SpokenPiece(0, by_digit(place.text(0)))], 1
    for _ in range(_MOST):
        step = 1 if place.is_dash(at) and place.glued(at, at + 1) else 0
        group = at + step
        if not (place.is_whole(group) and place.joined(group) and len(place.text(group)) > 1):
            break
        if place.glued(group + 1) or (place.joined(group + 1) and symbol(place, group + 1)):
            break
        pieces += [SpokenPiece(group, f", {by_digit(place.text(group))}")]
        at = group + 1
    return Rewritten(at, tuple(pieces), After.WORD)


def _is_called(place: Place) -> bool:
    left = place.left
    near = {left.word.casefold()} | ({left.before.casefold()} if left.word.casefold() == "number" else set())
    if not near & LEXICON.called:
        return False
    return len(place.text(0)) > 2 or not near & _SHORT_CALLS


def _grouped(place: Place) -> Rewritten | None:
    """Return "10 000" as one number."""
    first = place.text(0)
    if not place.is_whole(0) or len(first) > 3 or first[0] == "0":
        return None
    digits, at = first, 1
    while at < _MOST and place.is_whole(at) and place.joined(at) and not place.glued(at):
        group = place.text(at)
        if len(group) != 3 or (at == 1 and group[0] != "0"):
            break
        digits, at = digits + group, at + 1
    return Rewritten(at, (SpokenPiece(0, cardinal(int(digits))),), After.NUMBER) if at > 1 else None


def plus(place: Place) -> Rewritten | None:
    """Return "+" as a plus, several as their number, and before a phone's number the digits after it."""
    text = place.text(0)
    if place[0].kind is not AtomKind.SIGN or text.strip("+"):
        return None
    if len(text) > 1:
        return Rewritten(1, (SpokenPiece(0, f"{cardinal(len(text))} plus"),))
    groups = [place.is_whole(at) and place.joined(at) for at in (1, 2, 3)]
    if all(groups) and place.glued(1) and not place.glued(2) and not place.glued(3):
        rest = _named_from(place)
        return Rewritten(rest, tuple(_phone(place, rest)))
    return Rewritten(1, (SpokenPiece(0, "plus"),), After.NOTHING)


def _named_from(place: Place) -> int:
    at = 1
    while at <= _MOST and place.is_whole(at) and place.joined(at):
        at += 1
    return at


def _phone(place: Place, end: int) -> list[SpokenPiece]:
    groups = [SpokenPiece(at, f"{', ' if at > 1 else ''}{by_digit(place.text(at))}") for at in range(1, end)]
    return [SpokenPiece(0, "plus"), *groups]


def dash(place: Place) -> Rewritten | None:
    """Return a dash: the middle of a range, a minus, part of a word, or a pause."""
    if place[0].kind is not AtomKind.SIGN or place.text(0).strip("-–—−‐‑‒―"):
        return None
    if not place.is_dash(0):
        return Rewritten(1, (SpokenPiece(0, ","),), After.NOTHING)
    next_number = place.is_number(1)
    if next_number and place.left.after in AMOUNTS | {After.CODE} and place.joined(0):
        if place.left.after is not After.CODE or (place.glued(0, 1) and len(place.text(-2)) == 1):
            return Rewritten(1, (SpokenPiece(0, "to"),), After.TO)
    free = not place.glued(0) and not place.glued(1)
    if next_number and free and place.text(0) == "−":
        return Rewritten(1, (SpokenPiece(0, "minus"),), After.NOTHING)
    if next_number and _is_signed(place.left) and (free or place.glued(0, 1)):
        return Rewritten(1, (SpokenPiece(0, "minus"),), After.NOTHING)
    if next_number and place.glued(1) and not place.glued(0):
        return Rewritten(1, (SpokenPiece(0, "minus"),), After.NOTHING)
    if place.glued(0, 1):
        return _inside(place)
    return Rewritten(1, () if place.glued(0) or place.glued(1) else (SpokenPiece(0, ","),), After.NOTHING)


def _inside(place: Place) -> Rewritten:
    """Return a dash inside a word: a blank, or a pause for a long one between words."""
    if place.text(0) == "—":
        return Rewritten(1, (SpokenPiece(0, ","),), After.NOTHING)
    if place.left.after is After.NUMBER:
        return Rewritten(1, (), After.NUMBER, one=True)
    return Rewritten(1, (), place.left.after)


def _is_signed(left: LeftContext) -> bool:
    return left.word in LEXICON.signed or (left.word.casefold() in LEXICON.signed and not left.word.isupper())


def times(place: Place) -> Rewritten | None:
    """Return "x" between, before or after numbers: times, by, or for."""
    is_x = place.is_word(0, "x") or place.is_sign(0, "×", "*", "∙", "·")
    if not is_x:
        return None
    before = place.left.after in AMOUNTS and place.joined(0)
    after = place.is_number(1) and place.joined(1)
    if before and after:
        if _is_length(place):
            return Rewritten(1, (SpokenPiece(0, "by"),), After.TO)
        return Rewritten(1, (SpokenPiece(0, "times"),), After.NOTHING)
    if after and not place.glued(0):
        return Rewritten(1, (SpokenPiece(0, "for" if _is_time(place) else "times"),), After.NOTHING)
    return Rewritten(1, (SpokenPiece(0, "times"),), After.WORD) if before else None


def _is_length(place: Place) -> bool:
    """Return whether the last number of this product is followed by a length."""
    at = 1
    while at < _MOST and place.is_number(at) and (place.is_word(at + 1, "x") or place.is_sign(at + 1, "×")):
        at += 2
    return place.is_number(at) and place.joined(at + 1) and place.text(at + 1) in _LENGTHS


def _is_time(place: Place) -> bool:
    spanned = place.is_sign(2, "/") and place.glued(2, 3) and place.text(3) in ("7", "52", "12")
    end = 4 if place.is_dash(2) and place.is_number(3) else 2
    return spanned or (place.joined(end) and place.text(end).casefold() in _TIMES)


def every(place: Place) -> Rewritten | None:
    """Return "q6h" and "q4-6h" as an interval."""
    if not (place.is_word(0, "q") and place.is_whole(1) and place.joined(1)):
        return None
    wide = place.is_dash(2) and place.is_whole(3) and place.joined(3)
    end = 4 if wide else 2
    unit = _INTERVALS.get(place.text(end).casefold()) if place.joined(end) else None
    if unit is None:
        return None
    if wide:
        span = f"{in_words(place.text(1))} to {in_words(place.text(3))}"
    else:
        span = "" if place.text(1) == "1" else in_words(place.text(1))
    return Rewritten(
        end + 1, (SpokenPiece(0, f"every {span} {unit}s" if span else f"every {unit}"),), After.QUANTITY
    )


def raised(place: Place) -> Rewritten | None:
    """Return raised digits that belong to no unit, power or isotope."""
    if place[0].kind is not AtomKind.RAISED:
        return None
    digits = place.text(0).translate(RAISED)
    sign = {"+": "plus ", "-": "minus "}.get(digits[0], "")
    return Rewritten(1, (SpokenPiece(0, sign + in_words(digits.lstrip("+-"))),), After.NUMBER)


def dotted(place: Place) -> Rewritten | None:
    """Return digits with several points."""
    if place[0].kind is not AtomKind.DOTTED:
        return None
    return Rewritten(
        1, (SpokenPiece(0, " point ".join(map(in_words, place.text(0).split(".")))),), After.NUMBER
    )
