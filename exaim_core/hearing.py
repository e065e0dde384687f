"""What agents say, read unit by unit onto the board: the part of the engine that hears and decides nothing.

A chunk goes through its agent's reader and its reader of claims; what these find is held against the record and
looked at a second time before it is entered. Work is cut in pieces of a few milliseconds, and `pause` is awaited
between them. Who is cancelled there loses nothing: what was taken in is read with what comes next.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core.board.board import Board
from exaim_core.board.overturning import Order, Overturned, offers
from exaim_core.board.replying import Turn
from exaim_core.claims.answering import answering
from exaim_core.claims.claim_reader import ClaimReader
from exaim_core.claims.claims import PAGE, TOLD, Claim, Kind, ListEnd, Stance
from exaim_core.claims.limits import analytes_named
from exaim_core.claims.quotes import Worth, in_own_words, quote_of, says_the_same, worth_in
from exaim_core.claims.remarks import remarks_in, said_in
from exaim_core.claims.ruling import ruling_of
from exaim_core.exchange import Exchange
from exaim_core.grounding.alarms import looked_at, told_words
from exaim_core.lexicon.alone import hangs
from exaim_core.lexicon.named import is_bare_condition
from exaim_core.lexicon.things import things
from exaim_core.patient.conflicts import Record, corrections_in
from exaim_core.patient.hazards import Hazards
from exaim_core.readings.pending import Read, Readings, Segment
from exaim_core.readings.splitting import enter, enter_end
from exaim_core.readings.stated import Statements
from exaim_core.text.cleaning import TextCleaner
from exaim_core.text.names import first_titled, person
from exaim_core.text.reader import Reader
from exaim_core.text.slices import in_slices
from exaim_core.text.token_gate import Chunk
from exaim_core.text.units import Heading, Sentence, Unit
from exaim_core.text.wording import upper_first
from exaim_core.words.evidence import Ear

Work = Generator[None, None, None]
"""Work that may be left and gone on with wherever it yields."""
Pause = Callable[[], Awaitable[None]]
_READ: Final = object()


@dataclass(kw_only=True)
class Hearing:
    """The readers of one case's agents. `said` and `ear` collect what was heard; their owner empties them.

    `decided`: a decision that a team stated beside its words was looked at since the owner last reset this.
    `cut`: agents whose words, as far as they have come, were ended before their end. `patient`: who is called by name
    and title first, which is the patient or nobody whose values are told; `others`: who is called so and is not.
    """

    board: Board
    record: Record | None
    hazards: Hazards
    said: list[Unit]
    ear: Ear
    stated: Statements
    readings: Readings | None
    pause: Pause
    decided: bool = False
    cut: set[str] = field(default_factory=set)
    patient: str = ""
    others: set[str] = field(default_factory=set)
    exchange: Exchange = field(default_factory=Exchange)
    _cleaners: dict[str, TextCleaner] = field(default_factory=dict)
    _readers: dict[str, Reader] = field(default_factory=dict)
    _claims: dict[str, ClaimReader] = field(default_factory=dict)
    _to_read: deque[Work] = field(default_factory=deque)  # in order
    _segment: Segment | None = None  # that is being read

    def cleaner(self, agent_id: str) -> TextCleaner:
        """Return the cleaner of an agent's text."""
        return self._cleaners.setdefault(agent_id, TextCleaner())

    @property
    def agents(self) -> tuple[str, ...]:
        """Return who was heard, in the order of their first words."""
        return tuple(self._readers)

    @property
    def hidden(self) -> int:
        """Return how many characters of thinking were cut out."""
        return sum(cleaner.hidden for cleaner in self._cleaners.values())

    def last_of(self, chunk: Chunk) -> Chunk:
        """Return the last chunk of an agent's turn, with what its cleaner held back for a tag that never came."""
        held = self.cleaner(chunk.agent_id).end_turn()
        if held and chunk.pieces:
            last = chunk.pieces[-1]
            pieces = (*chunk.pieces[:-1], replace(last, chars=last.chars + len(held)))
            return replace(chunk, text=chunk.text + held, pieces=pieces)
        if held:
            self.cleaner(chunk.agent_id).places.take_back(len(held))
        return chunk

    def untold_from(self) -> dict[str, int]:
        """Return for each agent the number of its first delta that is not read yet, or whose list is open."""
        begun = self.board.lists.open_from
        for agent, reader in self._readers.items():
            if (seq := reader.pending_from_seq) is not None:
                begun[agent] = min(seq, begun.get(agent, seq))
        return begun

    async def take_in(self, chunk: Chunk, *, whole: bool, ask: bool) -> None:
        """Read a chunk, and the end of its agent's turn if `whole`; `ask` a model to read it too, if there is one."""
        reader = self._readers.get(chunk.agent_id)
        if reader is None:
            reader = self._readers[chunk.agent_id] = Reader(
                chunk.agent_id, self.cleaner(chunk.agent_id).places
            )
            self._claims[chunk.agent_id] = ClaimReader(person(chunk.agent_id))
        claims = self._claims[chunk.agent_id]
        if self.readings is not None and self._segment is None:
            self._segment = Segment(chunk.agent_id)
        self._to_read.append(self._whole(reader, claims, chunk, ends=whole))
        while self._to_read:
            if next(self._to_read[0], _READ) is _READ:
                self._to_read.popleft()
            await self.pause()
        if self.readings is not None and self._segment is not None:
            self.readings.offer(self._segment, ask=ask)
            self._segment = None
            if whole:
                self.readings.end_turn(chunk.agent_id)

    def _whole(self, reader: Reader, claims: ClaimReader, chunk: Chunk, *, ends: bool) -> Work:
        """Read a chunk, and the end of a turn; other sessions may have their turn wherever it yields."""
        if chunk.pieces:
            self.board.floor.spoke(person(chunk.agent_id), chunk.pieces[0].seq)
            self.exchange.begin(chunk.agent_id)
            yield
            for each in in_slices(chunk):
                yield from self._units(claims, reader.push(each))
        if ends:
            cut = chunk.agent_id in self.cut
            self.cut.discard(chunk.agent_id)
            yield from self._units(claims, reader.end_turn(cut=cut))
            ended = answering(claims.end_turn(), self.exchange.last(chunk.agent_id))
            enter_end(ended, self.board, self._segment)
            self._note(ended)
            self._tell_refusal(chunk.agent_id)
            self.board.floor.fell_silent(person(chunk.agent_id))
            self.exchange.end(chunk.agent_id)
        self.decided |= self.stated.settle(chunk.agent_id, self.board, ends=ends)

    def _units(self, claims: ClaimReader, units: list[Unit]) -> Work:
        yield
        for unit in units:
            yield from self._read(claims, unit)
        for unit in units:
            self.board.remark(remarks_in((unit,)))
            yield

    def _read(self, claims: ClaimReader, unit: Unit) -> Work:
        if isinstance(unit, Sentence) and self.exchange.quotes(unit):
            self._hear_quoted(unit)
            return  # somebody else's words: read where they were said
        self.said.append(unit)
        self.stated.hear(unit)
        self.board.hear(said_in(unit))
        if self.record is not None:
            self.board.apply(self.record.conflicts_in((unit,)))
        self.board.apply(corrections_in((unit,)))
        yield
        before = claims.before(unit) if isinstance(unit, Sentence) else ()
        made = claims.read((unit,))
        yield
        quote = again = over = None
        if isinstance(unit, Sentence):
            self.exchange.hear(unit)
            answers = self.exchange.last(unit.source.agent_id)
            made = answering(made, answers)
            quote = quote_of(person(unit.source.agent_id), unit, before, answers)
            self.ear.hear(unit, made, used=quote is not None or claims.keeps(unit))
            if quote is not None and (says_the_same(worth_in(quote), made) or claims.keeps(unit)):
                quote = None
            if (ruling := ruling_of(person(unit.source.agent_id), unit)) is not None:
                self.board.rule(ruling)
            self.patient = self.patient or first_titled(unit.full, self.others)
            earlier = before[-1] if before and before[-1].line_no == unit.line_no else None
            made, doubted = looked_at(made, unit, earlier, self.patient)
            quote = doubted or quote
            again, over = self._later(claims, unit, before, (*made, quote))
            if again is not None:
                made = [_told_otherwise(each, again, over) for each in made]
                made = [_without(each, over.order) for each in made] if over is not None else made
                quote = None if quote is not None and _is_told_in(quote, again, over) else quote
        enter(Read(unit, held=tuple(made), quote=quote), self.board, self._segment)
        told = over is not None
        if again is not None:
            told = self.board.follow_up(again, (over.name or over.words) if over is not None else "")
        if over is not None and told:
            self.board.overturning.use(over, unit.source)
        self._note((*made, quote))
        self._note_beside(unit, again if told and over is None else None)
        yield
        found = self.hazards.read(unit, made)
        self.board.following.state_allergies(self.hazards.newly_allergic, unit.source)
        self.board.apply(looked_at(found, unit)[0] if isinstance(unit, Sentence) else found)
        if not isinstance(unit, Heading):
            self.board.numbers.state(unit.source.agent_id, unit.text)
        yield

    def _later(
        self,
        claims: ClaimReader,
        unit: Sentence,
        before: Sequence[Sentence],
        made: Iterable[Claim | ListEnd | None],
    ) -> tuple[Claim | None, Overturned | None]:
        """Return what `unit` says of something that was told, in its words, and the order that falls by it.

        None for the words where `made` of it, or nothing, tells so.
        """
        overturning = self.board.overturning
        overturning.replying.hear(unit, self._turn(unit), self._is_speaking)
        overturning.hold(unit)
        made = [*made]
        again = _follow_up(self.board, unit, before, [each for each in made if each is not None])
        if again is not None:
            return again, None
        over = overturning.overturned(unit)
        if over is None or (claims.keeps(unit) and not overturning.is_own(over.order)):
            return None, None
        if any(_tells_so(each, over, unit) for each in made):
            return None, over
        again = _overturned(over, unit, before)
        return again, over if again is not None else None

    def _hear_quoted(self, unit: Sentence) -> None:
        """Note which sentence a line quotes: a "no" below it answers that one."""
        for said in self.exchange.last(unit.source.agent_id)[:1]:
            self.board.overturning.replying.quote(said.source, self._turn(unit), self._is_speaking)

    def _turn(self, unit: Sentence) -> Turn:
        return unit.source.agent_id, self.board.floor.begun(person(unit.source.agent_id))

    def _is_speaking(self, agent_id: str) -> bool:
        return self.board.floor.is_speaking(person(agent_id))

    def _tell_refusal(self, agent_id: str) -> None:
        """Tell that the agent's turn refuses an order without naming it: it is over, and permits nothing."""
        overturning = self.board.overturning
        if (held := overturning.take_held(agent_id)) is None:
            return
        over, unit = held
        again = _overturned(over, unit, ())
        if again is not None and self.board.follow_up(again, over.words):
            overturning.use(over, unit.source)

    def _note_beside(self, unit: Unit, again: Claim | None) -> None:
        """Note what was followed up, and a drug that is given with its dose: it may be overturned, too."""
        if again is not None:
            self.board.overturning.tell(again)
        elif isinstance(unit, Sentence) and offers(unit):
            claim = Claim(person(unit.source.agent_id), Kind.QUOTE, "", unit.full, unit.source)
            self.board.overturning.tell(claim)

    def _note(self, made: Iterable[Claim | ListEnd | None]) -> None:
        """Note what was asked for or forbidden: it may be overturned."""
        for claim in made:
            if isinstance(claim, Claim) and _asks_or_forbids(claim):
                self.board.overturning.tell(claim)


