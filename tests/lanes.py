"""How `make test` deals the test files to the processes that run side by side (pytest-xdist).

A file is a unit: what its fixtures make is made once. Long files without a stack are dealt first, while the
type checks run beside them; then those that listen to a stack, which take most of the time, and mostly wait.
Only the first two processes get such files: those whose tests start stacks of their own are one chain, and the
others share one stack. The other processes do the rest meanwhile, at a lower priority, so that what listens is
not made to wait for what computes.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

import pytest
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController

OWN_STACKS: Final = (
    "tests/e2e/test_survival.py",
    "tests/e2e/test_page_clips.py",
    "tests/e2e/test_cloud_voice.py",
    "tests/e2e/test_cloud_ears.py",
    "tests/launcher/test_up.py",
    "tests/launcher/test_odd_settings.py",
)
"""Files whose tests start a stack of their own; they run one after the other."""
CHAIN: Final = "stacks of their own"
SHARED: Final = "tests/e2e/"
LISTENERS: Final = 2
"""The first so many processes run the tests with a stack: with three of them two cores are not enough."""
STEPS_BACK: Final = 19
"""Niceness of the processes beyond those: they get what the others leave."""
LONG: Final = (
    "tests/e2e/test_talking.py",
    "tests/ears/test_real.py",
    "tests/ears/test_flux_speech.py",
    "tests/app/test_process.py",
    "tests/realtime/test_successor.py",
    "tests/realtime/test_crowd.py",
    "tests/exaim_core/test_long_text.py",
    "tests/exaim_core/test_llm_wire.py",
    "tests/mdagents/test_batch.py",
    "tests/agents/teams/test_killed.py",
    "tests/app/test_teams.py",
)
"""Files that take ten seconds or more: those without a stack go first, and none is dealt last."""


def unit_of(nodeid: str) -> str:
    """Return the unit that a test is dealt with."""
    file = nodeid.partition("::")[0]
    return CHAIN if file in OWN_STACKS else file


def has_stack(unit: str) -> bool:
    """Say whether the unit's tests listen to a stack, their own or the shared one."""
    return unit == CHAIN or unit.startswith(SHARED)


def order(nodeid: str) -> tuple[int, int]:
    """Return a key by which tests are sorted: in this order their units are dealt."""
    file = nodeid.partition("::")[0]
    if file in OWN_STACKS:
        return 1, OWN_STACKS.index(file)
    place = LONG.index(file) if file in LONG else len(LONG)
    if has_stack(file):
        return 2, place
    return 0 if file in LONG else 3, place


UNTIL_S: Final = float(os.environ.get("EXAIM_TESTS_UNTIL", "inf"))
"""When `make check` begins no test any more, in seconds since 1970."""
LEFT_OUT: Final = pytest.StashKey[set[str]]()
"""Units that there was no time for."""


class Lanes(LoadScopeScheduling):  # type: ignore[misc]  # xdist says nothing of its types
    """Deals units in the order of their tests, those with a stack to the first processes only.

    A process for which nothing is left is done. Once the time is over it deals no more.
    """

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        super().__init__(config, log)
        self.left_out = config.stash.setdefault(LEFT_OUT, set())

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        if priority_of(node.gateway.id) > 0:
            without = next((unit for unit in self.workqueue if not has_stack(unit)), None)
            if without is None:
                node.shutdown()
                return
            self.workqueue.move_to_end(without, last=False)
        super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        if time.time() > UNTIL_S:
            self.left_out.update(self.workqueue)
            self.workqueue.clear()
        super()._reschedule(node)


def priority_of(worker: str) -> int:
    """Return the niceness of pytest-xdist's process `worker`, such as "gw2"."""
    return STEPS_BACK if int(worker.removeprefix("gw")) >= LISTENERS else 0


def deal_in_order(items: list[pytest.Item]) -> None:
    """Sort the tests of a process that runs beside others; each of them has to do so alike."""
    items.sort(key=lambda item: order(item.nodeid))
