"""Three small memories of a conversation: noise, critical findings, our last words."""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType

from realtime.conversation.noise import CALM_S, Noise
from realtime.conversation.recall import Recall
from realtime.speech.alerts import AGAIN_AFTER_S, Alerts
from tests.realtime.making import utterance
from tts_queue import Priority, SegmentStarted, Utterance, WordSpan


def critical(uid: str = "c", key: str = "potassium") -> Utterance:
    return utterance(uid, "Potassium is 6.9.", kind="critical", priority=Priority.CRITICAL, critical_key=key)


# --- noise --------------------------------------------------------------------------------------------


def test_a_third_hold_for_nothing_within_twenty_seconds_makes_the_room_noisy() -> None:
    noise = Noise().held_in_vain(0.8, 1.0).held_in_vain(0.8, 10.0)
    assert not noise.noisy
    assert noise.held_in_vain(0.8, 20.9).noisy
    assert not noise.held_in_vain(0.8, 21.1).noisy, "the first is too long ago"


def test_one_long_hold_for_nothing_makes_the_room_noisy() -> None:
    assert Noise().held_in_vain(3.6, 5.0).noisy
    assert not Noise().held_in_vain(3.5, 5.0).noisy


def test_a_noisy_room_is_calm_again_after_half_a_minute_without_a_voice() -> None:
    noise = Noise().held_in_vain(4.0, 5.0)
    assert noise.tick(5.0 + CALM_S - 0.1).noisy
    assert noise.voice(20.0).tick(5.0 + CALM_S).noisy
    assert not noise.tick(5.0 + CALM_S).noisy


def test_a_word_for_us_between_holds_for_nothing_shows_that_the_room_is_not_noisy() -> None:
    noise = Noise().held_in_vain(0.8, 1.0).held_in_vain(0.8, 3.0).decided(for_us=True)
    assert not noise.held_in_vain(0.8, 5.0).noisy
    assert noise.held_in_vain(0.8, 5.0).held_in_vain(0.8, 6.0).held_in_vain(0.8, 7.0).noisy


def test_two_turns_in_a_row_that_are_for_us_end_the_noise() -> None:
    noisy = Noise().held_in_vain(4.0, 5.0)
    assert noisy.decided(for_us=True).noisy
    assert noisy.decided(for_us=True).decided(for_us=False).decided(for_us=True).noisy
    assert not noisy.decided(for_us=True).decided(for_us=True).noisy


# --- critical findings ----------------------------------------------------------------------------------


def test_a_finding_can_be_acknowledged_while_it_sounds_and_ten_seconds_after() -> None:
    alerts, said = Alerts(), critical()
    assert alerts.acknowledgeable(said, 9.0, sounds=True) == "potassium"
    assert alerts.acknowledgeable(said, 9.0, sounds=False) is None, "it was held, and nobody heard its end"
    alerts.told(said, 10.0)
    assert alerts.acknowledgeable(said, 20.0, sounds=False) == "potassium"
    assert alerts.acknowledgeable(said, 20.1, sounds=False) is None
    assert alerts.acknowledge("potassium")
    assert alerts.acknowledgeable(said, 11.0, sounds=True) is None
    assert not alerts.acknowledge("potassium")


def test_got_it_is_said_to_what_began_to_sound_last() -> None:
    alerts, sodium, other = Alerts(), critical("a", "sodium"), utterance("x")
    alerts.told(sodium, 10.0)
    alerts.told(critical("b", "potassium"), 12.0)
    assert alerts.acknowledgeable(critical("b", "potassium"), 13.0, sounds=False) == "potassium"
    assert alerts.acknowledgeable(other, 13.0, sounds=False) is None
    assert alerts.acknowledgeable(None, 13.0, sounds=False) is None


def test_a_finding_that_nobody_was_heard_to_hear_is_not_acknowledged_afterwards() -> None:
    alerts = Alerts()
    alerts.missed(critical(), 10.0)
    assert alerts.acknowledgeable(critical(), 11.0, sounds=False) is None


