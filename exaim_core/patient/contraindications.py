"""Find orders that meet a condition, a value or another drug of the same patient, for a second look.

What counts as a condition, which orders meet it, and by what source, is in `data/contraindications.json`. A
condition is a fact of the case paper, or one that an agent states of this patient; a newer value replaces an older.
It is read in context: not denied, not a relative's, not only considered, and not a view on the diagnosis.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from typing import Final

from exaim_core.claims.belonging import ValuePlace, is_elsewhere, is_of_other_stuff
from exaim_core.claims.claims import Claim, Kind, said_by
from exaim_core.claims.finding import Critical
from exaim_core.claims.limits import Limit
from exaim_core.claims.measured import MOST_OF_ONE, may_be_of_before, stated, values_named
from exaim_core.claims.put_right import values_put_right
from exaim_core.claims.values import newest_value
from exaim_core.lexicon.drugs import drugs_meant, generics, is_class
from exaim_core.lexicon.prose import is_undecided
from exaim_core.lexicon.statements import is_family
from exaim_core.patient.paper import CasePaper
from exaim_core.patient.treatments import (
    Treatment,
    TreatmentMention,
    groups_named,
    taken_off,
    treatments_named,
    whole,
)
from exaim_core.text.assertion import Status, statuses_around
from exaim_core.text.datafiles import data_table
from exaim_core.text.hints import Hints
from exaim_core.text.kin import KIN, TELLS, TOGETHER
from exaim_core.text.names import person
from exaim_core.text.patterns import compiled_by_all
from exaim_core.text.places import Source
from exaim_core.text.quantities import Quantity, quantities
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import mid_sentence, word_count

MOST_FACT_WORDS: Final = 8


@dataclass(frozen=True, slots=True)
class PatientCondition:
    """A condition of the patient as written, with the sentence; without `source` it is on record.

    `ordered`: it is a drug that was asked for in the discussion, and is neither running nor on record.
    """

    condition: str
    words: str
    text: str
    source: Source | None = None
    measured: bool = False
    ordered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Condition:
    """How a condition is recognised: words, values beyond a limit, drugs that are taken for it.

    `ever`: it counts in the history too.
    """

    ever: bool
    pattern: str = ""
    values: tuple[Limit, ...] = ()
    drugs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Row:
    drugs: frozenset[str]
    conditions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Remedy:
    """Drugs that treat `of`: if the discussion speaks of `of`, the condition `lifts` does not count."""

    drugs: str
    of: str
    lifts: str


@dataclass(frozen=True, slots=True)
class _Table:
    conditions: Mapping[str, _Condition]
    remedies: tuple[_Remedy, ...]
    rows: tuple[_Row, ...]


def _table() -> _Table:
    return data_table("contraindications.json", _Table)


@compiled_by_all
@cache
def _words() -> tuple[Hints, re.Pattern[str]]:
    """Return a quick test for any condition's words, and their pattern."""
    conditions = _table().conditions.values()
    words = [each.pattern for each in conditions if each.pattern]
    words += [limit.pattern for each in conditions for limit in each.values]
    return Hints(words, (re.compile(r"\A\W*(?:K\+?|G\d{1,2}(?:P\d.*)?|.*/40)\W*\Z", re.IGNORECASE),)), whole(
        "|".join(words)
    )


_FORMS: Final = lexicon("patient/contraindications", kin=KIN, tells=TELLS, together=TOGETHER)
_SILENT: Final = frozenset({Section.DIFFERENTIAL, Section.DISAGREEMENT, Section.LEADING, Section.TESTS, Section.REVISION})  # fmt: skip


def facts_in(text: str, source: Source | None = None) -> tuple[list[PatientCondition], dict[str, str]]:
    """Return the conditions that `text` states as facts, and those that are normal now, each with its value."""
    stated: list[PatientCondition] = []
    eased: dict[str, str] = {}
    hints, any_word = _words()
    named = treatments_named(text) if source is not None else ()
    if not named and not (hints.may(text) and any_word.search(text)):
        return stated, eased
    if text.endswith("?") or is_family(text) or _FORMS["relative"].match(text):
        return stated, eased
    if is_undecided(_FORMS["no_allergies"].sub("", text)):
        return stated, eased
    for name, condition in _table().conditions.items():
        words = stating = _named(text, condition) or _taken(text, condition, named)
        if words is None:
            words, well = _measured(text, condition)
            eased |= {name: well} if well else {}
        if words is not None and word_count(words) <= MOST_FACT_WORDS:
            stated.append(PatientCondition(name, words, text, source, stating is None))
    return stated, eased


