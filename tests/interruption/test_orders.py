"""Orders beside a question for leave, what we are told by name, words that sound like our name, and "spell out"."""

from __future__ import annotations

import pytest

from lab.ears.score import effect_of
from realtime.interruption import Context, Effect, classify_with_prosody
from realtime.interruption.reading import read
from tests.interruption.rows import turn


@pytest.mark.parametrize(
    ("text", "want"),
    [("EXAIM, can we give contrast? Stop the heparin.", "new_input/refuse_order"),
     ("Can we give heparin? No, stop it.", "new_input/not_acted_on"),
     ("Can we stop the heparin and start apixaban", "new_input/not_acted_on"),
     ("Can we give contrast? Intubate him.", "new_input/not_acted_on"),
     ("Can we give contrast? We should stop the heparin.", "new_input/not_acted_on"),
     ("Can we give contrast with that kidney?", "new_input/answer"),
     ("Can we give that? Stop the heparin.", "new_input/not_acted_on"),
     ("Can we give potassium with no change in his kidney?", "new_input/answer"),
     ("Can we give contrast before the scan?", "new_input/answer"),
     ("Can we give aspirin if we stop the heparin?", "new_input/answer"),
     ("Can we give heparin and aspirin together?", "new_input/answer"),
     ("Can we give contrast, or should we hold the metformin?", "new_input/answer")],
)  # fmt: skip
def test_only_the_clause_that_asks_leave_is_no_order(text: str, want: str) -> None:
    assert effect_of(text, None, 0.0, 2500) == want


@pytest.mark.parametrize("word", ["axon", "exon", "exome", "axiom", "oxime"])
def test_a_word_that_sounds_like_our_name_is_not_our_name(word: str) -> None:
    verdict = classify_with_prosody(word, turn(word), Context(speaking=True))
    assert verdict.effect is Effect.GO_ON


def test_a_word_of_the_case_is_not_our_name() -> None:
    text = "Exahn of the left kidney."
    assert read(text, frozenset()).named
    assert not read(text, frozenset({"exahn"})).named
    assert not read("Axon loss on the biopsy.", frozenset({"axon", "loss", "biopsy"})).named


@pytest.mark.parametrize(
    ("text", "want"),
    [("EXAIM, get me the potassium", "new_input/answer"),
     ("EXAIM, bring me the latest potassium", "new_input/answer"),
     ("EXAIM, take it from the top", "new_input/answer"),
     ("EXAIM, bring it down a notch", "new_input/answer"),
     ("EXAIM, change the pace", "new_input/answer"),
     ("EXAIM, set the volume back to normal", "new_input/usual_volume"),
     ("EXAIM, set it to normal speed", "new_input/usual_pace"),
     ("EXAIM, mark this as the wrong case", "cancel/wrong_case"),
     ("EXAIM, send the team a question: is it sepsis", "new_input/answer")],
)  # fmt: skip
def test_what_is_for_our_voice_or_the_team_is_no_order(text: str, want: str) -> None:
    assert effect_of(text, None, 0.0, 2500) == want


@pytest.mark.parametrize(
    "text",
    ["EXAIM, get me the surgeon", "EXAIM, get me ten of insulin", "EXAIM, call the team",
     "EXAIM, send all of them home",
     "EXAIM, set the volume to five hundred", "EXAIM, set the pump speed higher", "EXAIM, lower it a bit",
     "EXAIM, write down what you said", "EXAIM, mark this as done", "EXAIM, save it"],
)  # fmt: skip
def test_what_is_for_the_ward_or_its_records_is_refused(text: str) -> None:
    assert effect_of(text, None, 0.0, 2500) == "new_input/refuse_order"


@pytest.mark.parametrize(
    ("text", "want"),
    [("Can you spell out the plan?", "new_input/answer"),
     ("Can you spell out the risk?", "new_input/answer"),
     ("Should we spell it out for the family?", "new_input/answer"),
     ("Spell out the potassium.", "new_input/answer"),
     ("Can you spell out levetiracetam?", "new_input/spell"),
     ("Spell out the word sepsis.", "new_input/spell"),
     ("Spell it out.", "new_input/spell")],
)  # fmt: skip
def test_to_spell_out_is_to_explain_unless_one_word_is_named(text: str, want: str) -> None:
    assert effect_of(text, None, 0.0, 2000) == want
