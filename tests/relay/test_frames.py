"""Words of a signalling conversation, changed on their way."""

from __future__ import annotations

import pytest

from lab.chaos.frames import LONGEST, NotWebSocket, Rewriter, advertise, hide

ANSWER = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
REQUEST = b"\r\n".join(
    (
        b"GET /rtc HTTP/1.1",
        b"Upgrade: websocket",
        b"Sec-WebSocket-Extensions: permessage-deflate",
        b"Host: h\r\n\r\n",
    )
)
FROM_SFU = b'{"candidate":"candidate:42 1 udp 2130706431 127.0.0.1 21000 typ host","x":"127.0.0.1"}'
FROM_CLIENT = b'{"candidate":"candidate:7 1 udp 2122260223 192.168.1.5 45678 typ host generation 0"}'


def frame(payload: bytes, mask: bytes = b"") -> bytes:
    length = len(payload)
    masked = 0x80 if mask else 0
    if length < 126:
        header = bytes([0x82, masked | length])
    elif length < 65_536:
        header = bytes([0x82, masked | 126]) + length.to_bytes(2, "big")
    else:
        header = bytes([0x82, masked | 127]) + length.to_bytes(8, "big")
    body = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)) if mask else payload
    return header + mask + body


def test_the_sfu_is_said_to_be_at_the_relay_and_nothing_else_changes() -> None:
    told = advertise("127.0.0.2", "127.0.0.1")(FROM_SFU)
    assert told == FROM_SFU.replace(b"2130706431 127.0.0.1", b"2130706431 127.0.0.2")


def test_a_tcp_candidate_is_said_to_be_at_the_relay_too() -> None:
    said = b"a=candidate:9 1 tcp 1671430143 127.0.0.1 7881 typ host tcptype passive\r\n"
    assert advertise("127.0.0.2", "127.0.0.1")(said) == said.replace(b"127.0.0.1", b"127.0.0.2")


def test_a_clients_own_candidates_lead_nowhere_and_keep_their_length() -> None:
    told = hide(FROM_CLIENT)
    assert b"192.168.1.5 00009 typ" in told
    assert len(told) == len(FROM_CLIENT)


def test_a_port_may_be_said_to_be_another_of_as_many_digits() -> None:
    said = b"a=candidate:9 1 tcp 1671430143 127.0.0.1 27881 typ host tcptype passive\r\n"
    told = advertise("127.0.0.2", "127.0.0.1", {27881: 40000})(said)
    assert told == said.replace(b"127.0.0.1 27881", b"127.0.0.2 40000")
    with pytest.raises(ValueError, match="of its length"):
        advertise("127.0.0.2", "127.0.0.1", {7881: 40000})


def test_addresses_of_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="of its length"):
        advertise("10.0.0.1", "127.0.0.1")


@pytest.mark.parametrize("size", [1, 3, 7, 10_000])
def test_frames_are_changed_however_they_are_torn(size: int) -> None:
    padding = b"x" * 70_000
    spoken = ANSWER + frame(b"hello") + frame(FROM_SFU) + frame(padding) + frame(b"")
    rewriter = Rewriter(advertise("127.0.0.2", "127.0.0.1"))
    told = b"".join(rewriter.feed(spoken[at : at + size]) for at in range(0, len(spoken), size))
    changed = FROM_SFU.replace(b"431 127.0.0.1", b"431 127.0.0.2")
    assert told == ANSWER + frame(b"hello") + frame(changed) + frame(padding) + frame(b"")


def test_masked_frames_are_changed_under_their_mask_and_compression_is_not_asked_for() -> None:
    mask = b"\x01\x82\x33\xfe"
    told = Rewriter(hide).feed(REQUEST + frame(FROM_CLIENT, mask))
    head, _, rest = told.partition(b"\r\n\r\n")
    assert b"Extensions" not in head
    assert rest == frame(hide(FROM_CLIENT), mask)


def test_what_is_no_websocket_passes_as_it_is() -> None:
    refusal = b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 60\r\n\r\n" + FROM_SFU
    assert Rewriter(advertise("127.0.0.2", "127.0.0.1")).feed(refusal) == refusal


def test_a_frame_beyond_all_measure_ends_the_conversation() -> None:
    rewriter = Rewriter(hide)
    rewriter.feed(ANSWER)
    with pytest.raises(NotWebSocket):
        rewriter.feed(b"\x82\x7f" + (LONGEST + 1).to_bytes(8, "big"))


def test_a_change_of_length_is_refused() -> None:
    rewriter = Rewriter(lambda said: said + b"!")
    rewriter.feed(ANSWER)
    with pytest.raises(NotWebSocket, match="length"):
        rewriter.feed(frame(b"hello"))
