"""Strict scripted fakes of the ports of `realtime`, for scenes on virtual time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from agents.dialogue.values import Answer, Question, Sentence
from agents.inbox import Numbered, TeamMessage
from agents.stream import EventType, StreamEvent, TokenType
from exaim_core import BoardView, Update
from infra.errors import StoreError, StoreUnavailable
from infra.inbox import InboxStands
from infra.streams import Command, Logged, LoggedCommand, LoggedUpdate
from realtime.protocol import MAX_STATE_BYTES, StateMessage
from realtime.room.livekit_room import SEND_DEADLINE_S, Closed, Feed, RoomEvent, RoomGone

EPOCH_MS: Final = 1_790_000_000_000  # the wall clock at the loop's zero, in every scene
AGENT_STATES: Final = frozenset({"initializing", "listening", "thinking", "speaking"})


def scene_wall_ms() -> int:
    """Return the scene's wall clock: the running loop's time after `EPOCH_MS`."""
    return EPOCH_MS + round(asyncio.get_running_loop().time() * 1000)


class UnexpectedSend(AssertionError):
    """A session sent what no client could take."""


class UnexpectedRead(AssertionError):
    """A stream was read from a place that nobody was ever told of."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message on `exaim.state`, and when the room had it (loop clock)."""

    at_s: float
    message: StateMessage


@dataclass(frozen=True, slots=True)
class Captioned:
    """A caption as it was sent, and when."""

    at_s: float
    segment_id: str
    text: str
    final: bool


class ScriptedRoom:
    """A `VoiceRoom` in memory: `offer` what happens in it, and read what was sent to it.

    Each send takes `takes_s`. A message that is too long, is no envelope, or breaks the count of `seq`
    is an error at once; an event that the session never took is one in `assert_finished`.
    """

    track_sid = "TR_scripted"

    def __init__(
        self,
        *script: RoomEvent,
        takes_s: float = 0.0,
        unconfirmed: int = 0,
        before_us: frozenset[str] = frozenset(),
    ) -> None:
        """The first `unconfirmed` settings of the agent's state are lost: each ends at its deadline."""
        self._unconfirmed = unconfirmed
        self.before_us = before_us
        self.subscribed = True
        self._events: asyncio.Queue[RoomEvent] = asyncio.Queue()
        self._takes_s = takes_s
        self._open = True
        self.said: list[Said] = []
        self.captions: list[Captioned] = []
        self.agent_states: list[tuple[float, str]] = []
        for event in script:
            self.offer(event)

    def offer(self, event: RoomEvent) -> None:
        """Let something happen in the room; after `Closed` every send raises RoomGone."""
        self._events.put_nowait(event)
        if isinstance(event, Closed):
            self._open = False

    def assert_finished(self) -> None:
        """Fail if something happened that the session never looked at."""
        if not self._events.empty():
            raise AssertionError(f"{self._events.qsize()} events of the room were never taken")

    def of_type(self, *names: str) -> list[Said]:
        """Return what was said of these types, in the order in which the room had it."""
        return [said for said in self.said if said.message.type in names]

    def bodies(self, name: str) -> list[dict[str, Any]]:
        """Return the bodies of all messages of one type."""
        return [said.message.body for said in self.of_type(name)]

    def phases(self, utterance_id: str) -> list[str]:
        """Return the phases of an utterance as the page was told them."""
        return [b["phase"] for b in self.bodies("utterance") if b["utterance_id"] == utterance_id]

    async def next_event(self) -> RoomEvent:
        """Wait for the next event, in order."""
        return await self._events.get()

    async def listen(self, feed: Feed) -> None:
        """Give no sound; scenes let their ears say what was heard."""
        await asyncio.Event().wait()

    async def read_chat(self) -> None:
        """Read nothing; scenes offer `Typed` themselves."""
        await asyncio.Event().wait()

    async def send_state(self, text: str) -> None:
        """Take one message. Raises: RoomGone, UnexpectedSend."""
        at_s = await self._sending()
        if len(text.encode()) > MAX_STATE_BYTES:
            raise UnexpectedSend(f"a message of {len(text.encode())} bytes")
        message = StateMessage.model_validate_json(text)
        if message.seq != len(self.said) + 1:
            raise UnexpectedSend(f"seq {message.seq} after {len(self.said)} messages")
        self.said.append(Said(at_s, message))

    async def caption(self, segment_id: str, text: str, *, final: bool) -> None:
        """Take a caption. Raises: RoomGone, UnexpectedSend."""
        at_s = await self._sending()
        if not text or any(known.segment_id == segment_id and known.final for known in self.captions):
            raise UnexpectedSend(f"a caption for {segment_id}, which was final, or an empty one")
        self.captions.append(Captioned(at_s, segment_id, text, final))

    async def set_agent_state(self, state: str) -> bool:
        """Take the agent's state, or lose it as scripted. Raises: RoomGone, UnexpectedSend."""
        if self._unconfirmed:
            self._unconfirmed -= 1
            await asyncio.sleep(SEND_DEADLINE_S)
            return False
        at_s = await self._sending()
        if state not in AGENT_STATES:
            raise UnexpectedSend(f"LiveKit's clients know no agent state {state!r}")
        self.agent_states.append((at_s, state))
        return True

    async def _sending(self) -> float:
        if not self._open:
            raise RoomGone("scripted")
        await asyncio.sleep(self._takes_s)
        return asyncio.get_running_loop().time()