def _follow_up(
    board: Board, unit: Sentence, before: Sequence[Sentence], made: list[Claim | ListEnd]
) -> Claim | None:
    """Return what `unit` says about a thing that was told, in its words; None if it says nothing else of one."""
    found = board.following.follow_up(unit, made)
    words = told_words(unit.full, found[1]) if found is not None else ""
    if found is None or not words or unit.full.partition(words)[2].startswith(","):
        return None  # cut at a comma it may say half
    if is_bare_condition(words):
        return None
    agent, worth = person(unit.source.agent_id), Worth.VALUES
    named = any(each.limit is not None and each.limit.name == found[0] for each in analytes_named(words))
    if named and hangs(words):
        joined = in_own_words(agent, words, unit, before, worth)
        if joined is not None or not any(map(_puts_right, made)):
            return joined
        named = False  # what puts an alarm right is told behind the alarm's name
    what = "" if named else found[0]
    return Claim(agent, Kind.QUOTE, what, words, unit.source, raw=str(int(worth)), under=unit.section)


def _puts_right(claim: Claim | ListEnd) -> bool:
    """Tell whether a claim takes an alarm off: its value is back within the limits, or was never so."""
    return isinstance(claim, Claim) and claim.kind is Kind.CRITICAL and claim.stance is not Stance.PROPOSES


