"""Written discussions as traces: one JSON object a line, a header and then a turn each, without times.

    {"id": "registrar-01", "habit": "registrars' chat", "title": "…", "moderator": "consultant"}
    {"agent": "reg_1", "text": "…"}

They are played at the speed of the recorded agents, word by word. `python -m lab.evaluation.discussions FILE`
prints what is spoken of each, and when.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agents.recorded import Trace
from agents.recorded.classification import classify_turns
from agents.recorded.records import Boundary, Delta, Metadata, Record

WORDS_PER_S: Final = 39  # of the recorded discussions: 83,383 words in 28 traces
_WORD: Final = re.compile(r"\s*\S+\s*")


class NotADiscussion(ValueError):
    """A file is no written discussion; the message says which line, and quotes none of it."""


@dataclass(frozen=True, slots=True)
class Discussion:
    """A written discussion: its header and its turns as (agent, text), in order."""

    path: Path
    header: dict[str, Any]
    turns: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem

    @property
    def source(self) -> str:
        """The style or generator that it is of: its name without the number."""
        return re.sub(r"-\d+\Z", "", self.name)


def read(path: Path) -> Discussion:
    """Read a discussion. Raises: NotADiscussion, OSError."""
    rows = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    try:
        header, *turns = map(json.loads, rows)
        return Discussion(path, header, tuple((str(each["agent"]), str(each["text"])) for each in turns))
    except (ValueError, KeyError, TypeError) as error:
        message = f"{path.name}: a header is expected, and then one agent and text a line"
        raise NotADiscussion(message) from error


def trace(discussion: Discussion) -> Trace:
    """Return the discussion as a trace that is played at `WORDS_PER_S`."""
    meta = Metadata(
        case_id="case-" + re.sub(r"[^a-zA-Z0-9-]", "-", discussion.name),
        mas_run_id=discussion.name,
        mac_commit="",
        model=str(discussion.header.get("model", "written")),
        created_at="",
        t0_emitted_ms=0,
    )
    records = tuple(_records(discussion))
    return Trace(discussion.path, meta, records, classify_turns(records), ())


def _records(discussion: Discussion) -> Iterator[Record]:
    seq = words = 0
    for turn_id, (agent, text) in enumerate(discussion.turns, 1):
        at_ms = words * 1000 // WORDS_PER_S
        yield Boundary(seq := seq + 1, turn_id, agent, "start", at_ms, at_ms)
        for piece in _WORD.findall(text):
            words += 1
            at_ms = words * 1000 // WORDS_PER_S
            yield Delta(seq := seq + 1, turn_id, agent, piece, at_ms, at_ms)
        yield Boundary(seq := seq + 1, turn_id, agent, "end", at_ms, at_ms)


def main(paths: list[str]) -> int:
    """Print what is spoken of the files at `paths`."""
    from lab.evaluation.aloud import heard  # the session is heavy, and who reads a file needs none

    for path in map(Path, paths):
        discussion = read(path)
        played = trace(discussion)
        sys.stdout.write(f"== {discussion.name}: {played.words} words in {played.duration_s:.0f} s\n")
        for said in heard(played, str(discussion.header.get("title", discussion.name)), None):
            begun = f"{said.begun_s:6.1f}" if said.begun_s is not None else "  not "
            sys.stdout.write(f"{said.offered_s:6.1f} {begun} {said.kind:12} {said.text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
