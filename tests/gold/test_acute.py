"""The acute cases and the injected findings are whole and agree with themselves. They judge no code here."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.gold.acute import POINT_KINDS, AcuteCase, Delta, Never, Turn, TurnEnd, acute_cases
from tests.gold.terms import GoldError, met, pieces, sentences, strict, terms_of, words

CASES = {case.case_id: case for case in acute_cases()}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


def test_there_are_six_cases_and_they_hold_every_kind_of_point() -> None:
    assert len(CASES) == 6
    assert {row.kind for case in CASES.values() for row in case.points} == POINT_KINDS


@every_case
def test_a_case_is_as_long_as_a_discussion_of_250_to_450_words_in_40_to_120_seconds(case: AcuteCase) -> None:
    assert 250 <= sum(words(turn.text) for turn in case.turns) <= 450
    assert 40 <= case.ends_s <= 120
    assert all(2 <= turn.pace_words_per_s <= 8 for turn in case.turns)
    assert {turn.agent for turn in case.turns} == {"doctor0", "doctor1", "doctor2", "supervisor"}


@every_case
def test_every_row_has_its_own_name_and_there_are_enough_of_each_list(case: AcuteCase) -> None:
    names = [row.id for row in (*case.points, *case.spoken, *case.critical)]
    names += [row.id for row in case.never] + [row.id for row in case.also_fair]
    assert len(set(names)) == len(names)
    assert len(case.points) >= 18 and len(case.critical) >= 3 and len(case.never) >= 5


@every_case
def test_what_is_wanted_has_been_said_when_it_is_complete_and_not_before(case: AcuteCase) -> None:
    for row in (*case.points, *case.spoken, *case.critical):
        turn = case.turns[row.turn - 1]
        said = turn.text[: turn.text.index(row.after) + len(row.after)]
        so_far = (
            "\n".join(_said(each) for each in case.turns[: row.turn - 1]) + "\n" + turn.agent + ": " + said
        )
        assert row.met_by(so_far), row.id
        assert row.early_s <= row.at_s <= turn.end_s, row.id


@every_case
def test_a_number_a_dose_or_a_side_is_met_by_the_sentences_of_one_turn_and_not_before_its_place(
    case: AcuteCase,
) -> None:
    for row in (*case.points, *case.critical):
        if row.kind in {"number", "dose", "side", "critical"}:
            turn = case.turns[row.turn - 1]
            start = turn.text.index(row.after)
            assert row.met_by(turn.text[: start + len(row.after)]), row.id
            assert not row.met_by(turn.text[:start]), row.id


@every_case
def test_every_row_is_met_by_its_own_words(case: AcuteCase) -> None:
    for row in (*case.spoken, *case.critical):
        assert row.met_by(row.text), row.id


@every_case
def test_what_must_never_be_told_is_told_neither_by_the_gold_nor_by_the_discussion_from_then_on(
    case: AcuteCase,
) -> None:
    for row in case.never:
        for wanted in (*case.points, *case.spoken, *case.critical):
            assert wanted.at_s < row.since_s or not row.broken_by(wanted.text), (row.id, wanted.id)
        for at_s, sentence in _sentences(case):
            assert at_s <= row.since_s or not row.broken_by(sentence), (row.id, sentence)
        if row.since is None:
            for line in (line for lines in case.paper.values() for line in lines):
                assert not row.broken_by(line), (row.id, line)


@every_case
def test_what_may_be_told_before_it_was_said_stands_in_the_paper(case: AcuteCase) -> None:
    paper = "\n".join(line for lines in case.paper.values() for line in lines)
    for row in case.critical:
        if row.early_s == 0:
            numbers = [one for entry in row.terms for one in entry if one[0].isdigit()]
            assert met(paper, (tuple(numbers),) if numbers else row.terms), row.id


@every_case
def test_what_is_fair_is_said_or_stands_in_the_paper(case: AcuteCase) -> None:
    paper = [line for lines in case.paper.values() for line in lines]
    said = [turn.text for turn in case.turns]
    for row in case.also_fair:
        assert row.met_by("\n".join(paper + said)), row.id


@every_case
def test_what_must_no_longer_be_told_was_said_before(case: AcuteCase) -> None:
    for row in case.never:
        if row.since is not None:
            before = "\n".join(_said(turn) for turn in case.turns[: row.since[0]])
            assert met(before, row.terms), row.id


@every_case
def test_the_stream_is_the_discussion_in_order_of_time_in_pieces_of_about_a_token(case: AcuteCase) -> None:
    events = case.events()
    assert all(before.at_s <= after.at_s for before, after in pairwise(events))
    for number, turn in enumerate(case.turns, 1):
        mine = [event for event in events if event.turn == number]
        assert "".join(event.text for event in mine if isinstance(event, Delta)) == turn.text
        assert mine[-1] == TurnEnd(turn.end_s, number, turn.agent)
        assert mine[0].at_s >= turn.start_s
    lengths = [len(event.text) for event in events if isinstance(event, Delta)]
    assert 3 <= sum(lengths) / len(lengths) <= 6 and max(lengths) <= 12


def test_a_row_is_complete_at_the_second_of_the_delta_that_completes_its_phrase() -> None:
    case = CASES["acute-ketoacidosis"]
    row = next(row for row in case.critical if row.id == "c02")
    said = "".join(
        event.text
        for event in case.events()
        if isinstance(event, Delta) and event.turn == row.turn and event.at_s <= row.at_s
    )
    assert said.rstrip("*, ").endswith("potassium of 2.6 mmol/L")


def test_a_number_is_met_whole_and_a_blank_is_a_border() -> None:
    assert met("pH **6.94**, potassium 2,940", (("6.94",), ("2940",)))
    assert not met("potassium 16.9 or 6.92", (("6.9",),))
    assert met("Left-sided weakness (PH 7.1).", (("left sided",), (" ph ",)))
    assert not met("phase two", ((" ph ",),))


def test_a_denied_sentence_breaks_no_rule() -> None:
    row = Never(id="n", since_s=0, since=None, text="", terms=(("bolus",), ("10 units",)), unless=("held",))
    assert row.broken_by("A bolus of 10 units is to be given.")
    assert not row.broken_by("The bolus of 10 units was withdrawn.")
    assert not row.broken_by("The bolus of 10 units is held.")


def test_an_unknown_key_a_missing_key_and_a_number_as_a_term_are_errors() -> None:
    with pytest.raises(GoldError, match="case row"):
        strict("case row", {"id": "p01", "kid": "dose"}, "id", "kind")
    with pytest.raises(GoldError, match="case row"):
        strict("case row", {"kind": "dose"}, "id", "kind")
    with pytest.raises(GoldError, match="lower-case"):
        terms_of("case row", [["potassium"], [58]])


def test_text_is_cut_into_pieces_and_sentences_without_loss() -> None:
    text = "### Now:\n\n1. **Give 2.5 mg** of levetiracetam – snake_case. Then\twait!"
    assert "".join(pieces(text)) == text
    assert sentences(text)[-2:] == ("**Give 2.5 mg** of levetiracetam – snake_case.", "Then\twait!")


def _said(turn: Turn) -> str:
    return f"{turn.agent}: {turn.text}"


def _sentences(case: AcuteCase) -> list[tuple[float, str]]:
    """Every sentence of the discussion with the second at which it begins."""
    made = []
    for turn in case.turns:
        start = 0
        for sentence in sentences(turn.text):
            start = turn.text.index(sentence, start)
            made.append((turn.at_s(start), sentence))
            start += len(sentence)
    return made
