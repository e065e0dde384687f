"""The protocol of the engines process and its clients on their Unix socket.

A frame is the length of its header (4 bytes, big-endian), the header (JSON), and as many bytes of
payload as the header's `bytes` says. Requests carry `v`, `id` and `op`; the answer has the same `id`,
and answers come in any order.

| op | request | answer |
|---|---|---|
| hello | | `engines`: names by kind |
| ping | | `running_s`: age of the oldest job that an engine works on, 0 if none |
| synthesise | `text`, `prosody`, `urgent`, `ahead` | a frame a part, in order: payload: int16 at 48 kHz, `more` |
| transcribe | `short`, payload: int16 at 16 kHz | `text`, `confidence`, `word` or null, `word_confidence` |
| second | `hints`, payload: int16 at 16 kHz | `text`, `confidence`, `silence` |
| cancel | `job`: id of a request not wanted any more | none |

The first part of a synthesis also has `engine`, `samples` of the whole and its `words`: [text, start,
end]; the last has `more` false. An `urgent` request may go before what others wait for; one `ahead` of
its time, for which nobody waits yet, comes in longer parts. A request taken back, or whose client hangs
up, is worked on to the end of the present part. An error ends an answer, also after some parts: `error`:
{`code`, `message`}; codes are those of `ErrorCode`.
"""

from __future__ import annotations

import asyncio
import json
import struct
from dataclasses import asdict, replace
from enum import StrEnum
from typing import Any, Final, TypeAlias

from tts_queue.model import Part, Pcm, Prosody, WordSpan
from tts_queue.ports import Opinion, Recognised

VERSION: Final = 1
MAX_HEADER_BYTES: Final = 256 * 1024  # the words of five minutes of speech
MAX_PAYLOAD_BYTES: Final = 32 * 1024 * 1024  # five minutes at 48 kHz
_LENGTH: Final = struct.Struct(">I")

Header: TypeAlias = dict[str, Any]


class ErrorCode(StrEnum):
    """Why a request failed."""

    BUSY = "busy"  # too many requests of this connection wait
    BAD_REQUEST = "bad_request"
    UNKNOWN_OP = "unknown_op"
    NO_ENGINE = "no_engine"  # this process was started without it
    ENGINE_FAILED = "engine_failed"


class ProtocolError(Exception):
    """The other side sent what is no frame; the connection is of no use any more."""


def encode(header: Header, payload: bytes = b"") -> bytes:
    """Return a frame."""
    head = json.dumps({"v": VERSION, **header, "bytes": len(payload)}, ensure_ascii=False).encode()
    return _LENGTH.pack(len(head)) + head + payload


async def read_frame(reader: asyncio.StreamReader) -> tuple[Header, bytes] | None:
    """Return the next frame, or None at the end. Raises: ProtocolError."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        if length > MAX_HEADER_BYTES:
            raise ProtocolError(f"a header of {length} bytes")
        header = _parse(await reader.readexactly(length))
        return header, await reader.readexactly(header["bytes"])
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise ProtocolError("the connection ended inside a frame") from error
        return None
    except ConnectionError:
        return None


def _parse(head: bytes) -> Header:
    try:
        header = json.loads(head)
    except ValueError as error:
        raise ProtocolError("a header that is no JSON") from error
    if not isinstance(header, dict) or header.get("v") != VERSION:
        raise ProtocolError("a header of another version")
    size = header.get("bytes")
    if not isinstance(size, int) or not 0 <= size <= MAX_PAYLOAD_BYTES:
        raise ProtocolError("a payload of no proper size")
    return header


def prosody_to_json(prosody: Prosody) -> Header:
    """Return the prosody as JSON values."""
    return asdict(prosody)


def prosody_from_json(value: object) -> Prosody:
    """Return the prosody of a request. Raises: ValueError, TypeError."""
    if not isinstance(value, dict):
        raise TypeError("prosody is no object")
    return Prosody(**{**value, "emphasis": tuple(value.get("emphasis", ()))})


def part_to_frame(request_id: int, part: Part, *, first: bool, more: bool) -> bytes:
    """Return one frame of the answer to a synthesis."""
    header: Header = {"id": request_id, "more": more}
    if first:
        words = [list(word) for word in part.words]
        header |= {"engine": part.engine, "samples": part.samples, "words": words}
    return encode(header, part.pcm.astype("<i2").tobytes())


def part_from_frame(header: Header, payload: bytes, before: Part | None) -> Part:
    """Return the part in a frame; `before` is the one before it. Raises: ProtocolError."""
    import numpy as np  # here: a probe of the engines has no sound

    pcm: Pcm = np.frombuffer(payload, dtype="<i2").astype(np.int16, copy=False)
    if before is not None:
        return replace(before, pcm=pcm)
    try:
        words = tuple(WordSpan(str(text), int(start), int(end)) for text, start, end in header["words"])
        return Part(pcm, int(header["samples"]), words, str(header["engine"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ProtocolError("an answer without its words") from error


def recognised_from_json(answer: Header) -> Recognised:
    """Return what a transcription's answer holds. Raises: ProtocolError."""
    try:
        word = answer["word"]
        return Recognised(
            str(answer["text"]),
            float(answer["confidence"]),
            None if word is None else str(word),
            float(answer["word_confidence"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ProtocolError("an answer that is no transcription") from error


def opinion_from_json(answer: Header) -> Opinion:
    """Return what a second opinion's answer holds. Raises: ProtocolError."""
    try:
        return Opinion(str(answer["text"]), float(answer["confidence"]), float(answer["silence"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ProtocolError("an answer that is no opinion") from error
