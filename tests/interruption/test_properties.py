from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from realtime.ears.model import TurnMetadata
from realtime.interruption import (
    UNSURE,
    Context,
    Effect,
    Kind,
    Mode,
    PendingQuestion,
    Verdict,
    Why,
    classify_with_prosody,
)
from realtime.interruption.echo import common_in_order
from realtime.interruption.near import distance
from tests.interruption.rows import Row, got, our_table, turn

ROWS = our_table()
VOICED = st.sampled_from(
    "okay mm-hm stop wait hold on skip next no yes go repeat why the potassium heparin give order is it "
    "EXAIM exam please sorry got understood approve 6.9 don't not you I let me kidney don’t CT now".split()
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(VOICED, max_size=14).map(" ".join))
METADATA = st.builds(
    TurnMetadata,
    turn=st.integers(1, 10**6),
    began_s=st.floats(allow_nan=True),
    ended_s=st.floats(allow_nan=True),
    duration_ms=st.integers(-1000, 10**7),
    word_count=st.integers(-1, 10**5),
    had_eager_eot=st.booleans(),
    had_turn_resumed=st.booleans(),
    confidence=st.floats(allow_nan=True),
    word=st.one_of(st.none(), VOICED, st.text(max_size=30)),
    word_confidence=st.floats(allow_nan=True),
    trigger=st.sampled_from(["silence", "timeout", "track_ended", "failed"]),
)
CONTEXTS = st.builds(
    Context,
    speaking=st.booleans(),
    mode=st.sampled_from(Mode),
    asked=st.one_of(st.none(), st.sampled_from(PendingQuestion)),
    asked_anything=st.booleans(),
    critical_told=st.booleans(),
    unsure_before_s=st.one_of(st.none(), st.floats(allow_nan=True)),
    said=TEXTS,
    case_words=st.frozensets(VOICED, max_size=5),
)
COMMANDS = [
    row
    for row in ROWS
    if (row.want[0] == "cancel" or row.want in {("new_input", "repeat"), ("acknowledgment", "resume")})
    and row.text
    and row.metadata.word is None
]


@given(TEXTS, METADATA, CONTEXTS)
@settings(max_examples=400, deadline=None)
def test_any_turn_in_any_situation_gets_a_verdict_with_a_reason(
    text: str, metadata: TurnMetadata, context: Context
) -> None:
    verdict = classify_with_prosody(text, metadata, context)
    assert verdict.kind in Kind
    assert verdict.effect in Effect
    assert verdict.why in Why
    assert 0.0 <= verdict.confidence <= 1.0


@given(TEXTS, METADATA, CONTEXTS)
@settings(max_examples=400, deadline=None)
def test_what_an_effect_needs_is_there(text: str, metadata: TurnMetadata, context: Context) -> None:
    verdict = classify_with_prosody(text, metadata, context)
    if verdict.effect is Effect.ACKNOWLEDGE:
        assert context.critical_told
    if verdict.effect is Effect.RESUME:
        assert context.asked is not None or context.mode in {Mode.QUIET, Mode.WAITING}
    if context.mode is Mode.NOISY:
        assert verdict.effect not in {Effect.ANSWER, Effect.ASK, Effect.NOT_ACTED_ON, Effect.REFUSE_ORDER}
    if verdict.kind is Kind.CANCEL:
        assert verdict.effect in {Effect.QUIET, Effect.WAIT, Effect.SKIP, Effect.KEEP_FROM_TEAM}
    if verdict.effect in {Effect.SEND_TO_TEAM, Effect.KEEP_FROM_TEAM}:
        assert context.asked in {PendingQuestion.TO_TEAM, PendingQuestion.APPROVAL}
    if verdict.kind is Kind.IGNORE:
        assert verdict.effect is Effect.GO_ON


@given(st.sampled_from(ROWS), st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_case_and_punctuation_never_matter(row: Row, random: Random) -> None:
    text = row.text
    changed = text.upper() if random.choice([True, False]) else text.capitalize()
    changed = " ".join(
        word.strip(".,?!") + random.choice(["", ".", ",", "!", "?", "...", " -"]) for word in changed.split()
    )
    before = classify_with_prosody(row.text, row.metadata, row.context)
    after = classify_with_prosody(changed, row.metadata, row.context)
    assert after == before


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.text)
@pytest.mark.parametrize(
    "polite", ["please {}", "{} please", "{}, thank you", "sorry, {}", "could you {}", "um, {}"]
)
def test_politeness_never_changes_a_command(row: Row, polite: str) -> None:
    before = classify_with_prosody(row.text, row.metadata, row.context)
    after = classify_with_prosody(polite.format(row.text), row.metadata, row.context)
    assert got(after) == got(before)


@given(
    st.lists(
        st.sampled_from(["stop", "wait", "no", "okay", "skip", "yes", "please"]), min_size=1, max_size=12
    )
)
def test_a_word_is_never_matched_inside_another(words: list[str]) -> None:
    text = "x".join(words) + "x"
    assert classify_with_prosody(text, turn(text, 2000), Context(speaking=True)).kind is Kind.IGNORE


@pytest.mark.parametrize(
    "word", ["heparin", "give", "intubate", "start", "order", "approve", "confirm", "dialysis"]
)
def test_one_word_never_orders_anything(word: str) -> None:
    for context in (Context(speaking=True), Context(asked_anything=True), Context(critical_told=True)):
        heard = classify_with_prosody(word, turn(word), context)
        voted = classify_with_prosody("", turn("", word=word, word_confidence=1.0), context)
        assert heard.effect is not Effect.ACKNOWLEDGE
        assert voted.effect is not Effect.ACKNOWLEDGE


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10_000,
        "okay " * 2_000,
        "what is the potassium " * 500,
        "stop the " * 1_200,
        "é" * 10_000,
        " " * 10_000,
        "no, " * 2_500,
    ],
)
@pytest.mark.timeout(10)  # a pattern that backtracks takes minutes
def test_ten_kilobytes_are_decided_without_going_over_them_again_and_again(text: str) -> None:
    assert classify_with_prosody(text, turn(text), Context(speaking=True, said=text)).why


def test_a_text_longer_than_is_read_is_never_wholly_a_sign_of_listening() -> None:
    text = "okay " * 400 + "stop the heparin"
    verdict: Verdict = classify_with_prosody(text, turn(text, 60_000), Context(speaking=True))
    assert verdict.kind is not Kind.ACKNOWLEDGMENT


def test_what_is_unsure_is_a_reason() -> None:
    assert set(Why) >= UNSURE


def test_a_second_unsure_turn_is_asked_about_only_within_five_seconds() -> None:
    for ago, effect in ((0.0, Effect.ASK), (5.0, Effect.ASK), (5.01, Effect.GO_ON), (math.inf, Effect.GO_ON)):
        context = Context(speaking=True, unsure_before_s=ago)
        assert classify_with_prosody("lantern", turn("lantern", 400), context).effect is effect


@given(st.lists(st.sampled_from("abcd"), max_size=8), st.lists(st.sampled_from("abcd"), max_size=8))
def test_words_in_common_are_counted_as_by_the_table(one: list[str], other: list[str]) -> None:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, x in enumerate(one):
        for j, y in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
    assert common_in_order(tuple(one), tuple(other)) == table[-1][-1]


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_distance_of_sounds_is_a_share_and_symmetric(one: str, other: str) -> None:
    assert 0.0 <= distance(one, other) <= 1.0
    assert distance(one, other) == pytest.approx(distance(other, one))
