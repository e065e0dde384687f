"""How `make test` deals the test files to the processes that run side by side (pytest-xdist).

A file is a unit: what its fixtures make is made once. The first two processes take the files that listen to a
stack, which mostly wait for speech: the files whose tests start stacks of their own are one chain, the others
share a stack. So there are two stacks at most, and two files that listen. Meanwhile a third process takes what
can wait, and steps back behind the others: it gets what they leave, and no voice waits for it
(docs/decisions/070-who-steps-back.md). Once no file with a stack is left, all take what there is.
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
)
"""Files whose tests start a stack of their own; they run one after the other."""
CHAIN: Final = "stacks of their own"
SHARED: Final = "tests/e2e/"
LISTENERS: Final = 2
"""Processes that listen to stacks; those beyond them step back."""
STEPS_BACK: Final = 19
"""How far, as a niceness: as far as it goes."""
PROMPT: Final = (
    "tests/agents/teams/",
    "tests/api/",
    "tests/app/test_microphone.py",
    "tests/app/test_our_teams_killed.py",
    "tests/app/test_process.py",
    "tests/launcher/",
    "tests/relay/",
)
"""Without a stack, but sound runs in real time, or a process has to answer soon: not for who steps back."""
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
"""Files that take ten seconds or more: none is dealt last."""


def unit_of(nodeid: str) -> str:
    """Return the unit that a test is dealt with."""
    file = nodeid.partition("::")[0]
    return CHAIN if file in OWN_STACKS else file


def is_shared(unit: str) -> bool:
    """Say whether the unit's tests listen to the shared stack."""
    return unit.startswith(SHARED)


def is_prompt(unit: str) -> bool:
    """Say whether the unit's tests must not be made to wait long."""
    return unit == CHAIN or unit.startswith((SHARED, *PROMPT))


def order(nodeid: str) -> tuple[int, int]:
    """Return a key by which tests are sorted: in this order their units are dealt."""
    file = nodeid.partition("::")[0]
    if file in OWN_STACKS:
        return 0, OWN_STACKS.index(file)
    place = LONG.index(file) if file in LONG else len(LONG)
    if is_shared(file):
        return 1, place
    return 2, place + (len(LONG) if is_prompt(file) else 0)


UNTIL_S: Final = float(os.environ.get("EXAIM_TESTS_UNTIL", "inf"))
"""When `make check` begins no test any more, in seconds since 1970."""
LEFT_OUT: Final = pytest.StashKey[set[str]]()
"""Units that there was no time for."""


class Lanes(LoadScopeScheduling):  # type: ignore[misc]  # xdist says nothing of its types
    """Deals units in the order of their tests; to who steps back only those that can wait.

    It is done when none of these is left. Once the time is over nothing is dealt any more.
    """

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        super().__init__(config, log)
        self.left_out = config.stash.setdefault(LEFT_OUT, set())

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        if steps_back(node.gateway.id):
            can_wait = next((unit for unit in self.workqueue if not is_prompt(unit)), None)
            if can_wait is None:
                node.shutdown()
                return
            self.workqueue.move_to_end(can_wait, last=False)
        super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        if time.time() > UNTIL_S:
            self.left_out.update(self.workqueue)
            self.workqueue.clear()
        super()._reschedule(node)


def steps_back(worker: str) -> bool:
    """Say whether pytest-xdist's process `worker`, such as "gw2", steps back behind those that listen."""
    return int(worker.removeprefix("gw")) >= LISTENERS


def deal_in_order(items: list[pytest.Item]) -> None:
    """Sort the tests of a process that runs beside others; each of them has to do so alike."""
    items.sort(key=lambda item: order(item.nodeid))
