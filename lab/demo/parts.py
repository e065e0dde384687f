"""What a client heard, got and said, on files that a kill can't take back: written by it, read by the demo.

heard.pcm       48 kHz mono int16, as it arrived
arrivals.jsonl  how many samples had arrived at which time
messages.jsonl  what the voice told, but for the agents' words
acts.jsonl      acts, as they end
"""

from __future__ import annotations

import dataclasses
import json
import wave
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lab.demo.acts import Outcome, Spoke
from lab.demo.listener import RATE_HZ, Heard, Received

KEEP_EVERY_S: Final = 0.1  # a kill loses no more than this, and what was on its way

Pcm = NDArray[np.int16]


class Spool:
    """The writing end. Nothing is buffered: what was written is there, whatever becomes of this process."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._sound = (folder / "heard.pcm").open("ab", buffering=0)
        self._arrivals = (folder / "arrivals.jsonl").open("ab", buffering=0)
        self._messages = (folder / "messages.jsonl").open("ab", buffering=0)
        self._acts = (folder / "acts.jsonl").open("ab", buffering=0)
        self._frames_kept = self._messages_kept = self._acts_kept = 0

    def keep(self, heard: Heard, messages: Sequence[Received]) -> None:
        """Append what came since the last call."""
        fresh = heard.frames[self._frames_kept :]
        if fresh:
            self._frames_kept += len(fresh)
            self._sound.write(np.concatenate(fresh).tobytes())
            samples = sum(frame.size for frame in fresh)
            last_s = heard.arrived_s[self._frames_kept - 1]
            self._arrivals.write(_line({"samples": samples, "at_s": last_s}))
        for message in messages[self._messages_kept :]:
            if message.type != "trace":
                self._messages.write(_line(dataclasses.asdict(message)))
        self._messages_kept = len(messages)

    def acted(self, outcomes: Sequence[Outcome]) -> None:
        """Append acts that ended since the last call."""
        for outcome in outcomes[self._acts_kept :]:
            self._acts.write(_line(dataclasses.asdict(outcome)))
        self._acts_kept = len(outcomes)

    def close(self) -> None:
        """Close the files."""
        for file in (self._sound, self._arrivals, self._messages, self._acts):
            file.close()


class Tail:
    """Reads the lines of a file that another process appends to; half a line waits for its rest."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = 0

    def fresh(self) -> Iterator[dict[str, Any]]:
        """Yield what was appended since the last call."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._at)
            for line in file:
                if line.endswith(b"\n"):
                    self._at += len(line)
                    yield json.loads(line)


@dataclass(frozen=True, slots=True)
class Part:
    """One client's time in the room. `began_s`: when sample 0 of `pcm` arrived, monotonic."""

    began_s: float
    pcm: Pcm
    messages: tuple[Received, ...]
    outcomes: tuple[Outcome, ...] = ()

    @property
    def ended_s(self) -> float:
        """When its last sample arrived."""
        return self.began_s + self.pcm.size / RATE_HZ

    def time_of(self, sample: float) -> float:
        """Return when a sample of it was heard, monotonic."""
        return self.began_s + sample / RATE_HZ

    def sample_at(self, at_s: float) -> int:
        """Return the sample that was heard at a time; below 0 before its beginning."""
        return round((at_s - self.began_s) * RATE_HZ)

    def of(self, kind: str) -> list[Received]:
        """Return the messages of a type, in the voice's order."""
        return sorted((m for m in self.messages if m.type == kind), key=lambda m: m.seq)

    def snapshots_too(self, kind: str, name: str) -> list[dict[str, Any]]:
        """Return the bodies of a type, those that came within snapshots, and parts of them, first."""
        told = (*self.of("snapshot"), *self.of("past"))
        within = [body for m in told for body in m.body.get(name, ())]
        return within + [m.body for m in self.of(kind)]


def read(folder: Path) -> Part:
    """Return what a client left in its folder."""
    data = (folder / "heard.pcm").read_bytes()
    pcm = np.frombuffer(data, np.int16, count=len(data) // 2)
    messages = tuple(Received(**line) for line in Tail(folder / "messages.jsonl").fresh())
    outcomes = tuple(_outcome(line) for line in Tail(folder / "acts.jsonl").fresh())
    return Part(began_s(list(Tail(folder / "arrivals.jsonl").fresh())), pcm, messages, outcomes)


def began_s(arrivals: Sequence[dict[str, Any]]) -> float:
    """Return when the first sample came: frames come late at times, and never early."""
    samples, earliest = 0, float("inf")
    for line in arrivals:
        samples += line["samples"]
        earliest = min(earliest, line["at_s"] - samples / RATE_HZ)
    return earliest if samples else 0.0


def joined(parts: Sequence[Part]) -> Pcm:
    """Return the parts on one clock, from the first one's beginning, with silence between them."""
    start_s = parts[0].began_s
    return laid(
        [(part.began_s - start_s, part.pcm) for part in parts], max(p.ended_s for p in parts) - start_s
    )


def laid(sounds: Sequence[tuple[float, Pcm]], length_s: float) -> Pcm:
    """Return sounds at their times (in seconds) on a silence of so long; what is outside is left out."""
    whole = np.zeros(round(length_s * RATE_HZ), np.int16)
    for at_s, pcm in sounds:
        start = max(0, round(at_s * RATE_HZ))
        end = min(whole.size, start + pcm.size)
        whole[start:end] = pcm[: max(0, end - start)]
    return whole


def read_wav(path: Path) -> Pcm:
    """Return a recording of 48 kHz mono."""
    with wave.open(str(path), "rb") as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16)


def write_wav(path: Path, pcm: Pcm) -> None:
    """Write a recording of 48 kHz mono."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(pcm.tobytes())


def _outcome(line: dict[str, Any]) -> Outcome:
    return Outcome(**(line | {"said": tuple(Spoke(**spoke) for spoke in line["said"])}))


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
