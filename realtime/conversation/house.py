"""What a conversation needs of the queue, and of the session that it is part of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from realtime.interruption.team import Request
from realtime.protocol import Body, TurnBody
from realtime.speech.verbosity import Verbosity
from tts_queue import Dial, HoldCause, Priority, Snapshot, Utterance
from tts_queue.model import Pcm


class Stage(Protocol):
    """What is needed of `tts_queue.SpeechQueue`."""

    def hold(self, cause: HoldCause, *, admit: Priority | None = None, begun: bool = False) -> None: ...  # noqa: D102
    def release(self, cause: HoldCause) -> None: ...  # noqa: D102
    def voice_ended(self) -> None: ...  # noqa: D102
    def skip(self, heard_id: str | None = None) -> str | None: ...  # noqa: D102
    def cancel(self, utterance_id: str, *, reason: str = ...) -> bool: ...  # noqa: D102
    def tone(self, pcm: Pcm) -> None: ...  # noqa: D102
    def duck(self, on: bool) -> None: ...  # noqa: D102
    @property
    def dial(self) -> Dial: ...  # noqa: D102
    def set_dial(self, dial: Dial) -> None: ...  # noqa: D102
    def snapshot(self) -> Snapshot: ...  # noqa: D102


class House(Protocol):
    """What a conversation asks of its session; nothing of it waits."""

    def offer(self, utterance: Utterance) -> None:
        """Have something said."""
        ...

    def tell(self, body: Body) -> None:
        """Tell the page."""
        ...

    def ask(self, turn_id: str, text: str, about: Utterance | None) -> None:
        """Have a question answered; `Conversation.answered` is called with what to say."""
        ...

    def more(self, about: Utterance) -> str | None:
        """Return the long form of an item that was told in its short one; None: there is no more of it."""
        ...

    def agents_stand(self) -> str:
        """Return how far the agents are, in a sentence."""
        ...

    def detail(self, verbosity: Verbosity) -> None:
        """Tell as much as this of all that comes from now on."""
        ...

    def steered(self) -> None:
        """Take note that the clinician steers us, or asks."""
        ...

    def took_note(self, critical_key: str) -> None:
        """Note for good that a critical finding was acknowledged."""
        ...

    def team_problem(self, *, cancels: bool) -> str:
        """Return why the team can't be asked, or told to stop, in sentences; empty: it can."""
        ...

    def team_names(self) -> Mapping[str, str]:
        """Return the agents' spoken names, without "the", by themselves in lower case."""
        ...

    def recommendations(self, named: Sequence[str]) -> Sequence[Request]:
        """Return the standing recommendations in which all these words are, each as it would be approved."""
        ...

    def send_to_team(self, turn_id: str, request: Request) -> None:
        """Send what was confirmed; `Conversation.team_told` is called with what became of it."""
        ...

    def record(self, turn: TurnBody) -> None:
        """Keep a decided turn for good."""
        ...
