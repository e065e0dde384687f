"""Does a pause end a turn? What words, a model of sound and the second recogniser say of that.

    python -m lab.ears.complete hear develop SMART_TURN.onnx   into out/ears/complete-develop.json
    python -m lab.ears.complete table develop tune

Each phrasing of a part is said whole, and one of four words or more also up to the first place of the two at which
`lab.ears.ends` cuts it: in four ways. `half`: said by itself, as `lab.ears.ends` does. `inside`: cut out of the whole
one, so that its melody is that of a sentence that goes on. `comma`: the half with a comma after it, which most of
these voices say as something that goes on. `um`: with ", um," after it. Then there is silence, and the turn is judged
at the pause.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lab.ears.ends import CUTS, Listening, placed
from lab.ears.full_stop import FullStop
from lab.ears.hear import OUT
from lab.ears.matrix import PARTS, SPOKEN_DBFS, Part, Said, part_of_split, phrasings, who_says
from lab.ears.score import case_words
from lab.ears.smart_turn import SmartTurn
from lab.ears.voices import RATE_HZ, Sound, Speakers, at_level, hum, tight
from realtime.ears import WINDOW, EarsConfig, Ending
from realtime.ears.detector import DetectorState, Paused, hear
from realtime.ears.near import own
from realtime.interruption import ending_of

Row: TypeAlias = Mapping[str, Any]

LEAST_WORDS: Final = 4  # of a phrasing that is cut
BEFORE_S: Final = 0.3  # of what came before the voice, that the model is given,
AFTER_S: Final = 0.2  # and of the silence after it: what it was taught with
FADE: Final = 240  # samples, where a word is cut out
FRAME: Final = 320  # samples: 20 ms, for the warping
SEARCH: Final = 480  # samples around the place that the warping finds, in which the quietest is taken
WAYS: Final = ("half", "inside", "comma", "um")


def said_up_to(
    said: Said, cut: int, whole: Sound, speakers: Speakers, voice: Mapping[str, Any]
) -> Iterator[tuple[str, Sound]]:
    """Yield the first words of a phrase in each of the ways, at the level of speech."""
    words = said.text.split()
    first, rest = (" ".join(each) for each in (words[:cut], words[cut:]))
    half, other = (level(speakers.say(each, voice)) for each in (first, rest))
    yield "half", half
    until = boundary(whole, half, other)
    inside = whole[:until].astype(np.float64)
    inside[-FADE:] *= np.linspace(1.0, 0.0, len(inside[-FADE:]))
    yield "inside", inside.astype(np.int16)
    yield "comma", level(speakers.say(f"{first.rstrip(',')},", voice))
    yield "um", level(speakers.say(f"{first.rstrip(',')}, um,", voice))


def level(sound: Sound) -> Sound:
    """Return what was said at the level of speech, near silence cut off."""
    return at_level(tight(sound), SPOKEN_DBFS)


def boundary(whole: Sound, first: Sound, second: Sound) -> int:
    """Return the sample of `whole` at which what `first` says ends, by warping both parts onto it."""
    ours, theirs = _shape(whole), _shape(np.concatenate([first, second]))
    apart = ((ours[:, np.newaxis] - theirs) ** 2).mean(axis=-1)
    rows, columns = apart.shape
    cost = np.full((rows + 1, columns + 1), np.inf)
    cost[0, 0] = 0.0
    for row in range(1, rows + 1):
        for column in range(1, columns + 1):
            before = min(cost[row - 1, column - 1], cost[row - 1, column], cost[row, column - 1])
            cost[row, column] = apart[row - 1, column - 1] + before
    row, column = rows, columns
    while row > 1 and column > len(first) // FRAME:
        steps = ((row - 1, column - 1), (row - 1, column), (row, column - 1))
        row, column = min(steps, key=lambda at: cost[at])
    return _quietest(whole, row * FRAME)


def _shape(sound: Sound) -> NDArray[np.float64]:
    framed = np.lib.stride_tricks.sliding_window_view(sound.astype(np.float64), FRAME)[::FRAME]
    power = np.abs(np.fft.rfft(framed * np.hanning(FRAME))) ** 2
    bands = power[:, : power.shape[1] // 8 * 8].reshape(len(power), -1, 8).sum(axis=-1)
    return np.asarray(np.log10(np.maximum(bands, 1e4)))


def _quietest(sound: Sound, at: int) -> int:
    power = np.convolve(sound.astype(np.float64) ** 2, np.ones(FRAME) / FRAME, mode="same")
    first, last = max(FADE, at - SEARCH), min(len(sound), at + SEARCH)
    return first + int(power[first:last].argmin()) if first < last else len(sound)


class Judges:
    """All that is asked at a pause."""

    def __init__(self, model: Path) -> None:
        self.listening, self.words = Listening(), case_words()
        self._smart, self._whisper = SmartTurn(model), FullStop()

    def of(self, sound: Sound) -> dict[str, Any] | None:
        """Return what is said at the last pause of a sound, or None: there is none."""
        config, now = EarsConfig(), DetectorState()
        at: tuple[float, float] | None = None
        pauses = 0
        for number, probability in enumerate(self.listening.probabilities(sound)):
            now, change = hear(now, probability, number * WINDOW / RATE_HZ, config)
            if isinstance(change, Paused):
                at, pauses = (now.began_s, change.at_s), pauses + 1
        if at is None:
            return None
        began_s, until_s = at
        text = self.listening.text(sound, began_s, until_s)
        start = max(0, round((began_s - BEFORE_S) * RATE_HZ))
        asked_s = time.process_time()
        complete = self._smart.complete(sound[start : round((until_s + AFTER_S) * RATE_HZ)])
        took_ms = (time.process_time() - asked_s) * 1000
        turn = sound[start : round(until_s * RATE_HZ)]
        first, last = own(turn)
        written, ended = self._whisper.of(turn[first:last])
        return {
            "at": until_s, "pauses": pauses, "text": text, "words": ending_of(text, self.words),
            "complete": complete, "ms": took_ms, "written": written, "ended": ended,
            "second": ending_of(written, self.words),
        }  # fmt: skip


def material(part: Part) -> Iterator[tuple[dict[str, Any], Sound]]:
    """Render what is judged: what is cut first, in a seeded order, so that a part of the work is a sample of it."""
    raw, speakers, rng = part_of_split(part), Speakers(), np.random.default_rng(58)
    said, cuts = phrasings(part), dict[str, int]()
    for each in said:
        count = len(each.text.split())
        if count >= LEAST_WORDS:
            cuts[each.text] = int(rng.permutation(np.arange(1, count))[:CUTS][0])
    speaks = [(voice, {each.text for each in theirs}) for voice, theirs in who_says(raw, said)]
    order = [said[at] for at in np.random.default_rng(1).permutation(len(said))]
    for each in sorted(order, key=lambda each: each.text not in cuts):
        for number, (voice, theirs) in enumerate(speaks):
            if each.text not in theirs:
                continue
            row = {"voice": voice["name"], "family": each.family, "said": each.text}
            whole = level(speakers.say(each.text, voice))
            yield row | {"way": "whole"}, placed(each, [whole], 0.0, number).sound
            if each.text in cuts:
                for way, sound in said_up_to(each, cuts[each.text], whole, speakers, voice):
                    yield row | {"way": way, "cut": cuts[each.text]}, placed(each, [sound], 0.0, number).sound
    for number in raw["hums"]:
        for sound in hum(number):
            row = {"voice": f"hum {number}", "family": "hum", "said": "", "way": "whole"}
            yield row, placed(Said("", "hum", "hum", frozenset()), [level(sound)], 0.0, number).sound


def listen(part: Part, model: Path) -> None:
    """Judge all of a part, and keep what was found."""
    OUT.mkdir(parents=True, exist_ok=True)
    judges, rows = Judges(model), list[dict[str, Any]]()
    for row, sound in material(part):
        rows.append(row | {"judged": judges.of(sound)})
        if len(rows) % 20 == 0:
            kept(part).write_text(json.dumps(rows, indent=0), encoding="utf-8")
    kept(part).write_text(json.dumps(rows, indent=0), encoding="utf-8")
    sys.stdout.write(f"{part}: {len(rows)} sounds, {time.process_time():.0f} s of CPU\n")


def kept(part: str) -> Path:
    """Return where the judgements of a part lie."""
    return OUT / f"complete-{part}.json"


def table(parts: list[str]) -> None:
    """Print how often each judge takes the end of words for the end of a turn, and how well it tells them apart."""
    found = [row for part in parts for row in json.loads(kept(part).read_text(encoding="utf-8"))]
    judged = [row for row in found if row["judged"] is not None]
    whole = [
        row["judged"] for row in judged if row["way"] == "whole" and len(row["said"].split()) >= LEAST_WORDS
    ]
    for way in ("whole", *WAYS):
        theirs = whole if way == "whole" else [row["judged"] for row in judged if row["way"] == way]
        if not theirs:
            continue
        sys.stdout.write(f"{way}, n = {len(theirs)}:\n")
        for name, judge in _JUDGES.items():
            taken = sum(judge(each) >= TAKEN for each in theirs)
            sys.stdout.write(f"  {name}: {taken} taken for whole, area {area(whole, theirs, judge):.2f}\n")


TAKEN: Final = 0.5
WHOLE: Final[Mapping[Ending, float]] = {"finished": 1.0, "open": 0.5, "unfinished": 0.0, "wanting": 0.0}
_JUDGES: Final[Mapping[str, Callable[[Row], float]]] = {
    "words": lambda row: WHOLE[row["words"]],
    "Smart Turn": lambda row: float(row["complete"]),
    "Whisper's full stop": lambda row: float(row["ended"]),
}


def area(whole: list[Row], parts: list[Row], judge: Callable[[Row], float]) -> float:
    """Return how often a judge gives more to a whole turn than to a part of one; a tie is half of that."""
    pairs = [(judge(one), judge(other)) for one in whole for other in parts]
    return sum((one > other) + (one == other) / 2 for one, other in pairs) / len(pairs) if pairs else math.nan


def main(arguments: list[str]) -> None:
    """Hear a part, or print the tables of parts that were heard."""
    match arguments:
        case ["hear", "tune" | "develop" | "sealed" | "sealed_second" as part, model]:
            listen(part, Path(model))
        case ["table", *parts] if parts and set(parts) <= set(PARTS):
            table(parts)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)
