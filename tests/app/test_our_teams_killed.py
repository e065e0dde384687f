"""The process of the teams is killed with nothing to say goodbye: the next one goes on at the last call."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path

import httpx
import pytest
from redis.asyncio import Redis

from agents.keys import KEY_HEADER, KEY_VARIABLE, OPENER_VARIABLE
from agents.stream import EventType, StreamEvent, TurnMark
from agents.teams.script_files import read_script
from app.exits import Exit
from app.http_bounds import HttpLimits
from infra.settings import Settings
from tests.agents.teams.runs import marks, words
from tests.api.serving import a_key, settings_for
from tests.api.test_tries import Rooms, served
from tests.app.test_our_teams import assert_said_once, events, until_over
from tests.forks import Fork, Forks
from tests.mdagents.test_debates import debated
from tests.mdagents.test_resuming import standing_of
from tests.servers import StoreServer
from tests.twins.openai_twin import openai_twin
from tests.twins.script import KEY, MODEL, Answer, Script, Stall

pytestmark = [pytest.mark.real, pytest.mark.timeout(400)]

KILLS = 2
CHAIR = "### Final Decision\n**Pneumonia** - a cough and a fever of 39.1.\n"
EVENTS = 420  # about as many as the script makes
SOON_S = 100.0
SPEED = 15.0
DEBATE = "yellow-rings"
DEBATE_EVENTS = 80  # fewer than its log has
FINAL = read_script("low-sodium").lines["cdss"]["orchestrator"]["synthesis"][0].text


@pytest.fixture
def settings(tmp_path: Path, store_server: StoreServer, store: Redis) -> Settings:
    return settings_for(tmp_path, store_server.url, speed=SPEED)


@asynccontextmanager
async def process(forks: Forks, settings: Settings, address: httpx.URL) -> AsyncIterator[Fork]:
    """Run the process, a fork as with `exaim up`; it is killed at the end of the block, if it was not before."""
    environ = {**os.environ, **settings.environment(), "EXAIM_API_PORT": str(address.port)}
    environ.pop(OPENER_VARIABLE, None)
    begun = forks.start("app.our_teams", environ=environ, piped=False, loaded=["app.team_run"])
    try:
        yield begun
    except TimeoutError:  # where it hangs is in what it writes then
        begun.send(signal.SIGABRT)
        await begun.ended()
        raise
    finally:
        begun.close()


async def killed_at(
    forks: Forks, point: int, session: dict[str, str], settings: Settings, address: httpx.URL, store: Redis
) -> Sequence[StreamEvent]:
    """Kill the process after `point` events, have another go on to the end, and return all that was told."""
    async with process(forks, settings, address) as first:
        async with asyncio.timeout(SOON_S):
            while len(await events(store, session)) < point:
                await asyncio.sleep(0.02)
        first.kill()
        await first.ended()
    before = await events(store, session)
    assert before[-1].type is not EventType.END, f"it was over before {point} events"
    async with process(forks, settings, address):
        async with asyncio.timeout(SOON_S):
            await until_over(store)
    told = await events(store, session)
    assert [each.type for each in told].count(EventType.END) == 1, f"killed after {point} events"
    return told


async def test_a_team_is_heard_on_and_no_call_that_had_ended_is_made_again(
    settings: Settings, store: Redis, forks: Forks
) -> None:
    async with served(settings, Rooms(), HttpLimits()) as address, httpx.AsyncClient() as http:
        http.headers[KEY_HEADER] = a_key()
        for point in random.Random(55).sample(range(20, EVENTS), KILLS):
            answer = await http.post(f"{address}teams", json={"team": "cdss", "scripted": "low-sodium"})
            session = answer.json()
            told = await killed_at(forks, point, session, settings, httpx.URL(address), store)
            assert_said_once(told)
            assert words(told, "orchestrator").endswith(FINAL)
            secret = {"Authorization": f"Bearer {session['client_secret']}"}
            await http.post(f"{address}sessions/{session['session_id']}/end", headers=secret)


async def test_a_debate_goes_on_at_its_last_call_and_says_and_costs_the_same(
    settings: Settings, store: Redis, forks: Forks
) -> None:
    whole = standing_of(await debated(DEBATE))
    async with served(settings, Rooms(), HttpLimits()) as address, httpx.AsyncClient() as http:
        http.headers[KEY_HEADER] = a_key()
        for point in random.Random(18).sample(range(10, DEBATE_EVENTS), KILLS):
            answer = await http.post(f"{address}teams", json={"team": "mdagents", "scripted": DEBATE})
            session = answer.json()
            told = await killed_at(forks, point, session, settings, httpx.URL(address), store)
            assert not [each for each in told if each.type is EventType.ERROR]
            assert standing_of(told) == whole, f"killed after {point} events"
            secret = {"Authorization": f"Bearer {session['client_secret']}"}
            await http.post(f"{address}sessions/{session['session_id']}/end", headers=secret)


async def test_a_provider_is_asked_again_only_for_the_call_that_was_cut(
    settings: Settings, store: Redis, forks: Forks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    stalled = Stall("I would rather", asyncio.Event())
    script = Script(Answer("I say A."), Answer("I say B."), stalled, Answer("I say C."), Answer(CHAIR))
    async with openai_twin(script) as twin:
        models = tmp_path / "models.yaml"
        models.write_text(
            f"teams:\n  twin: {{provider: openai, model: {MODEL}, base_url: {twin}}}\n", encoding="utf-8"
        )
        ours = settings.model_copy(update={"models": models})
        async with served(ours, Rooms(), HttpLimits()) as address, httpx.AsyncClient() as http:
            http.headers[KEY_HEADER] = a_key()
            body = {
                "team": "doctors",
                "case": "A man of 40 with a cough and a fever of 39.1.",
                "stays_here": True,
            }
            session = (await http.post(f"{address}teams", json=body)).json()
            async with process(forks, ours, httpx.URL(address)) as first:
                async with asyncio.timeout(SOON_S):
                    while not words(await events(store, session), "doctor2"):
                        await asyncio.sleep(0.02)
                first.kill()
                await first.ended()
            async with process(forks, ours, httpx.URL(address)):
                async with asyncio.timeout(SOON_S):
                    await until_over(store)
            told = await events(store, session)
    script.assert_finished()
    assert len(script.requests) == 5
    void = {turn for _, turn, mark in marks(told) if mark is TurnMark.TURN_ABORTED}
    standing = [each for each in told if each.turn not in void]
    assert [words(standing, each) for each in ("doctor0", "doctor1", "doctor2", "supervisor")] == [
        "I say A.",
        "I say B.",
        "I say C.",
        CHAIR,
    ]
    assert [each.type for each in told].count(EventType.END) == 1


async def test_exaim_team_goes_on_with_a_run_that_was_cut_by_its_name(
    settings: Settings, store: Redis, forks: Forks, tmp_path: Path
) -> None:
    case = tmp_path / "cough.txt"
    case.write_text("A man of 40 with a cough and a fever of 39.1.", encoding="utf-8")
    script = Script(Answer("I say A."), Stall("I would", asyncio.Event()), Answer("I say B."), Answer(CHAIR))
    async with (
        openai_twin(script) as twin,
        served(settings, Rooms(), HttpLimits()) as address,
        AsyncExitStack() as ending,
    ):
        environ = {
            **os.environ,
            **settings.environment(),
            "XDG_STATE_HOME": str(tmp_path),
            KEY_VARIABLE: a_key(),
        }
        environ |= {"OPENAI_API_KEY": KEY}
        environ.pop(OPENER_VARIABLE, None)

        def command(*options: str) -> Fork:
            begun = forks.start("app.cli", "team", "--url", address, *options, environ=environ)
            return ending.enter_context(closing(begun))

        model = ("--model", f"openai:{MODEL}", "--base-url", twin)
        first = command(str(case), "--team", "doctors", "--doctors", "2", *model)
        output = await first.reader()
        async with asyncio.timeout(SOON_S):
            told = [(await output.readline()).decode() for _ in range(2)]
            run = told[1].strip().rpartition(" ")[2]
            session = {"session_id": run, "thread_id": run}
            while not words(await events(store, session), "doctor1"):
                await asyncio.sleep(0.02)
        first.kill()
        await first.ended()
        kept = tmp_path / "exaim-voice" / "runs" / f"{run}.json"
        assert kept.stat().st_mode & 0o077 == 0, "it holds the team's token"
        async with asyncio.timeout(SOON_S):
            again = command("--resume", run)
            out = await (await again.reader()).read()
            assert await again.ended() == 0, out
        found = await events(store, session)
        async with asyncio.timeout(SOON_S):
            nothing = command("--resume", run)
            assert await nothing.ended() == Exit.SETTINGS, "what is over is gone on with by nobody"
    script.assert_finished()
    assert len(script.requests) == 4
    assert words(found, "doctor0") == "I say A."
    assert words(found, "supervisor") == CHAIR
    assert found[-1].type is EventType.END
    assert not kept.exists()
