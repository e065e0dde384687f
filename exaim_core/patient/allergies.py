"""Find orders that meet an allergy: one on record in the case paper, or one that an agent has stated.

A treatment meets an allergy to itself, to its group, or to a group that `data/allergens.json` names: some only
after an immediate reaction. Cross-reactions that need a judgement raise nothing.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Final

from exaim_core.claims.claims import Claim, Kind, said_by
from exaim_core.claims.finding import Critical
from exaim_core.claims.no_allergy import (
    Ground,
    NoAllergy,
    denials,
    only_cites,
    outlives,
    part_at,
    points_back,
    said_of,
)
from exaim_core.claims.whose import points_to_another
from exaim_core.lexicon.drugs import drugs_meant, generics, is_class
from exaim_core.lexicon.prose import is_undecided
from exaim_core.patient.paper import CasePaper
from exaim_core.patient.reaction_stories import blamed
from exaim_core.patient.treatments import Treatment, TreatmentMention, groups_named, treatments_named
from exaim_core.text.assertion import Status, clauses, is_of_another, marks, statuses_around
from exaim_core.text.datafiles import data_table
from exaim_core.text.keys import KeySense, meaning
from exaim_core.text.names import person
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import is_of_allergies
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import mid_sentence

_FORMS: Final = lexicon("patient/allergies")
SEVERE: Final = _FORMS.late("severe")
"""Words that tell that a reaction was severe."""
_NO_SUBSTANCE: Final = frozenset(
    {"known", "drug", "food", "severe", "possible", "suspected", "true", "this", "that", "these", "serious", "documented", "reported", "previous", "none", "other", "same", "such", "seasonal", "first", "second", "call", "calls", "called"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Known:
    """An allergy: the substance as written, its groups, its own drug names, and whether it was severe.

    `said`: the sentence that states it, if its own words have to be told; None if they need not, or it is on record.
    """

    substance: str
    groups: frozenset[str]
    means: frozenset[str]
    severe: bool
    said: Claim | None = None


@dataclass(frozen=True, slots=True)
class _Row:
    """A group that meets an allergy; if `severe`, only after an immediate reaction."""

    allergy: str
    meets: str
    severe: bool = False


@dataclass(frozen=True, slots=True)
class _Table:
    rows: tuple[_Row, ...]


def kin_of(group: str) -> frozenset[str]:
    """Return the groups that an allergy to `group` meets whatever the reaction was."""
    rows = data_table("allergens.json", _Table).rows
    return frozenset(row.meets for row in rows if row.allergy == group and not row.severe)


class Allergies:
    """The known allergies of one patient."""

    def __init__(self, paper: CasePaper | None) -> None:
        """`paper` is the case paper, None for none."""
        self._known: dict[str, _Known] = {}
        self._recorded: set[str] = set()
        self._over: set[str] = set()
        self._just: frozenset[str] = frozenset()  # those that the last unit states
        self.disproved: frozenset[str] = frozenset()  # those that the last unit disproves
        self.repeated: tuple[str, ...] = ()  # known allergies that the last unit states once more
        self.ended: tuple[str, ...] = ()  # those that their own speaker takes back in the last unit
        self._entry = ""  # the substance of the last entry under "Allergies"
        for allergy in paper.allergies if paper is not None else ():
            name = re.split(r"\s*[(:,;]", allergy.substance)[0]
            self._add(name, f"{allergy.substance} {allergy.reaction or ''} {allergy.note or ''}")
        self._recorded = set(self._known)

    def note(self, unit: Unit) -> tuple[str, ...]:
        """Note the allergies that an agent states or denies for this patient; return the new ones."""
        text, before = unit.text, {**self._known}
        self.repeated, self.disproved = (), frozenset()
        denied = denials(text)
        off = [self._take_off(text, each) for each in denied]
        if not denied and points_to_another(text):
            self._give_away(self._just)
        self._end_entry(unit)
        self.ended = tuple(
            name
            for name, known in before.items()
            if self._has_ended(name, known, person(unit.source.agent_id))
        )
        self._over |= {*before} - {*self._known}
        self._just = frozenset()
        if isinstance(unit, Sentence) and _is_of_kin_or_none(unit):
            return ()
        borne = [each for each in denied if each.ground is Ground.BORNE]
        for what, start, end in _stated_in(text):
            if any(first <= start < last for first, last in off) or self._is_over(what, text):
                continue
            if is_undecided(_FORMS["of_reaction"].sub("", part_at(text, start))):
                continue
            behind = (each for each in borne if each.start >= end)
            if any(_falls(_known_as(what, text), each, text) for each in behind):
                continue
            for each in (what, *_listed_behind(text, start, end)):
                self._add(each, text, _stated(unit))
        if (listed := _listed(unit)) is not None:
            what, said = listed
            self._entry = what
            self._add(what, said.text, said)
        self.repeated = tuple(
            name for name, known in self._known.items() if known is not before.get(name, known)
        )
        new = tuple(name for name in self._known if name not in before)
        self._just = frozenset((*new, *self.repeated))
        return new

    @property
    def over(self) -> frozenset[str]:
        """Return the substances of which was said that there is no allergy, and of which none was stated since."""
        return frozenset(self._over - {*self._known})

    def _has_ended(self, name: str, known: _Known, agent_id: str) -> bool:
        """Return whether an allergy has gone for a reason that anybody may give, or by its own speaker's words."""
        if name in self._known or known.said is None:
            return False
        return name in self.disproved or known.said.agent_id == agent_id

    def _is_over(self, what: str, text: str) -> bool:
        """Return whether `text` only cites a record that was put right: "the chart lists a penicillin allergy"."""
        known = _known_as(what, text)
        if known.severe or not only_cites(text):
            return False
        return any(name == known.substance or groups_named(name) & known.groups for name in self.over)

    def _take_off(self, text: str, said: NoAllergy) -> tuple[int, int]:
        """Remove the allergies that a part of `text` says are none; return the place of what says so.

        A part is about what it names, or about the part before it if it points back ("that was another patient's"). If
        neither names anything, "that" is the allergy stated last. What was borne is about its drug's class, and about
        nothing if it names none.
        """
        part, start = text[said.start : said.end], said.start
        named = self._named(said.words)
        if not named and said.above >= 0:
            named, start = self._named(text[said.above : said.start]), said.above
        if said.ground is Ground.BORNE:
            gone = {name for name, known in self._known.items() if _falls(known, said, text)}
        else:
            gone = {name for name, known in self._known.items() if _is_of(named, known)}
            self._over |= named
        if not named and said.ground is not Ground.BORNE and points_back(part):
            gone = {*[*self._known][-1:]}
        if said.ground is not Ground.DENIED:
            self.disproved |= gone - self._recorded
        self._forget(gone)
        return start, said.end

    def _give_away(self, names: frozenset[str]) -> None:
        """Remove the allergies of the sentence before, which is said to be of somebody else."""
        self.disproved |= names - self._recorded
        self._forget(names)

    def _forget(self, names: Collection[str]) -> None:
        for name in {*names} - self._recorded:
            self._known.pop(name, None)

    def _end_entry(self, unit: Unit) -> None:
        """Remove the allergy of an entry under "Allergies" of which a later sentence says that it is none."""
        if not isinstance(unit, Sentence) or unit.opens or not is_of_allergies(unit.heading):
            return
        if _FORMS["no_allergy"].search(unit.text) is None or SEVERE.search(unit.text):
            return
        last = unit.item or self._entry
        name = last.strip().lower().removesuffix("s")
        known = self._known.get(name)
        if (
            known is not None
            and name not in self._recorded
            and not known.severe
            and not treatments_named(unit.text)
        ):
            del self._known[name]

    def _named(self, text: str) -> set[str]:
        """Return the substances that `text` names: drugs, known allergies, and whatever it calls an allergy."""
        words = {mention.word for mention in treatments_named(text)}
        words |= {match["what"] for each in _FORMS.each("stated") for match in each.finditer(text)}
        named = {word.lower().removesuffix("s") for word in words} - _NO_SUBSTANCE
        return named | {name for name in self._known if name in text.lower()}

    def met(self, treatment: Treatment) -> Claim | None:
        """Return the alarm of a treatment that meets an allergy; None if it meets none."""
        word = treatment.mention.word.lower()
        for known in self._known.values():
            if self._meets(known, treatment.mention):
                return _alarm(treatment, word, known)
        return None

    @staticmethod
    def _meets(known: _Known, mention: TreatmentMention) -> bool:
        word = mention.word.lower()
        if known.substance in (word, word.removesuffix("s")) or known.means & drugs_meant(word):
            return True
        return any(
            row.allergy in known.groups and row.meets in mention.groups and (known.severe or not row.severe)
            for row in data_table("allergens.json", _Table).rows
        )

    def _add(self, substance: str, text: str, said: Claim | None = None) -> None:
        name = substance.strip().lower().removesuffix("s")
        if not name:
            return
        groups = groups_named(substance)
        severe = SEVERE.search(text) is not None or (name in self._known and self._known[name].severe)
        plain = said is None or (name in self._known and self._known[name].said is None)
        self._over.discard(name)
        self._known[name] = _Known(name, groups, drugs_meant(substance), severe, None if plain else said)


