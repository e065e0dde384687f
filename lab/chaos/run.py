"""`exaim chaos`: a plan of faults over several sessions of a real stack, measured and accounted for."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from lab.chaos import report
from lab.chaos.audit import Audit
from lab.chaos.hitting import Hit, hit
from lab.chaos.hold import Hold
from lab.chaos.impairment import Impairment
from lab.chaos.pages import PageProcess
from lab.chaos.plan import AT_ONCE, OF_CLIENT, Fault, Planned, in_rounds, make_plan
from lab.chaos.ports import media_port
from lab.chaos.relay import before_sfu
from lab.chaos.session import READY_WITHIN_S, Session
from lab.demo.listener import ListenerError, end_session, open_session
from lab.demo.stackproc import SETTLES_S, RunningStack, StackFailed, stack

CASES: Final = (("case-hyperkalaemia-aki", 0.7), ("case-sudden-chest-pain", 2.3))
"""Each with the speed at which its agents think for 130 s: as long as ten faults take."""
RELAYS: Final = ("127.0.0.2", "127.0.0.3")  # one for each session of a round
SAID_WITHIN_S: Final = 240.0  # ten dead voices in two minutes leave 150 s of speech, and 13 more of closing
PAGES_LOG: Final = "pages.log"  # in the run folder

Say = Callable[[str], None]


async def run(out: Path, *, seed: int, sessions: int, faults: int, say: Say) -> bool:
    """Do the plan; write the report into `out`; return whether every aim was met.

    Raises: StackFailed, ListenerError (a session could not even be begun).
    """
    plan = make_plan(seed, faults)
    await asyncio.to_thread(shutil.rmtree, out, ignore_errors=True)
    run_dir, record_dir = (out / "run").absolute(), (out / "sent").absolute()
    hits: list[Hit] = []
    accounts: list[Audit] = []
    async with stack(run_dir, {"EXAIM_RECORD_DIR": str(record_dir)}) as running:
        hold = Hold(run_dir, record_dir)
        await asyncio.sleep(SETTLES_S)
        try:
            for number, part in enumerate(in_rounds(plan, sessions), start=1):
                say(f"chaos: round {number}: {len(part)} faults on {AT_ONCE} sessions")
                accounts += await _round(part, running, hold, seed + number, out, hits, say)
                report.write(out, seed=seed, hits=hits, accounts=accounts, planned=faults)
        finally:
            met = report.write(out, seed=seed, hits=hits, accounts=accounts, planned=faults)
    say((out / "report.md").read_text(encoding="utf-8"))
    return met


async def _round(
    part: Sequence[Planned],
    running: RunningStack,
    hold: Hold,
    seed: int,
    out: Path,
    hits: list[Hit],
    say: Say,
) -> list[Audit]:
    """Begin two sessions, do the faults, let all be said; return their audits."""
    async with AsyncExitStack() as cleaning:
        sessions = [
            await cleaning.enter_async_context(_session(running, hold.run_dir, seed, number))
            for number in range(AT_ONCE)
        ]
        await asyncio.gather(*(_begun(session) for session in sessions))
        for planned in part:
            if not hold.up():
                raise StackFailed(f"exaim up has ended; see {hold.run_dir / 'up.log'}")
            found = await _one(planned, sessions, hold)
            hits.append(found)
            say(f"chaos: {_line(found)}")
        for session in sessions:
            if not await session.until_all_is_said(SAID_WITHIN_S):
                say(f"chaos: {session.grant.session_id} did not come to its end")
        return [await session.account(out / "sessions") for session in sessions]


async def _one(planned: Planned, sessions: Sequence[Session], hold: Hold) -> Hit:
    """Do one fault; a page that is to take over is started before, so that its start is not measured."""
    spare = None
    if planned.fault in OF_CLIENT and planned.fault is not Fault.FLAP:
        spare = await PageProcess.start(hold.run_dir / PAGES_LOG)
    try:
        return await hit(planned, sessions, hold, spare)
    finally:
        if spare is not None and all(session.page is not spare for session in sessions):
            await spare.end()


@asynccontextmanager
async def _session(running: RunningStack, run_dir: Path, seed: int, number: int) -> AsyncIterator[Session]:
    """Open a session and let a page join it through a relay; end all of it after the block."""
    case_id, speed = CASES[number % len(CASES)]
    url = str(running.noted["livekit_url"])
    impairment = Impairment(seed * 10 + number)
    async with before_sfu(url, media_port(run_dir), impairment, at=RELAYS[number]) as relay:
        grant = await open_session(running.api_url, case_id, speed=speed)
        page = await PageProcess.start(run_dir / PAGES_LOG)
        session = Session(grant, running.api_url, running.redis_url, relay, page)
        watching = asyncio.create_task(session.watch(), name="watch")
        try:
            await session.join(session.page)
            yield session
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await session.page.end()
            await _ended(running.api_url, session)


async def _begun(session: Session) -> None:
    await session.page.wait_for(lambda told: told["what"] == "ready", READY_WITHIN_S, "the voice's answer")


async def _ended(api_url: str, session: Session) -> None:
    try:
        await end_session(api_url, session.grant)
    except ListenerError:
        pass  # the stack ends with us


def _line(found: Hit) -> str:
    if not found.done:
        return f"{found.number} {found.fault.value}: not done ({found.note})"
    where = "in a clause" if found.speaking else "in silence"
    again = ", ".join("never" if each is None else f"{each:.1f} s" for each in found.again_s)
    return f"{found.number} {found.fault.value}, {where}: speech after {again or '–'} ({time.strftime('%X')})"
