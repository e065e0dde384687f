"""Turn a checked claim into a sentence to be told and, if its kind passed, a claim for the board.

The rules read the same sentences. If both say something of one sentence and contradict each other in kind,
denial or number, neither is stated: the sentence is quoted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from exaim_core.board.board import Board
from exaim_core.claims.claims import Claim, Kind, ListEnd, Part, Stance, Worth
from exaim_core.claims.quotes import worth_of
from exaim_core.grounding.seen import seen
from exaim_core.grounding.sight import marks_at
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_condition, names_test
from exaim_core.readings.checking import WORTH, Checked
from exaim_core.readings.port import ReadKind, ReadStance
from exaim_core.text.assertion import NOT_OURS, NOT_OURS_NOW, statuses_of
from exaim_core.text.names import person
from exaim_core.text.wording import key_words, word_count

PRESSING: Final = frozenset({Kind.CRITICAL, Kind.CAUTION, Kind.REVOKES, Kind.CONFLICT, Kind.CORRECTION})
"""What the rules tell at once, whatever a model says: values, bans, withdrawals, errors."""
_TOLD_WHOLE: Final = PRESSING - {Kind.CRITICAL}
"""Of those, what is told in all of its words; of an alarm it is the value alone."""
_FORBIDS: Final = frozenset({Kind.CAUTION, Kind.REVOKES})
_SAME: Final[dict[ReadKind, frozenset[Kind]]] = {
    ReadKind.VALUE: frozenset({Kind.CRITICAL, Kind.CONFLICT, Kind.CORRECTION}),
    ReadKind.FINDING: frozenset({Kind.CRITICAL}),
    ReadKind.PROHIBITION: _FORBIDS,
    ReadKind.EMERGENCY: frozenset({Kind.CRITICAL}),
    ReadKind.CORRECTION: frozenset({Kind.CORRECTION, Kind.CONFLICT, Kind.REVOKES}),
}
"""The rules' claims that say of a sentence what a model's claim of each kind would say."""


def told_already(found: Checked, rules: Sequence[Claim | ListEnd], board: Board) -> bool:
    """Return whether the rules, or the team, have already told what the claim says of its sentence."""
    words = found.wording or found.quote
    if any(
        told.source.meets(found.source) and (says(told, words) if told.stated else _says_all(told, words))
        for told in board.changes.lately
    ):
        return True
    kinds = _SAME.get(found.claim.kind, frozenset())
    told = [
        each
        for each in rules
        if isinstance(each, Claim)
        and (each.kind in kinds or (each.kind is Kind.QUOTE and found.claim.kind is ReadKind.PROHIBITION))
        and (each.kind, each.source) in board.changes.announced
    ]
    if not told:
        return False
    here = {word.number for word in seen(found.wording or found.quote).words if word.number}
    there = {word.number for each in told for word in seen(each.cited).words if word.number}
    return here <= there


def _says_all(told: Claim, words: str) -> bool:
    return told.kind in _TOLD_WHOLE and bool(key_words(words)) and says(told, words, share=1.0)


SAME: Final = 0.7  # share of the words that makes what was told of the same place the same


def says(told: Claim, words: str, *, share: float = SAME) -> bool:
    """Return whether a told claim on the same place says what `words` say: that share of the words, all numbers."""
    said = f"{told.entity} {' '.join(told.revokes)} {told.text}"
    wanted = set(key_words(words))
    numbers = {word.number for word in seen(words).words if word.number}
    there = {word.number for word in seen(said).words if word.number}
    return len(wanted & set(key_words(said))) >= share * len(wanted) and numbers <= there


def contradicts(found: Checked, rules: Sequence[Claim | ListEnd]) -> bool:
    """Return whether the rules read the cited sentence otherwise: in kind, denial or hedge."""
    claim = found.claim
    entity = claim.slots.get("entity", "")
    words = set(key_words(entity))
    outright = claim.stance is ReadStance.AFFIRMED
    for each in rules:
        if not isinstance(each, Claim) or not words:
            continue
        about = set(key_words(each.entity or " ".join(each.revokes)))
        if not about & words:
            continue
        if each.kind in _FORBIDS and claim.kind in {ReadKind.ACTION, ReadKind.EMERGENCY, ReadKind.TEST}:
            return outright
        if each.kind in {Kind.LEADING, Kind.CONFIRMS} and each.stance is not Stance.REJECTS:
            if claim.kind is ReadKind.EXCLUDED or claim.stance is ReadStance.DENIED:
                return True
    if outright and claim.kind in {ReadKind.CONFIRMED, ReadKind.ACTION, ReadKind.EMERGENCY, ReadKind.LEADING}:
        broken = statuses_of(found.text, entity)
        return bool(broken & NOT_OURS)
    return False


_OVERRULES: Final = frozenset(
    {ReadKind.CORRECTION, ReadKind.CHANGE, ReadKind.PROHIBITION, ReadKind.DISAGREEMENT}
)


def overrules(found: Checked, told: Iterable[Claim]) -> bool:
    """Return whether a claim denies, changes or puts right an earlier reading about the same thing."""
    about = set(key_words(found.claim.slots.get("entity", "")))
    earlier = (each for each in told if each.read_as and each.source.last_seq < found.source.first_seq)
    return found.claim.kind in _OVERRULES and any(
        about & set(key_words(each.about)) for each in earlier if each.read_as not in _OVERRULES
    )


def spoken(found: Checked) -> Claim:
    """Return the claim as it is told: in its checked wording (`entity`), else as a quotation."""
    agent_id = person(found.source.agent_id)
    return Claim(
        agent_id,
        Kind.QUOTE,
        found.wording,
        found.text if found.wording else found.quote,
        found.source,
        worth=WORTH[found.claim.kind],
        under=found.cited[0].unit.section,
        read=True,
        read_as=found.claim.kind.value,
        about=found.claim.slots.get("entity", ""),
        was=found.claim.slots.get("from", ""),
        whole=_stands_whole(found),
        rests_on=_behind(found),
    )


def _behind(found: Checked) -> tuple[Claim, ...]:
    """Return another agent's words that are told before a claim, under that agent's name; () for none."""
    if found.behind is None:
        return ()
    about, words = found.behind
    unit = about.unit
    return (Claim(about.agent, Kind.QUOTE, "", words, unit.source, under=unit.section),)


_LEFT_OPEN: Final = frozenset({ReadStance.AFFIRMED, ReadStance.HEDGED, ReadStance.CONDITIONAL})


def _stands_whole(found: Checked) -> bool:
    """Return whether the cited sentences may be quoted as they were read: affirmed, of this patient now.

    An open question may be doubted or conditional: the whole sentence says so.
    """
    is_open = found.claim.kind is ReadKind.OPEN_QUESTION
    fit = _LEFT_OPEN if is_open else frozenset({ReadStance.AFFIRMED})
    if found.claim.stance not in fit or found.resolved or found.behind or not (found.wording or is_open):
        return False
    return not any(seen(each.text).asked or statuses_of(each.text, "") & NOT_OURS_NOW for each in found.cited)


def typed(found: Checked, *, stated: bool = False) -> Iterable[Claim | ListEnd]:
    """Yield the claims that the board takes in for its views, lists and closing, without telling them.

    `stated`: the team stated its kind, so that a decision needs no word of deciding.
    """
    if not found.typed:
        return
    claim, source = found.claim, found.source
    entity = claim.slots.get("entity", "").strip(" .,;:")
    base = Claim(person(source.agent_id), Kind.FINDING, entity, found.text, source, label=entity, read=True)
    plain = claim.stance in {ReadStance.AFFIRMED, ReadStance.HEDGED}
    match claim.kind:
        case ReadKind.LEADING if entity and plain and _may_be_view(entity):
            yield replace(base, kind=Kind.LEADING, tentative="weak" in _marks(claim.hedge))
        case ReadKind.AGREEMENT if plain:
            yield replace(base, kind=Kind.LEADING, stance=Stance.SUPPORTS)
        case ReadKind.CHANGE if names_condition(claim.slots.get("to", "")):
            yield replace(base, kind=Kind.LEADING, entity=claim.slots["to"], label=claim.slots["to"])
        case ReadKind.DIFFERENTIAL if entity and plain and names_condition(entity):
            yield replace(base, kind=Kind.DIFFERENTIAL)
        case ReadKind.EXCLUDED if entity and names_condition(entity):
            yield replace(base, kind=Kind.DIFFERENTIAL, stance=Stance.REJECTS)
        case ReadKind.CONFIRMED if entity and claim.stance is ReadStance.AFFIRMED:
            yield replace(base, kind=Kind.CONFIRMS)
        case ReadKind.TEST if entity and names_test(entity) and claim.stance is not ReadStance.DENIED:
            yield replace(base, kind=Kind.TEST, condition=claim.condition or None)
            yield ListEnd(base.agent_id, source)
        case ReadKind.ACTION | ReadKind.EMERGENCY if entity and claim.stance is ReadStance.AFFIRMED:
            if "denied" in marks_at(entity, [found.text]):
                return  # "hold apixaban" is no order to give it
            yield replace(base, kind=Kind.ACTION)
        case ReadKind.DECISION if entity and plain and (stated or _is_decided(found)):
            words = _with_hedge(claim.hedge, entity, found.text)
            to_do = {"dose", "time"} & claim.slots.keys() or not _may_be_view(entity)
            part = Part.VIEW if names_condition(entity) and not to_do else Part.PLAN
            yield replace(base, kind=Kind.CONCLUDES, entity=words, part=part)
        case _:
            return


def _is_decided(found: Checked) -> bool:
    """Return whether the rules too find a word of decision or conclusion in a cited sentence."""
    units = [each.unit for each in found.cited]
    return any(worth_of(each.full, each.heading, each.section) is Worth.CONCLUSION for each in units)


def _may_be_view(entity: str) -> bool:
    """Return whether `entity` may be a diagnosis: it names no test and no drug alone, and is no sentence."""
    if word_count(entity) > MOST_OF_VIEW:
        return False
    return names_condition(entity) or not (names_test(entity) or drugs_named(entity))


MOST_OF_VIEW: Final = 10


def _with_hedge(hedge: str, entity: str, text: str) -> str:
    """Return what is decided with the doubt that stands before it."""
    together = f"{hedge} {entity}"
    return together if hedge and together.lower() in text.lower() else entity


def _marks(words: str) -> frozenset[str]:
    return frozenset[str]().union(*seen(words).marks) if words else frozenset()
