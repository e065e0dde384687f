"""Critical findings: values beyond a limit and named emergencies, read in their context.

Limits and cues (words for an emergency), each with its source, are in `data/critical.json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from exaim_core.claims.claims import POINTED
from exaim_core.claims.emergencies import emergency_in_words, in_few_words, may_be_emergency
from exaim_core.claims.finding import IN_WORDS, Critical
from exaim_core.claims.limits import Cue, analytes_named, may_measure, table
from exaim_core.claims.measured import MeasuredValue, is_of_then, readings, speaks_of_before, standing_in
from exaim_core.lexicon.drugs import DRUG
from exaim_core.lexicon.withdrawn import ARTEFACT, blank, is_artefact
from exaim_core.text.assertion import Status, statuses_around
from exaim_core.text.boundaries import MOST_LINE_CHARS, parts
from exaim_core.text.hints import Hints
from exaim_core.text.marks import plain
from exaim_core.text.patterns import compiled_by_all
from exaim_core.text.quantities import quantities
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section

_MEANT: Final = r"(?:was|were) (?:meant|intended)|should have been|(?:ten|10)(?: times|-?fold)"


def _cue_patterns() -> list[str]:
    return [each for cue in table().cues for each in (cue.pattern, cue.event) if each]


@compiled_by_all
@cache
def _any_cue() -> re.Pattern[str]:
    words = "|".join(_cue_patterns())
    return re.compile(rf"(?<![\w-])(?:{words}|{_MEANT}|\d\s?\w+,? (?:and )?not \d)", re.IGNORECASE)


@cache
def _phrase(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{pattern})(?!\w)", re.IGNORECASE)


@compiled_by_all
def _all_phrases() -> None:
    for pattern in _cue_patterns():
        _phrase(pattern)


@compiled_by_all
@cache
def _hints() -> Hints:
    return Hints([*_cue_patterns(), _MEANT], (re.compile(r"\A\W*not\W*\Z", re.IGNORECASE),))


_FORMS: Final = lexicon("claims/critical")


@lru_cache(maxsize=2048)
def may_be_critical(text: str) -> bool:
    """Return quickly whether `text` holds any word that a critical finding needs."""
    return _may_be_listed(text) or may_be_emergency(text)


@lru_cache(maxsize=2048)
def _may_be_listed(text: str) -> bool:
    """Return quickly whether `text` holds any word of the tables: a value's name, or an emergency's."""
    return may_measure(text) or (_hints().may(text) and _any_cue().search(text) is not None)


def critical_findings(
    sentence: str,
    section: Section = Section.OTHER,
    above: tuple[str, ...] = (),
    *,
    child: bool = False,
    earlier: str = "",
    reported: bool = False,
) -> tuple[Critical, ...]:
    """Return the critical findings that `sentence` states as facts of this patient now.

    `above` is what it stands under, outermost first; `child`: the patient is a small child; `earlier` is the sentence
    before it in its turn; `reported`: who says it reports tests. Agents list emergencies all the time, so a named one
    counts only under a heading that announces a critical finding, in a sentence that says both that it is there and
    that it is urgent, or in words that say that it is happening ("has gone into cardiac arrest"). An emergency without
    a name is read in slots (`emergencies.py`).
    """
    if not may_be_critical(sentence):
        return ()
    listed = section in {Section.DIFFERENTIAL, Section.TESTS, Section.DISAGREEMENT}
    found: list[Critical] = []
    if _may_be_listed(sentence):
        found += _values(sentence, above, child=child)
        found += [named for cue in table().cues if (named := _named(sentence, cue, section, listed=listed))]
        slip = _dose_slip(sentence)
        found += [slip] if slip else []
    if not found and not listed:
        found += _in_words(sentence, section, earlier, reported=reported)
    return tuple(found)


def may_not_wait(sentence: str) -> bool:
    """Return whether a raw sentence that just ended must be read at once; one too long to check must."""
    return len(sentence) > MOST_LINE_CHARS or any(
        critical_findings(part, Section.CRITICAL) for part in parts(plain(sentence))
    )


def _in_words(sentence: str, section: Section, earlier: str, *, reported: bool) -> Iterator[Critical]:
    """Yield the emergency that a sentence states in words of its own, in which it is then told."""
    what = emergency_in_words(sentence, listed=section is Section.ACTIONS, earlier=earlier, reported=reported)
    if what:
        yield Critical(
            what, "", f"{IN_WORDS}{what}", what[:8], words=in_few_words(sentence, MOST_TOLD) or POINTED
        )


MOST_TOLD: Final = 22  # words of an emergency that are told; ten seconds with the name
_DOSES: Final = frozenset({"mg", "g", "microgram", "ng", "unit", "mmol", "ml", "mg/h", "ml/h", "mg/kg"})
MOST_SLIP_WORDS: Final = 14
TENFOLD_ALMOST: Final = 5.0  # a correction by this factor was a slip of the decimal point
_CORRECTED: Final = re.compile(r"\d\s?\w{1,40},? (?:and )?not \d", re.IGNORECASE)


def _dose_slip(sentence: str) -> Critical | None:
    """Return a dose said to differ from the one that was meant, by half as much again or more."""
    meant = re.search(_MEANT, sentence, re.IGNORECASE)
    drug = DRUG.search(sentence)
    if drug is None or (meant is None and _CORRECTED.search(sentence) is None):
        return None
    doses = [q for q in quantities(sentence) if q.unit in _DOSES and q.start > drug.end()][-2:]
    if len(doses) < 2 or doses[0].unit != doses[1].unit or not _FORMS["instead"].search(sentence):
        return None
    one, other = doses[0].value, doses[1].value
    span = sentence[drug.start() : max(doses[1].end, meant.end() if meant else 0)]
    least = 1.5 if meant else TENFOLD_ALMOST
    if (
        not min(one, other)
        or max(one, other) / min(one, other) < least
        or len(span.split()) > MOST_SLIP_WORDS
    ):
        return None
    if statuses_around(sentence, drug.start(), drug.end()):
        return None
    return Critical(span, "", f"dose:{span.lower()}", f"dose:{drug.group().lower()}")


def _values(sentence: str, above: tuple[str, ...], *, child: bool) -> Iterator[Critical]:
    """Yield the first critical value of each thing measured."""
    told: set[str] = set()
    for reading in (each for one in readings(sentence, above) for each in (*one.each(), *one.other_sides())):
        found = reading.alarm(child=child) if reading.limit.name not in told else None
        if found is not None:
            told.add(reading.limit.name)
            if reading.other_sides():
                yield replace(found, words=sentence.strip(" .!"))
            else:
                yield replace(found, words=_in_its_words(reading)) if _may_be_hour(reading) else found


_HOURS: Final = frozenset(map(str, range(1, 13)))
_HOUR_ENDS: Final = re.compile(
    r"\s*(?:[,;!)]|\.(?!\d)|(?:and|then|again|tonight|tomorrow|today)\b|\Z)", re.IGNORECASE
)


def _may_be_hour(reading: MeasuredValue) -> bool:
    """Return whether a value may be the hour at which it is to be measured: "potassium at nine"."""
    quantity, part = reading.given.quantity, reading.part
    return (
        quantity.number in _HOURS
        and not quantity.unit
        and part[: quantity.start].endswith(" at ")
        and _HOUR_ENDS.match(part, quantity.end) is not None
    )


def _in_its_words(reading: MeasuredValue) -> str:
    """Return the measure with what may be its value or an hour, as it was said: "potassium at 9"."""
    end = reading.given.quantity.end
    start = max(0, reading.part.lower().rfind(reading.name.lower(), 0, end))
    return reading.part[start:end]


def _without_taken_back(sentence: str) -> str:
    """Return `sentence` with blanks for the parts that only take a value back, so that places stay.

    The name in such a part stays: the right value may follow it without a name.
    """
    found = quantities(sentence)
    stands = standing_in(sentence)
    if len(found) < 2 or not (stands.gone or ARTEFACT.search(stands.words)):
        return sentence
    ends = [stop.end() for stop in _PART.finditer(sentence)]
    spans: list[tuple[int, int]] = []
    for start, end in pairwise([0, *ends, len(sentence)]):
        inside = [(each.start, each.end) for each in found if start <= each.start < end]
        if inside and all(span in stands.gone or is_artefact(stands.words, span, "") for span in inside):
            names = [each for each in analytes_named(sentence) if start <= each.start < end]
            edges = [start, *(at for each in names for at in (each.start, each.end)), end]
            spans += [(edges[at], edges[at + 1]) for at in range(0, len(edges), 2)]
    return blank(sentence, spans)


_PART: Final = re.compile(r"[;,:](?=\s)|\s[–—-](?=\s)|\bthe (?=\d)")


def relieved(sentence: str, above: tuple[str, ...] = (), *, child: bool = False) -> tuple[str, ...]:
    """Return the problems whose value `sentence` gives as within limits now, as `Critical.problem`."""
    sentence = _without_taken_back(sentence)
    if not any(map(str.isdigit, sentence)) or speaks_of_before(sentence):
        return ()
    found: list[str] = []
    for reading in readings(sentence, above):
        limit = reading.limit
        value = limit.measured(reading.given.quantity, child=child)
        if value is None or reading.given.beyond:
            continue
        given = (reading.given, *(each.given for each in reading.other_sides()))
        values = [limit.measured(each, child=child) for one in given for each in one.quantity.ends()]
        if not any(each is None or limit.bounds_for(child=child).beyond(each) for each in values):
            found += limit.problems or (limit.name,)
        if not is_of_then(reading):
            found += [pair.name for pair in table().pairs if pair.is_eased_by(limit.name, value)]
    return tuple(found)


def _named(sentence: str, cue: Cue, section: Section, *, listed: bool) -> Critical | None:
    problem = cue.problem or cue.name[:8]
    happens = _phrase(cue.event).search(sentence) if cue.event else None
    if happens is not None:
        meant = statuses_around(sentence, happens.start(), happens.end())
        if not meant or (meant == {Status.PAST} and _FORMS["again"].match(happens.group())):
            name = _FORMS["said"].sub("", happens.group()).strip() if cue.verbatim else cue.name
            return Critical(name, "", f"cue:{cue.name}", problem)
    if listed:
        return None
    for mention in _phrase(cue.pattern).finditer(sentence):
        meant = statuses_around(sentence, mention.start(), mention.end())
        if meant or _FORMS["answer_no"].match(sentence, mention.end()):
            continue
        urgent = (
            _FORMS["now"].search(sentence[: mention.start()]) is not None
            and _FORMS["urgent"].search(sentence) is not None
        )
        if urgent or section is Section.CRITICAL:
            return Critical(cue.name, "", f"cue:{cue.name}", problem)
    return None
