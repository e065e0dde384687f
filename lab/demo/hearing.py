"""Was what was sent also heard? Pure comparisons of two recordings of one track."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import jiwer
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from tts_queue.ear import to_ear

RATE_HZ: Final = 48_000
COMPARED_HZ: Final = 8_000  # speech's energy is below 4 kHz, and a search costs a sixth of 48 kHz
_STEP: Final = RATE_HZ // COMPARED_HZ
PIECE_S: Final = 0.5  # a segment is compared in pieces: a jitter buffer may stretch it as a whole
FOUND: Final = (
    0.75  # normalised correlation of a piece; a codec leaves above 0.9, a piece of which half is lost 0.7
)
MISSED: Final = 0.5  # a piece of which an audible part is missing scores at most this
SILENCED: Final = 0.4  # of its level: a fainter part is missing; after a codec none of 1,199 was below 0.65
SHORT_S: Final = 0.125  # no part so long may be missing from a piece
SHIFTED_S: Final = 0.2  # within a piece; a busy machine's jitter buffer put in 0.15 s at once
SPLICE: Final = 0.05  # of a piece's energy: what one costs
UNWARPED: Final = (
    0.85  # of a piece with splices undone: true ones have 0.93, 150 of other speech 0.82 at most
)
SEARCH_S: Final = 0.4  # each side of where a piece should be, once the recordings are aligned

_FRAME: Final = 40  # samples of COMPARED_HZ, 5 ms
_BAND: Final = int(SHIFTED_S * COMPARED_HZ)

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
    pieces: tuple[float, ...]  # the score of each audible one

    @property
    def missed(self) -> int:
        """How many pieces were not found."""
        return sum(score < FOUND for score in self.pieces)

    @property
    def whole(self) -> bool:
        """Whether every piece was found."""
        return not self.missed


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
    """Return where `sent[start : start + length]` is in `heard`, near `start + offset`.

    The first piece that was found says where it begins; if none was, it is `start + offset`.
    """
    pieces = max(1, round(length / (PIECE_S * RATE_HZ)))  # of equal length: a short last one is mostly faint
    scores: list[float] = []
    starts: list[int] = []
    for number in range(pieces):
        piece = start + length * number // pieces
        wanted = sent[piece : start + length * (number + 1) // pieces]
        if not _audible(wanted):
            continue
        begin = max(0, piece + offset - int(SEARCH_S * RATE_HZ))
        end = piece + offset + wanted.size + int(SEARCH_S * RATE_HZ)
        at, score = _piece(_lowered(wanted), _lowered(heard[begin:end]))
        scores.append(score)
        if score >= FOUND:
            starts.append(begin + at * _STEP - (piece - start))
            offset = begin + at * _STEP - piece  # the next one is looked for from here
    first = starts[0] if starts else start + offset
    return Found(max(0, first), float(np.mean(scores)) if scores else 0.0, tuple(scores))


@dataclass(frozen=True, slots=True)
class Shift:
    """A part of a piece that was heard, and how far into what was searched the piece then begins.

    Samples of `COMPARED_HZ`.
    """

    start: int
    end: int
    by: int


def _piece(wanted: _Float, within: _Float) -> tuple[int, float]:
    """Return where a piece begins, and how well it fits: as a whole, or else with what was stretched undone."""
    at, score = search(wanted, within)
    laid = _at(within, at, 0, wanted.size)
    if score < FOUND or _silenced(wanted, laid):
        at, laid = _unwarped(wanted, within)
        score = _correlation(wanted[: laid.size], laid)
        if score < UNWARPED:
            return at, min(score, MISSED)
    return at, min(score, MISSED) if _silenced(wanted[: laid.size], laid) else score


def _unwarped(wanted: _Float, within: _Float) -> tuple[int, _Float]:
    """Return where a piece begins, and what was heard of it, frame by frame where it fits best.

    A jitter buffer takes out or puts in a period of the voice at a time, several within a piece after somebody
    joined, and silence where it ran dry. The path through the frames with the least error is taken. Each splice costs
    `SPLICE` of the piece's energy, so that other speech is not put together to this (dynamic time warping).
    """
    near = _surest(wanted, within)
    shifts = np.arange(near - _BAND, near + _BAND + 1)
    frames = wanted[: wanted.size // _FRAME * _FRAME].reshape(-1, _FRAME)
    silence = np.zeros(wanted.size + 2 * _BAND, dtype=np.float32)
    heard = sliding_window_view(np.concatenate((silence, within, silence)), _FRAME)
    begins = shifts + silence.size
    energy = np.square(heard, dtype=np.float64).sum(axis=1)
    splice = SPLICE * float(np.square(wanted).sum())
    errors = np.zeros(shifts.size)
    came_from: list[NDArray[np.intp]] = []
    for number, frame in enumerate(frames):
        at = begins + number * _FRAME
        if number:
            best = errors.argmin()
            came_from.append(np.where(errors[best] + splice < errors, best, np.arange(shifts.size)))
            errors = np.minimum(errors, errors[best] + splice)
        errors = errors + float(np.square(frame).sum()) - 2 * heard[at] @ frame + energy[at]
    path = [int(errors.argmin())]
    for before in reversed(came_from):
        path.append(int(before[path[-1]]))
    path.reverse()
    laid = [heard[begins[place] + number * _FRAME] for number, place in enumerate(path)]
    return int(shifts[path[0]]), np.concatenate(laid)


def _surest(wanted: _Float, within: _Float) -> int:
    """Return how far into `within` the piece begins, by the part of it that fits best."""
    fits = [(*search(wanted[start:end], within), start) for start, end in _parts(wanted)]
    at, _, start = max(fits, key=lambda fit: fit[1], default=(0, 0.0, 0))
    return at - start


def _at(within: _Float, by: int, start: int, end: int) -> _Float:
    """Return `within[by + start : by + end]`, with silence beyond its ends."""
    sound = within[max(0, by + start) : max(0, by + end)]
    before = min(end - start, max(0, -(by + start)))
    return np.pad(sound, (before, end - start - before - sound.size))


def _silenced(wanted: _Float, heard: _Float) -> bool:
    """Return whether an audible part is missing; the loud rest alone would still correlate."""
    return any(_rms(heard[a:b]) < SILENCED * _rms(wanted[a:b]) for a, b in _parts(wanted))


def _parts(wanted: _Float) -> list[tuple[int, int]]:
    """Return where the audible parts of a piece begin and end; the last one is up to half as long again."""
    size = int(SHORT_S * COMPARED_HZ)
    starts = list(range(0, max(1, wanted.size - size // 2), size))
    return [(a, b) for a, b in pairwise([*starts, wanted.size]) if _audible(wanted[a:b])]


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


def _correlation(wanted: _Float, heard: _Float) -> float:
    return float(np.dot(wanted, heard)) / max(
        1.0, float(np.linalg.norm(wanted)) * float(np.linalg.norm(heard))
    )


def _rms(sound: _Float) -> float:
    return float(np.sqrt(np.mean(np.square(sound))))


def _audible(pcm: Pcm | _Float) -> bool:
    return bool(pcm.size) and float(np.abs(pcm).max()) > 300  # −41 dBFS at its loudest
