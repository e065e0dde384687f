"""After a turn that broke off is withdrawn, hazards and orders are as if it had not been said."""

from __future__ import annotations

from typing import Final

import pytest

from tests.exaim_core.test_stated import Debate
from tests.exaim_core.test_withdrawing import aborted

Said = tuple[tuple[str, str], ...]
PENICILLIN: Final = ("nurse", "She is allergic to penicillin.")
AMOXICILLIN: Final = ("doctor", "Give amoxicillin 1 g IV now.")
BAN: Final = ("renal", "No NSAIDs for him.")
KETOROLAC: Final = ("doctor", "Give ketorolac 30 mg IV now.")
LABETALOL: Final = ("doctor", "Give labetalol 20 mg IV now.")
ASTHMA: Final = ("nurse", "She has asthma.")


async def played(before: Said, withdrawn: tuple[str, str] | None, meanwhile: Said, then: Said) -> Debate:
    """Play turns, one of which is open during others and then withdrawn, and turns after it."""
    debate = Debate()
    for agent, text in before:
        await debate.turn(agent, text)
    if withdrawn is not None:
        await debate.says(withdrawn[0], f"{withdrawn[1]}\n")
    for agent, text in meanwhile:
        await debate.turn(agent, text)
    if withdrawn is not None:
        await aborted(debate, withdrawn[0])
    for agent, text in then:
        await debate.turn(agent, text)
    return debate


def stands(debate: Debate) -> list[list[str]]:
    """Return what stands on the board: alarms by key, orders, cautions and bans, allergies that are none."""
    board = debate.exaim.board
    return [
        sorted(board.criticals),
        [claim.text for claim in board.actions],
        [claim.text for claim in board.cautions],
        [claim.text for claim in board.orders.bans],
        sorted(board.alarms.no_allergies),
    ]


@pytest.mark.parametrize(
    ("before", "withdrawn", "meanwhile", "then"),
    [
        # an allergy, a ban or an order that the turn took off is there again
        ((PENICILLIN,), ("chart", "She is not allergic to penicillin."), (), (AMOXICILLIN,)),
        ((PENICILLIN,), ("chart", "The penicillin label was removed in 2021."), (), (AMOXICILLIN,)),
        ((PENICILLIN,), ("nurse", "She has had amoxicillin four times since."), (), (AMOXICILLIN,)),
        ((PENICILLIN, AMOXICILLIN), ("chart", "The penicillin label was removed in 2021."), (), ()),
        ((BAN,), ("renal", "Give ibuprofen 400 mg now."), (), (KETOROLAC,)),
        ((LABETALOL,), ("lead", "Stop the labetalol."), (), (ASTHMA,)),
        ((AMOXICILLIN,), ("lead", "Stop the amoxicillin."), (), (PENICILLIN,)),
        (
            (("nurse", "The potassium is 6.9."),),
            ("lab", "The potassium is 4.2 now."),
            (),
            (("doctor", "Give ramipril 5 mg now."),),
        ),
        # what the turn stated is not known any more
        ((), PENICILLIN, (), (AMOXICILLIN,)),
        ((AMOXICILLIN,), PENICILLIN, (), ()),
        ((), BAN, (), (KETOROLAC,)),
        ((), ASTHMA, (), (LABETALOL,)),
        ((), LABETALOL, (), (ASTHMA,)),
        # what others said while it was open is read without it
        ((PENICILLIN,), ("chart", "She is not allergic to penicillin."), (AMOXICILLIN,), ()),
        ((), PENICILLIN, (AMOXICILLIN,), ()),
        ((), PENICILLIN, (("chart", "She is allergic to penicillin."),), (AMOXICILLIN,)),
        ((), PENICILLIN, (("chart", "She is allergic to latex."),), (AMOXICILLIN,)),
        ((BAN,), ("renal", "Give ibuprofen 400 mg now."), (KETOROLAC,), ()),
        ((), ASTHMA, (LABETALOL,), ()),
        ((LABETALOL,), ("lead", "Stop the labetalol."), (ASTHMA,), ()),
        ((PENICILLIN,), ("lead", "We should think again."), (AMOXICILLIN,), ()),
        # a question that was asked before it is still to be answered
        ((("lead", "And the potassium?"),), ("chart", "She is 59."), (), (("nurse", "6.9."),)),
        ((("lead", "Any allergies?"),), ("chart", "She is 59."), (), (("nurse", "Penicillin."), AMOXICILLIN)),
        # what another says too stands as its own, unless it was stopped since
        ((), ("lead", "Give labetalol 20 mg IV now."), (LABETALOL,), ()),
        ((), ("lead", "Give labetalol 20 mg IV now."), (LABETALOL, ("nurse", "Stop the labetalol.")), ()),
    ],
)
async def test_the_board_is_as_if_the_turn_had_not_been_said(
    before: Said, withdrawn: tuple[str, str], meanwhile: Said, then: Said
) -> None:
    with_it = await played(before, withdrawn, meanwhile, then)
    without = await played(before, None, meanwhile, then)
    assert stands(with_it) == stands(without)


