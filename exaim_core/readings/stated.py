"""Check decisions that a team states beside its words; tell them as stated, quoted, or as a report.

    decision ─▶ its words in the speaker's turn ─▶ `checking` ─▶ board

A decision is one more reading of words that everybody has: what it says has to stand there. Whether it is urgent is
read from the words, never from its kind. What the rules told of the same words already is not told again.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache, reduce
from typing import Final

from exaim_core.board.board import Board
from exaim_core.claims.claims import Claim, Kind, ListEnd, Part, Worth
from exaim_core.claims.consensus import is_view
from exaim_core.claims.quotes import MOST_WORDS, asks_for, quote_of
from exaim_core.grounding.sight import verbatim
from exaim_core.lexicon.kinds import names_condition, names_measure, names_test
from exaim_core.lexicon.options import without_letter
from exaim_core.readings.checking import Checked, RefusedClaim, check
from exaim_core.readings.entering import contradicts, says, spoken, typed
from exaim_core.readings.pending import in_place
from exaim_core.readings.port import Numbered, ReadClaim, ReadingRequest, ReadKind, ReadStance
from exaim_core.readings.quoting import quotation
from exaim_core.schema import Dropped
from exaim_core.text.cleaning import fold
from exaim_core.text.marks import plain
from exaim_core.text.names import is_moderator, person
from exaim_core.text.places import Source
from exaim_core.text.quantities import quantities
from exaim_core.text.sections import Section
from exaim_core.text.units import JsonBlock, Sentence, Unit
from exaim_core.text.wording import key_words, lower_first, word_count

MOST_UNITS: Final = 400  # units of one turn; the newest are kept
MOST_WAITING: Final = (
    16  # decisions whose words were not read yet; with more those of whoever speaks are entered
)
MOST_REFUSED: Final = 64
MOST_REPORTS: Final = 8  # reports in one case that are told without support
MOST_CITED: Final = 4  # sentences
NOT_THERE: Final = "its words are not in the turn"
TOLD: Final = "told by rule"
DIFFERS: Final = "rules and team differ"


class StatedKind(StrEnum):
    """What kind of decision a team states."""

    LEADING = "leading"
    ORDER = "order"
    PROHIBITION = "prohibition"
    FINAL = "final"


@dataclass(frozen=True, slots=True)
class Stated:
    """A decision: `text` is what it says, `rests_on` the words of the agent's turn that say so."""

    agent_id: str
    kind: StatedKind
    text: str
    rests_on: str
    seq: int
    at_s: float


_READ_AS: Final = {
    StatedKind.LEADING: ReadKind.LEADING,
    StatedKind.ORDER: ReadKind.ACTION,
    StatedKind.PROHIBITION: ReadKind.PROHIBITION,
    StatedKind.FINAL: ReadKind.DECISION,
}
_TOLD_AS: Final = {
    StatedKind.LEADING: frozenset({Kind.LEADING, Kind.CONCLUDES, Kind.QUOTE}),
    StatedKind.ORDER: frozenset(
        {Kind.ACTION, Kind.TEST, Kind.CAUTION, Kind.REVOKES, Kind.PRIORITY, Kind.QUOTE}
    ),
    StatedKind.PROHIBITION: frozenset({Kind.CAUTION, Kind.REVOKES, Kind.QUOTE}),
    StatedKind.FINAL: frozenset({Kind.CONCLUDES, Kind.LEADING, Kind.QUOTE}),
}
"""The rules' claims that say of a sentence what a decision of each kind would say."""


@dataclass(slots=True)
class _Turn:
    units: list[Unit] = field(default_factory=list)
    over: bool = False


