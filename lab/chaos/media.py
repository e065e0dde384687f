"""A user-space relay for UDP: every client's packets to one server and back, through an impaired network.

    client ──▶ listen (127.0.0.2:N) ──impairment──▶ a socket of this client's own ──▶ server (127.0.0.1:N)
           ◀──impairment──                          ◀──

Each client address has a socket of its own towards the server, so that the server tells clients apart.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from lab.chaos.impairment import CLEAR, Impairment, datagram

Address = tuple[str, int]

DATAGRAM: Final = 65_536
MOST_FLOWS: Final = 64  # clients with a socket of their own; the one that was silent longest goes
MOST_WAITING: Final = 8_192  # packets on their way: 100 a second of 40 clients for 2 s; more are lost
AT_ONCE: Final = 64  # packets read before others of the loop have their turn


@dataclass(slots=True)
class Tally:
    """Packets and bytes that were taken and given, and packets that were lost, of one direction."""

    taken: int = 0
    given: int = 0
    lost: int = 0
    given_bytes: int = 0


@dataclass(slots=True)
class _Direction:
    """One direction of one flow: how many packets came, and when the last one arrives."""

    seed: int
    number: int = 0
    last_s: float = float("-inf")


@dataclass(slots=True)
class _Flow:
    """One client of the relay."""

    client: Address
    socket: socket.socket
    up: _Direction
    down: _Direction
    heard_s: float = 0.0


@dataclass(slots=True)
class MediaRelay:
    """Relays while its block lasts: `async with MediaRelay(impairment, listen, server) as relay`.

    `flows` counts the clients there were. Times are the loop's.
    """

    impairment: Impairment
    listen: Address
    server: Address
    up: Tally = field(default_factory=Tally)
    down: Tally = field(default_factory=Tally)
    flows: int = 0
    _socket: socket.socket | None = None
    _by_client: dict[Address, _Flow] = field(default_factory=dict)
    _waiting: set[asyncio.TimerHandle] = field(default_factory=set)

    async def __aenter__(self) -> MediaRelay:
        self._socket = _datagram_socket()
        self._socket.bind(self.listen)
        self.listen = self._socket.getsockname()
        asyncio.get_running_loop().add_reader(self._socket, self._from_clients)
        return self

    async def __aexit__(self, *exc: object) -> None:
        for handle in self._waiting:
            handle.cancel()
        self._waiting.clear()
        for flow in list(self._by_client.values()):
            self._forget(flow)
        assert self._socket is not None
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()

    def _from_clients(self) -> None:
        assert self._socket is not None
        for _ in range(AT_ONCE):
            try:
                packet, client = self._socket.recvfrom(DATAGRAM)
            except BlockingIOError:
                return
            except ConnectionError:  # a client that is gone: its port was said to be closed
                continue
            flow = self._by_client.get(client) or self._meet(client)
            flow.heard_s = asyncio.get_running_loop().time()
            self._carry(packet, flow.up, self.up, flow.socket.send)

    def _from_server(self, flow: _Flow) -> None:
        for _ in range(AT_ONCE):
            try:
                packet = flow.socket.recv(DATAGRAM)
            except BlockingIOError:
                return
            except ConnectionError:  # the server is gone
                continue
            self._carry(packet, flow.down, self.down, lambda p: self._to_client(p, flow.client))

    def _to_client(self, packet: bytes, client: Address) -> int:
        assert self._socket is not None
        return self._socket.sendto(packet, client)

    def _carry(
        self, packet: bytes, direction: _Direction, tally: Tally, send: Callable[[bytes], int]
    ) -> None:
        loop = asyncio.get_running_loop()
        now_s, number = loop.time(), direction.number
        direction.number += 1
        tally.taken += 1
        at_s = datagram(self.impairment.now, direction.seed, number, now_s, direction.last_s)
        if at_s is None or len(self._waiting) >= MOST_WAITING:
            tally.lost += 1
            return
        if self.impairment.now is CLEAR and direction.last_s <= now_s:
            self._give(packet, tally, send)
            return
        direction.last_s = max(at_s, direction.last_s)

        def arrive() -> None:
            self._waiting.discard(handle)
            self._give(packet, tally, send)

        handle = loop.call_at(at_s, arrive)
        self._waiting.add(handle)

    @staticmethod
    def _give(packet: bytes, tally: Tally, send: Callable[[bytes], int]) -> None:
        try:
            tally.given_bytes += send(packet)
        except (BlockingIOError, ConnectionError):  # no room, or nobody there: lost, as on any network
            tally.lost += 1
        else:
            tally.given += 1

    def _meet(self, client: Address) -> _Flow:
        if len(self._by_client) >= MOST_FLOWS:
            self._forget(min(self._by_client.values(), key=lambda flow: flow.heard_s))
        upstream = _datagram_socket()
        upstream.connect(self.server)
        seed = self.impairment.seed * 1_000 + 2 * self.flows
        flow = _Flow(client, upstream, _Direction(seed), _Direction(seed + 1))
        self.flows += 1
        self._by_client[client] = flow
        asyncio.get_running_loop().add_reader(upstream, self._from_server, flow)
        return flow

    def _forget(self, flow: _Flow) -> None:
        del self._by_client[flow.client]
        asyncio.get_running_loop().remove_reader(flow.socket)
        with contextlib.suppress(OSError):
            flow.socket.close()


def _datagram_socket() -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setblocking(False)
    return made
