"""Which number a sentence gives for a name, in which unit, and whose it is."""

from __future__ import annotations

import pytest

from exaim_core.claims.claim_reader import ClaimReader
from exaim_core.claims.claims import Claim
from exaim_core.claims.critical import critical_findings, relieved
from exaim_core.text.cleaning import fold
from exaim_core.text.marks import plain
from exaim_core.text.reader import Reader
from exaim_core.text.token_gate import Chunk, Piece
from exaim_core.text.units import Sentence


def found(sentence: str, *above: str, child: bool = False) -> list[str]:
    return [
        f"{one.name} {one.value}"
        for one in critical_findings(sentence, above=above, child=child)
        if one.value
    ]


def units_of(text: str) -> list[Sentence]:
    reader, text = Reader("doctor1"), fold(text)
    units = reader.push(Chunk("doctor1", text, "x", (Piece(0, 0.0, len(text)),), 0.0)) + reader.end_turn()
    return [unit for unit in units if isinstance(unit, Sentence)]


def alarms(text: str) -> list[str]:
    claims = ClaimReader("doctor1").read(units_of(text))
    return [each.critical.key for each in claims if isinstance(each, Claim) and each.critical]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("four hundred and twelve micromoles per litre", "412 µmol/L"),
        ("eighty-four thousand units per litre", "84000 U/L"),
        ("six times ten to the nine per litre", "6 x 10^9/L"),
        ("a GCS of three.", "a GCS of 3."),
        ("one of three.", "one of three."),
        ("the pH is 719 and falling", "the pH is 7.19 and falling"),
        ("a pH of 701", "a pH of 7.01"),
        ("pH: 688", "pH: 6.88"),
        ("the pH is 7190 away", "the pH is 7190 away"),
        ("ten units of insulin", "ten units of insulin"),
        ("Potassium [mmol/L]: 6.9", "Potassium: 6.9 mmol/L"),
        ("Arterial pCO2 (kPa)", "Arterial pCO2 (kPa)"),
        ("a boy (m) 6", "a boy (m) 6"),
        ("240 000 /µL", "240000 /µL"),
        ("1.38 × 10² mmol/L", "138 mmol/L"),
        ("108 mmol per litre", "108 mmol/L"),
        (r"$\mathrm{Ca^{2+}} = 4.1$ mmol/L", "Ca2+ = 4.1 mmol/L"),
        ("PO₄³⁻ 0.2", "PO43- 0.2"),
    ],
)
def test_numbers_and_units_have_one_form(written: str, read: str) -> None:
    assert plain(fold(written)) == read


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Hb 42", ["haemoglobin 42"]),
        ("Hb 12", []),
        ("Hb 4.3", ["haemoglobin 4.3"]),
        ("glucose 31", ["glucose 31"]),
        ("glucose 18", []),
        ("platelets 240000", []),
        ("Temp 107.4", ["temperature 107.4"]),
        ("Temperature 98.4 °F", []),
        ("Sodium was checked at 11:20", []),
        ("Calcium at 18:00, and at 06", []),
        ("Potassium at 08", []),
        ("Two pools of platelets", []),
    ],
)
def test_a_number_without_a_unit_is_critical_only_in_every_unit_it_may_be_in(
    sentence: str, told: list[str]
) -> None:
    assert found(sentence) == told


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("The sodium was 138 mmol/L a year ago and is 109 mmol/L today.", ["sodium 109 mmol/L"]),
        ("The sodium was 109 mmol/L on admission and is 138 mmol/L now.", []),
        ("Sodium now 109 mmol/L, was 138 mmol/L on admission.", ["sodium 109 mmol/L"]),
        ("Potassium 6.9 mmol/L (3.5–5.0 mmol/L).", ["potassium 6.9 mmol/L"]),
        ("A rise in potassium of 2 mmol/L.", []),
        ("A rise in potassium to 6.9 mmol/L.", ["potassium 6.9 mmol/L"]),
        ("The lactate is above 10 mmol/L.", ["lactate above 10 mmol/L"]),
        ("The lactate is below 10 mmol/L.", []),
        ("His potassium is 7.1, his brother's is 4.1 mmol/L.", ["potassium 7.1"]),
        ("The potassium of 6.9 mmol/L was corrected.", []),
        ("Calcium 3.9 mmol/L, corrected for albumin.", ["adjusted calcium 3.9 mmol/L"]),
    ],
)
def test_of_a_course_the_newest_value_counts(sentence: str, told: list[str]) -> None:
    assert found(sentence) == told


