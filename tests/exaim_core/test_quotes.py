"""What no outright form reads is quoted: whole, in its speaker's words, and before the rest if it presses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agents.recorded import Trace
from exaim_core import EXAIM, Delta, SpokenItem, SpokenKind, Update
from exaim_core.claims.claim_words import plain_view
from exaim_core.claims.claims import Worth
from exaim_core.claims.quotes import excerpt, worth_of
from exaim_core.claims.worth import LEAST, WorthTable
from exaim_core.exaim import SILENT_S
from exaim_core.text.assertion import Status
from exaim_core.text.datafiles import data_table
from lab.evaluation.discussions import Discussion, read, trace
from lab.evaluation.engine import run
from lab.evaluation.habits import FOLDER, files
from lab.evaluation.worth_table import rows_of

WORTH = (
    ("I take back urosepsis.", Worth.CORRECTION),
    ("With an abscess two weeks is untenable; I withdraw it.", Worth.CORRECTION),
    ("So we are split: eclampsia for B, venous thrombosis for C.", Worth.CONCLUSION),
    ("We are of one mind on adrenal crisis.", Worth.CONCLUSION),
    ("Gentamicin: I would leave it out.", Worth.PROHIBITION),
    ("Thrombolysis is off the table whatever the scan shows.", Worth.PROHIBITION),
    ("Intubate him at once, before the scope.", Worth.URGENT),
    ("The lactate came back at 2.1 mmol/L.", Worth.RESULT),
    ("My money is on pulmonary embolism.", Worth.VIEW),
    ("Ceftriaxone 2 g IV twice daily.", Worth.ORDER),
    ("Creatinine 134 µmol/L and potassium 5.1 mmol/L.", Worth.VALUES),
)


@pytest.mark.parametrize(("text", "worth"), WORTH)
def test_markers_say_how_much_a_sentence_is_worth(text: str, worth: Worth) -> None:
    assert worth_of(text) is worth


@pytest.mark.parametrize(
    "text",
    [
        "Her brother had a potassium of 6.9 mmol/L.",  # somebody else
        "Potassium above 6.5 mmol/L is usually treated at once.",  # books
        "Could it be a pulmonary embolism?",
        "Thank you for your valuable insights on the differential.",
        "Let us refine our diagnostic approach to the pneumonia together.",
        "Noted.",
    ],
)
def test_what_is_of_books_of_others_or_of_the_debate_is_worth_nothing(text: str) -> None:
    assert worth_of(text) <= Worth.REMARK


@pytest.mark.parametrize(
    "text",
    [
        "I think she has pneumonia.",
        "I favour a perforated ulcer over pancreatitis.",
        "I'd put my money on pancreatitis.",
        "After the new CT I now believe it is a volvulus.",
        "I disagree: this is volvulus.",
        "I agree, it's intussusception.",
        "This is meningitis.",
        "It looks like a stroke.",
        "The diagnosis is intussusception.",
        "Working diagnosis: acute pancreatitis, probably gallstone.",
        "We are dealing with an adrenal crisis here.",
        "The findings point to acute pancreatitis.",
    ],
)
def test_what_somebody_thinks_that_it_is_is_a_view_in_whatever_plain_words(text: str) -> None:
    assert worth_of(text) is Worth.VIEW


@pytest.mark.parametrize(
    "text",
    [
        "I appreciate the thorough analysis of pneumonia by Doctor 2.",
        "I agree with the differential diagnosis of pneumonia and sepsis.",
        "I would like to discuss sepsis.",
        "Is this meningitis?",
        "It is a known complication of sepsis.",
        "It's been 84 on air.",
        "It's Dr Farouk, anaesthetics.",
    ],
)
def test_what_looks_like_a_view_is_none(text: str) -> None:
    assert worth_of(text) is not Worth.VIEW


@pytest.mark.parametrize(
    ("text", "view"),
    [
        ("This is sepsis until proven otherwise.", "sepsis"),
        ("I favour a perforated ulcer over pancreatitis.", "perforated ulcer"),
        ("This is a myasthenic crisis set off by sepsis.", "myasthenic crisis"),
        ("I think this is most likely a pulmonary embolism.", "pulmonary embolism"),
        ("I now believe it is a volvulus.", "volvulus"),
        ("This may be sepsis.", None),
        ("This is not meningitis.", None),
        ("It is pneumonia or a pulmonary embolism.", None),
        ("It's also a pneumonia.", None),
        ("This is her second stroke.", None),
        ("If this is meningitis, give ceftriaxone.", None),
        ("It is a known complication of sepsis.", None),
        ("It is important to rule out sepsis.", None),
        ("It's the sepsis that kills.", None),
        ("I favour a CT.", None),
        ("It's a stroke unit.", None),
        ("This is hardly sepsis.", None),
        ("I would favour stroke, but the MRI is clean.", None),
        ("This is heart failure in bed 3.", None),
        ("This is a marker of sepsis.", None),
        ("This is pneumonia on the film of 2019.", None),
        ("It is heart failure that kills these patients.", None),
        ("This is pneumonia season.", None),
    ],
)
def test_a_view_is_held_where_it_is_stated_outright_without_a_label(text: str, view: str | None) -> None:
    assert plain_view(text) == view


def test_a_view_of_another_is_not_quoted() -> None:
    assert worth_of("Doctor Two leads with pulmonary embolism.") <= Worth.REMARK


def test_a_result_that_is_only_back_says_nothing() -> None:
    assert worth_of("The echocardiogram has just been reported.") < Worth.RESULT


def test_a_part_is_quoted_only_if_the_rest_limits_nothing() -> None:
    rest = "the ward round then went on to talk about the weather and about who would take the night shift"
    safe = f"Start ceftriaxone 2 g now; {rest}."
    assert excerpt(safe, 18, Worth.ORDER) == "Start ceftriaxone 2 g now"
    hung = "Start terlipressin 2 mg now; check the ECG first, and hold it if there is ischaemia in any lead."
    assert excerpt(hung, 18, Worth.ORDER) is None


async def updates_of(*said: tuple[str, str], gap_s: float = 1.0) -> tuple[Update, ...]:
    """Return the updates of turns that follow one another."""
    exaim = EXAIM()
    updates: tuple[Update, ...] = ()
    seq, at_s = 0, 1000.0
    for agent, text in said:
        seq, at_s = seq + 1, at_s + gap_s
        updates += await exaim.feed(Delta(agent, text, seq, at_s))
        seq += 1
        updates += await exaim.turn_end(agent, seq, at_s)
    updates += await exaim.finish(at_s + 1)
    return updates


async def told(*said: tuple[str, str], gap_s: float = 1.0) -> list[SpokenItem]:
    """Return what is told of turns that follow one another."""
    return [item for update in await updates_of(*said, gap_s=gap_s) for item in update.items]


async def test_a_json_key_that_forbids_stays_before_what_it_forbids() -> None:
    items = await told(
        ("cardiology", '{"plan": {"do_not": ["ticagrelor and heparin until the aorta is seen"]}}')
    )
    (caution,) = [item for item in items if item.kind is SpokenKind.CAUTION]
    assert "avoid ticagrelor and heparin until the aorta is seen" in caution.text
    assert caution.presses


async def test_what_a_json_key_takes_back_is_no_view() -> None:
    said = '{"working_diagnosis": "serotonin toxicity", "retracts": {"diagnosis": "malignant hyperthermia"}}'
    items = await told(("psych", said))
    assert not [
        item for item in items if "malignant hyperthermia" in item.text and "retracts" not in item.text
    ]


async def test_a_caution_is_told_once_be_it_read_or_quoted() -> None:
    items = await told(("doctor1", "Please note his penicillin allergy - amoxicillin is not an option.\n"))
    assert len([item for item in items if "amoxicillin" in item.text]) == 1


@pytest.fixture
def likely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every sentence likely to hold a key point: what the table says of it is measured, not tested."""
    monkeypatch.setattr("exaim_core.claims.quotes.likelihood", lambda *_, **__: 0.7)


