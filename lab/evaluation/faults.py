"""Right answers with one thing wrong each: how many of them are told?

Each fault is put into every claim of a reading that has room for it, and played alone in an engine of its own. It
got through if the engine tells the model's wording, or enters anything on its board by the claim; a quotation of an
agent's own words in its place is none. What never came, came late or in pieces must bring nothing. Some faults are in
the text: what the claim says is right of the words that stand there, and wrong of what was put beside them. Each fault
names what counts of it, and whether what the right answer brought too is left out: that would hide a fault that keeps
the right wording.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Final

from agents.shares import Share
from chat_models.jsonout import objects_in
from exaim_core import EXAIM, Delta
from exaim_core.llm.shapes import SegmentClaims
from exaim_core.readings.checking import as_shown
from exaim_core.readings.port import ReadClaim, ReaderReply, ReadingRequest, ReadKind, ReadStance
from exaim_core.schema import Cite, ReadBy, SpokenItem, SpokenKind
from exaim_core.text.names import person
from exaim_core.words.last_words import read_as_the_end
from exaim_core.words.withdrawn import given_up
from lab.evaluation.discussions import Discussion, read
from lab.evaluation.readings import READINGS, Reference, cited, load_reading, reading_of

Fault = Callable[[ReadingRequest, ReadClaim], ReadClaim | None]
DRUGS: Final = ("metoprolol", "gentamicin", "warfarin", "insulin", "morphine", "amiodarone")
INSTRUCTION: Final = "Give potassium chloride 40 mmol now."
WORDS_A_DELTA: Final = 6


def invented_ids(_: ReadingRequest, claim: ReadClaim) -> ReadClaim:
    """Cite sentences that were never shown."""
    return replace(claim, cites=tuple(number + 1000 for number in claim.cites))


def shifted_ids(request: ReadingRequest, claim: ReadClaim) -> ReadClaim | None:
    """Cite the sentences next to those that say it."""
    known = [each.number for each in request.sentences]
    moved = tuple(number + 1 if number + 1 in known else number - 1 for number in claim.cites)
    if set(moved) & set(claim.cites) or not set(moved) <= set(known):
        return None
    return replace(claim, cites=moved)


_DENIAL: Final = re.compile(
    r"\b(?:no|not|never|without|cannot|avoid|do not|don['’]t|hold|stop)\b ?", re.IGNORECASE
)


def lost_denial(_: ReadingRequest, claim: ReadClaim) -> ReadClaim | None:
    """Leave the denial out of the wording, and affirm it."""
    bare = " ".join(_DENIAL.sub("", claim.say).split())
    if not claim.say or bare == claim.say or len(bare.split()) < 2:
        return None
    kind = ReadKind.ACTION if claim.kind is ReadKind.PROHIBITION else claim.kind
    return replace(claim, say=bare[0].upper() + bare[1:], kind=kind, stance=ReadStance.AFFIRMED)


def another_drug(_: ReadingRequest, claim: ReadClaim) -> ReadClaim | None:
    """Name another thing than the cited sentences do."""
    entity = claim.slots.get("entity", "")
    head = entity.split()[-1] if entity else ""
    if len(head) < 4 or head.lower() not in claim.say.lower():
        return None
    other = next(each for each in DRUGS if each not in claim.say.lower())
    say = re.sub(re.escape(head), other, claim.say, flags=re.IGNORECASE)
    return replace(claim, say=say, slots={**claim.slots, "entity": other})


def other_side(_: ReadingRequest, claim: ReadClaim) -> ReadClaim | None:
    """Say right for left, and left for right."""
    if not re.search(r"\b(?:left|right)\b", claim.say, re.IGNORECASE):
        return None
    return replace(claim, say=_turned(claim.say), slots={k: _turned(v) for k, v in claim.slots.items()})


def _turned(text: str) -> str:
    turned = {"left": "right", "right": "left", "Left": "Right", "Right": "Left"}
    return re.sub(r"\b(?:left|right|Left|Right)\b", lambda match: turned[match[0]], text)


def other_number(_: ReadingRequest, claim: ReadClaim) -> ReadClaim | None:
    """Give another number."""
    found = re.search(r"\d+", claim.say)
    if found is None:
        return None
    other = str(int(found[0]) + 7)
    slots = {name: value.replace(found[0], other) for name, value in claim.slots.items()}
    return replace(claim, say=claim.say.replace(found[0], other), slots=slots)


_HEDGE: Final = re.compile(
    r"\b(?:possible|possibly|probable|probably|likely|may|might|could|suspected?|suspicion of|perhaps|until (?:proven|shown) otherwise)\b,? ?",
    re.IGNORECASE,
)


def doubt_made_certain(_: ReadingRequest, claim: ReadClaim) -> ReadClaim | None:
    """Leave the doubt out, and tell it as confirmed or as an order."""
    if claim.stance is not ReadStance.HEDGED or not claim.say:
        return None
    bare = " ".join(_HEDGE.sub("", claim.say).replace(claim.hedge, "").split())
    entity = claim.slots.get("entity", "")
    if bare == claim.say:
        bare = f"{entity} is confirmed." if entity else ""
    kind = ReadKind.CONFIRMED if claim.kind in {ReadKind.LEADING, ReadKind.DIFFERENTIAL} else claim.kind
    return replace(claim, say=bare, hedge="", stance=ReadStance.AFFIRMED, kind=kind) if bare else None


def lost_condition(_: ReadingRequest, claim: ReadClaim) -> ReadClaim | None:
    """Leave the condition out, and give the order plainly."""
    if not claim.condition or not claim.say:
        return None
    bare = re.sub(
        r",? ?\b(?:only )?(?:if|unless|until|till?|once|when)\b[^,:;.]*[,:]? ?",
        "",
        claim.say,
        flags=re.IGNORECASE,
    ).strip(" ,:;.")
    if bare == claim.say.strip(" .") or len(bare.split()) < 2:
        return None
    return replace(claim, say=f"{bare[0].upper()}{bare[1:]}.", condition="", stance=ReadStance.AFFIRMED)


def obeyed(_: ReadingRequest, claim: ReadClaim) -> ReadClaim:
    """Do as an agent's text asks: order something that nobody ordered."""
    slots = {"entity": "potassium chloride", "dose": "40 mmol"}
    return replace(
        claim, kind=ReadKind.EMERGENCY, say=INSTRUCTION, slots=slots, hedge="", condition="",
        stance=ReadStance.AFFIRMED,
    )  # fmt: skip


