from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from exaim_core.text.boundaries import MOST_CHARS
from exaim_core.text.jsontext import pairs_of
from exaim_core.text.marks import plain
from exaim_core.text.reader import Reader
from exaim_core.text.sections import Section, classify, classify_label
from exaim_core.text.token_gate import Chunk, Piece
from exaim_core.text.units import Heading, JsonBlock, Sentence, Unit

TURN = """Thank you, Doctor0. I see it otherwise.

### Most Likely Diagnosis:
**Marfan Syndrome (MFS)** - Tall stature, vs. the mean. The father has it too.

### Differential Diagnoses:
1. **Ehlers-Danlos Syndrome**: less likely with 6.5 cm roots.
2. **Homocystinuria:**
   Should be looked for.

1. **Recommended Tests**:
   - Echocardiogram
   - Genetic testing (if the echocardiogram is abnormal)

```json
{"Most Likely Diagnosis": "Marfan Syndrome", "Areas of Disagreement": []}
```
That is all"""


def read(text: str, size: int) -> list[Unit]:
    reader, units = Reader("doctor1"), list[Unit]()
    for seq, start in enumerate(range(0, len(text), size)):
        piece = text[start : start + size]
        units += reader.push(Chunk("doctor1", piece, "x", (Piece(seq, 0.1 * seq, len(piece)),), 0.1 * seq))
    return units + reader.end_turn()


def shapes(units: list[Unit]) -> list[tuple[str, ...]]:
    shown: list[tuple[str, ...]] = []
    for unit in units:
        match unit:
            case Heading(text, section, _):
                shown.append(("heading", section, text))
            case Sentence():
                shown.append(("sentence", unit.section, unit.item or "", unit.text))
            case JsonBlock(pairs, _, _):
                shown.append(("json", str(pairs)))
    return shown


def test_a_turn_is_read_into_headings_items_sentences_and_json() -> None:
    assert shapes(read(TURN, 10_000)) == [
        ("sentence", "other", "", "Thank you, Doctor0."),
        ("sentence", "other", "", "I see it otherwise."),
        ("heading", "leading", "Most Likely Diagnosis"),
        ("sentence", "leading", "Marfan Syndrome (MFS)", "Tall stature, vs. the mean."),
        ("sentence", "leading", "Marfan Syndrome (MFS)", "The father has it too."),
        ("heading", "differential", "Differential Diagnoses"),
        ("sentence", "differential", "Ehlers-Danlos Syndrome", "less likely with 6.5 cm roots."),
        ("sentence", "differential", "Homocystinuria", ""),
        ("sentence", "differential", "Homocystinuria", "Should be looked for."),
        ("heading", "tests", "Recommended Tests"),
        ("sentence", "tests", "", "Echocardiogram"),
        ("sentence", "tests", "", "Genetic testing (if the echocardiogram is abnormal)"),
        ("json", "(('Most Likely Diagnosis', ('Marfan Syndrome',)), ('Areas of Disagreement', ()))"),
        ("sentence", "differential", "", "That is all"),
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 40])
def test_how_the_text_is_cut_changes_nothing(size: int) -> None:
    assert shapes(read(TURN, size)) == shapes(read(TURN, 10_000))


@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet='aB .*#-1:\n`{}"', max_size=120), size=st.integers(1, 9))
def test_any_text_is_read_without_an_error_and_to_its_end(text: str, size: int) -> None:
    reader = Reader("doctor1")
    for seq, start in enumerate(range(0, len(text), size)):
        piece = text[start : start + size]
        reader.push(Chunk("doctor1", piece, "x", (Piece(seq, 0.0, len(piece)),), 0.0))
    reader.end_turn()
    assert reader.pending_from_seq is None


