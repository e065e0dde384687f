from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tts_queue.ear import FIRST_WORDS, SegmentBoundary, plain, segments, to_ear

# As it is read, and as it is said.
SAID = [
    # doses and units
    ("5 mg", "five milligrams"),
    ("5mg", "five milligrams"),
    ("1 mg", "one milligram"),
    ("0.5 mg", "zero point five milligrams"),
    ("125 mcg daily", "one hundred twenty-five micrograms daily"),
    ("125 µg daily", "one hundred twenty-five micrograms daily"),
    ("10 units of insulin", "ten units of insulin"),
    ("10 U insulin", "ten units insulin"),
    ("5000 IU", "five thousand international units"),
    ("10 mL of 10% calcium gluconate", "ten millilitres of ten percent calcium gluconate"),
    ("15 mg/kg", "fifteen milligrams per kilogram"),
    ("15mg/kg/day", "fifteen milligrams per kilogram per day"),
    ("2 g IV", "two grams I.V"),
    ("82 kg", "eighty-two kilograms"),
    ("on 2L oxygen", "on two litres oxygen"),
    ("40 mEq", "forty milliequivalents"),
    ("6.9 mmol/L", "six point nine millimoles per litre"),
    ("1.8 mg/dL", "one point eight milligrams per decilitre"),
    ("312 µmol/L", "three hundred twelve micromoles per litre"),
    ("0.04 ng/mL", "zero point zero four nanograms per millilitre"),
    ("22 mL/min/1.73 m2", "twenty-two millilitres per minute per one point seven three square metres"),
    ("22 mL/min/1.73m²", "twenty-two millilitres per minute per one point seven three square metres"),
    ("12.4 x10^9/L", "twelve point four times ten to the nine per litre"),
    ("12.4 ×10⁹/L", "twelve point four times ten to the nine per litre"),
    ("1.2E-5 mol/L", "one point two times ten to the minus five moles per litre"),
    ("TSH 1.0E-3", "T.S.H one point zero times ten to the minus three"),
    ("2E-6", "two times ten to the minus six"),
    ("3.4e−08", "three point four times ten to the minus eight"),
    ("1.2E5 copies", "one point two times ten to the five copies"),
    ("1.2e+5", "one point two times ten to the five"),
    ("1.5 x 10-3 mol/L", "one point five times ten to the minus three moles per litre"),
    ("2×10-3", "two times ten to the minus three"),
    ("2 x 10-15 mL", "two times ten to fifteen millilitres"),
    ("10*-3/L", "ten to the minus three per litre"),
    ("10E-9", "one zero E minus nine"),
    ("CYP2E1", "C.Y.P two E one"),
    ("2E antigen", "two E antigen"),
    ("− 5 °C", "minus five degrees Celsius"),
    ("140 − 150", "one hundred forty to one hundred fifty"),
    ("over 5 min", "over five minutes"),
    ("3 x 5 mm", "three by five millimetres"),
    ("110 bpm", "one hundred ten beats per minute"),
    ("60 mmHg", "sixty millimetres of mercury"),
    # pressures, scores, ranges, intervals
    ("BP 120/80", "B.P one hundred twenty over eighty"),
    ("BP 120/80.", "B.P one hundred twenty over eighty."),
    ("5/5 strength", "five out of five strength"),
    ("5-10 mg", "five to ten milligrams"),
    ("5–10 mg", "five to ten milligrams"),
    ("5-10mg", "five to ten milligrams"),
    ("3.5–5.1 mmol/L", "three point five to five point one millimoles per litre"),
    ("HR in the 110s", "H.R in the one hundred tens"),
    ("HR 70s-80s, now calm", "H.R seventies to eighties, now calm"),
    ("HR 60s at rest, 110s on walking", "H.R sixties at rest, one hundred ten S on walking"),
    ("HR 92, 30s later", "H.R ninety-two, thirty seconds later"),
    ("BP 80s/50s", "B.P eighties over fifties"),
    ("BP 100/60s", "B.P one hundred over sixties"),
    ("BP 160s all afternoon", "B.P one hundred sixties all afternoon"),
    ("pressure down to 70s", "pressure down to seventies"),
    ("SpO2 low 80s", "S.P.O two low eighties"),
    ("sats in the 80s", "sats in the eighties"),
    ("glucose 300s", "glucose three hundreds"),
    ("a man in his 60s", "a man in his sixties"),
    ("in the 1990s", "in the nineteen nineties"),
    ("for 1990s", "for nineteen nineties"),
    ("over 30 s", "over thirty seconds"),
    ("over 30s", "over thirty seconds"),
    ("capillary refill 4s", "capillary refill four seconds"),
    ("QT 0.48s", "Q.T zero point four eight seconds"),
    ("QT 0.40s", "Q.T zero point four zero seconds"),
    ("seizure for 90s", "seizure for ninety seconds"),
    ("for 20-30s", "for twenty to thirty seconds"),
    ("HR fell after 30s", "H.R fell after thirty seconds"),
    ("pulse in the 40s for 30s", "pulse in the forties for thirty seconds"),
    ("pulse check 10s", "pulse check ten seconds"),
    ("30s later", "thirty seconds later"),
    ("pulse absent 20s", "pulse absent twenty S"),
    ("30s/10s", "thirty S slash ten S"),
    ("relief in 30s", "relief in thirty S"),
    ("q6h", "every six hours"),
    ("q4-6h", "every four to six hours"),
    ("q1h", "every hour"),
    ("twice in 12-hour shifts", "twice in twelve hour shifts"),
    ("a 65-year-old man", "a sixty-five year old man"),
    ("2x daily", "two times daily"),
    ("PRN", "as needed"),
    # signs
    ("SpO2 92%", "S.P.O two ninety-two percent"),
    (">38", "above thirty-eight"),
    ("> 38", "above thirty-eight"),
    ("<5", "below five"),
    ("≥10 mg", "at least ten milligrams"),
    ("≤ 3", "at most three"),
    (">=4", "at least four"),
    ("~5 kg", "about five kilograms"),
    ("±2 SD", "plus or minus two S.D"),
    ("+/- 2", "plus or minus two"),
    ("-2.5 SD", "minus two point five S.D"),
    ("38.5°C", "thirty-eight point five degrees Celsius"),
    ("38.5 °C", "thirty-eight point five degrees Celsius"),
    ("a 30° angle", "a thirty degrees angle"),
    ("↑ lactate", "raised lactate"),
    ("A & E", "A and E"),
    # acronyms
    ("ECG", "E.C.G"),
    ("ECGs", "E.C.G's"),
    ("ICU", "I.C.U"),
    ("MRI", "M.R.I"),
    ("CT", "C.T"),
    ("AKI", "A.K.I"),
    ("eGFR 22", "E.G.F.R twenty-two"),
    ("FGFR3 testing", "F.G.F.R three testing"),
    ("HLA-B27", "H.L.A B twenty-seven"),
    ("ARDS", "ards"),
    ("STEMI", "stemmy"),
    ("NOT given", "not given"),
    ("HbA1c", "H.B.A one C"),
    ("K+ 6.8", "potassium six point eight"),
    ("pH 7.25", "P.H seven point two five"),
    # abbreviations and names
    ("Dr. Smith", "Doctor Smith"),
    ("SLE vs. sarcoidosis", "S.L.E versus sarcoidosis"),
    ("e.g. digoxin", "for example digoxin"),
    ("and/or", "and or"),
    ("calcium gluconate and digoxin", "calcium gluconate and digoxin"),
    ("piperacillin-tazobactam", "piperacillin-tazobactam"),
    ("trimethoprim/sulfamethoxazole", "trimethoprim, sulfamethoxazole"),
    ("β-blocker", "beta blocker"),
    ("α-thalassaemia", "alpha thalassaemia"),
    ("TNF-α", "T.N.F alpha"),
    ("Doctor Zero", "Doctor Zero"),
    # numbers alone
    ("6.9", "six point nine"),
    ("1,200", "one thousand two hundred"),
    ("potassium of 6.9, rising", "potassium of six point nine, rising"),
    ("No. Stop.", "No. Stop."),
    # layout
    ("**Bold** and *thin* and `code`", "Bold and thin and code"),
    ("# Heading", "Heading"),
    ("- one\n- two", "one. two"),
    ("1. one\n2. two", "one. two"),
    ("see [the link](http://a.example/b)", "see the link"),
    ("see https://a.example/b?c=d.", "see link."),
    ("mail a.b@c.example now", "mail email address now"),
    ("shown [1] before (Smith, 2020)", "shown before"),
    ("acute — not chronic", "acute, not chronic"),
    ("kidney injury (AKI) stage 3", "kidney injury, A.K.I, stage three"),
    ("| a | b |\n|---|---|\n| c | d |", "a, b. c, d"),
    ("snake_case __bold__ _thin_", "snake case bold thin"),
]


