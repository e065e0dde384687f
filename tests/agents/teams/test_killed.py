"""A team's process is killed at random points, with nothing to say goodbye: the next one goes on."""

from __future__ import annotations

import asyncio
import os
import random

import pytest

from agents.stream import EventType, TeamEvent, TurnMark
from agents.teams.scripted import read_script
from tests.agents.teams.runs import marks, words
from tests.forks import Forks
from tests.servers import StoreServer

pytestmark = [pytest.mark.real, pytest.mark.timeout(240)]

KILLS = 2
EVENTS = 500  # about as many as the script makes
FINAL = read_script("low-sodium").lines["cdss"]["orchestrator"]["synthesis"][0].text


async def run(
    forks: Forks, store_url: str, thread: str, first_turn: int, kill_after: int | None
) -> list[TeamEvent]:
    """Run the team's process, and kill it once it has told so many events; return what it told."""
    process = forks.start(
        "tests.agents.teams.process", store_url, thread, str(first_turn), environ=os.environ
    )
    told: list[TeamEvent] = []
    try:
        output = await process.reader()
        async with asyncio.timeout(100.0):
            while line := await output.readline():
                told.append(TeamEvent.model_validate_json(line))
                if len(told) == kill_after:
                    break
        if kill_after is not None:
            process.kill()
            rest = (await output.read()).splitlines(keepends=True)
            told += [TeamEvent.model_validate_json(line) for line in rest if line.endswith(b"\n")]
    finally:
        process.close()
    return told


async def test_the_process_that_takes_over_says_the_same_and_nothing_twice(
    store_server: StoreServer, forks: Forks
) -> None:
    for number, point in enumerate(random.Random(7).sample(range(20, EVENTS), KILLS)):
        before = await run(forks, store_server.url, f"killed-{number}", 0, point)
        after = await run(forks, store_server.url, f"killed-{number}", 1_000, None)
        told = [*before, *after]
        assert after[-1].type is EventType.END
        void = {turn for _, turn, mark in marks(told) if mark is TurnMark.TURN_ABORTED}
        standing = [each for each in told if each.turn not in void]
        assert words(standing, "orchestrator") == FINAL, f"killed after {point} events"
        for agent in ("laboratory", "internal_medicine", "radiology", "cardiology"):
            begun = [
                turn for who, turn, mark in marks(standing) if (who, mark) == (agent, TurnMark.TURN_START)
            ]
            assert len(begun) == 1, f"{agent} said it {len(begun)} times, killed after {point} events"