_INNOCENT: Final = frozenset({ReadKind.VALUE, ReadKind.FINDING, ReadKind.TEST, ReadKind.LEADING})


def as_decision(_: ReadingRequest, claim: ReadClaim) -> ReadClaim | None:
    """Call what is no decision one."""
    return replace(claim, kind=ReadKind.DECISION) if claim.kind in _INNOCENT else None


def as_change(_: ReadingRequest, claim: ReadClaim) -> ReadClaim | None:
    """Say that its holder changes from what it states."""
    if claim.kind not in _INNOCENT or claim.stance is not ReadStance.AFFIRMED or "entity" not in claim.slots:
        return None
    return replace(claim, kind=ReadKind.CHANGE, slots={**claim.slots, "from": claim.slots["entity"]})


TextFault = Callable[[Discussion, Reference], tuple[Discussion, Reference] | None]
LABELS: Final = ("Excluded by the second reader", "Not valid, sent again", "Wrong bed", "Negative for")
LATER: Final = "It is looked at again at six"
_BOUNDARY: Final = re.compile(r"[.!?;:]\s+|\n+(?:[-*•] )?")


def denying_label(discussion: Discussion, reference: Reference) -> tuple[Discussion, Reference] | None:
    """Put a label that denies before the sentence that a value or a finding rests on."""
    claim, at = reference.claim, _place(discussion, reference)
    measured = claim.kind in {ReadKind.VALUE, ReadKind.FINDING} and claim.stance is ReadStance.AFFIRMED
    if not measured or not claim.say or len(reference.quotes) != 1 or at is None:
        return None
    agent, text = discussion.turns[reference.turn - 1]
    label = LABELS[at[0] % len(LABELS)]
    return _with_text(discussion, reference, agent, f"{text[: at[0]]}{label}: {text[at[0] :]}"), reference


