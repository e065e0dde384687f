"""What speaks against a thing that is asked about, told before all else: its ban, its class's, and the record's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from agents.dialogue.facts import PAPER, Fact, FactKind
from agents.dialogue.given import reacted_to
from agents.dialogue.look_up import FactGroup
from agents.dialogue.passages import Passages
from agents.dialogue.stated import may_state
from agents.dialogue.stops import OF_EFFECT, Stops, asked_for, key_of
from exaim_core.board.shown import SaidView
from exaim_core.claims.claims import Claim
from exaim_core.claims.remarks import VALUES
from exaim_core.lexicon.drugs import drugs_meant, drugs_named
from exaim_core.lexicon.statements import is_family
from exaim_core.patient.allergies import Allergies, kin_of
from exaim_core.patient.contraindications import Contraindications, facts_in
from exaim_core.patient.paper import CasePaper
from exaim_core.patient.treatments import Treatment, groups_named, treatments_named
from exaim_core.text.assertion import is_of_another
from exaim_core.text.names import is_moderator
from exaim_core.text.places import Source
from exaim_core.text.units import Sentence
from exaim_core.text.wording import mid_sentence

_MOST_BANS: Final = 2  # sentences: the last word on it, and one before
_NOBODY: Final = Source("", 0, 0, 0.0)


class Against:
    """What the record of one patient and what was said of him have against what may be given."""

    def __init__(self, paper: CasePaper | None, facts: Sequence[Fact]) -> None:
        """`facts` are those of the paper."""
        self._paper = paper
        self._facts = [fact for fact in facts if fact.told in PAPER]
        self._recorded = _recorded(paper)
        self._noted = Allergies(None)
        for fact in self._facts:
            if fact.told in _NOTED and not _of_a_stranger(fact.rests_on[0]):
                view = SaidView(agent_id="", text=fact.rests_on[0], at=(0, 0, 0))
                self._noted.note(_sentence(view))
        self._conditions = Contraindications(paper)
        self._read: tuple[tuple[SaidView, ...], Allergies, Contraindications] | None = None

    def taken(self) -> tuple[str, ...]:
        """Return the drugs on record that the patient takes."""
        return tuple(each.drug for each in self._paper.medication) if self._paper is not None else ()

    def of(self, things: str, passages: Passages) -> tuple[Fact, ...]:
        """Return what a thing named in `things` meets: entries of the record, then what was said of the patient.

        Each is told with what it meets. Allergies come first.
        """
        mentions = {mention.word.lower(): mention for mention in treatments_named(things)}
        if not mentions:
            return ()
        allergies, conditions = self._known(passages.said)
        found: dict[str, Fact] = {}
        treatments = [Treatment("", mention, things, _NOBODY) for mention in mentions.values()]
        known = (*self._recorded, self._noted, allergies)
        claims = [
            (claim, one)
            for one in treatments
            for each in known
            if (claim := each.met(one)) is not None and not _by_effect_alone(claim, one)
        ]
        claims += [
            (claim, one)
            for each in (self._conditions, conditions)
            for one in treatments
            for claim in each.met(one)
        ]
        told_of: set[tuple[str, str]] = set()
        for claim, one in claims:
            of = (claim.critical.key, claim.critical.against.lower()) if claim.critical else ("", "")
            if claim.critical and of[0].startswith("allergy:"):
                of = (of[0], "")  # one substance is told once, the record's words first
            if of in told_of:
                continue
            told = self._entry(claim, mid_sentence(one.mention.word), passages)
            if told is not None:
                told_of.add(of)
                found.setdefault(told.rests_on[0], told)
        return tuple(sorted(found.values(), key=lambda fact: fact.told not in PAPER))

    def _known(self, said: tuple[SaidView, ...]) -> tuple[Allergies, Contraindications]:
        """Return the allergies and the conditions that a discussion states of this patient; the last are kept.

        They stand beside those of the record, and take none of them off.
        """
        if self._read is None or self._read[0] is not said:
            allergies, conditions = Allergies(None), Contraindications(None)
            for view in said:
                if view.past or view.under == VALUES or _of_a_stranger(view.text):
                    continue
                allergies.note(_sentence(view))
                stated, normal = facts_in(view.text)
                if stated or not normal or (_NOW.search(view.text) and may_state(view.text)):
                    conditions.note(_sentence(view), ())
            self._read = (said, allergies, conditions)
        return self._read[1:]

    def of_class(self, members: Iterable[str]) -> tuple[Fact, ...]:
        """Return the recorded allergies to what is of one group with a drug of a class."""
        groups = _groups_in(" ".join(members)) - OF_EFFECT
        drugs = drugs_named(" ".join(members))
        listed = (fact for fact in self._facts if fact.told is FactKind.ALLERGY)
        return tuple(
            fact
            for fact in listed
            if _groups_in(fact.rests_on[0]) & groups or drugs_named(fact.rests_on[0]) & drugs
        )

    def _entry(self, claim: Claim, drug: str, passages: Passages) -> Fact | None:
        """Return what a claim rests on as a fact: an entry of the record, or a sentence of the discussion."""
        critical = claim.critical
        if critical is None:
            return None
        allergy = critical.key.startswith("allergy:")
        against = critical.against or critical.key.partition(":")[2].split(":")[0]
        spoken = claim.rests_on[0] if claim.rests_on else None
        if spoken is not None and spoken.agent_id:
            source = spoken.source
            key = (spoken.agent_id, source.first_seq, source.last_seq, spoken.text)
            at = next((k for k, one in enumerate(passages.said) if _key(one) == key), None)
            alone = passages.alone_at(at) if at is not None else None
            fact = passages.fact_of(alone) if alone is not None else None
        else:
            words = spoken.text if spoken is not None else against
            kinds = {FactKind.ALLERGY} if allergy and spoken is None else PAPER
            fact = next((one for one in self._facts if one.told in kinds and _holds(one, words)), None)
        return _met(fact, drug, against, allergy=allergy) if fact is not None and against else None


_NOTED: Final = frozenset({FactKind.HISTORY, FactKind.NOTE, FactKind.COMPLAINT})


# A normal value takes off what was said before only where it is the newest in so many words.
_NOW: Final = re.compile(r"\b(?:now|repeat\w*)\b", re.IGNORECASE)


def _recorded(paper: CasePaper | None) -> tuple[Allergies, ...]:
    """Return each allergy of the record by itself: that one is met hides no other."""
    listed = paper.allergies if paper is not None else ()
    return tuple(
        Allergies(paper.model_copy(update={"allergies": type(listed)([one])})) for one in listed if paper
    )


def _of_a_stranger(text: str) -> bool:
    """Tell whether a text is of another patient; of a relative's words the engine reads which are whose."""
    return is_of_another(text) and not is_family(text)