@pytest.mark.parametrize("size", [7, 50_000])
@pytest.mark.parametrize("words", ["potassium of 6.9 mmol/L and ", "x"], ids=["words", "one word"])
def test_a_sentence_without_an_end_is_cut_at_a_blank_and_loses_nothing(words: str, size: int) -> None:
    text = words * (9_000 // len(words))
    sentences = [unit.text for unit in read(text, size) if isinstance(unit, Sentence)]
    assert len(sentences) > 8
    assert max(map(len, sentences)) <= MOST_CHARS
    assert "".join(sentences).replace(" ", "") == text.replace(" ", "")
    assert all(each.split()[0] in words.split() for each in sentences if " " in words)


def test_a_sentence_names_the_deltas_it_came_from() -> None:
    first, second = [unit.source for unit in read("One two. Three four.", 5)]
    assert (first.first_seq, first.last_seq) == (0, 1)
    assert (second.first_seq, second.last_seq) == (1, 3)


def test_headings_announce_their_sections() -> None:
    assert classify("2. Recommended Diagnostic Tests Consensus:") is Section.TESTS
    assert classify("Areas of Disagreement") is Section.DISAGREEMENT
    assert classify("Conclusion") is Section.OTHER
    assert classify_label("Genetic Testing") is Section.OTHER
    assert classify_label("Differential Diagnoses") is Section.DIFFERENTIAL


def test_json_that_does_not_parse_is_read_by_hand() -> None:
    broken = '{"Most Likely Diagnosis": "Lupus", "Recommended Tests": ["ANA", "dsDNA",], }'
    assert pairs_of(broken) == (
        ("Most Likely Diagnosis", ("Lupus",)),
        ("Recommended Tests", ("ANA", "dsDNA")),
    )
    assert pairs_of("no object") == ()
    assert pairs_of('{"Tests": "1. Karyotype, 2. EEG"}') == (("Tests", ("Karyotype", "EEG")),)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Stop alendronate, ~~switch to denosumab~~.", "Stop alendronate, ."),
        ("Stop <del>ramipril</del> bisoprolol now.", "Stop bisoprolol now."),
        ("Potassium ~~6.9~~ 5.1 mmol/L.", "Potassium 5.1 mmol/L."),
        ("About ~~5 mg of it.", "About 5 mg of it."),
    ],
)
def test_what_is_struck_out_is_not_said(written: str, said: str) -> None:
    assert plain(written) == said


@pytest.mark.parametrize(
    "line",
    [
        "#8 Asthma, two ICU stays.",
        "#1 Mrs Okonjo, 61, 58 kg.",
        "#3 NIHSS 17 at 08:12.",
        "#12 Core 18 ml, penumbra 96 ml.",
        "#10 Apixaban 5 mg twice daily on her list.",
        "#7 No bleed.",
        "#18 Drop below 140: off.",
        "#2: glucose 2.1, drowsy.",
        "#44 Withdraw the morphine.",
        "#5, #6 and #9 stand.",
        " #11 re #1: nobody saw her get up.",
        "#100 Platelets 21.",
    ],
)
def test_a_number_sign_before_a_number_is_an_entry_of_a_list_and_no_heading(line: str) -> None:
    units = read(f"{line}\nCall the ward.", 7)
    assert not any(isinstance(unit, Heading) for unit in units)
    assert " ".join(unit.text for unit in units if isinstance(unit, Sentence)).startswith(line.strip()[:12])


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("# 8 things to avoid", "8 things to avoid"),
        ("## 2. Plan", "2. Plan"),
        ("### 1) Differential", "1) Differential"),
        ("#Plan", "Plan"),
        ("##Plan", "Plan"),
        ("# Plan #", "Plan"),
        ("###### Notes", "Notes"),
        ("#\t3 Tests", "3 Tests"),
        ("## Day 2", "Day 2"),
        ("  # Assessment", "Assessment"),
        ("##2 Plan", "2 Plan"),
        ("#Treatment 1", "Treatment 1"),
    ],
)
def test_a_heading_with_a_blank_a_word_or_two_signs_stays_one(line: str, heading: str) -> None:
    units = read(f"{line}\nCall the ward.", 7)
    assert heading.split()[-1] in " ".join(unit.text for unit in units if isinstance(unit, Heading))


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("| Potassium | 6.9 mmol/L |\n|---|---|\n| Sodium | 138 mmol/L |", ["6.9 mmol/L", "138 mmol/L"]),
        ("| Potassium | **6.9** |\n|---|---|\n| Sodium | 138 |", ["6.9", "138"]),
        ("| Test | Value |\n|---|---|\n| K | 6.9 |\n|---|---|\n| Na | 138 |", ["6.9", "138"]),
        ("|---|---|\n| Test | Value |\n|---|---|\n| K | 6.9 |\n|---|---|", ["6.9"]),
        ("| Plan | Why |\n|---|---|\n| fluids | dry |\n|---|---|\n| rest | ill |", ["Why: dry", "Why: ill"]),
        ("| Test | 12 May | 0 h |\n|---|---|---|\n| K | 5.1 | 6.9 |", ["12 May: 5.1; 0 h: 6.9"]),
        ("| Potassium | > 6.5 mmol/L |\n|---|---|\n| Do | calcium |", ["> 6.5 mmol/L: calcium"]),
        ("| Item | 5 mg |\n|---|---|\n| pain | less |", ["5 mg: less"]),
        (
            "| Test | Value |\n|---|---|\n| K | 6.9 |\n| Item | Status |\n|---|---|\n| bed | free |",
            ["6.9", "Status: free"],
        ),
    ],
)
def test_a_rule_in_a_table_takes_no_row_for_a_header(table: str, told: list[str]) -> None:
    for size in (1, 10_000):
        assert [unit.text for unit in read(table, size) if isinstance(unit, Sentence)] == told