@pytest.mark.parametrize(("written", "said"), SAID)
def test_a_clinician_would_say_it_so(written: str, said: str) -> None:
    assert " ".join(token.spoken for token in to_ear(written) if token.spoken) == said


def test_the_table_is_no_shorter_than_it_should_be() -> None:
    assert len(SAID) >= 60


def test_captions_show_the_written_words() -> None:
    tokens = to_ear("**BP** 120/80, SpO2 92%.")
    assert [t.display for t in tokens] == ["BP", "120/80,", "SpO2", "92%."]
    assert [t.spoken for t in tokens] == [
        "B.P",
        "one hundred twenty over eighty,",
        "S.P.O two",
        "ninety-two percent.",
    ]


SPLIT = [
    (
        "Doctor Zero leads with achondroplasia: short femurs, limb proportions, facial features.",
        ["Doctor Zero leads with achondroplasia:", "short femurs, limb proportions, facial features."],
    ),
    (
        "Finished. Thanatophoric dysplasia, all agree; first FGFR3 testing. Six items not read.",
        ["Finished. Thanatophoric dysplasia, all agree;", "first FGFR3 testing.", "Six items not read."],
    ),
    ("Dr. Smith vs. Dr. Jones differ here.", ["Dr. Smith vs. Dr. Jones differ here."]),
    ("pH 7.25, troponin 0.04 are known.", ["pH 7.25,", "troponin 0.04 are known."]),
    ("No. Stop.", ["No. Stop."]),
    ("Potassium is 6.9. Stop it.", ["Potassium is 6.9.", "Stop it."]),
    ("Stop.", ["Stop."]),
    ("At 10:30 he was well.", ["At 10:30 he was well."]),
    (
        "Consider dialysis because the patient has refractory hyperkalaemia with oliguria and acidosis",
        ["Consider dialysis because the patient has refractory hyperkalaemia", "with oliguria and acidosis"],
    ),
]


