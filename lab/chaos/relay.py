"""A whole SFU behind a relay: a client that is given the relay's URL has its signalling and all media there.

    client ── ws://127.0.0.2:P ──▶ relay ──▶ the SFU's port     "your media go to 127.0.0.2:N", it reads
           ── UDP 127.0.0.2:N ───▶ relay ──▶ UDP 127.0.0.1:N

All of 127.0.0.0/8 is this machine's loopback on Linux, so the relay has the SFU's port numbers on another
address, and the signalling's candidates need no more than that address. The client's own candidates are made
useless on their way, so that the SFU can't call it directly and go round the relay. Others (the voice) go to
the SFU itself and feel nothing, as in a data centre. It works on any embedded SFU as it is.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from lab.chaos.frames import advertise, hide
from lab.chaos.impairment import Impairment
from lab.chaos.media import MediaRelay
from lab.chaos.streams import StreamRelay

RELAY_HOST: Final = "127.0.0.2"


@dataclass(frozen=True, slots=True)
class SfuRelay:
    """A running relay. `url` is for the client's grant; `impairment.now` may be changed at any time."""

    url: str
    impairment: Impairment
    signalling: StreamRelay
    media: MediaRelay


@asynccontextmanager
async def before_sfu(
    livekit_url: str, udp_port: int, impairment: Impairment, *, tcp_port: int = 0, at: str = RELAY_HOST
) -> AsyncIterator[SfuRelay]:
    """Relay to an SFU on loopback while the block lasts.

    Args:
        livekit_url: ws:// URL of the SFU itself.
        udp_port: its one port for media.
        impairment: of the network between the client and it.
        tcp_port: its port for media by TCP; 0: it has none.
        at: the relay's own address on loopback; several relays need several.

    Raises: OSError: a port of `at` is taken.
    """
    there = urlsplit(livekit_url)
    host, port = there.hostname or "", there.port or 0
    async with AsyncExitStack() as stack:
        other_ports = {}
        if tcp_port:  # which the SFU binds on all addresses, so that the relay's must be another
            by_tcp = StreamRelay(impairment, (at, 0), (host, tcp_port))
            other_ports[tcp_port] = (await stack.enter_async_context(by_tcp)).listen[1]
        told = advertise(at, host, other_ports)
        signalling = await stack.enter_async_context(
            StreamRelay(impairment, (at, 0), (host, port), to_server=hide, to_client=told)
        )
        media = await stack.enter_async_context(MediaRelay(impairment, (at, udp_port), (host, udp_port)))
        yield SfuRelay(f"ws://{at}:{signalling.listen[1]}", impairment, signalling, media)
