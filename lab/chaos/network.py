"""`exaim chaos network`: minutes of a bad network before one listener, and what it made of the voice.

Whole cases are played one after the other to a listener behind the relay: 5 % loss, 100 ms jitter, a round
trip of 300 ms, both ways and for the signalling too. Nobody leaves, so each hold for want of the listener is
a false one, and each welcome too.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from app.recording import recordings
from lab.bench import figures
from lab.bench.figures import Figure
from lab.chaos.impairment import ROUGH, Impairment
from lab.chaos.ports import media_port
from lab.chaos.relay import SfuRelay, before_sfu
from lab.demo import account
from lab.demo.books import books
from lab.demo.hearing import as_said
from lab.demo.judges import Recognise, ears
from lab.demo.judging import Judged, judge
from lab.demo.listener import RATE_HZ, Listener, Received, end_session, listen, open_session
from lab.demo.parts import Part, read_wav, write_wav
from lab.demo.stackproc import RunningStack, stack

CASES: Final = ("case-sudden-chest-pain", "case-hyperkalaemia-aki")
SHORT_MIN: Final = 5.0  # less than that is left: the shorter case
CASE_WITHIN_S: Final = 480.0
SETTLE_S: Final = 2.0
WORSE: Final = 0.05  # of the word error rate
MOST_HOLDS: Final = 1
WRAPS: Final = 1 << 32  # where a listener's clock begins again (docs/protocol.md)
ONE_HOLD_S: Final = 1.0  # what is told within so long of one another is one hold

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Leg:
    """One case over the impaired network. Rates are of the recogniser, on what was sent and what was heard."""

    case_id: str
    lasted_s: float
    holds: int
    welcomes: int
    spoken: int
    lost: int  # items without an end
    words: int
    sent_errors: float
    heard_errors: float
    clock_errors_s: tuple[float, ...]  # where the voice thought the ear was, less where it was
    packets: int
    packets_lost: int


async def run(out: Path, *, seed: int, minutes: float, say: Say) -> bool:
    """Play whole cases for `minutes` at least; write network.md and .json; return whether the aims were met.

    Raises: StackFailed, ListenerError.
    """
    run_dir, sent_dir = (out / "network-run").absolute(), (out / "network-sent").absolute()
    for folder in (run_dir, sent_dir):
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    legs: list[Leg] = []
    impairment = Impairment(seed)
    async with stack(run_dir, {"EXAIM_RECORD_DIR": str(sent_dir)}) as running:
        url = str(running.noted["livekit_url"])
        async with before_sfu(url, media_port(run_dir), impairment) as relay, ears() as recognise:
            impairment.now = ROUGH
            while (left_s := minutes * 60 - sum(leg.lasted_s for leg in legs)) > 0:
                case_id = CASES[left_s < SHORT_MIN * 60]
                say(f"chaos: {case_id} through {ROUGH}")
                legs.append(await _leg(running, relay, case_id, sent_dir, recognise))
                say(f"chaos: {legs[-1]}")
    return _write(out, legs, say)


async def _leg(
    running: RunningStack, relay: SfuRelay, case_id: str, sent_dir: Path, recognise: Recognise
) -> Leg:
    grant = await open_session(running.api_url, case_id)
    before = relay.media.down.taken, relay.media.down.lost
    began_s = time.monotonic()
    async with listen(replace(grant, livekit_url=relay.url)) as listener:
        await listener.command("ready")
        await listener.until_all_is_said(CASE_WITHIN_S)
        await asyncio.sleep(SETTLE_S)
        lasted_s = time.monotonic() - began_s
        told = await books(running.redis_url, grant.session_id)
    await end_session(running.api_url, grant)
    packets, lost = relay.media.down.taken - before[0], relay.media.down.lost - before[1]
    sent = await asyncio.to_thread(read_wav, recordings(sent_dir, grant.session_id)[-1])
    await asyncio.to_thread(write_wav, sent_dir / f"{grant.session_id}.heard.wav", listener.heard.pcm())
    await asyncio.to_thread(_keep_told, sent_dir / f"{grant.session_id}.told.json", listener.messages)
    texts = {entry.utterance.utterance_id: entry.utterance.text for entry in told.entries}
    marks = account.spoken_stretches(told.entries)
    judged = await judge(sent, [part_of(listener)], (), marks, texts, recognise)
    shown = frozenset(m.body["update_id"] for m in listener.messages if m.type == "update")
    counted = account.account(told.updates, told.entries, shown)
    heard = listener.messages
    return Leg(
        case_id=case_id,
        lasted_s=lasted_s,
        holds=false_holds(heard),
        welcomes=welcomes(heard),
        spoken=len({mark.utterance_id for mark in marks}),
        lost=len(counted.unaccounted),
        words=sum(len(as_said(texts[uid]).split()) for uid in {mark.utterance_id for mark in marks}),
        sent_errors=judged.word_error_rate[0],
        heard_errors=judged.word_error_rate[1],
        clock_errors_s=tuple(clock_errors_s(judged, heard)),
        packets=packets,
        packets_lost=lost,
    )


def _keep_told(path: Path, messages: Sequence[Received]) -> None:
    """Leave what was told, but for the agents' words, for whoever asks when a hold was."""
    told = [asdict(m) for m in messages if m.type not in ("trace", "snapshot", "past", "update")]
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def part_of(listener: Listener) -> Part:
    """Return what a listener heard and was told."""
    arrived = listener.heard.arrived_s
    return Part(arrived[0] if arrived else 0.0, listener.heard.pcm(), tuple(listener.messages))


