"""The common part of all messages: topics, bounds, and the error for what does not fit."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict

RPC_METHOD: Final = "exaim.command"
BEAT_TOPIC: Final = "exaim.beat"
STATE_TOPIC: Final = "exaim.state"
TRANSCRIPTION_TOPIC: Final = "lk.transcription"  # LiveKit's own name for captions
CHAT_TOPIC: Final = "lk.chat"  # and for what people type
AGENT_STATE_ATTRIBUTE: Final = "lk.agent.state"
TRACK_NAME: Final = "voice"

MAX_COMMAND_BYTES: Final = 4 * 1024
MAX_BEAT_BYTES: Final = 512
MAX_STATE_BYTES: Final = 60 * 1024  # a text stream is cut into chunks of 15 kB: at most four of them
RTP_MODULUS: Final = 2**32
MAX_QUESTION_CHARS: Final = 300  # typed: two long sentences
NOT_TAKEN: Final = f"That message was not taken. One has at most {MAX_QUESTION_CHARS} characters."
MAX_COUNT: Final = 2**53 - 1  # what every JSON reader keeps exact; above it a number is a mistake


class BadMessage(ValueError):
    """A client sent something that is not in the protocol; `code` goes back to it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Message(BaseModel):
    """A value of the protocol: frozen, and what it does not know is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")
