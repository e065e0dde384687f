"""What is asked for by a short name is found by its long one, and the other way; the newest value comes first."""

from __future__ import annotations

import pytest

from tests.dialogue.asking import Asking, board_of

VALUES = [
    ("FVC was 1.9 L at 22:00.", "03:10 FVC 1.2, T 38.1.", "latest vital capacity"),
    ("Vital capacity 1.9 L at noon.", "Vital capacity 1.2 L.", "what is her FVC"),
    ("VC 1.9 L, RR 24.", "VC 1.2 L, sats 91.", "how are her breathing numbers"),
    ("Peak flow 320.", "Peak flow 180.", "PEFR?"),
    ("ICP 12.", "ICP 24.", "what's the intracranial pressure"),
    ("CVP 4.", "CVP 12.", "central venous pressure?"),
    ("MAP 52.", "MAP 66.", "what is the mean arterial pressure"),
]


@pytest.mark.parametrize(("first", "later", "question"), VALUES)
async def test_a_measure_is_found_by_either_name_and_the_newest_is_told_first(
    first: str, later: str, question: str
) -> None:
    board = await board_of(("ward", f"She is ill. {first}"), ("icu", f"I am with her. {later}"))
    answer = (await Asking(board, None).ask(question)).text.lower()
    assert later.lower().rstrip(".") in answer, answer
    assert answer.index(later.lower().rstrip(".")) < (answer.find(first.lower().rstrip(".")) % 10_000), answer


async def test_an_aim_of_a_measure_is_no_value() -> None:
    board = await board_of(("icu", "FVC 1.2 L."), ("reg", "FVC under 0.9 and I tube her."))
    answer = (await Asking(board, None).ask("latest vital capacity")).sentences[0].text
    assert "1.2" in answer, answer


BANS = [
    ("No IV magnesium, it blocks the junction.", "his mag is low, shall I top it up in the drip"),
    ("No suxamethonium, he resists it.", "sux for a re-tube, yes or no"),
    ("No desmopressin until the sodium is back.", "can she have her DDAVP"),
    ("No tranexamic acid, he has a clot.", "TXA, ok?"),
]


@pytest.mark.parametrize(("ban", "question"), BANS)
async def test_a_short_name_meets_the_ban_on_the_drug(ban: str, question: str) -> None:
    board = await board_of(("reg", f"The tube is in. {ban}"), ("nurse", "The NG tube drips. Urine 40 ml."))
    answer = await Asking(board, None).ask(question)
    assert ban.rstrip(".").lower()[:20] in answer.text.lower(), answer.text


BRANDS = [
    ("No valproate, she is pregnant.", "can she have her Epilim"),
    ("No Epilim, she is pregnant.", "can she have valproate"),
    ("No phenytoin, the PR is long.", "is Dilantin all right"),
    ("Levodopa on time, never stop it.", "do we stop the Madopar"),
    ("Levodopa on time, never stop it.", "is the Sinemet to be held"),
    ("No PCC, he has clotted the valve.", "is Octaplex safe"),
    ("No PCC, he has clotted the valve.", "can he have Beriplex"),
    ("No pyridostigmine while he is ventilated.", "shall I give his Mestinon"),
]


@pytest.mark.parametrize(("ban", "question"), BRANDS)
async def test_a_brand_meets_what_was_said_of_its_substance(ban: str, question: str) -> None:
    board = await board_of(("reg", f"The tube is in. {ban}"), ("nurse", "The NG tube drips. Urine 40 ml."))
    answer = await Asking(board, None).ask(question)
    assert answer.text.lower().partition(": ")[2].find(ban.rstrip(".").lower()[:14]) >= 0, answer.text
    assert "I have nothing" not in answer.text, answer.text


async def test_a_brand_of_another_substance_is_another_thing() -> None:
    board = await board_of(("reg", "No valproate, she is pregnant."), ("nurse", "The NG tube drips."))
    answer = await Asking(board, None).ask("what dose of Dilantin")
    assert answer.sentences[0].text.startswith("I have nothing"), answer.text