def _named(text: str, condition: _Condition) -> str | None:
    for match in whole(condition.pattern).finditer(text) if condition.pattern else ():
        meant = statuses_around(text, *match.span())
        clause = re.split(r"[;:]\s", text[: match.start()])[-1] + re.split(r"[;:]\s", text[match.end() :])[0]
        rest = text[match.end() :]
        if _is_excepted(text, match.start()) or _FORMS["given_up"].search(text[: match.start()]):
            continue
        if _FORMS["not_itself"].match(rest) or _FORMS["over"].search(rest) or _FORMS["view"].search(clause):
            continue
        if not (meant - {Status.PAST} if condition.ever else meant):
            return mid_sentence(" ".join(match.group().split()))
    return None


def _is_excepted(text: str, start: int) -> bool:
    """Return whether `start` is in an exception to the sentence's order: "morphine, except in …"."""
    excepted = _FORMS["excepted"].search(text, 0, start)
    if excepted is None or _tells_of_taking(text):
        return False
    orders = [each.end for each in treatments_named(text) if each.end <= excepted.start()]
    return bool(orders) and _FORMS["states"].search(text, orders[-1], excepted.start()) is None


def _taken(text: str, condition: _Condition, named: Iterable[TreatmentMention]) -> str | None:
    for mention in named:
        if not mention.groups & condition.drugs or not _is_taken(text, mention):
            continue
        if not statuses_around(text, mention.start, mention.end):
            return mention.word.lower()
    return None


def _is_taken(text: str, mention: TreatmentMention) -> bool:
    """Return whether the patient takes what is named: a verb says so, or how he fares "on" it."""
    if _FORMS["over_with"].search(text):
        return False
    start = max((each.end() for each in _FORMS["item"].finditer(text, 0, mention.start)), default=0)
    stop = _FORMS["item"].search(text, mention.end)
    if _FORMS["not_taken"].search(text[start : stop.start() if stop else len(text)]):
        return False
    return _FORMS["takes"].search(text) is not None or (
        _FORMS["lives_on"].search(text[start : mention.start]) is not None
    )


@lru_cache(maxsize=256)
def _tells_of_taking(text: str) -> bool:
    return _FORMS["takes"].search(text) is not None and not any(
        _FORMS[form].search(text) for form in ("not_taken", "over_with")
    )


def _measured(text: str, condition: _Condition) -> tuple[str | None, str]:
    """Return the value, as written, that makes the condition, and one that does not; "" for none.

    Only a value of this patient now shows that a condition is over: no aim, no limit, none of another time.
    """
    well, stands = "", stated(text)
    for limit in condition.values:
        for match in islice(whole(limit.pattern).finditer(text), MOST_OF_ONE):
            given = newest_value(stands, match.end(), match.end(), len(stands), limit.reads)
            if given is None or statuses_around(stands, match.start(), given.quantity.end):
                continue
            quantity = given.quantity
            place = ValuePlace(limit, match.span(), given, (), joined=False)
            if not _follows_another(stands, match.end(), quantity) and is_of_other_stuff(place):
                continue  # "dialysate K: 2"
            value = limit.measured(quantity)
            if value is None:
                continue
            if limit.beyond(value):
                return _written(text, match, quantity), ""
            if not (given.beyond or is_elsewhere(place) or may_be_of_before(text)):
                well = text[quantity.start : quantity.end]
    return None, well


def _follows_another(text: str, since: int, value: Quantity) -> bool:
    """Return whether another value stands from `since` to `value`, of which `value` is no course.

    Whose the first is does not say whose the second is: "the dialysate has a potassium of 2 and his is 6.9".
    """
    before = [each for each in quantities(text) if since <= each.start < value.start]
    return bool(before) and text[before[-1].end : value.start] != " to "


