from __future__ import annotations

import asyncio
import logging

import pytest

from infra.errors import StoreUnavailable
from infra.keys import SessionKeys
from infra.outage import OutageTolerantStreams
from infra.store import connect
from infra.streams import Command, SessionStreams
from tests.servers import valkey


async def test_a_reader_waits_an_outage_out_and_goes_on_where_it_was(
    tmp_path_factory: pytest.TempPathFactory, keys: SessionKeys, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    command = Command(kind="ready", by="clinician", at_ms=1, command_id="s-1.ready")
    with valkey(tmp_path_factory.mktemp("away")) as server:
        client = connect(server.url)
        streams = OutageTolerantStreams(SessionStreams(client, keys))
        await streams.append_command(command)
        (first,) = await streams.read_commands("0-0", block_ms=0, count=10)
        server.crash()
        assert await streams.read_commands(first.id, block_ms=0, count=10) == []
        assert await streams.read_updates("0-0", block_ms=0, count=10) == []
        with pytest.raises(StoreUnavailable):
            await streams.append_command(command)
        server.start()
        async with asyncio.timeout(20.0):
            await streams.append_command(command.model_copy(update={"command_id": "s-1.end", "kind": "end"}))
        (second,) = await streams.read_commands(first.id, block_ms=1_000, count=10)
        await client.aclose()
    assert second.command.kind == "end"
    assert [entry.levelname for entry in caplog.records if entry.name == "infra.outage"] == ["WARNING"]
