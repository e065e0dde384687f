"""The part of the speech queue that a conversation uses."""

from __future__ import annotations

from typing import Protocol

from tts_queue import Dial, HoldCause, Priority, Snapshot, Utterance
from tts_queue.model import Pcm


class SpeechPort(Protocol):
    """What is needed of `tts_queue.SpeechQueue`."""

    def hold(  # noqa: D102
        self, cause: HoldCause, *, admit: Priority | None = None, begun: Priority | None = None
    ) -> None: ...
    def rehearse(self, utterance: Utterance) -> None: ...  # noqa: D102
    def expect_hold(self) -> None: ...  # noqa: D102
    def release(self, cause: HoldCause) -> None: ...  # noqa: D102
    def voice_ended(self) -> None: ...  # noqa: D102
    def skip(self, heard_id: str | None = None) -> str | None: ...  # noqa: D102
    def cancel(self, utterance_id: str, *, reason: str = ...) -> bool: ...  # noqa: D102
    def tone(self, pcm: Pcm) -> None: ...  # noqa: D102
    def duck(self, on: bool) -> None: ...  # noqa: D102
    @property
    def dial(self) -> Dial: ...  # noqa: D102
    def set_dial(self, dial: Dial) -> None: ...  # noqa: D102
    @property
    def waiting(self) -> int: ...  # noqa: D102
    def snapshot(self) -> Snapshot: ...  # noqa: D102