def _by_effect_alone(claim: Claim, one: Treatment) -> bool:
    """Tell whether an allergy meets a drug only by what both do: argatroban treats what heparin has done."""
    if claim.critical is None:
        return False
    substance, word = claim.critical.problem.partition(":")[2], one.mention.word.lower()
    shared = drugs_meant(substance) & drugs_meant(word)
    kin = {group for known in groups_named(substance) for group in kin_of(known)}
    by_name = {substance, f"{substance}s"} & OF_EFFECT or kin & one.mention.groups
    return bool(shared) and shared <= OF_EFFECT and not by_name


def _groups_in(text: str) -> frozenset[str]:
    return frozenset(group.lower() for mention in treatments_named(text) for group in mention.groups)


def _key(one: SaidView) -> tuple[str, int, int, str]:
    return (one.agent_id, one.at[1], one.at[2], one.text)


def _sentence(one: SaidView) -> Sentence:
    """Return a sentence of the board as the engine reads one."""
    source = Source(one.agent_id, one.at[1], one.at[2], 0.0)
    return Sentence(one.text, one.section, one.under, None, False, False, (), 0, source)


def _holds(fact: Fact, words: str) -> bool:
    return bool(words) and any(words.lower() in text.lower() for text in fact.rests_on)


def _met(entry: Fact, drug: str, against: str, *, allergy: bool) -> Fact:
    """Return what is against a drug, with the drug named behind it, unless its own words name that."""
    if allergy and drug.lower() in " ".join(entry.rests_on).lower():
        return entry
    if entry.told not in PAPER:
        why = f"{against} counts against {drug}"
        said = (*(f"{why}; {one}" for one in entry.said), *entry.said)
    elif allergy:
        said = tuple(f"{one}; that counts against {drug}" for one in entry.said)
    else:
        said = tuple(f"{one}; {against} is a contraindication to {drug}" for one in entry.said)
    terms = (*entry.terms, drug, against, "contraindication", "counts against")
    return replace(entry, said=said, bare=(), terms=terms)