def _stated_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the substances to which `text` states an allergy of this patient, each with its place."""
    for pattern in (*_FORMS.each("stated"), *_FORMS.each("by_a_reaction")):
        for match in pattern.finditer(text):
            what, (start, end) = match["what"].lower(), match.span("what")
            if what in _NO_SUBSTANCE or statuses_around(text, start, end) - {Status.PAST}:
                continue
            if _is_of_many(text, *match.span()) or _is_anothers(text, *match.span()):
                continue
            if pattern in _FORMS.each("by_a_reaction") and (
                not treatments_named(what) or _is_of_books(text, start, end)
            ):
                continue
            yield what, start, end
    for drug in blamed(text):
        if not (_is_of_books(text, drug.start, drug.end) or _is_anothers(text, drug.start, drug.end)):
            yield drug.word.lower(), drug.start, drug.end


def _known_as(substance: str, text: str) -> _Known:
    """Return what would be known if `text` stated an allergy to `substance`."""
    name = substance.strip().lower().removesuffix("s")
    return _Known(name, groups_named(substance), drugs_meant(substance), SEVERE.search(text) is not None)


def _is_of(named: Collection[str], known: _Known) -> bool:
    """Return whether one of the substances `named` is the known one, or the class that it is of."""
    return any(
        name == known.substance or (is_class(name) and groups_named(name) & known.groups) for name in named
    )


def _falls(known: _Known, said: NoAllergy, text: str) -> bool:
    """Return whether a known allergy falls because its drug, or one of its class, was borne since."""
    if not (known.groups & groups_named(said.words) or known.means & drugs_meant(said.words)):
        return False
    stated = known.said.text if known.said is not None else text[: said.start]
    return not outlives(said_of(text, said), stated, severe=known.severe)


def _listed_behind(text: str, start: int, end: int) -> list[str]:
    """Return the drugs that a list of allergies names behind its first one, which is at [start, end).

    It is a list only behind "to", if "and" stands before its last item and nothing behind: "allergic to penicillin and
    ibuprofen", but not "anaphylaxis after penicillin and adrenaline" or "to penicillin, and ibuprofen was given".
    """
    found = _FORMS["listed_behind"].match(text, end)
    if found is None or _FORMS["reacts_to"].search(text[:start]) is None:
        return []
    return [each.word.lower() for each in treatments_named(found.group())]


def _is_of_many(text: str, start: int, end: int) -> bool:
    """Return whether the allergy at [start, end) is of any patients: "penicillin-allergic patients"."""
    behind, before = _FORMS["many_behind"].match(text, end), _FORMS["many_before"].search(text[:start])
    return behind is not None or before is not None


def _is_anothers(text: str, start: int, end: int) -> bool:
    """Return whether the allergy at [start, end) is somebody else's: "the man next door is penicillin-allergic".

    Whose bed a number is, the sentence does not say; so an allergy of "bed 7" is told in its own words.
    """
    if _FORMS["not_ours"].match(text, end):
        return True
    return any(
        mark.status is Status.OTHER_PERSON
        and not text[mark.start : mark.end][-1].isdigit()
        and _FORMS["has_it"].fullmatch(text, mark.end, start) is not None
        for mark in marks(text)
    )


def _is_of_books(text: str, start: int, end: int) -> bool:
    """Return whether the clause at [start, end) is a general statement and about no one patient."""
    return any(
        Status.BOOKS in clause.statuses and not _FORMS["one_person"].search(clause.text)
        for clause in clauses(text)
        if clause.start < end and start < clause.end
    )


def _is_of_kin_or_none(unit: Sentence) -> bool:
    """Return whether a row is a relative's ("Father | allergic to penicillin"), or its one cell excludes its name.

    "Told by father" is about the patient, and so is what a relative's row says of "the patient" or "her".
    """
    item = unit.item or ""
    kin = any(
        each.status is Status.OTHER_PERSON and (each.start, each.end) == (0, len(item))
        for each in marks(item)
    )
    if unit.row and kin and not _FORMS["one_person"].search(unit.text):
        return True
    name, _, verdict = unit.full.rpartition(": ")
    stands_in_a_row = (unit.row or unit.doubted) and ";" not in name
    return stands_in_a_row and meaning(verdict.strip(" .")).sense is KeySense.EXCLUDES


def _listed(unit: Unit) -> tuple[str, Claim] | None:
    """Return the substance that opens an entry under "Allergies" (heading, label or key), with its words."""
    if not isinstance(unit, Sentence) or not unit.opens or not is_of_allergies(unit.heading):
        return None
    named = treatments_named(unit.full)
    if not named or named[0].start > MOST_BEFORE or any(map(is_of_another, unit.above)):
        return None
    if any(each.start <= named[0].start < each.end for each in denials(unit.full)):
        return None
    tolerated = _FORMS["tolerated"].search(unit.full)
    if tolerated and SEVERE.search(unit.full) and _FORMS["no_allergy"].fullmatch(tolerated.group()):
        tolerated = None  # "intolerance: throat swelling"
    if tolerated or statuses_around(unit.full, named[0].start, named[0].end):
        return None
    text = f"{unit.heading.strip(' :')}: {unit.full}"
    return named[0].word, said_by(unit.source, Kind.FINDING, text)


MOST_BEFORE: Final = 12  # characters before the substance: "oral ", "the "


def _stated(unit: Unit) -> Claim | None:
    """Return the sentence that states an allergy as a claim; its own words say whose it is."""
    if not isinstance(unit, Sentence):
        return None
    return said_by(unit.source, Kind.FINDING, unit.full)


def _alarm(treatment: Treatment, word: str, known: _Known) -> Claim:
    """Return the alarm of a treatment that meets an allergy, in the agent's words if `known.said`."""
    said, key = known.said, f"allergy:{known.substance}"
    drug = ", ".join(generics(word)) or word  # a brand and its generic name are one drug
    written = mid_sentence(treatment.mention.word)
    name = f"{written} with a known allergy to {known.substance}"
    critical = Critical(name, "", f"{key}:{drug}", key, order=written)
    agent, source = treatment.agent_id, treatment.source
    alarm = Claim(agent, Kind.CRITICAL, name, treatment.text, source, critical=critical)
    if said is None:
        return alarm
    told = replace(critical, against=known.substance, by=said.agent_id)
    return replace(alarm, critical=told, text=f"{treatment.text} {said.text}", rests_on=(said,))
