"""Decide whether a value is this patient's, now: whose it is, and whether it was measured at all.

The words before a value say more surely whose it is than the words after it: "his mother's potassium is 6.9" is
hers, "potassium is 6.9, his mother was told" is his. Headings, labels and keys of JSON stand before all below them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.claims.limits import Limit
from exaim_core.claims.triggers import is_asked
from exaim_core.claims.values import Given
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.statements import goes_on_of_kin
from exaim_core.lexicon.withdrawn import Span
from exaim_core.text.assertion import Mark, Status, clauses, marks, statuses_around
from exaim_core.text.quantities import quantities
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("claims/belonging")
_OPTION: Final = re.compile(r"\s*(?:\(?[A-Ha-h]\)|[A-H]\.)\s")
_LABEL_END: Final = re.compile(r":\s*\Z")
_HANGS: Final = re.compile(r",? ?which\b", re.IGNORECASE)
PERSON_TITLE_WORDS: Final = 4  # words of a heading that says whose values follow
_CHAIN: Final = r"(?: (?:is|are|was|were|runs?|has|had|have|at|to|set|kept|with|a|an|the))*\s*"


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """Where a value stands: the place of its name in `given.view`, and what the sentence stands under."""

    limit: Limit
    name: Span
    given: Given
    above: tuple[str, ...]
    joined: bool  # it continues the list of the value before it

    @property
    def value(self) -> Span:
        """Return the place of the value, with its unit."""
        return (self.given.quantity.start, self.given.quantity.end)


def is_elsewhere(place: ValuePlace) -> bool:
    """Return whether the value is not this patient's now: denied, supposed, past, another's, a limit."""
    return (
        not _is_affirmed(place) or any(_titled_elsewhere(title) for title in place.above) or _is_marked(place)
    )


def _is_affirmed(place: ValuePlace) -> bool:
    """Return whether the value is neither denied, nor supposed, nor asked, nor long past.

    Words for a time hold for the whole clause ("two years ago, potassium was 6.9").
    """
    view, (start, _), (_, end) = place.given.view, place.name, place.value
    if view.rstrip(" \"'”’*)").endswith("?") or is_asked(view, start):
        return False
    first, last = _clause(view, start, end)
    meant = statuses_around(view[first:last], start - first, end - first)
    past = not place.given.now and (
        Status.PAST in meant or _FORMS["long_ago"].search(view, first, start) is not None
    )
    ends = _clause_end(view, end)
    over = (
        any(words.search(view, end, ends) for words in (_FORMS["over"], _FORMS["back"]))
        or _FORMS["reassigned"].search(view, end) is not None
    )
    arrow = _last_arrow(view, first, start)
    if Status.NEGATED in meant and arrow and not prohibits(view[first:arrow]):
        behind = statuses_around(view[arrow:last], start - arrow, end - arrow)
        meant = (meant - {Status.NEGATED}) | (behind & {Status.NEGATED})  # "no urine → potassium 7.1"
    unsaid = meant & {Status.NEGATED, Status.CONDITIONAL} or _FORMS["never"].match(view, end)
    return not (unsaid or past or over)


def _last_arrow(view: str, first: int, start: int) -> int:
    """Return the end of the last arrow between two places; 0 for none."""
    return max((each.end() for each in _ARROW.finditer(view, first, start)), default=0)


_ARROW: Final = re.compile(r"→|⇒|[-=]>")


def _clause_end(view: str, end: int) -> int:
    """Return the end of the clause that holds `end`, with dependent clauses after it."""
    return next(
        (each.end for each in clauses(view) if each.end >= end and not _HANGS.match(view, each.end)),
        len(view),
    )


# -- other fluids and things -----------------------------------------------------------------


def is_of_other_stuff(place: ValuePlace) -> bool:
    """Return whether the value is of a fluid other than blood, or of a thing."""
    view, (start, end) = place.given.view, place.name
    unless, owner = place.limit.unless, place.limit.of_things
    if unless and re.search(unless, view[start : place.value[1] + 15], re.IGNORECASE):
        return True
    if owner and re.search(rf"\b(?:{owner}){_CHAIN}\Z", view[:start], re.IGNORECASE):
        return True
    if _FORMS["blood"].search(view, start, end):
        return False
    return (
        place.joined
        or _FORMS["of_fluid"].search(view, 0, start) is not None
        or _FORMS["in_fluid"].search(view, start, place.value[0]) is not None
        or _FORMS["in_fluid"].match(view[place.value[1] :].lstrip()) is not None
        or _FORMS["held_behind"].match(view, place.value[1]) is not None
        or _FORMS["held_before"].search(view[:start]) is not None
        or any(_FORMS["fluid_title"].fullmatch(view, *label) for label in _labels(view, start))
        or any(map(_FORMS["fluid_title"].fullmatch, place.above))
    )


def are_set(before: str) -> bool:
    """Return whether the values behind the words `before` are settings: "alarms are set at"."""
    return _FORMS["setting"].search(before) is not None


def goes_on(text: str, end: int, start: int) -> bool:
    """Return whether the text at `start` only continues a list from the value that ends at `end`."""
    return 0 < end <= start and _FORMS["list"].fullmatch(text, end, start) is not None


# -- whose, when, and in what manner ---------------------------------------------------------


@lru_cache(maxsize=1024)
def _titled_elsewhere(title: str) -> bool:
    """Return whether what stands under `title`, a heading, a label or a key, is not this patient's now."""
    title = title.strip(" :")
    if _FORMS["choice"].search(title):
        return True
    if _FORMS["present_title"].search(title):
        return False
    if _FORMS["past_title"].search(title) or _FORMS["date_label"].fullmatch(title):
        return True
    if _FORMS["titles_elsewhere"].fullmatch(title) and not _FORMS["not_limits"].search(title):
        return True
    others = (mark for mark in marks(title) if mark.status is Status.OTHER_PERSON)
    return len(title.split()) <= PERSON_TITLE_WORDS and any(
        not (
            _FORMS["beside"].search(title, 0, mark.start) or _FORMS["addressed"].search(title, 0, mark.start)
        )
        and not _is_where(title, mark)
        for mark in others
    )


