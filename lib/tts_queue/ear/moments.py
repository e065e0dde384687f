"""Dates, times of day and ratios: numbers with "-", "/", "." or ":" between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tts_queue.ear.atoms import AtomKind
from tts_queue.ear.lexicon import LEXICON
from tts_queue.ear.numbers import by_digit, cardinal, in_words, ordinal, year
from tts_queue.ear.place import After, Place, Rewritten, SpokenPiece
from tts_queue.ear.units import symbol

_CENTURIES: Final = ("19", "20")
_BY_NAME: Final = {name.casefold(): name for name in LEXICON.months} | {
    name[:3].casefold(): name for name in LEXICON.months
}
_BY_NAME["sept"] = "September"
_HALVES: Final = {"am": "A.M", "pm": "P.M"}
_HOURS: Final = frozenset({"h", "hr", "hrs", "hours"})
_TIMED: Final = frozenset({"at", "by", "from", "until", "till", "since", "around", "time"})
_RATED: Final = frozenset({"ratio", "titre", "titer", "dilution", "block", "transfusion"})


def is_year(digits: str) -> bool:
    """Return whether these digits may be a year of our time."""
    return len(digits) == 4 and digits[:2] in _CENTURIES


def date(place: Place) -> Rewritten | None:
    """Return a date in digits of which day and month are sure; one that may be either as it stands."""
    if place[0].kind is AtomKind.DOTTED:
        parts = place.text(0).split(".")
        return _date(place, parts, 1) if len(parts) == 3 else None
    if not place.is_whole(0):
        return None
    if place.is_sign(1, "/") and place.glued(1, 2) and place.is_whole(2):
        if place.is_sign(3, "/") and place.glued(3, 4) and place.is_whole(4):
            return _date(place, [place.text(at) for at in (0, 2, 4)], 5)
        return _month(place.text(2), place.text(0))
    if not (place.is_dash(1) and place.glued(1, 2)):
        return None
    third = place.is_dash(3) and place.glued(3, 4) and place.is_whole(4)
    if place[2].kind is AtomKind.LETTERS and third:
        name = _BY_NAME.get(place.text(2).casefold())
        return _dated(place, place.text(0), name, place.text(4), 5) if name else None
    if not (place.is_whole(2) and is_year(place.text(0)) and len(place.text(2)) == 2):
        return None
    if third and (name := _month_name(place.text(2))) and len(place.text(4)) == 2:
        return _with_time(place, _dated(place, place.text(4), name, place.text(0), 5))
    return _month(place.text(0), place.text(2)) if place.text(2)[0] == "0" and not third else None


def _date(place: Place, parts: Sequence[str], atoms: int) -> Rewritten | None:
    first, second, last = parts
    whole = is_year(last) or (len(last) == 2 and len(first) == len(second) == 2)
    if not whole or not 1 <= int(first) <= 31 or not 1 <= int(second) <= 31:
        return None
    days = [(day, month) for day, month in ((first, second), (second, first)) if int(month) <= 12]
    if len({(int(day), int(month)) for day, month in days}) == 1 and is_year(last):
        day, month = days[0]
        return _dated(place, day, LEXICON.months[int(month) - 1], last, atoms)
    if not days or not (is_year(last) or first[0] == "0" or second[0] == "0"):
        return None
    said = f"{in_words(first)} slash {in_words(second)} slash {_year_said(last)}"
    return Rewritten(atoms, (SpokenPiece(0, said),), After.YEAR)


def _dated(place: Place, day: str, month: str, written_year: str, atoms: int) -> Rewritten | None:
    if not 1 <= int(day) <= 31 or len(written_year) not in (2, 4):
        return None
    the = "" if place.left.word.casefold() == "the" else "the "
    said = f"{the}{ordinal(int(day))} of {month} {_year_said(written_year)}"
    return Rewritten(atoms, (SpokenPiece(0, said),), After.YEAR)


def _with_time(place: Place, said: Rewritten | None) -> Rewritten | None:
    """Add the time of an ISO date: "2024-03-05T14:30"."""
    if said is None or place.text(5) != "T" or not place.glued(5, 6, 7, 8):
        return said
    clock = _clock(place, 6, ())
    return (
        Rewritten(5 + 1 + clock.atoms, (*said.pieces, SpokenPiece(5, f"at {clock.pieces[0].text}")))
        if clock
        else said
    )


def _year_said(digits: str) -> str:
    return year(int(digits)) if is_year(digits) else in_words(digits)


def _month_name(digits: str) -> str | None:
    return LEXICON.months[int(digits) - 1] if 1 <= int(digits) <= 12 else None


def _month(written_year: str, digits: str) -> Rewritten | None:
    """Return "03/2024" and "2024-03" as a month."""
    if not is_year(written_year) or len(digits) > 2 or (name := _month_name(digits)) is None:
        return None
    return Rewritten(3, (SpokenPiece(0, f"{name} {year(int(written_year))}"),), After.YEAR)


def day_of_month(place: Place) -> Rewritten | None:
    """Return "5 March" and "March 5", of which the year, if there is one, is read by itself."""
    if place.is_whole(0) and place.joined(1) and (name := _named(place, 1)) and _is_day(place.text(0)):
        the = "" if place.left.word.casefold() == "the" else "the "
        return Rewritten(
            2, (SpokenPiece(0, f"{the}{ordinal(int(place.text(0)))} of"), SpokenPiece(1, name)), After.DAY
        )
    name = _named(place, 0)
    if name is None:
        return None
    if not (place.is_whole(1) and place.joined(1) and not place.glued(1) and _is_day(place.text(1))):
        return Rewritten(1, (SpokenPiece(0, name),), After.DAY) if name != "May" else None
    if place.glued(2) and place.is_word(2, "st", "nd", "rd", "th"):
        return Rewritten(3, (SpokenPiece(0, name), SpokenPiece(1, ordinal(int(place.text(1))))), After.DAY)
    if place.glued(2) or (place.joined(2) and symbol(place, 2)):
        return None
    return Rewritten(2, (SpokenPiece(0, name), SpokenPiece(1, ordinal(int(place.text(1))))), After.DAY)


def _named(place: Place, at: int) -> str | None:
    """Return the month that is named at an offset, with a capital as names have."""
    text = place.text(at)
    if place[at].kind is not AtomKind.LETTERS or not text[0].isupper() or place.is_dash(at + 1):
        return None
    return _BY_NAME.get(text.casefold()) if text.istitle() or len(text) == 3 else None


def _is_day(digits: str) -> bool:
    return len(digits) <= 2 and 1 <= int(digits) <= 31


def lone_year(place: Place) -> Rewritten | None:
    """Return four digits as a year: after a month, after "in" and its like, or in a range of years."""
    if not (place.is_whole(0) and is_year(place.text(0))) or place.glued(0):
        return _second_year(place)
    left = place.left
    first_of_two = (
        place.is_dash(1) and place.glued(1, 2) and place.is_whole(2) and is_year(place.text(2))
    ) and place.text(2) > place.text(0)
    ends = 3 if first_of_two else 1
    if place.glued(ends) or _is_measured(place, ends):
        return None
    if left.after is After.DAY or first_of_two or left.word.casefold() in LEXICON.years:
        return Rewritten(1, (SpokenPiece(0, year(int(place.text(0)))),), After.YEAR)
    return _second_year(place)


def _second_year(place: Place) -> Rewritten | None:
    if not (place.is_whole(0) and is_year(place.text(0))) or place.glued(1) or _is_measured(place, 1):
        return None
    joins = place.left.after is After.YEAR or (place.left.after is After.TO and is_year(place.left.word))
    if not joins and not (place.left.word in ("and", "to", "or") and is_year(place.left.before)):
        return None
    return Rewritten(1, (SpokenPiece(0, year(int(place.text(0)))),), After.YEAR)


def _is_measured(place: Place, at: int) -> bool:
    if not place.joined(at):
        return False
    if place.is_word(at, "to", "and") and place.is_number(at + 1):
        return not is_year(place.text(at + 1))
    return symbol(place, at) is not None or place.is_sign(at, "/", "%")


def time_or_ratio(place: Place) -> Rewritten | None:
    """Return numbers with ":" between them: a time of day, or a ratio."""
    if place.is_whole(0) and (said := _hours_in_one(place)):
        return said
    if not (place.is_number(0) and place.is_sign(1, ":") and place.glued(1, 2) and place.is_number(2)):
        return None
    near = (place.left.word.casefold(), place.left.before.casefold())
    return _clock(place, 0, near) or _ratio(place)


def _clock(place: Place, at: int, near: Sequence[str]) -> Rewritten | None:
    hour, minute = place.text(at), place.text(at + 2)
    if not (place.is_whole(at) and place.is_whole(at + 2) and len(hour) <= 2 and len(minute) == 2):
        return None
    if int(hour) > 24 or int(minute) > 59 or not place.is_sign(at + 1, ":"):
        return None
    seconds = place.text(at + 4) if place.is_sign(at + 3, ":") and place.glued(at + 3, at + 4) else ""
    if seconds and not (place.is_whole(at + 4) and len(seconds) == 2 and len(minute) == 2):
        return None
    end = at + (5 if seconds else 3)
    half = _HALVES.get(place.text(end).casefold()) if place.joined(end) else None
    hours = place.joined(end) and place.text(end) in _HOURS
    if not (half or hours or seconds or (near[:1] and near[0] in _TIMED)):
        asked = set(near) | {place.text(end).casefold()}
        if hour == "1" or asked & _RATED:
            return None
    said = _clock_said(hour, minute, with_half=half is not None)
    said += f" and {in_words(seconds)} seconds" if seconds else ""
    said += f" {half}" if half else " hours" if hours and not said.endswith("hours") else ""
    return Rewritten(end - at + (1 if half or hours else 0), (SpokenPiece(0, said),), After.PLACE)


def _clock_said(hour: str, minute: str, *, with_half: bool) -> str:
    said = by_digit(hour) if hour[0] == "0" else cardinal(int(hour))
    if minute == "00":
        return f"{said} o'clock" if with_half else f"{said} hundred hours"
    return f"{said} {by_digit(minute) if minute[0] == '0' else cardinal(int(minute))}"


def _hours_in_one(place: Place) -> Rewritten | None:
    """Return "0800 hrs" as a time."""
    digits = place.text(0)
    if len(digits) != 4 or not place.joined(1) or place.text(1) not in _HOURS - {"hours"}:
        return None
    if int(digits[:2]) > 23 or int(digits[2:]) > 59:
        return None
    said = _clock_said(digits[:2], digits[2:], with_half=False)
    return Rewritten(2, (SpokenPiece(0, said if said.endswith("hours") else f"{said} hours"),), After.PLACE)


def _ratio(place: Place) -> Rewritten | None:
    pieces, at = [SpokenPiece(0, in_words(place.text(0)))], 1
    while place.is_sign(at, ":") and place.glued(at, at + 1) and place.is_number(at + 1):
        pieces += [SpokenPiece(at, "to"), SpokenPiece(at + 1, in_words(place.text(at + 1)))]
        at += 2
    return Rewritten(at, tuple(pieces), After.NUMBER)
