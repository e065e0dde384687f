"""A team in a process of its own, which a test kills: writes each event as a line, and waits until it is out."""

from __future__ import annotations

import asyncio
import sys
from contextlib import aclosing

from agents.teams.cdss import CdssTeam
from agents.teams.port import NoInbox
from agents.teams.running import RunCheckpoints, Running
from agents.teams.scripted import ScriptedModels, read_script
from infra.checkpoints import RedisSaver
from infra.store import connect


async def main(store_url: str, thread: str, first_turn: str) -> None:
    script = read_script("low-sodium")
    async with connect(store_url) as client:
        kept = RunCheckpoints(RedisSaver(client), thread, int(first_turn))
        team = CdssTeam(Running(kept=kept))
        models = ScriptedModels(script, "cdss", speed=20.0)
        async with aclosing(team.run(script.as_case(), models, NoInbox())) as events:
            async for event in events:
                sys.stdout.write(event.to_wire() + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
