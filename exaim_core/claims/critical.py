"""Critical findings: values beyond a limit and named emergencies, read in their context.

Limits and cues (words for an emergency), each with its source, are in `data/critical.json`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from exaim_core.claims.belonging import ValuePlace, are_set, goes_on, is_elsewhere, is_of_other_stuff
from exaim_core.claims.emergencies import emergency_in_words, may_be_emergency
from exaim_core.claims.limits import Cue, Limit, analytes_named, may_measure, table
from exaim_core.claims.values import Given, newest_value, value_before
from exaim_core.lexicon.drugs import DRUG
from exaim_core.lexicon.withdrawn import (
    ARTEFACT,
    Remainder,
    blank,
    is_artefact,
    standing,
    takes_back_the_last,
)
from exaim_core.text.assertion import (
    NOT_OURS_NOW,
    Status,
    clauses,
    is_of_another,
    statuses_around,
    statuses_at,
)
from exaim_core.text.boundaries import MOST_LINE_CHARS, parts
from exaim_core.text.hints import Hints
from exaim_core.text.marks import plain
from exaim_core.text.quantities import Quantity, began_at, quantities
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section


@dataclass(frozen=True, slots=True)
class Sign:
    """A thing measured: its name, what the agent calls it, and its value as written."""

    name: str
    mention: str
    value: str


@dataclass(frozen=True, slots=True)
class Critical:
    """A critical finding: what it is, its value as written ("" for a named emergency), and its key.

    `problem` names what a cue and a value have in common, so that "hyperkalaemia" does not alarm
    again after "potassium 6.9 mmol/L". `mention` is what the agent calls it ("SpO2"). For an order that meets a
    hazard `order` is what is asked for, or already `running`, and `against` the condition that `by` (an agent's
    id, "" for the record) states; "" for an allergy. `words`: the agent's own, told in place of name and value
    if a second reading differs. `beside` is the second sign of a computed alarm, told with this one.
    """

    name: str
    value: str
    key: str
    problem: str
    mention: str = ""
    order: str = ""
    against: str = ""
    by: str = ""
    running: bool = False
    words: str = ""
    beside: Sign | None = None

    @property
    def names(self) -> str:
        """Return the names of what is measured."""
        return f"{self.beside.name} {self.name}" if self.beside else self.name

    @property
    def what(self) -> str:
        """Return what it is and its value: "potassium 6.9", "heart rate 138 with blood pressure 84/40"."""
        what = f"{self.name} {self.value}".strip()
        return f"{self.beside.name} {self.beside.value} with {what}" if self.beside else what


def is_hazard(problem: str, hazards: Container[str]) -> bool:
    """Return whether the alarm of an order, by its `problem`, is about one of `hazards`.

    Those are conditions ("low platelets") and allergies ("allergy:penicillin").
    """
    return problem in hazards or (
        problem.startswith("contraindication:") and problem.split(":", 2)[2] in hazards
    )


_MEANT: Final = r"(?:was|were) (?:meant|intended)|should have been|(?:ten|10)(?: times|-?fold)"


def _cue_patterns() -> list[str]:
    return [each for cue in table().cues for each in (cue.pattern, cue.event) if each]


@cache
def _any_cue() -> re.Pattern[str]:
    words = "|".join(_cue_patterns())
    return re.compile(rf"(?<![\w-])(?:{words}|{_MEANT}|\d\s?\w+,? (?:and )?not \d)", re.IGNORECASE)


@cache
def _phrase(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{pattern})(?!\w)", re.IGNORECASE)


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
    sentence: str, section: Section = Section.OTHER, above: tuple[str, ...] = (), *, child: bool = False
) -> tuple[Critical, ...]:
    """Return the critical findings that `sentence` states as facts of this patient now.

    `above` is what it stands under, outermost first; `child`: the patient is a small child. Agents list emergencies all
    the time, so a named one counts only under a heading that announces a critical finding, in a sentence that says both
    that it is there and that it is urgent, or in words that say that it is happening ("has gone into cardiac arrest").
    An emergency without a name is read in slots (`emergencies.py`).
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
        found += _in_words(sentence, section)
    return tuple(found)


