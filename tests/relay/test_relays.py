"""Real sockets on loopback: what goes in comes out at the other end, as the impairment allows."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from lab.chaos.impairment import DARK, Conditions, Impairment
from lab.chaos.media import MediaRelay
from lab.chaos.streams import StreamRelay

SOON_S = 20.0  # milliseconds on two idle cores
ECHO = ("127.0.0.1", 0)


def udp() -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setblocking(False)
    made.bind(ECHO)
    return made


async def received(sock: socket.socket) -> bytes:
    async with asyncio.timeout(SOON_S):
        return await asyncio.get_running_loop().sock_recv(sock, 2_000)


async def echo_once(server: socket.socket) -> tuple[str, int]:
    async with asyncio.timeout(SOON_S):
        packet, sender = await asyncio.get_running_loop().sock_recvfrom(server, 2_000)
    server.sendto(packet, sender)
    return tuple(sender)


async def test_each_client_hears_its_own_echo_and_the_server_tells_them_apart() -> None:
    with udp() as server, udp() as one, udp() as two:
        async with MediaRelay(Impairment(), ECHO, server.getsockname()) as relay:
            one.sendto(b"one", relay.listen)
            first = await echo_once(server)
            two.sendto(b"two", relay.listen)
            second = await echo_once(server)
            assert (await received(one), await received(two)) == (b"one", b"two")
    assert first != second
    assert relay.flows == 2
    assert (relay.up.given, relay.down.given) == (2, 2)


async def test_delayed_packets_come_in_order_and_each_of_them() -> None:
    impairment = Impairment(3, Conditions(delay_s=0.01, jitter_s=0.03))
    sent = [b"%d" % number for number in range(40)]
    with udp() as server, udp() as client:
        async with MediaRelay(impairment, ECHO, server.getsockname()) as relay:
            for packet in sent:
                client.sendto(packet, relay.listen)
            assert [await received(server) for _ in sent] == sent


async def test_nothing_passes_in_the_dark_and_what_comes_after_it_does() -> None:
    impairment = Impairment(0, DARK)
    with udp() as server, udp() as client:
        async with MediaRelay(impairment, ECHO, server.getsockname()) as relay:
            client.sendto(b"lost", relay.listen)
            async with asyncio.timeout(SOON_S):
                while not relay.up.lost:
                    await asyncio.sleep(0)
            impairment.now = Conditions()
            client.sendto(b"after", relay.listen)
            assert await received(server) == b"after"


async def test_losses_are_counted_and_the_same_in_each_run() -> None:
    async def lost() -> int:
        impairment = Impairment(5, Conditions(loss=0.1))
        with udp() as server, udp() as client:
            async with MediaRelay(impairment, ECHO, server.getsockname()) as relay:
                for _ in range(200):
                    client.sendto(b"x", relay.listen)
                async with asyncio.timeout(SOON_S):
                    while relay.up.taken < 200:
                        await asyncio.sleep(0)
            return relay.up.lost

    first = await lost()
    assert 8 <= first <= 35
    assert first == await lost()


@asynccontextmanager
async def echoing() -> AsyncIterator[tuple[str, int]]:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1_000):
            writer.write(data)
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(echo, *ECHO)
    try:
        yield server.sockets[0].getsockname()[:2]
    finally:
        server.close()
        await server.wait_closed()


@asynccontextmanager
async def client_of(relay: StreamRelay) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection(*relay.listen)
    try:
        yield reader, writer
    finally:
        writer.close()
        await writer.wait_closed()


async def test_a_stream_comes_back_whole_in_rough_weather() -> None:
    impairment = Impairment(1, Conditions(loss=0.02, delay_s=0.01, jitter_s=0.02))
    said = bytes(range(256)) * 400
    async with echoing() as server, StreamRelay(impairment, ECHO, server) as relay:
        async with client_of(relay) as (reader, writer), asyncio.timeout(SOON_S):
            writer.write(said)
            assert await reader.readexactly(len(said)) == said


async def test_a_stream_goes_on_where_darkness_stopped_it() -> None:
    impairment = Impairment(0, DARK)
    async with echoing() as server, StreamRelay(impairment, ECHO, server) as relay:
        async with client_of(relay) as (reader, writer):
            writer.write(b"patience")
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await reader.read(1)
            impairment.now = Conditions()
            async with asyncio.timeout(SOON_S):
                assert await reader.readexactly(8) == b"patience"


async def test_what_was_said_before_the_end_still_arrives() -> None:
    async with echoing() as server, StreamRelay(Impairment(), ECHO, server) as relay:
        async with client_of(relay) as (reader, writer), asyncio.timeout(SOON_S):
            writer.write(b"bye")
            writer.write_eof()
            assert await reader.read() == b"bye"


async def test_who_sends_much_to_a_server_that_breaks_off_is_not_left_waiting() -> None:
    async def break_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write_eof()  # the way back is over: nothing more is learned from it
        await reader.read(1)
        writer.transport.abort()

    server = await asyncio.start_server(break_off, *ECHO)
    late = Impairment(0, Conditions(delay_s=0.3))
    async with server, StreamRelay(late, ECHO, server.sockets[0].getsockname()[:2]) as relay:
        reader, writer = await asyncio.open_connection(*relay.listen)
        async with asyncio.timeout(SOON_S):
            assert await reader.read() == b""
            with pytest.raises(ConnectionError):
                while True:
                    writer.write(bytes(1 << 20))
                    await writer.drain()
        writer.transport.abort()


async def test_a_relay_that_ends_leaves_no_connection() -> None:
    async with echoing() as server:
        async with StreamRelay(Impairment(), ECHO, server) as relay:
            reader, writer = await asyncio.open_connection(*relay.listen)
            async with asyncio.timeout(SOON_S):
                writer.write(b"x")
                await reader.readexactly(1)
        async with asyncio.timeout(SOON_S):
            assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()


async def test_a_server_that_is_not_there_closes_the_connection() -> None:
    with socket.socket() as closed:
        closed.bind(ECHO)
        async with StreamRelay(Impairment(), ECHO, closed.getsockname()) as relay:
            async with client_of(relay) as (reader, _), asyncio.timeout(SOON_S):
                assert await reader.read() == b""
