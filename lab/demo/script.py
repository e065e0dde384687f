"""What was heard and said, in order, as lines of a play and as captions. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from lab.demo.acts import WORDS
from lab.demo.checks import verdict
from lab.demo.facts import Facts
from lab.demo.judging import Judged
from lab.demo.reasons import REASONS
from lab.demo.runs import RATE_HZ, Run
from lab.demo.vtt import Cue
from realtime.interruption import Why

VOICE: Final = "EXAIM"
CLINICIAN: Final = "Clinician"
NOBODY: Final = ""  # who tells what happens
BROKEN_OFF: Final = " –"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the play: at, by whom (`NOBODY`: it happens), and what; `kind` is of the utterance."""

    t_s: float
    who: str
    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class _Heard:
    """A run as it came to an ear."""

    run: Run
    start_s: float
    end_s: float
    text: str
    broken: bool


def captions(facts: Facts, judged: Judged) -> list[Cue]:
    """Return a cue for each clause that was heard, or part of one, and for each turn of the clinician."""
    ours = [Cue(each.start_s, each.end_s, VOICE, each.text) for each in _heard(facts, judged)]
    theirs = [
        Cue(facts.t(said.first_s), facts.t(said.last_s), CLINICIAN, WORDS[said.sound])
        for outcome in facts.parts[0].outcomes
        for said in outcome.said
    ]
    return sorted([*ours, *theirs], key=lambda cue: cue.start_s)


def play(facts: Facts, judged: Judged) -> list[Line]:
    """Return what happened: clauses of one utterance are one line, until it is broken off."""
    lines = [*_ours(facts, _heard(facts, judged)), *_theirs(facts)]
    lines.append(Line(facts.t(facts.gap.killed_s), NOBODY, "The clinician's client is killed (SIGKILL)."))
    lines.append(
        Line(facts.t(facts.gap.back_s), NOBODY, "A second client begins to join, with a fresh token.")
    )
    return sorted(lines, key=lambda line: line.t_s)


def _ours(facts: Facts, heard: Iterable[_Heard]) -> list[Line]:
    told = facts.utterances()
    lines: list[Line] = []
    open_uid, going = "", set[str]()
    for each in heard:
        uid = each.run.utterance_id
        if uid == open_uid and lines:
            last = lines[-1]
            lines[-1] = Line(last.t_s, last.who, f"{last.text} {each.text}", last.kind)
        else:
            text = f"… {each.text}" if uid in going else each.text
            lines.append(Line(each.start_s, VOICE, text, told.get(uid, {}).get("kind", "")))
        going.add(uid)
        open_uid = "" if each.broken else uid
    return lines


def _theirs(facts: Facts) -> list[Line]:
    lines = []
    for outcome in facts.parts[0].outcomes:
        for said in outcome.said:
            text = f"{WORDS[said.sound]}  ({_taken(facts, said.first_s)})"
            lines.append(Line(facts.t(said.first_s), CLINICIAN, text))
    return lines


def _taken(facts: Facts, since_s: float) -> str:
    turn = verdict(facts, since_s)
    if not turn:
        return "no verdict came"
    why = REASONS[Why(turn["why"])] if turn["why"] else turn["effect"]
    return f"heard as “{turn['text']}”. {why}"


def _heard(facts: Facts, judged: Judged) -> list[_Heard]:
    """Return what of each run came to an ear, in order: the killed client heard its last run in part."""
    found = []
    for run in judged.in_order():
        place = judged.ear.place(run.start_sample)
        if place is None:
            continue
        part, at = place
        until = min(run.until, judged.ear.last_heard(part))
        words = [word for word in run.words if word.start_sample < until]
        if not words:
            continue
        broken = not run.whole or until < run.until
        text = " ".join(word.text for word in words) + (BROKEN_OFF if broken else "")
        start_s = facts.t(facts.parts[part].time_of(at))
        end_s = start_s + (until - run.start_sample) / RATE_HZ
        found.append(_Heard(run, start_s, end_s, text, broken))
    return found