def with_decision(
    groups: tuple[FactGroup, ...], opening: str, members: Collection[str], passages: Passages
) -> tuple[FactGroup, ...]:
    """Return `groups` with what was decided of a class first, of which `members` are the drugs.

    That is the last sentence of the chair's that asks for one of them; where the chair has none, the last of anybody's.
    """
    wanted = {name.lower().removesuffix("s") for name in members}
    found = [one for one in passages.all if one.alone and not one.past and asked_for(one.text) & wanted]
    chaired = [one for one in found if is_moderator(one.agent)]
    last = (chaired or found)[-1:]
    told = [text for group in groups for fact in group.facts[:1] for text in fact.rests_on]
    if not last or any(reacted_to(text) for text in told[:1] if not chaired):
        return groups
    first = passages.fact_of(last[0])
    text = first.rests_on[0]
    rest = (
        replace(
            group,
            facts=tuple(fact for fact in group.facts if not any(text in said for said in fact.rests_on)),
        )
        for group in groups
        if not group.nearest
    )
    return (FactGroup(opening, (first,)), *(group for group in rest if group.facts))


def with_against(
    groups: tuple[FactGroup, ...],
    opening: str,
    question: str,
    stops: Stops,
    passages: Passages,
    record: Sequence[Fact],
) -> tuple[FactGroup, ...]:
    """Return `groups` with what speaks against first: the record, then what was forbidden, the last word before others.

    What was said of the patient comes behind these. Where their first fact is such a ban they stay; what is no more
    than the nearest is told no more.
    """
    bans = stops.against(question)
    told = [fact for group in groups for fact in group.facts]
    texts = {one.text for one in bans}
    is_first = bool(told) and told[0].told in {
        FactKind.ALLERGY,
        FactKind.CRITICAL,
    }  # on record, it comes before what was said
    is_first = is_first or (bool(told) and any(told[0].rests_on[0].startswith(text) for text in texts))
    if not record and (not bans or is_first):
        return groups
    places = {key_of(one): at for at, one in enumerate(passages.said)}
    alone = (passages.alone_at(places[key_of(one)]) for one in bans if key_of(one) in places)
    first = [passages.fact_of(one) for one in alone if one is not None][:_MOST_BANS]
    stated = [fact for fact in record if fact.told not in PAPER][:_MOST_BANS]
    first = [*(fact for fact in record if fact.told in PAPER), *first, *stated]
    if not first:
        return groups
    known = {fact.rests_on[0] for fact in first}

    def is_new(fact: Fact) -> bool:
        return fact.told is FactKind.CRITICAL or not any(
            text in said for text in known for said in fact.rests_on
        )

    rest = (replace(group, facts=tuple(filter(is_new, group.facts))) for group in groups if not group.nearest)
    return (FactGroup(opening, tuple(first)), *(group for group in rest if group.facts))
