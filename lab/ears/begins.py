"""What lies between a sound and the begin of a turn, without a room: `python -m lab.ears.begins`.

Words and noises come 8 s after the last voice, in rooms of several kinds, in frames of 20 ms as a room gives them.
First: how long after the first sound its rise is told, and the begin of a turn, and what of our voice the sink still
holds then. Second: how many noises begin a turn, with a detector that always runs, and as a session runs it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import soxr

from app.clinician import sounds
from lab.ears.matrix import ROOM_DBFS, SPOKEN_DBFS, part_of_split, phrasings
from lab.ears.voices import RATE_HZ, Sound, Speakers, at_level, loudest, tight, to_int16
from realtime.ears import WINDOW, EarsConfig, Vad
from realtime.ears.detector import Began, DetectorState, EndedTurn, hear
from realtime.ears.gate import GatedVad
from realtime.ears.rise import Rises
from realtime.ears.silero import SileroVad
from tts_queue import SAMPLE_RATE_HZ
from tts_queue.depth import DepthLimits

FRAME: Final = RATE_HZ // 50
BEFORE_S: Final = 8.0  # since the last voice: the gate passes windows over from 5 s on
AFTER_S: Final = 1.0
SAID: Final = ("Stop, hold on.", "Stop.", "Wait.", "Hang on.", "Next, please.", "What is the potassium?")
ROOMS: Final = ("digital silence", "white noise", "three people")
OTHERS_DBFS: Final = SPOKEN_DBFS - 15.0
TALK_S: Final = 60.0
_HALF_FRAME_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class Heard:
    """When a rise and a begin are told, in seconds after the first sound; None: never."""

    rise_s: float | None = None
    begin_s: float | None = None
    noise: bool = False  # and was found to be none at once


def heard(vad: Vad, sound: Sound, first_s: float) -> Heard:
    """Feed a sound as a room would."""
    vad.reset()
    rises, now, config = Rises(), DetectorState(), EarsConfig()
    waiting, windows, found = np.zeros(0, np.int16), 0, Heard()
    for at in range(0, len(sound) - FRAME + 1, FRAME):
        frame, after_s = sound[at : at + FRAME], (at + FRAME) / RATE_HZ - first_s
        if rises.hear(frame) and found.rise_s is None and after_s > 0.0:
            found = Heard(after_s, found.begin_s)
        waiting = np.concatenate([waiting, frame])
        while len(waiting) >= WINDOW:
            now, change = hear(now, vad.probability(waiting[:WINDOW]), windows * WINDOW / RATE_HZ, config)
            waiting, windows = waiting[WINDOW:], windows + 1
            if isinstance(change, Began) and found.begin_s is None and after_s > 0.0:
                found = Heard(found.rise_s, after_s)
            if isinstance(change, EndedTurn) and found.begin_s is not None:
                return Heard(found.rise_s, found.begin_s, change.noise)
    return found


class Material:
    """Words and noises in rooms."""

    def __init__(self) -> None:
        speakers = Speakers()
        voices = part_of_split("develop")["voices"]
        self.words = [tight(speakers.say(text, voice)) for text in SAID for voice in voices]
        talk = [each for each in phrasings("develop") if each.family == "talk"]
        self._talk = [tight(speakers.say(each.text, voice)) for each in talk for voice in voices[:3]]

    def placed(self, sound: Sound, room: str, seed: int) -> tuple[Sound, float]:
        """Return words, a pause, and `sound`, in a room, and when it begins: anywhere in a frame."""
        rng = np.random.default_rng(seed)
        earlier = at_level(self.words[seed % len(self.words)], SPOKEN_DBFS)
        first = len(earlier) + round((BEFORE_S + float(rng.uniform(0.0, 0.04))) * RATE_HZ)
        whole = self.room(room, first + len(sound) + round(AFTER_S * RATE_HZ), rng)
        whole[: len(earlier)] += earlier
        whole[first : first + len(sound)] += sound
        return to_int16(whole), first / RATE_HZ

    def room(
        self, name: str, count: int, rng: np.random.Generator
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Return the sound of a room."""
        if name == "digital silence":
            return np.zeros(count)
        noise = rng.normal(size=count) * 10 ** (ROOM_DBFS / 20) * 32768
        if name == "white noise":
            return np.asarray(noise)
        for _ in range(3):
            order = rng.permutation(len(self._talk))
            line = np.resize(np.concatenate([self._talk[at] for at in order]).astype(np.float64), count)
            noise += line / loudest(to_int16(line)) * 10 ** (OTHERS_DBFS / 20) * 32768 / np.sqrt(3)
        return np.asarray(noise)