def _written(text: str, match: re.Match[str], quantity: Quantity) -> str:
    return f"{mid_sentence(match.group())} {text[quantity.start : quantity.end]}"


def _is_named_in(words: str, text: str) -> bool:
    """Return whether `text` has `words` whole: "HIT" is not in "white cells"."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE) is not None


class Contraindications:
    """The conditions of one patient, and which orders meet them."""

    def __init__(self, paper: CasePaper | None) -> None:
        """`paper` is the case paper, None for none."""
        self._facts: dict[str, PatientCondition] = {}
        for text in _lines(paper) if paper is not None else ():
            for fact in facts_in(text)[0]:
                self._facts[fact.condition] = fact
        for drug in paper.medication if paper is not None else ():
            self._take(drug.drug, None, drug.drug)
        self._recorded = dict(self._facts)
        self.ended: dict[
            str, str
        ] = {}  # measured conditions that the last unit ends, each with its value there
        self._treated: set[str] = set()  # diseases with remedies in the table that the discussion mentions

    def note(self, unit: Unit, treatments: Iterable[Treatment], given_up: Iterable[str] = ()) -> bool:
        """Note what a unit states of the patient and its treatments; return whether a condition is new.

        `given_up` are diagnoses that the unit takes back or rejects: they are no condition of the patient.
        """
        before = dict(self._facts)
        self.ended = {}
        if isinstance(unit, Sentence) and unit.section not in _SILENT:
            stated, eased = facts_in(unit.full, unit.source)
            wrong = {*values_put_right(unit.full)}
            stated = [fact for fact in stated if not (fact.measured and wrong & {*values_named(fact.words)})]
            gone = [fact for fact in stated if any(_is_named_in(fact.words, each) for each in given_up)]
            self._give_up(gone, unit.source.agent_id)
            stated = [fact for fact in stated if fact not in gone]
            for name, value in eased.items():
                fact = self._facts.pop(name, None)
                if fact is not None and fact.measured:
                    self.ended[name] = value
            self._facts.update({fact.condition: fact for fact in stated})
            self._treated |= _treated_in(unit.full)
        for treatment in treatments:
            if treatment.running or not treatment.hangs:
                ordered = not treatment.running
                self._take(treatment.mention.word, treatment.source, treatment.text, ordered=ordered)
        return bool(self._facts.keys() - before.keys()) or any(
            fact.words != before[name].words for name, fact in self._facts.items() if name in before
        )

    def _give_up(self, gone: Iterable[PatientCondition], agent_id: str) -> None:
        """Forget what the speaker itself had named in words; a value stands."""
        for each in gone:
            fact = self._facts.get(each.condition)
            if fact is None or fact.measured or fact.source is None:
                continue
            if person(fact.source.agent_id) == person(agent_id):
                del self._facts[each.condition]

    def forget(self, said: Iterable[Claim]) -> None:
        """Forget conditions that came from values in withdrawn sentences; the record's values come back."""
        gone = {(claim.text, claim.source) for claim in said}
        for name, fact in [*self._facts.items()]:
            if fact.measured and (fact.text, fact.source) in gone:
                del self._facts[name]
                self._facts.update({name: self._recorded[name]} if name in self._recorded else {})

    def disown(self, values: Iterable[tuple[str, str]]) -> None:
        """Forget conditions that rest on values (name and number) which are not the patient's."""
        wrong = {*values}
        for name, fact in [*self._facts.items()]:
            if fact.measured and fact.source is not None and wrong & {*values_named(fact.words)}:
                del self._facts[name]
                self._facts.update({name: self._recorded[name]} if name in self._recorded else {})

    def give_away(self, away: Source) -> None:
        """Forget conditions that the sentence at `away` states, but for drugs; those of the record come back."""
        for name, fact in [*self._facts.items()]:
            if fact.source is not None and not fact.ordered and fact.source.meets(away):
                del self._facts[name]
                self._facts.update({name: self._recorded[name]} if name in self._recorded else {})

    def names(self) -> frozenset[str]:
        """Return the conditions that hold."""
        return frozenset(self._facts)

    def take_off(self, gone: Iterable[str]) -> None:
        """Forget drugs that were only asked for and are taken back; a stopped one may have been given."""
        groups, words = taken_off(gone)
        for name, fact in [*self._facts.items()]:
            if fact.ordered and (words & drugs_meant(fact.words) or groups & groups_named(fact.words)):
                del self._facts[name]

    def _take(self, drug: str, source: Source | None, text: str, *, ordered: bool = False) -> None:
        groups = groups_named(drug)
        for name, condition in _table().conditions.items():
            if condition.drugs & groups:
                self._facts.setdefault(
                    name, PatientCondition(name, drug.lower(), text, source, ordered=ordered)
                )

    def met(self, treatment: Treatment) -> list[Claim]:
        """Return a critical claim for each condition that an order meets.

        A conditional order is held against no value and no other order: its condition may be just that. Nor does an
        order meet its own alternative, or a value that it is the remedy for.
        """
        found = []
        for row in _table().rows:
            if not row.drugs & treatment.mention.groups:
                continue
            for name in row.conditions:
                fact = self._facts.get(name)
                if fact is None or fact.words == treatment.mention.word.lower():
                    continue
                other = treatment.hangs and (fact.measured or fact.ordered)
                if not (other or _is_alternative(treatment, fact) or self._is_remedy(treatment, fact)):
                    found.append(_claim(treatment, fact, min(row.drugs & treatment.mention.groups)))
        return found

    def _is_remedy(self, treatment: Treatment, fact: PatientCondition) -> bool:
        return fact.measured and any(
            row.of in self._treated
            and row.lifts == fact.condition
            and whole(row.drugs).fullmatch(treatment.mention.word)
            for row in _table().remedies
        )


