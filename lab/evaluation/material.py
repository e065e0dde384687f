"""What is measured: the cases that ship, and what is given beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agents.recorded import Catalogue, Trace, load_trace
from exaim_core import CasePaper
from lab.evaluation import points
from lab.evaluation.points import Gold

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Material:
    """What is measured; what is None or empty is left out."""

    cases: Path
    traces: Path | None = None
    baseline: Path | None = None
    points: Path | None = None
    gold: str | None = None

    def recorded(self) -> tuple[Trace, ...]:
        """Return the recorded traces, by file name."""
        if self.traces is None:
            return ()
        return tuple(load_trace(path) for path in sorted(self.traces.glob("*.trace.jsonl.gz")))

    def lists(self) -> dict[str, Gold]:
        """Return the lists of recorded traces."""
        return points.of_traces(self.points) if self.points else {}

    def shipped(self) -> list[tuple[Trace, str, CasePaper | None, Gold]]:
        """Return the cases that ship and have lists: trace, title, case paper, lists."""
        catalogue = Catalogue.open([self.cases])
        found = []
        for case_id in catalogue.ids():
            if (self.cases / "gold" / f"{case_id}.key_points.json").exists():
                paper = catalogue.paper(case_id)
                found.append(
                    (
                        catalogue.load(case_id),
                        catalogue.get(case_id).title,
                        CasePaper.model_validate(paper) if paper else None,
                        points.shipped(self.cases / "gold", case_id),
                    )
                )
        return found
