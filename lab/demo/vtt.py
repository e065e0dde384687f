"""Captions as WebVTT (https://www.w3.org/TR/webvtt1/): written, and read back. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_TIME: Final = r"(\d{2,}):([0-5]\d):([0-5]\d)\.(\d{3})"
_TIMING: Final = re.compile(rf"{_TIME} --> {_TIME}")
_VOICE: Final = re.compile(r"<v ([^>&]+)>(.*)")


class NotVtt(ValueError):
    """A text is no WebVTT of the form that `written` gives; the message says which block is not."""


@dataclass(frozen=True, slots=True)
class Cue:
    """What `who` said, from and to, in seconds of the recording."""

    start_s: float
    end_s: float
    who: str
    text: str


def written(cues: Iterable[Cue], *, title: str) -> str:
    """Return a file of cues in order of time, numbered; each at least a millisecond long."""
    blocks = [f"WEBVTT - {_plain(title)}"]
    for number, cue in enumerate(sorted(cues, key=lambda cue: (cue.start_s, cue.end_s)), start=1):
        start_ms = max(0, round(cue.start_s * 1000))
        end_ms = max(start_ms + 1, round(cue.end_s * 1000))
        text = f"<v {_plain(cue.who)}>{html.escape(_plain(cue.text), quote=False)}"
        blocks.append(f"{number}\n{_time(start_ms)} --> {_time(end_ms)}\n{text}")
    return "\n\n".join(blocks) + "\n"


def parsed(text: str) -> list[Cue]:
    """Return the cues of a file. Raises: NotVtt: it is none, or cues are out of order."""
    blocks = [block for block in re.split(r"\n{2,}", text.replace("\r\n", "\n").strip("\n")) if block]
    if not blocks or not re.match(r"WEBVTT([ \t].*)?$", blocks[0]):
        raise NotVtt("the first line is not WEBVTT")
    cues = [_cue(block) for block in blocks[1:] if not block.startswith("NOTE")]
    starts = [cue.start_s for cue in cues]
    if starts != sorted(starts):
        raise NotVtt("a cue begins before the one above it")
    return cues


def _cue(block: str) -> Cue:
    lines = block.split("\n")
    at = 0 if "-->" in lines[0] else 1
    timing = _TIMING.fullmatch(lines[at]) if len(lines) > at else None
    voice = _VOICE.fullmatch("\n".join(lines[at + 1 :]))
    if timing is None or voice is None or not voice[2].strip():
        raise NotVtt(f"not a cue: {lines[0]!r}")
    times = timing.groups()
    start_s, end_s = _seconds(*times[:4]), _seconds(*times[4:])
    if end_s <= start_s:
        raise NotVtt(f"a cue ends before it begins: {lines[at]!r}")
    return Cue(start_s, end_s, html.unescape(voice[1]), html.unescape(voice[2]))


def _time(ms: int) -> str:
    return f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d}.{ms % 1000:03d}"


def _seconds(hours: str, minutes: str, seconds: str, ms: str) -> float:
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + int(ms) / 1000


def _plain(text: str) -> str:
    """Return a text on one line, without what would end a cue."""
    return " ".join(text.split()).replace("-->", "→")