_Entry = TypeVar("_Entry")


class _ListStream(Generic[_Entry]):
    """One stream; the id of its n-th entry is `n-0`."""

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self._grew = asyncio.Event()

    def add(self, make: Callable[[str], _Entry]) -> None:
        self.entries.append(make(f"{len(self.entries) + 1}-0"))
        self._grew.set()
        self._grew = asyncio.Event()

    async def read(self, after_id: str, block_ms: int, count: int) -> list[_Entry]:
        at = int(after_id.removesuffix("-0"))
        if at > len(self.entries) or block_ms <= 0 or count <= 0:
            raise UnexpectedRead(f"after {after_id} of {len(self.entries)}, {block_ms} ms, {count} entries")
        if at == len(self.entries):
            try:
                async with asyncio.timeout(block_ms / 1000):
                    await self._grew.wait()
            except TimeoutError:
                return []
        return self.entries[at : at + count]


class ListStreams:
    """`realtime.ports.Streams` in lists. The next `refusals` commands raise StoreUnavailable."""

    def __init__(self, *, refusals: int = 0) -> None:
        self._events: _ListStream[Logged] = _ListStream()
        self._updates: _ListStream[LoggedUpdate] = _ListStream()
        self._commands: _ListStream[LoggedCommand] = _ListStream()
        self._command_ids: set[str] = set()
        self.team_at_s: float | None = None  # when the team's program last gave a sign
        self._refusals: deque[None] = deque([None] * refusals)

    @property
    def commands(self) -> list[Command]:
        """Return the commands appended so far."""
        return [logged.command for logged in self._commands.entries]

    def log(self, *events: StreamEvent) -> None:
        """Append events of the agents."""
        for each in events:
            self._log(each)

    def _log(self, event: StreamEvent) -> None:
        self._events.add(lambda entry: Logged(entry, scene_wall_ms(), event, 1))

    def think(self, agent_id: str, text: str, *, turn: int = 0) -> None:
        """Append a token of an agent."""
        self.log(event(len(self._events.entries), data=text, agent_id=agent_id, turn=turn))

    def commit(self, update: Update, update_id: str) -> None:
        """Append an update of the engine."""
        number = len(self._updates.entries) + 1
        body = update.model_dump(mode="json")
        self._updates.add(lambda entry: LoggedUpdate(entry, scene_wall_ms(), update_id, body, number, 1))

    async def read_events(self, after_id: str, *, block_ms: int, count: int) -> list[Logged]:
        """Return the agents' events after `after_id`."""
        return await self._events.read(after_id, block_ms, count)

    async def team_silent_s(self) -> float | None:
        """Return how long ago the team's program gave a sign, as scripted."""
        return None if self.team_at_s is None else asyncio.get_running_loop().time() - self.team_at_s

    async def read_updates(self, after_id: str, *, block_ms: int, count: int) -> list[LoggedUpdate]:
        """Return the updates after `after_id`."""
        return await self._updates.read(after_id, block_ms, count)

    async def read_commands(self, after_id: str, *, block_ms: int, count: int) -> list[LoggedCommand]:
        """Return the commands after `after_id`."""
        return await self._commands.read(after_id, block_ms, count)

    async def append_command(self, command: Command) -> bool:
        """Append a command; False if its id is there. Raises: StoreUnavailable, as scripted."""
        await asyncio.sleep(0)
        if self._refusals:
            self._refusals.pop()
            raise StoreUnavailable("scripted")
        if command.command_id in self._command_ids:
            return False
        self._command_ids.add(command.command_id)
        number = len(self._commands.entries) + 1
        self._commands.add(lambda entry: LoggedCommand(entry, scene_wall_ms(), command, number))
        return True


