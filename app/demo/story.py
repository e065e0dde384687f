"""`exaim demo`: a clinician who only listens hears one case to its end, and the demo checks itself.

stack (exaim up) ◀── HTTP, SFU ──▶ listener (this process)
out/demo/heard.wav      what reached the listener
out/demo/sent/*.wav     what left the worker
out/demo/timeline.json  what happened when
out/demo/report.json    the checks
"""

from __future__ import annotations

import asyncio
import json
import shutil
import time
import wave
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.demo import account, hearing
from app.demo.judges import ears
from app.demo.listener import Grant, Listener, end_session, listen, open_session
from app.demo.stackproc import RunningStack, stack
from exaim_core import Update
from infra import store
from infra.keys import SessionKeys
from infra.ledger import LedgerEntry, SpeechLedger
from infra.streams import SessionStreams
from tts_queue.ear import to_ear

CASE: Final = "case-hyperkalaemia-aki"
END_WITHIN_S: Final = 170.0  # the shipped case is 91 s; its closing, and what must not be lost, follow
WER_MARGIN: Final = 0.03  # heard may be so much worse than sent, by the same recogniser
SETTLE_S: Final = 2.0  # after the closing: the last beat confirms it, and the ledger has it

Say = Callable[[str], None]
Pcm = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Told:
    """What the store has of a session at its end."""

    updates: dict[str, Update]
    entries: tuple[LedgerEntry, ...]


async def run(out: Path, *, say: Say, case_id: str = CASE) -> bool:
    """Run the demonstration into `out`; return whether every check passed."""
    shutil.rmtree(out, ignore_errors=True)
    sent_dir = out / "sent"
    sent_dir.mkdir(parents=True)
    say("demo: starting a stack of its own")
    async with stack(out / "run", {"EXAIM_RECORD_DIR": str(sent_dir.absolute())}) as running:
        say(f"demo: up at {running.api_url}; joining as the clinician")
        grant = await open_session(running.api_url, case_id)
        async with listen(grant) as listener:
            await _hear(listener, say)
            told = await _told(running, grant)
            heard, messages = listener.heard.pcm(), list(listener.messages)
            times = [message.at_s for message in messages]
        await end_session(running.api_url, grant)
    _write_wav(out / "heard.wav", heard)
    began_s = min(times)
    _write_json(out / "timeline.json", _timeline(messages, began_s))
    say("demo: listening again to what was sent and what was heard")
    sent = _read_wav(sent_dir / f"{grant.session_id}.wav")
    shown = frozenset(m.body["update_id"] for m in messages if m.type == "update")
    report = await _report(sent, heard, told, shown, _lags_s(messages, told))
    _write_json(out / "report.json", report)
    for line in summary(report):
        say(f"demo: {line}")
    return bool(report["passed"])


async def _hear(listener: Listener, say: Say) -> None:
    """Say `ready` and listen until all has been said, telling what is heard. Raises: ListenerError."""
    await listener.command("ready")
    telling = asyncio.create_task(_tell(listener, say), name="demo-tell")
    try:
        await listener.until_all_is_said(END_WITHIN_S)
        await asyncio.sleep(SETTLE_S)
    finally:
        telling.cancel()


async def _tell(listener: Listener, say: Say) -> None:
    shown = 0
    while True:
        for message in listener.messages[shown:]:
            shown += 1
            body = message.body
            if message.type == "utterance" and body["phase"] == "speaking" and not body["cause"]:
                say(f"{time.strftime('%H:%M:%S')}  {body['kind']:>12}  {body['text']}")
        await asyncio.sleep(0.1)


async def _told(running: RunningStack, grant: Grant) -> Told:
    client = store.connect(running.redis_url)
    try:
        keys = SessionKeys(grant.session_id, grant.session_id)
        logged = await SessionStreams(client, keys).read_updates(count=10_000)
        entries = await SpeechLedger(client, keys).entries()
    finally:
        await client.aclose()
    return Told({each.update_id: Update.model_validate(each.update) for each in logged}, tuple(entries))


def _lags_s(messages: Sequence[Any], told: Told) -> list[float]:
    """Return for each spoken item the end of its speech less the last delta it cites, in seconds."""
    ended = {
        entry.utterance.utterance_id: entry.move.at_s
        for entry in told.entries
        if entry.move is not None and entry.phase.value == "spoken"
    }
    begun = {
        entry.utterance.utterance_id: entry.utterance.lag_from_s
        for entry in told.entries
        if entry.utterance.lag_from_s is not None
    }
    return account.lags_s(ended, begun)


