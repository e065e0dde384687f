"""List a debate among a team's steps: messages counted by pair, the hierarchy by spoken names.

Nothing here is told aloud: it is for the page's list, and for its table of who wrote to whom.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from agents.stream import DecisionKind, Progress, ProgressKind, StreamEvent
from exaim_core import spoken_name
from realtime.protocol import StepBody
from realtime.team.steps import step_body

KEPT_STEPS: Final = 160  # 7 experts in 5 rounds: 42 pairs, 42 views, 35 changes, and some 20 stages
STEPS_BYTES: Final = 32 * 1024  # of a snapshot's 60 KiB; the same debate has 29, one of 3 experts 7
IN_FULL: Final = 30  # the newest of a snapshot's steps; older ones go without the team's own words
MOST_PAIRS: Final = 1_000
HIERARCHY_CHARS: Final = 600
_ALWAYS_IN_FULL: Final = frozenset({ProgressKind.RECRUITED.value, *(kind.value for kind in DecisionKind)})


class StepList:
    """Makes the page's steps of a team's events. All messages of one agent to another are one step."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str], tuple[str, int]] = {}  # to the step's id, and how many there were

    def step(self, event: StreamEvent) -> StepBody | None:
        """Return the step of `event` for the page's list, or None. Each event is given once, in order."""
        body, told = step_body(event), event.progress
        if body is None or told is None:
            return body
        if told.kind is ProgressKind.MESSAGE and len(told.agents) > 1:
            return self._counted(body, (told.agents[0], told.agents[1]))
        if told.kind is ProgressKind.RECRUITED:
            return body.model_copy(update={"detail": _hierarchy(told)[:HIERARCHY_CHARS]})
        return body

    def _counted(self, body: StepBody, pair: tuple[str, str]) -> StepBody:
        step_id, before = self._pairs.get(pair, (body.step_id, 0))
        self._pairs[pair] = (step_id, before + 1)
        if (
            len(self._pairs) > MOST_PAIRS
        ):  # its next message opens a step of its own, and the page adds the two
            self._pairs.pop(next(iter(self._pairs)))
        return body.model_copy(update={"step_id": step_id, "count": before + 1})


def _hierarchy(told: Progress) -> str:
    """Return what is written of the recruited, with names as they are spoken; prose stays as it is.

    "nephrologist > pharmacist; surgeon" is a hierarchy: every name in it is one of the recruited. A team's title may
    go before it: "Review Team: nephrologist > pharmacist".
    """
    title, colon, rest = told.text.rpartition(": ")
    paths = [[name.strip() for name in path.split(">")] for path in rest.split(";")]
    if {name for path in paths for name in path} != set(told.agents):
        return told.text
    return title + colon + "; ".join(" > ".join(map(spoken_name, path)) for path in paths)


def keep(steps: dict[str, StepBody], step: StepBody) -> None:
    """Put `step` behind `steps`, in the place of the former of its id; the oldest beyond the bound go."""
    steps.pop(step.step_id, None)
    steps[step.step_id] = step
    while len(steps) > KEPT_STEPS:
        steps.pop(_first_to_go(steps))


def fitting(steps: Iterable[StepBody]) -> tuple[StepBody, ...]:
    """Return what a snapshot holds of `steps`, within `STEPS_BYTES`.

    Old messages and stages go without the team's own words, which stand among the agents' words. Then the oldest
    go; who was recruited goes last.
    """
    whole = list(steps)
    older, newest = whole[:-IN_FULL], whole[-IN_FULL:]
    left = {step.step_id: step for step in [*map(_shortened, older), *newest]}
    sizes = {key: len(step.model_dump_json().encode()) + 1 for key, step in left.items()}
    total = sum(sizes.values())
    while total > STEPS_BYTES:
        gone = _first_to_go(left)
        total -= sizes[gone]
        left.pop(gone)
    return tuple(left.values())


def _shortened(step: StepBody) -> StepBody:
    return step if step.kind in _ALWAYS_IN_FULL else step.model_copy(update={"detail": ""})


def _first_to_go(steps: Mapping[str, StepBody]) -> str:
    oldest = next(iter(steps))
    return next((key for key, step in steps.items() if step.kind != ProgressKind.RECRUITED), oldest)
