"""Where what was sent came to an ear: the sent track beside what each client heard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lab.demo import hearing
from lab.demo.account import Stretch
from lab.demo.hearing import RATE_HZ, Found, Pcm
from lab.demo.judges import Recognise
from lab.demo.listener import SOUND_RMS
from lab.demo.parts import Part
from lab.demo.runs import Joint, Run, joints, to_be_heard

ALIGNED_BY_S: Final = 1.0  # a shorter stretch is not looked for in a whole recording
PAUSE_S: Final = 1.0  # stretches this near are judged as one, with the pause between them
FRAME: Final = RATE_HZ // 100
CONCEALED_S: Final = 0.1  # beyond a recording's end: what the last frame may lack


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch, in which part it was to be heard (None: in none), and where it was found."""

    stretch: Stretch
    part: int | None
    found: Found

    @property
    def heard(self) -> bool:
        """Whether all of it was found."""
        return self.part is not None and self.found.whole


@dataclass(frozen=True, slots=True)
class Ear:
    """The parts, and what ties them to the session's samples: (session sample, part, heard − session)."""

    parts: tuple[Part, ...]
    anchors: tuple[tuple[int, int, int], ...]

    def place(self, sample: int) -> tuple[int, int] | None:
        """Return in which part a session sample was heard and where, or None if nobody heard it."""
        before = [anchor for anchor in self.anchors if anchor[0] <= sample] or list(self.anchors[:1])
        after = [anchor for anchor in self.anchors if anchor[0] > sample][:1]
        for _, part, offset in (*reversed(before), *after):
            if 0 <= sample + offset < self.parts[part].pcm.size:
                return part, sample + offset
        return None

    def time_of(self, sample: int) -> float | None:
        """Return when a session sample was heard, monotonic, or None if nobody heard it."""
        place = self.place(sample)
        return None if place is None else self.parts[place[0]].time_of(place[1])

    def last_heard(self, part: int) -> int:
        """Return the last session sample that a part can have heard."""
        offsets = [offset for _, number, offset in self.anchors if number == part]
        return self.parts[part].pcm.size - offsets[-1] if offsets else 0