async def _report(
    sent: Pcm, heard: Pcm, told: Told, shown: frozenset[str], lags_s: list[float]
) -> dict[str, Any]:
    stretches = account.spoken_stretches(told.entries)
    offset = hearing.align(sent, heard, [(each.start_sample, each.samples) for each in stretches])
    found = _follow(sent, heard, stretches, offset) if offset is not None else []
    wer_sent, wer_heard = await _word_errors(sent, heard, told, stretches, found)
    books = account.account(told.updates, told.entries, shown)
    checks = {
        "every spoken segment was heard": bool(found) and all(each.whole for each in found),
        "heard as well as sent": bool(found) and wer_heard <= wer_sent + WER_MARGIN,
        "every summary is accounted for": books.updates > 0 and not books.unaccounted,
    }
    return {
        "passed": all(checks.values()),
        "checks": checks,
        "segments": {
            "spoken": len(stretches),
            "heard": sum(each.whole for each in found),
            "correlation_lowest": round(min((each.score for each in found), default=0.0), 3),
        },
        "word_error_rate": {"sent": round(wer_sent, 4), "heard": round(wer_heard, 4)},
        "account": asdict(books),
        "lag_s": _spread(lags_s),
    }


def _follow(sent: Pcm, heard: Pcm, stretches: Sequence[account.Stretch], offset: int) -> list[hearing.Found]:
    """Find each stretch near where the last one was: a listener that conceals lost sound falls behind."""
    found: list[hearing.Found] = []
    for stretch in stretches:
        found.append(hearing.find(sent, heard, stretch.start_sample, stretch.samples, offset))
        if found[-1].whole:
            offset = found[-1].start_sample - stretch.start_sample
    return found


async def _word_errors(
    sent: Pcm,
    heard: Pcm,
    told: Told,
    stretches: Sequence[account.Stretch],
    found: Sequence[hearing.Found],
) -> tuple[float, float]:
    """Return the word error rates of sent and heard against the text, by the same recogniser."""
    if not found:
        return 1.0, 1.0
    texts = {entry.utterance.utterance_id: entry.utterance.text for entry in told.entries}
    spans: dict[str, list[tuple[account.Stretch, hearing.Found]]] = {}
    for stretch, hit in zip(stretches, found, strict=True):
        spans.setdefault(stretch.utterance_id, []).append((stretch, hit))
    reference, left, right = [], [], []
    async with ears() as recognise:
        for uid, pairs in spans.items():
            reference.append(" ".join(token.spoken for token in to_ear(texts[uid])))
            (first, first_hit), (last, last_hit) = pairs[0], pairs[-1]
            left.append(await recognise(sent[first.start_sample : last.start_sample + last.samples]))
            end = last_hit.start_sample + last.samples
            right.append(await recognise(heard[first_hit.start_sample : end]))
    errors_sent, words = hearing.word_errors(reference, left)
    errors_heard, _ = hearing.word_errors(reference, right)
    return errors_sent / max(1, words), errors_heard / max(1, words)


def summary(report: dict[str, Any]) -> list[str]:
    """Return the report in a few lines for people."""
    found, rates, books = report["segments"], report["word_error_rate"], report["account"]
    lines = [f"{'ok  ' if passed else 'FAIL'}  {check}" for check, passed in report["checks"].items()]
    return [
        *lines,
        f"{found['heard']} of {found['spoken']} segments found, lowest {found['correlation_lowest']}",
        f"word error rate: sent {rates['sent']:.1%}, heard {rates['heard']:.1%}",
        f"{books['updates']} updates, {books['items']} items: {books['phases']}",
        f"lag (last cited word to the end of the speech): {report['lag_s']}",
    ]


def _spread(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    low, middle, high = np.percentile(values, [0, 50, 95])
    return {"n": len(values)} | {
        name: round(float(value), 2) for name, value in (("min", low), ("p50", middle), ("p95", high))
    }


def _timeline(messages: Sequence[Any], began_s: float) -> list[dict[str, Any]]:
    return [
        {
            "t_s": round(message.at_s - began_s, 3),
            "heard_s": round(message.heard_sample / hearing.RATE_HZ, 3),
            "type": message.type,
            "body": message.body,
        }
        for message in sorted(messages, key=lambda message: message.at_s)
        if message.type not in ("trace", "snapshot")
    ]


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _write_wav(path: Path, pcm: Pcm) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(hearing.RATE_HZ)
        file.writeframes(pcm.tobytes())


def _read_wav(path: Path) -> Pcm:
    with wave.open(str(path), "rb") as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16)
