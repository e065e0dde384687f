"""Join the clinician's side of a session: ears, verdicts, answers, and the log of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.dialogue.values import Answer, Question
from agents.stream import StreamEvent
from exaim_core import Update
from infra.streams import Command
from realtime.actions import Act, Show
from realtime.conversation.conversation import Conversation
from realtime.conversation.knowledge import Knowledge
from realtime.conversation.notes import Notes
from realtime.conversation.replies import FAILED, Dialogue, ReadAhead, Replies
from realtime.conversation.team_talk import TeamTalk
from realtime.ears import EarEvent, EarsFailed, EarsRecovered
from realtime.ears.ports import EarsPort
from realtime.interruption import Effect
from realtime.interruption.team import Request
from realtime.protocol import (
    AcknowledgeArgs,
    AnswerBody,
    AnswerSentence,
    AskArgs,
    BadMessage,
    ClientCommand,
    CommandKind,
    EarsBody,
    NoticeBody,
    TurnBody,
    args_of,
)
from realtime.room.livekit_room import Microphone
from realtime.speech.before import LISTENER
from realtime.team.asking import TeamLine
from tts_queue import SegmentStarted, SpeechQueue, Utterance

SILENT_AFTER_S: Final = 10.0  # of digital silence: a microphone that is plugged in and gives nothing
_BY_HAND: Final = {
    CommandKind.STOP: Effect.QUIET,
    CommandKind.WAIT: Effect.WAIT,
    CommandKind.GO_ON: Effect.RESUME,
    CommandKind.NEXT: Effect.SKIP,
    CommandKind.REPEAT: Effect.REPEAT,
    CommandKind.SLOWER: Effect.SLOWER,
    CommandKind.FASTER: Effect.FASTER,
    CommandKind.LOUDER: Effect.LOUDER,
    CommandKind.SOFTER: Effect.SOFTER,
    CommandKind.USUAL_PACE: Effect.USUAL_PACE,
    CommandKind.USUAL_VOLUME: Effect.USUAL_VOLUME,
    CommandKind.PREVIOUS: Effect.PREVIOUS,
    CommandKind.BRIEF: Effect.BRIEF,
    CommandKind.FULL: Effect.FULL,
    CommandKind.USUAL_DETAIL: Effect.USUAL_DETAIL,
    CommandKind.WRONG_CASE: Effect.WRONG_CASE,
    CommandKind.CONFIRM_WRONG_CASE: Effect.CONFIRM_WRONG_CASE,
    CommandKind.RIGHT_CASE: Effect.RIGHT_CASE,
    CommandKind.SEND_TO_TEAM: Effect.SEND_TO_TEAM,
    CommandKind.KEEP_FROM_TEAM: Effect.KEEP_FROM_TEAM,
}
_TEXTS: Final = {
    "none": "No microphone: the buttons do the same.",
    "on": "",
    "muted": "The microphone is muted.",
    "silent": "The microphone gives no sound at all; is it the right one?",
    "failed": "Speech is not understood at the moment; the buttons work.",
}


EarsFactory = Callable[[Callable[[EarEvent], None]], EarsPort]


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkParts:
    """The outside parts of the clinician's side; without `ears` only buttons and text are taken."""

    dialogue: Dialogue
    read_ahead: ReadAhead | None = None  # reads the discussion before anybody asks
    ears: EarsFactory | None = None
    case_words: frozenset[str] = frozenset()
    team: TeamLine | None = None  # the way to a live team; a recording has none


