"""What the cleaner lets through: no thinking, characters in one plain form, tables and JSON as sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exaim_core import EXAIM, Delta
from exaim_core.text.cleaning import TextCleaner, fold
from exaim_core.text.jsonstatements import statements_of
from exaim_core.text.jsontext import parsed
from exaim_core.text.marks import is_machinery, plain
from exaim_core.text.reader import Reader
from exaim_core.text.token_gate import Chunk, Piece
from exaim_core.text.units import Sentence
from exaim_live.thinking import HIDDEN


def through(text: str, size: int) -> str:
    cleaner = TextCleaner()
    shown = "".join(cleaner.take(text[at : at + size]) for at in range(0, len(text), size))
    return shown + cleaner.end_turn()


@pytest.mark.parametrize("tag", sorted(HIDDEN))
@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_thinking_is_cut_out_wherever_its_tags_are_split(tag: str, size: int) -> None:
    text = f"Before. <{tag}>Start alteplase. <b>x</b> <{tag}>deeper</{tag}> back</{tag}>After."
    assert through(text, size) == "Before. After."


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_thinking_that_is_never_closed_ends_with_the_turn(size: int) -> None:
    assert through("Before. <think>The potassium is 7.9 mmol/L.", size) == "Before. "
    cleaner = TextCleaner()
    cleaner.take("<think>never closed")
    cleaner.end_turn()
    assert cleaner.take("The next turn.") == "The next turn."


@pytest.mark.parametrize(
    "text", ["K < 3.5 and Na > 150", "a <b>bold</b> word", "<thinkpad> is a brand", "x <thi"]
)
def test_what_is_no_hidden_tag_stays(text: str) -> None:
    assert [through(text, size) for size in (1, 2, 100)] == [text] * 3


@given(st.text(alphabet="<>/think abc", max_size=60), st.integers(1, 9))
def test_how_text_is_split_changes_nothing(text: str, size: int) -> None:
    assert through(text, size) == through(text, 1000)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("K⁺ 6·9 mmol/L", "K+ 6.9 mmol/L"),
        ("SpO₂ 8\u00ad8\u202f%", "SpO2 88 %"),
        ("platelets 12 × 10⁹/L", "platelets 12 × 10^9/L"),
        ("per 1.73 m²", "per 1.73 m²"),
        ("Ca²⁺", "Ca2+"),
        ("К+ is 6.9", "K+ is 6.9"),
        ("рак", "рак"),
        ("６.９", "6.9"),
    ],
)
def test_characters_have_one_plain_form(written: str, read: str) -> None:
    assert fold(written) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"$\text{K}^{+} = 6.9\ \text{mmol/L}$", "K+ = 6.9 mmol/L"),
        (r"$12 \times 10^{9}$/L", "12 x 10^9/L"),
        ("costs $5 and $7", "costs $5 and $7"),
        ("see [the trial](https://example.org/x)", "see the trial"),
    ],
)
def test_notation_becomes_text(written: str, read: str) -> None:
    assert plain(written) == read


def sentences(text: str) -> list[str]:
    reader = Reader("doctor1")
    units = reader.push(Chunk("doctor1", text, "x", (Piece(0, 0.0, len(text)),), 0.0)) + reader.end_turn()
    return [unit.full for unit in units if isinstance(unit, Sentence)]


def test_a_row_of_a_table_is_a_sentence_under_its_header() -> None:
    table = (
        "| Test | Result | Unit | Reference |\n|---|---|---|---|\n| Potassium | 6.9 | mmol/L | 3.5-5.0 |\n"
    )
    assert sentences(table) == ["Potassium: 6.9 mmol/L"]
    options = "| Option | For | Against |\n|---|---|---|\n| Surgery | definitive | frail |\n\nThen text."
    assert sentences(options) == ["Surgery: For: definitive; Against: frail", "Then text."]
    assert sentences("| Potassium | 6.9 mmol/L |\n") == ["Potassium: 6.9 mmol/L"]


def test_what_stands_in_json_is_read_under_its_key() -> None:
    labs = '"labs": [{"test": "K", "value": 6.9, "unit": "mmol/L"}]'
    said = f'{{{labs}, "nextSteps": "1. ECG, 2. calcium", "ok": true}}'
    found = [(each.path, each.text, each.step) for each in statements_of(parsed(said) or [])]
    steps = ("next Steps",)
    assert found == [(("labs",), "K: 6.9 mmol/L", False), (steps, "ECG", True), (steps, "calcium", True)]


@pytest.mark.parametrize(
    "line", ["FINISH", "**TERMINATE**", "Action: search[dose]", "Next speaker: cardiologist", "Round 2"]
)
def test_words_to_the_framework_are_machinery(line: str) -> None:
    assert is_machinery(plain(line))


@pytest.mark.parametrize(
    "line", ["end.", "Stop the heparin.", "Next, an ECG.", "Support the airway.", "Round pupils."]
)
def test_words_about_the_case_are_none(line: str) -> None:
    assert not is_machinery(plain(line))


async def test_thinking_reaches_neither_board_nor_voice() -> None:
    engine, said = EXAIM(), "<think>Critical: potassium 7.9 mmol/L. Start alteplase 50 mg.</think>I agree."
    for seq, char in enumerate(said):
        assert await engine.feed(Delta("doctor0", char, seq, 0.0)) == ()
    updates = await engine.finish(9.0)
    told = " ".join([*(item.text for update in updates for item in update.items), str(updates[-1].summary)])
    assert "7.9" not in told
    assert "alteplase" not in told


def test_of_a_tag_that_is_begun_only_a_few_blanks_are_held_back() -> None:
    cleaner = TextCleaner()
    said = "".join(cleaner.take(piece) for piece in ("a <", *" " * 1_000))
    assert len(said) > 900
    assert said + cleaner.take("think") + cleaner.end_turn() == f"a <{' ' * 1_000}think"
    assert "".join((cleaner.take("b < "), cleaner.take(" think >c</think>d"), cleaner.end_turn())) == "b d"
