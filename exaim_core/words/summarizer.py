"""The summariser's port, and the lexical summariser: spoken items and six fields from the board."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from exaim_core.board.board import Board
from exaim_core.board.changes import Change, ChangeKind, is_spare
from exaim_core.board.numbers import numbers_in
from exaim_core.board.orders import is_immediate, presses, speaks_against
from exaim_core.claims.answering import answered_by
from exaim_core.claims.claims import Claim, Kind
from exaim_core.claims.revoking import given
from exaim_core.grounding.grounding import refusal
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.named import is_known
from exaim_core.lexicon.prohibitions import tells_allergy
from exaim_core.patient.conflicts import PaperValues
from exaim_core.patient.paper import CasePaper
from exaim_core.schema import (
    FIELD_LIMITS,
    AgentSummary,
    Cite,
    Dropped,
    FieldSentence,
    SpokenItem,
    SpokenKind,
)
from exaim_core.text.names import Names
from exaim_core.text.places import Source
from exaim_core.text.quantities import quantities
from exaim_core.text.units import Unit
from exaim_core.text.wording import key_words, topic_of, word_count
from exaim_core.words.beside import (
    answering_words,
    in_passage,
    lacks_its_words,
    with_context,
    with_its_subject,
)
from exaim_core.words.closing import closing_wording
from exaim_core.words.evidence import resting
from exaim_core.words.fields import summary_of
from exaim_core.words.going_on import going_on
from exaim_core.words.grounds import grounds_of
from exaim_core.words.record import checked
from exaim_core.words.sparing import is_announced, is_told_now, is_within, with_ids, without_parts
from exaim_core.words.templates import ON_THE_PAGE, Wording, pointed_to, said_words, wording
from exaim_core.words.told_bans import Spared, in_one, once
from exaim_core.words.withdrawn import MAY_CHANGE, passed_by, taken_back_next

NO_EXCERPT: Final = "no_excerpt"
"""The fallback's reason if a model answered, but nothing of it was an agent's own sentence."""
WITHDRAWN: Final = "a turn withdrawn"
"""The topic of an item that announces a withdrawn turn."""
BARE_CLOSING: Final = "Finished. The leading view is on the page."


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """What a summariser writes from."""

    number: int
    board: Board
    changes: tuple[Change, ...]
    names: Names
    closing: bool
    history: tuple[str, ...]
    latest: str
    paper: CasePaper | None = None
    said: tuple[Unit, ...] = ()  # whole sentences read since the last update, in order
    earlier: tuple[Unit, ...] = ()  # the last sentences before that update
    told: tuple[SpokenItem, ...] = ()  # items of earlier updates that were not taken back


@dataclass(frozen=True, slots=True)
class Draft:
    """A summary, its items in the order of speaking, and what was refused.

    `cited_at_s` is the time in seconds of the last delta that an item cites; None without one. The
    closing rests on all that was said and does not count. `model` is who wrote it, if a model did, and
    `by_model` are its fields that may leave. `truncated` names fields that were cut, `fallback` is why a
    model did not write it. `sentences` are those of the fields, with what they rest on. `spare` is for a silence.
    Other items tell what is `spared`.
    """

    summary: AgentSummary
    items: tuple[SpokenItem, ...]
    dropped: tuple[Dropped, ...] = ()
    cited_at_s: float | None = None
    engine: Literal["lexical", "llm"] = "lexical"
    model: str = ""
    by_model: tuple[str, ...] = ()
    truncated: tuple[str, ...] = ()
    fallback: str = ""
    sentences: tuple[FieldSentence, ...] = ()
    spare: tuple[SpokenItem, ...] = ()
    spared: tuple[Spared, ...] = ()


class Summarizer(Protocol):
    """Writes the six fields and the spoken items."""

    async def summarise(self, request: SummaryRequest) -> Draft:
        """Return the draft for the changes in `request`."""
        ...


class LexicalSummarizer:
    """Writes by templates, and drops what grounding refuses."""

    async def summarise(self, request: SummaryRequest) -> Draft:
        """Return the draft; never fails."""
        dropped: list[Dropped] = []
        wordings: list[Wording] = []
        spare: list[Change] = []
        record = PaperValues(request.paper) if request.paper is not None else None
        for change in _in_order(request.changes):
            if change.beside and change.news is ChangeKind.QUOTED:
                spare += [change] if is_spare(change) else []
                continue
            worded = wording(change, request.names, _topic(change))
            if worded is not None:
                looked_up = checked(worded, record, request.board.numbers)
                made = _beside(_weighed(looked_up, request.board), request)
                wordings += [made] if made is not None else []
                await asyncio.sleep(0)  # others may run
        wordings = _joined(wordings, request.board)
        if request.closing:
            wordings.append(closing_wording(request.board, request.names))
        kept: list[Wording] = []
        for made in _told_once(wordings):
            reason = refusal(made.text, grounds_of(made, request.board))
            if reason is not None and made.kind in _WORDED_TWICE and made.brief is not None:
                dropped.append(Dropped(text_kind=f"item:{made.kind}", reason=reason))
                made = replace(made, text=made.brief, brief=None)
                reason = refusal(made.text, grounds_of(made, request.board))
            if reason is not None:
                dropped.append(Dropped(text_kind=f"item:{made.kind}", reason=reason))
                if made.kind is SpokenKind.CLOSING:  # the closing is always told
                    kept.append(replace(made, text=BARE_CLOSING, brief=None, claims=(), vote=None))
            elif not any(made.text.lower() == other.text.lower() for other in kept):
                kept.append(made)
            await asyncio.sleep(0)
        kept = [_brief_that_holds(made, request.board) for made in _taken_back_at_once(kept)]
        kept, spared = once(kept, request.told, request.board)
        kept = in_one(kept)
        await asyncio.sleep(0)  # others may run: items and fields take some milliseconds each
        summary, sentences, refused = summary_of(
            request.board, request.changes, request.names, closing=request.closing
        )
        dropped += [Dropped(text_kind=f"field:{name}", reason=reason) for name, reason in refused]
        items = tuple(_item(made, request.number, k) for k, made in enumerate(kept, start=1))
        times_s = [c.source.at_s for made in kept if made.kind is not SpokenKind.CLOSING for c in made.claims]
        spares = [made for each in spare if (made := _spare(each, request)) is not None]
        kept_back = [made for made in without_parts(spares) if not is_told_now(made, kept)]
        return Draft(
            summary,
            items,
            tuple(dropped),
            max(times_s, default=None),
            sentences=sentences,
            spare=tuple(
                _item(made, request.number, k) for k, made in enumerate(kept_back, start=len(items) + 1)
            ),
            spared=tuple(with_ids(each, kept, items) for each in spared),
        )


def _spare(change: Change, request: SummaryRequest) -> Wording | None:
    """Return a quotation kept for a silence as it would be told; None if it may not be told."""
    if is_announced(change.claim, request.board):
        return None  # something of the same sentence is told
    if passed_by(change.claim.text, change.claim.source.last_seq, request.said):
        return None
    if taken_back_next(change.claim.source, (*request.earlier, *request.said)):
        return None
    worded = wording(change, request.names, _topic(change))
    made = _beside(worded, request) if worded is not None else None
    if made is None or made.presses or refusal(made.text, grounds_of(made, request.board)) is not None:
        return None
    return made


MOST_OF_ONE: Final = 20  # words of several claims in one sentence: eight seconds with the speaker's name


def _joined(wordings: Sequence[Wording], board: Board) -> list[Wording]:
    """Return the items with neighbouring claims that a model read, of one agent and kind, joined.

    Views, values and findings are not joined: their speaker may change one, which must then be removable alone. Nothing
    that is urgent or protects is joined: it is told as soon as possible. Joined claims become one sentence with
    semicolons, so that each stays a clause of its own; if grounding refuses that sentence, each is told by itself.
    """
    kept = list[Wording]()
    for made in wordings:
        last = kept[-1] if kept else None
        joint = _joint(last, made) if last is not None else None
        if joint is not None and refusal(joint.text, grounds_of(joint, board)) is None:
            kept[-1] = joint
        else:
            kept.append(made)
    return kept


def _joint(one: Wording, two: Wording) -> Wording | None:
    """Return two sentences as one; None if they may not be joined."""
    both = (one, two)
    if one.kind is not two.kind or one.agents != two.agents or not _may_join(one) or not _may_join(two):
        return None
    name, mark, words = two.text.partition(": ")
    if not mark or one.text.partition(": ")[0] != name:
        return None
    text = f"{one.text.rstrip('.')}; {words}"
    if word_count(text) > MOST_OF_ONE:
        return None
    return replace(
        one,
        text=text,
        brief=None,
        urgency=max((made.urgency for made in both), key=("routine", "important", "critical").index),
        claims=one.claims + two.claims,
    )


def _may_join(made: Wording) -> bool:
    read = all(claim.read and claim.kind is Kind.QUOTE for claim in made.claims)
    return (
        made.kind not in MAY_CHANGE
        and made.quoted
        and read
        and not made.presses
        and not made.protects
        and not made.behind
    )


def _told_once(wordings: Sequence[Wording]) -> list[Wording]:
    """Return the items without what an alarm or a longer passage tells already."""
    alarms = [made for made in wordings if made.kind is SpokenKind.CRITICAL]
    return [
        made
        for made in wordings
        if not any(_is_told_by(alarm, made) for alarm in alarms)
        and not any(_is_part_of(made, other) for other in wordings)
    ]


def _is_part_of(made: Wording, other: Wording) -> bool:
    """Return whether a finding or a routine order is part of the passage that tells something else, or presses."""
    if made is other or made.kind not in {SpokenKind.FINDING, SpokenKind.ACTION} or made.presses:
        return False
    tells_more = other.presses or (made.kind is SpokenKind.FINDING and other.kind is not SpokenKind.FINDING)
    return is_within(made, other) and (tells_more or not is_within(other, made))


def _taken_back_at_once(kept: Sequence[Wording]) -> list[Wording]:
    """Return the items without cautions whose words stand whole in what takes them back, which goes in their place."""
    changes = [made for made in kept if made.kind in _TAKES_BACK]
    told = dict[int, Wording]()
    for made in kept:
        whole = next((each for each in changes if _tells_with_its_end(each, made)), None)
        if whole is not None:
            told[id(whole)] = replace(
                whole, urgency=made.urgency, protects=made.protects, presses=made.presses, brief=None
            )
            told[id(made)] = told[id(whole)]
    once = dict.fromkeys(id(told.get(id(made), made)) for made in kept)
    every = {id(made): made for made in (*kept, *told.values())}
    return [every[each] for each in once]


def _tells_with_its_end(change: Wording, made: Wording) -> bool:
    return made.kind is SpokenKind.CAUTION and is_within(made, change) and not is_within(change, made)


_TAKES_BACK: Final = frozenset({SpokenKind.CHANGE, SpokenKind.CORRECTION})
SAME: Final = 0.7  # share of an item's words in an alarm on the same sentence that make it a repetition


_TOLD_BY_ALARMS: Final = frozenset({SpokenKind.FINDING, SpokenKind.CORRECTION, SpokenKind.CAUTION})


def _is_told_by(alarm: Wording, made: Wording) -> bool:
    if made.kind not in _TOLD_BY_ALARMS or len(made.claims) != 1:
        return False
    own, told = set(key_words(said_words(made.text))), set(key_words(alarm.text))
    rests_alike = any(claim.source == made.claims[0].source for claim in alarm.claims)
    alike = rests_alike and numbers_in(made.text) <= numbers_in(alarm.text)
    share = 1.0 if made.kind is SpokenKind.CAUTION else SAME  # of a caution no word may be lost
    return alike and bool(own) and len(own & told) >= share * len(own)


def _beside(made: Wording, request: SummaryRequest) -> Wording | None:
    """Return `made` with the words beside it that it needs; None if it is not told."""
    if made.claims[0].left:
        return answering_words(made, request.names) or made
    told = _with_neighbours(made, request)
    if told is None or told.hangs:
        return told
    said = (*request.earlier, *request.said)
    led = with_its_subject(told, said, request.names, lambda source: _may_lead(source, request.board))
    made = told if refusal(led.text, grounds_of(led, request.board)) is not None else led
    again = made.presses or made.protects  # what it is about may be told twice
    begun = request.board.floor.begun(made.claims[0].agent_id)
    behind = going_on(
        made, said, request.names, lambda source: _may_lead(source, request.board, again=again), begun
    )
    if not lacks_its_words(behind) and refusal(behind.text, grounds_of(behind, request.board)) is None:
        made = behind
    return None if lacks_its_words(made) else made


def _with_neighbours(made: Wording, request: SummaryRequest) -> Wording | None:
    """Return `made` with the words to which it refers, or, if it is short, with its neighbour.

    If it can't be told with the words to which it refers, an urgent caution becomes a pointer to the page and anything
    else is not told (None). If only the neighbour is refused, `made` is told as it is.
    """
    answers = made.quoted and made.claims[0].read and answered_by(made.claims[0]) is not None
    if not made.hangs and made.quoted and not answers and all(claim.read for claim in made.claims):
        return made  # the neighbouring words were read as well
    said = (*request.earlier, *request.said)
    if _may_be_a_passage(made):
        passage = in_passage(made, said, lambda source: _may_lead(source, request.board))
        if passage is None and not (made.presses or made.protects):
            return None
        if passage not in {None, made} and refusal(passage.text, grounds_of(passage, request.board)) is None:
            return passage
    joint = with_context(made, said, request.names, request.board.overturning.is_fallen)
    if joint is made or (joint is not None and refusal(joint.text, grounds_of(joint, request.board)) is None):
        return joint
    if answers:
        return None  # without those words nobody knows what it is about
    return pointed_to(made, request.names) if made.hangs else made


_IN_WORDS: Final = frozenset({SpokenKind.FINDING, SpokenKind.CAUTION})


def _may_be_a_passage(made: Wording) -> bool:
    """Return whether `made` may be told after earlier words; if urgent, only if it names nothing known."""
    if made.hangs or made.claims[0].read or not (made.quoted or made.kind in _IN_WORDS):
        return False
    return not (made.presses or made.protects) or not is_known(said_words(made.text))


def _may_lead(source: Source, board: Board, *, again: bool = False) -> bool:
    """Return whether the words at `source` may lead others: not overturned nor, unless `again`, told already."""
    told = not again and any(claim.source.meets(source) for claim in board.changes.lately)
    return not told and not board.overturning.is_fallen(source)


def attributed(found: Draft, lexical: Draft) -> Draft:
    """Return `found` with the fields a model wrote named; if it wrote nothing, marked as lexical."""
    if found.engine == "lexical":
        return found
    own = tuple(
        name for name in FIELD_LIMITS if getattr(found.summary, name) != getattr(lexical.summary, name)
    )
    if own or len(found.items) > len(lexical.items):
        return replace(found, by_model=own)
    return replace(found, engine="lexical", model="")


def _brief_that_holds(made: Wording, board: Board) -> Wording:
    """Drop a short form that grounding refuses; the whole sentence is told instead."""
    if made.brief is None or refusal(made.brief, grounds_of(made, board)) is None:
        return made
    return replace(made, brief=None)


def _weighed(made: Wording, board: Board) -> Wording:
    """Mark an order as important if it is to be followed now for a critical finding, or "only if".

    An order that an alarm warns of is not marked.
    """
    if made.kind is not SpokenKind.ACTION or made.text.startswith(ON_THE_PAGE):
        return made
    criticals = [*board.criticals.values()]
    urgent = any(presses(board.orders, claim, criticals) for claim in made.claims)
    urgent = urgent and not any(speaks_against(criticals, given(claim)) for claim in made.claims)
    now = all(is_immediate(claim) for claim in made.claims)
    return replace(made, urgency="important", presses=now) if urgent else made


def _topic(change: Change) -> str | None:
    """Return what the item is about, None for unique: an item replaces a waiting one with its topic."""
    if change.news in {ChangeKind.OTHERS, ChangeKind.TESTS}:
        return None
    if change.news is ChangeKind.CRITICAL and change.claim.critical:
        return f"alarm on {change.claim.critical.name}"  # no topic of a ban on it
    if change.news in {ChangeKind.CONFLICT, ChangeKind.CORRECTED, ChangeKind.CONFIRMED, ChangeKind.FOLLOWS}:
        return None
    if change.news in {ChangeKind.CAUTION, ChangeKind.REVOKED}:
        return _topic_of_care(change.claim)
    if change.news is ChangeKind.QUOTED:
        return _topic_of_read(change.claim)
    if change.news is ChangeKind.WITHDRAWN:
        return WITHDRAWN
    if change.news in _OWN_VIEWS:
        return f"view of {change.agent_id}"  # it replaces the agent's former view, and nobody else's
    return topic_of(change.claim.entity or change.claim.text)


def _topic_of_read(claim: Claim) -> str | None:
    """Return the topic of a view that a model read, so that it replaces the same view and no other."""
    view = claim.was if claim.read_as == "change" else claim.about
    known = claim.read_as in _READ_VIEWS and bool(key_words(view))
    return f"view of {claim.agent_id} on {topic_of(view)}" if known else None


def _topic_of_care(claim: Claim) -> str | None:
    """Return the topic of a caution, so that it replaces no caution that says something else.

    It is made of its speaker, each drug that it names, its numbers, and whether it tells of an allergy.
    """
    if not (drugs := drugs_named(claim.text)):
        return None
    numbers = (f"{quantity.number} {quantity.unit}" for quantity in quantities(claim.text))
    said = (*sorted(drugs), *sorted(numbers), *(("allergy",) if tells_allergy(claim.text) else ()))
    return f"{claim.agent_id} on {', '.join(said)}"


_WORDED_TWICE: Final = frozenset({SpokenKind.CRITICAL, SpokenKind.CORRECTION})
"""Kinds whose short form is tried if the usual wording is refused."""
_READ_VIEWS: Final = frozenset({"leading", "change"})
"""Kinds of a model's readings that replace a waiting reading of the same view of the same speaker."""
_OWN_VIEWS: Final = frozenset({ChangeKind.LEADS, ChangeKind.DIFFERS, ChangeKind.CHANGED})


