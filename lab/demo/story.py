"""`exaim demo`: a clinician hears a case, talks to the voice, is lost and comes back; the demo checks itself.

stack (exaim up) ◀── HTTP, SFU ──▶ the clinician's client, a process of its own, killed in the middle
                                   and a second one

out/demo/heard.wav      what reached the two clients, the absence as silence
out/demo/clinician.wav  what the clinician said, on the same clock
out/demo/sent/*.wav     what left the worker
out/demo/captions.vtt   the words of both, timed on heard.wav
out/demo/timeline.json  what happened when
out/demo/report.json    the checks, and what was measured; report.md is the same for people
"""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.clinician import sounds
from app.clinician.speech import SPEAKERS, phrases
from app.launcher import socket_folder
from app.recording import recordings
from lab.demo import account, clinician, parts, report, script, vtt
from lab.demo.acts import WORDS, acts, longest_s
from lab.demo.books import books
from lab.demo.checks import checks
from lab.demo.client import Client, fresh_grant
from lab.demo.facts import Facts, Gap, Told
from lab.demo.judges import ears
from lab.demo.judging import judge
from lab.demo.listener import Grant, Received, end_session, open_session
from lab.demo.microphone import FRAME, VOICED_RMS
from lab.demo.parts import Pcm
from lab.demo.runs import RATE_HZ, runs
from lab.demo.stackproc import RunningStack, stack
from tts_queue import HoldCause, Phase

CASE: Final = "case-hyperkalaemia-aki"
WHO: Final = SPEAKERS[1]  # not the voice that reads
LOUD_DBFS: Final = -23.0  # conversational speech near a microphone
ACTS_WITHIN_S: Final = longest_s(acts()) + 10.0  # each has its own limits
KILL_WITHIN_S: Final = 60.0
INTO_S: Final = 1.3  # into a clause when the client is killed; its sound is 0.1 to 0.2 s behind the message
LEFT_S: Final = 0.7
AWAY_S: Final = 12.0
HELD_LOOK_S: Final = 6.0
ALL_WITHIN_S: Final = clinician.ALL_WITHIN_S + 20.0  # the client's own limit, and what it says of that

Say = Callable[[str], None]


async def run(out: Path, *, say: Say, case_id: str = CASE) -> bool:
    """Run the demonstration into `out`; return whether every check passed."""
    shutil.rmtree(out, ignore_errors=True)
    sent_dir, run_dir = out / "sent", out / "run"
    sent_dir.mkdir(parents=True)
    say("demo: starting a stack of its own")
    async with stack(run_dir, {"EXAIM_RECORD_DIR": str(sent_dir.absolute())}) as running:
        said = await _sounds(run_dir)
        say(f"demo: up at {running.api_url}; joining as the clinician")
        grant = await open_session(running.api_url, case_id)
        gap = await _listen(running, grant, run_dir, said, say)
        told = await books(running.redis_url, grant.session_id)
        await end_session(running.api_url, grant)
    say("demo: listening again to what was sent and what was heard")
    both = (parts.read(run_dir / "first"), parts.read(run_dir / "second"))
    facts = Facts(case_id, grant.session_id, both, gap, told)
    sent = parts.read_wav(recordings(sent_dir, grant.session_id)[-1])
    found = await _judged(out, facts, sent, said)
    for line in report.summary(found):
        say(f"demo: {line}")
    say(f"demo: {out}/report.md tells the story")
    return bool(found["passed"])


async def _sounds(run_dir: Path) -> dict[str, Pcm]:
    """Return the clinician's sounds, and write them for the client."""
    socket = socket_folder(run_dir.absolute()) / "engines.sock"
    words = {name: text for name, text in WORDS.items() if name != "mm-hm"}
    made = await phrases(socket, words.values(), WHO)
    said = {name: sounds.at_level(made[text], LOUD_DBFS) for name, text in words.items()}
    said["mm-hm"] = sounds.mm_hm()
    (run_dir / "said").mkdir()
    for name, pcm in said.items():
        parts.write_wav(run_dir / "said" / f"{name}.wav", pcm)
    return said


# --- what happens


@asynccontextmanager
async def _client(run_dir: Path, name: str) -> AsyncIterator[Client]:
    client = await Client.start(run_dir / name, run_dir / "said")
    try:
        yield client
    finally:
        await client.end()


async def _listen(
    running: RunningStack, grant: Grant, run_dir: Path, said: Mapping[str, Pcm], say: Say
) -> Gap:
    """Be there twice, and gone in between. Raises: ListenerError: something awaited did not come."""
    teller = _Teller(say)
    async with _client(run_dir, "first") as first, _client(run_dir, "second") as second:
        await first.join(grant, acts=True)
        await first.until(lambda: len(first.acts) == len(acts()), ACTS_WITHIN_S, "the acts", teller)
        await first.until(lambda: _in_a_clause(first), KILL_WITHIN_S, "the middle of a summary", teller)
        clause = first.scene.clause
        assert clause is not None
        killed_s, killed_wall_s = time.monotonic(), first.kill()
        say("demo: killed the clinician's client; the reasoning goes on")
        held_s, before = await _held_after(running, grant, clause.utterance_id, killed_wall_s)
        await asyncio.sleep(max(0.0, killed_s + AWAY_S - time.monotonic()))
        after = len((await books(running.redis_url, grant.session_id)).updates)
        back_s = await second.join(await fresh_grant(running.api_url, grant), acts=False)
        say("demo: back again, as a second client")
        await second.until(lambda: second.ended, ALL_WITHIN_S, "the end", teller)
        if not second.scene.done("closing"):
            say("demo: the second client ended before the closing was heard")
    return Gap(killed_s, clause.utterance_id, clause.index, held_s, back_s, before, after)


