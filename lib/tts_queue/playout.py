"""Buffer one utterance's clips for playout, and record where each sample was written.

Pure bookkeeping: the queue reads pieces from it and reports where on the session's clock they went.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tts_queue.ear import SegmentBoundary, TextSegment
from tts_queue.model import SAMPLE_RATE_HZ, Part, Pcm, SegmentMark, WordSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class Pauses:
    """Silence after a segment, by what ends it, in seconds; the last segment of an utterance has none.

    The default voice's clips begin and end with 0.02 and 0.07 s of near silence, which come on top.
    """

    # A reader's pauses at a clause and at a sentence lie near 0.3 and 0.4 s in all, sound to sound.
    clause_s: float = 0.18
    sentence_s: float = 0.30
    comma_s: float = 0.0  # cuts at commas only serve an early start, and must not be heard

    def after(self, boundary: SegmentBoundary) -> float:
        """Return the silence after a segment that ends in `boundary`, in seconds."""
        match boundary:
            case SegmentBoundary.SENTENCE:
                return self.sentence_s
            case SegmentBoundary.CLAUSE:
                return self.clause_s
            case SegmentBoundary.COMMA:
                return self.comma_s


@dataclass(frozen=True, slots=True, eq=False)
class SegmentPiece:
    """Samples of one segment; `first` at its start and after a break, where its words are reported."""

    pcm: Pcm
    segment: int
    content_start: int
    first: bool


@dataclass(slots=True, eq=False)
class _Take:
    """One segment's sound, from content sample `offset` on, as far as it came; then its pause."""

    offset: int
    words: tuple[WordSpan, ...]  # as to be read, in content samples
    pcm: Pcm  # of the full length; what is not here yet is zero
    here: int
    pause: int
    broken: bool = False  # its last words are to be made again
    engines: tuple[str, ...] = ()  # that made it, in their order

    @property
    def whole(self) -> bool:
        return self.here == len(self.pcm) and not self.broken

    @property
    def end(self) -> int:
        return self.offset + len(self.pcm) + self.pause


@dataclass(slots=True)
class _Run:
    """A stretch of content that was written without a break, and its place on the session's clock."""

    session_start: int
    content_start: int
    samples: int


def display_words(segment: TextSegment, spoken: Sequence[WordSpan], samples: int) -> tuple[WordSpan, ...]:
    """Return the segment's words as written, with the spans at which they are spoken."""
    counts = [len(token.spoken.split()) for token in segment.tokens]
    spans = spoken if len(spoken) == sum(counts) else _spread(segment, samples)
    words: list[WordSpan] = []
    at, end = 0, 0
    for token, count in zip(segment.tokens, counts, strict=True):
        mine = spans[at : at + count]
        start, end = (mine[0].start_sample, mine[-1].end_sample) if mine else (end, end)
        words.append(WordSpan(token.display, start, end))
        at += count
    return tuple(words)


def _spread(segment: TextSegment, samples: int) -> tuple[WordSpan, ...]:
    """Return spans proportional to the words' spelling, for an engine that gives no word times."""
    words = segment.spoken.split()
    ends = np.cumsum([len(word) + 1 for word in words])
    bounds = [0, *(int(samples * end / ends[-1]) for end in ends)] if words else [0]
    return tuple(WordSpan(word, bounds[i], bounds[i + 1]) for i, word in enumerate(words))


