"""The public ancestor's runs, as its own logs have them (run log schema 1.5.0), in the form that is measured.

Its summaries carry the emission time of the last delta that they rest on, not the time at which they were
made: in what hangs on times it is given credit for an answer without delay, except in the lag itself.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from lab.evaluation.telling import Released, Source, Telling, Told

FIELDS: Final = (
    "status_action",
    "key_findings",
    "differential_rationale",
    "uncertainty_confidence",
    "recommendation_next_step",
    "agent_contributions",
)
Log = list[dict[str, Any]]


def variants(folder: Path) -> tuple[str, ...]:
    """Return the names of the variants that have logs."""
    return tuple(sorted(each.name for each in folder.iterdir() if each.is_dir()))


def telling(folder: Path, variant: str, source: Source, t0_ms: int) -> Telling:
    """Return what a variant told of a case; `t0_ms` is the trace's first delta, in ms since the epoch."""
    path = folder / variant / f"{source.case_id}.trace.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        log: Log = [json.loads(line) for line in lines]
    summaries = [each for each in log if each["record_type"] == "summary_event"]
    places = {each["event_id"]: at for at, each in enumerate(summaries)}
    return Telling(
        source,
        tuple(_told(each, places, t0_ms) for each in summaries),
        _released(log, summaries, t0_ms),
    )


def _told(event: dict[str, Any], places: Mapping[str, int], t0_ms: int) -> Told:
    content = event["summary_content"]
    return Told(
        made_s=_at_s(event, t0_ms),
        window=_window(event),
        text=event["summary_semantics_text"],
        whole=" ".join(content[name] for name in FIELDS),
        latest=places.get(event["latest_summary_event_id"] or ""),
        valid=event["schema_ok"],
    )


def _released(log: Log, summaries: Log, t0_ms: int) -> tuple[Released, ...]:
    """Return the decisions, each with the time of the summary that it brought; these come in their order."""
    made = iter(summaries)
    return tuple(
        Released(
            _window(each),
            _at_s(each, t0_ms),
            each["latency_ms"] / 1000,
            next(made)["latency_ms"] / 1000 if each["decision"] == "summarize" else 0.0,
        )
        for each in log
        if each["record_type"] == "buffer_decision"
    )


def _window(record: dict[str, Any]) -> tuple[int, int]:
    return record["start_seq"], record["end_seq"]


def _at_s(record: dict[str, Any], t0_ms: int) -> float:
    return datetime.fromisoformat(record["timestamp"]).timestamp() - t0_ms / 1000