class Statements:
    """The words of one case's turns, and the decisions that wait for their words to be read."""

    def __init__(self) -> None:
        self._turns: dict[str, list[_Turn]] = {}  # by agent: its last two turns
        self._speaking: set[str] = set()
        self._waiting: list[Stated] = []
        self._refused: deque[str] = deque(maxlen=MOST_REFUSED)  # reasons, since the last update
        self._reports = 0

    def speaks(self, agent_id: str) -> None:
        """Note that the agent's turn is open: more of its words may be read later."""
        self._speaking.add(agent_id)

    def hear(self, unit: Unit) -> None:
        """Note a unit of an agent's turn."""
        turns = self._turns.setdefault(unit.source.agent_id, [])
        self._speaking.add(unit.source.agent_id)
        if not turns or turns[-1].over:
            turns[:] = [*turns[-1:], _Turn()]
        turns[-1].units.append(unit)
        del turns[-1].units[:-MOST_UNITS]

    def add(self, stated: Stated) -> None:
        """Take a decision; `settle` enters it."""
        self._waiting.append(stated)

    def withdraw(self, agent_id: str, since: int) -> None:
        """Forget the agent's words from delta `since` on, and its waiting decisions."""
        self._waiting = [each for each in self._waiting if each.agent_id != agent_id]
        turns = self._turns.get(agent_id, [])
        turns[:] = [each for each in turns if each.units[0].source.first_seq < since]

    def take_refused(self) -> tuple[Dropped, ...]:
        """Return why decisions were not told as stated since the last call, one each."""
        found = tuple(Dropped(text_kind="decision", reason=reason) for reason in self._refused)
        self._refused.clear()
        return found

    def settle(self, agent_id: str, board: Board, *, ends: bool = False) -> bool:
        """Enter the agent's decisions whose words were read, or all if the turn `ends`; return if any was."""
        tried = False
        for stated in [each for each in self._waiting if each.agent_id == agent_id]:
            turn, cited = self._words_of(stated)
            last_call = ends or agent_id not in self._speaking or len(self._waiting) > MOST_WAITING
            if not last_call and not _is_read(turn, cited):
                continue
            self._waiting.remove(stated)
            tried = True
            reason = self._enter(stated, cited, board)
            if reason:
                self._refused.append(reason)
        if ends:
            self._speaking.discard(agent_id)
            for turn in self._turns.get(agent_id, ()):
                turn.over = True
        return tried

    def _words_of(self, stated: Stated) -> tuple[_Turn | None, list[Sentence]]:
        """Return the turn and the sentences that hold a decision's words; else the newest turn and []."""
        turns = self._turns.get(stated.agent_id, [])
        for turn in reversed(turns):
            if cited := standing_in(stated, turn.units):
                return turn, cited
        return (turns[-1] if turns else None), []

    def _enter(self, stated: Stated, cited: list[Sentence], board: Board) -> str:
        """Enter a decision; return why it is not told as stated, "" if it is or has been."""
        if not cited:
            self._report(stated, board)
            return NOT_THERE
        request = _request(stated, cited)
        numbers = tuple(each.number for each in request.sentences)
        found, unsaid = check(_as_claim(stated, cited, numbers), request)
        if isinstance(found, RefusedClaim):
            _quote_whole(stated, cited, board)
            return found.reason
        if is_told(stated, found, board):
            board.take_in(_typed(stated, found))
            return unsaid or TOLD
        rules = [each for each in board.changes.lately if each.source.meets(found.source)]
        if contradicts(found, rules):
            quote = found.quote or quotation(found.claim, found.cited)
            unsaid = DIFFERS
            if not quote:
                return unsaid
            found = replace(found, wording="", quote=quote, typed=False)
        _tell(stated, found, board)
        return unsaid

    def _report(self, stated: Stated, board: Board) -> None:
        """Tell a decision without support as the team's report, if it is short, and not too often."""
        words = _text(stated)
        if self._reports >= MOST_REPORTS or not 0 < word_count(words) <= MOST_WORDS:
            return
        source = Source(stated.agent_id, stated.seq, stated.seq, stated.at_s)
        claim = Claim(
            person(stated.agent_id), Kind.QUOTE, "", words, source, worth=Worth.REMARK, reported=True
        )
        if not any(words == old.text for old in board.quotes):
            self._reports += 1
            board.tell_read(claim)


def _quote_whole(stated: Stated, cited: Sequence[Sentence], board: Board) -> None:
    """Quote the words that do not support a decision, if they are short; else they go on the page."""
    words = " ".join(in_place(unit) for unit in cited)
    source = reduce(Source.to, (unit.source for unit in cited))
    if any(each.source.meets(source) for each in board.changes.lately) or word_count(words) > MOST_WORDS:
        return
    board.unquote(lambda quote: quote.source.meets(source))
    agent_id, worth = person(stated.agent_id), _worth(stated.agent_id, cited)
    board.tell_read(
        Claim(agent_id, Kind.QUOTE, "", words, source, worth=worth, stated=True, rules=_is_ruling(stated))
    )


def _is_read(turn: _Turn | None, cited: Sequence[Sentence]) -> bool:
    """Return whether the rules are done with the cited words, because a line after them was read too.

    What the rules keep open until the end of a line or a list would otherwise be told beside the decision.
    """
    if turn is None or not cited:
        return False
    if turn.over:
        return True
    last = cited[-1].line_no
    after = any(isinstance(unit, Sentence) and unit.line_no > last for unit in turn.units)
    return after and not any(unit.listed for unit in cited)


def standing_in(stated: Stated, units: Sequence[Unit]) -> list[Sentence]:
    """Return the sentences in which a decision's words stand one after the other, as written; else [].

    Markup, list marks and case are ignored. Of more than `MOST_CITED` those that say the most of it are taken.
    """
    wanted = _forms(_UNMARKED.sub("", stated.rests_on))
    if not wanted:
        return []
    for told in (_with_headings, _with_keys):
        stream = [(form, unit) for unit in units for form in _forms(told(unit))]
        forms = tuple(form for form, _ in stream)
        for at in range(len(forms) - len(wanted), -1, -1):
            if forms[at : at + len(wanted)] == wanted:
                there = [unit for _, unit in stream[at : at + len(wanted)] if isinstance(unit, Sentence)]
                return _fewer(stated, list({id(unit): unit for unit in there}.values()))
    return []


_UNMARKED: Final = re.compile(r"(?m)^[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]+|^[ \t]*#{1,6}[ \t]*")


