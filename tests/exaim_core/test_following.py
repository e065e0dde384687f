"""What is said otherwise of a value that alarmed is told."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, SpokenItem, Update
from tests.exaim_core.test_stated import Debate


async def talk(*turns: tuple[str, str], step_s: float = 10.0) -> list[SpokenItem]:
    """Return what the engine has to say of turns that come `step_s` apart."""
    exaim, updates = EXAIM(), list[Update]()
    for number, (agent, text) in enumerate(turns):
        updates += await exaim.feed(Delta(agent, text, 2 * number + 1, step_s * number))
        updates += await exaim.turn_end(agent, 2 * number + 2, step_s * number + 0.5)
    return [item for update in updates for item in (*update.items, *update.spare)]


async def follow_ups(*turns: tuple[str, str]) -> list[str]:
    return [item.text for item in await talk(*turns) if item.kind == "correction" and item.presses]


ALARM = ("nurse", "The laboratory phoned a haemoglobin of 54 g/L.\n")


@pytest.mark.parametrize(
    "said",
    [
        "The haemoglobin is 71 g/L on the repeat.",
        "His haemoglobin was 54 g/L two years ago.",
        "The 54 was bay three's tube.",
    ],
)
async def test_what_anybody_says_of_the_same_thing_and_not_in_the_same_sense_is_told(said: str) -> None:
    [told] = await follow_ups(ALARM, ("ward_sister", f"{said}\n"))
    assert said[4:].rstrip(".") in told and "ward sister" in told.lower()


async def test_a_sentence_without_the_name_is_told_with_what_it_is_about() -> None:
    [told] = await follow_ups(ALARM, ("ward_sister", "The 54 was bay three's tube.\n"))
    assert told == "On the haemoglobin, the ward sister: the 54 was bay three's tube."


@pytest.mark.parametrize(
    "said",
    [
        "The haemoglobin is 54 g/L.",
        "What is the haemoglobin now, 71?",
        "The urine potassium is 54 mmol/L.",
        "Give 54 mg of prednisolone.",
        "Blood is up, 03:54.",
        (
            "It is the ward printer that gave somebody the 54 and somebody else the 61, so ask the laboratory "
            "before you give anything more, and ring me."
        ),
    ],
)
async def test_the_same_again_a_question_and_another_thing_follow_nothing_up(said: str) -> None:
    assert await follow_ups(ALARM, ("ward_sister", f"{said}\n")) == []


async def test_a_thing_is_followed_up_twice_at_most() -> None:
    later = [("doctor1", f"The haemoglobin is {value} g/L.\n") for value in (91, 92, 93, 94)]
    assert len(await follow_ups(ALARM, *later)) == 2


async def test_what_a_withdrawn_turn_told_is_followed_up_no_more() -> None:
    debate = Debate()
    await debate.says("cardiologist", "The potassium is 7.9 mmol/L. He is pale.\n")
    debate.updates += await debate.exaim.abort_turn("cardiologist", debate.seq + 1, debate.at_s + 1)
    debate.seq, debate.at_s = debate.seq + 1, debate.at_s + 1
    before = len(debate.items)
    await debate.turn("nephrologist", "The 7.9 was another tube.\n")
    assert not any(item.presses for item in debate.items[before:])


RADIO = "Pressure 76 over 40, neck veins up. Left finger thoracostomy done, big hiss. {now}\n"


@pytest.mark.parametrize("now", ["Now 108 over 66, sats 95.", "It is back to 108 over 66.", "108/66 now."])
async def test_what_a_value_is_now_in_the_same_turn_is_told_though_it_is_not_named(now: str) -> None:
    [told] = await follow_ups(("rescue", RADIO.format(now=now)))
    assert ("pressure" in told or "BP" in told) and "108" in told


@pytest.mark.parametrize("now", ["Now 40 mg of ketamine.", "Six minutes now.", "Arrived 10:20 now."])
async def test_what_is_no_value_of_it_follows_nothing_up(now: str) -> None:
    assert await follow_ups(("rescue", RADIO.format(now=now))) == []


@pytest.mark.parametrize(
    "said", ["Then they phoned again: that was bed 6.", "No, that is the man opposite.", "Ours is 82."]
)
async def test_whose_it_is_is_told_though_nothing_is_named(said: str) -> None:
    [told] = await follow_ups(ALARM, ("ward_sister", f"{said}\n"))
    assert told.startswith("On the haemoglobin, the ward sister: ")


async def test_what_is_said_much_later_of_somebody_else_is_of_anything() -> None:
    talk_of_else = ("registrar", "We are waiting for the porter. " * 8 + "\n")
    assert await follow_ups(ALARM, talk_of_else, ("ward_sister", "That was bed 6.\n")) == []


async def test_a_number_that_somebody_else_calls_now_is_of_anything() -> None:
    assert await follow_ups(("rescue", RADIO.format(now="")), ("desk", "Now 108 of them.\n")) == []


STATED = ("control", "All stations, the dispatch sheet has penicillin allergy on it.\n")


@pytest.mark.parametrize(
    "said",
    [
        "Negative, that is the wrist. Ours takes penicillin fine.",
        "That allergy belongs to the man opposite.",
        "The thrush she had is not an allergy.",
    ],
)
async def test_what_is_said_otherwise_of_a_stated_allergy_is_told(said: str) -> None:
    [told] = await follow_ups(STATED, ("crew", f"{said}\n"))
    assert told.startswith("On the penicillin, the crew: ")


@pytest.mark.parametrize(
    "said",
    [
        "No penicillin, then.",
        "Penicillin allergy, copied.",
        "Is the allergy hers?",
        "Her uncle died at thirty, of an allergy, they were told.",
    ],
)
async def test_an_allergy_said_again_or_kept_to_is_not(said: str) -> None:
    assert await follow_ups(STATED, ("crew", f"{said}\n")) == []


@pytest.mark.parametrize(
    "said",
    [
        "No further allergies.",
        "No food allergies.",
        "Nil other allergies.",
        "No codeine allergy.",
        "Penicillin, and no further allergies.",
    ],
)
async def test_that_there_is_no_other_allergy_follows_none_up_and_uses_nothing_up(said: str) -> None:
    denied = ("crew", "That is not an allergy.\n")
    assert await follow_ups(STATED, ("crew", f"{said}\n")) == []
    assert await follow_ups(STATED, ("crew", f"{said}\n"), denied) == [
        "On the penicillin, the crew: that is not an allergy."
    ]


async def test_of_several_allergies_the_named_one_is_followed_up_else_the_newest() -> None:
    both = (STATED, ("control", "It has a codeine allergy on it too.\n"))
    [told] = await follow_ups(*both, ("crew", "Her nausea on codeine is not an allergy.\n"))
    assert told.startswith("On the codeine, ")
    [told] = await follow_ups(*both, ("crew", "The penicillin allergy belongs to the man opposite.\n"))
    assert told.startswith("On the penicillin, ")
    [told] = await follow_ups(*both, ("crew", "That is not an allergy.\n"))
    assert told.startswith("On the codeine, ")


@pytest.mark.parametrize(
    "said",
    [
        "She has no allergy to penicillin.",
        "No penicillin allergy.",
        "She is not allergic to penicillin.",
    ],
)
async def test_a_denial_that_names_the_allergy_is_told_in_its_own_words(said: str) -> None:
    [told] = await follow_ups(STATED, ("crew", f"{said}\n"))
    assert told == f"The crew: {said[0].lower()}{said[1:]}"


async def test_a_follow_up_breaks_no_silence_so_what_is_kept_after_it_is_told() -> None:
    items = await talk(
        *(ALARM, ("ward_sister", "The 54 was bay three's tube.\n")),
        ("A", "Platelets 88 and a spleen tip: portal hypertension until shown otherwise.\n"),
        ("B", "I would like to hear the others on this before anything else is said by me.\n"),
        step_s=5.0,
    )
    assert items[-1].text.endswith("portal hypertension until shown otherwise.")


@pytest.mark.parametrize(
    "turns",
    [
        (("lab", "Lactate 4.6.\nAlso potassium 5.3, retract.\nHis is 4.4.\n"),),
        (("lab", "Potassium 7.1.\n"), ("consultant", "Unless he's for the machine with a pH under 7.1.\n")),
        (("lab", "Pulse 38.\n"), ("agent", "Thyroidectomy scar, 31.9, 38, TSH 86.\n")),
    ],
)
async def test_a_number_of_another_thing_follows_nothing_up(turns: tuple[tuple[str, str], ...]) -> None:
    assert await follow_ups(*turns) == []


async def test_a_repeat_of_the_same_speaker_is_told_though_it_is_not_named() -> None:
    agent, alarm = ALARM
    [told] = await follow_ups((agent, f"{alarm.strip()} That was haemolysed, repeat 71.\n"))
    assert told.endswith("that was haemolysed, repeat 71.")
    assert await follow_ups((agent, f"{alarm.strip()} Repeat the calcium, 10 mL.\n")) == []
