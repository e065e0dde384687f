"""Build the report of a session from what the store had of it. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from agents.costs import Spent
from exaim_core import spoken_name
from infra.reports.material import AgentTally, EventTally, Material
from infra.reports.model import AgentReport, CostReport, Figures, Latency, Moment, Report, SummaryReport
from infra.reports.speech import Speech, counts, criticals, summary, unheard
from infra.reports.turns import decisions, questions
from infra.streams import LoggedCommand
from tts_queue import SAMPLE_RATE_HZ, Phase

_ASKED: Final = {
    "ready": "the clinician is ready",
    "end": "the clinician ends the session",
    "acknowledge": "a critical finding is acknowledged",
    "stranger": "somebody without the secret is refused",
}


def build_report(material: Material, *, generated_at_ms: int) -> Report:
    """Return the report. Raises: CorruptSession: something of the session can't be read."""
    record, speech = material.record, Speech.of(material.entries)
    summaries = tuple(summary(made, speech) for made in material.updates)
    heard = sum(entry.move.heard for entry in material.entries if entry.move) / SAMPLE_RATE_HZ
    over_at_ms = record.ended_at_ms or generated_at_ms
    return Report(
        session_id=record.session_id,
        thread_id=record.thread_id,
        case_id=record.case_id,
        title=record.title,
        status=record.status.value,
        reasoning=record.reasoning,
        reopened=record.reopened,
        record_version=record.version,
        generated_at_ms=generated_at_ms,
        created_at_ms=record.created_at_ms,
        ended_at_ms=record.ended_at_ms,
        duration_s=round(max(0, over_at_ms - record.created_at_ms) / 1000, 1),
        listening_s=round(heard, 1),
        counts=counts(material, speech),
        unheard=unheard(
            material.entries, {made.update_id: len(made.update.items) for made in material.updates}
        ),
        critical=criticals(material, speech),
        questions=questions(material, speech),
        decisions=decisions(material),
        summaries=summaries,
        agents=_agents(material.tally),
        cost=_cost(material.tally.costs.total()),
        latency=_latency(material, summaries),
        timeline=tuple(sorted(_moments(material), key=lambda moment: moment.at_ms)),
    )


def _agents(tally: EventTally) -> tuple[AgentReport, ...]:
    spent = tally.costs.by_agent()
    return tuple(
        _agent(agent_id, own, spent.get(agent_id, Spent())) for agent_id, own in tally.agents.items()
    )


def _cost(spent: Spent) -> CostReport:
    return CostReport(
        calls=spent.calls,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        thinking_tokens=spent.thinking_tokens,
        time_ms=spent.time_ms,
    )


def _agent(agent_id: str, tally: AgentTally, spent: Spent) -> AgentReport:
    return AgentReport(
        agent_id=agent_id,
        name=spoken_name(agent_id),
        turns=max(tally.turns, 1 if tally.words else 0),
        words=tally.words,
        first_at_ms=tally.first_at_ms,
        last_at_ms=tally.last_at_ms,
        cost=_cost(spent),
    )


def _latency(material: Material, summaries: Sequence[SummaryReport]) -> Latency:
    items = [item for each in summaries for item in each.items]
    return Latency(
        summary=_figures(
            max(0.0, made.at_ms / 1000 - made.update.last_delta_at_s) for made in material.updates
        ),
        ear=_figures(item.lag_s for item in items),
        critical=_figures(item.lag_s for item in items if item.urgency == "critical"),
    )


def _figures(values: Iterable[float | None]) -> Figures:
    """Return percentiles by nearest rank: each is a value that occurred."""
    ranked = sorted(value for value in values if value is not None)

    def rank(share: float) -> float | None:
        return round(ranked[math.ceil(share * len(ranked)) - 1], 2) if ranked else None

    return Figures(count=len(ranked), p50_s=rank(0.5), p95_s=rank(0.95), max_s=rank(1.0))


def _moments(material: Material) -> Iterator[Moment]:
    record, tally = material.record, material.tally
    yield Moment(at_ms=record.created_at_ms, what="opened", text=record.title or record.case_id)
    for at_ms, what in (
        (tally.first_at_ms, "the agents begin"),
        (tally.error_at_ms, "the reasoning breaks off"),
        (tally.end_at_ms, "the agents finish"),
    ):
        if at_ms is not None:
            yield Moment(at_ms=at_ms, what=what, text="")
    for made in material.updates:
        text = made.update.summary.status_action
        yield Moment(at_ms=made.at_ms, what=f"summary {made.update.number}", text=text)
    for entry in material.entries:
        if entry.phase is Phase.SPOKEN:
            yield Moment(at_ms=entry.moved_at_ms, what="heard", text=entry.utterance.text)
        elif entry.phase is Phase.CUT:
            yield Moment(at_ms=entry.moved_at_ms, what="cut", text=entry.utterance.text)
    yield from (moment for each in material.commands if (moment := _asked(each)) is not None)
    if record.ended_at_ms is not None:
        yield Moment(at_ms=record.ended_at_ms, what=record.status.value.lower(), text="")


def _asked(logged: LoggedCommand) -> Moment | None:
    command = logged.command
    match command.kind:
        case "turn":
            text = str(command.args.get("text") or command.args.get("effect") or "")
            return Moment(at_ms=logged.at_ms, what="the clinician", text=text)
        case "listener":
            gone = "the listener is there" if command.args.get("here") else "the listener is gone"
            return Moment(at_ms=logged.at_ms, what=gone, text="")
        case kind if kind in _ASKED:
            return Moment(at_ms=logged.at_ms, what=_ASKED[kind], text="")
        case _:
            return None
