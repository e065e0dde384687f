"""Text without an end, and text that no agent should write: read in good time, and no word of it lost."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, CasePaper, Delta, Update
from exaim_core.text.boundaries import MOST_CHARS, parts
from exaim_core.text.jsontext import pairs_of
from exaim_core.text.openings import MOST_JSON_CHARS
from exaim_core.text.reader import Reader
from exaim_core.text.token_gate import Chunk, Piece
from exaim_core.text.units import Heading, JsonBlock, Sentence, Unit

POTASSIUM = "the patient has a potassium of 6.9 mmol/L and "
PAPER = CasePaper.model_validate(
    {
        "case_id": "x",
        "allergies": [{"substance": "penicillin", "reaction": "rash"}],
        "labs": [{"analyte": "potassium", "value": 4.4, "unit": "mmol/L"}],
        "medication": [{"drug": "warfarin", "dose": 3, "unit": "mg"}],
    }
)


def read(text: str, size: int = 1_000_000) -> list[Unit]:
    reader, units = Reader("doctor1"), list[Unit]()
    for seq, start in enumerate(range(0, len(text), size)):
        piece = text[start : start + size]
        units += reader.push(Chunk("doctor1", piece, "x", (Piece(seq, 0.0, len(piece)),), 0.0))
    return units + reader.end_turn()


def texts(units: list[Unit]) -> list[str]:
    return [unit.full for unit in units if isinstance(unit, Sentence)]


async def told(text: str) -> tuple[Update, ...]:
    """Return the updates of one turn, sent as a live team may: 8,000 characters an event."""
    engine, updates = EXAIM(paper=PAPER), tuple[Update, ...]()
    starts = range(0, len(text), 8_000)
    for seq, start in enumerate(starts):
        updates += await engine.feed(Delta("doctor0", text[start : start + 8_000], seq, 0.1 * seq))
    return (
        *updates,
        *await engine.turn_end("doctor0", len(starts), 9_000.0),
        *await engine.finish(9_001.0),
    )


@pytest.mark.parametrize(
    "piece",
    [
        "9", "9.", "9 ", "a", "a, ", "A ", "AB-", "(a) ", "((", "[", "_", "*", "#", "`", " ", "\n",
        "\n- a", "\n{", "{\"a\": [", "\"a\": ", "if the ", "as x ", "and ", "new ", "which is ",
        "we withdraw the ", "at 12:30 ", "potassium is 9 ", "Na 120 K 6 ", "GCS 3 ", "9 mg/kg ",
        "stop the heparin and ", "avoid penicillin with ", "diagnostic ",
        "I agree with Doctor Zero that ", "the left the right ", "1 to ",
    ],
)  # fmt: skip
async def test_no_text_stops_the_engine(piece: str) -> None:
    """None takes over some seconds; each of these once took many times longer for twice the length."""
    text = piece * (16_000 // len(piece)) + " x"
    assert (await told(f"The potassium {text}"))[-1].path == "end"


async def test_a_turn_of_64000_characters_without_a_full_stop_is_told() -> None:
    """Eight events, and four times what any one part of a turn may be."""
    updates = await told(POTASSIUM * (4 * MOST_JSON_CHARS // len(POTASSIUM)))
    assert any("6.9" in item.text for update in updates for item in update.items)


@pytest.mark.parametrize("size", [1, 7, 600, 1_000_000])
@pytest.mark.parametrize(
    "text",
    [POTASSIUM * 100, "- **Potassium**: " + "high, " * 500, "x" * 4_500, "# " + "a b " * 700 + "\nend."],
)
def test_a_sentence_without_an_end_is_cut_at_blanks_and_loses_no_word(text: str, size: int) -> None:
    found = texts(read(text, size))
    assert found == texts(read(text))
    assert all(len(part) <= MOST_CHARS + len("Potassium: ") for part in found)
    assert len(found) > 1
    if " " in text:
        plain = text.translate({ord(mark): None for mark in "-*#"})
        assert " ".join(found).split() == plain.split()


def test_a_cut_is_rather_behind_a_comma() -> None:
    text = "word " * 90 + "no fever, " + "and no cough " * 30
    assert [part.split()[-1] for part in parts(text)] == ["fever,", "cough"]


@pytest.mark.parametrize("blank", [" ", "\t", "\n"])
def test_blanks_alone_make_no_sentence(blank: str) -> None:
    assert texts(read(f"Cold hands.{blank * 5_000}Warm feet.")) == ["Cold hands.", "Warm feet."]


def test_a_line_that_is_too_long_for_a_heading_is_text() -> None:
    assert not any(isinstance(unit, Heading) for unit in read("## " + "potassium " * 300))


@pytest.mark.parametrize("size", [1, 600, 1_000_000])
@pytest.mark.parametrize("opening", ["{", "```json\n{"])
def test_a_block_that_never_ends_is_text_again(opening: str, size: int) -> None:
    """It once took in all that came until the end of the turn, and told nothing of it."""
    text = f"{opening}\n" + "The hand is cold.\n" * 2_000
    found = texts(read(text, size))
    assert found == texts(read(text))
    assert found.count("The hand is cold.") == 2_000


def test_a_line_of_json_that_is_too_long_is_text() -> None:
    found = read('{"Recommended Tests": "' + "a b " * (MOST_JSON_CHARS // 4) + '"}')
    assert not any(isinstance(unit, JsonBlock) for unit in found)
    assert all(len(text) <= MOST_CHARS for text in texts(found))


def test_a_long_value_in_json_comes_in_parts() -> None:
    (block,) = read('{"Recommended Tests": "' + "ECG  and " * 400 + '"}')
    assert isinstance(block, JsonBlock)
    ((_, values),) = block.pairs
    assert len(values) > 1
    assert " ".join(values).split() == "ECG and".split() * 400


def test_json_that_is_nested_by_the_thousand_ends_nothing() -> None:
    assert pairs_of('{"a": ' + "[" * 5_000 + "]" * 5_000 + "}") == (("a", ()),)
