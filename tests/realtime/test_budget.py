from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from realtime.speech.budget import EXEMPT_KINDS, WINDOW_S, WORDS_PER_S, Budget, BudgetConfig
from tests.realtime.making import utterance
from tts_queue import Priority, Utterance


@dataclass(frozen=True)
class Offer:
    words: int
    exempt: bool
    gap_s: float
    weight: int


offers = st.lists(
    st.builds(
        Offer,
        st.integers(1, 30),
        st.booleans(),
        st.sampled_from([0.0, 0.0, 0.5, 3.0, 40.0]),
        st.integers(0, 2),
    ),
    max_size=60,
)


def speak_all(budget: Budget, said: list[Offer]) -> list[tuple[Offer, float, float]]:
    """Speak one after the other, each as soon as it may and as long as was predicted."""
    now_s, out = 0.0, []
    for offer in said:
        words = " ".join(["word"] * offer.words)
        speech = utterance(text=words, kind="critical" if offer.exempt else "finding", weight=offer.weight)
        now_s += offer.gap_s
        begun_s = budget.not_before(speech, now_s)
        assert begun_s >= now_s
        now_s = begun_s + offer.words / WORDS_PER_S
        budget.spoke(speech, begun_s, now_s)
        out.append((offer, begun_s, now_s))
    return out


def worst_minute(spans: list[tuple[float, float]]) -> float:
    """Return the most speech in any window: the worst begins where speech begins or ends where it ends."""
    starts = [begun for begun, _ in spans] + [ended - WINDOW_S for _, ended in spans]
    return max(
        (
            sum(max(0.0, min(ended, start + WINDOW_S) - max(begun, start)) for begun, ended in spans)
            for start in starts
        ),
        default=0.0,
    )


@settings(max_examples=300)
@given(said=offers, share=st.sampled_from([0.5, 0.25]))
def test_in_no_minute_is_more_than_the_share_filled_with_what_could_wait(
    said: list[Offer], share: float
) -> None:
    spoken = speak_all(Budget(BudgetConfig(share=share)), said)
    spans = [(begun, ended) for offer, begun, ended in spoken if not offer.exempt]
    assert worst_minute(spans) <= share * WINDOW_S + 1e-6


def test_what_may_not_wait_uses_up_nothing() -> None:
    budget = Budget()
    for second in range(0, 50, 10):
        budget.spoke(utterance(kind="correction"), second, second + 9.5)
    half_a_minute = utterance(text=" ".join(["word"] * 78), weight=2)
    assert budget.not_before(half_a_minute, 51.0) == 51.0


@pytest.mark.parametrize(
    "speech",
    [utterance(kind=kind) for kind in sorted(EXEMPT_KINDS)]
    + [utterance(kind="greeting", priority=p) for p in (Priority.NOTICE, Priority.ANSWER, Priority.CRITICAL)],
    ids=lambda speech: f"{speech.priority.name} {speech.kind}",
)
def test_what_may_not_wait_never_waits_for_the_budget(speech: Utterance) -> None:
    budget = Budget()
    budget.spoke(utterance(), 0.0, 30.0)
    assert budget.not_before(speech, 30.0) == 30.0
    assert budget.not_before(speech, 45.0) == 45.0


def test_two_items_are_set_apart_by_a_pause() -> None:
    budget = Budget()
    assert budget.not_before(utterance(), 5.0) == 5.0
    budget.spoke(utterance(), 5.0, 7.0)
    assert budget.not_before(utterance(), 7.0) == pytest.approx(7.8)
    assert budget.not_before(utterance(), 9.0) == 9.0


def test_a_full_minute_is_waited_for_no_longer_than_needed() -> None:
    budget = Budget()
    budget.spoke(utterance(), 0.0, 30.0)
    wanted = utterance(text=" ".join(["word"] * 26), weight=2)
    assert budget.not_before(wanted, 30.0) == pytest.approx(60.0), "10 s of the first 30 have left by 70 s"


def test_what_is_longer_than_its_share_of_a_minute_is_said_once_nothing_else_was() -> None:
    budget = Budget()
    long = utterance(text=" ".join(["word"] * 104))
    assert budget.not_before(long, 3.0) == 3.0
    budget.spoke(utterance(), 0.0, 3.0)
    assert budget.not_before(long, 3.8) <= 63.0


def test_light_items_leave_a_part_of_the_minute_to_heavier_ones() -> None:
    budget = Budget()
    budget.spoke(utterance(weight=0), 0.0, 14.0)
    five_seconds = " ".join(["word"] * 13)
    assert budget.not_before(utterance(text=five_seconds, weight=0), 15.0) > 50.0, "18 s would be passed"
    assert budget.not_before(utterance(text=five_seconds, weight=1), 15.0) == 15.0
    budget.spoke(utterance(weight=1), 15.0, 28.0)
    assert budget.not_before(utterance(text=five_seconds, weight=1), 29.0) > 50.0, "half would be passed"
    assert budget.not_before(utterance(text=five_seconds, weight=2), 29.0) > 50.0
    assert budget.not_before(utterance(text=five_seconds, weight=3), 29.0) == 29.0


def test_what_presses_takes_nothing_from_the_share_of_the_rest() -> None:
    budget = Budget()
    budget.spoke(utterance(weight=3), 0.0, 30.0)
    ten_seconds = " ".join(["word"] * 26)
    assert budget.not_before(utterance(text=ten_seconds, weight=2), 31.0) == 31.0
    budget.spoke(utterance(weight=3), 31.0, 45.0)
    assert budget.not_before(utterance(text=ten_seconds, weight=2), 46.0) > 50.0, (
        "48 s in all would be passed"
    )


def test_once_the_agents_have_finished_only_the_pauses_count() -> None:
    budget = Budget()
    budget.spoke(utterance(weight=2), 0.0, 30.0)
    waiting = utterance(text=" ".join(["word"] * 26), weight=2)
    assert budget.not_before(waiting, 31.0) > 50.0
    budget.lift()
    assert budget.not_before(waiting, 31.0) == 31.0


@settings(max_examples=100)
@given(said=st.lists(st.builds(Offer, st.integers(1, 30), st.just(False), st.just(0.0), st.integers(0, 3))))
def test_everything_together_fills_eight_tenths_of_a_minute_at_most(said: list[Offer]) -> None:
    spoken = speak_all(Budget(), said)
    assert worst_minute([(begun, ended) for _, begun, ended in spoken]) <= 0.8 * WINDOW_S + 1e-6


@settings(max_examples=100)
@given(said=offers)
def test_what_presses_may_fill_eight_tenths_of_a_minute_and_no_more(said: list[Offer]) -> None:
    config = BudgetConfig()
    pressing = [Offer(offer.words, offer.exempt, offer.gap_s, weight=3) for offer in said]
    spoken = speak_all(Budget(config), pressing)
    spans = [(begun, ended) for offer, begun, ended in spoken if not offer.exempt]
    assert worst_minute(spans) <= 0.8 * WINDOW_S + 1e-6
    assert config.share * config.gravest == pytest.approx(0.8)
