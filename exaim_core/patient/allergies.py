"""Find orders that meet an allergy: one on record in the case paper, or one that an agent has stated.

A treatment meets an allergy to itself, to its group, or to a group that `data/allergens.json` names: some only
after an immediate reaction. Cross-reactions that need a judgement raise nothing.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from exaim_core.claims.claims import Claim, Kind, said_by
from exaim_core.claims.finding import Critical
from exaim_core.claims.whose import is_said_to_be_anothers
from exaim_core.lexicon.drugs import drugs_meant, generics
from exaim_core.lexicon.prose import is_undecided
from exaim_core.patient.paper import CasePaper
from exaim_core.patient.treatments import Treatment, TreatmentMention, groups_named, treatments_named
from exaim_core.text.assertion import Status, clauses, is_of_another, marks, statuses_around, statuses_at
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
_ALLERG: Final = re.compile(r"\ballerg", re.IGNORECASE)
_NO_SUBSTANCE: Final = frozenset(
    {"known", "drug", "food", "severe", "possible", "suspected", "true", "this", "that", "these", "serious", "documented", "reported", "previous", "none", "other", "same", "such", "seasonal", "first", "second", "call", "calls", "called"}
)  # fmt: skip


_OPEN: Final = frozenset({Status.CONDITIONAL, Status.QUESTION, Status.HEDGED})
"""How a denial is meant that takes nothing off: "if she is not allergic"."""


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
        self.repeated = ()
        off = self._take_off(text)
        self._end_entry(unit)
        self.ended = tuple(
            name
            for name, known in before.items()
            if name not in self._known
            and known.said is not None
            and known.said.agent_id == person(unit.source.agent_id)
        )
        if (
            is_undecided(text)
            or is_said_to_be_anothers(text)
            or (isinstance(unit, Sentence) and _is_of_kin_or_none(unit))
        ):
            return ()
        for pattern in (*_FORMS.each("stated"), *_FORMS.each("by_a_reaction")):
            for match in pattern.finditer(text):
                what, (start, end) = match["what"].lower(), match.span("what")
                if what in _NO_SUBSTANCE or statuses_around(text, start, end) - {Status.PAST}:
                    continue
                if any(first <= start < last for first, last in off) or _is_of_many(text, *match.span()):
                    continue
                if _is_anothers(text, *match.span()):
                    continue
                if pattern in _FORMS.each("by_a_reaction") and (
                    not treatments_named(what) or _is_of_books(text, start, end)
                ):
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
        return tuple(name for name in self._known if name not in before)

    def _take_off(self, text: str) -> list[tuple[int, int]]:
        """Remove allergies that `text` denies or gives to somebody else; return the parts that say so.

        A part is about what it names, or about the part before it if it points back ("that was another patient's"). If
        neither names anything, "that" is the allergy stated last.
        """
        spans, before = list[tuple[int, int]](), (0, 0)
        for start, end in _parts(text):
            part, above = text[start:end], text[slice(*before)]
            points = _FORMS["points_back"].search(part) is not None
            if (
                (_FORMS["taken_off"].search(part) or is_said_to_be_anothers(part))
                and not statuses_at(text, start, end) & _OPEN
                and (_ALLERG.search(part) or (points and _ALLERG.search(above)))
            ):
                named, first = self._named(part), start
                if not named and points and _ALLERG.search(above):
                    named, first = self._named(above), before[0]
                for name in named or ([*self._known][-1:] if points else ()):
                    if name not in self._recorded:
                        self._known.pop(name, None)
                spans.append((first, end))
            before = (start, end)
        return spans

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
        self._known[name] = _Known(name, groups, drugs_meant(substance), severe, None if plain else said)


def _parts(text: str) -> list[tuple[int, int]]:
    """Return the places of the parts of `text`, of which one may deny what another states."""
    bounds = {0, len(text), *(clause.start for clause in clauses(text))}
    bounds |= {match.end() for match in _FORMS["part"].finditer(text)}
    return [*pairwise(sorted(bounds))]


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