def follow(sent: Pcm, parts: Sequence[Part], stretches: Sequence[Stretch]) -> tuple[Ear, list[Place]]:
    """Find every stretch in the part that was there when it sounded.

    Each is looked for near where the last one was: a listener that conceals lost sound falls behind.
    """
    places: list[Place] = []
    anchors: list[tuple[int, int, int]] = []
    rest = list(stretches)
    for number, part in enumerate(parts):
        long = [(s.start_sample, s.samples) for s in rest if s.samples >= ALIGNED_BY_S * RATE_HZ]
        offset = hearing.align(sent, part.pcm, long)
        if offset is None:
            continue
        ends = part.pcm.size + CONCEALED_S * RATE_HZ
        mine = [s for s in rest if s.start_sample + offset >= 0 and _end(s) + offset <= ends]
        rest = [s for s in rest if s not in mine]
        for stretch in mine:
            found = hearing.find(sent, part.pcm, stretch.start_sample, stretch.samples, offset)
            if found.whole:
                offset = found.start_sample - stretch.start_sample
                anchors.append((stretch.start_sample, number, offset))
            places.append(Place(stretch, number, found))
    places += [Place(stretch, None, Found(0, 0.0, (0.0,))) for stretch in rest]
    return Ear(tuple(parts), tuple(anchors)), sorted(places, key=lambda place: place.stretch.start_sample)


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found of a whole story; `runs` and `joints` by utterance."""

    sent: Pcm
    ear: Ear
    places: tuple[Place, ...]
    runs: Mapping[str, tuple[Run, ...]]
    joints: Mapping[str, tuple[Joint, ...]]
    word_error_rate: tuple[float, float]  # of what was sent, and of what was heard
    understood: Mapping[str, str]  # what the recogniser made of each utterance as it was heard

    def began_s(self, run: Run) -> float | None:
        """Return when a run was heard first."""
        return self.ear.time_of(run.start_sample)

    def whole(self, utterance_id: str) -> bool:
        """Return whether all of an utterance was heard."""
        mine = [place for place in self.places if place.stretch.utterance_id == utterance_id]
        return bool(mine) and all(place.heard for place in mine)

    def in_order(self) -> list[Run]:
        """Return all runs in order."""
        return sorted((r for runs in self.runs.values() for r in runs), key=lambda run: run.start_sample)


def by_utterance(runs: Sequence[Run]) -> dict[str, tuple[Run, ...]]:
    """Return runs by the utterance that they are of."""
    return {uid: tuple(r for r in runs if r.utterance_id == uid) for uid in {r.utterance_id for r in runs}}


async def judge(
    sent: Pcm,
    parts: Sequence[Part],
    runs: Sequence[Run],
    marks: Sequence[Stretch],
    texts: Mapping[str, str],
    recognise: Recognise,
) -> Judged:
    """Find and recognise all that the ledger calls spoken.

    `marks` are the ledger's own, of spoken utterances: whose segment nobody was told of is looked for too.
    """
    mine = by_utterance(runs)
    spoken = {mark.utterance_id for mark in marks}
    told = {(run.utterance_id, run.index) for run in runs}
    stretches = [s for uid in spoken for s in to_be_heard(mine.get(uid, ()))]
    stretches += [mark for mark in marks if (mark.utterance_id, mark.index) not in told]
    ear, places = follow(sent, parts, sorted(stretches, key=lambda stretch: stretch.start_sample))
    reference, left, right = [], [], {}
    for uid in spoken:
        hits = [place for place in places if place.stretch.utterance_id == uid and place.part is not None]
        if not hits:
            continue
        reference.append(hearing.as_said(texts[uid]))
        left.append(await recognise(_sent(sent, hits)))
        right[uid] = await recognise(_heard(parts, hits))
    errors_sent, words = hearing.word_errors(reference, left)
    errors_heard, _ = hearing.word_errors(reference, list(right.values()))
    return Judged(
        sent=sent,
        ear=ear,
        places=tuple(places),
        runs=mine,
        joints={uid: tuple(joints(of)) for uid, of in mine.items()},
        word_error_rate=(errors_sent / max(1, words), errors_heard / max(1, words)),
        understood=right,
    )


def silent_from(part: Part, from_s: float, *, for_s: float) -> float | None:
    """Return when, from a time on, a silence of at least so long began in what was heard."""
    loud = _loud(part, from_s, part.ended_s)
    need, quiet = round(for_s * 100), 0
    for number, is_loud in enumerate(loud):
        quiet = 0 if is_loud else quiet + 1
        if quiet == need:
            return from_s + (number + 1 - need) / 100
    return None


def loud_share(part: Part, from_s: float, to_s: float, but: Sequence[tuple[float, float]]) -> float:
    """Return which part of a time was sound, beside the spans in `but`; times are monotonic."""
    loud = _loud(part, from_s, to_s)
    at_s = from_s + np.arange(loud.size) / 100
    for start_s, end_s in but:
        loud = loud & ~((at_s >= start_s) & (at_s <= end_s))
    return float(loud.mean()) if loud.size else 1.0


def _loud(part: Part, from_s: float, to_s: float) -> NDArray[np.bool_]:
    pcm = part.pcm[max(0, part.sample_at(from_s)) : max(0, part.sample_at(to_s))]
    frames = pcm[: pcm.size // FRAME * FRAME].reshape(-1, FRAME).astype(np.float32)
    loud: NDArray[np.bool_] = np.sqrt((frames**2).mean(axis=1)) > SOUND_RMS
    return loud


def _sent(sent: Pcm, hits: Sequence[Place]) -> Pcm:
    spans = [(hit.stretch.start_sample, _end(hit.stretch)) for hit in hits]
    return _cut(sent, spans)


def _heard(parts: Sequence[Part], hits: Sequence[Place]) -> Pcm:
    sounds = []
    for number, part in enumerate(parts):
        mine = [hit for hit in hits if hit.part == number]
        starts = [hit.found.start_sample for hit in mine]
        spans = [(at, at + hit.stretch.samples) for at, hit in zip(starts, mine, strict=True)]
        sounds.append(_cut(part.pcm, spans))
    return np.concatenate(sounds)


def _cut(pcm: Pcm, spans: Sequence[tuple[int, int]]) -> Pcm:
    """Return the spans one after the other; those that follow each other closely with what is between."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and 0 <= start - merged[-1][1] <= PAUSE_S * RATE_HZ:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return np.concatenate([pcm[start:end] for start, end in merged] or [pcm[:0]])


def _end(stretch: Stretch) -> int:
    return stretch.start_sample + stretch.samples
