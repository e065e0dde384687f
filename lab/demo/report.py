"""The demo's report: as values for programs, and as a page for people. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any, Final

import numpy as np

from lab.demo.account import Account
from lab.demo.checks import Check
from lab.demo.facts import Facts
from lab.demo.hearing import RATE_HZ
from lab.demo.judging import Judged, Place
from lab.demo.script import CLINICIAN, NOBODY, Line

_ENDS: Final = {
    "heard": "heard in whole",
    "superseded": "superseded by a newer one before they were begun",
    "expired": "grew too old before their turn came",
    "cancelled": "gave way to the closing",
    "skipped": "skipped by the clinician",
    "cut": "cut, and not offered again",
    "failed": "failed",
}
_MEASURED: Final = {
    "went_on_after_s": "went on {:.2f} s after the last sound",
    "answered_after_s": "first sound of the answer {:.2f} s after the end of the question",
    "silent_after_s": "silent {:.2f} s after the first sound of “stop”",
    "held_after_s": "held {:.2f} s after the kill",
    "first_word_after_s": "first sound {:.2f} s after the return",
}


def report(
    facts: Facts, judged: Judged, account: Account, checks: Sequence[Check], lags_s: Sequence[float]
) -> dict[str, Any]:
    """Return the report as JSON values; times are seconds of heard.wav."""
    scores = [place.found.score for place in judged.places]
    gap = facts.gap
    return {
        "passed": all(check.passed for check in checks),
        "case_id": facts.case_id,
        "length_s": round(facts.t(facts.parts[1].ended_s), 1),
        "checks": {check.name: check.passed for check in checks},
        "found": {check.name: {"what": check.found, **check.seconds} for check in checks},
        "acts": [
            {
                "act": outcome.act,
                "done": outcome.done,
                "why": outcome.why,
                "said": [{"sound": s.sound, "t_s": round(facts.t(s.first_s), 2)} for s in outcome.said],
            }
            for outcome in facts.parts[0].outcomes
        ],
        "absence": {
            "killed_t_s": round(facts.t(gap.killed_s), 2),
            "back_t_s": round(facts.t(gap.back_s), 2),
            "utterance": gap.cut,
            "clause": gap.clause + 1,
        },
        "segments": {
            "spoken": len(judged.places),
            "heard": sum(place.heard for place in judged.places),
            "correlation_lowest": round(min(scores, default=0.0), 3),
            "not_heard": [_missed(place) for place in judged.places if not place.heard],
        },
        "word_error_rate": dict(
            zip(("sent", "heard"), (round(rate, 4) for rate in judged.word_error_rate), strict=True)
        ),
        "account": asdict(account),
        "not_read": _not_read(facts),
        "answers": answers(facts),
        "lag_s": spread(lags_s),
    }


def _missed(place: Place) -> dict[str, Any]:
    """Return what to look for in the recordings."""
    return {
        "utterance": place.stretch.utterance_id,
        "clause": place.stretch.index + 1,
        "sent_s": round(place.stretch.start_sample / RATE_HZ, 2),
        "heard_s": None if place.part is None else round(place.found.start_sample / RATE_HZ, 2),
        "pieces": [round(score, 3) for score in place.found.pieces],
    }


def answers(facts: Facts) -> list[dict[str, Any]]:
    """Return the questions and what was answered, with sources."""
    by_turn = {
        body["turn_id"]: body for part in facts.parts for body in part.snapshots_too("answer", "answers")
    }
    return list(by_turn.values())


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return number, least, median and 95th percentile of seconds; nothing of nothing."""
    if not values:
        return {}
    low, middle, high = np.percentile(values, [0, 50, 95])
    return {"n": len(values)} | {
        name: round(float(value), 2) for name, value in (("min", low), ("p50", middle), ("p95", high))
    }


def _not_read(facts: Facts) -> list[dict[str, str]]:
    return [
        {"text": entry.utterance.text, "end": entry.phase.value, "why": entry.reason or ""}
        for entry in facts.told.entries
        if entry.utterance.update_id and entry.phase.value != "spoken"
    ]


def summary(found: dict[str, Any]) -> list[str]:
    """Return the report in a few lines for a terminal."""
    lines = [
        f"{'ok  ' if passed else 'FAIL'}  {name}: {_what(found['found'][name])}"
        for name, passed in found["checks"].items()
    ]
    account = found["account"]
    return [
        *lines,
        f"{account['updates']} summaries, {account['items']} items: {_ends(account['ends'])}",
        f"lag (last cited word to the end of the speech): {found['lag_s']}",
    ]


