"""Going and coming back: what is decided, without a clock of its own."""

from __future__ import annotations

import pytest

from realtime.attendance import Attendance, Step
from realtime.returning import Whereabouts, deserves_welcome, welcome, welcome_text
from tts_queue import Priority


def test_a_first_listener_is_not_welcomed_back() -> None:
    at = Attendance()
    assert at.follow(hears=True, heard_of_s=1.0, now_s=1.0) is Step.NOTHING


def test_who_is_gone_is_held_for_once_and_let_go_on_after_a_moment() -> None:
    at = Attendance()
    at.follow(hears=True, heard_of_s=10.0, now_s=10.0)
    assert at.follow(hears=False, heard_of_s=10.0, now_s=12.0) is Step.HOLD
    assert at.follow(hears=False, heard_of_s=10.0, now_s=14.0) is Step.NOTHING
    assert at.follow(hears=True, heard_of_s=16.0, now_s=16.0) is Step.GO_ON
    assert at.follow(hears=True, heard_of_s=17.0, now_s=17.0) is Step.NOTHING


def test_who_joined_again_is_welcomed_however_short_the_gap() -> None:
    at = Attendance()
    at.follow(hears=True, heard_of_s=10.0, now_s=10.0)
    at.came()
    assert at.follow(hears=False, heard_of_s=10.0, now_s=11.0) is Step.HOLD
    assert at.follow(hears=True, heard_of_s=12.0, now_s=12.0) is Step.WELCOME


def test_who_was_silent_for_long_is_welcomed_though_the_line_stood() -> None:
    at = Attendance()
    at.follow(hears=True, heard_of_s=10.0, now_s=10.0)
    at.follow(hears=False, heard_of_s=10.0, now_s=13.0)
    assert at.follow(hears=True, heard_of_s=30.0, now_s=30.0) is Step.WELCOME


def test_a_new_workers_listener_is_not_welcomed_by_it() -> None:
    at = Attendance(held=True)
    assert at.follow(hears=False, heard_of_s=float("-inf"), now_s=0.0) is Step.NOTHING
    assert at.follow(hears=True, heard_of_s=2.0, now_s=2.0) is Step.GO_ON


def test_a_join_long_before_a_loss_is_no_return() -> None:
    at = Attendance()
    at.came()
    at.follow(hears=True, heard_of_s=10.0, now_s=10.0)
    at.follow(hears=False, heard_of_s=10.0, now_s=12.0)
    assert at.follow(hears=True, heard_of_s=13.0, now_s=13.0) is Step.GO_ON


@pytest.mark.parametrize(
    ("gap_s", "joined_again", "welcomed"), [(1.0, True, True), (19.9, False, False), (20.0, False, True)]
)
def test_a_welcome_is_for_who_left_or_was_long_away(gap_s: float, joined_again: bool, welcomed: bool) -> None:
    assert deserves_welcome(gap_s, joined_again=joined_again) is welcomed


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (Whereabouts(heard=0, made=0), "Welcome back."),
        (Whereabouts(heard=0, made=1), "Welcome back. 1 summary so far."),
        (Whereabouts(heard=3, made=9), "Welcome back. We were on summary 3 of 9."),
        (
            Whereabouts(heard=3, made=9, criticals=1),
            "Welcome back. We were on summary 3 of 9. A critical finding first.",
        ),
        (
            Whereabouts(heard=3, made=9, criticals=2),
            "Welcome back. We were on summary 3 of 9. Critical findings first.",
        ),
    ],
)
def test_the_welcome_says_where_we_were_and_what_comes_first(at: Whereabouts, text: str) -> None:
    assert welcome_text(at) == text
    said = welcome("w", at, now_s=5.0)
    assert (said.text, said.priority, said.kind) == (text, Priority.CRITICAL, "welcome")