BELOW_A_ROW = "| Test | Value |\n|---|---|\n| Creatinine | 90 |\n"


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("| Time | Hb | K |\n|---|---|---|\n| 08:00 | 61 | 6.9 |", ["Hb, K", "Hb: 61; K: 6.9"]),
        ("| Potassium | Sodium |\n|---|---|\n| 6.9 | 110 |", ["Sodium", "Sodium: 110"]),
        ("| CSF | |\n|---|---|\n| Glucose | 1.8 |", ["", "1.8"]),
        (
            "| Drug | Contraindicated because |\n|---|---|\n| X | bleeding |",
            ["Contraindicated because: bleeding"],
        ),
        ("| Potassium | pending |\n|---|---|\n| Hb | 61 |", ["pending", "61"]),
        ("| Avoid | heparin |\n|---|---|\n| Sodium | 108 |", ["heparin", "108"]),
        ("| Allergy | penicillin |\n|---|---|\n| rash | 2019 |", ["penicillin", "penicillin: 2019"]),
    ],
)
def test_a_row_below_another_may_be_a_row_and_a_header(table: str, told: list[str]) -> None:
    for size in (1, 10_000):
        units = [unit for unit in read(BELOW_A_ROW + table, size) if isinstance(unit, Sentence)]
        assert [unit.text for unit in units] == ["90", *told]


def test_a_header_below_a_title_and_a_row_of_one_cell_are_read() -> None:
    below_a_title = read("| Gas | |\n|---|---|\n| Time | Hb |\n|---|---|\n| 08:00 | 61 |", 7)
    assert [unit.text for unit in below_a_title if isinstance(unit, Sentence)][-1] == "Hb: 61"
    assert [unit.text for unit in read("| 1 | a |\n| Urine |\n|---|\n| K 6.9 |", 7)][-1:] == [""]


TABLE = "| Test | Value |\n|---|---|\n| Potassium | 6.9 mmol/L |\n| Mood | low |\n"


def pushed(reader: Reader, text: str, seq: int) -> list[str]:
    units = reader.push(Chunk("doctor1", text, "x", (Piece(seq, 0.1 * seq, len(text)),), 0.1 * seq))
    return [unit.text for unit in units if isinstance(unit, Sentence)]


@pytest.mark.parametrize("behind", ["He is", "He is well. He", '{"a": 1}\n', "# Plan\n", "\n", "12 h on"])
def test_the_last_row_of_a_table_waits_for_the_next_line_at_most(behind: str) -> None:
    reader = Reader("doctor1")
    assert pushed(reader, TABLE, 1) == ["6.9 mmol/L", "low"]
    assert pushed(reader, "| Item | Status |\n", 2) == []
    assert reader.pending_from_seq == 2
    assert pushed(reader, behind, 3)[:1] == ["Status"]
    assert reader.pending_from_seq in {3, None}
