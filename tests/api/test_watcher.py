from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field, replace

import pytest

from infra.errors import StoreUnavailable
from infra.sfu_port import RoomGone, SfuUnavailable
from infra.sfu_testing import Expect, ScriptedSfu
from infra.watcher import LiveSession, Sighting, Step, Watch, Watcher, WatchLimits, look

LIMITS = WatchLimits()
ONE = LiveSession(session_id="s-one", thread_id="s-one", room="case-s-one")
ABSENT, PRESENT = Expect("agent_present", answer=False), Expect("agent_present", answer=True)
NO_ROOM = Expect("agent_present", fails=RoomGone(ONE.room))
DISPATCH = Expect("dispatch", room=ONE.room)


@dataclass(slots=True)
class Listed:
    """A store of live sessions whose claims another process may hold."""

    sessions: list[LiveSession] = field(default_factory=lambda: [ONE])
    claimed_by_another: bool = False
    fails: int = 0  # how many of the next looks find no store
    claims_s: list[float] = field(default_factory=list)

    async def live(self) -> list[LiveSession]:
        if self.fails:
            self.fails -= 1
            raise StoreUnavailable("live")
        return list(self.sessions)

    async def claim_dispatch(self, session: LiveSession, for_s: float) -> bool:
        assert session in self.sessions
        self.claims_s.append(for_s)
        return not self.claimed_by_another

    async def abandon(self, session: LiveSession) -> None:
        self.sessions.remove(session)


def watch_for(seconds: float, virtual: asyncio.Runner, listed: Listed, sfu: ScriptedSfu) -> Watcher:
    """Run a watcher for so long; return it. The script must have been used up."""
    watcher = Watcher(listed, sfu, LIMITS)

    async def scene() -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await watcher.run()

    virtual.run(scene())
    sfu.assert_finished()
    return watcher


def test_an_agent_that_comes_within_the_patience_is_left_alone(virtual: asyncio.Runner) -> None:
    sfu = ScriptedSfu([ABSENT] * 5 + [PRESENT] * 5)
    assert watch_for(9.5, virtual, Listed(), sfu).counts["dispatched"] == 0


def test_an_agent_that_does_not_come_in_5_seconds_is_asked_for_again(virtual: asyncio.Runner) -> None:
    sfu = ScriptedSfu([ABSENT] * 6 + [DISPATCH, ABSENT, PRESENT])
    watcher = watch_for(7.5, virtual, Listed(), sfu)
    assert watcher.counts["dispatched"] == 1
    ((room, dispatch),) = [args for call, args in sfu.made if call == "dispatch"]
    assert (room, dispatch.metadata) == (
        "case-s-one",
        '{"v": 1, "session_id": "s-one", "thread_id": "s-one"}',
    )


def test_attempts_are_5_seconds_apart_and_end_after_a_minute_with_one_notice(virtual: asyncio.Runner) -> None:
    minute = [ABSENT] * 5 + ([ABSENT, DISPATCH] + [ABSENT] * 4) * 11 + [ABSENT] * 60
    listed = Listed()
    watcher = watch_for(119.5, virtual, listed, ScriptedSfu(minute))
    assert (watcher.counts["dispatched"], watcher.counts["gave_up"], watcher.voiceless) == (11, 1, 1)
    assert all(claim_s < LIMITS.patience_s for claim_s in listed.claims_s)


def test_an_agent_that_vanishes_later_is_asked_for_again_with_a_new_deadline(virtual: asyncio.Runner) -> None:
    sfu = ScriptedSfu([PRESENT] * 100 + [ABSENT] * 6 + [DISPATCH, PRESENT, ABSENT])
    assert watch_for(107.5, virtual, Listed(), sfu).counts["dispatched"] == 1


def test_an_attempt_that_another_process_makes_is_left_to_it(virtual: asyncio.Runner) -> None:
    listed = Listed(claimed_by_another=True)
    watcher = watch_for(6.5, virtual, listed, ScriptedSfu([ABSENT] * 7))
    assert (watcher.counts["dispatched"], watcher.counts["left_to_another"]) == (0, 1)


def test_a_session_whose_room_is_gone_is_over_but_not_at_the_first_look(virtual: asyncio.Runner) -> None:
    listed = Listed()
    watcher = watch_for(8.5, virtual, listed, ScriptedSfu([NO_ROOM] * 6))
    assert listed.sessions == []
    assert watcher.counts["abandoned"] == 1


def test_a_room_that_goes_between_look_and_dispatch_ends_nothing_but_that_attempt(
    virtual: asyncio.Runner,
) -> None:
    gone = replace(DISPATCH, fails=RoomGone(ONE.room))
    listed = Listed()
    watch_for(11.5, virtual, listed, ScriptedSfu([ABSENT] * 6 + [gone] + [NO_ROOM] * 5))
    assert listed.sessions == []


def test_a_store_or_an_sfu_that_is_away_ends_the_round_and_not_the_watch(
    virtual: asyncio.Runner, caplog: pytest.LogCaptureFixture
) -> None:
    away = Expect("agent_present", fails=SfuUnavailable("ListParticipants", "nothing"))
    watcher = watch_for(5.5, virtual, Listed(fails=2), ScriptedSfu([away, PRESENT, away, PRESENT]))
    assert (watcher.counts["store_failures"], watcher.counts["sfu_failures"]) == (2, 2)
    assert watcher.counts["rounds"] == 6
    assert [entry.levelname for entry in caplog.records] == ["WARNING"] * 2  # once an outage


def test_without_sessions_the_sfu_is_asked_nothing(virtual: asyncio.Runner) -> None:
    assert watch_for(60, virtual, Listed(sessions=[]), ScriptedSfu()).counts["rounds"] == 60


@pytest.mark.parametrize(
    ("watch", "sighting", "now_s", "step"),
    [
        (Watch(), Sighting.PRESENT, 100.0, Step.NOTHING),
        (Watch(), Sighting.ABSENT, 100.0, Step.NOTHING),
        (Watch(missing_since_s=95.0), Sighting.ABSENT, 99.9, Step.NOTHING),
        (Watch(missing_since_s=95.0), Sighting.ABSENT, 100.0, Step.DISPATCH),
        (Watch(95.0, attempted_at_s=100.0), Sighting.ABSENT, 104.9, Step.NOTHING),
        (Watch(95.0, attempted_at_s=100.0), Sighting.ABSENT, 105.0, Step.DISPATCH),
        (Watch(40.0, attempted_at_s=95.0), Sighting.ABSENT, 100.0, Step.GIVE_UP),
        (Watch(40.0, attempted_at_s=95.0, gave_up=True), Sighting.ABSENT, 200.0, Step.NOTHING),
        (Watch(40.0, attempted_at_s=95.0, gave_up=True), Sighting.NO_ROOM, 200.0, Step.ABANDON),
        (Watch(missing_since_s=95.0), Sighting.NO_ROOM, 99.9, Step.NOTHING),
        (Watch(missing_since_s=95.0), Sighting.NO_ROOM, 100.0, Step.ABANDON),
    ],
)
def test_what_a_look_decides(watch: Watch, sighting: Sighting, now_s: float, step: Step) -> None:
    assert look(watch, sighting, now_s, LIMITS)[1] is step


def test_an_agent_that_was_seen_clears_what_was_remembered() -> None:
    remembered = Watch(40.0, attempted_at_s=95.0, gave_up=True)
    assert look(remembered, Sighting.PRESENT, 100.0, LIMITS) == (Watch(), Step.NOTHING)