def _treated_in(text: str) -> set[str]:
    """Return the diseases with remedies that `text` names as this patient's, even if only as likely."""
    found: set[str] = set()
    for row in _table().remedies:
        named = whole(row.of).search(text)
        if named and not statuses_around(text, *named.span()) & {Status.NEGATED, Status.OTHER_PERSON}:
            found.add(row.of)
    return found


def _is_alternative(treatment: Treatment, fact: PatientCondition) -> bool:
    """Return whether one sentence offers the two as alternatives: "alteplase, or else heparin"."""
    if not fact.ordered or fact.text != treatment.text:
        return False
    places = sorted((treatment.mention.start, fact.text.lower().find(fact.words)))
    return re.search(r"\bor\b", fact.text[places[0] : places[1]]) is not None


def _claim(treatment: Treatment, fact: PatientCondition, group: str) -> Claim:
    drug = mid_sentence(treatment.mention.word)
    what = group if is_class(drug) else min(generics(drug), default=drug.lower())  # one drug under any name
    critical = Critical(
        f"{drug} with {fact.words}",
        "",
        f"contraindication:{what}:{fact.condition}",
        f"contraindication:{group}:{fact.condition}",
        order=drug,
        against=fact.words,
        by=person(fact.source.agent_id) if fact.source is not None else "",
        running=treatment.running,
    )
    rests_on = (said_by(fact.source, Kind.FINDING, fact.text),) if fact.source is not None else ()
    return Claim(
        treatment.agent_id,
        Kind.CRITICAL,
        critical.name,
        f"{treatment.text} {fact.text}",
        treatment.source,
        critical=critical,
        rests_on=rests_on,
    )


def _lines(paper: CasePaper) -> list[str]:
    """Return the parts of the paper that count; no imaging, as a paper may hold studies yet to come."""
    history = [
        line
        for line in (*paper.history, *paper.notes)
        if not (_FORMS["relative"].match(line) or is_family(line))
    ]
    bedside = [(seen.name, seen.value, seen.unit) for seen in paper.observations]
    labs = [(lab.analyte, lab.value, lab.unit) for lab in paper.labs]
    values = [f"{name.split(',')[0]} {value} {unit}".strip() for name, value, unit in [*bedside, *labs]]
    return [*history, paper.presenting_complaint, *values]
