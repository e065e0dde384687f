from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exaim_core import SpokenKind
from realtime.speech import narrator
from tests.realtime.making import spoken, update, update_id
from tts_queue import Priority, Utterance


def told(kind: SpokenKind = SpokenKind.FINDING, text: str = "Text.", **item: object) -> Utterance:
    (only,) = narrator.utterances(
        update(1, spoken(text, kind, **item)), update_id(1), now_s=20.0, emitted_at_s=18.5
    )
    return only


def test_every_item_becomes_one_utterance_with_an_id_of_the_update_and_its_place() -> None:
    three = update(7, spoken("A."), spoken("B."), spoken("C."))
    said = narrator.utterances(three, "u-s-1-0007", now_s=1.0, emitted_at_s=0.5)
    assert [(one.utterance_id, one.text) for one in said] == [
        ("u-s-1-0007.1", "A."), ("u-s-1-0007.2", "B."), ("u-s-1-0007.3", "C."),
    ]  # fmt: skip
    assert {one.update_id for one in said} == {"u-s-1-0007"}


def test_an_update_without_items_says_nothing() -> None:
    assert narrator.utterances(update(1), update_id(1), now_s=0.0, emitted_at_s=0.0) == ()


@pytest.mark.parametrize("kind", SpokenKind)
def test_only_what_can_not_wait_goes_before_summaries(kind: SpokenKind) -> None:
    expected = {
        SpokenKind.CRITICAL: Priority.CRITICAL,
        SpokenKind.CORRECTION: Priority.PRESSING,
    }
    assert told(kind).priority is expected.get(kind, Priority.SUMMARY)
    assert told(kind).kind == kind.value


def test_what_presses_goes_before_answers_and_never_grows_too_old() -> None:
    assert told(SpokenKind.AGREEMENT, "All agree.", presses=True).expires_after_s is None
    said = told(SpokenKind.CAUTION, "No nitrates.", presses=True)
    assert said.priority is Priority.PRESSING < Priority.ANSWER
    assert said.expires_after_s is None


def test_the_closing_waits_for_what_protects_and_for_what_presses() -> None:
    closing, caution = told(SpokenKind.CLOSING), told(SpokenKind.CAUTION)
    assert (closing.priority, caution.priority) == (Priority.SUMMARY, Priority.SUMMARY)
    assert closing.weight < caution.weight


def test_lag_counts_from_the_emission_and_age_from_now() -> None:
    assert (told().queued_at_s, told().lag_from_s) == (20.0, 18.5)


@pytest.mark.parametrize("kind", [SpokenKind.CRITICAL, SpokenKind.CORRECTION, SpokenKind.CLOSING])
def test_what_must_be_said_never_grows_too_old(kind: SpokenKind) -> None:
    assert told(kind).expires_after_s is None
    assert told(SpokenKind.FINDING, protects=True).expires_after_s is None
    assert told(SpokenKind.FINDING).expires_after_s == narrator.TTL_S[0]
    assert told(SpokenKind.CHANGE, urgency="important").expires_after_s == narrator.TTL_S[3]


def test_topic_protection_and_critical_key_are_the_items_own() -> None:
    said = told(topic="potassium", protects=True, critical_key="potassium=6.8")
    assert (said.topic, said.protects, said.critical_key) == ("potassium", True, "potassium=6.8")
    assert not told().protects
    assert told(SpokenKind.CHANGE).revises and not told(SpokenKind.DISAGREEMENT).revises


def test_nothing_takes_the_place_of_the_closing() -> None:
    closing = told(SpokenKind.CLOSING, topic="potassium")
    assert closing.topic is None
    assert closing.protects


def test_what_is_critical_is_said_more_slowly_and_set_apart() -> None:
    grave, plain = told(urgency="critical").prosody, told().prosody
    assert grave.rate < plain.rate
    assert grave.volume_db > plain.volume_db
    assert grave.pause_after_s > plain.pause_after_s


@pytest.mark.parametrize(
    ("unread", "sentence"),
    [
        (0, "That is all."),
        (1, "That is all. One item not read."),
        (2, "That is all. Two items not read."),
        (12, "That is all. Twelve items not read."),
        (13, "That is all. 13 items not read."),
    ],
)
def test_the_closing_says_how_much_was_not_read(unread: int, sentence: str) -> None:
    assert narrator.with_unread("That is all.", unread) == sentence


