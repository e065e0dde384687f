"""What is told of right readings: one sentence for what belongs together, what is taken back, what ends it all."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM
from exaim_core.readings.port import ReaderReply, ReadingRequest, ReadKind, ReadStance
from exaim_core.schema import Span, SpokenItem, SpokenKind
from exaim_core.since import Since
from tests.exaim_core.scripted_readings import Scripted, claim, number, texts, told, with_claims

VIEWS = "I think it is a pulmonary embolism. The troponin is 34 ng/L. The lactate is 2.1 mmol/L.\n"
GIVEN_UP = "I was wrong about the pulmonary embolism, I take that back.\n"


async def test_what_one_holder_claims_of_one_kind_is_told_in_one_sentence() -> None:
    reader = with_claims(
        ("troponin", claim(ReadKind.TEST, "Send a troponin.", slots={"entity": "troponin"})),
        ("lactate", claim(ReadKind.TEST, "Repeat the lactate at six.", slots={"entity": "lactate"})),
    )
    updates = await told(EXAIM(reader=reader), "Send a troponin. Repeat the lactate at six.\n")
    assert "Doctor Zero: send a troponin; repeat the lactate at six." in texts(updates)


async def test_what_its_speaker_may_change_is_told_by_itself() -> None:
    reader = with_claims(
        ("troponin", claim(ReadKind.FINDING, "Troponin 34 ng/L.", slots={"entity": "troponin"})),
        ("lactate", claim(ReadKind.FINDING, "Lactate 2.1 mmol/L.", slots={"entity": "lactate"})),
    )
    updates = await told(EXAIM(reader=reader), VIEWS)
    assert {"Doctor Zero: troponin 34 ng/L.", "Doctor Zero: lactate 2.1 mmol/L."} <= set(texts(updates))
    (item,) = (item for up in updates for item in up.items if "troponin" in item.text)
    assert item.read


async def gone(said: str, changed: str, kind: ReadKind, say: str, slots: dict[str, str]) -> set[str]:
    """Return the texts that a change takes off."""
    reader = with_claims(
        (said.split()[1], claim(kind, said, slots={"entity": say})),
        (changed.split()[-1].rstrip("."), claim(ReadKind.CHANGE, "", slots=slots)),
    )
    updates = await told(EXAIM(reader=reader), f"{said}\n", f"{changed}\n")
    ids = {each for up in updates for each in up.withdraws}
    return {item.text for up in updates for item in up.items if item.item_id in ids}


OBSTRUCTION = "Obstruction is what I put first here today."
KIDNEY = "The spleen measures 14 cm on this scan."


@pytest.mark.parametrize(
    ("said", "changed", "kind", "slots"),
    [
        (OBSTRUCTION, "I take back my order for the contrast scan.", ReadKind.LEADING, {"from": "contrast scan"}),
        (OBSTRUCTION, "I no longer think of obstruction.", ReadKind.LEADING, {"entity": "obstruction"}),
        (OBSTRUCTION, "The obstruction fits with what we saw.", ReadKind.LEADING, {"from": "obstruction"}),
        (OBSTRUCTION, "The sodium was wrong, I take it back.", ReadKind.LEADING, {"from": "sodium"}),
        (KIDNEY, "I was wrong about the scan, I take it back.", ReadKind.FINDING, {"from": "scan"}),
        (KIDNEY, "I no longer hold lymphoma, whatever the spleen.", ReadKind.FINDING, {"from": "lymphoma"}),
        (KIDNEY, "The spleen is what we saw.", ReadKind.FINDING, {"from": "spleen"}),
    ],
)  # fmt: skip
async def test_a_change_takes_off_nothing_that_it_is_not_from(
    said: str, changed: str, kind: ReadKind, slots: dict[str, str]
) -> None:
    assert not await gone(said, changed, kind, "", slots)


@pytest.mark.parametrize(
    ("said", "changed", "kind", "slots"),
    [
        (OBSTRUCTION, "I no longer think of obstruction.", ReadKind.LEADING, {"from": "obstruction"}),
        (OBSTRUCTION, "I was wrong about the obstruction.", ReadKind.LEADING, {"from": "obstruction"}),
    ],
)
async def test_a_change_takes_off_the_view_that_it_is_from(
    said: str, changed: str, kind: ReadKind, slots: dict[str, str]
) -> None:
    assert len(await gone(said, changed, kind, "", slots)) == 1


async def test_an_allergy_stays_although_its_drug_is_named_again() -> None:
    said = "She had anaphylaxis with penicillin in 2009.\n"
    updates = await told(EXAIM(), said, "The penicillin question changes nothing for us today.\n")
    assert any("anaphylaxis" in item.text for up in updates for item in up.items)
    assert not any(up.withdraws for up in updates)


async def test_a_leading_view_and_one_beside_it_are_two_sentences_and_another_replaces_neither() -> None:
    said = "I would put obstruction first. Myeloma is also on my list.\n"
    reader = with_claims(
        ("first", claim(ReadKind.LEADING, "I would put obstruction first.", slots={"entity": "obstruction"})),
        ("Myeloma", claim(ReadKind.DIFFERENTIAL, "Myeloma is also on my list.", slots={"entity": "Myeloma"})),
        ("lead", claim(ReadKind.LEADING, "Sepsis is in the lead.", slots={"entity": "Sepsis"})),
    )
    updates = await told(EXAIM(reader=reader), said, "Sepsis is in the lead.\n")
    topics = {item.text: item.topic for up in updates for item in up.items if item.read}
    assert not any(";" in text for text in topics)
    views = [topic for topic in topics.values() if topic]
    assert len(views) == len(set(views)) > 1


async def test_a_view_that_its_speaker_takes_back_is_told_no_more() -> None:
    reader = with_claims(
        ("I think", claim(ReadKind.LEADING, "I think it is a pulmonary embolism.", stance=ReadStance.HEDGED)),
        ("wrong", claim(ReadKind.CHANGE, "", slots={"from": "pulmonary embolism"})),
    )
    updates = await told(EXAIM(reader=reader), VIEWS, GIVEN_UP)
    view = next(item for up in updates for item in up.items if "I think it is" in item.text)
    assert view.item_id in {gone for up in updates for gone in up.withdraws}


async def test_what_no_model_was_shown_stays_as_the_rules_read_it() -> None:
    block = '{"leading_diagnosis": "adrenal crisis", "note": "The lactate is 2.1 mmol/L today in this patient."}\n'
    reader = with_claims(("lactate", claim(ReadKind.FINDING, "The lactate is 2.1 mmol/L.")))
    exaim = EXAIM(reader=reader)
    await told(exaim, block)
    assert reader.requests
    assert [lead.claim.entity for lead in exaim.board.views.leads.values()] == ["adrenal crisis"]


async def test_a_quotation_that_hangs_on_other_words_is_not_told_bare() -> None:
    said = "She had the wire out.\nIt comes back only under 40.\n"
    reader = with_claims(("only under", claim(ReadKind.ACTION, "", stance=ReadStance.CONDITIONAL)))
    updates = await told(EXAIM(reader=reader), said)
    assert "Doctor Zero: it comes back only under 40." not in texts(updates)


async def test_a_discussion_ends_with_what_a_model_read_as_agreed() -> None:
    said = "So we agree on euglycaemic DKA for tonight.\n"
    reader = with_claims(
        ("euglycaemic", claim(ReadKind.DECISION, "We agree on euglycaemic DKA for tonight."))
    )
    closing = (await told(EXAIM(reader=reader), "The pH is 7.14 and she is breathing fast today.\n", said))[
        -1
    ].items[-1]
    assert (
        closing.text == "Finished. At the end Doctor Zero said: So we agree on euglycaemic DKA for tonight."
    )


@pytest.mark.parametrize(
    ("said", "say", "stance"),
    [
        (
            "Do we agree on a nephrostomy tonight, all of you?\n",
            "We agree on a nephrostomy tonight.",
            "affirmed",
        ),
        ("Nephrostomy tonight unless the family says no to it.\n", "Nephrostomy tonight.", "affirmed"),
        ("We settle on a nephrostomy tonight if it holds.\n", "", "conditional"),
        (
            "We perhaps settle on a nephrostomy tonight.\n",
            "We perhaps settle on a nephrostomy tonight.",
            "hedged",
        ),
        ("We have not settled on a nephrostomy tonight.\n", "", "affirmed"),
        (
            "We settle on a nephrostomy tonight. Nephrostomy is not agreed by surgery.\n",
            "We settle on a nephrostomy tonight.",
            "affirmed",
        ),
        (
            "We settle on a nephrostomy tonight. It is not possible without a platelet count.\n",
            "We settle on a nephrostomy tonight.",
            "affirmed",
        ),
    ],
)
async def test_what_is_no_plain_decision_ends_nothing(said: str, say: str, stance: str) -> None:
    reader = with_claims(
        (
            "ephrostomy tonight",
            claim(ReadKind.DECISION, say, stance=ReadStance(stance), slots={"entity": "nephrostomy tonight"}),
        )
    )
    closing = (await told(EXAIM(reader=reader), "The pH is 7.14 and she is breathing fast today.\n", said))[
        -1
    ].items[-1]
    assert "ephrostomy" not in closing.text


async def test_of_two_decisions_the_one_that_names_a_view_ends_the_discussion() -> None:
    said = "Sarcoidosis is what we treat her for. Physiotherapy goes on for the shoulder.\n"
    reader = with_claims(
        ("Sarcoidosis", claim(ReadKind.DECISION, "Sarcoidosis is what we treat her for.")),
        ("Physiotherapy", claim(ReadKind.DECISION, "Physiotherapy goes on for the shoulder.")),
    )
    closing = (await told(EXAIM(reader=reader), said))[-1].items[-1]
    assert closing.text.endswith("said: Sarcoidosis is what we treat her for.")


async def test_what_rests_on_two_sentences_is_shown_with_both() -> None:
    def answer(request: ReadingRequest) -> ReaderReply:
        cites = (number(request, "fever"), number(request, "Ghana"))
        say = "She has fever and came back from Ghana."
        return ReaderReply((claim(ReadKind.FINDING, say, cites=cites),) if len(request.sentences) > 1 else ())

    said = "She has fever. The ankle is red. She came back from Ghana.\n"
    updates = await told(EXAIM(reader=Scripted(answer)), said)
    found = [item for up in updates for item in up.items if "fever" in item.text and "Ghana" in item.text]
    shown = [said[span.start : span.end] for item in found for span in item.evidence]
    assert shown[:2] == ["She has fever.", "She came back from Ghana."]


BAN = "Accepted. I withdraw propylthiouracil: no thionamide, now or ever again."


async def test_what_the_rules_told_of_a_place_is_not_told_again_as_a_model_read_it() -> None:
    reader = with_claims(
        (
            "thionamide",
            claim(
                ReadKind.CHANGE,
                "I withdraw propylthiouracil: no thionamide, now or ever again.",
                slots={"entity": "propylthiouracil"},
            ),
        )
    )
    updates = await told(EXAIM(reader=reader), f"{BAN}\n", "The lactate is 2.1 mmol/L.\n")
    assert sum("thionamide" in item.text for update in updates for item in update.items) == 1


PLACE, ELSEWHERE = Span(agent_id="doctor0", start=0, end=70), Span(agent_id="doctor0", start=90, end=160)
TOLD = SpokenItem(
    item_id="0001.1",
    kind=SpokenKind.CAUTION,
    text="Caution, Doctor Zero: weight 40 kg. No gentamicin.",
    agents=("doctor0",),
    presses=True,
    protects=True,
    evidence=(PLACE,),
)
READ = TOLD.model_copy(
    update={
        "item_id": "0002.1",
        "text": "Doctor Zero: no gentamicin.",
        "read": True,
        "kind": SpokenKind.ACTION,
    }
)


@pytest.mark.parametrize(
    ("old", "read", "told_already"),
    [
        ({}, {}, True),
        ({}, {"read": False}, False),
        ({}, {"evidence": (ELSEWHERE,)}, False),
        ({}, {"agents": ("doctor1",)}, False),
        ({}, {"text": "Doctor Zero: no gentamicin, no contrast."}, False),
        ({"presses": False}, {}, False),
        ({"protects": False}, {}, False),
        ({"likely": 0.4, "presses": False}, {"presses": False}, False),
        ({"presses": False}, {"presses": False}, True),
    ],
)
def test_what_a_model_read_is_told_already_only_by_what_is_told_as_surely_of_the_same_place(
    old: dict[str, object], read: dict[str, object], told_already: bool
) -> None:
    since = Since()
    since.told((TOLD.model_copy(update=old),))
    assert since.tells(READ.model_copy(update=read)) is told_already


def test_what_was_taken_back_tells_nothing_any_more() -> None:
    since = Since()
    since.told((TOLD,))
    since.gone.add(TOLD.item_id)
    assert not since.tells(READ)
