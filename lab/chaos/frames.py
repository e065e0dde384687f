"""Words of a WebSocket conversation changed on their way, length for length. Pure; RFC 6455.

A client learns from the signalling where media goes, so a relay of media stands where the signalling says.
What is changed keeps its length, and so no frame's header changes. Compression is never agreed on, since
the request for it is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

Change = Callable[[bytes], bytes]

NO_PORTS: Final[Mapping[int, int]] = MappingProxyType({})

LONGEST: Final = 1 << 20  # of one frame; a session description has some 10 KiB
_HEAD_END: Final = b"\r\n\r\n"
_EXTENSIONS: Final = re.compile(rb"\r\nsec-websocket-extensions:[^\r\n]*", re.IGNORECASE)
_TO_WEBSOCKET: Final = re.compile(
    rb"^HTTP/1\.1 101 |\r\nupgrade: *websocket", re.IGNORECASE
)  # an answer, or a request


class NotWebSocket(ValueError):
    """A frame can't be read, or is too long: the connection is of no use any more."""


@dataclass(slots=True)
class Rewriter:
    """One direction of one connection: bytes in as they come, bytes out as they may go.

    The head passes first; what follows it is changed frame by frame if the head agreed on a WebSocket.
    """

    change: Change
    _held: bytes = b""
    _state: str = "head"  # then "frames" or "plain"

    def feed(self, data: bytes) -> bytes:
        """Return what can go on now. Raises: NotWebSocket."""
        if self._state == "plain":
            return data
        self._held += data
        out = b""
        if self._state == "head":
            head, end, rest = self._held.partition(_HEAD_END)
            if not end:
                if len(head) > LONGEST:
                    raise NotWebSocket("a head that does not end")
                return b""
            self._state = "frames" if _TO_WEBSOCKET.search(head) else "plain"
            out, self._held = _EXTENSIONS.sub(b"", head) + end, rest
            if self._state == "plain":
                return out + rest
        while frame := _first_frame(self._held):
            self._held = self._held[len(frame) :]
            out += _changed(frame, self.change)
        return out


def _sizes(held: bytes) -> tuple[int, int] | None:
    """Return the lengths of a frame's header and of its payload, or None while the header is not whole."""
    if len(held) < 2:
        return None
    length, extra = held[1] & 0x7F, {126: 2, 127: 8}.get(held[1] & 0x7F, 0)
    header = 2 + extra + (4 if held[1] & 0x80 else 0)
    if len(held) < header:
        return None
    return header, int.from_bytes(held[2 : 2 + extra], "big") if extra else length


def _first_frame(held: bytes) -> bytes | None:
    sizes = _sizes(held)
    if sizes is None:
        return None
    if sizes[1] > LONGEST:
        raise NotWebSocket(f"a frame of {sizes[1]} bytes")
    return held[: sum(sizes)] if len(held) >= sum(sizes) else None


def _changed(frame: bytes, change: Change) -> bytes:
    sizes = _sizes(frame)
    assert sizes is not None  # it is whole
    header, payload = frame[: sizes[0]], frame[sizes[0] :]
    mask = header[-4:] if header[1] & 0x80 else b""
    said = change(_masked(payload, mask))
    if len(said) != len(payload):
        raise NotWebSocket("a change must keep the length")
    return header + _masked(said, mask)


def _masked(payload: bytes, mask: bytes) -> bytes:
    if not mask or not payload:
        return payload
    times = -(-len(payload) // 4)
    key = int.from_bytes((mask * times)[: len(payload)], "big")
    return (int.from_bytes(payload, "big") ^ key).to_bytes(len(payload), "big")


_CANDIDATE: Final = rb"(candidate:\S+ \d+ (?:udp|tcp) \d+ )"


def advertise(host: str, instead_of: str, ports: Mapping[int, int] = NO_PORTS) -> Change:
    """Return a change that lets the server's candidates name `host`, an address of the same length.

    `ports` names other ports for some of the server's, of as many digits.
    """
    renamed = {str(old).encode(): str(new).encode() for old, new in ports.items()}
    if len(host) != len(instead_of) or any(len(old) != len(new) for old, new in renamed.items()):
        raise ValueError("what stands in place of an address or a port must be of its length")
    pattern = re.compile(_CANDIDATE + re.escape(instead_of).encode() + rb" (\d+) ", re.IGNORECASE)
    return lambda said: pattern.sub(
        lambda m: m[1] + host.encode() + b" " + renamed.get(m[2], m[2]) + b" ", said
    )


def hide(said: bytes) -> bytes:
    """Return a client's words with port 9 (discard) in its candidates: nobody can call it directly then."""
    pattern = re.compile(_CANDIDATE + rb"(\S+ )(\d+)( typ )", re.IGNORECASE)
    return pattern.sub(lambda m: m[1] + m[2] + b"9".rjust(len(m[3]), b"0") + m[4], said)