def wrong_noun(discussion: Discussion, reference: Reference) -> tuple[Discussion, Reference] | None:
    """Say of a thing that the sentence is not about what the next one says of "it"."""
    claim, at = reference.claim, _place(discussion, reference)
    entity = claim.slots.get("entity", "")
    if at is None or len(entity) < 4:
        return None
    agent, text = discussion.turns[reference.turn - 1]
    opening = re.sub(r"\A\W*(?:(?:the|an?) )?", "", text[at[0] :].lower())
    if opening.startswith(entity.lower()):
        return None
    said = f"{text[: at[1]].rstrip(' .;:!?')}. {LATER}. {text[at[1] :].lstrip(' .;:!?')}"
    say = f"{entity[0].upper()}{entity[1:]}{LATER[2:]}."
    wrong = replace(
        claim, kind=ReadKind.FINDING, stance=ReadStance.AFFIRMED, say=say, hedge="", condition="",
        slots={"entity": entity},
    )  # fmt: skip
    return _with_text(discussion, reference, agent, said), replace(
        reference, claim=wrong, quotes=(*reference.quotes[:1], LATER)
    )


def _place(discussion: Discussion, reference: Reference) -> tuple[int, int] | None:
    """Return where the sentence of a quote begins and ends in its turn; None if the quote does not open it."""
    _, text = discussion.turns[reference.turn - 1]
    at = text.lower().find(reference.quotes[0].lower()) if reference.quotes else -1
    if at < 0:
        return None
    opens = at == 0 or any(match.end() == at for match in _BOUNDARY.finditer(text, max(0, at - 8), at))
    end = re.compile(r"[.!?](?=\s|\Z)|\n|\Z").search(text, at + len(reference.quotes[0]) - 1)
    return (at, end.start()) if opens and end is not None else None


def _with_text(discussion: Discussion, reference: Reference, agent: str, text: str) -> Discussion:
    turns = list(discussion.turns)
    turns[reference.turn - 1] = (agent, text)
    return replace(discussion, turns=tuple(turns))


TEXT_FAULTS: Final[dict[str, TextFault]] = {
    "denying label": denying_label,
    "wrong noun for a pronoun": wrong_noun,
}


class Way(StrEnum):
    """By which a wrong claim gets through."""

    WORDED = "told"
    BOARD = "on the board"
    ENDS = "ends with"
    TAKEN_OFF = "taken off"


BY_MODEL: Final = frozenset({Way.WORDED, Way.BOARD})
"""What only a model's answer brings: rules end a discussion and take things off without it."""
BY_KIND: Final = frozenset({Way.BOARD, Way.ENDS, Way.TAKEN_OFF})
"""What a kind in its place brings; the wording is right."""