async def test_an_order_of_the_meantime_alarms_once_the_allergy_is_there_again() -> None:
    denial = ("chart", "She is not allergic to penicillin.")
    debate = await played((PENICILLIN,), denial, (AMOXICILLIN,), ())
    alarms = [item.text for item in debate.items if item.critical_key]
    assert any("amoxicillin" in alarm for alarm in alarms), debate.texts


async def test_a_turn_that_is_over_keeps_what_it_took_off() -> None:
    debate = await played((PENICILLIN, ("chart", "She is not allergic to penicillin.")), None, (), ())
    await aborted(debate, "chart")
    await debate.turn(*AMOXICILLIN)
    assert not debate.exaim.board.criticals


async def test_two_open_turns_are_withdrawn_one_by_one() -> None:
    debate = Debate()
    await debate.turn(*PENICILLIN)
    await debate.says("chart", "She is not allergic to penicillin.\n")
    await debate.says("renal", "No NSAIDs for him.\n")
    await aborted(debate, "chart")
    await debate.turn(*AMOXICILLIN)
    assert any("penicillin" in key for key in debate.exaim.board.criticals)
    await aborted(debate, "renal")
    await debate.turn(*KETOROLAC)
    assert not any("ketorolac" in key for key in debate.exaim.board.criticals)
    assert any("penicillin" in key for key in debate.exaim.board.criticals)


@pytest.mark.parametrize(
    ("first", "withdrawn", "words"),
    [
        (LABETALOL, ("lead", "Do not give labetalol."), "labetalol"),
        (LABETALOL, ("doctor", "I take back the labetalol."), "labetalol"),
        (
            ("doctor", "Start colchicine 5 mg today."),
            ("lead", "Correction: colchicine 0.5 mg, not 5 mg."),
            "5 mg",
        ),
        (
            ("nurse", "Do not give heparin."),
            ("nurse", "Heparin is fine after all, give heparin 5000 units."),
            "heparin",
        ),
    ],
)
async def test_what_only_the_turn_took_back_is_told_again(
    first: tuple[str, str], withdrawn: tuple[str, str], words: str
) -> None:
    debate = Debate()
    await debate.turn(*first)
    await debate.says(withdrawn[0], f"{withdrawn[1]}\n")
    await debate.says(withdrawn[0], "Next, her bloods are to be sent.\n")
    debate.updates += await debate.exaim.tick(debate.at_s + 4)
    debate.at_s += 4
    gone = {each for update in debate.updates for each in update.withdraws}
    assert gone, debate.texts
    told = len(debate.items)
    await aborted(debate, withdrawn[0])
    correction, *again = debate.items[told:]
    assert correction.kind == "correction"
    assert any(words in item.text for item in again if item.agents == (first[0],)), debate.texts[told:]


async def test_what_another_took_back_too_stays_back() -> None:
    debate = Debate()
    await debate.turn(*LABETALOL)
    await debate.says("lead", "Stop the labetalol.\n")
    await debate.turn("nurse", "Stop the labetalol.")
    told = len(debate.items)
    await aborted(debate, "lead")
    assert not debate.exaim.board.actions
    assert not any(item.kind == "action" for item in debate.items[told:])