class Talk:
    """Listens, decides, answers and records. All calls are for the session's event loop; none waits."""

    def __init__(
        self,
        session_id: str,
        epoch: int,
        parts: TalkParts,
        *,
        queue: SpeechQueue,
        act: Act,
        agents_stand: Callable[[], str],
        append: Callable[[Command], Awaitable[bool]],
        known: Callable[[str], bool] = lambda _: False,
        agents: Callable[[], Iterable[str]] = tuple,
        since_ms: float = 0.0,
        now_s: Callable[[], float],
        wall_ms: Callable[[], int],
    ) -> None:
        """Make the parts and connect them; nothing runs before `parts` does.

        * `queue`: the voice that the clinician steers.
        * `act`: takes what is to be done, see `realtime.actions`.
        * `agents_stand`: says how far the agents are, in a sentence.
        * `append`: appends a command to the session's log.
        * `known`: tells whether an utterance of this id was offered, by us or by an earlier worker.
        * `agents`: the ids of the team's agents that are known by now.
        * `since_ms`: messages to the team from before are not shown again, in ms since the epoch.
        """
        self._session_id, self._epoch = session_id, epoch
        self._act, self._wall_ms = act, wall_ms
        self._ears = parts.ears(self._heard) if parts.ears else None
        self._read_ahead = parts.read_ahead
        self._replies = Replies(
            parts.dialogue, self._answered, self._read_ahead, self._foreseen, on_dropped=self._not_awaited
        )
        self._notes = Notes(append)
        self._team = TeamTalk(
            session_id,
            parts.team,
            act=act,
            told=lambda name, text: self.conversation.team_told(name, text),
            keep=self._keep,
            known=known,
            since_ms=since_ms,
            now_s=now_s,
            wall_ms=wall_ms,
        )
        self._knows = Knowledge(agents=agents, agents_stand=agents_stand, team_problem=self._team.problem)
        self.conversation = Conversation(
            session_id=session_id,
            epoch=epoch,
            stage=queue,
            act=act,
            knows=self._knows,
            now_s=now_s,
            case_words=parts.case_words,
        )
        self._microphone = Microphone.OFF
        self._failed = False
        self._noted = 0
        self._ears_told = ""  # the state that the page knows

    def parts(self) -> dict[str, Coroutine[Any, Any, None]]:
        """Return the coroutines that run as long as the session does, by name."""
        parts = {"replies": self._replies.run(), "notes": self._notes.run(), "asking": self._team.run()}
        read_ahead = {"read_ahead": self._read_ahead.run()} if self._read_ahead else {}
        return parts | read_ahead | ({"ears": self._ears.run()} if self._ears else {})

    # --- what comes from the session ------------------------------------------------------------

    def feed(self, pcm: NDArray[np.int16]) -> None:
        """Take the clinician's sound, 16 kHz mono."""
        if self._ears is not None:
            self._ears.feed(pcm)

    def microphone(self, state: Microphone) -> None:
        """Set the state of the microphone's track; a turn under way ends with the track."""
        if state is not Microphone.ON and self._ears is not None:
            self._ears.track_ended()
        self._microphone = state
        self._tell_ears()

    def update(self, update: Update, update_id: str) -> None:
        """Take an update's board and items, about which the clinician may ask."""
        self._knows.update(update, update_id)
        if update.board is not None:
            if self._read_ahead is not None:
                self._read_ahead.note(update.board)
            self.conversation.criticals({each.key: each.name for each in update.board.criticals})

    def sounded(self, event: SegmentStarted, utterance: Utterance) -> None:
        """Record a clause that begins to sound."""
        self.conversation.recall.sounded(event, utterance, self.conversation.now_s())

    def note_listener(self, *, here: bool, silent_s: float, device: str | None) -> None:
        """Record for a successor that the listener came or left."""
        self._noted += 1
        args = {"here": here, "silent_s": round(silent_s, 3), "device": device}
        self._keep(LISTENER, f"{LISTENER}.{self._epoch}.{self._noted}", args, by="voice")

    def tick(self, now_s: float) -> None:
        """Do what is due."""
        self.conversation.tick(now_s)
        self._tell_ears()

    def acknowledged(self, critical_key: str) -> bool:
        """Return whether this critical finding was acknowledged."""
        return critical_key in self.conversation.alerts.acknowledged

    async def by_hand(self, command: ClientCommand) -> None:
        """Carry out a button or a key. Raises: BadMessage: its arguments do not fit, or it is not taken now."""
        kind = CommandKind(command.kind)
        if kind is CommandKind.ACKNOWLEDGE:
            key = args_of(AcknowledgeArgs, command).critical_key
            self.conversation.by_hand(Effect.ACKNOWLEDGE, critical_key=key)
        elif not self._take(kind, command):
            raise BadMessage("bad_message", f"{kind}: not now, as the case stands")

    def _take(self, kind: CommandKind, command: ClientCommand) -> bool:
        """Carry out a command other than `acknowledge`; return whether the session takes it now."""
        if kind is CommandKind.ASK:
            return self.conversation.typed(args_of(AskArgs, command).text)
        effect = _BY_HAND[kind]
        taken = self.conversation.takes(effect)
        if taken:
            self.conversation.by_hand(effect)
        return taken

    # --- what the conversation asks for -----------------------------------------------------------

    def ask(self, turn_id: str, text: str, about: Utterance | None) -> None:
        """Pass a question to the dialogue."""
        self._replies.ask(self._question(turn_id, text, about))

    def foresee(self, turn_id: str, text: str, about: Utterance | None) -> None:
        """Prepare the answer to a question that may be complete, so that its first words can be made."""
        self._replies.foresee(self._question(turn_id, text, about))

    def _question(self, turn_id: str, text: str, about: Utterance | None) -> Question:
        return Question(turn_id, text, self._knows.board, self._knows.focus(about), self._wall_ms())

    # --- the team -------------------------------------------------------------------------------

    def send_to_team(self, turn_id: str, request: Request) -> None:
        """Send the team a confirmed message; its id is made from the turn's."""
        self._team.send(turn_id, request, to=self._knows.id_of(request.to))

    def events(self, events: Sequence[StreamEvent]) -> None:
        """Look for answers to the clinician in the agents' events."""
        self._team.saw(events)

    # --- the session's log -----------------------------------------------------------------------

    def record_acknowledgment(self, critical_key: str) -> None:
        """Record in the session's log that a critical finding was acknowledged."""
        self._keep("acknowledge", f"acknowledge.{critical_key}", {"critical_key": critical_key})

    def record(self, turn: TurnBody) -> None:
        """Record a decided turn in the session's log."""
        self._keep("turn", turn.turn_id, turn.model_dump(mode="json"))

    def _keep(self, kind: str, name: str, args: dict[str, Any], *, by: str = "clinician") -> None:
        command_id = f"{self._session_id}.{name}"
        self._notes.keep(Command(kind=kind, by=by, at_ms=self._wall_ms(), args=args, command_id=command_id))

    # --- what comes back --------------------------------------------------------------------------

    def _foreseen(self, question: Question, text: str) -> None:
        self.conversation.foreseen(question.turn_id, text)

    def _answered(self, question: Question, answer: Answer) -> None:
        utterance_id = self.conversation.answered(question.turn_id, answer.text)
        if utterance_id is None:
            self._not_awaited(question)
            return
        sentences = tuple(AnswerSentence(text=s.text, source=s.source) for s in answer.sentences)
        body = AnswerBody(
            turn_id=question.turn_id,
            utterance_id=utterance_id,
            question=question.text,
            found=answer.found,
            topic=answer.topic,
            sentences=sentences or (AnswerSentence(text=answer.text, source=""),),
            model=answer.chosen_by,
            on_page=tuple(AnswerSentence(text=s.text, source=s.source) for s in answer.on_page),
            outcome="not_in_time" if answer.kind == FAILED else "",
        )
        self._noted_answer(body)

    def _not_awaited(self, question: Question) -> None:
        """Show and record that a question gets no answer: on the page it would stay open for ever."""
        body = AnswerBody(
            turn_id=question.turn_id,
            utterance_id="",
            question=question.text,
            found=False,
            topic=None,
            sentences=(),
            outcome="gone_on",
        )
        self._noted_answer(body)

    def _noted_answer(self, body: AnswerBody) -> None:
        self._act(Show(body))
        self._keep("answer", f"answer.{body.turn_id}", body.model_dump(mode="json"))

    def _heard(self, event: EarEvent) -> None:
        if isinstance(event, EarsFailed | EarsRecovered):
            self._failed = isinstance(event, EarsFailed)
        if isinstance(event, EarsFailed):
            self._act(Show(NoticeBody(code="ears_failed", text=_TEXTS["failed"])))
        self.conversation.heard(event)
        self._tell_ears()

    def _tell_ears(self) -> None:
        state = {Microphone.OFF: "none", Microphone.MUTED: "muted", Microphone.ON: "on"}[self._microphone]
        if self._ears is not None and state == "on":
            silent = self._ears.silent_s >= SILENT_AFTER_S
            state = "failed" if self._failed else "silent" if silent else "on"
        if state != self._ears_told:
            self._ears_told = state
            self._act(Show(EarsBody.model_validate({"state": state, "text": _TEXTS[state]})))