def _is_where(title: str, mark: Mark) -> bool:
    """Return whether a bed at the end of a title says where its writer's patient lies: "Handover, PACU bay 3"."""
    return (
        _PLACE.search(title[: mark.start]) is not None and _IN_BED.fullmatch(title[mark.start :]) is not None
    )


_PLACE: Final = re.compile(
    r"\b(?:handover|hand-?off|transfer|admission|arrival|update|reassessment|review|note|report|status|summary|SBAR|ICU|ITU"
    r"|HDU|PACU|ED|A&E|resus|recovery|ward|theatres?|unit|AMU|CCU|NICU|PICU)\b[^:]*\Z",
    re.IGNORECASE,
)
_IN_BED: Final = re.compile(r"(?:bed|bay|cubicle|cot) \d+\W*", re.IGNORECASE)


def _is_marked(place: ValuePlace) -> bool:
    view, (start, _) = place.given.view, place.name
    if any(_is_elsewhere_label(view[first:last]) for first, last in _labels(view, start)):
        return True
    if _OPTION.match(view) and any(title.endswith("?") for title in place.above):
        return True
    first, last = _clause(view, start, place.value[1])
    before = view[first:start]
    if _FORMS["one_option"].search(before) or _FORMS["generic"].search(before):
        return True
    if _supposes(view, start, place.value[1]) or goes_on_of_kin(view, start):
        return True
    if any(
        _counts(view, (mark.start(), mark.end()), start)
        for mark in _FORMS["limits"].finditer(view, first, start)
    ):
        return True
    if _FORMS["supposed"].search(view, first, place.value[0]) or _FORMS["inverted"].match(before):
        return True
    return any(
        _is_others(view, mark, place)
        if mark.status is Status.OTHER_PERSON
        else _is_of_books(view, mark, place)
        for mark in marks(view)
        if mark.status in {Status.OTHER_PERSON, Status.BOOKS} and first <= mark.start < last
    )