def may_not_wait(sentence: str) -> bool:
    """Return whether a raw sentence that just ended must be read at once; one too long to check must."""
    return len(sentence) > MOST_LINE_CHARS or any(
        critical_findings(part, Section.CRITICAL) for part in parts(plain(sentence))
    )


def _in_words(sentence: str, section: Section) -> Iterator[Critical]:
    """Yield the emergency that a sentence states in words of its own, in which it is then told."""
    what = emergency_in_words(sentence, listed=section is Section.ACTIONS)
    if what:
        yield Critical(what, "", f"words:{what}", what[:8], words=sentence.strip(" .!"))


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


def stated(sentence: str) -> str:
    """Return `sentence` with blanks for the values that it takes back, so that places stay."""
    return _standing(sentence).text


@lru_cache(maxsize=2048)
def _standing(sentence: str) -> Remainder:
    """Return what is left of `sentence` without what it takes back."""
    if not any(map(str.isdigit, sentence)):
        return Remainder(sentence, sentence, ())
    return standing(sentence, tuple((each.start, each.end) for each in analytes_named(sentence)))


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """A value that a sentence gives for this patient now: what is measured, its name there, the value."""

    limit: Limit
    name: str
    given: Given
    part: str  # the part of the sentence in which it stands

    @property
    def value(self) -> float:
        """Return the value in the limits' unit; NaN if it is impossible, or only its bound is given."""
        value = self.limit.measured(self.given.quantity)
        return float("nan") if value is None or self.given.beyond else value

    @property
    def written(self) -> str:
        """Return the value as written, with the word that says it lies beyond."""
        quantity = self.given.quantity
        return self.part[self.given.said_from if self.given.beyond else quantity.start : quantity.end]

    def as_finding(self) -> Critical:
        """Return the value as a finding, critical or not."""
        name = _name(self.limit, self.given.quantity, self.part)
        return Critical(name, self.written, _key(self.limit, self.given.quantity), self.limit.name, self.name)

    def each(self) -> Iterator[MeasuredValue]:
        """Yield the value, and behind it the second one if "and" joins two with one unit ("4.9 and 7.1 mmol/L").

        Of two that are set ("alarms are set at 50 and 170") only the first is read.
        """
        yield self
        one = self.given.quantity
        first, joined, number = one.number.partition(" and ")
        before = self.part[: one.start]
        other = before.endswith("between ") or are_set(before)
        if joined and not other and _ENDS_PART.match(self.part, one.end):
            start = one.start + len(first) + len(joined)
            yield replace(self, given=replace(self.given, quantity=replace(one, number=number, start=start)))

    def alarm(self, *, child: bool = False) -> Critical | None:
        """Return the value as a critical finding; None if it is within the limits."""
        value = self.limit.measured(self.given.quantity, child=child)
        bounds = self.limit.bounds_for(child=child)
        if value is None or not bounds.beyond(value):
            return None
        if self.given.beyond == ("below" if bounds.is_high(value) else "above"):
            return None  # "is below 7": how far below is not said
        began = began_at(self.part, self.given.quantity)
        if began is not None and began.value < self.given.quantity.value and not bounds.is_high(value):
            first = self.limit.measured(began, child=child)
            if first is None or not bounds.beyond(first):
                return None  # "Hb rose 10 to 20 g/L": by how much
        found = self.as_finding()
        if not self.limit.problems:
            return found
        # first for a high value, last for a low one
        return replace(found, problem=self.limit.problems[0 if bounds.is_high(value) else -1])


