"""A plain ban is told once while one that was told stands; what stands whole in another sentence is not told again."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, Update
from exaim_core.lexicon.bans import Act, are_told, bans_told, plain_bans

NSAIDS = ("pharmacist", "- no NSAID by any route; the ED pain bundle contains ketorolac, please delete it\n")


async def discussed(*turns: tuple[str, str]) -> list[Update]:
    exaim = EXAIM()
    updates: list[Update] = []
    for number, (agent, text) in enumerate(turns):
        for at in range(0, len(text), 5):
            updates += await exaim.feed(Delta(agent, text[at : at + 5], 1000 * number + at, 20.0 * number))
        updates += await exaim.turn_end(agent, 1000 * number + 999, 20.0 * number + 0.5)
    return [*updates, *await exaim.finish(20.0 * len(turns))]


def cautions(updates: list[Update]) -> list[str]:
    return [
        item.text.lower() for update in updates for item in update.items if item.kind in {"caution", "change"}
    ]


async def banned_again(*turns: tuple[str, str], words: str) -> bool:
    """Return whether the last turn's ban is told: `words` are its words."""
    before = await discussed(*turns[:-1])
    told = cautions(await discussed(*turns))
    assert not any(text.endswith(f"{words}.") for text in cautions(before))
    return any(text.endswith(f"{words}.") for text in told)


@pytest.mark.parametrize(
    ("first", "again", "words"),
    [
        (NSAIDS[1], "- avoid NSAIDs\n", "avoid nsaids"),
        (NSAIDS[1], '{"avoid": ["NSAIDs"]}\n', "avoid nsaids"),
        (
            '- no furosemide "to flush it out": it raises lithium\n',
            "- avoid furosemide\n",
            "avoid furosemide",
        ),
        ("Alteplase must not be given.\n", "- no alteplase\n", "no alteplase"),
        (
            "No alteplase: she bled in May.\n",
            "- Agreed, no alteplase, as Doctor Lee says\n",
            "as doctor lee says",
        ),
        ("Stop ramipril, it raises potassium.\n", "- no ramipril\n", "no ramipril"),
        ("No Haldol, the QTc is 492.\n", "- avoid haloperidol\n", "avoid haloperidol"),
        (
            "No phenytoin and no valproate, please.\n",
            "- avoid valproate, phenytoin\n",
            "avoid valproate, phenytoin",
        ),
    ],
)
@pytest.mark.parametrize("who", ["pharmacist", "registrar"])
async def test_a_ban_that_was_told_is_not_told_again(first: str, again: str, words: str, who: str) -> None:
    assert not await banned_again(("pharmacist", first), (who, again), words=words)


@pytest.mark.parametrize(
    ("first", "again", "words"),
    [
        (NSAIDS[1], "- avoid heparin\n", "avoid heparin"),  # another drug
        (NSAIDS[1], "- avoid ibuprofen\n", "avoid ibuprofen"),  # one of the class, which nobody may know
        ("No ibuprofen, the kidneys are failing.\n", "- avoid NSAIDs\n", "avoid nsaids"),  # the class is more
        ("No heparin, no aspirin until the scan.\n", "- avoid heparin\n", "avoid heparin"),  # a limit
        ("If she bleeds: no aspirin.\n", "- avoid aspirin\n", "avoid aspirin"),
        ("No intramuscular ketamine, she bleeds.\n", "- avoid ketamine\n", "avoid ketamine"),  # a route
        ("No enoxaparin tonight.\n", "- avoid enoxaparin\n", "avoid enoxaparin"),  # a time
        ("No steroids; wait for the PCR.\n", "- avoid steroids\n", "avoid steroids"),
        ("Avoid ramipril, it raises potassium.\n", "- stop ramipril\n", "stop ramipril"),  # it runs
        ("Hold ramipril, it raises potassium.\n", "- stop ramipril\n", "stop ramipril"),
        ("Avoid haloperidol, the QTc is 492.\n", "- never haloperidol\n", "never haloperidol"),
        ("No dopamine, she is tachycardic.\n", "- no dopamine antagonist\n", "no dopamine antagonist"),
        ("Her sister must avoid NSAIDs too.\n", "- avoid NSAIDs\n", "avoid nsaids"),  # another patient
        ("There is no need to avoid NSAIDs.\n", "- avoid NSAIDs\n", "avoid nsaids"),
        ("Alteplase must not be stopped.\n", "- no alteplase\n", "no alteplase"),
        ("She took no aspirin.\n", "- avoid aspirin\n", "avoid aspirin"),
    ],
)
async def test_a_ban_that_nobody_told_so_is_told(first: str, again: str, words: str) -> None:
    assert await banned_again(("pharmacist", first), ("registrar", again), words=words)


@pytest.mark.parametrize(
    "again",
    [
        "- avoid NSAIDs: GI bleed\n",
        "- avoid NSAIDs until the scan\n",
        "- avoid NSAIDs above 400 mg\n",
        "- avoid NSAIDs and heparin\n",
    ],
)
async def test_a_ban_that_says_more_is_told(again: str) -> None:
    told = cautions(await discussed(NSAIDS, ("registrar", again)))
    assert any(again.strip("- \n").lower() in text for text in told)