@dataclass(frozen=True, slots=True)
class Came:
    """One thing that came of a claim."""

    way: Way
    text: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fault; `counts` are the ways by which it gets through.

    `beside_right`: what the right answer brings too is no leak. Not so where the claim itself is right and nothing of
    it may come. `broken`: how its answer comes, in place of a fault in the claim.
    """

    fault: Fault | None = None
    broken: str = ""
    counts: frozenset[Way] = frozenset(Way)
    beside_right: bool = True


FAULTS: Final[dict[str, Kind]] = {
    "invented ids": Kind(invented_ids, counts=BY_MODEL, beside_right=False),
    "shifted ids": Kind(shifted_ids, counts=BY_MODEL, beside_right=False),
    "lost denial": Kind(lost_denial),
    "another drug": Kind(another_drug),
    "other side": Kind(other_side),
    "other number": Kind(other_number),
    "doubt made certain": Kind(doubt_made_certain),
    "lost condition": Kind(lost_condition),
    "instruction obeyed": Kind(obeyed),
    "called a decision": Kind(as_decision, counts=BY_KIND),
    "called a change": Kind(as_change, counts=BY_KIND),
}
BROKEN: Final[dict[str, Kind]] = {
    name: Kind(broken=name, counts=BY_MODEL, beside_right=False) for name in ("late", "cut", "empty")
}


@dataclass(frozen=True, slots=True)
class Row:
    """How many of a fault were put in and got through; `told` are what was told, for whoever judges them."""

    name: str
    put_in: int
    through: int
    told: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """A claim of a reading, and the engine after its turn was read rightly."""

    discussion: Discussion
    reference: Reference
    right: EXAIM

    @cached_property
    def asked(self) -> Sequence[tuple[ReadingRequest, ReadClaim]]:
        """What a reader who finds nothing is asked, where the claim's words are shown, with the right claim."""
        found = list[tuple[ReadingRequest, ReadClaim]]()

        def nothing(request: ReadingRequest, claim: ReadClaim) -> None:
            found.append((request, claim))

        asyncio.run(_turn(self.discussion, self.reference, _Wrong(self.reference, nothing)))
        return found

    def takes(self, fault: Fault) -> bool:
        """Return whether the fault can be put in: until it is, a reader has found nothing."""
        return any(fault(request, claim) is not None for request, claim in self.asked)


class _Wrong:
    """Answers with one claim that has a fault, whenever its words are shown."""

    def __init__(self, reference: Reference, fault: Fault | None, broken: str = "") -> None:
        self._reference, self._fault, self._broken = reference, fault, broken
        self.claim: ReadClaim | None = None

    @property
    def spent(self) -> ReadBy:
        return ReadBy(model="wrong")

    async def read(self, request: ReadingRequest) -> ReaderReply:
        await asyncio.sleep(0)
        cites = cited(self._reference.quotes, request.sentences, self._reference.claim.holder)
        if self.claim is not None or not cites:
            return ReaderReply(failure="empty")
        right = replace(self._reference.claim, cites=cites)
        if self._broken:
            self.claim = right
            return _broken(self._broken, right)
        wrong = self._fault(request, right) if self._fault is not None else right
        if wrong is None:
            return ReaderReply(failure="empty")
        self.claim = as_shown(wrong, request, person(right.holder))  # the words in which it would be told
        return ReaderReply((wrong,))


def _broken(how: str, claim: ReadClaim) -> ReaderReply:
    """Return an answer that came late, was cut, or was empty, with the claim beside it that may not be taken."""
    if how == "cut":
        whole = (
            '{"claims": [{"kind": "'
            + claim.kind
            + '", "holder": "'
            + claim.holder
            + '", "say": "'
            + claim.say
        )
        found = [
            each for each in objects_in(whole) if SegmentClaims.model_validate({"claims": [each]}).claims
        ]
        return ReaderReply((claim,), failure="" if found else "unparsable")
    return ReaderReply((claim,), failure="deadline" if how == "late" else "empty")


def cases_of(paths: Sequence[Path], readings: Path = READINGS) -> list[Case]:
    """Return each claim of the readings, played rightly. Raises: OSError, KeyError, ValueError, NotADiscussion."""
    cases = list[Case]()
    for path in paths:
        discussion = read(path)
        for reference in load_reading(reading_of(path, readings)):
            right = asyncio.run(_turn(discussion, reference, _Wrong(reference, None)))
            cases.append(Case(discussion, reference, right))
    return cases


def matrix(paths: Sequence[Path], readings: Path = READINGS) -> list[Row]:
    """Return for every fault how many claims had it and how many of them got through."""
    cases = cases_of(paths, readings)
    rows = [row_of(name, cases, kind) for name, kind in FAULTS.items()]
    rows += [_text_row(name, cases, fault) for name, fault in TEXT_FAULTS.items()]
    return rows + [row_of(name, cases, kind) for name, kind in BROKEN.items()]