def _values(sentence: str, above: tuple[str, ...], *, child: bool) -> Iterator[Critical]:
    """Yield the first critical value of each thing measured."""
    told: set[str] = set()
    for reading in (each for one in readings(sentence, above) for each in one.each()):
        found = reading.alarm(child=child) if reading.limit.name not in told else None
        if found is not None:
            told.add(reading.limit.name)
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


def readings(sentence: str, above: tuple[str, ...] = ()) -> Iterator[MeasuredValue]:
    """Yield the values that `sentence` gives for this patient now."""
    for part in parts(sentence, PART_CHARS):
        for limit, name, value in _read(part, above):
            yield MeasuredValue(limit, name, value, part)


MOST_OF_ONE: Final = 8  # times that one part may name one thing
PART_CHARS: Final = (
    400  # characters that are read for values at a time; no sentence of the recorded discussions has more
)


@lru_cache(maxsize=512)
def _read(sentence: str, above: tuple[str, ...]) -> tuple[tuple[Limit, str, Given], ...]:
    """Return the values that `sentence` gives for this patient now: limit, name there, value."""
    if not may_measure(sentence):
        return ()
    stands = _standing(sentence)
    found: list[tuple[Limit, str, Given]] = []
    for place in _value_places(stands.text, above):
        artefact = is_artefact(stands.words, (place.value[0], place.value[1]), place.limit.name)
        if not (is_elsewhere(place) or artefact):
            found.append((place.limit, sentence[place.name[0] : place.name[1]], place.given))
    newest = {limit.name for limit, _, each in found if each.now}
    found = [each for each in found if each[2].now or each[0].name not in newest]
    return tuple(
        each for at, each in enumerate(found) if not _is_followed(stands.text, each, found[at + 1 :])
    )


_Found = tuple[Limit, str, Given]


def _is_followed(text: str, one: _Found, later: Iterable[_Found]) -> bool:
    """Return whether a later value of the same thing follows a "now": "BP 80/42 then; now BP 122/70"."""
    ends = one[2].quantity.end
    return any(
        other[0] is one[0] and _FORMS["by_now"].search(text, ends, other[2].quantity.start) for other in later
    )


def _value_places(text: str, above: tuple[str, ...]) -> Iterator[ValuePlace]:
    """Yield where `text` names a thing that has a limit, with its value in blood, whosever it is."""
    text = _without_should(text)
    taken: set[int] = set()
    named_often: Counter[str] = Counter()
    named = analytes_named(text)
    foreign_to = -1  # the end of the last value of another fluid
    for at, mention in enumerate(named):
        stop = named[at + 1].start if at + 1 < len(named) else len(text)
        limit = mention.limit
        if limit is None or named_often[limit.name] >= MOST_OF_ONE:
            continue
        named_often[limit.name] += 1
        value = newest_value(text, mention.start, mention.end, stop, limit.reads)
        if value is None and (before := value_before(text, mention.start, limit.reads)):
            value = None if before.start in taken else Given(before, text, now=False)
        if value is None:
            continue
        taken.add(value.quantity.start)
        joined = goes_on(text, foreign_to, mention.start)
        limit = _in_gas(
            limit, value.quantity, text[mention.start : mention.end], (*above, text[: mention.start])
        )
        place = ValuePlace(limit, (mention.start, mention.end), value, above, joined)
        if is_of_other_stuff(place):
            foreign_to = value.quantity.end
        else:
            yield place


MOST_IN_GAS: Final = 1.35  # mmol/L of calcium; no ionised one is above it, but for hypercalcaemia


def _in_gas(limit: Limit, quantity: Quantity, name: str, before: Iterable[str]) -> Limit:
    """Return the limit under which a value is read: calcium in a blood gas is the ionised one.

    It is so only up to `MOST_IN_GAS`, and if nothing says that it is the total one or the laboratory's.
    """
    words = " ".join((*before, name))
    if not limit.in_gas or _FORMS["gas"].search(words) is None:
        return limit
    other = next(each for each in table().values if each.name == limit.in_gas)
    value = other.measured(quantity)
    return other if value is not None and value <= MOST_IN_GAS else limit


