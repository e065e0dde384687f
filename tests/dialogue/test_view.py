"""The view of the board that answers are made from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exaim_core import EXAIM, BoardView, Delta
from exaim_core.board.view import MAX_BYTES, SAID_BYTES, view_of, within
from tests.dialogue.asking import END_S, at, board_of
from tests.dialogue.scoring import boards_at


async def test_every_update_brings_the_board_after_it() -> None:
    exaim = EXAIM()
    text = "### Critical Finding:\nThe potassium is 6.9 mmol/L.\n"
    [update] = await exaim.feed(Delta("doctor2", text, 1, 0.0))
    assert update.board is not None
    [critical] = update.board.criticals
    assert (critical.name, critical.value, critical.claim.agent_id) == ("potassium", "6.9 mmol/L", "doctor2")
    assert (critical.claim.turn, critical.claim.first_seq) == (1, 1)


async def test_the_view_holds_views_with_holders_reasons_and_what_was_held_before() -> None:
    view = (await at(END_S)).board
    assert view is not None
    changed = next(lead for lead in view.leads if lead.claim.agent_id == "doctor1")
    assert changed.former is not None and "ureteric stone" in changed.former.entity
    assert [why.text.split(":")[0] for why in changed.why] == ["Ultrasound", "Creatinine", "Urine sodium"]
    assert set(view.vote.holders) == {"doctor0", "doctor1", "doctor2"} and view.differs == ()
    assert changed.claim.turn == 2


async def test_a_withdrawn_view_has_no_vote_and_its_remarks_are_gone() -> None:
    lead = (
        "### Most Likely Diagnosis:\n**Left ureteric obstruction** - flank ache.\n"
        "I would put a nephrostomy above everything else here.\n"
    )
    gone = "### Revised Opinion:\nI withdraw left ureteric obstruction as the leading diagnosis.\n"
    before = await board_of(("doctor1", lead))
    assert any("nephrostomy" in claim.text for claim in (*before.remarks, *before.actions))
    after = await board_of(("doctor1", lead), ("doctor1", gone))
    assert after.leads[0].withdrawn and after.vote.holders == ()
    assert not any("nephrostomy" in claim.text for claim in after.remarks)


@pytest.mark.parametrize("case", ["hyperkalaemia", "sudden-chest-pain"])
async def test_the_view_is_compact_goes_through_json_and_cuts_whole_claims_only(case: str) -> None:
    boards = await boards_at(case, [20.0, 60.0, 400.0])
    for view in boards.values():
        text = view.model_dump_json()
        assert len(text.encode()) <= MAX_BYTES + SAID_BYTES
        assert BoardView.model_validate_json(text) == view
        assert BoardView.model_validate(json.loads(text)) == view
        small = within(view, 4096)
        assert small.left_out - view.left_out >= 0
        for name in ("cautions", "actions", "tests", "findings", "remarks"):
            assert set(getattr(small, name)) <= set(getattr(view, name))
        assert small.leads == view.leads and small.criticals == view.criticals


async def test_the_same_log_gives_the_same_view() -> None:
    one, other = [(await boards_at("hyperkalaemia", [60.0]))[60.0] for _ in range(2)]
    assert one == other


async def test_an_empty_board_gives_an_empty_view() -> None:
    assert view_of(EXAIM().board) == BoardView()
    assert BoardView().model_dump_json() == "{}"


@pytest.mark.shared
async def test_the_view_of_every_recorded_case_keeps_its_bound(shared: Path) -> None:
    from tests.exaim_core.test_shared_traces import content_of, records_of

    for path in sorted((shared / "traces").glob("*.trace.jsonl.gz"))[:6]:
        exaim, at_s = EXAIM(), 0.0
        for seq, record in enumerate(content_of(records_of(path)), start=1):
            at_s = max(at_s, record["t_rel_ms"] / 1000)
            if record["record_type"] == "stream_delta":
                await exaim.feed(Delta(record["agent_id"], record["delta_text"], seq, at_s))
        view = view_of(exaim.board)
        assert len(view.model_dump_json().encode()) <= MAX_BYTES + SAID_BYTES
        assert view.leads


async def test_the_discussion_itself_is_in_the_view_and_what_was_given_up_is_marked() -> None:
    lead = "### Most Likely Diagnosis:\n**Left ureteric obstruction** - flank ache.\n"
    order = "### Treatment:\n1. **Gentamicin 320 mg** - once.\n"
    gone = (
        "### Revised Opinion:\nI withdraw left ureteric obstruction as the leading diagnosis.\n"
        "### Withdrawn Treatment:\nI also withdraw gentamicin.\n"
    )
    before = (await board_of(("doctor1", lead + order))).said
    assert [each.text for each in before] == [
        "Left ureteric obstruction: flank ache.",
        "Gentamicin 320 mg: once.",
    ]
    assert not any(each.past for each in before)
    after = (await board_of(("doctor1", lead + order), ("doctor1", gone))).said
    assert [each.past for each in after[:2]] == [True, True]
    assert not any(each.past for each in after[2:])


async def test_the_short_values_of_a_json_object_are_kept_together_and_not_twice() -> None:
    block = '{"leading": "pneumonia", "confidence": 0.7, "for": ["crackles at the left base since Monday"]}'
    said = (await board_of(("doctor1", block))).said
    assert any("leading: pneumonia; confidence: 0.7" in each.text for each in said)
    assert sum("crackles" in each.text for each in said) == 1
