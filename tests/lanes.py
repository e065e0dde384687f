"""How `make test` deals the test files to the processes that run side by side (pytest-xdist).

A file is a unit: what its fixtures make is made once. Long files without a stack are dealt first, while the
type checks run beside them; then those that listen to a stack, which take time and a good part of a core. At
most two stacks run at once: one that they share, by one file at a time, and one of those that a test starts
for itself, of which there is one chain.

With a third process (tests/background.py) stacks are dealt first, and to the two others alone: the third computes
what has none while those wait for speech, the long files first. It is dealt no file that plays in real time or starts
servers: what computes in the background is done late.
"""

from __future__ import annotations

import os
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.background import LAST_OF, steps_back

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController

ROOT: Final = Path(__file__).parent.parent
OWN_STACKS: Final = (
    "tests/e2e/faults/test_page_clips.py",
    "tests/e2e/faults/test_survival.py",
    "tests/e2e/test_cloud.py",
    "tests/launcher/test_up.py",
)
"""Files whose tests start a stack of their own; they run one after the other."""
CHAIN: Final = "stacks of their own"
HEARD: Final = "tests/e2e/heard/"
"""A folder that is one unit: its tests look at scenes that are played side by side."""
ALIKE: Final = {"tests/dialogue/test_grounding.py": "tests/dialogue/test_gold.py"}
"""Files that ask the same questions as another: they are of its unit, and find them answered."""
SHARED: Final = "tests/e2e/"
LISTENERS: Final = 1
"""Files at once that use the shared stack: with two, beside a stack of a test's own, two cores are not enough."""
LONG: Final = (
    "tests/e2e/test_talking.py",
    HEARD,
    "tests/ears/test_real.py",
    "tests/ears/test_flux_speech.py",
    "tests/app/test_process.py",
    "tests/realtime/test_successor.py",
    "tests/realtime/test_return.py",
    "tests/realtime/test_wrong_case.py",
    "tests/exaim_core/test_long_text.py",
    "tests/exaim_core/test_llm_wire.py",
    "tests/exaim_core/test_critical_matrix.py",
    "tests/exaim_core/test_bounded.py",
    "tests/tts_queue/test_ear_check.py",
    "tests/gold/test_readings.py",
    "tests/gold/test_discussions.py",
    "tests/mdagents/test_batch.py",
    "tests/tts_queue/test_engines.py",
    "tests/tts_queue/test_piper.py",
    "tests/dialogue/test_gold.py",
    "tests/api/test_tries.py",
    "tests/app/test_our_teams_killed.py",
    "tests/agents/teams/test_killed.py",
    "tests/app/test_teams.py",
)
"""Units that take ten seconds or more: those without a stack go first, and none is dealt last. What is heard side
by side comes second on the shared stack: on one that is warm, and while the other process waits for its own."""


def unit_of(nodeid: str) -> str:
    """Return the unit that a test is dealt with."""
    file = nodeid.partition("::")[0]
    if file in OWN_STACKS:
        return CHAIN
    return HEARD if file.startswith(HEARD) else ALIKE.get(file, file)


def is_shared(unit: str) -> bool:
    """Say whether the unit's tests listen to the shared stack."""
    return unit.startswith(SHARED)


def has_stack(unit: str) -> bool:
    """Say whether the unit's tests listen to a stack."""
    return unit == CHAIN or is_shared(unit)


@cache
def is_real(unit: str) -> bool:
    """Say whether a file has tests that are marked as real: servers, engines or sound, in real time."""
    try:
        return "mark.real" in (ROOT / unit).read_text(encoding="utf-8")
    except OSError:  # no file: several that are one unit
        return False


def order(nodeid: str) -> tuple[int, int]:
    """Return a key by which tests are sorted: in this order their units are dealt."""
    file, unit = nodeid.partition("::")[0], unit_of(nodeid)
    if unit == CHAIN:
        return 1, OWN_STACKS.index(file)
    place = LONG.index(unit) if unit in LONG else len(LONG)
    if is_shared(unit):
        return 2, place
    return 0 if unit in LONG else 3, place


UNTIL_S: Final = float(os.environ.get("EXAIM_TESTS_UNTIL", "inf"))
"""When `make check` begins no test any more, in seconds since 1970."""
LEFT_OUT: Final = pytest.StashKey[set[str]]()
"""Units that there was no time for."""


def _may_be_late(unit: str) -> bool:
    return not (has_stack(unit) or is_real(unit))


class Lanes(LoadScopeScheduling):  # type: ignore[misc]  # xdist says nothing of its types
    """Deals units in the order of their tests, but no third file to the shared stack while others wait.

    Once the time is over it deals no more.
    """

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        super().__init__(config, log)
        self.left_out = config.stash.setdefault(LEFT_OUT, set())

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        unit = self._next_for(node)
        if unit is None and self._steps_back(node):
            node.shutdown()  # all that is left listens to a stack, from the first deal on
            return
        if unit is not None:
            self.workqueue.move_to_end(unit, last=False)
        super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        if time.time() > UNTIL_S:
            self.left_out.update(self.workqueue)
            self.workqueue.clear()
        if self._steps_back(node) and not self._is_of_use(node):
            node.shutdown()
        super()._reschedule(node)

    def _next_for(self, node: WorkerController) -> str | None:
        """Return what a process does next; None: what is first, and nothing for the one in the background."""
        quiet = (unit for unit in self.workqueue if not has_stack(unit))
        if self._steps_back(node):
            return next(filter(_may_be_late, self.workqueue), None)
        listening = self._listening_beside(node) >= LISTENERS
        if self.numnodes >= LAST_OF:
            stacks = (unit for unit in self.workqueue if has_stack(unit))
            found = next((unit for unit in stacks if not (listening and is_shared(unit))), None)
            return next(quiet, None) if found is None else found
        if listening:
            return next((unit for unit in self.workqueue if not is_shared(unit)), None)
        return None

    def _steps_back(self, node: WorkerController) -> bool:
        return steps_back(node.gateway.id, self.numnodes)

    def _is_of_use(self, node: WorkerController) -> bool:
        """Say whether the one in the background should go on: while others wait for speech, and something is left."""
        others = (units for other, units in self.assigned_work.items() if other is not node)
        speech = any(
            has_stack(unit) and not all(done.values()) for units in others for unit, done in units.items()
        )
        return (speech or any(map(has_stack, self.workqueue))) and any(map(_may_be_late, self.workqueue))

    def _listening_beside(self, node: WorkerController) -> int:
        """Return how many other processes have a test of the shared stack before them."""
        return sum(
            any(is_shared(unit) and not all(done.values()) for unit, done in units.items())
            for other, units in self.assigned_work.items()
            if other is not node
        )


def deal_in_order(items: list[pytest.Item]) -> None:
    """Sort the tests of a process that runs beside others; each of them has to do so alike."""
    items.sort(key=lambda item: order(item.nodeid))