@lru_cache(maxsize=4096)
def _forms(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+", plain(fold(text)).lower()))


def _with_headings(unit: Unit) -> str:
    return "" if isinstance(unit, JsonBlock) else unit.full if isinstance(unit, Sentence) else unit.text


def _with_keys(unit: Unit) -> str:
    return f"{unit.heading} {unit.full}" if isinstance(unit, Sentence) else ""


def _fewer(stated: Stated, units: list[Sentence]) -> list[Sentence]:
    if len(units) <= MOST_CITED:
        return units
    words = set(key_words(stated.text))
    best = sorted(units, key=lambda unit: -len(words & set(key_words(unit.full))))[:MOST_CITED]
    return [unit for unit in units if unit in best]


def _request(stated: Stated, cited: Sequence[Sentence]) -> ReadingRequest:
    """Return the cited sentences, numbered; a "Most Likely Diagnosis" above a view is no doubt about it."""
    leads = stated.kind is StatedKind.LEADING
    units = [
        replace(unit, heading="") if leads and unit.section is Section.LEADING else unit for unit in cited
    ]
    numbered = tuple(Numbered(number, unit, in_place(unit)) for number, unit in enumerate(units, start=1))
    return ReadingRequest(number=1, names={}, sentences=numbered)


def _text(stated: Stated) -> str:
    """Return what is decided in plain words, without the letter of an option."""
    return without_letter(plain(fold(stated.text)).strip(" ."))


def _as_claim(stated: Stated, cited: Sequence[Sentence], numbers: tuple[int, ...]) -> ReadClaim:
    """Return a decision as a reading: its text is the wording, and also its thing if that stands there."""
    text = _text(stated)
    entity = text if stated.kind is StatedKind.LEADING else lower_first(text)
    there = any(verbatim(entity, in_place(unit)) for unit in cited)
    return ReadClaim(
        kind=_READ_AS[stated.kind],
        holder=stated.agent_id,
        stance=ReadStance.AFFIRMED,
        slots={"entity": entity} if there else {},
        say=text,
        cites=numbers,
    )


def is_told(stated: Stated, found: Checked, board: Board) -> bool:
    """Return whether a claim that was told of the same words says what the decision says."""
    kinds = _TOLD_AS[stated.kind]
    here = (told for told in board.changes.lately if told.kind in kinds and told.source.meets(found.source))
    return any(says(told, stated.text) for told in here)


def _tell(stated: Stated, found: Checked, board: Board) -> None:
    """Tell a decision as stated if that is allowed, else as a quotation of the words that it rests on."""
    board.unquote(lambda quote: quote.source.meets(found.source))
    outright = [*_typed(stated, found)]
    if outright:
        board.apply(outright)
        board.take_in(_ruling(outright))
        return
    claim = spoken(found)
    worth = _worth(stated.agent_id, [each.unit for each in found.cited])
    board.tell_read(replace(claim, read=False, stated=True, worth=worth, rules=_is_ruling(stated)))


def _typed(stated: Stated, found: Checked) -> Iterable[Claim | ListEnd]:
    """Yield the decision as claims of the board; none if its kind may not stand."""
    agent_id, text = person(stated.agent_id), found.wording.strip(" .")
    base = Claim(agent_id, Kind.QUOTE, text, found.text, found.source, label=text, stated=True)
    kind = stated.kind
    if kind is StatedKind.FINAL and not _is_ruling(stated):
        kind = StatedKind.LEADING if _is_view(text) else StatedKind.ORDER  # it is one view among others
    match kind:
        case StatedKind.FINAL if text:
            yield replace(base, kind=Kind.CONCLUDES, part=Part.VIEW if _is_view(text) else Part.PLAN)
        case StatedKind.PROHIBITION if text:
            yield replace(base, kind=Kind.CAUTION, entity="", text=text, label="")
        case StatedKind.LEADING | StatedKind.ORDER:
            as_kind = replace(found, claim=replace(found.claim, kind=_READ_AS[kind]))
            yield from (
                replace(each, read=False, stated=True) if isinstance(each, Claim) else each
                for each in typed(as_kind, stated=True)
            )
        case _:
            return


def _is_ruling(stated: Stated) -> bool:
    """Return whether it is a chair's ruling."""
    return stated.kind is StatedKind.FINAL and is_moderator(stated.agent_id)


def _is_view(text: str) -> bool:
    """Return whether a diagnosis is decided: "digoxin toxicity" is one, though it names a drug."""
    to_do = names_measure(text) or names_test(text) or asks_for(text) or bool(quantities(text))
    return is_view(text) or (names_condition(text) and not to_do)


def _ruling(made: Sequence[Claim | ListEnd]) -> Iterable[Claim]:
    """Yield the chair's view as its ruling, for the answers and the page."""
    for each in made:
        if isinstance(each, Claim) and each.kind is Kind.CONCLUDES and each.part is Part.VIEW:
            yield replace(each, kind=Kind.LEADING, label=each.entity)


def _worth(agent_id: str, cited: Sequence[Sentence]) -> Worth:
    """Return the worth of the words themselves, as a quotation would have it."""
    quotes = [quote_of(person(agent_id), unit) for unit in cited]
    return max((quote.worth for quote in quotes if quote is not None), default=Worth.REMARK)