class ListLine:
    """A `TeamLine` in memory. `listens`: as if the team had asked for its messages just now."""

    def __init__(self, *, listens: bool = True) -> None:
        self.listens, self.over, self.away = listens, False, False
        self.fails_with: StoreError | None = None  # what the next `put` raises
        self.messages: list[Numbered] = []
        self.put_at_s: list[float] = []

    async def put(self, message: TeamMessage) -> int:
        """Put a message; one with the id of another is an error of the session's."""
        failure, self.fails_with = self.fails_with, None
        if failure is not None:
            raise failure
        if any(each.message.id == message.id for each in self.messages):
            raise UnexpectedSend(f"{message.id} was put twice")
        self.put_at_s.append(asyncio.get_running_loop().time())
        self.messages.append(Numbered(number=len(self.messages) + 1, message=message))
        return len(self.messages)

    async def read(self, after: int) -> list[Numbered]:
        """Return what is there behind a number that was given."""
        if not 0 <= after <= len(self.messages):
            raise UnexpectedRead(f"there is no message {after}")
        return self.messages[after:]

    async def stands(self) -> InboxStands:
        """Return how it stands; away: no store answers."""
        if self.away:
            raise StoreUnavailable("scripted")
        asked_ms = 1_000 if self.listens else None
        return InboxStands(len(self.messages), 0, asked_ms, over=self.over)


class UnexpectedQuestion(BaseException):
    """A question was asked that the script has no answer to. No net for mistakes of the program holds it."""


class ScriptedDialogue:
    """`realtime.conversation.replies.Dialogue` with answers by question; each takes `takes_s`.

    It is `ReadAhead`, too, and keeps the boards that it is told of.
    """

    def __init__(self, answers: Mapping[str, str] | None = None, *, takes_s: float = 0.02) -> None:
        self._answers, self._takes_s = dict(answers or {}), takes_s
        self.asked: list[Question] = []
        self.noted: list[BoardView] = []

    def note(self, board: BoardView) -> None:
        """Keep a board."""
        self.noted.append(board)

    async def run(self) -> None:
        """Read nothing."""

    async def foreseen(self, question: Question) -> str | None:
        """Return the scripted answer, if there is one."""
        return self._answers.get(question.text)

    async def answer(self, question: Question) -> Answer:
        """Return the scripted answer. Raises: UnexpectedQuestion."""
        self.asked.append(question)
        await asyncio.sleep(self._takes_s)
        if question.text not in self._answers:
            raise UnexpectedQuestion(question.text)
        text = self._answers[question.text]
        return Answer(question.turn_id, text, (Sentence(text, "script"),), None, True, "fact")


def event(
    seq: int,
    *,
    data: str = "",
    agent_id: str | None = None,
    turn: int | None = None,
    kind: EventType = EventType.TOKEN,
) -> StreamEvent:
    """Return an event of a scene."""
    return StreamEvent(
        type=kind,
        data=data,
        token_type=TokenType.LLM_RESPONSE if kind is EventType.TOKEN else None,
        thread_id="t",
        trace_id="r",
        session_id="s",
        seq=seq,
        agent_id=agent_id,
        turn=turn,
    )


def texts(captions: Sequence[Captioned]) -> list[str]:
    """Return the texts of the final captions, in order."""
    return [caption.text for caption in captions if caption.final]
