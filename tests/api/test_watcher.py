from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field, replace

import pytest

from infra.errors import CorruptSession, StoreFull, StoreUnavailable
from infra.sfu_port import RoomGone, SfuUnavailable
from infra.sfu_testing import Expect, ScriptedSfu
from infra.watcher import LiveSession, RoomLook, Sighting, Watch, Watcher, WatchLimits, WatchStep, look

LIMITS = WatchLimits()
NEW = LiveSession(session_id="s-one", thread_id="s-one", room="case-s-one")
ONE = replace(NEW, joined=True, lease_s=3.5)
PRESENT = Expect("agent_present", answer=True)
DISPATCH = Expect("dispatch", room=ONE.room)
EVICT = Expect("evict", room=ONE.room)
MAKE_ROOM = Expect("create_room", room=ONE.room)
NO_ROOM = Expect("agent_present", fails=RoomGone(ONE.room))


def absent(jobs: int = 0) -> list[Expect]:
    """A look that finds nobody, in a room where workers took so many jobs."""
    return [Expect("agent_present", answer=False), Expect("jobs", answer=jobs)]


def ghost(jobs: int = 1) -> list[Expect]:
    """A look that finds the agent listed though its lease is overdue."""
    return [Expect("agent_present", answer=True), Expect("jobs", answer=jobs)]


@dataclass(slots=True)
class Listed:
    """A store of live sessions whose claims another process may hold.

    `leases_s`: what is left of the one session's lease, look by look; then as the session says.
    """

    sessions: list[LiveSession] = field(default_factory=lambda: [ONE])
    claimed_by_another: bool = False
    fails: int = 0  # how many of the next looks find no store
    claims_s: list[float] = field(default_factory=list)
    leases_s: list[float] = field(default_factory=list)
    no_claim: Exception | None = None

    async def live(self) -> list[LiveSession]:
        if self.fails:
            self.fails -= 1
            raise StoreUnavailable("live")
        if self.leases_s:
            return [replace(self.sessions[0], lease_s=self.leases_s.pop(0))]
        return list(self.sessions)

    async def claim_dispatch(self, session: LiveSession, for_s: float) -> bool:
        assert session.session_id in {each.session_id for each in self.sessions}
        self.claims_s.append(for_s)
        if self.no_claim is not None:
            raise self.no_claim
        return not self.claimed_by_another

    async def abandon(self, session: LiveSession) -> None:
        self.sessions = [each for each in self.sessions if each.session_id != session.session_id]


def watch_for(
    looks: int, virtual: asyncio.Runner, listed: Listed, sfu: ScriptedSfu, limits: WatchLimits = LIMITS
) -> Watcher:
    """Run a watcher for so many looks, half a second apart; return it. The script must have been used up."""
    watcher = Watcher(listed, sfu, limits)

    async def scene() -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout((looks - 0.5) * LIMITS.poll_s):
                await watcher.run()

    virtual.run(scene())
    sfu.assert_finished()
    return watcher


# --- a session whose first voice is on its way


def test_a_voice_that_comes_within_5_seconds_of_its_job_is_left_alone(virtual: asyncio.Runner) -> None:
    sfu = ScriptedSfu(absent(jobs=1) * 9 + [PRESENT] * 3)
    watcher = watch_for(12, virtual, Listed([NEW]), sfu)
    assert watcher.counts["dispatched"] == 0


def test_a_job_that_does_not_join_in_5_seconds_is_asked_for_again(virtual: asyncio.Runner) -> None:
    sfu = ScriptedSfu(absent(jobs=1) * 11 + [DISPATCH] + absent(jobs=2) + [PRESENT])
    watcher = watch_for(13, virtual, Listed([NEW]), sfu)
    assert (watcher.counts["dispatched"], watcher.counts["untaken"]) == (1, 0)
    ((room, dispatch),) = [args for call, args in sfu.made if call == "dispatch"]
    assert (room, dispatch.metadata) == (
        "case-s-one",
        '{"v": 1, "session_id": "s-one", "thread_id": "s-one"}',
    )


