"""Was what was sent also heard? Pure comparisons of two recordings of one track."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import jiwer
import numpy as np
from numpy.typing import NDArray

from tts_queue.ear import to_ear

RATE_HZ: Final = 48_000
COMPARED_HZ: Final = 8_000  # speech's energy is below 4 kHz, and a search costs a sixth of 48 kHz
_STEP: Final = RATE_HZ // COMPARED_HZ
PIECE_S: Final = 0.5  # a segment is compared in pieces: a jitter buffer may stretch it as a whole
FOUND: Final = (
    0.75  # normalised correlation of a piece; a codec leaves above 0.9, a piece of which half is lost 0.7
)
SHORT_S: Final = 0.125  # a piece that a jitter buffer shortened or stretched is found in parts so short
SHORT_FOUND: Final = 0.8  # of 300 unrelated parts of speech, put where they fit best, none was above 0.79
SHIFTED_S: Final = 0.2  # from one part to the next; a busy machine's jitter buffer put in 0.15 s at once
SEARCH_S: Final = 0.4  # each side of where a piece should be, once the recordings are aligned

Pcm = NDArray[np.int16]
_Float = NDArray[np.float32]

_WORDS: Final = jiwer.Compose(
    [
        jiwer.ToLowerCase(),
        jiwer.SubstituteRegexes({r"\bdr\b\.?": "doctor", r"(?<=\d)\.(?=\d)": " point "}),
        jiwer.SubstituteRegexes({r"[^a-z0-9' ]+": " "}),
        jiwer.RemoveMultipleSpaces(),
        jiwer.Strip(),
        jiwer.ReduceToListOfListOfWords(),
    ]
)


@dataclass(frozen=True, slots=True)
class Found:
    """Where a stretch of the sent track was heard. `score` is the mean correlation of its pieces."""

    start_sample: int  # of the heard recording
    score: float
    pieces: int
    pieces_found: int

    @property
    def whole(self) -> bool:
        """Whether every piece was found."""
        return self.pieces_found == self.pieces


def align(sent: Pcm, heard: Pcm, stretches: Sequence[tuple[int, int]]) -> int | None:
    """Return heard sample less sent sample, or None if the recordings do not match.

    `stretches` are (start, length) of speech in `sent`; the first one that is found anywhere decides.
    """
    low_heard = _lowered(heard)
    for start, length in stretches:
        at, score = search(_lowered(sent[start : start + length]), low_heard)
        if score >= FOUND:
            return at * _STEP - start
    return None


def find(sent: Pcm, heard: Pcm, start: int, length: int, offset: int) -> Found:
    """Return where `sent[start : start + length]` is in `heard`, near `start + offset`."""
    pieces = max(1, round(length / (PIECE_S * RATE_HZ)))  # of equal length: a short last one is mostly faint
    scores: list[float] = []
    found, first = 0, start + offset
    for number in range(pieces):
        piece = start + length * number // pieces
        wanted = sent[piece : start + length * (number + 1) // pieces]
        if not _audible(wanted):
            continue
        begin = max(0, piece + offset - int(SEARCH_S * RATE_HZ))
        end = piece + offset + wanted.size + int(SEARCH_S * RATE_HZ)
        at, score = search(_lowered(wanted), _lowered(heard[begin:end]))
        if not scores:
            first = begin + at * _STEP - (piece - start)
        scores.append(score)
        found += score >= FOUND or _found_in_parts(wanted, heard[begin:end])
    return Found(max(0, first), float(np.mean(scores)) if scores else 0.0, len(scores), found)


def _found_in_parts(wanted: Pcm, within: Pcm) -> bool:
    """Return whether the audible parts of a piece are there in order, all but one that was spliced."""
    size = int(SHORT_S * RATE_HZ)
    parts = [(at, wanted[at : at + size]) for at in range(0, max(1, wanted.size - size // 2), size)]
    audible = [(start, part) for start, part in parts if _audible(part)]
    shifts = []
    for start, part in audible:
        at, score = search(_lowered(part), _lowered(within))
        if score >= SHORT_FOUND:
            shifts.append(at * _STEP - start)
    near = all(abs(b - a) <= SHIFTED_S * RATE_HZ for a, b in pairwise(shifts))
    return near and len(shifts) >= max(2, len(audible) - 1)


def as_said(text: str) -> str:
    """Return a text in the words in which it is said: a recogniser gives no "08:50"."""
    return " ".join(token.spoken for token in to_ear(text))


def word_errors(reference: Sequence[str], recognised: Sequence[str]) -> tuple[int, int]:
    """Return word errors and reference words, summed over pairs; case and punctuation do not count.

    A recogniser writes a number now in words and now in digits: what it gives is read as it would be said.
    """
    heard = [as_said(text) for text in recognised]
    measures = jiwer.process_words(
        list(reference), heard, reference_transform=_WORDS, hypothesis_transform=_WORDS
    )
    errors = measures.substitutions + measures.deletions + measures.insertions
    return errors, measures.hits + measures.substitutions + measures.deletions


def longest_gap_s(pcm: Pcm, *, floor_dbfs: float = -50.0) -> float:
    """Return the longest silence inside `pcm`, in seconds; what is before and after the sound is none."""
    frame = RATE_HZ // 100
    frames = pcm[: pcm.size // frame * frame].reshape(-1, frame).astype(np.float32)
    if not frames.size:
        return 0.0
    loud = np.sqrt((frames**2).mean(axis=1)) > 32768 * 10 ** (floor_dbfs / 20)
    at = np.flatnonzero(loud)
    return float(np.max(np.diff(at), initial=1) - 1) / 100 if at.size > 1 else 0.0


def _lowered(pcm: Pcm) -> _Float:
    """Return `pcm` at 8 kHz by means of six samples: enough of a low-pass for a comparison."""
    whole = pcm[: pcm.size // _STEP * _STEP].astype(np.float32)
    lowered: _Float = whole.reshape(-1, _STEP).mean(axis=1)
    return lowered


def search(wanted: NDArray[np.float32], within: NDArray[np.float32]) -> tuple[int, float]:
    """Return where `wanted` fits best, and its normalised correlation there; samples are -32768 to 32767."""
    if wanted.size == 0 or within.size < wanted.size:
        return 0, 0.0
    size = 1 << int(np.ceil(np.log2(within.size + wanted.size)))
    spectrum = np.fft.rfft(within, size) * np.conj(np.fft.rfft(wanted, size))
    products = np.fft.irfft(spectrum, size)[: within.size - wanted.size + 1]
    squares = np.concatenate(([0.0], np.cumsum(within.astype(np.float64) ** 2)))
    energy = squares[wanted.size :] - squares[: squares.size - wanted.size]
    norm = float(np.linalg.norm(wanted.astype(np.float64)))
    scores = products / np.maximum(np.sqrt(np.maximum(energy, 1.0)) * norm, 1.0)
    best = int(np.argmax(scores))
    return best, float(scores[best])


def _audible(pcm: Pcm) -> bool:
    return bool(pcm.size) and float(np.abs(pcm).max()) > 300  # −41 dBFS at its loudest
