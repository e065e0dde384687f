"""Commands that no list has: words of a closed vocabulary that fill the slots of one command, and of no other."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from lab.ears.score import effect_of
from realtime.interruption import words_of
from realtime.interruption.reading import is_known
from realtime.interruption.slots import MOST_WORDS, grammar, spoken_by_slots
from realtime.interruption.words import Says, lexicon

MEANT = {
    "turn it down a touch": "new_input/softer",
    "keep your voice down a little": "new_input/softer",
    "bring the volume down slightly": "new_input/softer",
    "you're not loud enough": "new_input/louder",
    "could you please raise your voice a bit": "new_input/louder",
    "a bit quicker please": "new_input/faster",
    "don't talk so slowly": "new_input/faster",
    "you're reading a bit fast for me to follow": "new_input/slower",
    "drop the pace a notch": "new_input/slower",
    "less fast, please": "new_input/slower",
    "pause the summary": "cancel/wait",
    "put the update on hold": "cancel/wait",
    "no, different patient": "cancel/wrong_case",
    "not this lady, someone else": "cancel/wrong_case",
    "Not this patient, the other one": "cancel/wrong_case",
    "not him, the other one": "cancel/wrong_case",
    "I think you're reading about someone else": "cancel/wrong_case",
    "these are the wrong results": "cancel/wrong_case",
    "that's the incorrect chart": "cancel/wrong_case",
    "this isn't the right history": "cancel/wrong_case",
    "that's someone else's data": "cancel/wrong_case",
    "you're reading a different chart": "cancel/wrong_case",
    "you're reading another record": "cancel/wrong_case",
    "back to the one before": "new_input/previous",
    "give me the full report": "new_input/full",
    "the headlines only": "new_input/brief",
    "is there much left?": "new_input/how_long",
    "go ahead, I'm back": "acknowledgment/go_on",
    "don't turn it down": "acknowledgment/go_on",
    "no need to pause the summary": "acknowledgment/go_on",
}
NOT_MEANT = (
    "not the left leg, the other one", "not this drug, the other one",
    "turn the oxygen down a touch", "breathe a little slower for me, love", "your heart's going a bit slower now",
    "pause the infusion", "stop the reading lamp", "hold the light a bit higher", "you talk fast",
    "are you working for someone else", "she was in the wrong bed", "I'll be back in five minutes",
    "no other history", "no, other results", "different results", "these are different results", "false history",
    "that's a different story", "not the same results", "no other records", "incorrect data",
    "no louder than that", "the slower one", "the other lady needs her tablets", "keep your leg down a little",
)  # fmt: skip


@pytest.mark.parametrize(("text", "want"), MEANT.items())
def test_a_command_in_words_of_no_list(text: str, want: str) -> None:
    assert effect_of(text, None, 0.0, 1500) == want


@pytest.mark.parametrize("text", NOT_MEANT)
def test_one_word_without_a_slot_and_it_is_none(text: str) -> None:
    assert effect_of(text, None, 0.0, 1500).partition("/")[2] in {"go_on", "not_acted_on", "answer"}


def test_what_fits_two_commands_is_none() -> None:
    words = words_of("back to the update")  # before this one, or where it stopped
    assert (0, len(words)) not in spoken_by_slots(words)
    assert not is_known("back to the update", frozenset())


def test_a_sentence_is_not_cut() -> None:
    assert spoken_by_slots(("slower",) * (MOST_WORDS + 1)) == {}
    assert spoken_by_slots(()) == {}


def test_every_role_is_of_use_and_every_command_has_its_words() -> None:
    known = grammar()
    named = json.loads(files("realtime.interruption").joinpath("slots.json").read_text(encoding="utf-8"))
    filled = {role for roles in known.roles.values() for role in roles}
    assert filled == set(named["classes"])
    assert filled == {role for command in known.commands for role in command.roles}
    assert {command.says for command in known.commands} <= set(Says.__members__)


def test_where_the_lists_know_a_command_the_slots_hardly_ever_say_another() -> None:
    listed = [(words, says.name) for words, says in lexicon().says.items() if len(words) > 1]
    said = [(spoken_by_slots(words).get((0, len(words))), says) for words, says in listed]
    commands = {command.says for command in grammar().commands}
    same = sum(by_slots == says for by_slots, says in said)
    other = [by_slots for by_slots, says in said if by_slots not in (None, says) and says in commands]
    assert same > 7_000
    assert len(other) < 0.01 * same


@pytest.mark.parametrize(
    "text",
    ["Exaem, give 10 of insulin.", "Exane. Call the surgeon.", "Examine. Give her some morphine.",
     "Exam, note that we gave the second dose.", "EXAIM, add a penicillin allergy to the case."],
)  # fmt: skip
def test_our_name_by_its_sound_and_an_order_by_name_is_refused(text: str) -> None:
    assert effect_of(text, None, 0.0, 2000) == "new_input/refuse_order"


@pytest.mark.parametrize(
    "text", ["Examine the abdomen.", "The exam was normal.", "Excuse me, call the porter."]
)
def test_what_only_sounds_a_little_like_our_name_is_none(text: str) -> None:
    assert effect_of(text, None, 0.0, 2000) != "new_input/refuse_order"


@pytest.mark.parametrize(
    ("text", "want"),
    [("Can we give contrast with that kidney?", "new_input/answer"),
     ("Can we give her ten of insulin, please?", "new_input/not_acted_on"),
     ("Push one milligram of adrenaline.", "new_input/not_acted_on"),
     ("Can somebody open the window?", "ignore/go_on"),
     ("Let me know when the family gets here.", "new_input/go_on"),
     ("How do you spell amlodipine?", "new_input/spell"),
     ("Spell your surname for me.", "ignore/go_on")],
)  # fmt: skip
def test_whom_a_request_is_for(text: str, want: str) -> None:
    assert effect_of(text, None, 0.0, 2000) == want