def markdown(found: dict[str, Any], lines: Sequence[Line]) -> str:
    """Return the report for people."""
    blocks = [
        f"# What the demo heard: {found['case_id']}",
        _opening(found),
        "## Checks\n\n| | check | found |\n|---|---|---|\n"
        + "\n".join(
            f"| {'ok' if passed else '**FAILED**'} | {name} | {_cell(_what(found['found'][name]))} |"
            for name, passed in found["checks"].items()
        )
        + "\n\nThe recogniser misreads most drugs, in what was sent too: its rates are to be compared.",
        "## Minute by minute\n\nTimes are those of `heard.wav`. “–”: speech was broken off; “…”: it goes on.",
        *_minutes(lines),
        "## Questions and answers\n\n" + ("\n".join(map(_answer, found["answers"])) or "None."),
        "## What became of everything that the agents had to say\n\n" + _account(found),
        "## How late\n\n" + _lag(found["lag_s"]),
    ]
    return "\n\n".join(blocks) + "\n"


def _opening(found: dict[str, Any]) -> str:
    failed = [f"* {name}" for name, passed in found["checks"].items() if not passed]
    gone = found["absence"]
    away_s = gone["back_t_s"] - gone["killed_t_s"]
    result = "**Every check passed.**" if not failed else "**These checks failed:**\n\n" + "\n".join(failed)
    return (
        "A clinician's client joins a case, hums, asks a question by voice, says “stop” and “go on”, is "
        f"killed inside a summary, stays away for {away_s:.0f} s, comes back and hears the rest: "
        f"{_clock(found['length_s'])} in all. `heard.wav` is what reached it, `clinician.wav` what it said "
        "(on the same clock), `sent/` what the voice sent, `captions.vtt` the words of both, "
        f"`timeline.json` every message.\n\n{result}"
    )


def _minutes(lines: Sequence[Line]) -> list[str]:
    blocks = []
    for minute, group in groupby(lines, key=lambda line: int(line.t_s // 60)):
        told = "\n".join(_told(line) for line in group)
        blocks.append(f"### Minute {minute + 1}\n\n{told}")
    return blocks


def _told(line: Line) -> str:
    match line.who:
        case who if who == NOBODY:
            return f"* {_clock(line.t_s)} *{line.text}*"
        case who if who == CLINICIAN:
            return f"* {_clock(line.t_s)} **{who}:** {line.text}"
        case who:
            return f"* {_clock(line.t_s)} {who}: {line.text}"


def _answer(body: dict[str, Any]) -> str:
    sentences = "\n".join(f"    * “{s['text']}” ({s['source']})" for s in body["sentences"])
    return f"* “{body['question']}”\n{sentences}"


def _account(found: dict[str, Any]) -> str:
    account, not_read = found["account"], found["not_read"]
    unaccounted = ", ".join(account["unaccounted"]) or "none"
    text = (
        f"{account['updates']} summaries were made; {account['updates_heard']} of them were heard at least in "
        f"part, {account['page_only']} had nothing to be read aloud. Of their {account['items']} items: "
        f"{_ends(account['ends'])}. Cut and offered again: {account['offered_again']} under a new name; one was "
        f"held for the absence and gone on with. Unaccounted: {unaccounted}."
    )
    if not not_read:
        return text
    rows = "\n".join(f"| {_cell(each['text'])} | {each['end']} | {each['why']} |" for each in not_read)
    return f"{text}\n\nNot read aloud; the page shows them:\n\n| item | became | why |\n|---|---|---|\n{rows}"


def _lag(lag: dict[str, float]) -> str:
    if not lag:
        return "Nothing was heard."
    return (
        "From the last word of the agents that an item cites to the end of its speech: "
        f"median {lag['p50']:g} s, 95th percentile {lag['p95']:g} s, least {lag['min']:g} s, over {lag['n']} "
        "items. The absence is in it."
    )


def _ends(ends: dict[str, int]) -> str:
    return ", ".join(f"{count} {_ENDS[end]}" for end, count in ends.items()) or "none"


def _what(found: dict[str, Any]) -> str:
    seconds = [_MEASURED[name].format(value) for name, value in found.items() if name != "what"]
    return "; ".join([found["what"], *seconds])


def _clock(t_s: float) -> str:
    return f"{int(t_s // 60)}:{int(t_s % 60):02d}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