def _in_order(changes: Iterable[Change]) -> list[Change]:
    """Put critical findings first, and leave the rest in order.

    Of several alarms none says who raised it: each second counts for the next one.
    """
    ordered = sorted(changes, key=lambda change: change.news is not ChangeKind.CRITICAL)
    if sum(change.news is ChangeKind.CRITICAL for change in ordered) < 2:
        return ordered
    return [replace(each, first=False) if each.news is ChangeKind.CRITICAL else each for each in ordered]


def _item(made: Wording, number: int, k: int) -> SpokenItem:
    cites: dict[str, tuple[int, int]] = {}
    for claim in made.claims:
        source = claim.source
        first, last = cites.get(source.agent_id, (source.first_seq, source.last_seq))
        cites[source.agent_id] = (min(first, source.first_seq), max(last, source.last_seq))
    return SpokenItem(
        item_id=f"{number:04d}.{k}",
        kind=made.kind,
        text=made.text,
        brief=made.brief,
        topic=made.topic,
        urgency=made.urgency,
        protects=made.protects,
        presses=made.presses,
        critical_key=made.critical_key,
        likely=made.claims[0].likely if made.claims else 0.0,
        read=bool(made.claims) and all(claim.read for claim in made.claims),
        agents=made.agents,
        cites=tuple(
            Cite(agent_id=agent, first_seq=first, last_seq=last) for agent, (first, last) in cites.items()
        ),
        evidence=resting(made.claims),
    )
