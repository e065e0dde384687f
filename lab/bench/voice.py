"""How soon is a summary heard, and how whole? Measured where it counts: at the listener."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from infra.settings import Settings
from lab.bench import floors
from lab.bench.figures import Figure, figure
from lab.bench.session import BenchSession, bench_session
from lab.demo import hearing
from lab.demo.listener import Listener, ListenerError, Received, listen

FIRST_SOUND_MS: Final = 150.0  # allowed above the floor
GAP_MS: Final = 120.0  # allowed beyond an asked pause
ASKED_PAUSE_S: Final = 0.30  # the longest that is asked for inside an utterance: at a sentence's end
HEARD_WITHIN_S: Final = 20.0
BETWEEN_S: Final = 1.2  # quiet before each measured item, so that it is an onset

TEXTS: Final = (  # no opening comes twice: the engine keeps short clips
    "Doctor Zero leads with acute kidney injury: low blood pressure and four days of vomiting.",
    "A stone in the left ureter is Doctor One's view: flank pain and little urine.",
    "The potassium is 6.9 now; the sample is not haemolysed, and the ECG has changed.",
    "Two to one for kidney injury from volume loss, and Doctor Two has changed sides.",
    "First comes calcium gluconate, 30 mL of 10 percent, over ten minutes.",
    "Penicillin must not be given: anaphylaxis in 2009, recorded in the case paper.",
    "Pulmonary embolism is now less likely: the CT angiogram shows no filling defect.",
    "Heart failure leads for the supervisor: raised jugular pressure and ankle oedema.",
    "Metformin should stop, since the estimated filtration rate has fallen to 13.",
    "Nobody differs any more: all three hold that bleeding comes from the right colon.",
    "Lactate has risen to 4.2 in two hours, and the blood pressure is falling.",
    "Urgent surgery is proposed by Doctor One, only if the scan shows free air.",
    "Sarcoidosis stays open: the biopsy is awaited, and the calcium is normal.",
    "Thyroid storm was withdrawn by Doctor Two, because the hormone level is normal.",
    "An echocardiogram comes next, then blood cultures from two sites.",
    "Enoxaparin is to be avoided here: the creatinine clearance is under 15.",
    "Meningitis leads with two of three: neck stiffness, fever and a petechial rash.",
    "The left leg is swollen, four centimetres more than the right at the calf.",
    "Fluids are limited to one litre a day while the sodium stays below 125.",
    "Giant cell arteritis is the new leading view: jaw pain and a high sedimentation rate.",
)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Heard:
    """One item: when it was ready, when it was first heard (monotonic, s), and its samples at the ear."""

    ready_s: float
    first_sound_s: float
    start: int
    end: int


async def measure(settings: Settings, n: int, say: Say) -> list[Figure]:
    """Return the figures over `n` items, the floor of the same run among them.

    Raises: ListenerError: an item was not heard.
    """
    floor = await floors.speak(settings, n)
    say(f"bench: floor {sorted(floor)[len(floor) // 2] * 1000:.0f} ms")
    items, listener = await _items(settings, n, say)
    pcm = listener.heard.pcm()
    first = [(item.first_sound_s - item.ready_s) * 1000 for item in items]
    gaps = [
        max(0.0, (hearing.longest_gap_s(pcm[item.start : item.end]) - ASKED_PAUSE_S) * 1000) for item in items
    ]
    floor_ms = [value * 1000 for value in floor]
    floor_p50 = sorted(floor_ms)[len(floor_ms) // 2]
    return [
        figure("bare track: first frame to audible", "ms", floor_ms),
        figure(
            *("summary ready to first sound", "ms", first),
            floor=floor_p50,
            most=floor_p50 + FIRST_SOUND_MS,
            aim=f"p50 ≤ floor + {FIRST_SOUND_MS:g} ms",
        ),
        figure(
            *("longest silence inside speech, beyond asked pauses", "ms", gaps),
            most=GAP_MS,
            at="max",
            aim=f"max ≤ {GAP_MS:g} ms",
        ),
    ]


async def _items(settings: Settings, n: int, say: Say) -> tuple[list[Heard], Listener]:
    """Say `n` items, one when the one before was heard; return what was heard."""
    async with bench_session(settings) as session, listen(session.grant()) as listener:
        async with asyncio.timeout(60 + 15 * n):
            await listener.command("ready")
            await listener.wait_for(spoken("greeting"), HEARD_WITHIN_S)
            heard = []
            for number in range(1, n + 1):
                heard.append(await _one(session, listener, TEXTS[number % len(TEXTS)]))
                took_s = heard[-1].first_sound_s - heard[-1].ready_s
                say(f"bench: {number} of {n}: {1000 * took_s:.0f} ms")
    return heard, listener


async def _one(session: BenchSession, listener: Listener, text: str) -> Heard:
    await asyncio.sleep(BETWEEN_S)
    onsets = len(listener.heard.onsets)
    utterance_id, ready_s = await session.commit(text)
    await listener.wait_for(spoken(utterance_id), HEARD_WITHIN_S)
    new = listener.heard.onsets[onsets:]
    if not new:
        raise ListenerError("an item was said to be spoken, and no sound of it was heard")
    return Heard(ready_s, listener.heard.time_of(new[0]), new[0], listener.heard.samples)


def spoken(what: str) -> Callable[[Received], bool]:
    """Return a test for the message that an utterance, or the first of a kind, was spoken."""

    def wanted(message: Received) -> bool:
        body = message.body
        named = what in (body.get("utterance_id"), body.get("kind"))
        return named and body.get("phase") == "spoken"

    return wanted
