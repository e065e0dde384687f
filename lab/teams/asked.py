"""How soon a team has what the clinician confirmed by voice, and how soon its provider's socket is closed.

Asked in a real room, aloud: "ask the team …", the read-back, "yes". Measured from the end of the yes, as it left
the clinician's microphone, to when the team's own program has the message. Cancelled by the API: from the call to
when the provider's service sees its clients go, while all specialists of a round are being answered.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import floor
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.teams.script_files import read_script
from exaim_live import LiveTeam, TeamMessage, open_session
from lab.bench.figures import Figure, count, figure, table, write
from lab.bench.sounds import WHO, asked
from lab.demo.listener import Grant, Listener, ListenerError, Received, end_session, follow, talking_to
from lab.demo.microphone import Microphone
from lab.demo.stackproc import SETTLES_S, RunningStack, stack
from lab.teams.keys import each_its_own
from lab.teams.killed import SCRIPT
from lab.teams.service import MODEL, Service, serving
from lab.teams.starting import listening, start

SENT_MS: Final = 1_000.0
CLOSED_MS: Final = 1_000.0
QUESTIONS: Final = (
    "Ask the team: could this be sepsis?",
    "Ask the team: is the liver failing?",
    "Ask the team: should we repeat the scan?",
)
NOT_TAKEN: Final = 0.05  # of the questions: the ears' own aim in a quiet room is 95 % (docs/ears.md)
YES: Final = "Yes."
QUIET_WITHIN_S: Final = 60.0
READ_WITHIN_S: Final = 20.0
TAKEN_WITHIN_S: Final = 10.0
CALLED_WITHIN_S: Final = 90.0
SLOW: Final = 8.0  # words a second of a service that is cancelled: its answers last
UNDER_WAY_S: Final = 1.0  # into the calls of a round
LOOK_S: Final = 0.005

Say = Callable[[str], None]
Pcm = NDArray[np.int16]


@dataclass(slots=True)
class Put:
    """What the clinician put to the team.

    In seconds from the end of the yes: until it was understood, and until the team had the question; None: never.
    """

    question: str
    who: int
    understood_s: float | None = None
    took_s: float | None = None
    was_read: bool = False


@dataclass(slots=True)
class _Team:
    """What a team's program was given, and when."""

    got: list[tuple[float, TeamMessage]] = field(default_factory=list)

    async def listen(self, team: LiveTeam) -> None:
        """Note what comes, and answer it, until cancelled."""
        async for message in team.inbox():
            self.got.append((time.monotonic(), message))
            async with team.agent("moderator", in_reply_to=message.id) as turn:
                await turn.say("We will look at it.")


async def run(out: Path, *, questions: int, cancels: int, say: Say) -> bool:
    """Measure on a stack of its own; return whether the aims were met. Raises: StackFailed, ListenerError."""
    await asyncio.to_thread(shutil.rmtree, out, ignore_errors=True)
    out.mkdir(parents=True)
    service = Service(read_script(SCRIPT), words_per_s=SLOW)
    async with serving(service) as url:
        models = out / "models.yaml"
        named = f"teams:\n  lab: {{provider: openai, model: {MODEL}, base_url: {url}}}\n"
        models.write_text(named, encoding="utf-8")
        environ = {"EXAIM_MODELS": str(models.absolute()), "OPENAI_API_KEY": "none"}
        async with stack(out / "run", environ) as running:
            await asyncio.sleep(SETTLES_S)
            put = await _asked(running, out / "run" / "engines.sock", questions, say)
            closed = await _cancelled(running, service, cancels, say)
    figures = rows(put, closed)
    write(out, "9-asked", figures)
    (out / "asked.json").write_text(json.dumps([asdict(each) for each in put], indent=1), encoding="utf-8")
    say(f"{table(figures)}\nload at the end: {os.getloadavg()[0]:.1f}")
    return all(each.met is not False for each in figures)


def rows(put: Sequence[Put], closed_s: Sequence[float | None]) -> list[Figure]:
    """Return the figures; of what never happened only how often. `closed_s` None: its calls ended by themselves."""
    sent = [1000 * each.took_s for each in put if each.took_s is not None]
    understood = [1000 * each.understood_s for each in put if each.took_s and each.understood_s]
    closed = [1000 * each for each in closed_s if each is not None]
    read, uncut = sum(each.was_read for each in put), len(closed_s) - len(closed)
    found = []
    if sent:
        name, aim = 'end of "yes" → the team has the question', f"p95 ≤ {SENT_MS:g} ms"
        found.append(figure(name, "ms", sent, most=SENT_MS, at="p95", aim=aim))
    if understood:
        found.append(figure('  of it until the "yes" is understood', "ms", understood))
    found.append(count("read back and never sent", "events", read - len(sent), read, most=0))
    name, most = "not understood as a question to the team", floor(NOT_TAKEN * len(put))
    found.append(count(name, "events", len(put) - read, len(put), most=most))
    if closed:
        name, aim = "cancelled → the provider's last socket closed", f"max ≤ {CLOSED_MS:g} ms"
        found.append(figure(name, "ms", closed, most=CLOSED_MS, at="max", aim=aim))
    name = "cancelled, and its calls ended by themselves"
    return [*found, count(name, "events", uncut, len(closed_s), most=0)]


