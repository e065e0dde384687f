"""What fills an answer's room: a speaker named once, one sentence never too long, a dose and no value."""

from __future__ import annotations

from dataclasses import replace

from agents.dialogue.compose import MOST_OF_ONE, SentencePlan, grounded, named_once, slots
from agents.dialogue.facts import Fact, FactKind, Text
from agents.dialogue.look_up import FactGroup
from agents.dialogue.reply import ReplyWriter
from agents.dialogue.values import Answer, Sentence
from agents.dialogue.vocabulary import known_vocabulary
from tests.dialogue.asking import at

_IDS = {"Doctor One": "doctor1", "Doctor Two": "doctor2"}


def fact(speaker: str, text: str) -> Fact:
    says = (f"{speaker} says: {text}",)
    return Fact(FactKind.SAID, text, says, speaker, (text,), Text(), Text(), agents=(_IDS[speaker],))


def told(*made: SentencePlan, room: int = 60) -> list[str]:
    return [sentence.text for sentence in grounded(made, room)]


def slot(speaker: str, text: str, *, beside: bool = False) -> SentencePlan:
    made = fact(speaker, text)
    return SentencePlan(0, "the valve", made, tuple((words, False) for words in made.said), beside)


def test_who_is_quoted_twice_running_is_named_once() -> None:
    first, second = (
        slot("Doctor One", "a bioprosthesis this time"),
        slot("Doctor One", "no warfarin afterwards"),
    )
    other = slot("Doctor Two", "fasted since six")
    assert told(first, second, other) == [
        "On the valve: Doctor One says: a bioprosthesis this time.",
        "And: no warfarin afterwards.",
        "Doctor Two says: fasted since six.",
    ]
    assert told(first, other, second)[2] == "Doctor One says: no warfarin afterwards."


def test_a_sentence_that_is_too_long_is_not_told_though_there_is_room() -> None:
    long = " ".join(f"word{k}" for k in range(MOST_OF_ONE))
    assert told(slot("Doctor One", long), slot("Doctor One", "a bioprosthesis")) == [
        "On the valve: Doctor One says: a bioprosthesis."
    ]


def test_what_stands_next_to_a_sentence_is_not_told_without_it() -> None:
    long = " ".join(f"word{k}" for k in range(MOST_OF_ONE))
    beside = slot("Doctor One", "relatives wait outside", beside=True)
    assert told(slot("Doctor One", long), slot("Doctor Two", "a bioprosthesis"), beside) == [
        "On the valve: Doctor Two says: a bioprosthesis."
    ]


async def test_how_much_of_a_drug_is_no_value_of_that_name() -> None:
    answer = await (await at()).ask("How much calcium?")
    assert "30 mL" in answer.text and "2.28" not in answer.text


def test_what_is_kept_for_later_says_itself_whose_words_it_is() -> None:
    first, second, other = (
        fact("Doctor One", "a bioprosthesis this time"),
        fact("Doctor One", "no warfarin afterwards"),
        fact("Doctor Two", "fasted since six"),
    )
    answer = Answer(
        "turn-1", "", grounded(slots([FactGroup("the valve", (first, other))]), 60), None, True, "fact"
    )
    reply = ReplyWriter(known_vocabulary(), None)
    rest = reply.rest([FactGroup("the valve", (first, second, other))], answer)
    assert [one.text for one in rest] == ["Doctor One says: no warfarin afterwards."]
    named = grounded(slots([FactGroup("the valve", (first, second))]), 60)
    assert not reply.rest([FactGroup("the valve", (first, second))], replace(answer, sentences=named))


def test_what_is_told_on_request_names_its_speaker_once() -> None:
    kept = [
        Sentence(f"Doctor {who} says: {what}.", "")
        for who, what in (("One", "a"), ("One", "b"), ("Two", "c"))
    ]
    assert [one.text for one in named_once(kept)] == ["Doctor One says: a.", "And: b.", "Doctor Two says: c."]
