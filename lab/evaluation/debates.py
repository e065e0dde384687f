"""What of a debate's events is heard, by kind: the scripted debates of MDAgents, played to their end.

The session, queue and engine are the real ones on virtual time (`lab.bench.playing`); the voice lasts as long as
the default one would. The team is live: the greeting goes before its first word. `python -m lab.evaluation.debates`
prints a table; `--said` what was said, and when; the other teams' scripts are played by `heard`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

from agents.shares import Share
from agents.stream import Decision, DecisionKind, EventSink, StreamEvent, TeamEvent
from agents.teams.cdss import CdssTeam
from agents.teams.doctors import DoctorsTeam
from agents.teams.mdagents.debates import TEAM, Debate
from agents.teams.mdagents.settings import VOICE
from agents.teams.mdagents.team import MDAgentsTeam
from agents.teams.port import Case, NoInbox
from agents.teams.script_files import Script
from agents.teams.scripted import ScriptedModels, read_script, script_names
from exaim_core import CasePaper
from lab.bench.playing import SESSION, TO_EAR_S, Played, Reasoning, play_from
from lab.debates import NO_STAGE
from lab.evaluation.aloud import CHAR_S, CLAUSE_S, EvenVoice
from tts_queue import SAMPLE_RATE_HZ, Phase

LASTS_S: Final = 900.0
IN_SPEECH_S: Final = 6.0  # the aim: what a clinician must hear takes no more speech than this
# Who was recruited may be passed by what presses for a minute, and is old then (low-sodium: a caution of phenytoin).
MUST: Final = {"recruited": 0.85, "round": 0.9, "changed": 1.0, "final": 1.0, "minority": 1.0}
"""What a clinician must hear of a debate (docs/decisions/057), and of which share; the next round may overtake one."""
_CLOSES: Final = re.compile(r"(?:Decision|Finished)\b")
_WORD: Final = re.compile(r"[a-z]{4,}")


@dataclass(slots=True)
class Heard:
    """A debate's events, and what was said, with how long each took to say."""

    name: str
    events: list[StreamEvent] = field(default_factory=list)
    said: dict[str, tuple[str, float, float]] = field(
        default_factory=dict
    )  # by id: words, from, for how long

    @property
    def first_s(self) -> float:
        """When the first word of the reasoning or of its stage was heard, since it began."""
        return min((at_s for text, at_s, _ in self.said.values() if text), default=float("inf"))


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of event: how many there were and were told, and the longest that one took to say."""

    kind: str
    share: Share
    longest_s: float


def heard(name: str, team: str = TEAM) -> Heard:
    """Play a team's script. Raises: ScriptRefused, TimeoutError."""
    script, found = read_script(name, team), Heard(name)
    case = script.as_case()

    async def reason(sink: EventSink) -> None:
        async with aclosing(_run(team, case, script)) as events:
            async for each in events:
                told = StreamEvent(**dict(each), thread_id=SESSION, trace_id=case.case_id, session_id=SESSION)
                found.events.append(told)
                await sink.append([told])

    paper = CasePaper.model_validate(case.paper)
    source = Reasoning(case.case_id, (), LASTS_S, reason, live=True)
    found.said = _said(play_from(source, case.title, paper, EvenVoice()))
    return found


def _run(team: str, case: Case, script: Script) -> AsyncGenerator[TeamEvent, None]:
    """Return the events of a scripted run."""
    if team == TEAM:
        return MDAgentsTeam(VOICE).run(case, Debate(script), NoInbox())
    graph = CdssTeam() if team == "cdss" else DoctorsTeam()
    return graph.run(case, ScriptedModels(script, team), NoInbox())


def table(debates: Sequence[Heard]) -> list[Row]:
    """Return what was told of all debates, by kind of event."""
    hits: dict[str, list[float | None]] = {}
    for each in debates:
        for kind, seconds in _outcomes(each):
            hits.setdefault(kind, []).append(seconds)
    return [
        Row(
            kind,
            Share(sum(one is not None for one in found), len(found)),
            max((one for one in found if one is not None), default=0.0),
        )
        for kind, found in sorted(hits.items())
    ]


def missed_of(rows: Sequence[Row]) -> list[str]:
    """Return the kinds that must be heard and were not, or took too long; one without an event was not heard."""
    by_kind = {row.kind: row for row in rows}
    return [
        kind
        for kind, least in MUST.items()
        if (row := by_kind.get(kind)) is None or row.share.value < least or row.longest_s > IN_SPEECH_S
    ]


def _outcomes(debate: Heard) -> list[tuple[str, float | None]]:
    """Return each event's kind, and how long it took to say; None: it was not told."""
    found: list[tuple[str, float | None]] = []
    for event in debate.events:
        if event.progress is not None:
            step = debate.said.get(f"{SESSION}.step.{event.seq}")
            found.append((event.progress.kind.value, None if step is None else step[2]))
        elif event.decision is not None and event.decision.kind is DecisionKind.FINAL:
            found.append(("final", _spoken(debate, event.decision, closing=True)))
        elif event.decision is not None and event.agent_id is not None:
            found.append(("leading", _spoken(debate, event.decision)))
    return found


def _spoken(debate: Heard, decision: Decision, *, closing: bool = False) -> float | None:
    """Return how long the first text takes that says all words of a decision; None if none does.

    Of the closing that is "Finished. …, all agree.": what is not acknowledged and not read comes after it.
    """
    wanted = set(_WORD.findall(decision.text.casefold()))
    for text, _, _ in debate.said.values():
        told = " ".join(re.split(r"(?<=[.]) ", text)[:2]) if text.startswith("Finished") else text
        if wanted <= set(_WORD.findall(told.casefold())) and (
            not closing or told != text or _CLOSES.match(told)
        ):
            return _lasts_s(told)
    return None


def _lasts_s(text: str) -> float:
    return CLAUSE_S + CHAR_S * len(text)


def _said(played: Played) -> dict[str, tuple[str, float, float]]:
    found = {}
    for each in played.utterances:
        move = played.last.get(each.utterance_id)
        if move is None or move.phase_to is not Phase.SPOKEN or each.kind in NO_STAGE:
            continue
        assert move.start_sample is not None  # it sounded
        begun_s = move.start_sample / SAMPLE_RATE_HZ + TO_EAR_S - played.began_s
        found[each.utterance_id] = (each.text, begun_s, _lasts_s(each.text))
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table. Exit code 1: what must be heard was not, or took too long."""
    parser = argparse.ArgumentParser(prog="python -m lab.evaluation.debates")
    parser.add_argument("--said", action="store_true", help="what was said, and when")
    options = parser.parse_args(argv)
    debates = [heard(name) for name in script_names(TEAM)]
    for each in debates:
        sys.stdout.write(f"== {each.name}: {len(each.events)} events, first word at {each.first_s:.1f} s\n")
        for text, at_s, seconds in each.said.values() if options.said else ():
            sys.stdout.write(f"{at_s:6.1f} {seconds:5.1f} {text}\n")
    rows = table(debates)
    for row in rows:
        sys.stdout.write(f"{row.kind:12} {row.share}; longest {row.longest_s:.1f} s\n")
    if missed := missed_of(rows):
        sys.stdout.write(f"not all told in {IN_SPEECH_S:g} s: {', '.join(missed)}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
