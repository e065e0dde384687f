"""The budget and the queue together: who may speak when, on virtual time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from realtime.speech.budget import Budget
from tests.realtime.making import utterance
from tests.tts_queue.scenes import playing
from tts_queue import Pacing, Priority, Utterance


@dataclass
class PausesBeforeAll:
    """A pacing that asks for a pause after any sound, before whatever comes next."""

    quiet_since_s: float = 0.0

    def not_before(self, utterance: Utterance, now_s: float) -> float:
        return max(now_s, self.quiet_since_s + 0.3)

    def spoke(self, utterance: Utterance, started_s: float, ended_s: float) -> None:
        self.quiet_since_s = ended_s


@pytest.mark.parametrize("pacing", [Budget(), PausesBeforeAll()], ids=["budget", "pauses before all"])
def test_a_critical_finding_breaks_in_once(virtual: asyncio.Runner, pacing: Pacing) -> None:
    async def scene() -> None:
        async with playing(pacing=pacing) as s:
            s.queue.offer(utterance("long", text="One two three four five six seven eight nine ten."))
            await asyncio.sleep(1.5)
            s.queue.offer(utterance("critical", text="Potassium 6.9 now.", priority=Priority.CRITICAL))
            await s.queue.idle()
        assert s.phases("long") == ["queued", "speaking", "held", "speaking", "spoken"]
        assert s.phases("critical") == ["queued", "speaking", "spoken"]

    virtual.run(scene())