@pytest.mark.parametrize(
    ("kind", "urgency", "protects", "expected"),
    [
        (SpokenKind.LEADING, "routine", False, 2),
        (SpokenKind.CHANGE, "important", False, 3),
        (SpokenKind.CAUTION, "important", True, 3),
        (SpokenKind.ACTION, "important", False, 3),
        (SpokenKind.DISAGREEMENT, "routine", False, 1),
        (SpokenKind.DISAGREEMENT, "important", False, 3),
        (SpokenKind.FINDING, "routine", True, 2),
        (SpokenKind.FINDING, "important", False, 2),
        (SpokenKind.FINDING, "routine", False, 0),
        (SpokenKind.TEST, "routine", False, 1),
        (SpokenKind.ACTION, "routine", False, 1),
        (SpokenKind.AGREEMENT, "routine", False, 1),
    ],
)
def test_who_holds_what_and_what_must_not_be_done_weighs_most(
    kind: SpokenKind, urgency: Literal["routine", "important"], protects: bool, expected: int
) -> None:
    said = told(kind, urgency=urgency, protects=protects)
    assert said.weight == expected


def test_the_short_form_is_taken_only_while_something_else_is_said() -> None:
    item = spoken("Doctor Two sides with Doctor Zero on sepsis. Two to one.", brief="Two to one.")
    one = update(1, item)
    at_once = narrator.utterances(one, update_id(1), now_s=0.0, emitted_at_s=0.0)
    behind = narrator.utterances(one, update_id(1), now_s=0.0, emitted_at_s=0.0, behind=True)
    assert at_once[0].text == item.text
    assert behind[0].text == "Two to one."


def test_an_alarm_that_the_case_paper_contradicts_waits_for_those_that_stand() -> None:
    plain = told(SpokenKind.CRITICAL, "Critical: sodium 156 mmol/L.", urgency="critical")
    text = "Critical, but check: the agents say lithium 4.6 mmol/L; the case file says 7.1 mmol/L."
    assert told(SpokenKind.CRITICAL, text, urgency="critical").weight < plain.weight


def test_what_could_wait_is_in_time_for_eight_seconds_and_an_alarm_always() -> None:
    assert told(SpokenKind.ACTION, urgency="important").timely_s == narrator.TIMELY_S
    assert told(SpokenKind.CRITICAL, urgency="critical").timely_s is None


def test_what_presses_is_in_time_for_eight_seconds_but_never_grows_too_old() -> None:
    said = told(SpokenKind.CAUTION, urgency="important", presses=True)
    assert (said.timely_s, said.expires_after_s) == (narrator.TIMELY_S, None)


@given(st.lists(st.sampled_from(SpokenKind), max_size=8))
def test_ids_are_the_same_whoever_makes_them_and_whenever(kinds: list[SpokenKind]) -> None:
    one = update(3, *(spoken("Text.", kind) for kind in kinds))
    first = narrator.utterances(one, update_id(3), now_s=1.0, emitted_at_s=0.0)
    again = narrator.utterances(one, update_id(3), now_s=99.0, emitted_at_s=50.0)
    ids = [said.utterance_id for said in first]
    assert ids == [said.utterance_id for said in again]
    assert len(set(ids)) == len(kinds)


def test_what_a_model_read_waits_for_a_lull() -> None:
    item = spoken("Text.", SpokenKind.FINDING).model_copy(update={"read": True})
    read = update(1, item).model_copy(update={"by_reading": True})
    (said,) = narrator.utterances(read, update_id(1), now_s=20.0, emitted_at_s=18.5)
    assert said.expires_after_s == narrator.READ_TTL_S > max(narrator.TTL_S)


def test_what_rules_read_where_the_reader_failed_is_kept_no_longer() -> None:
    failed = update(1, spoken("Text.", SpokenKind.FINDING)).model_copy(update={"by_reading": True})
    (said,) = narrator.utterances(failed, update_id(1), now_s=20.0, emitted_at_s=18.5)
    assert said.expires_after_s is not None and said.expires_after_s < narrator.READ_TTL_S
