"""The cells of the matrix: who says what in which room, and what is right to do about it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np

from lab.ears.acoustics import cancelled, in_room, leaked, our_voice, response
from lab.ears.voices import RATE_HZ, Sound, Speakers, at_level, hum, loudest, to_int16
from lab.yamlfile import read_yaml

Part: TypeAlias = Literal["tune", "develop", "sealed", "sealed_second", "sealed_third"]
PARTS: Final[tuple[Part, ...]] = get_args(Part)

_HERE: Final = Path(__file__).parent
NOTHING: Final = ("ignore/go_on", "acknowledgment/go_on", "new_input/go_on", "new_input/not_acted_on")
SPOKEN_DBFS: Final = -22.0
ROOM_DBFS: Final = -62.0
LEAD_S: Final = 1.0
TAIL_S: Final = 1.2  # longer than the silence that ends a turn
BABBLERS: Final = 3
_OTHERS_SAY: Final = ("side talk", "remark", "talk")  # intents
DELAY_S: Final = 0.25  # of our voice's way to the client and back
SETTLED_S: Final = 6.0  # for which it sounds before anybody speaks


@dataclass(frozen=True, slots=True)
class Said:
    """One phrasing: what it means, and the pairs kind/effect that are right."""

    text: str
    intent: str
    family: str
    want: frozenset[str]


@dataclass(frozen=True, slots=True)
class Cell:
    """One clip of the matrix."""

    said: Said
    voice: str
    room: str
    sound: Sound  # with its room, `LEAD_S` before it and `TAIL_S` after
    lasts_s: float  # of the speech


def phrasings(part: Part) -> list[Said]:
    """Return what the voices of a part say."""
    theirs = part_of_split(part)
    if "phrasings" in theirs:
        return _by_an_author(_HERE / theirs["phrasings"], theirs["meant"])
    raw = read_yaml(_HERE / "phrases.yaml")
    return [
        Said(text, row["intent"], row["family"], _want(row["want"]))
        for row in raw["intents"]
        for text in row[part]
    ]


def authored(path: Path) -> list[Said]:
    """Return phrasings in a file of an author's intents, with what these are to us on the third sealed part.

    Raises: OSError, ValueError, KeyError: there is no such file, no JSON in it, or an intent that is not known.
    """
    return _by_an_author(path, part_of_split("sealed_third")["meant"])


def _by_an_author(path: Path, meant: Mapping[str, Any]) -> list[Said]:
    """Return phrasings as their author wrote them down; `meant`: what each of the author's intents is to us."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [
        Said(row["text"], row["intent"], meant[row["intent"]]["family"], _want(meant[row["intent"]]["want"]))
        for row in rows
    ]


def part_of_split(part: Part) -> Mapping[str, Any]:
    """Return who speaks in a part and what. Raises: OSError, KeyError."""
    found: Mapping[str, Any] = read_yaml(_HERE / "split.yaml")["parts"][part]
    return found


def who_says(part: Mapping[str, Any], said: Sequence[Said]) -> list[tuple[Mapping[str, Any], list[Said]]]:
    """Return what each voice of a part says: all of it, or its share where `said_by` names the family."""
    voices, said_by = part["voices"], part.get("said_by", {})
    return [
        (
            voice,
            [
                each
                for at, each in enumerate(said)
                if (number - at) % len(voices) < _times(each, said_by, voices)
            ],
        )
        for number, voice in enumerate(voices)
    ]


def cells(part: Part, rooms: str = "rooms", every: int = 1) -> Iterator[Cell]:
    """Render a part: its voices say their phrasings in every room, and its people hum; each `every`th of them."""
    raw = read_yaml(_HERE / "split.yaml")
    speakers, speaks = Speakers(), who_says(raw["parts"][part], phrasings(part))
    spoken = {
        voice["name"]: [(each, speakers.say(each.text, voice)) for each in said] for voice, said in speaks
    }
    hums = Said("", "hum", "hum", frozenset({"acknowledgment/go_on", "ignore/go_on"}))
    for number in raw["parts"][part]["hums"]:
        spoken[f"hum {number}"] = [(hums, each) for each in hum(number)]
    ours = our_voice(speakers) if any("leak_db" in room for room in raw[rooms]) else to_int16(np.zeros(0))
    for at, (name, clips) in enumerate(spoken.items()):
        others = [clip for other, theirs in spoken.items() if other != name for clip in _talk(theirs)]
        for number, (each, clip) in list(enumerate(clips))[at % every :: every]:
            voice = at_level(clip, SPOKEN_DBFS)
            for room in raw[rooms]:
                sound = _placed(voice, room, others, seed=number + 1000 * len(name))
                if "leak_db" in room:
                    sound = _with_ours(sound, ours, room, seed=number)
                yield Cell(each, name, room["name"], sound, len(clip) / RATE_HZ)


def _times(said: Said, said_by: Mapping[str, int], voices: Sequence[Mapping[str, Any]]) -> int:
    return said_by.get(said.family, len(voices))


def _want(pairs: list[str]) -> frozenset[str]:
    return frozenset(each for pair in pairs for each in (NOTHING if pair == "nothing" else (pair,)))


def _talk(clips: list[tuple[Said, Sound]]) -> list[Sound]:
    return [clip for said, clip in clips if said.intent in _OTHERS_SAY]


def _placed(voice: Sound, room: Mapping[str, Any], others: list[Sound], *, seed: int) -> Sound:
    rng = np.random.default_rng(seed)
    count = round((LEAD_S + TAIL_S) * RATE_HZ) + len(voice)
    sound = _ventilation(count, rng)
    if "snr_db" in room:
        babble = _babble(count, others, rng)
        gain = 10 ** ((SPOKEN_DBFS - room["snr_db"]) / 20) * 32768 / loudest(to_int16(babble))
        sound = sound + babble * gain
    start = round(LEAD_S * RATE_HZ)
    if room.get("reverberates"):
        voice = in_room(voice, response(seed))[: len(voice) + round(TAIL_S * RATE_HZ)]
    sound[start : start + len(voice)] += voice
    return to_int16(sound)


def _with_ours(sound: Sound, ours: Sound, room: Mapping[str, Any], *, seed: int) -> Sound:
    """Return the sound with our own voice in it, which has sounded for a while; cancelled, if so asked."""
    before = round(SETTLED_S * RATE_HZ)
    ours = np.resize(np.roll(ours, seed * RATE_HZ), before + len(sound))
    echo = leaked(ours, response(seed), delay_s=DELAY_S, dbfs=SPOKEN_DBFS + room["leak_db"])
    echo[before:] += sound
    heard = to_int16(echo)
    return (cancelled(heard, ours) if room["cancelled"] else heard)[before:]


def _babble(
    count: int, others: list[Sound], rng: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return several people talking at once, each beginning somewhere in a sentence."""
    out = np.zeros(count)
    for _ in range(BABBLERS):
        line = np.concatenate([others[at] for at in rng.permutation(len(others))]).astype(np.float64)
        line = np.tile(line, -(-2 * count // len(line)))
        start = int(rng.integers(0, len(line) - count))
        out += line[start : start + count] / loudest(to_int16(line[start : start + count]))
    return out * 8000.0


def _ventilation(count: int, rng: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    spectrum = np.fft.rfft(rng.normal(size=count))
    spectrum /= np.sqrt(np.maximum(np.arange(len(spectrum)), len(spectrum) / 400))
    sound = np.fft.irfft(spectrum, count)
    return np.asarray(sound / sound.std() * 10 ** (ROOM_DBFS / 20) * 32768)
