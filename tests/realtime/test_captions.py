from __future__ import annotations

from realtime.room.captions import KEPT_SEGMENTS, Caption, Captions, TimedWord


def words(text: str, start: int, step: int = 10) -> tuple[TimedWord, ...]:
    return tuple(TimedWord(word, start + step * n) for n, word in enumerate(text.split()))


def test_words_come_out_as_the_played_position_passes_them() -> None:
    captions = Captions()
    captions.add("x", 0, words("Potassium is high.", 100))
    assert captions.due(99) == []
    assert captions.due(100) == [Caption("x.0", "Potassium", final=False)]
    assert captions.due(109) == []
    assert captions.due(125) == [Caption("x.0", "Potassium is high.", final=True)]
    assert captions.due(10_000) == []


def test_segments_come_out_in_order_and_each_is_final_once() -> None:
    captions = Captions()
    captions.add("x", 0, words("One two.", 0))
    captions.add("x", 1, words("Three.", 50))
    assert [(c.segment_id, c.final) for c in captions.due(60)] == [("x.0", True), ("x.1", True)]


def test_after_a_hold_the_text_goes_on_and_no_word_is_lost() -> None:
    captions = Captions()
    captions.add("x", 0, words("Potassium is very high.", 0))
    captions.due(15)
    captions.hold("x")
    assert captions.due(40) == [], "what was not heard before the hold is not shown"
    captions.add("x", 0, words("is very high.", 100))
    assert captions.due(105) == []
    assert captions.due(110) == [Caption("x.0", "Potassium is very", final=False)]
    assert captions.due(125) == [Caption("x.0", "Potassium is very high.", final=True)]


def test_a_last_word_that_is_said_again_is_not_shown_again() -> None:
    captions = Captions()
    captions.add("x", 0, words("One two.", 0))
    assert captions.due(10)[0].final
    captions.hold("x")
    captions.add("x", 0, words("two.", 100))
    assert captions.due(200) == []


def test_what_was_shown_of_a_cut_utterance_is_final_and_the_rest_never_comes() -> None:
    captions = Captions()
    captions.add("x", 0, words("One two three.", 0))
    captions.add("x", 1, words("Four.", 50))
    captions.due(10)
    captions.cut("x")
    assert captions.due(100) == [Caption("x.0", "One two", final=True)]
    assert captions.due(100) == []


def test_a_hold_or_a_cut_touches_its_own_utterance_only() -> None:
    captions = Captions()
    captions.add("x", 0, words("One.", 0))
    captions.add("x.r1", 0, words("Two.", 0))
    captions.hold("x")
    captions.cut("x")
    assert captions.due(5) == [Caption("x.r1.0", "Two.", final=True)]


def test_a_segment_without_words_says_nothing() -> None:
    captions = Captions()
    captions.add("x", 0, ())
    assert captions.due(10) == []


def test_at_most_eight_segments_wait_and_the_oldest_goes_first() -> None:
    captions = Captions()
    for index in range(KEPT_SEGMENTS + 2):
        captions.add("x", index, words("Word.", 100))
    assert [c.segment_id for c in captions.due(100)] == [f"x.{n}" for n in range(2, KEPT_SEGMENTS + 2)]
