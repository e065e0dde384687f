from __future__ import annotations

import pytest

from realtime.listener.presence import ClientPresence, Presence

ABSENT = Presence()
JOINED = ABSENT.joined(0.0)
READY = JOINED.ready(0.0)
STOCK = JOINED.tick(3.0, speaking=False)
LOST = READY.tick(9.0, speaking=False)


def tick(presence: Presence, now_s: float, *, speaking: bool = False) -> ClientPresence:
    return presence.tick(now_s, speaking=speaking).listener


@pytest.mark.parametrize(
    ("before", "joined", "ready", "beat", "left"),
    [
        (ABSENT, "joined", "ready", "absent", "absent"),
        (JOINED, "joined", "ready", "joined", "absent"),
        (READY, "joined", "ready", "ready", "absent"),
        (STOCK, "joined", "ready", "stock", "absent"),
        (LOST, "joined", "ready", "ready", "absent"),
    ],
    ids=lambda value: str(getattr(value, "listener", value)),
)
def test_what_is_known_of_a_listener_follows_this_table(
    before: Presence, joined: str, ready: str, beat: str, left: str
) -> None:
    assert before.joined(10.0).listener == joined
    assert before.ready(10.0).listener == ready
    assert before.beat(10.0).listener == beat
    assert before.left().listener == left


def test_who_says_nothing_for_three_seconds_is_a_stock_client() -> None:
    assert tick(JOINED, 2.9) is ClientPresence.JOINED
    assert tick(JOINED, 3.0) is ClientPresence.STOCK


def test_a_stock_client_is_given_time_to_take_our_track() -> None:
    assert JOINED.tick(7.9, speaking=False, subscribed=False).listener is ClientPresence.JOINED
    assert JOINED.tick(8.0, speaking=False, subscribed=False).listener is ClientPresence.STOCK
    assert JOINED.tick(4.0, speaking=False, subscribed=True).listener is ClientPresence.STOCK


def test_who_beats_before_it_is_ready_is_no_stock_client() -> None:
    assert tick(JOINED.beat(2.0), 100.0) is ClientPresence.JOINED


@pytest.mark.parametrize(("speaking", "lost_after_s"), [(True, 1.5), (False, 3.0)])
def test_a_listener_is_lost_when_its_beats_stop(speaking: bool, lost_after_s: float) -> None:
    beating = READY.tick(1.0, speaking=speaking).beat(7.0)
    assert tick(beating, 7.0 + lost_after_s - 0.01, speaking=speaking) is ClientPresence.READY
    assert tick(beating, 7.0 + lost_after_s, speaking=speaking) is ClientPresence.LOST


def test_the_speaking_limit_counts_from_when_we_began_to_speak() -> None:
    """A quiet client beats each second: one lost beat as we begin is no loss."""
    quiet = READY.beat(7.0).tick(8.9, speaking=False).tick(9.0, speaking=True)
    assert tick(quiet, 9.9, speaking=True) is ClientPresence.READY
    assert tick(quiet, 10.0, speaking=True) is ClientPresence.LOST, "three seconds are too long at any time"
    beaten = quiet.beat(9.2)
    assert tick(beaten, 10.6, speaking=True) is ClientPresence.READY
    assert tick(beaten, 10.7, speaking=True) is ClientPresence.LOST


def test_a_stock_client_or_an_absent_one_is_never_lost() -> None:
    assert tick(STOCK, 1000.0, speaking=True) is ClientPresence.STOCK
    assert tick(ABSENT, 1000.0, speaking=True) is ClientPresence.ABSENT


def test_a_ready_that_overtakes_the_news_of_the_join_holds() -> None:
    early = ABSENT.ready(1.0)
    assert early.joined(1.1).listener is ClientPresence.READY


def test_who_joins_again_has_to_say_again_that_it_hears() -> None:
    assert READY.joined(5.0).listener is ClientPresence.JOINED
    assert READY.left().joined(5.0).listener is ClientPresence.JOINED
    assert tick(READY.joined(5.0), 8.0) is ClientPresence.STOCK


@pytest.mark.parametrize(
    ("presence", "hears"), [(ABSENT, False), (JOINED, False), (READY, True), (STOCK, True), (LOST, False)]
)
def test_only_a_ready_listener_or_a_stock_client_hears(presence: Presence, hears: bool) -> None:
    assert presence.hears is hears


def test_grace_is_counted_from_the_last_sign_of_the_listener() -> None:
    assert READY.beat(7.0).heard_of_s(8.0) == 7.0
    assert READY.beat(7.0).tick(20.0, speaking=True).heard_of_s(20.0) == 7.0
    assert STOCK.heard_of_s(8.0) == 8.0
    assert ABSENT.heard_of_s(8.0) < 0


def test_the_news_of_the_join_may_come_seconds_after_the_ready() -> None:
    """Until then no beat reaches us: the client is not lost, and counts as ready when the news comes."""
    waiting = Presence().ready(0.0)
    for tenth in range(32):
        waiting = waiting.tick(tenth / 10, speaking=True)
        assert waiting.hears
    assert waiting.joined(3.2).hears
    late = waiting.tick(6.6, speaking=True)
    assert late.listener is ClientPresence.LOST
    assert late.joined(6.7).hears


def test_a_newcomer_that_beats_before_it_says_ready_takes_over_from_nobody() -> None:
    """The one before was killed: what beats again is the next connection, of which there is no news yet."""
    lost = READY.beat(7.0).tick(10.1, speaking=False)
    assert lost.listener is ClientPresence.LOST
    assert not lost.beat(20.0).ready(20.1).takes_over(22.0)
    assert READY.beat(20.0).ready(20.1).takes_over(22.0)