def false_holds(messages: Sequence[Received]) -> int:
    """Return how often speech was held for want of a listener that was there all the time.

    A hold is told by the mode, and by each utterance that it holds; what is told within a second is one.
    """
    told: list[float] = []
    speaking, mode = False, ""
    for m in sorted(messages, key=lambda m: m.seq):
        if m.type == "utterance":
            speaking |= m.body["phase"] == "speaking"
            if m.body["phase"] == "held" and m.body["cause"] == "listener":
                told.append(m.at_s)
        elif m.type == "mode":
            if speaking and m.body["mode"] == "away" != mode:
                told.append(m.at_s)
            mode = m.body["mode"]
    return sum(later - earlier > ONE_HOLD_S for earlier, later in pairwise([float("-inf"), *sorted(told)]))


def welcomes(messages: Sequence[Received]) -> int:
    """Return how many welcomes were begun."""
    return len(
        {
            m.body["utterance_id"]
            for m in messages
            if m.type == "utterance" and m.body["kind"] == "welcome" and m.body["phase"] == "speaking"
        }
    )


def clock_errors_s(judged: Judged, messages: Sequence[Received]) -> list[float]:
    """Return, for each stretch that was found, how far off the voice's idea of the ear was."""
    clocks = [m for m in messages if m.type == "clock"]
    found = []
    for place in judged.places:
        if not place.heard:
            continue
        before = [m for m in clocks if m.heard_sample <= place.found.start_sample]
        if before:
            zero = place.found.start_sample - place.stretch.start_sample
            off = (before[-1].body["zero"] - zero + WRAPS // 2) % WRAPS - WRAPS // 2
            found.append(abs(off) / RATE_HZ)
    return found


def rows(legs: Sequence[Leg]) -> list[Figure]:
    """Return the figures of all legs."""
    minutes = sum(leg.lasted_s for leg in legs) / 60
    words = sum(leg.words for leg in legs)
    worse = sum((leg.heard_errors - leg.sent_errors) * leg.words for leg in legs) / max(1, words)
    errors = [each for leg in legs for each in leg.clock_errors_s]
    welcomed = sum(leg.welcomes for leg in legs)
    found = [
        figures.count("minutes of rough network", "min", round(minutes, 1), len(legs)),
        figures.count("false holds", "holds", sum(leg.holds for leg in legs), len(legs), most=MOST_HOLDS),
        figures.count("welcomes to who stayed", "times", welcomed, len(legs), most=0),
        figures.count("items lost", "items", sum(leg.lost for leg in legs), len(legs), most=0),
        Figure(
            "word error rate, heard less sent", "points", words, round(100 * worse, 1), None, None,
            f"≤ +{100 * WORSE:g} points", worse <= WORSE,
        ),
    ]  # fmt: skip
    if errors:
        found.append(
            figures.figure(
                "the ear's place, as the voice thought", "ms off", [1_000 * each for each in errors]
            )
        )
    return found


def _write(out: Path, legs: Sequence[Leg], say: Say) -> bool:
    table = rows(legs)
    kept = {"figures": [asdict(row) for row in table], "legs": [asdict(leg) for leg in legs]}
    out.mkdir(parents=True, exist_ok=True)
    (out / "network.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    text = f"# A bad network\n\n{ROUGH}\n\n{figures.table(table)}\n"
    (out / "network.md").write_text(text, encoding="utf-8")
    say(text)
    return all(row.met is not False for row in table)
