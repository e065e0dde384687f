"""Render a part of the matrix and have the present ears hear it: `python -m lab.ears.hear develop [near] [more]`.

Into out/ears: `<part>.npz`, the sound of each turn, and `<part>.json`, what was said, heard and voted. The
recognisers that come after are tried on these, so that each is asked of the same sound.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any, Final

import numpy as np

from lab.ears.cutting import cut
from lab.ears.matrix import PARTS, Part, cells
from lab.ears.voices import Sound
from realtime.ears.engines.closed_words import NOTHING, ClosedWords
from realtime.ears.engines.moonshine import MoonshineEars
from realtime.ears.silero import SileroVad

OUT: Final = Path("out/ears")
MORE_EVERY: Final = 3  # in the later rooms each third clip of a voice is heard: 76 of develop a room


def main(part: Part, *, near: bool, more: bool) -> None:
    """Hear one part; `near`: without what is far fainter before and after; `more`: a third, in the later rooms."""
    name = f"{part}{'-more' if more else ''}{'-near' if near else ''}"
    OUT.mkdir(parents=True, exist_ok=True)
    vad, recogniser, closed = SileroVad(), MoonshineEars(), ClosedWords()
    rows: list[dict[str, Any]] = []
    turns: dict[str, Sound] = {}
    began_s = time.process_time()
    for cell in cells(part, "more_rooms", every=MORE_EVERY) if more else cells(part):
        turn = cut(vad, cell, near=near)
        row: dict[str, Any] = {
            "said": cell.said.text, "intent": cell.said.intent, "family": cell.said.family,
            "want": sorted(cell.said.want), "voice": cell.voice, "room": cell.room, "turn": turn is not None,
        }  # fmt: skip
        if turn is not None:
            asked_s = time.process_time()
            text = recogniser.transcribe(turn.pcm)
            vote = closed.vote(turn.pcm, text) if turn.short else NOTHING
            row |= {"ms": turn.ms, "text": text, "word": vote.word, "word_confidence": vote.confidence}
            row["cpu_ms"] = round((time.process_time() - asked_s) * 1000)
            turns[str(len(rows))] = turn.pcm
        rows.append(row)
    np.savez(OUT / f"{name}.npz", **turns)  # type: ignore[arg-type]
    (OUT / f"{name}.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    sys.stdout.write(f"{name}: {len(rows)} clips, {time.process_time() - began_s:.0f} s of CPU\n")


if __name__ == "__main__":
    chosen = sys.argv[1]
    if chosen not in PARTS:
        sys.exit(f"which part: {', '.join(PARTS)}?")
    main(chosen, near="near" in sys.argv[2:], more="more" in sys.argv[2:])
