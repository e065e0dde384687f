"""Follow the questions to the team until they are answered, or silent for too long. Pure."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.inbox import MessageKind, TeamMessage
from agents.stream import THOUGHT, EventType, StreamEvent, TurnMark
from exaim_core import spoken_name
from exaim_core.text.marks import plain
from exaim_live.thinking import split_whole
from realtime.team.long_words import cut_long_words

ANSWER_WITHIN_MS: Final = 60_000  # then it is told that nobody has answered
MOST_WORDS: Final = 60  # of one answer aloud: half a minute; the page has all of it
MOST_ANSWERS: Final = 4  # aloud to one question; the page has the others
MOST_OPEN: Final = 64  # turns and messages that are kept in mind
MOST_CHARS: Final = 8_000  # of one turn: what is beyond is not quoted
ON_THE_PAGE: Final = "The rest is on the page."
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z\d\"“])")
_ENDS: Final = frozenset({EventType.END, EventType.ERROR})


@dataclass(frozen=True, slots=True)
class TeamAnswer:
    """An agent's turn that answers a message, as it is told."""

    message_id: str
    agent_id: str
    turn: int
    text: str


@dataclass(slots=True)
class _Turn:
    reply_to: str
    agent_id: str
    turn: int
    text: str = ""


@dataclass(slots=True)
class Inquiries:
    """Follows messages to the team and the turns that answer them, by their ids alone.

    Both may come first: a new voice reads the events and the messages side by side. The same ones again give
    the same answers, whose ids are the same.
    """

    _asked: OrderedDict[str, TeamMessage] = field(default_factory=OrderedDict)
    _answered: dict[str, int] = field(default_factory=dict)  # how many answers a message has
    _told: set[str] = field(default_factory=set)  # of these it was told that nobody has answered
    _open: OrderedDict[tuple[str, int], _Turn] = field(default_factory=OrderedDict)
    _early: list[TeamAnswer] = field(default_factory=list)  # to messages that are not known yet

    def sent(self, message: TeamMessage) -> list[TeamAnswer]:
        """Take a message that is in the team's inbox; return what answered it already."""
        if message.id in self._asked or message.kind not in (MessageKind.QUESTION, MessageKind.FACT):
            return []
        self._asked[message.id] = message
        while len(self._asked) > MOST_OPEN:
            gone, _ = self._asked.popitem(last=False)
            self._told.discard(gone)
        found = [each for each in self._early if each.message_id == message.id]
        self._early = [each for each in self._early if each.message_id != message.id]
        return [each for each in found if self._counts(each)]

    def saw(self, events: Sequence[StreamEvent]) -> list[TeamAnswer]:
        """Take events of the agents; return the answers that are complete by them, in order."""
        found: list[TeamAnswer] = []
        for event in events:
            found += [each for each in self._follow(event) if each.text and self._is_known(each)]
        return found

    def overdue(self, now_ms: int, since_ms: int = 0) -> list[TeamMessage]:
        """Return the questions that nobody has begun to answer for too long, each once.

        Counted from `since_ms` at the earliest: before, nobody looked for an answer.
        """
        begun = {each.reply_to for each in self._open.values()}
        late = [
            each
            for each in self._asked.values()
            if each.kind is MessageKind.QUESTION
            and each.id not in self._told
            and not self._answered.get(each.id)
            and each.id not in begun
            and now_ms - max(each.at_ms, since_ms) >= ANSWER_WITHIN_MS
        ]
        self._told.update(each.id for each in late)
        return late

    def _follow(self, event: StreamEvent) -> list[TeamAnswer]:
        """Take one event; return the turns that end by it."""
        if event.type in _ENDS:
            return [self._closed(key) for key in tuple(self._open)]
        key = (event.agent_id or "", event.turn or 0)
        if event.type is EventType.TOKEN and event.token_type not in THOUGHT:
            self._write(key, event)
        elif event.mark is TurnMark.TURN_END and key in self._open:
            return [self._closed(key)]
        return []

    def _write(self, key: tuple[str, int], event: StreamEvent) -> None:
        turn = self._open.get(key)
        if turn is None:
            if event.in_reply_to is None:
                return
            turn = self._open[key] = _Turn(event.in_reply_to, *key)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        if event.in_reply_to == turn.reply_to and len(turn.text) < MOST_CHARS:
            turn.text += event.data[: MOST_CHARS - len(turn.text)]

    def _closed(self, key: tuple[str, int]) -> TeamAnswer:
        turn = self._open.pop(key)
        return TeamAnswer(turn.reply_to, turn.agent_id, turn.turn, quoted(turn.agent_id, turn.text))

    def _is_known(self, answer: TeamAnswer) -> bool:
        if answer.message_id in self._asked:
            return self._counts(answer)
        self._early = [*self._early, answer][-MOST_OPEN:]
        return False

    def _counts(self, answer: TeamAnswer) -> bool:
        """Count an answer; return whether it is spoken."""
        count = self._answered.get(answer.message_id, 0) + 1
        self._answered[answer.message_id] = count
        return count <= MOST_ANSWERS


def quoted(agent_id: str, text: str) -> str:
    """Return an answer as it is spoken: whose it is, and its first sentences; "" if it is empty."""
    sentences = _sentences(text)
    kept: list[str] = []
    for each in sentences:
        if kept and sum(len(one.split()) for one in [*kept, each]) > MOST_WORDS:
            break
        kept.append(each)
    if not kept:
        return ""
    words = kept[0].split()
    if len(words) > MOST_WORDS:  # a sentence without an end is not cut into another meaning
        return f"{spoken_name(agent_id)} has answered, at length: the answer is on the page."
    told = f"{spoken_name(agent_id)} answers: {' '.join(kept)}"
    return told if len(kept) == len(sentences) else f"{told} {ON_THE_PAGE}"


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    said = " ".join(part.text for part in split_whole(text) if not part.hidden)
    for line in said.splitlines():
        cleaned = " ".join(cut_long_words(plain(line)).split()).lstrip("-•* ").strip()
        if not any(char.isalnum() for char in cleaned):
            continue
        if cleaned[-1] not in ".!?:":
            cleaned += "."
        found += _SENTENCE.split(cleaned)
    return found