def test_a_dispatch_that_no_worker_took_is_made_again_after_a_second(virtual: asyncio.Runner) -> None:
    sfu = ScriptedSfu(absent() * 4 + [DISPATCH, *absent(), *absent(), DISPATCH, *absent(1), PRESENT])
    watcher = watch_for(8, virtual, Listed([NEW]), sfu)
    assert (watcher.counts["dispatched"], watcher.counts["untaken"]) == (2, 1)


def test_while_a_job_is_on_its_way_no_other_is_asked_for_however_long_it_takes(
    virtual: asyncio.Runner,
) -> None:
    sfu = ScriptedSfu(absent() * 40 + [PRESENT] * 2)
    watcher = watch_for(42, virtual, Listed([replace(NEW, arriving=True)]), sfu)
    assert watcher.counts["dispatched"] == 0


def test_a_job_that_died_on_its_way_is_asked_for_again_at_the_next_look() -> None:
    watch, step = look(Watch(missing_since_s=90.0), RoomLook(Sighting.ABSENT, arriving=True), 99.5, LIMITS)
    assert step is WatchStep.NOTHING
    assert look(watch, RoomLook(Sighting.ABSENT), 100.0, LIMITS)[1] is WatchStep.DISPATCH


# --- a voice that is lost


def test_an_overdue_lease_is_answered_at_the_first_look_and_the_ghost_goes_before_its_successor_comes(
    virtual: asyncio.Runner,
) -> None:
    listed = Listed(leases_s=[3.5, 3.2, 1.4, 0.9, 0.4, 3.8])
    sfu = ScriptedSfu([PRESENT, PRESENT, *ghost(1), EVICT, DISPATCH, *absent(2), *absent(2), PRESENT])
    watcher = watch_for(6, virtual, listed, sfu)
    counts = {name: watcher.counts[name] for name in ("overdue", "dispatched", "ghosts", "untaken")}
    assert counts == {"overdue": 1, "dispatched": 1, "ghosts": 1, "untaken": 0}


def test_while_no_worker_is_there_a_lost_voice_is_asked_for_each_second(virtual: asyncio.Runner) -> None:
    listed = Listed(leases_s=[3.5] + [0.0] * 7 + [3.9])
    again = [*absent(1), *absent(1), DISPATCH]
    sfu = ScriptedSfu([PRESENT, *ghost(1), EVICT, DISPATCH, *again * 3, PRESENT])
    watcher = watch_for(9, virtual, listed, sfu)
    assert (watcher.counts["dispatched"], watcher.counts["untaken"], watcher.counts["ghosts"]) == (4, 3, 1)
    assert all(claim_s < LIMITS.retry_s for claim_s in listed.claims_s)


def test_a_voice_that_vanishes_from_its_room_with_its_lease_renewed_gets_5_seconds(
    virtual: asyncio.Runner,
) -> None:
    sfu = ScriptedSfu([PRESENT] * 100 + absent(1) * 11 + [DISPATCH, PRESENT] + absent(2))
    assert watch_for(113, virtual, Listed(), sfu).counts["dispatched"] == 1


def test_after_an_outage_of_the_store_the_holders_have_3_seconds_to_renew(virtual: asyncio.Runner) -> None:
    listed = Listed(fails=3, leases_s=[0.0] * 5 + [3.9])
    watcher = watch_for(9, virtual, listed, ScriptedSfu([PRESENT] * 6))
    assert (watcher.counts["store_failures"], watcher.counts["dispatched"]) == (3, 0)
    listed = Listed(fails=1, leases_s=[0.0] * 7)
    sfu = ScriptedSfu([PRESENT] * 6 + ghost(1) + [EVICT, DISPATCH])
    assert watch_for(8, virtual, listed, sfu).counts["dispatched"] == 1