def _overturned(over: Overturned, unit: Sentence, before: Sequence[Sentence]) -> Claim | None:
    """Return the words of `unit` that overturn what was told; None if they are too many."""
    name = over.name
    if over.words:
        agent, order = person(unit.source.agent_id), over.order
        rests_on = (Claim(order.source.agent_id, Kind.QUOTE, "", order.text, order.source),)
        what, raw = order.called, str(int(Worth.CORRECTION))
        return Claim(agent, Kind.QUOTE, what, over.words, unit.source, raw=raw, rests_on=rests_on)
    words = told_words(unit.full, name).lstrip(" >→*•")
    bare = _OF_ITSELF.sub("", words)
    words = bare if name in bare else words
    agent, worth = person(unit.source.agent_id), Worth.CORRECTION
    return in_own_words(agent, words, unit, before, worth) if words else None


def _tells_so(claim: Claim | ListEnd | None, over: Overturned, unit: Sentence) -> bool:
    """Tell whether a claim of a sentence says by itself, and as early, that what it names is kept from or put right."""
    if not isinstance(claim, Claim) or not over.name or not claim.tells_of(over.name):
        return False
    if not claim.source.meets(unit.source):
        return False  # a caution that was kept open until now
    if claim.kind is Kind.QUOTE:
        return worth_in(claim).presses
    return claim.kind in _PUTS_RIGHT or (
        claim.kind is Kind.REVOKES and (claim.stance is Stance.WITHDRAWS or claim.entity == TOLD)
    )


