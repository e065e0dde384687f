"""Measure the ears on words, noises and rooms: `python -m tests.ears.measure [onsets] [words] [second]`.

Prints the tables of docs/decisions/009-ears.md, and for 042 what a second recogniser makes of hums and noises.
Everything goes the way of a session: the real detector cuts the turn, the real recogniser and the closed words'
vote hear what was cut. Takes minutes; run it alone, for the times are this machine's.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from realtime.ears import WINDOW, EarsConfig
from realtime.ears.detector import Began, DetectorState, EndedTurn, Paused, WentOn, hear
from realtime.ears.engines.closed_words import ClosedWords, written
from realtime.ears.engines.moonshine import MoonshineEars
from realtime.ears.engines.whisper import WhisperEars, packaged_whisper
from realtime.ears.hints import hints
from realtime.ears.second import SecondOpinion, taken
from realtime.ears.silero import SileroVad
from realtime.interruption import (
    Context,
    Effect,
    classify_with_prosody,
    is_made_out,
    understood,
    whole_commands,
)
from tests.ears.material import (
    RATE_HZ,
    SPEAKERS,
    SPEEDS,
    Sound,
    at_snr,
    hums,
    level,
    mixed,
    noise,
    noises,
    spoken,
    thump,
    typing,
)
from tests.ears.words import OPENINGS, OTHERS, SPOKEN, sentence
from tests.interruption.rows import turn as turn_of
from tts_queue import Opinion, Recognised

CONFIG = EarsConfig()
LEAD_S, TAIL_S = 1.0, 1.0
SURE = 0.6  # of a vote that is acted on by itself
ROOM_DBFS = -62.0
CONDITIONS: dict[str, float | None] = {"quiet room": None, "20 dB": 20.0, "10 dB": 10.0, "5 dB": 5.0}


@dataclass(frozen=True)
class Cut:
    """What the detector made of a sound; times: when it was told, after the first and the last sound."""

    began_s: float | None
    paused_s: float | None
    turn: Sound | None  # what the recogniser would get


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def placed(sound: Sound, snr_db: float | None, lead_s: float) -> Sound:
    if snr_db is not None:
        return at_snr(sound, snr_db, lead_s=lead_s, tail_s=TAIL_S)
    before = np.concatenate([np.zeros(round(lead_s * RATE_HZ), np.int16), sound])
    return mixed(before, noise("pink", len(before) / RATE_HZ + TAIL_S, ROOM_DBFS, seed=len(sound)))


def cut(vad: SileroVad, sound: Sound, snr_db: float | None, lead_s: float = LEAD_S) -> Cut:
    """Hear a sound with its surroundings; the first turn counts, until its last pause."""
    heard = placed(sound, snr_db, lead_s)
    last_s = lead_s + len(sound) / RATE_HZ
    vad.reset()
    now, began_s, paused_s, first, end = DetectorState(), None, None, 0, 0
    for number in range(len(heard) // WINDOW):
        at_s = (number + 1) * WINDOW / RATE_HZ
        probability = vad.probability(heard[number * WINDOW : (number + 1) * WINDOW])
        now, change = hear(now, probability, number * WINDOW / RATE_HZ, CONFIG)
        match change:
            case Began() if began_s is None:
                began_s, first = at_s - lead_s, number
            case Paused():
                paused_s, end = at_s - last_s, number - now.silent + 1
            case WentOn():
                paused_s = None
            case EndedTurn(_, noise=False):
                break
            case EndedTurn():
                began_s = None
    if began_s is None or paused_s is None:
        return Cut(began_s, None, None)
    start = max(0, first - round(CONFIG.pre_roll_s * RATE_HZ / WINDOW))
    return Cut(began_s, paused_s, heard[start * WINDOW : end * WINDOW])


def spread(values: list[float]) -> str:
    return f"{np.percentile(values, 50) * 1000:.0f} / {np.percentile(values, 95) * 1000:.0f}"


def onsets(vad: SileroVad) -> None:
    rng = np.random.default_rng(1)
    clips = [
        (text, level(spoken(text, speed, speaker), float(rng.uniform(-30, -16))))
        for text in OPENINGS
        for speed in (0.85, 1.0, 1.25)
        for speaker in SPEAKERS
    ]
    say("| first and last sound → told, ms p50 / p95 | began | began, s or sh first | paused | missed |")
    say("|---|---|---|---|---|")
    for name, snr_db in CONDITIONS.items():
        cuts = [(text, cut(vad, clip, snr_db, LEAD_S + float(rng.uniform(0, 0.032)))) for text, clip in clips]
        began = [(text, each.began_s) for text, each in cuts if each.began_s is not None]
        hissed = [at_s for text, at_s in began if text[0] == "S"]
        paused = [each.paused_s for _, each in cuts if each.paused_s is not None]
        told = f"{spread([at_s for _, at_s in began])} | {spread(hissed)} | {spread(paused)}"
        say(f"| {name} | {told} | {len(cuts) - len(began)} of {len(cuts)} |")
    say("\n| an hour of | false begins |\n|---|---|")
    for name, sound in grounds():
        say(f"| {name} | {false_begins(vad, sound):.0f} |")


def grounds(seconds: float = 300.0) -> Iterator[tuple[str, Sound]]:
    yield "digital silence", np.zeros(round(seconds * RATE_HZ), np.int16)
    for kind in ("white", "pink", "hum"):
        for dbfs in (-60, -45, -30):
            yield f"{kind} noise at {dbfs} dBFS", noise(kind, seconds, dbfs, seed=3)
    yield "typing, 5 keys a second", typing(seconds, 1)
    sound = noise("pink", seconds, ROOM_DBFS, 9)
    for number, (_, each) in enumerate([*noises(), *[("thump", thump(n)) for n in range(40)]]):
        start = round((number + 0.5) * 3.5 * RATE_HZ)
        if start + len(each) < len(sound):
            sound[start : start + len(each)] = mixed(each, sound[start : start + len(each)])
    yield "coughs, throats, claps, breath, laughs and vowels, 1,000", sound


def false_begins(vad: SileroVad, sound: Sound) -> float:
    vad.reset()
    now, count = DetectorState(), 0
    for number in range(len(sound) // WINDOW):
        window = sound[number * WINDOW : (number + 1) * WINDOW]
        now, change = hear(now, vad.probability(window), number * WINDOW / RATE_HZ, CONFIG)
        count += isinstance(change, Began)
    return count / (len(sound) / RATE_HZ) * 3600


class Scores:
    """Right, none and wrong, of the text alone and of the vote, and how long a recognition took."""

    def __init__(self) -> None:
        self.vad, self.recogniser, self.closed = SileroVad(), MoonshineEars(), ClosedWords()
        self.took_s: list[float] = []
        self.cpu_s: list[float] = []

    def score(self, items: Iterable[tuple[str, Sound]], snr_db: float | None) -> list[str]:
        """Return the cells of a row: text alone, then vote, then what the vote got wrong."""
        alone, votes, wrong, count = Counter[str](), Counter[str](), list[str](), 0
        for word, sound in items:
            count += 1
            turn = cut(self.vad, sound, snr_db).turn
            text, voted = ("", None) if turn is None else self._hear(turn)
            alone[_is(written(text), word)] += 1
            votes[_is(voted, word)] += 1
            if _is(voted, word) == "wrong":
                wrong.append(f"{word} → {voted}")
        cells = [f"{c['right']} / {c['none']} / {c['wrong']}" for c in (alone, votes)]
        often = ", ".join(f"{what} {times}" for what, times in Counter(wrong).most_common())
        return [str(count), *cells, often]

    def _hear(self, turn: Sound) -> tuple[str, str | None]:
        began_s, cpu_s = time.perf_counter(), time.process_time()
        text = self.recogniser.transcribe(turn)
        vote = self.closed.vote(turn, text)
        self.took_s.append(time.perf_counter() - began_s)
        self.cpu_s.append(time.process_time() - cpu_s)
        return text, vote.word if vote.confidence >= SURE else None


def _is(heard: str | None, said: str) -> str:
    return "none" if heard is None else "right" if heard == said else "wrong"


def words() -> None:
    scores = Scores()
    said = [
        (word, level(spoken(sentence(word), speed, speaker), -22))
        for word in SPOKEN
        for speed in SPEEDS
        for speaker in SPEAKERS
    ]
    others = [(f"({word})", level(spoken(sentence(word)), -22)) for word in OTHERS]
    say("| right / none / wrong | n | text alone | vote | what the vote got wrong |\n|---|---|---|---|---|")
    for name, items in (
        (f"{len(SPOKEN)} closed words, 6 speeds, 3 speakers", said),
        ("hums", hums()),
        (f"{len(OTHERS)} other words", others),
    ):
        for condition, snr_db in (("quiet room", None), ("10 dB", 10.0)):
            say(f"| {name}, {condition} | {' | '.join(scores.score(items, snr_db))} |")
    sounds = [(f"({kind})", sound) for kind, sound in noises()]
    say(f"| noises | {' | '.join(scores.score(sounds, None))} |")
    say(f"\na short turn's text and vote: {spread(scores.took_s)} ms, CPU {spread(scores.cpu_s)} ms")


def second() -> None:
    """Whether hints put words into hums and noises: what the second recogniser is asked of, and makes of it."""
    case = frozenset({"potassium", "lactate", "spironolactone", "hyperkalaemia", "insulin", "kidney"})
    vad, first, closed = SileroVad(), MoonshineEars(), ClosedWords()
    whisper, told = WhisperEars(packaged_whisper(), whole_commands(), understood), hints(case)
    asked = SecondOpinion(Nobody(), known=lambda text: is_made_out(text, case), hints=told)
    say("| | turns | asked of | its text counts | steers | as before |\n|---|---|---|---|---|---|")
    hummed, sounds = hums(), noises()
    for name, items, snr_db in (
        ("hums, quiet room", hummed, None), ("hums at 20 dB", hummed, 20.0), ("hums at 10 dB", hummed, 10.0),
        ("noises, quiet room", sounds, None), ("noises at 20 dB", sounds, 20.0),
    ):  # fmt: skip
        counts, became = Counter[str](), list[str]()
        for _, sound in items:
            turn = cut(vad, sound, snr_db).turn
            if turn is None:
                continue
            text = first.transcribe(turn)
            heard = Recognised(text, 1.0 if text else 0.0, *closed.vote(turn, text))
            final = heard
            if asked.wanted(heard):
                counts["asked"] += 1
                final = taken(heard, whisper.transcribe(turn, told))
                counts["counts"] += final is not heard
                became += [f"{heard.text} → {final.text}"] if final is not heard else []
            counts["turns"] += 1
            ms = round(len(turn) / 16)
            counts["steers"] += steers(final, ms)
            counts["before"] += steers(heard, ms)
        figures = [str(counts[each]) for each in ("turns", "asked", "counts", "steers", "before")]
        say(f"| {name} | {' | '.join(figures)} | {'; '.join(became)}")


class Nobody:
    async def opinion(self, pcm: Sound, hints: str) -> Opinion:
        raise NotImplementedError


def steers(heard: Recognised, ms: int) -> bool:
    row = turn_of(heard.text, ms, confidence=heard.confidence, word=heard.word,
                  word_confidence=heard.word_confidence)  # fmt: skip
    verdict = classify_with_prosody(heard.text, row, Context(speaking=True))
    return verdict.effect not in (Effect.GO_ON, Effect.NOT_ACTED_ON)


def main(parts: list[str]) -> None:
    if not parts or "onsets" in parts:
        onsets(SileroVad())
    if not parts or "words" in parts:
        words()
    if not parts or "second" in parts:
        second()


if __name__ == "__main__":
    main(sys.argv[1:])
