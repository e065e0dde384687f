"""When was each item said, offered, begun, and what became of it? `python -m lab.bench.item_times [CASE]`.

A shipped case on virtual time, as `exaim bench --only reading` plays it. Times are in seconds from the first delta.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.recorded import Catalogue, default_cases
from exaim_core import CasePaper
from lab.bench.playing import TO_EAR_S, Played, play
from tts_queue import Phase
from tts_queue.engines.piper import PiperVoice
from tts_queue.model import SAMPLE_RATE_HZ

HEAD = "  said offered  begun   over    lag  priority  kind          what became of it      text"


@dataclass(frozen=True, slots=True)
class ItemTimes:
    """One utterance. `said_s`: its last cited word; `begun_s`: its first sound; None: there is none."""

    said_s: float | None
    offered_s: float
    begun_s: float | None
    over_s: float | None
    priority: str
    kind: str
    outcome: str
    text: str

    @property
    def lag_s(self) -> float | None:
        """Return how long after its words it began."""
        return None if self.said_s is None or self.begun_s is None else self.begun_s - self.said_s

    def line(self) -> str:
        """Return it as a line of the table."""
        times = (self.said_s, self.offered_s, self.begun_s, self.over_s, self.lag_s)
        shown = " ".join("     -" if each is None else f"{each:6.1f}" for each in times)
        return f"{shown}  {self.priority:9} {self.kind:13} {self.outcome:22} {self.text}"


def item_times(played: Played) -> Iterator[ItemTimes]:
    """Yield every utterance of a played case, in the order in which they were offered."""
    for each in played.utterances:
        move = played.last.get(each.utterance_id)
        heard = move is not None and move.start_sample is not None and move.heard > 0
        begun_s = (
            move.start_sample / SAMPLE_RATE_HZ + TO_EAR_S - played.began_s
            if heard and move is not None and move.start_sample is not None
            else None
        )
        phase = Phase.QUEUED if move is None else move.phase_to
        reason = move.reason if move is not None and move.reason else ""
        yield ItemTimes(
            None if each.lag_from_s is None else each.lag_from_s - played.began_s,
            each.queued_at_s - played.began_s,
            begun_s,
            None if move is None else move.at_s - played.began_s,
            each.priority.name.lower(),
            each.kind,
            f"{phase.value}{': ' if reason else ''}{reason}",
            each.text,
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table of a shipped case; without its id, of the first."""
    asked = list(sys.argv[1:] if argv is None else argv)
    catalogue = Catalogue.open([default_cases()])
    case_id = asked[0] if asked else catalogue.ids()[0]
    paper = catalogue.paper(case_id)
    checked = CasePaper.model_validate(paper) if paper else None
    played = play(catalogue.load(case_id), catalogue.get(case_id).title, checked, PiperVoice(steady=True))
    sys.stdout.writelines(f"{line}\n" for line in (HEAD, *(each.line() for each in item_times(played))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
