"""Read what agents say, unit by unit, onto the board. It hears, and does not decide what to say.

A chunk goes through its agent's reader, which makes units (sentences or blocks), and its claim reader. The claims are
held against the record and checked a second time before they are entered. Work is cut into pieces of a few
milliseconds, and `pause` is awaited between them. A call that is cancelled there loses nothing: what was taken in is
read with what comes next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core.board.board import Board
from exaim_core.board.effects import Effects
from exaim_core.board.putting_right import disown, give_away, is_called_at, take_back
from exaim_core.claims.answering import answering
from exaim_core.claims.called_out import (
    apart,
    behind_its_question,
    called_out,
    is_crowded,
    under_what_was_announced,
)
from exaim_core.claims.claim_reader import ClaimReader
from exaim_core.claims.claims import Claim, Kind, Mark, Stance, Worth
from exaim_core.claims.contingent import on_its_terms
from exaim_core.claims.contrast import denied_of
from exaim_core.claims.cut_short import broken_off, told_of
from exaim_core.claims.elliptic import completed
from exaim_core.claims.given_away import given_away, taken_back, told_with
from exaim_core.claims.keyed import behind_its_key
from exaim_core.claims.quotes import quote_of, says_the_same
from exaim_core.claims.remarks import remarks_in, said_in
from exaim_core.claims.ruling import ruling_of
from exaim_core.claims.short_turn import ShortTurn
from exaim_core.claims.terse_orders import Reply
from exaim_core.claims.written_out import written_out
from exaim_core.followups import NOTHING, FollowUp, FollowUps, Made
from exaim_core.grounding.alarms import looked_at
from exaim_core.lexicon.brevity import FINDING_WORDS
from exaim_core.patient.conflicts import PaperValues, corrections_in
from exaim_core.patient.hazards import Hazards
from exaim_core.readings.pending import Readings, ReadUnit, ReleasedSegment
from exaim_core.readings.splitting import enter, enter_end
from exaim_core.readings.stated import Statements
from exaim_core.text.cleaning import TextCleaner
from exaim_core.text.names import first_titled, is_moderator, person
from exaim_core.text.reader import Reader
from exaim_core.text.slices import in_slices
from exaim_core.text.token_gate import FELL_SILENT, Chunk
from exaim_core.text.units import Heading, Sentence, Unit
from exaim_core.text.wording import word_count
from exaim_core.words.evidence import Ear

Work = Generator[None, None, None]
"""Work that may be left and resumed wherever it yields."""
Pause = Callable[[], Awaitable[None]]
_READ: Final = object()
NAME_WORDS: Final = 3  # of a speaker, before what is told


@dataclass(kw_only=True)
class Hearing:
    """The readers of one case's agents. `said` and `ear` collect what was heard; the owner empties them.

    `state` takes the values that each unit states. `decided`: a decision that a team stated beside its words was looked
    at since the owner last reset this. `cut`: agents whose answer was cut off before its end. `patient`: who was first
    addressed by name and title, which is either the patient or somebody whose values are not spoken; `others`: who is
    addressed so and is not the patient.
    `words`: how many words all sentences so far hold. `effects`: what each turn took off the board.
    `hidden_whole`: passages that were cut out of texts that came whole.
    """

    board: Board
    record: PaperValues | None
    hazards: Hazards
    said: list[Unit]
    state: Callable[[Unit], None]
    ear: Ear
    stated: Statements
    readings: Readings | None
    pause: Pause
    decided: bool = False
    cut: set[str] = field(default_factory=set)
    patient: str = ""
    others: set[str] = field(default_factory=set)
    words: int = 0
    hidden_whole: int = 0
    followups: FollowUps = field(init=False)
    effects: Effects = field(init=False)
    _cleaners: dict[str, TextCleaner] = field(default_factory=dict)
    _readers: dict[str, Reader] = field(default_factory=dict)
    _claims: dict[str, ClaimReader] = field(default_factory=dict)
    _turns: dict[str, ShortTurn] = field(default_factory=dict)  # the open ones
    _to_read: deque[tuple[str, Work]] = field(default_factory=deque)  # with who said it, in order
    _segment: ReleasedSegment | None = None  # the one being read
    _is_crowded: bool = False  # its turn says too much for a call in a few words

    def __post_init__(self) -> None:
        self.followups = FollowUps(self.board)
        self.effects = Effects(self.board)

    def cleaner(self, agent_id: str) -> TextCleaner:
        """Return the cleaner of an agent's text."""
        if agent_id not in self._cleaners:
            self._cleaners[agent_id] = TextCleaner()
        return self._cleaners[agent_id]

    @property
    def agents(self) -> tuple[str, ...]:
        """Return the agents that were heard, in the order of their first words."""
        return tuple(self._readers)

    def rests(self, agent_id: str) -> bool:
        """Return whether what was read of an agent so far ends with a whole sentence or line."""
        return self._readers[agent_id].rests

    @property
    def hidden(self) -> int:
        """Return how many passages of thinking were cut out of all agents' text."""
        return self.hidden_whole + sum(cleaner.hidden for cleaner in self._cleaners.values())

    def last_of(self, chunk: Chunk) -> Chunk:
        """Return the last chunk of an agent's turn, with text that was held back for a tag that never came."""
        held = self.cleaner(chunk.agent_id).end_turn()
        if held and chunk.pieces:
            last = chunk.pieces[-1]
            pieces = (*chunk.pieces[:-1], replace(last, chars=last.chars + len(held)))
            return replace(chunk, text=chunk.text + held, pieces=pieces)
        if held:
            self.cleaner(chunk.agent_id).places.take_back(len(held))
        return chunk

    def forget_held(self, agent_id: str) -> None:
        """Forget what an agent's open turn left waiting, as it broke off: text held back for a tag, short sentences."""
        self._turns.pop(agent_id, None)
        cleaner = self.cleaner(agent_id)
        cleaner.places.take_back(len(cleaner.end_turn()))

    def untold_from(self) -> dict[str, int]:
        """Return for each agent the `seq` of its first delta that is unread or whose list is still open."""
        begun = self.board.lists.open_from
        for agent, reader in self._readers.items():
            if (seq := reader.pending_from_seq) is not None:
                begun[agent] = min(seq, begun.get(agent, seq))
        return begun

    async def take_in(self, chunk: Chunk, *, whole: bool, ask: bool) -> None:
        """Read a chunk, and its agent's turn end if `whole`; `ask` a model, if there is one, to read it too."""
        reader = self._readers.get(chunk.agent_id)
        if reader is None:
            reader = self._readers[chunk.agent_id] = Reader(
                chunk.agent_id, self.cleaner(chunk.agent_id).places
            )
            self._claims[chunk.agent_id] = ClaimReader(person(chunk.agent_id))
        claims = self._claims[chunk.agent_id]
        if self.readings is not None and self._segment is None:
            self._segment = ReleasedSegment(chunk.agent_id)
        self._to_read.append((person(chunk.agent_id), self._whole(reader, claims, chunk, ends=whole)))
        while self._to_read:
            agent_id, work = self._to_read[0]
            with self.effects.of(agent_id):  # nothing else changes the board until it is read
                while next(work, _READ) is not _READ:
                    await self.pause()
                self._to_read.popleft()
            await self.pause()
        if self.readings is not None and self._segment is not None:
            self.readings.offer(self._segment, ask=ask)
            self._segment = None
            if whole and chunk.reason != FELL_SILENT:
                self.readings.end_turn(chunk.agent_id)

    def of_turn(self, segment: ReleasedSegment) -> AbstractContextManager[None]:
        """Note what a model's reading of a segment takes off, if its turn is still open; use it as a context."""
        agent_id = segment.agent_id
        is_open = self.readings is not None and self.readings.turn(agent_id) == segment.turn
        return self.effects.of(person(agent_id)) if is_open else nullcontext()

    def _whole(self, reader: Reader, claims: ClaimReader, chunk: Chunk, *, ends: bool) -> Work:
        """Read a chunk, and the end of a turn if it `ends`; other sessions may run wherever this yields."""
        if chunk.pieces:
            if self.board.floor.spoke(person(chunk.agent_id), chunk.pieces[0].seq):
                self.effects.begin(person(chunk.agent_id))
            self.board.replying.begin(chunk.agent_id)
            yield
            for each in in_slices(chunk):
                yield from self._units(claims, reader.push(each))
        if ends:
            most = told_of(reader.held) if chunk.agent_id in self.cut else None
            self.cut.discard(chunk.agent_id)
            yield from self._units(claims, reader.end_turn(most=most), ends=True)
            answered, turn = self.board.replying.context(chunk.agent_id), claims.turn
            whole_turn = self.board.replying.is_whole(chunk.agent_id)
            ended = answering(claims.end_turn(), answered, turn, whole=whole_turn)
            enter_end(ended, self.board, self._segment)
            left = self._turns.pop(chunk.agent_id, ShortTurn()).left(person(chunk.agent_id), answered)
            for quote in left if self._segment is None else ():  # else a model reads them
                self.board.quote(quote)
            self.followups.end_turn(chunk.agent_id, ended)
            self.board.floor.fell_silent(person(chunk.agent_id), rests=chunk.reason == FELL_SILENT)
            self.board.replying.end(chunk.agent_id)
            self.board.labels.end_turn(chunk.agent_id)
            self.board.asked.end_turn(chunk.agent_id)
        self.decided |= self.stated.settle(chunk.agent_id, self.board, ends=ends)

    def _units(self, claims: ClaimReader, units: list[Unit], *, ends: bool = False) -> Work:
        """Read units; they are the last ones of their turn if it `ends`."""
        yield
        units = [unit for unit in units if not _is_empty(unit)]
        sentences = [each for each in units if isinstance(each, Sentence)]
        self._is_crowded = is_crowded([*claims.turn, *sentences], goes_on=not ends)
        for unit in units:
            for part in (parts := self._apart(unit)):
                yield from self._read(claims, part, last=ends and unit is units[-1] and part is parts[-1])
        for unit in units:
            self.board.remark(remarks_in((unit,)))
            yield

    def _apart(self, unit: Unit) -> tuple[Unit, ...]:
        return apart(unit, self.board.replying.question(unit)) if isinstance(unit, Sentence) else (unit,)

    def _read(self, claims: ClaimReader, unit: Unit, *, last: bool) -> Work:
        if isinstance(unit, Sentence) and self.board.replying.quotes(unit):
            return  # somebody else's words, which were read where they were said
        unit = self._labelled(unit, claims)
        if last and isinstance(unit, Sentence):
            unit = broken_off(unit)
        self.said.append(unit)
        self.state(unit)
        yield
        self.stated.hear(unit)
        self.board.hear(said_in(unit))
        if self.record is not None:
            self.board.apply(self.record.conflicts_in((unit,)))
        yield
        before = claims.before(unit) if isinstance(unit, Sentence) else ()
        replies = self.board.replying.replies(unit) if isinstance(unit, Sentence) else Reply.NONE
        made = claims.read((unit,), replies)
        yield
        quote, found, away, back = None, NOTHING, None, None
        if isinstance(unit, Sentence):
            away, back = given_away(unit, before), self._taken_back(unit, before)
            made, quote, found = self._of_sentence(claims, unit, before, made, away or back)
        if found.fallen:
            disown(self.board, found.fallen, unit.source)
            self.hazards.disown(found.fallen)
        if away is not None:
            self.hazards.give_away(away.source)
        if found.over is None or not found.over.wrong:
            self.board.apply(corrections_in((unit,)))
        enter(ReadUnit(unit, held=tuple(made), quote=quote), self.board, self._segment)
        self._turns.setdefault(unit.source.agent_id, ShortTurn()).hear(unit, made, quote)
        self.followups.tell(found, unit, (*made, quote))
        if away is not None:
            give_away(self.board, away.source, unit.source)
        elif back is not None:
            take_back(self.board, back.source, unit.source)
        yield
        hazards = self.hazards.read(unit, made)
        self.board.following.state_allergies(self.hazards.newly_allergic, unit.source)
        self.board.following.repeat_allergies(self.hazards.allergic_again, unit.source)
        if self.board.end_hazards(self.hazards.ended, unit.source) and isinstance(unit, Sentence):
            self.followups.tell_end(unit, [*self.hazards.ended.values()])
        if self.hazards.disproved and isinstance(unit, Sentence):
            self.followups.tell_none(unit, self.hazards.disproved)
        self.board.alarms.no_allergies = self.hazards.no_allergies
        self.board.apply(looked_at(hazards, unit)[0] if isinstance(unit, Sentence) else hazards)
        if not isinstance(unit, Heading):
            self.board.numbers.state(unit.source.agent_id, unit.text, unit.source.first_seq)
        yield

    def _labelled(self, unit: Unit, claims: ClaimReader) -> Unit:
        """Return a unit with its labels ("option B") resolved; note the labels that it defines."""
        if isinstance(unit, Sentence):
            question = self.board.replying.question(unit)
            before = claims.before(unit)
            unit = under_what_was_announced(on_its_terms(behind_its_key(unit), before), before)
            placed = self.board.asked.placed(self.board.options.named(self.board.labels.named(unit)))
            unit = completed(behind_its_question(placed, question), question)
            return self.board.following.named(unit)
        if isinstance(unit, Heading):
            self.board.labels.title(unit)
        return unit

    def _of_sentence(
        self,
        claims: ClaimReader,
        unit: Sentence,
        before: Sequence[Sentence],
        made: Sequence[Made],
        away: Sentence | None,
    ) -> tuple[list[Made], Claim | None, FollowUp]:
        """Return a sentence's claims (checked twice), its quotation, and what it follows up.

        `away`: the sentence before it that it gives to somebody else or takes back.
        """
        agent, is_kept = person(unit.source.agent_id), claims.keeps(unit)
        self.board.replying.hear(unit)
        answers = self.board.replying.context(unit.source.agent_id)
        whole = self.board.replying.is_whole(unit.source.agent_id)
        denied = denied_of(unit.full, self.board.said, unit.source)
        quote = quote_of(agent, unit, before, answers, whole=whole, heard=self.words, denied=denied)
        presses = quote is not None and quote.worth.presses
        made = self._with_what_is_called_out(unit, before, answers, made, presses=presses)
        held = answering(made, answers, before, whole=whole)
        self.words += word_count(unit.full)
        self.ear.hear(unit, held, used=quote is not None or is_kept)
        if away is not None:
            quote = told_with(unit, away) or quote
        elif quote is not None and (is_kept or says_the_same(quote.worth, held)):
            quote = None
        if quote is not None:
            held = _without_twins(held, quote)
        if not unit.doubted and (ruling := ruling_of(agent, unit)) is not None:
            self.board.rule(ruling)
        self.patient = self.patient or first_titled(unit.full, self.others)
        earlier = before[-1] if before and before[-1].line_no == unit.line_no else None
        held, doubted = looked_at(held, unit, earlier, self.patient)
        quote = doubted or quote
        found = self.followups.found(unit, before, (*held, quote), is_kept=is_kept)
        return *found.told_once(held, quote), found

    def _taken_back(self, unit: Sentence, before: Sequence[Sentence]) -> Sentence | None:
        """Return the sentence with a finding or a view that `unit` takes back; None for none, or for an alarm."""
        away = taken_back(unit, before)
        return away if away is not None and is_called_at(self.board, away.source) else None

    def _with_what_is_called_out(
        self,
        unit: Sentence,
        before: Sequence[Sentence],
        answers: Sequence[Sentence],
        made: Sequence[Made],
        *,
        presses: bool,
    ) -> Sequence[Made]:
        """Return `made` with what `unit` calls out or writes out in prose, unless a claim of it is told already.

        Prose that `presses` is quoted as it is.
        """
        too_long = any(map(_is_too_long, made))
        if unit.doubted or any(_is_told(each) and not (too_long and _is_measured(each)) for each in made):
            return made
        agent, views, glossary = person(unit.source.agent_id), self.board.views, self.board.glossary

        def may_lead(view: str) -> bool:
            known = [lead.claim.entity for lead in views.leads.values()]
            new = agent not in views.leads and not is_moderator(agent)
            return new and all(glossary.same(each, view) for each in known)

        claim = called_out(agent, unit, before, answers, may_lead, alone=not self._is_crowded)
        claim = claim or (None if presses else written_out(agent, unit, before, may_lead))
        if claim is None:
            return made
        return [*(each for each in made if not (_is_for_the_page(each) or _is_too_long(each))), claim]