def test_a_small_child_has_rates_of_its_own() -> None:
    assert found("Heart rate 172 per minute, respiratory rate 50 per minute.") == [
        "heart rate 172 per minute",
        "respiratory rate 50 per minute",
    ]
    assert found("Heart rate 172 per minute, respiratory rate 50 per minute.", child=True) == []
    assert alarms("A 3-month-old girl with a cough.\nHeart rate 172 per minute.") == []
    assert alarms("Her newborn is well.\nHeart rate 172 per minute.") == ["heart rate=172"]


@pytest.mark.parametrize(
    "title",
    [
        "Targets",
        "Reference values",
        "Family history",
        "Mother",
        "Past results",
        "Search results",
        "Urine",
        "CSF results",
        "Which of these fits best?",
        "March 2019",
        "Options",
        "graded by Score",
    ],
)
def test_what_stands_under_such_a_title_is_not_this_patients_now(title: str) -> None:
    assert found("Sodium 109 mmol/L", title) == []


@pytest.mark.parametrize(
    "title",
    [
        "Critical values",
        "Out of range",
        "History of presenting complaint",
        "Urine output",
        "Treatment options",
        "What do we know?",
        "Criteria met",
        "Examination",
        "Results of today",
        "Information for the parents",
    ],
)
def test_other_titles_take_nothing_away(title: str) -> None:
    assert found("Sodium 109 mmol/L", title) == ["sodium 109 mmol/L"]


def test_a_sentence_knows_all_that_it_stands_under() -> None:
    text = "# Results\n## Mother\n- K 6.9 mmol/L\n# Now\nK 4.1 mmol/L\nHis brother's:\n- Na 109 mmol/L\n"
    assert [(unit.text, unit.above) for unit in units_of(text)] == [
        ("K 6.9 mmol/L", ("Results", "Mother")),
        ("K 4.1 mmol/L", ("Now",)),
        ("His brother's:", ("Now",)),
        ("Na 109 mmol/L", ("Now", "His brother's:")),
    ]
    said = '{"family": [{"relation": "father", "potassium_mmol_l": 7.1}], "labs": {"Na": "138 mmol/L"}}'
    assert [(unit.text, unit.above[:-1]) for unit in units_of(said)] == [
        ("father", ("family", "father")),
        ("father: potassium: 7.1 mmol/L", ("family", "father")),
        ("Na: 138 mmol/L", ("labs",)),
    ]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("test;value;unit\nsodium;109;mmol/L\n", ["sodium: 109 mmol/L"]),
        ("| Time | Sodium (mmol/L) |\n|---|---|\n| 10:05 | 109 |\n", ["10:05: Sodium: 109 mmol/L"]),
        (
            "| Chloride | Na |\n|---|---|\n| 101 mmol/L | 109 mmol/L |\n",
            ["Chloride: 101 mmol/L; Na: 109 mmol/L"],
        ),
        ("Sodium\t109\tmmol/L\n", ["Sodium: 109 mmol/L"]),
        ('Results: {"sodium": 109}', ["sodium: 109"]),
        ("One; two; three, as I said.", ["One; two; three, as I said."]),
    ],
)
def test_tables_and_blocks_of_other_makes_are_read(text: str, read: list[str]) -> None:
    assert [unit.full for unit in units_of(text)] == read


def test_a_long_sentence_is_read_in_parts() -> None:
    filler = "and the story goes on for a while with nothing in it, "
    assert found(f"{filler * 20}the sodium is 109 mmol/L, {filler * 10}") == ["sodium 109 mmol/L"]


