"""Which words belong to a passage of the sound, and when they will change no more."""

from __future__ import annotations

from realtime.ears.transcript import TURNS_KEPT, RecognisedWord, Transcript, TranscriptNews

STOP = RecognisedWord("Stop.", 0.4, 0.8, 0.9)
WHY = RecognisedWord("Why?", 2.1, 2.5, 0.7)


def written(*news: TranscriptNews) -> Transcript:
    transcript = Transcript()
    for each in news:
        transcript.take(each)
    return transcript


def test_a_word_belongs_where_its_middle_is() -> None:
    transcript = written(TranscriptNews(0, 3.0, (STOP, WHY)))
    assert transcript.between(0.0, 0.61).text == "Stop."
    assert transcript.between(0.0, 0.59).text == ""
    assert transcript.between(0.61, 3.0).text == "Why?"
    assert transcript.between(0.0, 3.0).text == "Stop. Why?"
    assert transcript.between(0.0, 3.0).confidence == 0.8


def test_what_was_said_of_a_turn_before_is_void() -> None:
    transcript = written(
        TranscriptNews(0, 1.0, (RecognisedWord("Shop", 0.4, 0.8, 0.3),)), TranscriptNews(0, 1.2, (STOP,))
    )
    assert transcript.between(0.0, 3.0).text == "Stop."


def test_two_turns_of_the_service_may_be_one_of_ours() -> None:
    transcript = written(TranscriptNews(0, 1.0, (STOP,), over=True), TranscriptNews(1, 2.8, (WHY,)))
    assert transcript.between(0.0, 3.0).text == "Stop. Why?"


def test_a_text_is_settled_behind_the_voice_or_when_the_turn_is_over() -> None:
    assert not Transcript().settled(0.0, 0.2)
    assert not written(TranscriptNews(0, 0.9, (STOP,))).settled(0.8, 0.2)
    assert written(TranscriptNews(0, 1.0, (STOP,))).settled(0.8, 0.2)
    assert written(TranscriptNews(0, 0.9, (STOP,), over=True)).settled(0.8, 0.2)
    assert not written(TranscriptNews(0, 0.9, (STOP,), over=True)).settled(1.4, 0.2), "over, but before"


def test_a_turn_that_goes_on_is_not_over() -> None:
    news = TranscriptNews(0, 0.9, (STOP,), over=True), TranscriptNews(0, 0.95, (STOP,), resumed=True)
    assert not written(*news).settled(0.8, 0.2)


def test_old_turns_are_let_go() -> None:
    transcript = written(*(TranscriptNews(turn, turn + 1.0, (STOP,)) for turn in range(3 * TURNS_KEPT)))
    assert transcript.between(0.0, 1.0).text.count("Stop.") == TURNS_KEPT