def _is_told(made: Made) -> bool:
    """Return whether a claim is told by itself; that there is none of something takes only orders off."""
    if not isinstance(made, Claim) or _is_for_the_page(made):
        return False
    return made.kind is not Kind.REVOKES or made.stance is Stance.WITHDRAWS


def _is_too_long(made: Made) -> bool:
    """Return whether a claim is a plain finding of too many words to be told as one."""
    if not isinstance(made, Claim) or made.kind is not Kind.FINDING or made.mark is not None or made.entity:
        return False
    return word_count(made.text) > FINDING_WORDS - NAME_WORDS


def _is_measured(made: Made) -> bool:
    """Return whether a claim is a plain finding too long to be told, or an alarm, which is told before it anyway."""
    return _is_too_long(made) or (isinstance(made, Claim) and made.kind is Kind.CRITICAL)


def _is_for_the_page(made: Made) -> bool:
    return isinstance(made, Claim) and made.mark is Mark.PAGE


def _without_twins(made: Sequence[Made], quote: Claim) -> list[Made]:
    """Return `made` without findings whose words a correction, or an order beside an alarm, tells as well."""
    alarmed = any(isinstance(each, Claim) and each.critical is not None for each in made)
    if quote.worth is not Worth.CORRECTION and not (alarmed and quote.worth is Worth.URGENT):
        return [*made]
    return [
        each
        for each in made
        if not (isinstance(each, Claim) and each.kind is Kind.FINDING and quote.text in each.text)
    ]


def _is_empty(unit: Unit) -> bool:
    """Return whether a sentence has no letter, digit or sign: a dot out of a row of dots."""
    return isinstance(unit, Sentence) and not unit.full.strip(" .")
