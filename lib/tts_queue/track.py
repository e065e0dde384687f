"""Write the session's one track: fill its 20 ms frames, and keep the sink from running empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from tts_queue.depth import Depth, DepthLimits
from tts_queue.mixing import Mixer
from tts_queue.model import SAMPLE_RATE_HZ, Pcm, SegmentStarted
from tts_queue.playout import SegmentPiece
from tts_queue.ports import AudioSink
from tts_queue.registry import Item

FRAME_SAMPLES: Final = 960  # 20 ms: with 10 a voice's process wakes twice as often (docs/decisions/067)
_FRAME_S: Final = FRAME_SAMPLES / SAMPLE_RATE_HZ
_HAIR_S: Final = 1e-6
_LATE_S: Final = 0.002  # of the sink's own clock, beyond which it was empty
_SILENCE: Final = np.zeros(FRAME_SAMPLES, np.int16)
_SILENCE.flags.writeable = False
_FADE_SAMPLES: Final = 240  # 5 ms: shorter clicks, longer is heard as a swell


class Track:
    """Makes frames of the current utterance, or of silence, and hands them to the sink.

    Which utterance is current, and when it ends, is the affair of `Speaker`.
    """

    def __init__(
        self,
        sink: AudioSink,
        depth: DepthLimits,
        now_s: Callable[[], float],
        on_segment: Callable[[SegmentStarted], None],
    ) -> None:
        self.mixer = Mixer()
        self.written = 0  # samples handed to the sink since the track began: the session's clock
        self.last: Item | None = None  # the item whose sound was last on the track
        self.sounding_since_s: float | None = None  # start of the current item's present stretch of sound
        self.longest_gap = 0  # samples of silence inside an utterance, for want of sound
        self._sink, self._now_s, self._on_segment = sink, now_s, on_segment
        self._depth = Depth(depth)
        self._sent = self._gap = 0
        self._fading: Item | None = None  # stopped inside a word: the next frame fades it out
        self._fade_in = False
        self._slip_s = 0.0
        self._limits = depth
        self._shallow_until_s = 0.0  # until then a hold is expected, and the sink kept shallow

    @property
    def sent(self) -> int:
        """Samples that left the sink."""
        queued = round(self._sink.queued_s * SAMPLE_RATE_HZ)
        self._sent = max(self._sent, self.written - queued)
        return self._sent

    @property
    def times_late(self) -> int:
        """How often the sink was found empty."""
        return self._depth.times_late

    def due_in_s(self) -> float:
        """Return in how many seconds the next frame is due; 0: now."""
        queued_s, now_s = self._sink.queued_s, self._now_s()
        self._watch_slip(now_s - self.written / SAMPLE_RATE_HZ + queued_s, now_s)
        sounds = self.sounding_since_s is not None and now_s >= self._shallow_until_s
        depth_s = self._depth.at_s(now_s, speaking=sounds)
        over_s = queued_s + _FRAME_S - depth_s
        if over_s > _HAIR_S:
            return over_s
        filled = now_s >= self._shallow_until_s + self._limits.usual_s  # before, little is no lateness
        if sounds and filled and queued_s < self._limits.near_s - _HAIR_S:
            self._depth = self._depth.near(now_s)
        return 0.0

    def expect_hold(self) -> None:
        """Keep the sink as shallow as in silence for a moment: what it holds is heard after a hold."""
        self._shallow_until_s = self._now_s() + self._limits.expected_s

    def _watch_slip(self, slip_s: float, now_s: float) -> None:
        """Watch the time less the sound sent, which grows only while the sink is empty."""
        if slip_s > self._slip_s + _LATE_S:
            if self.written:
                self._depth = self._depth.late(now_s)
            self._slip_s = slip_s

    def is_free(self, pause_s: float) -> bool:
        """Return whether the last utterance has left the sink and `pause_s` lies behind it."""
        if self.last is None:
            return True
        end = self.last.buffer.end_sample
        return self.written >= end + round(pause_s * SAMPLE_RATE_HZ) and self.sent >= end

    def begin(self, *, inside: bool) -> None:
        """Prepare for an utterance; `inside`: it resumes inside a word or clause, and is faded in."""
        self._fading, self._gap = None, 0
        self._fade_in = self._fade_in or inside

    def leave(self, item: Item, *, fading: bool) -> None:
        """Stop playing `item`; `fading`: inside a word, so that one frame fades it out."""
        if fading:
            self._fading = item if self.sounding_since_s is not None else self._fading
        self.sounding_since_s = None

    async def write(self, pcm: Pcm) -> None:
        """Hand a frame to the sink, mixed with what sounds beside it."""
        await self._sink.write(self.mixer.mix(pcm))
        self.written += FRAME_SAMPLES

    def frame(self, item: Item | None, stop: int | None) -> Pcm:
        """Return the next 20 ms: of `item` up to its content sample `stop`, of a fade, or of silence."""
        if self._fading is not None:
            return self._faded_out(self._fading)
        if item is None:
            return _SILENCE
        frame, filled = np.zeros(FRAME_SAMPLES, np.int16), 0
        while filled < FRAME_SAMPLES:
            piece = item.buffer.read(FRAME_SAMPLES - filled, stop)
            if piece is None:
                break
            self._lay(item, piece, frame, filled)
            filled += len(piece.pcm)
        missing = FRAME_SAMPLES - filled
        self._gap = self._gap + missing if item.buffer.dry and missing else 0
        self.longest_gap = max(self.longest_gap, self._gap)
        return frame

    def _lay(self, item: Item, piece: SegmentPiece, frame: Pcm, at: int) -> None:
        """Copy a piece into the frame; report the segment if its words begin here."""
        frame[at : at + len(piece.pcm)] = piece.pcm
        if self._fade_in:
            ramp = min(_FADE_SAMPLES, len(piece.pcm))
            frame[at : at + ramp] = frame[at : at + ramp] * np.linspace(0.0, 1.0, ramp)
            self._fade_in = False
        sample = self.written + at
        item.buffer.wrote(piece, sample)
        self.last = item
        if self.sounding_since_s is None:
            self.sounding_since_s = self._now_s()
        if piece.first:
            self._tell_segment(item, piece, sample)

    def _tell_segment(self, item: Item, piece: SegmentPiece, sample: int) -> None:
        words = item.buffer.words_from(piece.content_start, sample)
        if not words:
            return  # the reader went back to the pause after the last word
        segment = item.buffer.plan[piece.segment]
        self._on_segment(
            SegmentStarted(
                item.utterance.utterance_id,
                item.first + piece.segment,
                item.first + len(item.buffer.plan),
                segment.display,
                sample,
                item.buffer.samples_left_in(piece.segment, piece.content_start),
                words,
            )
        )

    def _faded_out(self, item: Item) -> Pcm:
        """Return the last frame of an item that was stopped inside a word, fading to silence."""
        self._fading = None
        frame = np.zeros(FRAME_SAMPLES, np.int16)
        piece = item.buffer.read(_FADE_SAMPLES)
        if piece is not None:
            faded = (piece.pcm * np.linspace(1.0, 0.0, len(piece.pcm))).astype(np.int16)
            frame[: len(faded)] = faded
            item.buffer.wrote(piece, self.written)
        return frame