def test_a_voice_that_never_comes_is_given_up_after_a_minute_and_the_session_after_five() -> None:
    watch, steps = Watch(spoke=True), []
    for half_seconds in range(601):
        watch, step = look(watch, UNHELD, half_seconds / 2, LIMITS)
        steps.append((half_seconds / 2, step))
    attempts = [at_s for at_s, step in steps if step is WatchStep.DISPATCH]
    assert [at_s for at_s in attempts if at_s < 60.0] == [float(at) for at in range(60)]
    assert [at_s for at_s in attempts if at_s > 60.0] == [float(at) for at in range(74, 300, 15)]
    assert [at_s for at_s, step in steps if step is WatchStep.GIVE_UP] == [60.0]
    assert steps[-1] == (300.0, WatchStep.ABANDON)


def test_a_session_that_is_abandoned_leaves_the_list_and_its_room_goes(virtual: asyncio.Runner) -> None:
    limits = replace(LIMITS, deadline_s=0.5, abandon_s=1.0)
    listed = Listed(leases_s=[3.5, 0.0, 0.0, 0.0])
    lost = [*ghost(1), EVICT, DISPATCH, *ghost(1), *ghost(1), Expect("delete_room", room=ONE.room)]
    watcher = watch_for(5, virtual, listed, ScriptedSfu([PRESENT, *lost]), limits)
    assert (watcher.counts["gave_up"], watcher.counts["abandoned"], listed.sessions) == (1, 1, [])


# --- a room that is gone


def test_a_live_session_gets_its_room_again_with_a_dispatch_in_it(virtual: asyncio.Runner) -> None:
    sfu = ScriptedSfu([PRESENT, NO_ROOM, MAKE_ROOM, *absent(1), PRESENT])
    watcher = watch_for(4, virtual, Listed(), sfu)
    assert (watcher.counts["rooms_made"], watcher.counts["dispatched"]) == (1, 0)
    (_, (room, metadata, dispatch)) = next(made for made in sfu.made if made[0] == "create_room")
    assert (room, metadata) == ("case-s-one", '{"v": 1, "session_id": "s-one"}')
    assert '"s-one"' in dispatch.metadata


def test_a_room_made_again_before_the_workers_are_back_is_dispatched_to(virtual: asyncio.Runner) -> None:
    sfu = ScriptedSfu([PRESENT, NO_ROOM, MAKE_ROOM, *absent(), *absent(), DISPATCH, *absent(1), PRESENT])
    watcher = watch_for(6, virtual, Listed(), sfu)
    assert (watcher.counts["rooms_made"], watcher.counts["dispatched"]) == (1, 1)


def test_the_room_of_a_session_that_is_just_being_opened_is_waited_for(virtual: asyncio.Runner) -> None:
    sfu = ScriptedSfu([NO_ROOM] * 3 + [*absent(1), PRESENT])
    assert watch_for(5, virtual, Listed([NEW]), sfu).counts["rooms_made"] == 0


def test_a_session_that_a_stopped_stack_left_sleeps_until_somebody_comes_back_or_its_grace_is_over() -> None:
    nobody, back = RoomLook(Sighting.NO_ROOM, held=False), RoomLook(Sighting.ABSENT)
    watch, steps = Watch(), []
    for second in range(300):
        watch, step = look(watch, nobody, float(second), LIMITS)
        steps.append(step)
    assert set(steps) == {WatchStep.NOTHING}
    assert look(watch, nobody, 300.0, LIMITS)[1] is WatchStep.ABANDON
    watch, step = look(watch, back, 300.0, LIMITS)  # its room, with a dispatch, came with the token
    assert step is WatchStep.NOTHING
    assert look(watch, back, 302.0, LIMITS)[1] is WatchStep.DISPATCH