def noises() -> list[Sound]:
    """Return forty sounds of people and hands that are no word."""
    made = [sounds.cough(0.08 + 0.03 * n, seed=n) for n in range(16)]
    made += [sounds.throat(0.25 + 0.06 * n, seed=n) for n in range(8)]
    made += [sounds.laugh(pitch_hz=150.0 + 20 * n, seed=n) for n in range(8)]
    made += [sounds.clap(seed=n) for n in range(8)]
    return [tight(to_int16(soxr.resample(each.astype(np.float32), SAMPLE_RATE_HZ, RATE_HZ))) for each in made]


def still_held_s(each: Heard) -> tuple[float, float]:
    """Return what the sink holds at a begin, on average, without the rise and with it."""
    limits = DepthLimits()
    deep, shallow = limits.speaking_s - _HALF_FRAME_S, limits.usual_s - _HALF_FRAME_S
    if each.begin_s is None or each.rise_s is None or each.rise_s > each.begin_s:
        return deep, deep
    return deep, max(shallow, deep - (each.begin_s - each.rise_s))


def _ms(values: Sequence[float]) -> str:
    if not values:
        return "–"
    return f"{np.percentile(values, 50) * 1000:.0f}, {np.percentile(values, 95) * 1000:.0f}"


def words(material: Material) -> None:
    """Print the first table."""
    out = sys.stdout
    out.write(
        "| said after 8 s, p50, p95 in ms | n | rise | begin | begin and sink | with the rise | missed |\n"
    )
    out.write("|---|---|---|---|---|---|---|\n")
    vad = GatedVad(SileroVad())
    for room in ROOMS[:2]:  # while people talk a turn is under way
        said = [at_level(each, SPOKEN_DBFS) for each in material.words]
        found = [heard(vad, *material.placed(each, room, seed)) for seed, each in enumerate(said)]
        begun = [each for each in found if each.begin_s is not None]
        rises = [each.rise_s for each in begun if each.rise_s is not None]
        begins = [each.begin_s for each in begun if each.begin_s is not None]
        deep, shallow = zip(*(still_held_s(each) for each in begun), strict=True)
        before = [one + other for one, other in zip(begins, deep, strict=True)]
        now = [one + other for one, other in zip(begins, shallow, strict=True)]
        out.write(f"| {room} | {len(found)} | {_ms(rises)} | {_ms(begins)} | {_ms(before)} | {_ms(now)} ")
        out.write(f"| {len(found) - len(begun)} |\n")
        out.flush()


def others(material: Material) -> None:
    """Print the second table, and how often a room by itself rises."""
    out = sys.stdout
    out.write(
        "\n| forty noises after 8 s | begin: always run | as a session | rise | begin told, ms: both |\n"
    )
    out.write("|---|---|---|---|---|\n")
    made = noises()
    for room in ROOMS[:2]:
        cells: list[tuple[int, int, int, str]] = []
        for vad in (SileroVad(), GatedVad(SileroVad())):
            found = [heard(vad, *material.placed(each, room, seed)) for seed, each in enumerate(made)]
            begun = [each.begin_s for each in found if each.begin_s is not None]
            at_once = sum(each.noise for each in found)
            cells.append((len(begun), at_once, sum(each.rise_s is not None for each in found), _ms(begun)))
        (always, brief, rise, late), (session, short, _, later) = cells
        told = f"{always} ({brief} taken for a noise) | {session} ({short})"
        out.write(f"| {room} | {told} | {rise} | {late}; {later} |\n")
        out.flush()
    for room in ROOMS:
        rng, rises = np.random.default_rng(5), Rises()
        sound = to_int16(material.room(room, round(TALK_S * RATE_HZ), rng))
        count = sum(rises.hear(sound[at : at + FRAME]) for at in range(0, len(sound) - FRAME + 1, FRAME))
        shallow = count * DepthLimits().expected_s / TALK_S
        out.write(
            f"\n{room}, nobody near: {count / TALK_S * 60:.0f} rises a minute, {shallow:.0%} of the time shallow"
        )
    out.write("\n")


if __name__ == "__main__":
    made = Material()
    words(made)
    others(made)
