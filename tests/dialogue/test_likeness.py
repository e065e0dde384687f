"""What shares no word with a question is found by its meaning; without vectors in time it is answered by words."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from agents.dialogue import Answer, Dialogue, Question
from agents.dialogue.compose import grounded, slots
from agents.dialogue.embeddings import Embeddings, EncoderMissing, SentenceEncoder, Vector
from agents.dialogue.look_up import FactGroup
from agents.dialogue.made_once import Make, made_once
from agents.dialogue.passages import Passages
from agents.dialogue.values import MOST_WORDS
from exaim_core import BoardView, CasePaper
from tests.dialogue.scoring import paper_of
from tests.dialogue.test_before import said

_TALK = said(
    ("surgeon", "A bioprosthesis this time. / She is 34 and wants children."),
    ("anaesthetist", "Fasted since six."),
    ("nurse", "The relatives wait outside."),
)
_QUESTION = "which valve goes in"
_NOTHING = "that is not a no"


class Topics:
    """A twin of an encoder: texts on a topic have one vector, each other text points elsewhere."""

    def __init__(self, *topic: str) -> None:
        self._topic = topic
        self._others: dict[str, int] = {}
        self.goes = threading.Event()
        self.goes.set()

    def encode(self, text: str) -> Vector:
        self.goes.wait(5.0)
        vector = np.zeros(64, dtype=np.float32)
        of_topic = any(word in text for word in self._topic)
        vector[0 if of_topic else self._others.setdefault(text, 1 + len(self._others))] = 1.0
        return vector


async def answered(
    question: str,
    board: BoardView,
    encoder: SentenceEncoder | None,
    within_s: float = 2.0,
    paper: CasePaper | None = None,
) -> Answer:
    embeddings = None if encoder is None else Embeddings(lambda: encoder)
    dialogue = Dialogue(thread_id="t", paper=paper, embeddings=embeddings, meant_within_s=within_s)
    if embeddings is not None and within_s > 1.0:  # as a session has it: all is read when a question comes
        await embeddings.of(question, dialogue.texts(board), 60.0)
    return await dialogue.answer(Question("turn-1", question, board, None, 0))


async def test_what_shares_no_word_with_a_question_is_found_by_its_meaning() -> None:
    by_words = await answered(_QUESTION, _TALK, None)
    assert "bioprosthesis" not in by_words.text and _NOTHING in by_words.text
    found = await answered(_QUESTION, _TALK, Topics("valve", "bioprosthesis"))
    assert "bioprosthesis" in found.text, found.text


async def test_vectors_that_are_late_leave_the_answer_by_words() -> None:
    late = Topics("valve", "bioprosthesis")
    late.goes.clear()
    answer = await answered(_QUESTION, _TALK, late, within_s=0.01)
    late.goes.set()
    assert answer == await answered(_QUESTION, _TALK, None)


async def test_nothing_comes_between_a_value_of_the_record_and_its_course() -> None:
    talk = said(("doctor", "Repeat potassium, the value of 6.1 came from a haemolysed sample."))
    answer = await answered(
        "what is the potassium", talk, Topics("potassium"), paper=paper_of("hyperkalaemia")
    )
    assert answer.sentences[1].text.startswith("Before that, potassium 6.1"), answer.text


async def test_another_drug_is_no_answer_however_like() -> None:
    talk = said(("pharmacist", "Cefuroxime 1.5 g at induction."), ("nurse", "Relatives wait outside."))
    answer = await answered("what dose of gentamicin", talk, Topics("gentamicin", "Cefuroxime"))
    assert _NOTHING in answer.text, answer.text


async def test_who_notes_a_board_has_it_read_before_anybody_asks() -> None:
    encoder = Topics("valve")
    dialogue = Dialogue(thread_id="t", paper=None, embeddings=Embeddings(lambda: encoder))
    texts = dialogue.texts(_TALK)
    assert "A bioprosthesis this time. She is 34 and wants children. Fasted since six." in texts
    assert len(texts) == 2 * len(_TALK.said)


@pytest.fixture(scope="module")
def minilm() -> SentenceEncoder:
    from agents.dialogue.minilm import MiniLM

    try:
        return MiniLM()
    except EncoderMissing as missing:
        pytest.skip(str(missing))


def test_the_packaged_encoder_knows_what_is_like(minilm: SentenceEncoder) -> None:
    asked, like, other = map(
        minilm.encode,
        ("how heavy is she", "Her weight is 51 kg.", "The lumbar puncture can wait until tomorrow."),
    )
    assert asked.shape == (384,)
    assert float(np.linalg.norm(asked)) == pytest.approx(1.0, abs=1e-4)
    assert float(asked @ like) > 0.45 > 0.25 > float(asked @ other)


def test_a_long_text_is_cut_and_an_empty_one_borne(minilm: SentenceEncoder) -> None:
    assert np.isfinite(minilm.encode("potassium " * 5000)).all()
    assert np.isfinite(minilm.encode("")).all()


async def test_the_packaged_encoder_answers(minilm: SentenceEncoder) -> None:
    question = "is her stomach empty"
    assert "asted" not in (await answered(question, _TALK, None)).text
    assert "asted since six" in (await answered(question, _TALK, minilm)).text


def test_the_packaged_encoder_is_rewritten_once_and_does_without_a_folder_to_keep_it(
    minilm: SentenceEncoder, tmp_path: Path
) -> None:
    from agents.dialogue.minilm import MiniLM

    kept, barred = tmp_path / "kept", tmp_path / "a file"
    barred.write_bytes(b"")
    text = "Her weight is 51 kg."
    for folder in (kept, kept, barred):
        assert np.array_equal(MiniLM(folder).encode(text), minilm.encode(text))
    assert len(list(kept.iterdir())) == 1


@pytest.mark.usefixtures("minilm")
def test_a_kept_model_that_goes_before_it_is_open_is_made_for_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agents.dialogue import minilm

    def made_and_gone(source: Path, folder: Path, make: Make) -> Path:
        kept = made_once(source, folder, make)
        if folder == tmp_path:
            kept.unlink()  # by another release that keeps its own there
        return kept

    monkeypatch.setattr(minilm, "made_once", made_and_gone)
    assert np.isfinite(minilm.MiniLM(tmp_path).encode("potassium")).all()


def test_what_is_but_near_and_has_no_name_needs_no_second_opener() -> None:
    passages = Passages(said(("reg", "Resus is busy tonight.")), ())
    fact = passages.fact_of(passages.all[0])
    (near,) = grounded(slots([FactGroup("that", (fact,), nearest=True)]), MOST_WORDS)
    (sure,) = grounded(slots([FactGroup("that", (fact,))]), MOST_WORDS)
    assert near.text == "REG says: resus is busy tonight."
    assert sure.text == "On that: REG says: resus is busy tonight."
