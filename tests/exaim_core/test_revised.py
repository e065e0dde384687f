"""What waits goes when a later sentence refuses, takes back, gives away, ends or changes its thing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.lexicon.named import unnamed
from exaim_core.schema import Cite, SpokenItem, SpokenKind
from exaim_core.text.units import Sentence
from exaim_core.words.revised import may_take_back, takes_back
from exaim_core.words.withdrawn import withdrawn
from tests.exaim_core.test_critical_values import units_of

ACTION, CAUTION, FINDING = SpokenKind.ACTION, SpokenKind.CAUTION, SpokenKind.FINDING


def said(turns: str) -> list[Sentence]:
    """Return the sentences of turns written "agent: words | agent: words", each turn with a number of its own."""
    return [
        replace(unit, source=replace(unit.source, agent_id=agent, first_seq=seq, last_seq=seq))
        for seq, (agent, _, text) in enumerate((turn.strip().partition(": ") for turn in turns.split("|")), 1)
        for unit in units_of(text)
    ]


def goes(turns: str, kind: SpokenKind = FINDING, *, protects: bool = False, presses: bool = False) -> bool:
    """Return whether an item of the words of the first turn is revised by one of the others."""
    agent, _, words = turns.split("|")[0].strip().partition(": ")
    item = SpokenItem(
        item_id="0001.1",
        kind=kind,
        text=f"The {agent}: {words}",
        protects=protects,
        presses=presses,
        cites=(Cite(agent_id=agent, first_seq=1, last_seq=1),),
    )
    units = said(turns)
    return bool(withdrawn([item], units[1:], units[:1], (), lambda agent: 0))


@pytest.mark.parametrize(
    "turns",
    [
        "nurse: I would add 100 mL of 8.4% bicarbonate. | safety: No. | nurse: I withdraw the bicarbonate.",
        "nurse: give heparin 5000 units. | other: He fell. | nurse: I take it back.",
        "nurse: give heparin 5000 units. | other: Platelets 20. | nurse: I take it all back.",
        "nurse: give heparin 5000 units. | other: Platelets 20. | nurse: I take that order back.",
        "nurse: give heparin 5000 units. | other: Platelets 20. | nurse: I'll take that back.",
        "nurse: give heparin 5000 units. | other: Platelets 20. | nurse: Scrap what I said.",
        "nurse: I propose dexamethasone 8 mg. | critic: Steroids do not help. | nurse: Withdrawn, thank you.",
        "nurse: give gentamicin 400 mg. | pharmacist: eGFR 22. | nurse: Understood; ceftriaxone 2 g in its place.",
        "nurse: ketamine 100 mg. | other: He is frail. | nurse: Make that thirty and we'll top up.",
        "nurse: a contrast CT should be done. | other: Creatinine 310. | nurse: Happy to wait then.",
        "nurse: give heparin 5000 units. | other: He fell. | nurse: We'll hold that one until the scan.",
        "nurse: she's due gentamicin at noon. | other: Neither.",
        "nurse: take him to theatre for the leg. | sister: He says no.",
        "nurse: adrenaline 0.5 mg IM now. | other: The adrenaline went in at 11:42.",
        "nurse: transfer to the university hospital. | surgeon: Scrap the transfer.",
        "nurse: transfer her at 22:00. | ward: The transfer is now at 20:45.",
    ],
)
def test_an_order_goes_that_was_taken_back_refused_changed_or_done(turns: str) -> None:
    assert goes(turns, ACTION, presses=True)


@pytest.mark.parametrize(
    "turns",
    [
        "nurse: give heparin 5000 units. | other: Agree, heparin as you said.",
        "nurse: start acetylcysteine. | other: If the level is low we can stop acetylcysteine.",
        "nurse: give labetalol 20 mg. | other: Should we stop labetalol?",
        "nurse: give labetalol 20 mg. | other: The problem is the pressure, not labetalol toxicity.",
        "nurse: give labetalol and furosemide. | other: No furosemide.",
        "nurse: adrenaline 0.5 mg IM. | other: Do not give adrenaline IV.",
        "nurse: activate massive transfusion. | other: The plaster can be cancelled.",
        "nurse: give ceftriaxone 2 g. | other: Any bleeding? | third: No.",
        "nurse: adrenaline 1 mg every three minutes. | other: The adrenaline went in at 11:42.",
        "nurse: transfer her at 22:00. | ward: CT at 20:45.",
        "nurse: give heparin 5000 units. | other: Scan is clear. | nurse: I take it he is back from CT.",
        "nurse: give heparin 5000 units. | other: Scan is clear. | nurse: I take it up with the ward.",
        "nurse: give cefotaxime. | other: What else? | nurse: He is grey. | other: Fine. | nurse: Withdrawn.",
    ],
)
def test_an_order_stands_that_is_agreed_limited_or_asked_about(turns: str) -> None:
    assert not goes(turns, ACTION, presses=True)


@pytest.mark.parametrize(
    ("said", "bare", "may"),
    [
        ("I withdraw that.", True, True),
        ("Sorry, I was wrong about the dose.", False, True),
        ("The dose is low, my mistake.", False, True),
        ("Wait, what is her weight?", False, True),
        ("My fault, give it later.", True, False),
        ("A second bag was hung, my bay, my fault.", False, False),
        ("I'll take it back to the ward.", False, False),
        ("He is off the withdrawn list.", False, False),
        ("Correct me if I'm wrong.", False, False),
    ],
)
def test_a_bare_taking_back_and_a_possible_one_are_read_from_one_list(
    said: str, bare: bool, may: bool
) -> None:
    assert (takes_back(said), may_take_back(said)) == (bare, may)


@pytest.mark.parametrize(
    "turns",
    [
        "nurse: the pilot says Bergmo General. | consultant: Not Bergmo, they've no ECMO.",
        "nurse: dantrolene 2.5 mg/kg, thus 210 mg. | other: Dantrolene is about 140 mg, not 210.",
        "nurse: insulin pump in place. | other: Took the pump off at ten past.",
    ],
)
def test_a_fact_goes_that_was_put_right(turns: str) -> None:
    assert goes(turns)


@pytest.mark.parametrize(
    "turns",
    [
        "nurse: the pilot says Bergmo General. | consultant: Bergmo, not Tromvik.",
        "nurse: dantrolene 2.5 mg/kg, thus 210 mg. | other: Aciclovir is 550 mg, not 700.",
        "nurse: insulin pump in place. | other: Took the bag along.",
        "nurse: he takes warfarin at home. | other: Stop warfarin.",
        "nurse: sertraline went up to a hundred. | other: Sertraline held.",
    ],
)
def test_a_fact_stands_that_is_confirmed_or_whose_drug_is_stopped(turns: str) -> None:
    assert not goes(turns)


@pytest.mark.parametrize(
    "turns",
    [
        "nurse: there's a red sticker, it says penicillin allergy. | doctor: Whose is that? | midwife: It's Mum's.",
        "nurse: red sticker: penicillin allergy. | other: Yes. | son: That's his mother's file. The sticker is hers.",
        "nurse: allergy: sulfonamides. | other: Co-trimoxazole is best. | third: The label was formally withdrawn.",
        "nurse: latex allergy on this lady. | other: Fine. | nurse: It is the second who has it, this lady has none.",
        "nurse: no steroids until the PCR is back. | other: Fine. | nurse: I lift my objection to steroids.",
    ],
)
def test_a_ban_goes_that_is_somebody_elses_or_lifted_by_its_speaker(turns: str) -> None:
    assert goes(turns, CAUTION, protects=True)


@pytest.mark.parametrize(
    "turns",
    [
        "nurse: penicillin allergy. | other: Penicillin allergy confirmed with the GP.",
        "nurse: angioedema on ramipril. | other: His brother is allergic too.",
        "nurse: penicillin allergy. | other: Amoxicillin is drawn up. | third: It's Mum's.",
        "nurse: penicillin allergy. | other: Latex allergy too. | third: The label was withdrawn.",
        "nurse: no heparin. | other: I lift my objection to heparin.",
        "nurse: no heparin. | other: Give heparin now.",
        "nurse: no heparin. | other: Right. | nurse: Withdrawn.",
        "nurse: penicillin allergy. | other: The sticker is hers.",
        "nurse: penicillin allergy. | other: Not penicillin alone.",
    ],
)
def test_a_ban_stands_in_doubt(turns: str) -> None:
    assert not goes(turns, CAUTION, protects=True)


def test_alarms_stay() -> None:
    turns = "nurse: give heparin 5000 units. | other: No heparin."
    assert goes(turns, ACTION)
    assert not goes(turns, SpokenKind.CRITICAL)


@pytest.mark.parametrize(
    "turns",
    [
        "nurse: give heparin 5000 units. | other: Heparin is out of stock, I'll fetch it.",
        "nurse: keep the collar on. | other: She took the collar off.",
        "nurse: oxygen 15 litres by mask. | other: He's taken the oxygen off again.",
        "nurse: give tranexamic acid 1 g. | other: Given, but the cannula has tissued.",
        "nurse: give cefazolin 2 g. | other: The cefazolin went in, half of it.",
        "nurse: send a troponin at 12:00. | other: Troponin was sent at 09:00.",
        "nurse: take him to theatre. | other: He refuses, but he has no capacity.",
        "nurse: start vancomycin. | other: Which line? | nurse: I was wrong about the family, they are here.",
        "nurse: magnesium 2 g. | other: On my way. | nurse: Make it quick.",
        "nurse: start noradrenaline. | other: Target? | nurse: We'll hold it at 65.",
    ],
)
def test_an_order_stands_that_was_not_carried_out_or_whose_speaker_means_something_else(turns: str) -> None:
    assert not goes(turns, ACTION, presses=True)


@pytest.mark.xfail(strict=True, reason="'is off the trolley' is read as a ban, as 'is off the table' is")
def test_an_order_stands_whose_drug_is_only_not_at_its_place() -> None:
    turns = "nurse: give oxytocin 5 units. | other: Oxytocin is off the trolley, it's in the fridge."
    assert not goes(turns, ACTION, presses=True)


@pytest.mark.parametrize(
    "turns",
    [
        "nurse: she takes apixaban 5 mg twice daily, last dose at 07:00. | other: Apixaban is stopped from today.",
        "nurse: last rivaroxaban 20 mg at 22:00. | other: Rivaroxaban is off.",
        "nurse: he took 40 tablets of paracetamol 500 mg. | other: No paracetamol, obviously.",
        "nurse: ketamine 30 mg by the crew at 09:40. | other: No ketamine.",
        "nurse: haemoglobin 81. | other: Haemoglobin is out of range.",
        "nurse: troponin 12 at three hours. | other: The second troponin is out.",
        "nurse: onset of weakness was 09:10. | other: Weakness is now at 4 of 5, examined 10:30.",
    ],
)
def test_what_was_taken_or_measured_stands_when_a_drug_is_stopped_or_a_result_comes(turns: str) -> None:
    assert not goes(turns)


@pytest.mark.parametrize(
    "turns",
    [
        "nurse: no NSAIDs with this creatinine; give paracetamol 1 g. | other: Yes. | nurse: Then no paracetamol now.",
        "nurse: do not give verapamil. Amiodarone 300 mg. | other: Yes. | nurse: Hold the amiodarone, shock first.",
        "nurse: allergic to chlorhexidine. | other: The label was taken off the bottle.",
    ],
)
def test_a_ban_stands_when_only_what_is_asked_beside_it_is_refused(turns: str) -> None:
    assert not goes(turns, CAUTION, protects=True)


async def told(turns: str) -> list[str]:
    exaim, seq, texts = EXAIM(), 0, list[str]()
    for turn in turns.split("|"):
        agent, _, text = turn.strip().partition(": ")
        updates = [*await exaim.feed(Delta(agent, text, seq := seq + 1, float(seq)))]
        updates += await exaim.turn_end(agent, seq := seq + 1, float(seq))
        texts += [item.text for update in updates for item in (*update.items, *update.spare)]
    return texts


async def test_a_taking_back_is_not_told_behind_a_bare_sound() -> None:
    turns = "nurse: I would wait. | other: There is a scab. | nurse: Ah. Okay. I take that back, he gets it."
    assert not any("take that back" in text for text in await told(turns))


def test_a_sound_leads_over_to_what_is_said() -> None:
    assert unnamed("Ah, she takes warfarin and clarithromycin.") is None
    assert unnamed("Ah. Okay. I take that back, he gets it.") is not None


async def test_words_that_open_a_list_are_not_told_without_it() -> None:
    turns = "nurse: Recommendation for the liver: consider by contrast: | other: His potassium is 7.1."
    assert not any(text.rstrip(".").endswith(":") for text in await told(turns))