async def test_a_silence_is_handed_what_was_said_and_is_likely_to_count(likely: None) -> None:
    plain = ("A", "Platelets 88 and a spleen tip: portal hypertension until shown otherwise.\n")
    talk = ("B", "I would like to hear the others on this before anything else is said by me.\n")
    soon = await updates_of(plain, talk, gap_s=SILENT_S / 4)
    late = await updates_of(plain, talk, gap_s=SILENT_S + 1)
    quoted = "Agent A: platelets 88 and a spleen tip: portal hypertension until shown otherwise."
    assert [(each.path, [item.text for item in each.spare]) for each in soon if each.spare] == [
        ("end", [quoted])
    ]
    (handed,) = [each for each in late if each.spare]
    assert handed.path != "end"
    assert [item.text for item in handed.spare] == [quoted]
    assert handed.items == ()
    assert LEAST <= handed.spare[0].likely < 1


@pytest.mark.parametrize(
    "text",
    [
        "Her brother had a potassium of 6.9 mmol/L and a pulse of 34 when he was brought in by the crew.",
        "Does she have a potassium of 6.9 mmol/L and a pulse of 34 on the line that we drew at ten?",
        "In a trial of 240 patients the potassium fell by 0.9 mmol/L within an hour of the insulin.",
    ],
)
async def test_what_is_of_others_asked_or_of_books_is_handed_to_no_silence(text: str) -> None:
    assert not any(each.spare for each in await updates_of(("A", f"{text}\n")))


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("I would place this above prerenal injury as long as the scan is not done.", False),
        ("The platelets fit with it, and the spleen tip speaks for portal hypertension.", False),
        ("Those platelets fit with portal hypertension, and the spleen tip does so.", False),
        ("In this patient platelets of 88 with a spleen tip are portal hypertension.", True),
    ],
)
async def test_no_silence_is_told_what_points_to_a_thing(likely: None, text: str, is_told: bool) -> None:
    told = [item for each in await updates_of(("A", f"{text}\n")) for item in each.spare]
    assert bool(told) is is_told


