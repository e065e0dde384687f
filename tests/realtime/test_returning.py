"""Going and coming back: what is decided, without a clock of its own."""

from __future__ import annotations

import pytest

from realtime.listener.attendance import Attendance, AttendanceChange, CameBack
from realtime.speech.progress import AgentsStage
from realtime.speech.returning import Return, Whereabouts, Who, back_text, how, welcome, welcome_text
from tts_queue import Priority


def heard_until(at_s: float, device: str | None = None) -> Attendance:
    """Return an attendance whose listener, on `device`, gave its last sign at `at_s` and is missed since."""
    at = Attendance()
    at.came(device)
    at.follow(hears=True, heard_of_s=at_s, now_s=at_s)
    assert at.follow(hears=False, heard_of_s=at_s, now_s=at_s + 1.5) is AttendanceChange.GONE
    return at


def back(at: Attendance, now_s: float) -> AttendanceChange | CameBack:
    return at.follow(hears=True, heard_of_s=now_s, now_s=now_s)


def test_a_first_listener_is_not_welcomed_back() -> None:
    at = Attendance()
    assert at.follow(hears=True, heard_of_s=1.0, now_s=1.0) is AttendanceChange.NOTHING


def test_who_is_gone_is_missed_once_and_back_once() -> None:
    at = heard_until(10.0)
    assert at.follow(hears=False, heard_of_s=10.0, now_s=14.0) is AttendanceChange.NOTHING
    assert back(at, 16.0) == CameBack(Who.SAME, 6.0)
    assert back(at, 17.0) is AttendanceChange.NOTHING


def test_the_gap_counts_from_the_last_sign_and_not_from_when_it_was_missed() -> None:
    assert back(heard_until(10.0), 30.0) == CameBack(Who.SAME, 20.0)


@pytest.mark.parametrize(
    ("before", "now", "who"),
    [
        ("d1", "d1", Who.SAME),
        ("d1", "d2", Who.OTHER),
        (None, "d2", Who.OTHER),
        ("d1", None, Who.UNKNOWN),
        (None, None, Who.UNKNOWN),
    ],
)
def test_a_new_connection_is_known_by_its_device(before: str | None, now: str | None, who: Who) -> None:
    at = heard_until(10.0, before)
    at.came()  # the news that it joined
    at.came(now)  # its `ready`
    assert back(at, 15.0) == CameBack(who, 5.0)


def test_late_news_of_a_join_does_not_make_us_forget_the_device() -> None:
    at = heard_until(10.0, "d1")
    at.came("d1")
    back(at, 12.0)
    at.came()
    back(at, 13.0)
    assert at.device == "d1"


def test_a_join_long_before_a_loss_is_no_return() -> None:
    at = Attendance()
    at.came()
    at.follow(hears=True, heard_of_s=10.0, now_s=10.0)
    at.follow(hears=False, heard_of_s=10.0, now_s=12.0)
    assert back(at, 13.0) == CameBack(Who.SAME, 3.0)


@pytest.mark.parametrize(("device", "who"), [(None, Who.STAYED), ("d1", Who.STAYED), ("d2", Who.OTHER)])
def test_who_was_there_before_a_successor_has_stayed_unless_its_device_is_another(
    device: str | None, who: Who
) -> None:
    at = Attendance(held=True, lost_s=-8.0, device="d1")
    at.came()
    at.stayed = True
    at.came(device)
    assert back(at, 2.0) == CameBack(who, 10.0)
    assert at.follow(hears=False, heard_of_s=3.0, now_s=5.0) is AttendanceChange.GONE
    assert back(at, 6.0) == CameBack(Who.SAME, 3.0), "the next gap is its own"


def test_a_successor_that_knows_of_no_listener_before_tells_of_no_return() -> None:
    at = Attendance(held=True)
    assert at.follow(hears=False, heard_of_s=float("-inf"), now_s=0.0) is AttendanceChange.NOTHING
    assert back(at, 2.0) is AttendanceChange.THERE


@pytest.mark.parametrize(
    ("who", "gap_s", "told"),
    [
        (Who.SAME, 0.5, Return.TONE),
        (Who.SAME, 19.9, Return.TONE),
        (Who.SAME, 20.0, Return.SENTENCE),
        (Who.SAME, 119.9, Return.SENTENCE),
        (Who.SAME, 120.0, Return.WELCOME),
        (Who.OTHER, 2.9, Return.TONE),
        (Who.OTHER, 3.0, Return.WELCOME),
        (Who.UNKNOWN, 0.5, Return.WELCOME),
        (Who.STAYED, 19.9, Return.TONE),
        (Who.STAYED, 20.0, Return.SENTENCE),
        (Who.STAYED, 3_600.0, Return.SENTENCE),
    ],
)
def test_how_a_return_is_told(who: Who, gap_s: float, told: Return) -> None:
    assert how(who, gap_s) is told


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (
            Whereabouts("A case.", heard=0, made=0, stage=AgentsStage.INTAKE),
            "Welcome back. A case. No summary yet. The agents are reading the case.",
        ),
        (
            Whereabouts("A case", heard=0, made=1, new=1, minutes=1),
            (
                "Welcome back. A case. 1 summary so far, 1 new while you were away. "
                "The agents are still thinking, after a minute."
            ),
        ),
        (
            Whereabouts("A case", heard=3, made=9, new=6, minutes=4, stage=AgentsStage.DONE, criticals=1),
            (
                "Welcome back. A case. We were on summary 3 of 9, 6 new while you were away. "
                "The agents have finished, after four minutes. A critical finding first."
            ),
        ),
        (
            Whereabouts("A case", heard=3, made=3, minutes=15, stage=AgentsStage.SYNTHESIS, criticals=2),
            (
                "Welcome back. A case. We were on summary 3 of 3. "
                "The agents are writing their conclusion, after 15 minutes. Critical findings first."
            ),
        ),
        (
            Whereabouts("A case", heard=3, made=3, unacknowledged=2),
            (
                "Welcome back. A case. We were on summary 3 of 3. The agents are still thinking. "
                "Two critical findings not acknowledged."
            ),
        ),
        (
            Whereabouts("A case", heard=3, made=3, criticals=1, unacknowledged=1),
            (
                "Welcome back. A case. We were on summary 3 of 3. The agents are still thinking. "
                "A critical finding first. One more not acknowledged."
            ),
        ),
        (
            Whereabouts("A case", heard=3, made=3, stage=AgentsStage.BROKEN, silent=True),
            (
                "Welcome back. A case. We were on summary 3 of 3. The agents have stopped with an error. "
                "The voice is silent, as you asked, until you say go on."
            ),
        ),
    ],
)
def test_the_welcome_says_which_case_where_we_were_what_is_new_and_what_comes_first(
    at: Whereabouts, text: str
) -> None:
    assert welcome_text(at) == text
    said = welcome("w", text, now_s=5.0)
    assert (said.text, said.priority, said.kind) == (text, Priority.CRITICAL, "welcome")


def test_a_shorter_absence_is_told_in_one_sentence_without_a_question() -> None:
    assert back_text(44.6) == "Back after 45 seconds, and going on."