def test_a_value_within_its_limits_relieves_only_where_it_is_this_patients() -> None:
    assert relieved("The potassium is 4.1 mmol/L.") == ("hyperkal", "hypokal")
    assert relieved("His brother's potassium is 4.1 mmol/L.") == ()
    assert relieved("The potassium is 4.1 mmol/L.", ("Mother",)) == ()


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("The potassium rose 5.1 to 6.9 mmol/L overnight.", ["potassium 6.9 mmol/L"]),
        ("The lactate climbed 2.0 to 9.4 mmol/L.", ["lactate 9.4 mmol/L"]),
        ("Haemoglobin dropped 110 to 60 g/L.", ["haemoglobin 60 g/L"]),
        ("Potassium fell 6.9 to 4.2 mmol/L.", []),
        ("Haemoglobin fell 10 to 20 g/L.", []),
        ("Haemoglobin rose 10 to 20 g/L after transfusion.", []),
        ("Haemoglobin went up 10 to 20 g/L.", []),
        ("Haemoglobin should have risen 10 to 20 g/L but is 45 g/L.", ["haemoglobin 45 g/L"]),
        ("Haemoglobin rose 40 to 52 g/L.", ["haemoglobin 52 g/L"]),
        ("Haemoglobin rose from 10 to 20 g/L.", ["haemoglobin 20 g/L"]),
        ("Sodium rose 104 to 108 mmol/L.", ["sodium 108 mmol/L"]),
        ("Heart rate alarms are set at 50 and 170 bpm.", []),
        ("Potassium 4.9 and 7.1 mmol/L.", ["potassium 7.1 mmol/L"]),
        ("Keep the potassium between 4.0 and 7.1 mmol/L.", []),
        ("SpO2 97 and 40% FiO2.", []),
        ("Target systolic pressure 140 to 230 mmHg.", []),
    ],
)
def test_a_course_ends_where_it_leads_to_and_of_two_values_each_counts(
    sentence: str, told: list[str]
) -> None:
    assert found(sentence) == told


@pytest.mark.parametrize(
    ("sentence", "ended"),
    [
        ("The potassium rose 5.1 to 6.9 mmol/L overnight.", False),
        ("Potassium 5.2-7.1 mmol/L.", False),
        ("Potassium 5.2 to 7.1 mmol/L.", False),
        ("Potassium 4.9 and 7.1 mmol/L.", False),
        ("Potassium 4.2-4.5 mmol/L.", True),
        ("Potassium went 6.9 to 4.2 mmol/L.", True),
    ],
)
def test_a_range_ends_an_alarm_only_if_all_of_it_is_within_limits(sentence: str, ended: bool) -> None:
    assert bool(relieved(sentence)) is ended


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("There is no urine and the pH is 7.01.", ["pH 7.01"]),
        ("I'm not happy and his blood pressure is 62/30.", ["blood pressure 62/30"]),
        ("He hasn't passed urine and the potassium is 7.1.", ["potassium 7.1"]),
        ("Anuric, no urine → potassium 7.1.", ["potassium 7.1"]),
        ("Urine output 10 ml/h → potassium 7.1.", ["potassium 7.1"]),
        ("`get_gas` → `potassium 7.1`", ["potassium 7.1"]),
        ("`get_urine` → `potassium 98, osmolality 480`; serum potassium 7.1.", ["potassium 7.1"]),
        ("urine_results: potassium 98", []),
        ("Pericardial effusion → blood pressure 62/30.", ["blood pressure 62/30"]),
        ("Don't give suxamethonium → potassium 8.5.", []),
        ("She could be septic and the potassium is 7.1.", ["potassium 7.1"]),
        ("She has a history of stroke and the potassium is 7.1.", ["potassium 7.1"]),
        ("No urine output and potassium 7.1.", ["potassium 7.1"]),
        ("I do not believe that the sodium is 140 and the potassium is 7.1.", []),
        ("There is no evidence that she is septic and the potassium is 7.1.", []),
        ("If there is no urine and the potassium is 7.1, dialyse.", []),
        ("Last year she had a bleed and the haemoglobin was 48.", []),
        ("We never had a gas and a potassium of 7.1.", []),
    ],
)
def test_what_is_said_before_an_and_denies_no_value_that_is_stated_behind_it(
    sentence: str, told: list[str]
) -> None:
    assert found(sentence) == told


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Blood gas: pH 7.31, calcium 1.02.", []),
        ("VBG: calcium 0.7 mmol/L.", ["ionised calcium 0.7 mmol/L"]),
        ("VBG: calcium 1.5 mmol/L.", ["calcium 1.5 mmol/L"]),
        ("Blood gas: pH 7.31; labs: calcium 1.02.", ["calcium 1.02"]),
        ("Blood gas: pH 7.31, adjusted calcium 1.02.", ["adjusted calcium 1.02"]),
        ("Calcium 1.02 mmol/L.", ["calcium 1.02 mmol/L"]),
    ],
)
def test_calcium_in_a_blood_gas_is_the_ionised_one(sentence: str, told: list[str]) -> None:
    assert found(sentence) == told