@pytest.mark.parametrize(
    "between",
    [
        ("registrar", "Ketorolac 30 mg IV now for the pain.\n"),  # asked for since
        ("registrar", "Ibuprofen went in at nine.\n"),
        ("pharmacist", "NSAIDs are fine after all.\n"),
        ("pharmacist", "I was wrong, I take that back.\n"),
        ("registrar", "That allergy is his brother's.\n"),
    ],
)
async def test_a_ban_is_told_again_if_what_was_said_since_may_end_it(between: tuple[str, str]) -> None:
    assert await banned_again(NSAIDS, between, ("surgeon", "- avoid NSAIDs\n"), words="avoid nsaids")


async def test_a_ban_is_told_after_all_if_what_told_it_is_withdrawn() -> None:
    exaim = EXAIM()
    updates = [*await exaim.feed(Delta("pharmacist", f"{NSAIDS[1]}Urine 45 mL/h.\n", 1, 0.0))]
    updates += await exaim.feed(Delta("registrar", "- avoid NSAIDs\n", 2, 20.0))
    updates += await exaim.turn_end("registrar", 3, 21.0)
    assert not any("avoid" in text for text in cautions(updates))
    later = [*await exaim.abort_turn("pharmacist", 4, 30.0), *await exaim.finish(40.0)]
    assert any(text.endswith("avoid nsaids.") for text in cautions(later))


async def test_a_ban_is_told_in_the_update_in_which_the_speaker_of_the_same_ban_lifts_it() -> None:
    updates = await discussed(
        ("nurse", "No heparin."),
        ("pharmacist", "No heparin."),
        ("nurse", "I lift my objection to heparin. His potassium is 7.1."),
    )
    told = next(each for each in updates if any("potassium" in item.text for item in each.items))
    assert cautions([told]) == ["caution, the pharmacist: no heparin."]


async def test_nothing_is_told_of_a_ban_whose_own_turn_is_withdrawn() -> None:
    exaim = EXAIM()
    updates = [*await exaim.feed(Delta("pharmacist", f"{NSAIDS[1]}Urine 45 mL/h.\n", 1, 0.0))]
    updates += await exaim.feed(Delta("registrar", "- avoid NSAIDs\n", 2, 20.0))
    updates += await exaim.abort_turn("registrar", 3, 21.0)
    updates += await exaim.abort_turn("pharmacist", 4, 30.0)
    assert not any(text.endswith("avoid nsaids.") for text in cautions([*updates, *await exaim.finish(40.0)]))


async def test_who_agrees_with_a_ban_stands_on_the_board() -> None:
    updates = await discussed(NSAIDS, ("registrar", "- avoid NSAIDs\n"))
    board = updates[-1].board
    assert board is not None
    assert [each.agent_id for each in board.cautions] == ["pharmacist", "registrar"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"avoid": ["NSAIDs", "furosemide", "ondansetron"]}\n', "avoid NSAIDs, furosemide and ondansetron."),
        (
            "- stop linezolid\n- stop sertraline\n- stop tramadol\n",
            "stop linezolid, sertraline and tramadol.",
        ),
        ("- no heparin\n- no aspirin\n", "no heparin, no aspirin."),
    ],
)
async def test_bans_of_one_turn_are_one_sentence(text: str, told: str) -> None:
    assert cautions(await discussed(("pharmacist", text))) == [f"caution, the pharmacist: {told.lower()}"]


async def test_bans_with_other_verbs_or_reasons_stay_sentences_of_their_own() -> None:
    text = "- stop linezolid\n- hold ramipril\n- avoid tramadol: it lowers the threshold\n- avoid heparin\n"
    assert len(cautions(await discussed(("pharmacist", text)))) == 4


async def test_no_sentence_of_bans_is_long() -> None:
    names = "aspirin ibuprofen naproxen ketorolac heparin warfarin apixaban tramadol codeine morphine fentanyl".split()
    told = cautions(await discussed(("pharmacist", "".join(f"- avoid {name}\n" for name in names))))
    assert max(len(text.split()) for text in told) <= 14
    assert all(any(name in text for text in told) for name in names)


async def test_what_stands_whole_in_a_caution_of_the_same_sentence_is_not_told_beside_it() -> None:
    text = (
        "Dialysis is off my list for now. I also take back the bicarbonate: it would push potassium lower.\n"
    )
    told = cautions(await discussed(("renal", "Give bicarbonate 100 mL.\n"), ("renal", text)))
    assert sum("lower" in each for each in told) == 1


async def test_a_decision_is_told_beside_a_caution_of_its_sentence() -> None:
    text = "DECISION: potassium first, insulin held.\n"
    updates = await discussed(("registrar", "Potassium 3.0. Insulin 4 units/h.\n"), ("supervisor", text))
    told = [item.text for update in updates for item in update.items if item.kind != "closing"]
    assert any(each.startswith("Decision, from") for each in told)


def test_only_names_behind_a_verb_are_plain_bans() -> None:
    assert [ban.name for ban in plain_bans("banned: valproate, steroids")] == ["valproate", "steroids"]
    assert plain_bans("stop linezolid")[0].act is Act.STOP
    for text in (
        "no NSAIDs until the scan",
        "no heparin for now",
        "avoid aspirin?",
        "no sevo, put it on the door",
    ):
        assert not plain_bans(text), text


def test_bans_are_found_among_other_words() -> None:
    told = bans_told("DRESS on carbamazepine means no phenytoin, no phenobarbital")
    assert are_told(plain_bans("avoid phenytoin, phenobarbital"), told)
    assert not are_told(plain_bans("avoid carbamazepine"), told)