def _asks_or_forbids(claim: Claim) -> bool:
    if claim.kind is Kind.QUOTE:
        return worth_in(claim) in {Worth.ORDER, Worth.URGENT, Worth.PROHIBITION}
    return claim.kind in {Kind.ACTION, Kind.CAUTION} and claim.entity != PAGE


_OF_ITSELF: Final = re.compile(r"\A[^:.]*\b(?:I|[Mm]y|[Ww]e|[Oo]ur)\b[^:.]*: (?=.)")
"""What a speaker says of itself before what it says of the thing: "I accept that ruling: heparin waits"."""
_PUTS_RIGHT: Final = frozenset({Kind.CAUTION, Kind.CRITICAL, Kind.CORRECTION})


def _without(claim: Claim | ListEnd, order: Order) -> Claim | ListEnd:
    """Return a caution without the sentence before it that gives the order which stands no more."""
    if (
        not isinstance(claim, Claim)
        or claim.kind is not Kind.CAUTION
        or not claim.text.startswith(order.text)
    ):
        return claim
    rest = claim.text.removeprefix(order.text).lstrip(" .;")
    return replace(claim, text=upper_first(rest)) if rest else claim


def _told_otherwise(claim: Claim | ListEnd, again: Claim, over: Overturned | None) -> Claim | ListEnd:
    """Return a finding for the page only if its words are told in those of `again`."""
    told = isinstance(claim, Claim) and claim.kind is Kind.FINDING and _is_told_in(claim, again, over)
    return replace(claim, entity=PAGE) if isinstance(claim, Claim) and told else claim


def _is_told_in(claim: Claim, again: Claim, over: Overturned | None) -> bool:
    """Tell whether the words of `claim`, but for what a speaker says of itself before them, are in those of `again`.

    What answers an order is told behind what that is called, and not behind the sentence before it.
    """
    if over is not None and over.words and over.words.lower() in claim.text.lower():
        return True
    lead = _OF_ITSELF.match(claim.text)
    words = claim.text[lead.end() :] if lead is not None and not things(lead.group()) else claim.text
    return words.strip(" ;.,").lower() in again.text.lower()