def _is_elsewhere_label(label: str) -> bool:
    books = (mark for mark in marks(label) if mark.status is Status.BOOKS)
    return (
        _titled_elsewhere(label)
        or _FORMS["setting"].search(label) is not None
        or any(not _FORMS["met"].match(label, mark.end) for mark in books)
    )


def _supposes(view: str, start: int, end: int) -> bool:
    """Return whether a sentence opens with a supposed value: "at a pH of 7.0 the shift would be …"."""
    if _FORMS["at_it"].search(view[:start]) and _FORMS["or_if"].match(view, end):
        return True  # "At potassium 6.5, or if he stays anuric, I dialyse."
    opened = _FORMS["at_a"].search(view[:start])
    if opened is None:
        return False
    return _FORMS["reckoned"].search(view, end) is not None or (
        opened["at"].lower() in {"at", "for"} and _FORMS["would"].search(view, end) is not None
    )


def _counts(view: str, mark: Span, start: int) -> bool:
    """Return whether a word for a limit belongs to what begins at `start`: no other value is between."""
    return not any(mark[1] <= each.start < start for each in quantities(view))


def _is_others(view: str, mark: Mark, place: ValuePlace) -> bool:
    start = place.name[0]
    if mark.start >= place.value[0]:
        return _FORMS["is_of"].search(view, 0, mark.start) is not None
    if _in_bracket(view, (mark.start, mark.end), place.value):
        return False
    owns = re.match(r"['’]s\b", view[mark.end :]) or view[mark.start : mark.end].endswith(("'s", "’s"))
    if not owns and _FORMS["beside"].search(view, 0, mark.start):
        return False
    return _FORMS["he"].search(view, mark.end, start if mark.end <= start else place.value[0]) is None


def _is_of_books(view: str, mark: Mark, place: ValuePlace) -> bool:
    start = place.name[0]
    if (
        _FORMS["own"].search(view, 0, start)
        or _FORMS["meets"].search(view, 0, mark.start)
        or _in_bracket(view, (mark.start, mark.end), place.value)
    ):
        return False
    return mark.start < place.value[0] or (
        not place.given.now and _FORMS["indefinite"].search(view[:start]) is not None
    )


def _in_bracket(view: str, mark: Span, value: Span) -> bool:
    """Return whether `mark` stands in brackets that do not hold the value."""
    opened = view.rfind("(", 0, mark[0])
    closed = view.find(")", mark[1])
    return 0 <= opened and view.find(")", opened, mark[0]) < 0 <= closed and not opened < value[0] < closed


def _clause(view: str, start: int, end: int) -> Span:
    """Return the place of the clause from a name to its value, with an apposition between commas."""
    found = [each for each in clauses(view) if each.start < end and start < each.end]
    first, last = found[0].start, found[-1].end
    for each in reversed(clauses(view)):
        if each.end == first and (
            _FORMS["apposed"].match(view[first:last]) or view[first:last].startswith(",")
        ):
            first = each.start
    return first, last


def _labels(view: str, start: int) -> Iterator[Span]:
    """Yield the labels over `start` within its sentence: "CSF: glucose 1.2, lactate 9"."""
    for each in clauses(view):
        if each.end > start:
            return
        if _LABEL_END.search(each.text) and ";" not in view[each.end : start]:
            yield each.start, each.end


def is_young(text: str) -> bool:
    """Return whether `text` says that the patient is a small child."""
    return _FORMS["young"].search(text) is not None


def is_child(text: str) -> bool:
    """Return whether `text` gives the patient (no relative) an age below twelve, and no duration."""
    found = _FORMS["child"].search(text)
    return found is not None and Status.OTHER_PERSON not in statuses_around(text, *found.span())
