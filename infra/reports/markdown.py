"""Write a report as Markdown. What agents and clinician wrote is escaped: it is data, no markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from infra.reports.model import (
    CostReport,
    CriticalReport,
    DecisionReport,
    Figures,
    ItemReport,
    QuestionReport,
    Report,
    SummaryReport,
)

_MARKUP: Final = re.compile(r"([\\`*_\[\]|~<>&$#])")
_OPENS: Final = re.compile(r"^(\d{1,9})?([-+=.):])")  # at the head of a list item it would open a block
_LINK: Final = re.compile(r"(?<=[a-z])(://)|(?<=\bwww)(\.)", re.IGNORECASE)
_BLANKS: Final = re.compile(r"[\s\x00-\x1f\x7f\u2028\u2029]+")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_HTML: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_HEARD: Final = {
    "heard": "heard",
    "partly": "heard in part",
    "not_heard": "not heard",
    "page_only": "for the page only",
}
_LABELS: Final = {
    "status_action": "Status, action",
    "key_findings": "Key findings",
    "differential_rationale": "Differential, rationale",
    "uncertainty_confidence": "Uncertainty, confidence",
    "recommendation_next_step": "Recommendation, next step",
    "agent_contributions": "Agents",
}


def escape(text: str) -> str:
    """Return `text` as one line that shows as it is: no markup, no HTML, no control character.

    No link either, but for an e-mail address: some readers of Markdown link one wherever it stands.
    """
    line = _BLANKS.sub(" ", _CONTROLS.sub("", text)).strip()
    line = _MARKUP.sub(lambda found: _HTML.get(found[1], f"\\{found[1]}"), line)
    line = _LINK.sub(lambda found: f"\\{found[0]}", line)
    return _OPENS.sub(lambda found: f"{found[1] or ''}\\{found[2]}", line)


def to_markdown(report: Report) -> str:
    """Return the report as a Markdown document."""
    parts = (
        _head(report),
        _counts(report),
        _section("Critical findings", map(_critical, report.critical), "There was none."),
        _section("Questions", map(_question, report.questions), "None was asked."),
        _summaries(report.summaries),
        _agents(report),
        _latency(report),
        _decisions(report),
        _timeline(report),
    )
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _head(report: Report) -> Iterator[str]:
    yield f"# {escape(report.title or report.case_id)}"
    yield ""
    yield "Decision support and not a decision. Made by rules from what was stored, without a language model."
    yield ""
    again = f", opened again {report.reopened} times" if report.reopened else ""
    yield f"- Session {escape(report.session_id)}, case {escape(report.case_id)}"
    yield f"- {escape(report.status)}{again}; the reasoning: {escape(report.reasoning)}"
    yield f"- From {_utc(report.created_at_ms)}, {_minutes(report.duration_s)} long"
    yield f"- Listened to for {_minutes(report.listening_s)}"


def _counts(report: Report) -> Iterator[str]:
    counts = report.counts
    yield "## What became of what was to be said"
    yield ""
    named = ("heard", "superseded", "expired", "cut", "failed", "offered_again", "waiting", "unaccounted")
    terms = [f"{getattr(counts, name)} {name.replace('_', ' ')}" for name in named]
    yield f"{' + '.join(terms)} = {counts.total}"
    if counts.unaccounted_ids:
        yield ""
        yield f"Unaccounted: {', '.join(map(escape, counts.unaccounted_ids))}"


def _section(title: str, lines: Iterable[str], none: str) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    listed = list(lines)
    yield from listed or [none]


def _critical(found: CriticalReport) -> str:
    heard = f"heard at {_clock(found.heard_at_ms)}" if found.heard_at_ms else _HEARD[found.heard]
    note = f"acknowledged at {_clock(found.acknowledged_at_ms)}" if found.acknowledged_at_ms else ""
    times = f", told {found.times_told} times" if found.times_told > 1 else ""
    return f"- {escape(found.text)} — {heard}{times}; {note or '**not acknowledged**'}"


def _question(asked: QuestionReport) -> str:
    lines = [f"- {_clock(asked.at_ms)} {escape(asked.text) or '(no words)'}"]
    if asked.sentences:
        lines += [
            f"  - {escape(each.text)} ({escape(each.source) or 'source unknown'})" for each in asked.sentences
        ]
    elif asked.answer:
        lines.append(f"  - {escape(asked.answer)}")
    if asked.on_page:
        lines.append("  - On the page, not said:")
        lines += [f"    - {escape(each.text)} ({escape(each.source)})" for each in asked.on_page]
    if asked.open:
        lines.append(f"  - **Open**: {asked.why_open}.")
    return "\n".join(lines)


def _summaries(summaries: Sequence[SummaryReport]) -> Iterator[str]:
    yield "## Summaries"
    for each in summaries:
        yield ""
        yield f"### {each.number}. {_clock(each.made_at_ms)}, {_HEARD[each.heard]}"
        yield ""
        for name, text in each.fields.items():
            yield f"- {_LABELS.get(name, escape(name))}: {escape(text)}"
        for item in each.items:
            yield f"  - {_item(item)}"
    if not summaries:
        yield ""
        yield "None was made."


def _item(item: ItemReport) -> str:
    level = f"{escape(item.kind)}, {escape(item.urgency)}"
    why = f": {item.why}" if item.why else ""
    seconds = f", {item.listening_s:g} s" if item.listening_s else ""
    lag = f", {item.lag_s:g} s behind the agents" if item.lag_s is not None else ""
    return f"“{escape(item.text)}” ({level}) — {_HEARD[item.heard]}{seconds}{lag}{why}"


def _agents(report: Report) -> Iterator[str]:
    lines = [
        f"- {escape(each.name)}: {each.turns} turns, {each.words} words{_cost(each.cost)}"
        for each in report.agents
    ]
    if report.cost.calls:
        lines.append(f"- All together{_cost(report.cost)}")
    return _section("Agents", lines, "Their words are no longer kept." if report.summaries else "None spoke.")


def _cost(cost: CostReport) -> str:
    if not cost.calls:
        return ""
    told = {"in": cost.input_tokens, "out": cost.output_tokens, "of them thinking": cost.thinking_tokens}
    tokens = ", ".join(f"{count} {what}" for what, count in told.items() if count is not None)
    calls = "1 call of a model" if cost.calls == 1 else f"{cost.calls} calls of models"
    return f", {calls}; tokens: {tokens or 'not told'}"


def _latency(report: Report) -> Iterator[str]:
    yield "## How far behind the agents"
    yield ""
    yield "| from the agents' last word | measured | p50 | p95 | most |"
    yield "|---|---|---|---|---|"
    latency = report.latency
    rows = (("to the summary", latency.summary), ("to its end at the ear", latency.ear))
    for name, figures in (*rows, ("the same, critical findings", latency.critical)):
        yield f"| {name} | {figures.count} | {' | '.join(_cells(figures))} |"


def _cells(figures: Figures) -> Iterator[str]:
    for value in (figures.p50_s, figures.p95_s, figures.max_s):
        yield "–" if value is None else f"{value:.1f} s"


def _decisions(report: Report) -> Iterator[str]:
    lines = (
        f"- {_clock(each.at_ms)} {escape(each.text) or _wordless(each)} → {escape(each.effect)}"
        + (f" ({escape(each.why)})" if each.why else "")
        for each in report.decisions
    )
    return _section("What was made of the clinician's turns", lines, "There were none.")


def _wordless(turn: DecisionReport) -> str:
    """Words that were not said to the voice are not kept: docs/records.md."""
    heard = turn.via == "voice" and turn.why not in ("", "no_words")
    return "(words not kept)" if heard else "(no words)"


def _timeline(report: Report) -> Iterator[str]:
    lines = (
        f"- {_clock(each.at_ms)} {escape(each.what)}" + (f": {escape(each.text)}" if each.text else "")
        for each in report.timeline
    )
    return _section("Timeline", lines, "Nothing happened.")


def _utc(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _clock(at_ms: int | None) -> str:
    return "" if at_ms is None else f"{datetime.fromtimestamp(at_ms / 1000, UTC):%H:%M:%S}"


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