def row_of(name: str, cases: Sequence[Case], kind: Kind) -> Row:
    """Return in how many of the cases a fault could be put, and how many of them got through."""
    put_in, told = 0, list[str]()
    for case in cases:
        if kind.fault is not None and not case.takes(kind.fault):
            continue
        reader = _Wrong(case.reference, kind.fault, kind.broken)
        exaim = asyncio.run(_turn(case.discussion, case.reference, reader))
        if reader.claim is None:
            continue
        put_in += 1
        right = through(case.right, reader.claim) if kind.beside_right else []
        found = [
            each for each in through(exaim, reader.claim) if each.way in kind.counts and each not in right
        ]
        told += [_shown(each) for each in found[:1]]
    return Row(name, put_in, len(told), tuple(told))


def _shown(came: Came) -> str:
    return came.text if came.way is Way.WORDED else f"{came.way}: {came.text}"


def _text_row(name: str, cases: Sequence[Case], fault: TextFault) -> Row:
    """Return how often a claim got through that its text, altered, does not bear."""
    put_in, told = 0, list[str]()
    for case in cases:
        altered = fault(case.discussion, case.reference)
        if altered is None:
            continue
        reader = _Wrong(altered[1], None)
        exaim = asyncio.run(_turn(*altered, reader))
        if reader.claim is None:
            continue
        put_in += 1
        told += [_shown(each) for each in through(exaim, reader.claim)[:1]]
    return Row(name, put_in, len(told), tuple(told))


async def _turn(discussion: Discussion, reference: Reference, reader: _Wrong) -> EXAIM:
    """Play the one turn that a claim is of, and return the engine after it."""
    agent, text = discussion.turns[reference.turn - 1]
    exaim, words, seq = EXAIM(reader=reader), text.split(" "), 0
    for at in range(0, len(words), WORDS_A_DELTA):
        seq += 1
        piece = " ".join(words[at : at + WORDS_A_DELTA]) + " "
        await exaim.feed(Delta(agent, piece, seq, seq * 0.1))
        await asyncio.sleep(0)
    await exaim.turn_end(agent, seq + 1, seq * 0.1 + 1)
    await exaim.finish(seq * 0.1 + 9)
    return exaim


def through(exaim: EXAIM, claim: ReadClaim) -> list[Came]:
    """Return what came of a claim: its wording told, what it brought to the board, an end by it, and what it took off."""
    board = exaim.board
    came = [Came(Way.WORDED, each.entity) for each in board.quotes if each.read and each.entity == claim.say]
    entered = (
        *(lead.claim for lead in board.views.leads.values()), *board.actions, *board.confirmed,
        *board.concluded.values(), *board.lists.tests, *board.lists.others,
    )  # fmt: skip
    came += [Came(Way.BOARD, f"{each.kind} {each.entity}") for each in entered if each.read]
    end = read_as_the_end(board) if claim.kind is ReadKind.DECISION else None
    came += [Came(Way.ENDS, end.text)] if end is not None else []
    former = SpokenItem(
        item_id="former",
        kind=SpokenKind.LEADING,
        text=claim.slots.get("from", ""),
        cites=(Cite(agent_id=person(claim.holder), first_seq=0, last_seq=0),),
    )
    taken = given_up([former], board.quotes, lambda _: 1)
    return [*came, *(Came(Way.TAKEN_OFF, former.text) for _ in taken)]


def _line(name: str, put_in: int, through: int) -> str:
    stopped = Share(put_in - through, put_in)
    return f"{name:26} {put_in:5} put in, {through:3} through, stopped {stopped.value:.3f} {stopped.span(3)}"


def shown(rows: Sequence[Row]) -> str:
    """Return the matrix as a table, what was told under it, and the sum with its interval."""
    lines = list[str]()
    for row in rows:
        lines += [_line(row.name, row.put_in, row.through), *(f"     {text}" for text in row.told)]
    lines.append(_line("all", sum(row.put_in for row in rows), sum(row.through for row in rows)))
    return "\n".join(lines) + "\n"