async def test_what_is_kept_is_taken_back_where_somebody_gives_another_value_since(likely: None) -> None:
    first = ("A", "Platelets 88 and a spleen tip: portal hypertension until shown otherwise.\n")
    talk = ("B", "I would like to hear the others on this before anything else is said by me.\n")
    after = ("C", "Repeat platelets are 212 on the citrate tube, so the first were clumped.\n")
    updates = await updates_of(first, talk, after, gap_s=SILENT_S + 1)
    (kept,) = [item for each in updates for item in each.spare if "88" in item.text]
    assert kept.item_id in [gone for each in updates for gone in each.withdraws]


def test_every_weight_is_of_a_mark_that_a_sentence_can_have() -> None:
    weights = data_table("worth.json", WorthTable).weights
    there = {mark for path in files("tune", FOLDER) for row in rows_of("tune", path) for mark in row.marks}
    assert there <= set(weights)
    assert set(weights) - there <= {f"is {status}" for status in Status} | {"a row", "listed", "the chair's"}


async def test_the_closing_ends_with_the_last_word_of_the_team_where_no_view_was_read() -> None:
    items = await told(
        ("A", "Eclampsia for me, on the pressure.\n"),
        ("B", "So we are split: A eclampsia, me venous thrombosis.\n"),
    )
    assert items[-1].text == "Finished. So we are split: A eclampsia, me venous thrombosis, says Agent B."


def discussions() -> list[Discussion]:
    return [read(path) for split in ("tune", "develop") for path in files(split, FOLDER)]


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


@pytest.mark.parametrize("discussion", discussions(), ids=lambda each: each.name)
async def test_what_is_quoted_stands_in_the_speakers_turn(discussion: Discussion) -> None:
    """A quotation's words stand there in their order; a heading or a key may stand before them."""
    recorded: Trace = trace(discussion)
    ran = await run(recorded)
    turns = [words(text) for _, text in discussion.turns]
    for _, update in ran.updates:
        for item in update.items:
            if item.kind in (SpokenKind.CLOSING, SpokenKind.CRITICAL) or not item.presses:
                continue
            for part in _PARTS.split(item.text.partition(": ")[2]):
                assert any(_of(words(part), turn) for turn in turns), item.text


_PARTS = re.compile(r"; |(?<=[.?!] )[A-Z][^:.;]{2,40}: ")
"""Between parts of a quotation; a speaker's name stands between the words of somebody else and those that answer."""


def _of(said: list[str], turn: list[str]) -> bool:
    """Tell whether all but one in ten of `said` stand in `turn`; numbers in words are written anew."""
    return sum(word in turn for word in said) >= 0.9 * len(said)


def test_the_folder_of_written_discussions_is_there() -> None:
    assert {Path(path).parent.name for path in files("sealed", FOLDER)} == {"sealed"}


@pytest.mark.parametrize(
    "text",
    [
        "She doesn't take lithium, that's her husband's.",
        "The heparin allergy on the old chart was wrong, that was the cousin's chart.",
    ],
)
async def test_what_is_somebody_elses_is_put_right_in_its_speakers_words(text: str) -> None:
    items = await told(("doctor1", f"{text}\n"))
    assert any(word in each.text for word in ("husband", "cousin") for each in items)


@pytest.mark.parametrize("text", ["Is that her sister's card?", "His brother has a potassium of 4.1."])
def test_what_is_only_of_somebody_else_is_still_worth_nothing(text: str) -> None:
    assert worth_of(text) is Worth.NOTHING