@pytest.mark.parametrize(("text", "parts"), SPLIT)
def test_segments_end_where_a_reader_would_breathe(text: str, parts: list[str]) -> None:
    assert [segment.display for segment in segments(text)] == parts


def test_boundaries_say_which_pause_follows() -> None:
    got = [s.boundary for s in segments("One two three; four five six: seven eight nine. Ten eleven twelve.")]
    assert got == [
        SegmentBoundary.CLAUSE,
        SegmentBoundary.CLAUSE,
        SegmentBoundary.SENTENCE,
        SegmentBoundary.SENTENCE,
    ]


@pytest.mark.parametrize("text", ["", "  ", "\n\n", "**", "---", "...", "| --- |", "()"])
def test_nothing_to_say_is_no_segment(text: str) -> None:
    assert segments(text) == ()


words = st.sampled_from(
    "the patient has potassium 6.9 mmol/L and BP 120/80, or not; Dr. Who (AKI) says: stop. 5-10 mg "
    "**bold** β-blocker vs. >38 ≥ 5 x3 ECG, q6h. FGFR3 - * # ` [1] ↑ because 1.73 m2".split()
)
texts = st.lists(words, min_size=1, max_size=60).map(" ".join)


@given(texts)
def test_no_word_is_lost_or_added_by_splitting(text: str) -> None:
    tokens = [t.display for t in to_ear(text)]
    parts = segments(text)
    assert not parts or [t.display for s in parts for t in s.tokens] == tokens


@given(texts)
def test_no_mark_of_layout_and_no_comparison_sign_reaches_the_engine(text: str) -> None:
    said = " ".join(segment.spoken for segment in segments(text))
    assert not re.search(r"[*_#`|\[\]<>≥≤~^]", said)


@given(texts)
def test_no_segment_of_several_is_a_single_word(text: str) -> None:
    parts = segments(text)
    assert len(parts) < 2 or all(len(segment.spoken.split()) > 1 for segment in parts)


@given(texts)
def test_a_first_segment_longer_than_asked_has_no_place_to_be_cut(text: str) -> None:
    parts = segments(text)
    if parts and len(parts[0].spoken.split()) > FIRST_WORDS:
        said = [token for token in parts[0].tokens if token.spoken]
        inner = said[FIRST_WORDS // 2 : -3]
        assert not any(token.display.endswith((";", ":")) for token in inner)


@given(st.text(max_size=200))
def test_any_text_at_all_is_survived(text: str) -> None:
    for segment in segments(text):
        assert segment.spoken.strip()
    plain(text)