class PlayoutBuffer:
    """One utterance's sound, its reading position in content samples, and the runs written so far.

    A clip comes in parts; its length and the times of its words are known from the first one on.
    """

    def __init__(self, plan: Sequence[TextSegment], pauses: Pauses) -> None:
        self.plan = tuple(plan)
        self.at = 0
        self._pauses = pauses
        self._takes: list[_Take] = []
        self._runs: list[_Run] = []
        self._marks: list[SegmentMark] = []
        self._begun = -1  # the segment that was read last
        self._seam = -1  # the content sample from which words were made again, at other times

    @property
    def complete(self) -> bool:
        """Return whether the length of every segment is known, so that `total` is that of the whole."""
        return len(self._takes) == len(self.plan) and not self._takes[-1].broken

    @property
    def missing(self) -> int:
        """Return the number of the first segment without any sound."""
        return len(self._takes)

    @property
    def total(self) -> int:
        """Content samples known so far."""
        return self._takes[-1].end if self._takes else 0

    @property
    def here(self) -> int:
        """Content samples that can be read so far."""
        if not self._takes:
            return 0
        last = self._takes[-1]
        return last.end if last.whole else last.offset + last.here

    @property
    def dry(self) -> bool:
        """Whether the reader has to wait for sound that is still to come."""
        return self.at >= self.here and not self.all_read

    @property
    def all_read(self) -> bool:
        """Whether every sample was read."""
        return self.complete and self.at >= self.total

    @property
    def marks(self) -> tuple[SegmentMark, ...]:
        """The segments heard so far, where each first began."""
        takes = self._takes
        return tuple(
            replace(mark, engines=takes[mark.index].engines) if mark.index < len(takes) else mark
            for mark in self._marks
        )

    @property
    def start_sample(self) -> int | None:
        """The session sample of the first sound, or None before it."""
        return self._runs[0].session_start if self._runs else None

    @property
    def end_sample(self) -> int:
        """The session sample after the last one written, or 0 before any."""
        return self._runs[-1].session_start + self._runs[-1].samples if self._runs else 0

    def ahead_of(self, segment: int) -> int:
        """Return how many segments after `segment` are here, or on their way."""
        return len(self._takes) - 1 - segment

    @property
    def segment(self) -> int:
        """The segment at which the reading position is."""
        reached = bisect_right(self._takes, self.at, key=lambda take: take.offset) - 1
        ended = bool(self._takes) and self.at >= self.total
        return max(0, min(reached + ended, len(self.plan) - 1))

    def to_make(self, index: int) -> TextSegment:
        """Return what the voice has to make of a segment: all of it, or what is left after a break-off."""
        segment = self.plan[index]
        if index >= len(self._takes):
            return segment
        return TextSegment(segment.tokens[len(self._takes[index].words) :], segment.boundary)

    def add(self, part: Part) -> None:
        """Add the next part of the clip that is being made."""
        if self.complete and self._takes[-1].whole:
            return  # the segment is not wanted any more
        if not self._takes or self._takes[-1].whole:
            self._takes.append(_Take(self.total, (), np.zeros(0, np.int16), 0, 0, broken=True))
        take, index = self._takes[-1], len(self._takes) - 1
        if take.broken:
            words = display_words(self.to_make(index), part.words, part.samples)
            shift = take.offset + take.here
            take.words += tuple(WordSpan(w.text, w.start_sample + shift, w.end_sample + shift) for w in words)
            take.pcm = np.concatenate([take.pcm, np.zeros(part.samples, np.int16)])
            take.broken = False
            if part.engine not in take.engines:
                take.engines += (part.engine,)
            if index + 1 < len(self.plan):
                take.pause = round(self._pauses.after(self.plan[index].boundary) * SAMPLE_RATE_HZ)
        take.pcm[take.here : take.here + len(part.pcm)] = part.pcm
        take.here += len(part.pcm)

    def make_anew(self) -> None:
        """Drop the sound of segments not read yet, so that it is made in another prosody."""
        self._takes = [take for take in self._takes if take.offset < self.at]
        self._marks = self._marks[: len(self._takes)]
        self._seam = min(self._seam, self.total)
        self.lose_after(self.total)

    def broke_off(self) -> None:
        """Record that a clip broke off: its complete words stay, the rest has to be made again.

        The reader goes on after the complete words, and so repeats a word that was read in part.
        """
        if not self._takes or self._takes[-1].whole:
            return
        take = self._takes[-1]
        words = [word for word in take.words if word.end_sample <= take.offset + take.here]
        end = words[-1].end_sample if words else take.offset
        take.words, take.pcm, take.pause = tuple(words), take.pcm[: end - take.offset], 0
        take.here, take.broken = len(take.pcm), True
        if not words:
            self._takes.pop()
        self.at, self._seam = min(self.at, end), end

    def read(self, limit: int, stop: int | None = None) -> SegmentPiece | None:
        """Read up to `limit` samples of one segment, none at or after content sample `stop`.

        None: the next part is not here yet, or the end or `stop` is reached.
        """
        if stop is not None and self.at >= stop:
            return None
        here, start = self.here, self.at
        if start >= here:
            self._begun = -1  # words that come late have other times than were reported
            return None
        index = self.segment
        take = self._takes[index]
        seam = self._seam if self._seam > start else here
        samples = min(limit, min(take.end, here, stop or here, seam) - start)
        within = start - take.offset
        pcm = take.pcm[within : within + samples]
        if len(pcm) < samples:
            pcm = np.concatenate([pcm, np.zeros(samples - len(pcm), np.int16)])
        first = index != self._begun or start == self._seam
        self._begun = index
        self.at += samples
        return SegmentPiece(pcm, index, start, first)

    def wrote(self, piece: SegmentPiece, session_sample: int) -> None:
        """Record that `piece` was written at `session_sample`."""
        last = self._runs[-1] if self._runs else None
        samples = len(piece.pcm)
        joins = (
            last is not None
            and last.session_start + last.samples == session_sample
            and last.content_start + last.samples == piece.content_start
        )
        if last is not None and joins:
            last.samples += samples
        else:
            self._runs.append(_Run(session_sample, piece.content_start, samples))
        if piece.first and piece.segment == len(self._marks):
            length = len(self._takes[piece.segment].pcm)
            self._marks.append(SegmentMark(piece.segment, session_sample, length))

    def lose_after(self, heard: int) -> None:
        """Forget what was written after content sample `heard`, which nobody heard."""
        self._runs = [run for run in self._runs if run.content_start < heard]
        for run in self._runs:
            run.samples = min(run.samples, heard - run.content_start)

    def content_at(self, session_sample: int) -> int:
        """Return the content sample that the track had reached at `session_sample`."""
        reached = 0
        for run in self._runs:
            if run.session_start > session_sample:
                break
            reached = max(reached, run.content_start + min(session_sample - run.session_start, run.samples))
        return reached

    def word_end(self) -> int:
        """Return the content sample at which the word being read ends, or `at` between words."""
        return next(
            (w.end_sample for w in self._all_words() if w.start_sample < self.at < w.end_sample), self.at
        )

    def clause_end(self) -> int | None:
        """Return the content sample where the clause being read ends; None: it is the last, or not here.

        A segment that ends with a colon ("On the potassium:") belongs to the clause after it, and so does one that
        was cut at a comma for an early start.
        """
        index = self.segment
        while index < len(self.plan) - 1 and self._leads_up(self.plan[index]):
            index += 1
        if index >= min(len(self._takes), len(self.plan) - 1):
            return None
        take = self._takes[index]
        return None if take.broken else take.offset + len(take.pcm)

    @staticmethod
    def _leads_up(segment: TextSegment) -> bool:
        return segment.display.endswith(":") or segment.boundary is SegmentBoundary.COMMA

    def go_back_to(self, heard: int, *, clause: bool = False) -> None:
        """Move the reading position back to the start of the word, or clause, at content sample `heard`.

        If a word was heard to its last sample the next one follows. The position never moves forward, even if an
        earlier run was heard further.
        """
        place = min(heard, self.at)
        starts = (w.start_sample for w in self._all_words() if w.end_sample > place)
        self.at = min(next(starts, self.at), self.at)
        if clause and self.segment < len(self._takes):
            take = self._takes[self.segment]
            if self.at < take.offset + len(take.pcm):  # a clause that was heard to its end is not said again
                self.at = take.offset
        self._begun = -1

    def words_from(self, content_sample: int, session_sample: int) -> tuple[WordSpan, ...]:
        """Return the words from `content_sample` to the end of its segment, in session samples."""
        index = max(0, bisect_right(self._takes, content_sample, key=lambda take: take.offset) - 1)
        shift = session_sample - content_sample
        return tuple(
            WordSpan(word.text, word.start_sample + shift, word.end_sample + shift)
            for word in self._takes[index].words
            if word.start_sample >= content_sample
        )

    def samples_left_in(self, index: int, content_sample: int) -> int:
        """Return the samples of the clip of segment `index` from `content_sample` on."""
        return self._takes[index].offset + len(self._takes[index].pcm) - content_sample

    def _all_words(self) -> list[WordSpan]:
        return [word for take in self._takes for word in take.words]