def test_a_session_whose_room_went_while_its_voice_was_there_never_sleeps(virtual: asyncio.Runner) -> None:
    listed = Listed([replace(ONE, lease_s=0.0)], leases_s=[3.5])
    sfu = ScriptedSfu([PRESENT, NO_ROOM, MAKE_ROOM, *absent(1)])
    assert watch_for(3, virtual, listed, sfu).counts["rooms_made"] == 1


def test_a_session_whose_room_was_seen_and_went_gets_it_again_before_anybody_spoke() -> None:
    watch, _ = look(Watch(), RoomLook(Sighting.ABSENT), 0.0, LIMITS)
    gone = RoomLook(Sighting.NO_ROOM, held=False)
    assert look(watch, gone, 10.0, LIMITS)[1] is WatchStep.MAKE_ROOM


def test_an_sfu_that_refuses_one_session_does_not_keep_the_next_from_its_voice(
    virtual: asyncio.Runner,
) -> None:
    refused = replace(MAKE_ROOM, fails=SfuUnavailable("CreateRoom", "nothing"))
    two = replace(ONE, session_id="s-two", room="case-s-two")
    sfu = ScriptedSfu([PRESENT, PRESENT, NO_ROOM, refused, replace(PRESENT, room=two.room)])
    watcher = watch_for(2, virtual, Listed([ONE, two]), sfu)
    assert watcher.counts["sfu_failures"] == 1


def test_a_room_that_the_sfu_cant_answer_for_does_not_hide_the_others(virtual: asyncio.Runner) -> None:
    unseen = Expect("agent_present", fails=SfuUnavailable("ListParticipants", "nothing"))
    two = replace(ONE, session_id="s-two", room="case-s-two")
    sfu = ScriptedSfu([unseen, replace(PRESENT, room=two.room)] * 2)
    watcher = watch_for(2, virtual, Listed([ONE, two]), sfu)
    assert (watcher.counts["rounds"], watcher.counts["sfu_failures"]) == (2, 2)
    sfu.assert_finished()


def test_a_room_that_goes_between_look_and_dispatch_is_made_again(virtual: asyncio.Runner) -> None:
    gone = replace(DISPATCH, fails=RoomGone(ONE.room))
    listed = Listed(leases_s=[3.5, 0.0, 0.0, 0.0, 0.0])
    sfu = ScriptedSfu([PRESENT, *ghost(1), EVICT, gone, NO_ROOM, NO_ROOM, MAKE_ROOM, *absent(1)])
    assert watch_for(5, virtual, listed, sfu).counts["rooms_made"] == 1


# --- several processes, outages, nothing to do


def test_an_attempt_that_another_process_makes_is_left_to_it(virtual: asyncio.Runner) -> None:
    listed = Listed(claimed_by_another=True, leases_s=[3.5, 1.0, 0.5])
    watcher = watch_for(3, virtual, listed, ScriptedSfu([PRESENT, *ghost(1), *ghost(2)]))
    assert (watcher.counts["dispatched"], watcher.counts["left_to_another"]) == (0, 1)


def test_a_store_or_an_sfu_that_is_away_ends_the_round_and_not_the_watch(
    virtual: asyncio.Runner, caplog: pytest.LogCaptureFixture
) -> None:
    away = Expect("agent_present", fails=SfuUnavailable("ListParticipants", "nothing"))
    watcher = watch_for(6, virtual, Listed(fails=2), ScriptedSfu([away, PRESENT, away, PRESENT]))
    assert (watcher.counts["store_failures"], watcher.counts["sfu_failures"]) == (2, 2)
    assert watcher.counts["rounds"] == 6
    assert [entry.levelname for entry in caplog.records] == ["WARNING"] * 2  # once an outage