def _in_a_clause(client: Client) -> bool:
    return client.scene.in_a_summary(time.monotonic(), into_s=INTO_S, left_s=LEFT_S) is not None


async def _held_after(
    running: RunningStack, grant: Grant, utterance_id: str, killed_wall_s: float
) -> tuple[float | None, int]:
    """Return how long after the kill the utterance was held for the listener, and the updates by then."""
    before = len((await books(running.redis_url, grant.session_id)).updates)
    while time.time() < killed_wall_s + HELD_LOOK_S:
        entry = (await books(running.redis_url, grant.session_id)).entry(utterance_id)
        if entry is not None and entry.phase is Phase.HELD and entry.cause is HoldCause.LISTENER:
            return entry.moved_at_ms / 1000 - killed_wall_s, before
        await asyncio.sleep(0.05)
    return None, before


class _Teller:
    """Tells on the terminal what is heard and what was understood."""

    def __init__(self, say: Say) -> None:
        self._say = say

    def __call__(self, message: Received) -> None:
        body = message.body
        now = time.strftime("%H:%M:%S")
        if message.type == "utterance" and body["phase"] == "speaking" and not body["cause"]:
            self._say(f"{now}  {body['kind']:>12}  {body['text']}")
        elif message.type == "turn" and body["phase"] == "decided":
            self._say(f"{now}  {'clinician':>12}  “{body['text']}”: {body['effect']}")


# --- what is made of it


async def _judged(out: Path, facts: Facts, sent: Pcm, said: Mapping[str, Pcm]) -> dict[str, Any]:
    """Judge, and write everything; return the report."""
    told, both = facts.told, facts.parts
    bodies = [body for part in both for body in part.snapshots_too("segment", "segments")]
    texts = {entry.utterance.utterance_id: entry.utterance.text for entry in told.entries}
    async with ears() as recognise:
        marks = account.spoken_stretches(told.entries)
        judged = await judge(sent, both, runs(bodies, sent), marks, texts, recognise)
    counted = account.account(told.updates, told.entries, facts.shown())
    cues = vtt.written(script.captions(facts, judged), title=facts.case_id)
    length_s = facts.t(both[-1].ended_s)
    amiss = _amiss(cues, length_s)
    found = report.report(facts, judged, counted, checks(facts, judged, counted, amiss), _lags_s(told))
    (out / "captions.vtt").write_text(cues, encoding="utf-8")
    (out / "report.md").write_text(report.markdown(found, script.play(facts, judged)), encoding="utf-8")
    _write_json(out / "report.json", found)
    _write_json(out / "timeline.json", _timeline(facts))
    parts.write_wav(out / "heard.wav", parts.joined(both))
    parts.write_wav(out / "clinician.wav", _clinician(facts, said, length_s))
    return found


def _amiss(cues: str, length_s: float) -> str | None:
    """Return what is wrong with captions of a recording of so long, or None."""
    try:
        read = vtt.parsed(cues)
    except vtt.NotVtt as error:
        return str(error)
    late = [cue for cue in read if cue.end_s > length_s + 0.5]
    return f"{len(late)} cues end after the recording" if late else None if read else "there are no cues"


def _clinician(facts: Facts, said: Mapping[str, Pcm], length_s: float) -> Pcm:
    """Return what the clinician said on the clock of heard.wav."""
    spoke = [each for outcome in facts.parts[0].outcomes for each in outcome.said]
    return parts.laid(
        [(facts.t(each.first_s) - _first_voiced_s(said[each.sound]), said[each.sound]) for each in spoke],
        length_s,
    )


def _first_voiced_s(pcm: Pcm) -> float:
    """Return how long a sound has been on its way when its first voiced frame leaves."""
    frames = pcm[: pcm.size // FRAME * FRAME].reshape(-1, FRAME).astype(np.float32)
    voiced = np.flatnonzero(np.sqrt((frames**2).mean(axis=1)) > VOICED_RMS)
    return float(voiced[0]) * FRAME / RATE_HZ if voiced.size else 0.0


def _lags_s(told: Told) -> list[float]:
    """Return for each spoken item the end of its speech less the last delta it cites, in seconds."""
    spoken = [entry for entry in told.entries if entry.move is not None and entry.phase is Phase.SPOKEN]
    ended = {entry.utterance.utterance_id: entry.move.at_s for entry in spoken if entry.move is not None}
    begun = {
        entry.utterance.utterance_id: entry.utterance.lag_from_s
        for entry in told.entries
        if entry.utterance.lag_from_s is not None
    }
    return account.lags_s(ended, begun)


def _timeline(facts: Facts) -> list[dict[str, Any]]:
    rows: Sequence[tuple[float, int, str, Any]] = [
        *((m.at_s, n, m.type, m.body) for n, part in enumerate(facts.parts, start=1) for m in part.messages),
        *((o.said[0].first_s, 1, "act", asdict(o)) for o in facts.parts[0].outcomes if o.said),
        (facts.gap.killed_s, 1, "killed", {}),
        (facts.gap.back_s, 2, "joining", {}),
    ]
    return [
        {"t_s": round(facts.t(at_s), 3), "client": client, "type": kind, "body": body}
        for at_s, client, kind, body in sorted(rows, key=lambda row: row[0])
        if kind not in ("snapshot", "past")
    ]


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
