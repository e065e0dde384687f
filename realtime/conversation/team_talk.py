"""Talk with a live team for the clinician: send what was confirmed, and tell what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, Protocol

from agents.inbox import ASKED_MAX, NAME_MAX, MessageKind, TeamMessage
from agents.stream import StreamEvent
from exaim_core import spoken_name
from realtime.actions import Act, Say, Show
from realtime.conversation.knowledge import bare_name
from realtime.interruption.team import Request
from realtime.protocol import NoticeBody
from realtime.team.asking import Asking, TeamLine
from realtime.team.inquiries import TeamAnswer
from realtime.team.to_team import APPROVED, SENT, whom
from tts_queue import Priority, Utterance

TEAM_ANSWER: Final = "team_answer"  # kind of what the team says to the clinician's question
_NOTED: Final = {
    MessageKind.FACT: "The clinician's word",
    MessageKind.APPROVAL: "Approval, which orders nothing,",
}


class Keep(Protocol):
    """Records something in the session's log."""

    def __call__(self, kind: str, name: str, args: dict[str, Any]) -> None:
        """Record `args` under an id made from `name`."""
        ...


class TeamTalk:
    """Sends messages to the team, shows and records them, and has the outcome spoken. Nothing here waits."""

    def __init__(
        self,
        session_id: str,
        line: TeamLine | None,
        *,
        act: Act,
        told: Callable[[str, str], None],
        keep: Keep,
        known: Callable[[str], bool],
        since_ms: float,
        now_s: Callable[[], float],
        wall_ms: Callable[[], int],
    ) -> None:
        """Set by what the team is reached, and who is told.

        * `told`: is given a name and what to say of a message that was sent, or was not.
        * `keep`: records what is in the team's inbox.
        * `known`: tells whether an utterance of this id was offered, by us or by an earlier worker.
        * `since_ms`: messages from before are not shown again, in ms since the epoch.
        """
        self._session_id, self._since_ms = session_id, since_ms
        self._act, self._told, self._keep, self._known = act, told, keep, known
        self._now_s, self._wall_ms = now_s, wall_ms
        self._asking = Asking(
            line,
            on_sent=self._was_sent,
            on_noted=self._was_noted,
            on_answered=self._answered,
            on_overdue=self._nobody_answered,
            wall_ms=wall_ms,
        )
        self.problem = self._asking.problem

    def run(self) -> Coroutine[Any, Any, None]:
        """Return what sends the messages and watches the inbox, until it is cancelled."""
        return self._asking.run()

    def send(self, turn_id: str, request: Request, *, to: str) -> None:
        """Send a confirmed message to the agent of the id `to`; the message's own is made from the turn's."""
        kind = MessageKind.FACT if request.is_fact else MessageKind.QUESTION
        kind = MessageKind.CANCELLED if request.cancels else kind
        kind = MessageKind.APPROVAL if request.approves else kind
        text, message_id = request.text[:ASKED_MAX], f"{self._session_id}.{turn_id}"
        self._asking.send(
            TeamMessage(id=message_id, kind=kind, text=text, to=to[:NAME_MAX], at_ms=self._wall_ms())
        )

    def saw(self, events: Sequence[StreamEvent]) -> None:
        """Look for answers to the clinician in the agents' events."""
        self._asking.saw(events)

    def _was_sent(self, message: TeamMessage, problem: str) -> None:
        sent = APPROVED if message.kind is MessageKind.APPROVAL else SENT
        self._told(f"sent.{message.id}", problem or sent)

    def _was_noted(self, message: TeamMessage) -> None:
        """Show a message in the team's inbox, whoever put it there."""
        if message.at_ms <= self._since_ms:
            return
        if message.kind is MessageKind.CANCELLED:
            self._act(Show(NoticeBody(code="team_cancelled", text="The team was told to stop.")))
            return
        to = whom(bare_name(message.to)) if message.to else whom("")
        told = _NOTED.get(message.kind, "Question")
        self._act(Show(NoticeBody(code="team_asked", text=f"{told} sent to {to}: {message.text}")))
        self._keep("to_team", f"to_team.{message.id}", message.model_dump(mode="json"))

    def _answered(self, answer: TeamAnswer) -> None:
        name = f"{self._session_id}.told.{answer.message_id}.{answer.agent_id}.{answer.turn}"
        self._say(name, answer.text)

    def _nobody_answered(self, message: TeamMessage) -> None:
        who = spoken_name(message.to) if message.to else "The team"
        self._say(f"{self._session_id}.unanswered.{message.id}", f"{who} has not answered yet.")

    def _say(self, utterance_id: str, text: str) -> None:
        if not self._known(utterance_id):
            now_s = self._now_s()
            self._act(Say(Utterance(utterance_id, text, Priority.ANSWER, TEAM_ANSWER, queued_at_s=now_s)))
