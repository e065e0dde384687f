"""A question's vector is turned towards what answers such questions; vectors of another encoder stay as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents.dialogue.minilm import MiniLM
from agents.dialogue.passages import Passages
from agents.dialogue.query_adapter import LONGER, adapted
from lab.evaluation.query_adapter import Asked, found, learned, write
from tests.dialogue.test_before import said


def test_a_question_is_turned_and_keeps_its_length_but_for_the_factor() -> None:
    question = MiniLM().encode("any clot buster?")
    turned = adapted(question)
    assert np.linalg.norm(turned) == pytest.approx(LONGER, abs=1e-3)
    assert float(turned @ question) < LONGER * 0.99


def test_an_answer_gains_on_what_only_repeats_the_question() -> None:
    encoder = MiniLM()
    question = encoder.encode("how much labetalol did we settle on")
    answer = encoder.encode("20 mg slowly, then 1 mg a minute.")
    again = encoder.encode("We have to settle how much labetalol.")
    assert adapted(question) @ (answer - again) > question @ (answer - again)


def test_the_vector_of_another_encoder_stays_as_it_is() -> None:
    vector = np.eye(64, dtype=np.float32)[0]
    assert adapted(vector) is vector


def test_what_is_learned_puts_the_answer_first(tmp_path: Path) -> None:
    axes = np.eye(8, dtype=np.float32)
    asked = Asked(axes[:2], axes[[0, 1, 4, 5]], np.array([[0, 0, 1, 0], [0, 0, 0, 1]], dtype=bool))
    shift = learned([asked] * 60)
    assert found([asked], np.zeros_like(shift)) == ((0, 2, 2), 2)
    assert found([asked], shift) == ((2, 2, 2), 2)
    write(shift, tmp_path / "made.npz")
    with np.load(tmp_path / "made.npz") as kept:
        again = kept["weights"].astype(np.float32) * kept["scales"][:, None]
    assert np.allclose(again, shift, atol=float(np.abs(shift).max()) / 127)


def test_a_restraint_that_is_like_the_question_as_it_was_asked_is_not_lost() -> None:
    encoder, question = MiniLM(), "may she eat now"
    talk = said(
        ("doctor", "Don't lie him flat."),
        ("nurse", "No supine position."),
        ("nurse", "She may not eat anything before theatre."),
    )
    passages = Passages(talk, ())
    vectors = [encoder.encode(text) for text in (question, *passages.likeness.texts)]
    passages.liken(vectors)
    assert max(passages.like.values()) < 0.45 < max(passages.likeness.as_asked(vectors[0], vectors[1:]))
    assert [one.text for one in passages.restraining_like(question)] == [
        "She may not eat anything before theatre."
    ]
