"""The process of the teams is killed at random points of a case, once a case, on a whole stack."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import httpx
from redis.asyncio import Redis

from agents.stream import EventType, StreamEvent
from agents.teams.script_files import read_script
from infra import store
from infra.keys import SessionKeys
from infra.streams import SessionStreams
from lab.bench.figures import figure, table
from lab.chaos.hold import Hold
from lab.demo.stackproc import StackFailed, stack
from lab.teams.audit import Cut, account, standing
from lab.teams.keys import each_its_own
from lab.teams.service import MODEL, Service, serving

SCRIPT: Final = "low-sodium"
RUN_WITHIN_S: Final = 300.0  # a machine that others use takes minutes where a quiet one takes ten seconds
SETTLE_S: Final = (
    5.0  # a new process has run well by then, so that the next death is no row (app/restarts.py)
)
LOOK_S: Final = 0.005

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Place:
    """Where runs are made: a client of the stack's API and its keys, the store, the processes, the model's service."""

    http: httpx.AsyncClient
    keys: Iterator[dict[str, str]]
    client: Redis
    hold: Hold
    service: Service


async def run(out: Path, *, kills: int, seed: int, say: Say) -> bool:
    """Kill `kills` times; write the report into `out`; return whether all held. Raises: StackFailed."""
    await asyncio.to_thread(shutil.rmtree, out, ignore_errors=True)
    run_dir = (out / "run").absolute()
    service = Service(read_script(SCRIPT))
    async with serving(service) as url:
        models = out / "models.yaml"
        out.mkdir(parents=True, exist_ok=True)
        named = f"teams:\n  lab: {{provider: openai, model: {MODEL}, base_url: {url}}}\n"
        models.write_text(named, encoding="utf-8")
        environ = {"EXAIM_MODELS": str(models.absolute()), "OPENAI_API_KEY": "none"}
        async with stack(run_dir, environ) as running:
            client = store.connect(running.redis_url)
            try:
                async with httpx.AsyncClient(base_url=running.api_url) as http:
                    keys = each_its_own(running.api_url)
                    place = Place(http, keys, client, Hold(run_dir, run_dir), service)
                    cuts = await _cuts(place, out, kills, seed, say)
            finally:
                await client.aclose()
    say(report(cuts, seed))
    return len(cuts) == kills and not any(each.wrong for each in cuts)


async def _cuts(place: Place, out: Path, kills: int, seed: int, say: Say) -> list[Cut]:
    events = await _whole(place)
    whole = standing(events)
    say(f"teams: a run that is not cut has {len(events)} events and {len(place.service.calls)} calls")
    points = random.Random(seed).sample(range(2, round(0.95 * len(events))), kills)
    cuts = []
    for number, point in enumerate(points, start=1):
        await asyncio.sleep(SETTLE_S)
        found = await _cut(place, point, whole)
        cuts.append(found)
        _kept(out, cuts, seed)
        say(f"teams: {number} of {kills}: {_line(found)}")
    return cuts


async def _whole(place: Place) -> list[StreamEvent]:
    session = await _started(place)
    events = await _until(place, session, _is_over)
    await _ended(place, session)
    return events


async def _cut(place: Place, point: int, whole: Any) -> Cut:
    """Have one case run, killed after `point` events."""
    first = len(place.service.calls)
    session = await _started(place)
    before = await _until(place, session, lambda events: len(events) >= point)
    if _is_over(before):
        raise StackFailed(f"the case was over before {point} events")
    pid = place.hold.pid("teams")
    place.hold.send(pid, signal.SIGKILL)
    killed_s = time.monotonic()
    known = len(await _events(place, session))  # what was on its way
    await _until(place, session, lambda events: len(events) > known)
    again_s = time.monotonic() - killed_s
    events = await _until(place, session, _is_over)
    await _ended(place, session)
    calls = place.service.calls[first:]
    return account(events, calls, whole, point=point, killed_s=killed_s, again_s=again_s)


async def _started(place: Place) -> dict[str, Any]:
    case = read_script(SCRIPT).free_text
    body = {"team": "cdss", "case": case, "model": "lab", "stays_here": True}
    answer = await place.http.post("/teams", json=body, headers=next(place.keys))
    if answer.status_code != 201:
        raise StackFailed(f"the API refused a team ({answer.status_code}): {answer.text}")
    opened: dict[str, Any] = answer.json()
    return opened


async def _ended(place: Place, session: dict[str, Any]) -> None:
    headers = {"Authorization": f"Bearer {session['client_secret']}"}
    await place.http.post(f"/sessions/{session['session_id']}/end", headers=headers)


async def _events(place: Place, session: dict[str, Any]) -> list[StreamEvent]:
    streams = SessionStreams(place.client, SessionKeys(session["thread_id"], session["session_id"]))
    logged = await streams.read_events(count=5_000)
    return [each.event for each in logged]


async def _until(
    place: Place, session: dict[str, Any], holds: Callable[[Sequence[StreamEvent]], bool]
) -> list[StreamEvent]:
    """Return a session's events once they are as wanted, or the case is over. Raises: StackFailed."""
    events: list[StreamEvent] = []
    try:
        async with asyncio.timeout(RUN_WITHIN_S):
            while not (holds(events) or _is_over(events)):
                await asyncio.sleep(LOOK_S)
                events = await _events(place, session)
    except TimeoutError:
        message = f"{len(events)} events after {RUN_WITHIN_S:.0f} s; see the stack's logs/teams.log"
        raise StackFailed(message) from None
    return events


def _is_over(events: Sequence[StreamEvent]) -> bool:
    return bool(events) and events[-1].type is EventType.END


def _kept(out: Path, cuts: Sequence[Cut], seed: int) -> None:
    (out / "report.md").write_text(report(cuts, seed), encoding="utf-8")
    (out / "cuts.json").write_text(json.dumps([asdict(each) for each in cuts], indent=1), encoding="utf-8")


def _line(cut: Cut) -> str:
    how = f"killed after {cut.point} events, {cut.ended} calls ended and {cut.cut} under way"
    return f"{how}; again after {cut.again_s:.1f} s: {'; '.join(cut.wrong) or 'all held'}"


def report(cuts: Sequence[Cut], seed: int) -> str:
    """Return the account of all kills."""
    rows = [
        f"| {each.point} | {each.ended} | {each.cut} | {each.late} | {each.again_s:.1f} | "
        f"{'; '.join(each.wrong) or 'all held'} |"
        for each in cuts
    ]
    lines = [
        f"# The process of the teams, killed {len(cuts)} times (seed {seed})",
        "| after events | calls ended | cut | made again in the window | heard again, s | what did not hold |",
        "|---|---|---|---|---|---|",
        *rows,
    ]
    times = [each.again_s for each in cuts]
    again = table([figure("a kill → the team's next event", "s", times)]) if times else ""
    return "\n".join([lines[0], "", *lines[1:], "", again, ""])
