from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from api import create_app
from infra.errors import StoreMisconfigured
from infra.reports.recorder import COUNTED, RecordLimits
from infra.settings import Settings
from infra.sfu_port import SfuMisconfigured, SfuRefused, SfuUnavailable
from infra.sfu_testing import Expect, ScriptedSfu
from tests.api.serving import CASE, bearer, refusal, serving, settings_for
from tts_queue.engines import protocol

PARTS = {"store", "sfu", "engines", "catalogue", "watcher", "recorder"}


async def health(settings: Settings, sfu: ScriptedSfu) -> tuple[int, dict[str, Any]]:
    """Ask an application with these parts for its health."""
    async with serving(settings, sfu) as client:
        answer = await client.get("/health")
    body: dict[str, Any] = answer.json()
    return answer.status_code, body


def down(body: dict[str, Any]) -> set[str]:
    """Return the parts that are not well, and check that each says why."""
    assert set(body["parts"]) == PARTS
    assert all(part["detail"] for part in body["parts"].values())
    return {name for name, part in body["parts"].items() if not part["ok"]}


@asynccontextmanager
async def engines(socket: Path, **ping: float) -> AsyncIterator[None]:
    """Stand in for the engines process: answers hello and ping, as its protocol says."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (frame := await protocol.read_frame(reader)) is not None:
            asked, _ = frame
            known: dict[str, protocol.Header] = {"hello": {"engines": {"voice": "piper"}}, "ping": ping}
            answer = known[asked["op"]]
            writer.write(protocol.encode({"id": asked["id"], **answer}))
        writer.close()

    async with await asyncio.start_unix_server(serve, socket):
        yield


async def test_health_is_200_when_every_part_is_well(settings: Settings) -> None:
    async with engines(settings.engines_socket, running_s=0.2):
        status, body = await health(settings, ScriptedSfu([Expect("check")]))
    assert (status, body["status"], down(body)) == (200, "ok", set())
    assert "valkey" in body["parts"]["store"]["detail"]
    assert "piper" in body["parts"]["engines"]["detail"]
    assert (body["sessions"], body["max_sessions"]) == (0, 4)


async def test_an_engine_that_is_stuck_is_not_well(settings: Settings) -> None:
    async with engines(settings.engines_socket, running_s=31.0):
        status, body = await health(settings, ScriptedSfu([Expect("check")]))
    assert (status, down(body)) == (503, {"engines"})
    assert "31 s" in body["parts"]["engines"]["detail"]
    assert "end the engines process" in body["parts"]["engines"]["detail"]


async def test_something_that_is_no_engines_process_is_not_well(settings: Settings) -> None:
    async def chatter(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 hello, this is mail\r\n")
        writer.close()

    async with await asyncio.start_unix_server(chatter, settings.engines_socket):
        status, body = await health(settings, ScriptedSfu([Expect("check")]))
    assert (status, down(body)) == (503, {"engines"})


async def test_each_part_that_is_down_is_named(settings: Settings, tmp_path: Path) -> None:
    refused = SfuRefused("ListRooms", 401, "")
    away = SfuUnavailable("ListRooms", "nothing")
    no_cases = settings.model_copy(update={"cases": (tmp_path / "nowhere",)})
    no_store = settings_for(tmp_path)
    for chosen, script, expected in (
        (settings, Expect("check"), {"engines"}),
        (settings, Expect("check", fails=refused), {"engines", "sfu"}),
        (settings, Expect("check", fails=away), {"engines", "sfu"}),
        (no_cases, Expect("check"), {"engines", "catalogue"}),
        (no_store, Expect("check"), {"engines", "store"}),
    ):
        status, body = await health(chosen, ScriptedSfu([script]))
        assert (status, body["status"], down(body)) == (503, "failing", expected)


async def recorder(settings: Settings, until: str = "") -> tuple[bool, str]:
    """Return how the recorder fares, once its detail holds `until`."""
    limits = RecordLimits(poll_s=0.02, check_after_s=0.0)
    sfu = ScriptedSfu([Expect("check")] * 200)
    async with serving(settings, sfu, recording=limits) as client, asyncio.timeout(10):
        while True:
            body = (await client.get("/health")).json()
            found = body["parts"]["recorder"]
            if until in found["detail"]:
                assert set(body["recorder"]) == set(COUNTED)
                return found["ok"], found["detail"]
            await asyncio.sleep(0.02)


async def test_it_says_whether_reports_are_made_and_kept(settings: Settings, tmp_path: Path) -> None:
    ok, detail = await recorder(settings)
    assert ok and "into the database" in detail
    ok, detail = await recorder(settings.model_copy(update={"record": False}))
    assert ok and "EXAIM_RECORD" in detail


async def test_a_database_that_is_away_is_told_and_keeps_no_session_from_speaking(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    away = settings.model_copy(update={"database_url": f"sqlite:///{tmp_path}/file/records.db"})
    ok, detail = await recorder(away, until="for now")
    assert ok and "database" in detail.lower()


async def test_an_address_that_only_its_driver_refuses_costs_no_recorder(settings: Settings) -> None:
    odd = settings.model_copy(update={"database_url": "postgresql://exaim:hush@a..b/exaim"})
    ok, detail = await recorder(odd, until="for now")
    assert ok and "DATABASE_URL" in detail and "hush" not in detail


async def test_without_a_store_the_application_starts_and_says_what_is_missing(tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        listed = await client.get("/cases")
        answers = await asyncio.gather(
            client.post("/sessions", json={"case_id": CASE}),
            client.post("/sessions/s-aaaaaaaaaaaaaaaa/token", headers=bearer("x")),
        )
    assert listed.status_code == 200
    for answer in answers:
        assert refusal(answer) == (503, "store_unavailable")
        assert "REDIS_URL" in answer.json()["error"]["message"]


async def test_it_says_that_it_answers_though_all_else_is_down(tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path)) as client:
        answer = await client.get("/health/live")
        assert (answer.status_code, answer.json()) == (200, {"alive": True})


async def test_the_application_closes_its_sfu_with_itself(tmp_path: Path) -> None:
    sfu = ScriptedSfu()
    async with serving(settings_for(tmp_path), sfu):
        assert not sfu.closed
    assert sfu.closed


async def test_it_tells_whoever_started_it_that_it_is_ready(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    async with serving(settings_for(tmp_path, ready_file=ready), ScriptedSfu()):
        assert ready.exists()


@pytest.mark.parametrize(
    ("wrong", "error", "named"),
    [
        ({"livekit_api_secret": "short"}, SfuMisconfigured, "LIVEKIT_API_SECRET has 5 characters"),
        ({"livekit_api_key": ""}, SfuMisconfigured, "LIVEKIT_API_KEY"),
        ({"livekit_url": "voice.example.org"}, SfuMisconfigured, "LIVEKIT_URL"),
        ({"livekit_url": "ws://127.0.0.1:port"}, SfuMisconfigured, "LIVEKIT_URL"),
        ({"redis_url": ""}, StoreMisconfigured, "REDIS_URL is empty"),
        ({"redis_url": "redis://u:short/er@h/0"}, StoreMisconfigured, "REDIS_URL can't be read"),
    ],
)
def test_settings_that_can_not_work_stop_the_start_with_their_name(
    wrong: dict[str, str], error: type[Exception], named: str, tmp_path: Path
) -> None:
    settings = settings_for(tmp_path).model_copy(update=wrong)
    with pytest.raises(error, match=named) as raised:
        create_app(settings)
    assert "short" not in str(raised.value)