def test_an_unacknowledged_finding_is_told_again_after_two_minutes_and_twice_at_most() -> None:
    alerts = Alerts()
    alerts.told(critical("c"), 0.0)
    assert alerts.to_tell_again(AGAIN_AFTER_S - 1) == []
    for number, at_s in enumerate((AGAIN_AFTER_S, 2 * AGAIN_AFTER_S), start=1):
        assert [u.utterance_id for u in alerts.to_tell_again(at_s)] == ["c" if number == 1 else "c.r1"]
        assert alerts.to_tell_again(at_s + 1) == [], "it waits to be spoken"
        alerts.told(critical(f"c.r{number}"), at_s)
    assert alerts.to_tell_again(10 * AGAIN_AFTER_S) == []
    assert alerts.open == ("potassium",)


def test_an_acknowledged_finding_is_not_told_again() -> None:
    alerts = Alerts()
    alerts.told(critical(), 0.0)
    alerts.acknowledge("potassium")
    assert alerts.to_tell_again(AGAIN_AFTER_S) == []


# --- our last words -------------------------------------------------------------------------------------


def clause(uid: str, *words: str, lasts_s: float = 2.0) -> SegmentStarted:
    spans = tuple(WordSpan(word, 0, 0) for word in words)
    return SegmentStarted(uid, 0, 1, " ".join(words), 0, round(lasts_s * 48_000), spans)


def test_what_we_said_is_remembered_for_as_long_as_it_may_echo() -> None:
    recall = Recall()
    recall.sounded(clause("a", "Potassium", "is"), utterance("a"), 0.0)
    recall.sounded(clause("a", "six", "nine."), utterance("a"), 2.0)
    assert recall.said(4.0) == "Potassium is six nine."
    assert recall.said(10.5) == "six nine."
    assert recall.said(12.5) == ""


def test_a_question_of_ours_is_in_the_air_for_six_seconds() -> None:
    recall = Recall()
    assert not recall.asked_anything(0.0)
    recall.sounded(clause("q", "Stop,", "or", "go", "on?"), utterance("q", kind="question"), 10.0)
    assert recall.asked_anything(17.9)
    assert not recall.asked_anything(18.1)


def test_an_item_is_asked_about_and_a_question_of_ours_is_not() -> None:
    recall = Recall()
    recall.sounded(clause("a", "One."), utterance("a"), 0.0)
    recall.sounded(clause("q", "Stop?"), utterance("q", kind="question"), 5.0)
    assert recall.item is not None
    assert recall.item.utterance_id == "a"


def test_a_finding_that_came_again_is_open_though_the_first_was_acknowledged() -> None:
    alerts = Alerts()
    alerts.told(critical(key="words:seizure"), 10.0)
    alerts.acknowledge("words:seizure")
    alerts.told(critical("d", "words:seizure#2"), 60.0)
    assert alerts.open == ("words:seizure#2",)
    assert alerts.acknowledgeable(critical("d", "words:seizure#2"), 62.0, sounds=False) == "words:seizure#2"


def test_a_finding_is_over_once_it_has_come_again_whatever_came_between() -> None:
    alerts = Alerts()
    alerts.told(critical("e", "words:seizure#3"), 10.0)
    alerts.told(critical("d", "words:seizure#2"), 60.0)
    alerts.told(critical("f", "words:seizures"), 61.0)
    assert alerts.open == ("words:seizure#3", "words:seizures")
    alerts.acknowledge("words:seizure#3")
    assert alerts.unacknowledged({"words:seizure", "words:seizure#4"}) == (
        "words:seizures",
        "words:seizure#4",
    )


def test_what_is_open_is_found_by_one_look_at_each_finding() -> None:
    """It is asked ten times a second."""

    def calls(findings: int) -> int:
        alerts, seen = Alerts(), Counter[str]()
        for number in range(findings):
            alerts.told(critical(f"c{number}", f"words:{number}"), 10.0)

        def count(_: FrameType, event: str, __: object) -> None:
            seen[event] += 1

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            assert len(alerts.open) == findings
        finally:
            sys.setprofile(before)
        return seen["call"]

    assert calls(160) < 9 * calls(20)


def test_a_finding_that_came_again_is_told_again_in_place_of_the_first() -> None:
    alerts = Alerts()
    alerts.told(critical(key="words:seizure"), 10.0)
    assert alerts.unacknowledged({"words:seizure#2"}) == ("words:seizure#2",)
    alerts.told(critical("d", "words:seizure#2"), 60.0)
    alerts.told(critical("e", "words:arrest"), 61.0)
    assert alerts.open == ("words:seizure#2", "words:arrest")
    assert alerts.unacknowledged(frozenset()) == ("words:seizure#2", "words:arrest")
