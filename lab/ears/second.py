"""Have Whisper hear the turns of a part that was heard: `python -m lab.ears.second develop-near [commands]`.

In one of three ways: `plain`, with `hints`, or with hints and held against our `commands`, as in a session. Into
out/ears/<part>.<way>.json, a text, a confidence and a likelihood of silence for each turn that it is asked of.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

from lab.ears.hear import OUT
from lab.ears.score import asked_of, case_words, rows
from realtime.ears.engines.whisper import WhisperEars, packaged_whisper
from realtime.ears.hints import hints
from realtime.interruption import understood, whole_commands


def main(part: str, way: str) -> None:
    """Hear one part in one way."""
    told = "" if way == "plain" else hints(case_words())
    whisper = WhisperEars(packaged_whisper(), *((whole_commands(), understood) if way == "commands" else ()))
    turns, heard_first = np.load(OUT / f"{part}.npz"), rows(part)
    found: dict[str, Any] = {}
    began_s = time.process_time()
    for name in turns.files:
        if not asked_of(heard_first[int(name)]):
            continue
        asked_s = time.process_time()
        heard = whisper.transcribe(turns[name], told)
        took_ms = round((time.process_time() - asked_s) * 1000)
        found[name] = [heard.text, heard.confidence, heard.silence, took_ms]
    (OUT / f"{part}.{way}.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    sys.stdout.write(f"{part} {way}: {len(found)} turns, {time.process_time() - began_s:.0f} s of CPU\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "plain")