@pytest.mark.parametrize(
    "wrong", [CorruptSession("heads", "a test"), StoreFull("a test"), KeyError("potassium 6.8")]
)
def test_a_session_that_cannot_be_helped_is_passed_over_once_it_was_told(
    virtual: asyncio.Runner, caplog: pytest.LogCaptureFixture, wrong: Exception
) -> None:
    two = replace(ONE, session_id="s-two", room="case-s-two")
    listed = Listed([replace(ONE, lease_s=0.0), two], no_claim=wrong)
    lost = [replace(each, room=ONE.room) for each in absent(1)]
    watcher = watch_for(13, virtual, listed, ScriptedSfu([*lost, replace(PRESENT, room=two.room)] * 13))
    assert (watcher.counts["rounds"], watcher.counts["store_failures"]) == (13, 0)
    assert watcher.counts["passed_over"] > 1
    assert caplog.text.count("s-one is passed over") == 1
    assert "potassium" not in caplog.text


def test_without_sessions_the_sfu_is_asked_nothing(virtual: asyncio.Runner) -> None:
    assert watch_for(60, virtual, Listed(sessions=[]), ScriptedSfu()).counts["rounds"] == 60


UNHELD, GONE = RoomLook(Sighting.UNHELD, jobs=1), RoomLook(Sighting.NO_ROOM)
NOBODY, JOINING = RoomLook(Sighting.ABSENT), RoomLook(Sighting.ABSENT, jobs=1)
TRIED = Watch(95.0, attempted_at_s=100.0, jobs=1)
HOPELESS = Watch(40.0, attempted_at_s=95.0, jobs=1, gave_up=True)


@pytest.mark.parametrize(
    ("watch", "seen", "now_s", "step"),
    [
        (Watch(), RoomLook(Sighting.PRESENT), 100.0, WatchStep.NOTHING),
        (Watch(), JOINING, 100.0, WatchStep.NOTHING),
        (Watch(missing_since_s=95.0), JOINING, 99.9, WatchStep.NOTHING),
        (Watch(missing_since_s=95.0), JOINING, 100.0, WatchStep.DISPATCH),
        (Watch(missing_since_s=98.6), NOBODY, 100.0, WatchStep.NOTHING),
        (Watch(missing_since_s=98.5), NOBODY, 100.0, WatchStep.DISPATCH),
        (Watch(spoke=True), UNHELD, 100.0, WatchStep.DISPATCH),
        (Watch(), UNHELD, 100.0, WatchStep.NOTHING),
        (TRIED, UNHELD, 100.8, WatchStep.NOTHING),
        (TRIED, UNHELD, 100.9, WatchStep.DISPATCH),
        (TRIED, replace(UNHELD, jobs=2), 104.9, WatchStep.NOTHING),
        (TRIED, replace(UNHELD, jobs=2), 105.0, WatchStep.DISPATCH),
        (Watch(40.0, attempted_at_s=95.0), UNHELD, 100.0, WatchStep.GIVE_UP),
        (HOPELESS, UNHELD, 109.9, WatchStep.NOTHING),
        (HOPELESS, UNHELD, 110.0, WatchStep.DISPATCH),
        (HOPELESS, UNHELD, 340.0, WatchStep.ABANDON),
        (HOPELESS, GONE, 110.0, WatchStep.MAKE_ROOM),
        (Watch(spoke=True), GONE, 100.0, WatchStep.MAKE_ROOM),
        (Watch(missing_since_s=98.6), GONE, 100.0, WatchStep.NOTHING),
        (Watch(missing_since_s=98.5), GONE, 100.0, WatchStep.MAKE_ROOM),
    ],
)
def test_what_a_look_decides(watch: Watch, seen: RoomLook, now_s: float, step: WatchStep) -> None:
    assert look(watch, seen, now_s, LIMITS)[1] is step


def test_an_agent_that_was_seen_clears_what_was_remembered_but_that_it_spoke() -> None:
    assert look(HOPELESS, RoomLook(Sighting.PRESENT), 100.0, LIMITS) == (
        Watch(stood=True, spoke=True),
        WatchStep.NOTHING,
    )
