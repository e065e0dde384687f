"""What names nothing in its own turn is told behind the words of somebody else that it answers, with whose they are."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.text.reader import Reader
from exaim_core.text.token_gate import Chunk, Piece
from tests.exaim_core.talks import told

ASKED = "She takes naproxen, three a day, from the market."
LONG = (
    f"She went to the market on foot, {'as she does on most days, ' * 5}and was back by noon with naproxen."
)
ANSWER = "That stops today, she must not take those."


async def pressing(*turns: str) -> list[str]:
    """Return the texts of what presses."""
    return [item.text for item in await told(*turns) if item.presses]


async def test_a_ban_that_only_points_is_told_behind_what_it_answers() -> None:
    [item] = [item for item in await told(ASKED, ANSWER) if item.presses]

    assert item.text == (
        "Doctor One: she takes naproxen, three a day, from the market. "
        "Caution, Doctor Two: that stops today, she must not take those."
    )
    assert {span.agent_id for span in item.evidence} == {"doctor1", "doctor2"}
    assert [cite.agent_id for cite in item.cites] == ["doctor2"]


async def test_what_its_own_turn_names_is_told_from_its_own_turn() -> None:
    assert await pressing("She sleeps badly.", f"{ASKED} {ANSWER}") == [
        f"Caution, Doctor Two: {ASKED[0].lower()}{ASKED[1:]} {ANSWER}"
    ]


@pytest.mark.parametrize(
    "before",
    [
        "Thank you all.",  # names nothing
        LONG,
    ],
)
async def test_where_nothing_short_names_it_the_caution_is_pointed_to_or_not_told(before: str) -> None:
    assert not any("that stops" in text.lower() for text in await pressing(before, ANSWER))


async def test_a_caution_that_cannot_be_told_by_itself_is_pointed_to_by_its_drug() -> None:
    texts = await pressing("Thank you all.", "Never again, and no sulfasalazine either.")

    assert texts == ["A caution from Doctor Two on sulfasalazine is on the page."]


async def test_turns_that_overlap_answer_nobody() -> None:
    exaim = EXAIM()
    updates = await exaim.feed(Delta("doctor1", f"{ASKED}\n", 1, 1.0))
    updates += await exaim.feed(Delta("doctor2", f"{ANSWER}\n", 2, 2.0))
    updates += await exaim.turn_end("doctor1", 3, 3.0)
    updates += await exaim.turn_end("doctor2", 4, 4.0)

    assert not any("that stops" in item.text for update in updates for item in update.items)


async def test_a_quoted_line_is_not_its_writers_word_and_is_what_the_rest_answers() -> None:
    texts = await pressing(
        "Ceftriaxone for two weeks, then co-trimoxazole 960 mg twice a day for a year. Bloods on Monday.",
        "> co-trimoxazole 960 mg\nNever again, and no sulfasalazine either.",
    )

    [text] = texts
    assert text == (
        "Doctor One: ceftriaxone for two weeks, then co-trimoxazole 960 mg twice a day for a year. "
        "Caution, Doctor Two: never again, and no sulfasalazine either."
    )


async def test_a_quoted_ban_is_not_told_again_as_its_quoters() -> None:
    ban = "No enoxaparin tonight, the drain is in."

    assert not any(text.startswith("Doctor Two") for text in await pressing(ban, f"> {ban}\nI read that."))


async def test_what_nobody_said_before_is_its_writers_own_whatever_its_mark() -> None:
    assert any(
        "enoxaparin" in text
        for text in await pressing("Hello.", "> No enoxaparin tonight, the drain is in.\n")
    )


async def test_a_turn_that_is_withdrawn_is_answered_by_nobody() -> None:
    exaim = EXAIM()
    await exaim.feed(Delta("doctor1", ASKED, 1, 1.0))
    await exaim.abort_turn("doctor1", 2, 2.0)
    updates = await exaim.feed(Delta("doctor2", f"> She takes naproxen\n{ANSWER}\n", 3, 3.0))
    updates += await exaim.turn_end("doctor2", 4, 4.0)

    assert not any("Doctor One:" in item.text for update in updates for item in update.items)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("msg 4 · safety · BLOCKS 3: Cancel the platelets.", ["Cancel the platelets."]),
        ("ticket #12 status: open · Potassium 6.9.", ["Potassium 6.9."]),
        ("[m03 | imp 7] Home cuff 98/60.", ["Home cuff 98/60."]),
        ("[comment] Stop the heparin.", ["Stop the heparin."]),
        ("[0:09] The lab rang back.", ["The lab rang back."]),
        ("msg 9 · RETRACT · re 5: I withdraw it.", ["I withdraw it."]),
        ("[m03 void] Home cuff 98/60.", ["[m03 void] Home cuff 98/60."]),
        ("[proposal] Stop alendronate.", ["[proposal] Stop alendronate."]),
        ("[05:44] Rate 5.", ["[05:44] Rate 5."]),
        ("2025-02-11 21:04:18.450 INFO  Insulin 52 units.", ["Insulin 52 units."]),
        ("2025-02-11 21:50:33,701 WARNING - No verapamil.", ["No verapamil."]),
        ("[2025-02-11T21:50:33.1Z] INFO Rate 5.", ["Rate 5."]),
        ("2025-02-11 21:50:00.000 Potassium 6.9.", ["2025-02-11 21:50:00.000 Potassium 6.9."]),
        ("2025-02-11 21:50 Potassium 6.9.", ["2025-02-11 21:50 Potassium 6.9."]),
        ("Potassium 3: repeat.", ["Potassium 3: repeat."]),
    ],
)
def test_the_head_of_a_message_is_not_said(written: str, said: list[str]) -> None:
    assert _sentences(written) == said


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("~~Stop the heparin. Give protamine.~~ Go on as before.", ["Go on as before."]),
        ("Stop the heparin. ~~Give protamine. Now.~~ Go on.", ["Stop the heparin.", "Go on."]),
        ("~~Stop the heparin. Give protamine.", ["Stop the heparin.", "Give protamine."]),
    ],
)
@pytest.mark.parametrize("size", [3, 400])
def test_what_is_struck_over_two_sentences_is_struck(written: str, said: list[str], size: int) -> None:
    assert _sentences(written, size) == said


def _sentences(text: str, size: int = 400) -> list[str]:
    """Return the sentences of one line that comes in pieces of `size` characters."""
    reader, units = Reader("doctor1"), []
    for at in range(0, len(text), size):
        part = text[at : at + size]
        units += reader.push(Chunk("doctor1", part, "token", (Piece(at, float(at), len(part)),), float(at)))
    units += reader.end_turn()
    return [unit.full for unit in units]  # type: ignore[union-attr]


async def test_a_short_answer_that_names_nothing_known_is_told_behind_the_whole_short_turn_it_answers() -> (
    None
):
    texts = await pressing(
        "She takes theophylline at home. It is in her bag.", "Oh, good spot. Then no loading dose."
    )

    assert texts == [
        (
            "Doctor One: she takes theophylline at home. It is in her bag. "
            "Doctor Two: oh, good spot. Then no loading dose."
        )
    ]


async def test_of_a_long_turn_nobody_knows_what_such_an_answer_means() -> None:
    long = "She takes theophylline at home. Her chest is quiet. Warfarin goes on."
    assert not any(
        "Warfarin" in text for text in await pressing(long, "Oh, good spot. Then no loading dose.")
    )