# -- asked, aloud --------------------------------------------------------------------------------


async def _asked(running: RunningStack, engines: Path, questions: int, say: Say) -> list[Put]:
    spoken = [await asked(engines, (*QUESTIONS, YES), who) for who in WHO[:2]]
    opened = await open_session(running.api_url, title="Questions", silence_s=1_800.0)
    theirs, made = _Team(), list[Put]()
    async with LiveTeam(opened) as team:
        await team.agent("moderator").say("The team is here.")
        answering = asyncio.create_task(theirs.listen(team), name="lab-team")
        try:
            grant = await follow(opened.page_url)
            async with (
                listening(running.api_url, grant) as listener,
                listener.microphone() as microphone,
            ):
                await listener.command("ready")
                for number in range(questions):
                    who = number % len(spoken)
                    question = QUESTIONS[number % len(QUESTIONS)]
                    made.append(await _put(listener, microphone, theirs, spoken[who], Put(question, who)))
                    say(f"teams: question {number + 1} of {questions}: {made[-1].took_s}")
        finally:
            answering.cancel()
            await asyncio.wait({answering})
    return made


async def _put(
    listener: Listener, microphone: Microphone, theirs: _Team, spoken: Mapping[str, Pcm], put: Put
) -> Put:
    """Ask, hear the read-back to its end, say yes, and wait until the team has it."""
    await _quiet(listener)
    known = len(theirs.got)
    seen = len(listener.messages)
    await microphone.say(spoken[put.question])
    try:
        await _read_back(listener, seen)
    except ListenerError:
        return put
    put.was_read = True
    said = await microphone.say(spoken[YES])
    until_s = time.monotonic() + TAKEN_WITHIN_S
    while len(theirs.got) == known and time.monotonic() < until_s:
        await asyncio.sleep(LOOK_S)
    turns = [m.at_s for m in listener.messages if m.type == "turn" and m.body["phase"] == "decided"]
    put.understood_s = next((at_s - said.last_s for at_s in turns if at_s > said.first_s), None)
    if len(theirs.got) > known:
        put.took_s = theirs.got[known][0] - said.last_s
    return put


async def _quiet(listener: Listener) -> None:
    """Wait for a second's pause of the voice. Raises: ListenerError: it speaks on."""
    until_s = time.monotonic() + QUIET_WITHIN_S
    while listener.speaking():
        if time.monotonic() > until_s:
            raise ListenerError(f"the voice was not quiet within {QUIET_WITHIN_S:.0f} s")
        await asyncio.sleep(0.1)
    await asyncio.sleep(1.0)


async def _read_back(listener: Listener, seen: int) -> None:
    """Wait until what would be sent was read back to its end. Raises: ListenerError."""

    def asks(message: Received) -> bool:
        return message.type == "mode" and message.body["asks"] == "to_team"

    def read(message: Received) -> bool:
        told = message.body
        return message.type == "utterance" and told["phase"] == "spoken" and "Say yes" in told["text"]

    await listener.wait_for(asks, READ_WITHIN_S, since=seen)
    await listener.wait_for(read, READ_WITHIN_S, since=seen)


# -- cancelled -----------------------------------------------------------------------------------


async def _cancelled(running: RunningStack, service: Service, cancels: int, say: Say) -> list[float | None]:
    found = []
    for number, key in zip(range(cancels), each_its_own(running.api_url), strict=False):
        first = len(service.calls)
        case = {"team": "cdss", "case": read_script(SCRIPT).free_text, "model": "lab", "stays_here": True}
        started = await start(running.api_url, case, key)
        try:
            at_s = await _cancel(running.api_url, started.grant, service, first)
        finally:
            await end_session(running.api_url, started.grant)
        gone_s = [each.gone_s for each in service.calls[first:] if each.gone_s is not None]
        found.append(max(gone_s) - at_s if gone_s else None)
        say(f"teams: cancelled {number + 1} of {cancels}: {len(gone_s)} sockets, {found[-1]} s")
    return found


async def _cancel(api_url: str, grant: Grant, service: Service, first: int) -> float:
    """Cancel a case during its calls, the first of which is given, until none is open. Return when it was told to."""
    await _until(lambda: _open(service, first) >= 2)
    await asyncio.sleep(UNDER_WAY_S)
    async with talking_to(api_url, {"Authorization": f"Bearer {grant.client_secret}"}) as http:
        at_s = time.monotonic()
        sent = await http.post(f"/sessions/{grant.session_id}/ask", json={"kind": "cancelled"})
        sent.raise_for_status()
    await _until(lambda: not _open(service, first))
    return at_s


def _open(service: Service, first: int) -> int:
    """Return how many of the calls since the first are being answered."""
    return sum(each.ended_s is None and each.gone_s is None for each in service.calls[first:])


async def _until(holds: Callable[[], bool]) -> None:
    """Wait. Raises: ListenerError: not in time."""
    until_s = time.monotonic() + CALLED_WITHIN_S
    while not holds():
        if time.monotonic() > until_s:
            raise ListenerError(f"the team's calls were not as awaited within {CALLED_WITHIN_S:.0f} s")
        await asyncio.sleep(LOOK_S)
