"""Labels of sentences by a reader who had not seen the code: they are whole, and a gate on what they measure.

The floors lie a little below what was measured when they were set; docs/evaluation-labels.md has the figures.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from lab.evaluation.label_keep import lost
from lab.evaluation.label_kinds import FORMS, RECALLED, fault
from lab.evaluation.label_play import Played, Read
from lab.evaluation.labelled import (
    KINDS,
    LABELS,
    PUBLIC,
    SPLITS,
    STANCES,
    SUBJECTS,
    Label,
    NotALabel,
    best,
    own,
    public,
    rows,
)
from lab.evaluation.labels import (
    HEARD,
    IDLY,
    PRESSED,
    READ,
    TOLD,
    Figure,
    figure,
    figures,
    is_right,
    main,
    marks,
    play_all,
)

OWN = sorted((LABELS / "own").glob("*.jsonl"))
PUBLIC_FILES = sorted((LABELS / PUBLIC).glob("*.jsonl"))


@pytest.fixture(scope="module")
def results() -> Sequence[Played]:
    return play_all(own("develop"))


@pytest.fixture(scope="module")
def found(results: Sequence[Played]) -> Sequence[Figure]:
    return figures(mark for result in results for mark in marks(result))


# -- the labels are whole --------------------------------------------------------------------------


def test_each_label_fits_the_text_of_its_discussion() -> None:
    labelled = [each for split in SPLITS for each in own(split)]
    assert len(labelled) == len(OWN) == 21
    assert sum(len(each.labels) for each in labelled) == 1399
    for each in labelled:
        places = [(label.turn, label.start, label.end) for label in each.labels]
        assert len(set(places)) == len(places)
        for label in each.labels:
            assert all(word in label.text for word in label.keep)


def test_labels_of_public_text_hold_none_of_it() -> None:
    kept = [row for path in PUBLIC_FILES for row in rows(path)]
    assert len(kept) == 664
    for row in kept:
        assert set(row) == {"origin", "turn", "start", "end", "sha256", *_SAID}
        assert len(row["sha256"]) == 16
        assert row["holder"] in ("agent", "other")
        assert all(row["start"] <= first < last <= row["end"] for first, last in row["keep"])
        assert (row["kind"] in KINDS, row["stance"] in STANCES, row["subject"] in SUBJECTS) == (True,) * 3


_SAID = ("kind", "holder", "subject", "stance", "keep", "presses")


def test_the_second_reader_read_sentences_of_the_first() -> None:
    first = {
        (f"{each.split}/{each.discussion.path.name}", label.turn, label.start, label.end)
        for split in SPLITS
        for each in own(split)
        for label in each.labels
    }
    second = rows(LABELS / "second.jsonl")
    assert len(second) == 140
    assert all((row["file"], row["turn"], row["start"], row["end"]) in first for row in second)


def test_a_label_whose_offsets_do_not_fit_is_refused(tmp_path: Path) -> None:
    row = rows(PUBLIC_FILES[0])[0]
    header, turn = {"title": "another text"}, {"agent": "a", "text": "x" * 400}
    name = PUBLIC_FILES[0].name.replace(".labels", "")
    text = "\n".join(map(json.dumps, [header, *[turn] * (row["turn"] + 1)]))
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(NotALabel, match="row 1"):
        list(public(tmp_path))


def test_public_labels_are_left_out_where_their_texts_are_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(public(tmp_path)) == []
    assert main(["--corpora", str(tmp_path), "--misread", "leading"]) == 0
    assert "are left out" in capsys.readouterr().out


# -- the measure -----------------------------------------------------------------------------------


def test_each_form_is_made_right_by_labels_that_exist() -> None:
    for form in FORMS.values():
        assert form.kinds <= KINDS
        assert form.stances <= STANCES
        assert form.whose <= SUBJECTS
        assert form.why
    assert set(RECALLED) <= KINDS


def _label(text: str, kind: str = "action", stance: str = "planned", subject: str = "patient") -> Label:
    return Label(0, 0, len(text), text, kind, "a", subject, stance, (), False)


def test_a_claim_finds_the_sentence_that_it_shares_most_words_with() -> None:
    first, second = _label("Give ceftriaxone 2 g now."), _label("Repeat the lactate at noon.")
    assert best([first, second], "the lactate is repeated at noon") is second
    assert best([first, second], "nothing of this") is None


def test_a_misreading_is_named_by_what_is_wrong_first(results: Sequence[Played]) -> None:
    claim = next(
        read.claim for each in results for read in each.reads if read.label and read.claim.kind == "action"
    )
    text = claim.text
    assert fault(claim, _label(text)) is None
    assert fault(claim, _label(text, subject="relative")) == "subject"
    assert fault(claim, _label(text, kind="textbook")) == "kind"
    assert fault(claim, _label(text, stance="hedged")) == "stance"
    longer = f"{text} This holds only while she stays warm, has a pulse and makes urine, else it does not."
    assert fault(claim, _label(text, stance="conditional")) is None
    if claim.condition is None:
        assert fault(claim, _label(longer, stance="conditional")) == "condition"
    assert not is_right(Read(claim, None, told=True))


def test_words_that_must_not_be_lost_are_counted_by_class() -> None:
    kept = ["not", "left", "6.9", "heparin"]
    assert lost(kept, "Warns against the right side, 6.9.") == [
        ("negation", False),
        ("side", True),
        ("number", False),
    ]
    assert lost(["if", "may"], "Give 2 g.") == [("condition", True), ("hedge", True)]


# -- the gate --------------------------------------------------------------------------------------

FLOORS = {  # measured 0.68, 0.65, 0.15, 0.09
    TOLD: 0.63,
    READ: 0.6,  # 0.65 then, 0.609 since plain views and what fills a silence are read (decisions 125 and 130)
    HEARD: 0.12,
    PRESSED: 0.06,
}


@pytest.mark.parametrize("measure", FLOORS)
def test_sentences_of_styles_left_out_are_read_no_worse_than_before(
    found: Sequence[Figure], measure: str
) -> None:
    share = figure(found, measure)
    assert share.n >= 50
    assert share.hits / share.n >= FLOORS[measure]


def test_at_most_one_in_five_is_told_as_pressing_wrongly(found: Sequence[Figure]) -> None:
    share = figure(found, IDLY)
    assert share.n >= 10
    assert share.hits / share.n <= 0.2
