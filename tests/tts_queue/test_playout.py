"""Bookkeeping of one utterance's sound, and of words that an engine joins or gives no times for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tts_queue import Part, Pcm, WordSpan
from tts_queue.ear import EarToken, TextSegment, segments
from tts_queue.playout import Pauses, PlayoutBuffer, display_words
from tts_queue.testing import even_clip, in_parts


def buffer_of(text: str, lasts_s: float = 1.0) -> PlayoutBuffer:
    plan = segments(text)
    buffer = PlayoutBuffer(plan, Pauses())
    for segment in plan:
        (part,) = in_parts(even_clip(segment.spoken, lasts_s), ())
        buffer.add(part)
    return buffer


def test_a_written_word_has_the_time_of_all_that_is_said_for_it() -> None:
    segment = TextSegment(
        (EarToken("BP", "B.P"), EarToken("120/80,", "120 over 80,"), EarToken("now", "now"))
    )
    words = display_words(segment, even_clip(segment.spoken, 0.5).words, 24_000)
    assert [(w.text, w.start_sample, w.end_sample) for w in words] == [
        ("BP", 0, 4800), ("120/80,", 4800, 19200), ("now", 19200, 24000),
    ]  # fmt: skip


def test_an_engine_without_times_of_words_gets_them_by_length() -> None:
    segment = TextSegment((EarToken("a", "a"), EarToken("longer", "longer")))
    words = display_words(segment, (), 9000)
    assert [(w.start_sample, w.end_sample) for w in words] == [(0, 2000), (2000, 9000)]


def test_joined_words_are_gone_back_to_together() -> None:
    (segment,) = segments("It has been so.")
    spans = (
        WordSpan("It", 0, 10),
        WordSpan("has", 10, 40),
        WordSpan("been", 10, 40),
        WordSpan("so.", 40, 60),
    )
    buffer = PlayoutBuffer((segment,), Pauses())
    buffer.add(Part(np.ones(60, np.int16), 60, spans, "joining"))
    buffer.read(30)
    assert buffer.word_end() == 40
    buffer.go_back_to(30)
    assert buffer.at == 10


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=40))
def test_reading_in_any_pieces_gives_every_sample_once(sizes: list[int]) -> None:
    buffer = buffer_of("One two three. Four five six; seven eight nine.", 0.1)
    read: list[Pcm] = []
    for size in sizes * 60:
        piece = buffer.read(size)
        if piece is None:
            break
        assert piece.content_start == sum(len(pcm) for pcm in read)
        assert len(piece.pcm) <= size
        read.append(piece.pcm)
    assert sum(len(pcm) for pcm in read) == min(buffer.total, buffer.at)


@given(st.integers(0, 140_000), st.integers(0, 200_000))
def test_going_back_reaches_the_start_of_a_word_never_ahead_and_never_far(at: int, heard: int) -> None:
    buffer = buffer_of("One two three. Four five six.")
    buffer.read(48_000)
    buffer.read(100_000, stop=max(48_001, at))
    before = buffer.at
    buffer.go_back_to(heard)
    assert buffer.at <= before
    assert before < 48_000 or buffer.at <= heard or buffer.at == 0 or buffer.at == before
    starts = {0, 16_000, 32_000, *(round(48_000 * 1.3) + n * 16_000 for n in range(3))}
    assert buffer.at in starts or buffer.at == before


@pytest.mark.parametrize(
    ("session", "content"), [(0, 0), (99, 0), (100, 0), (150, 50), (300, 100), (9_999, 100)]
)
def test_content_follows_the_session_through_a_run(session: int, content: int) -> None:
    buffer = buffer_of("One two three.")
    piece = buffer.read(100)
    assert piece is not None
    buffer.wrote(piece, 100)
    assert buffer.content_at(session) == content
    assert (buffer.start_sample, buffer.end_sample) == (100, 200)
