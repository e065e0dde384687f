"""Have Whisper hear the turns of a part that was heard: `python -m lab.ears.second develop [hints]`.

Into out/ears/<part>.<way>.json, a text, a confidence and a likelihood of silence for each turn.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

from lab.ears.hear import OUT
from lab.ears.score import case_words
from realtime.ears.engines.whisper import WhisperEars, packaged_whisper
from realtime.ears.hints import hints


def main(part: str, way: str) -> None:
    """Hear one part in one way."""
    told = hints(case_words()) if way == "hints" else ""
    whisper = WhisperEars(packaged_whisper())
    turns = np.load(OUT / f"{part}.npz")
    found: dict[str, Any] = {}
    began_s = time.process_time()
    for name in turns.files:
        asked_s = time.process_time()
        heard = whisper.transcribe(turns[name], told)
        took_ms = round((time.process_time() - asked_s) * 1000)
        found[name] = [heard.text, heard.confidence, heard.silence, took_ms]
    (OUT / f"{part}.{way}.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    sys.stdout.write(f"{part} {way}: {len(found)} turns, {time.process_time() - began_s:.0f} s of CPU\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "plain")