def values_named(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield name and number of each thing measured in blood, whosever and of whatever time."""
    for place in _value_places(sentence, ()) if may_measure(sentence) else ():
        quantity = place.given.quantity
        if not place.given.beyond and sentence[quantity.end : quantity.end + 1] not in {"-", "–"}:
            yield place.limit.name, quantity.number


def may_be_of(name: str) -> Callable[[Quantity], bool]:
    """Return a check whether a number may be a value of the thing measured that is called `name`."""
    limit = next(each for each in table().values if each.name == name)
    return lambda quantity: limit.reads(quantity.unit) and limit.measured(quantity) is not None


def _key(limit: Limit, quantity: Quantity) -> str:
    """Return the key of a value: in its base unit, so that it is one finding however it is written."""
    if "/" in quantity.number:
        return f"{limit.name}={quantity.number}"
    value = limit.measured(quantity)
    if value is None:
        return f"{limit.name}={quantity.number}"
    return f"{limit.name}={value if limit.places is None else round(value, limit.places):g}"


_ADJUSTED: Final = re.compile(r"\b(?:adjusted|corrected)\b", re.IGNORECASE)


def _name(limit: Limit, quantity: Quantity, text: str) -> str:
    """Return what the value is called: a pressure given as a fraction is not only the systolic one.

    "Adjusted" calcium is named so only if the text says so.
    """
    if not _ADJUSTED.search(text):
        return (limit.name.removeprefix("systolic ") if "/" in quantity.number else limit.name).removeprefix(
            "adjusted "
        )
    return limit.name


def values_taken_back(sentence: str) -> tuple[str, ...]:
    """Return the values that `sentence` takes back, critical or not, as `Critical.key`."""
    return tuple(dict.fromkeys(_key(limit, quantity) for limit, quantity in _taken_back(sentence)))


def _taken_back(sentence: str) -> Iterator[tuple[Limit, Quantity]]:
    """Yield the values that `sentence` takes back, each with what is measured."""
    if not may_be_critical(sentence):
        return
    stands, found = _standing(sentence), quantities(sentence)
    if not found or not (stands.gone or ARTEFACT.search(stands.words)):
        return
    for mention in analytes_named(sentence):
        limit = mention.limit
        first = next((each for each in found if each.start >= mention.end), None)
        if limit is None or first is None or not limit.reads(first.unit):
            continue
        span = (first.start, first.end)
        if span in stands.gone or is_artefact(stands.words, span, limit.name):
            yield limit, first


@lru_cache(maxsize=512)
def values_put_right(sentence: str) -> tuple[tuple[str, str], ...]:
    """Return the values that `sentence` says are not the patient's: name and number of each.

    It names the thing and denies the number beside the right one ("the haemoglobin is 118, not 48"), takes the value
    back, or gives it to somebody else ("that INR of 9.8 is bed 4's"). Suppositions, questions and past values do not
    count.
    """
    if len(sentence) > PART_CHARS or not may_measure(sentence) or sentence.rstrip().endswith("?"):
        return ()
    found = [(limit.name, each.number, each.start) for limit, each in _taken_back(sentence)]
    found += [*_denied(_without_should(sentence)), *_misgiven(sentence)]
    for place in _value_places(sentence, ()):
        value = place.given.quantity
        if _OF.fullmatch(sentence, place.name[1], value.start) and _goes_to_another(sentence, value):
            found.append((place.limit.name, value.number, value.start))
    return tuple(
        dict.fromkeys(
            (name, number)
            for name, number, at in found
            if not statuses_at(sentence, at, at + len(number)) & _DOUBTED
        )
    )


def _denied(sentence: str) -> Iterator[tuple[str, str, int]]:
    """Yield the numbers that are denied right after another one of the same, named thing."""
    since = 0
    for each in quantities(sentence):
        lead = _NOT.search(sentence, since, each.start)
        if lead is None or not _ENDS_PART.match(sentence, each.end):
            continue
        before, since = sentence[since : lead.start()], each.end
        named = [*values_named(before)] if _OPENS_PLAINLY.match(before) else []
        if len(named) == 1 and named[0][1] != each.number and may_be_of(named[0][0])(each):
            if not statuses_at(sentence, each.start, each.end) & NOT_OURS_NOW:
                yield named[0][0], each.number, each.start


def _without_should(sentence: str) -> str:
    """Return `sentence` with blanks for "should" before a right value, and for the speaker's own wrong one."""
    sentence = _SHOULD.sub(lambda should: " " * len(should.group()), sentence)
    slip = _MISGIVEN.search(sentence)
    return blank(sentence, [slip.span("wrong")]) if slip is not None else sentence


def _misgiven(sentence: str) -> Iterator[tuple[str, str, int]]:
    """Yield the number that the speaker says to have given by mistake for a named thing."""
    slip = _MISGIVEN.search(sentence)
    named = [each.limit for each in analytes_named(slip["what"]) if each.limit] if slip is not None else []
    if slip is None or len(named) != 1:
        return
    wrong, right = slip["wrong"].rstrip("."), slip["right"].rstrip(".")
    if wrong != right and (named[0].name, right) in values_named(sentence):
        yield named[0].name, wrong, slip.start("wrong")


def _goes_to_another(sentence: str, value: Quantity) -> bool:
    """Return whether the words after a value, in its clause, give it to somebody else."""
    clause = next((each for each in clauses(sentence) if each.start <= value.start < each.end), None)
    behind = sentence[value.end : clause.end] if clause is not None else ""
    return is_of_another(behind) and _IS_NOT.search(behind) is None


_SHOULD: Final = re.compile(
    r"\bshould (?:have )?(?=read\b[^,;\d]{0,24}\d[\d./]*(?: ?[^\W\d][\w/%]*)?,? (?:and )?"
    r"(?:not|instead of|rather than) (?:the )?\d)",
    re.IGNORECASE,
)
"""Before the right value, beside the wrong one: "should read 4.9, not 6.9".

"It should be 4.9, not 6.9" may be an aim.
"""
_MISGIVEN: Final = re.compile(
    r"\b(?:I|we)(?: have| had|['’]ve|['’]d)? (?:gave|given|wrote|written|put|read|misread|typed|entered|called|quoted|"
    r"copied)(?: down)? (?P<what>[^;.,\d]{2,40}?) (?:down )?as (?P<wrong>\d[\d./]*)[^;.,\d]{0,15}"
    r"(?:\s?[;,–—-]|\.(?=\s))\s*(?:(?:but|sorry|and|in fact|actually) )*(?:it|that|which) "
    r"(?:is|reads|should (?:be|read))(?: (?:really|actually|in fact))? (?P<right>\d[\d./]*)",
    re.IGNORECASE,
)
"""A speaker's own slip: "I gave the potassium as 6.9; it is 4.9"."""
_NOT: Final = re.compile(
    r"[\s,(–—-]{1,3}(?:and |so )?(?:not|instead of|rather than) (?:the )?\Z", re.IGNORECASE
)
_OPENS_PLAINLY: Final = re.compile(
    r"[\W\d_]*(?:(?:sorry|correction|no|also|actually|wait|so|and|the|that|this|her|his|their|a|repeat|it reads|"
    r"(?:it )?should read|lab says|on the \w+|in (?:my|the|our) (?:\w+ )?(?:table|list|line|note|message|summary))"
    r"\W+){0,4}(?:(?!targets?|aims?|goals?|normal|usual)[\w⁺₂]+\W+){1,3}"
    r"(?:(?:is|reads|of|at|should (?:be|read)|now)\W+){0,3}\d[\d./]*",
    re.IGNORECASE,
)
"""How a correction of a value begins: with its name.

An aim, an hour or a doubt before it corrects nothing.
"""
_IS_NOT: Final = re.compile(r"\b(?:not|never|like|as)\b|n['’]t\b", re.IGNORECASE)
_ENDS_PART: Final = re.compile(r"\s?(?:[.;:!,)–—]|-\s|\Z)")
_OF: Final = re.compile(r" (?:\w{1,12} )?of ", re.IGNORECASE)
_DOUBTED: Final = frozenset({Status.CONDITIONAL, Status.QUESTION, Status.HEDGED, Status.BOOKS})


def is_taken_back(sentence: str, name: str, number: str, unit: str) -> bool:
    """Return whether `sentence`, read with the value's name, takes back a value it gives by number alone."""
    named = re.sub(
        rf"(?<![\w.])(?:(?:the|that|this) )?{re.escape(number)}(?![\w.]*\d)(?: ?{re.escape(unit)})?",
        lambda _: f"the {name} of {number} {unit}".rstrip(),
        sentence,
    )
    return any(key.partition("=")[0] == name for key in values_taken_back(named))


def numbers_taken_back(sentence: str, numbers: Iterable[str]) -> tuple[str, ...]:
    """Return which of `numbers`, given before, `sentence` takes back outright without naming the thing."""
    alike = {number for number in numbers if number in sentence}
    if not alike or sentence.rstrip().endswith("?"):
        return ()
    stands = _standing(sentence)
    return tuple(
        each.number
        for each in quantities(sentence)
        if each.number in alike
        and ((span := (each.start, each.end)) in stands.gone or is_artefact(stands.words, span, ""))
        and not statuses_at(sentence, *span) & _UNSURE
    )


_UNSURE: Final = frozenset({Status.CONDITIONAL, Status.QUESTION, Status.HEDGED, Status.NEGATED})


def value_taken_back_after(before: str, sentence: str) -> Critical | None:
    """Return the one critical value of `before` if `sentence`, the next one, takes it back; else None.

    It is not taken back if the next sentence gives another critical value in its place, which without a name would not
    alarm.
    """
    if not takes_back_the_last(sentence) or len(quantities(before)) != 1:
        return None
    found = [finding for finding in critical_findings(before) if finding.value]
    if len(found) != 1:
        return None
    unit = found[0].value.removeprefix(quantities(before)[0].number)
    instead = (
        f"{each.number} {each.unit}" if each.unit else each.number + unit for each in quantities(sentence)
    )
    return None if any(critical_findings(f"{found[0].mention} {value}") for value in instead) else found[0]


def is_of_then(reading: MeasuredValue) -> bool:
    """Return whether a value is told as past or usual, and no "now" says otherwise."""
    view = reading.given.view
    return not reading.given.now and _FORMS["of_then"].search(view) is not None


def speaks_of_before(sentence: str) -> bool:
    """Return whether `sentence` speaks of how things were."""
    return _FORMS["then"].search(sentence) is not None


def may_be_of_before(sentence: str) -> bool:
    """Return whether `sentence` speaks of the past or the usual, so that it replaces no other value."""
    return speaks_of_before(sentence) or _FORMS["of_then"].search(sentence) is not None


def is_one_state(sentence: str) -> bool:
    """Return whether the vital signs in `sentence` are of one moment: no two pressures, score or doubt."""
    compared = _FORMS["compared"].search(sentence) is not None and len(_PRESSURE.findall(sentence)) > 1
    return not compared and _FORMS["many_states"].search(sentence) is None


_PRESSURE: Final = re.compile(r"\b\d{2,3}/\d{2,3}\b")


def _without_taken_back(sentence: str) -> str:
    """Return `sentence` with blanks for the parts that only take a value back, so that places stay.

    The name in such a part stays: the right value may follow it without a name.
    """
    found = quantities(sentence)
    stands = _standing(sentence)
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
        values = [limit.measured(each, child=child) for each in reading.given.quantity.ends()]
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
