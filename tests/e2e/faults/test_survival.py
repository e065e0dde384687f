"""Parts of a real stack are killed and stopped while a clinician listens; what it costs, and what not."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from agents import keys
from infra import store
from infra.embedded import ports
from infra.embedded.child import Child, spawn
from infra.keys import SessionKeys
from infra.streams import SessionStreams
from lab.chaos.hitting import Hit, hit
from lab.chaos.hold import Hold, NoSuchProcess, alive
from lab.chaos.impairment import Impairment
from lab.chaos.pages import PageProcess
from lab.chaos.plan import Fault, Planned
from lab.chaos.ports import media_port
from lab.chaos.recovery import silence_s
from lab.chaos.relay import before_sfu
from lab.chaos.session import READY_WITHIN_S, Session
from lab.demo.listener import ListenerError, end_session, open_session
from tests.e2e.conftest import LONG_CASE, UpStack, standing_still
from tests.launcher.processes import eventually, family

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]

SLOWLY = 0.8  # the long case's agents then think for 115 s
SAID_WITHIN_S = 240.0
INTO_S = 0.5  # of a clause, when a fault comes
THINKS_AGAIN_S = 60.0  # a lease runs out after 4 s; summaries come every 3 to 10

AGAIN_WITHIN_S = 40.0
"""From a fault to speech. A machine that does much else is slow: how soon it is, `make chaos` measures."""


@pytest.fixture
def hold(own: UpStack) -> Hold:
    return Hold(own.run_dir, own.sent_dir)


@asynccontextmanager
async def session(
    running: UpStack, hold: Hold, *, at: str = "127.0.0.2", api_url: str = ""
) -> AsyncIterator[Session]:
    """Open a session, let a page join it, and watch its ledger."""
    api = api_url or running.api_url
    note = (running.run_dir / "stack.json").read_text(encoding="utf-8")
    url = str(json.loads(note)["livekit_url"])
    async with before_sfu(url, media_port(hold.run_dir), Impairment(1), at=at) as relay:
        grant = await open_session(api, LONG_CASE, speed=SLOWLY)
        page = await PageProcess.start(hold.run_dir / "pages.log")
        opened = Session(grant, api, running.redis_url, relay, page)
        watching = asyncio.create_task(opened.watch(), name="watch")
        try:
            await opened.join(opened.page)
            await opened.page.wait_for(lambda told: told["what"] == "ready", READY_WITHIN_S, "the voice")
            yield opened
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await opened.page.end()
            with contextlib.suppress(ListenerError):  # what failed before is to be seen
                await end_session(api, grant)


async def fault(kind: Fault, on: Session, hold: Hold) -> Hit:
    """Do one fault inside a clause, and see that speech comes again, in time."""
    found = await hit(Planned(0, kind, 0, INTO_S, 0.0), [on], hold, None)
    assert found.done, f"{kind}: {found.note}"
    assert hold.up(), "exaim up has ended"
    for again_s in found.again_s:
        assert again_s is not None, f"{kind}: no speech came any more"
        assert again_s <= AGAIN_WITHIN_S, f"{kind}: speech came after {again_s:.1f} s"
    return found


async def nothing_lost(on: Session, out: Path) -> None:
    """Let all be said, and look into the books."""
    assert await on.until_all_is_said(SAID_WITHIN_S), "the session did not come to its end"
    books = await on.account(out)
    assert books.items >= 5
    assert books.lost == ()
    assert books.twice == ()
    assert not books.two_voices, (books.two_tracks_s, books.ghosts)
    assert not books.stuck


async def test_a_session_outlives_every_process_of_the_stack(
    own: UpStack, hold: Hold, tmp_path: Path
) -> None:
    async with session(own, hold) as listener:
        for kind in (
            Fault.JOB_KILLED,
            Fault.ENGINES_KILLED,
            Fault.REASONER_KILLED,
            Fault.API_KILLED,
            Fault.WORKER_KILLED,
            Fault.STORE_KILLED,
            Fault.JOB_STOPPED,
            Fault.SFU_KILLED,
        ):
            await fault(kind, listener, hold)
        await nothing_lost(listener, tmp_path)


# --- two of each


@contextmanager
def beside(folder: Path, hold: Hold, name: str, module: str, **more: str) -> Iterator[Child]:
    """Run one more of a part, with the settings of the stack, until the block ends.

    The API's process shows them; what a fork shows is its template's.
    """
    like = Path(f"/proc/{hold.pid('api')}/environ").read_bytes().decode().split("\0")
    environ = dict(line.split("=", 1) for line in like if line)
    if name != "api":
        environ.pop(keys.OPENER_VARIABLE)
    sign = folder / f"second-{name}"
    environ |= {"EXAIM_READY_FILE": str(sign), **more}
    argv = (sys.executable, "-m", module)
    child = spawn(f"second-{name}", argv, environ=environ, log=folder / f"second-{name}.log")
    try:
        assert eventually(sign.exists, 60.0), child.last_words()
        yield child
    finally:
        child.stop()


@contextmanager
def key_for(port: int, like: str) -> Iterator[None]:
    """Let programs find the opener key of the API at `like` for one more of it."""
    kept = keys.keep(port, keys.opener_key_of(like))
    yield
    keys.drop(kept)


async def test_of_two_workers_apis_and_reasoners_either_takes_over(
    own: UpStack, hold: Hold, tmp_path: Path
) -> None:
    port = ports.choose(tmp_path / "ports.json", [("api", ports.Transport.TCP)])["api"]
    with (
        beside(tmp_path, hold, "api", "app.serve_api", EXAIM_API_PORT=str(port)),
        key_for(port, like=own.api_url),
        beside(tmp_path, hold, "reasoner", "app.reasoner"),
        beside(tmp_path, hold, "worker", "app.serve_voice") as second,
    ):
        async with session(own, hold, api_url=f"http://127.0.0.1:{port}") as listener:
            workers = {"worker": hold.pid("worker"), "second": second.pid}
            said = await listener.until_in_a_clause(AGAIN_WITHIN_S)
            thought = await updates(own, listener)
            speaks = who_speaks(workers, hold, listener)
            assert speaks
            with standing_still(hold, hold.supervisor()):
                for name in ("reasoner", "api"):
                    hold.send(hold.pid(name), signal.SIGKILL)
                at_s = time.monotonic()
                hold.send(workers[speaks], signal.SIGKILL)
                again_s = await again(listener, at_s, said)
                assert again_s <= AGAIN_WITHIN_S
                (takes_over,) = workers.keys() - {speaks}
                async with asyncio.timeout(AGAIN_WITHIN_S):  # a busy machine may need a second successor
                    while who_speaks(workers, hold, listener) != takes_over:
                        await asyncio.sleep(0.2)
                async with asyncio.timeout(THINKS_AGAIN_S):
                    while await updates(own, listener) <= thought:
                        await asyncio.sleep(0.2)
            books = await listener.account(tmp_path)
            assert (books.twice, books.two_voices) == ((), False)


async def updates(running: UpStack, on: Session) -> int:
    """Return how much of the reasoning has been summed up so far."""
    client = store.connect(running.redis_url)
    try:
        keys = SessionKeys(on.grant.session_id, on.grant.session_id)
        return len(await SessionStreams(client, keys).read_updates(count=1_000))
    finally:
        await client.aclose()


def who_speaks(workers: Mapping[str, int], hold: Hold, on: Session) -> str | None:
    """Return the worker of which the session's job is one; None: another's, or there is no job now."""
    try:
        job = hold.job(on.grant.session_id)
    except NoSuchProcess:
        return None
    return next((name for name, pid in workers.items() if alive(pid) and job in family(pid)), None)


async def again(on: Session, at_s: float, said: str | None) -> float:
    """Return how long after `at_s` speech came again."""
    found: float | None = None
    async with asyncio.timeout(AGAIN_WITHIN_S):
        while found is None:
            await asyncio.sleep(0.2)
            if time.monotonic() > at_s + 4.5:  # what was on its way may sound for some seconds
                found = silence_s(on.sound(), at_s, on.spoken_at(said or ""), time.monotonic())
    return found
