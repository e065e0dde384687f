# ruff: noqa: E501 - sentences stay whole
from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from exaim_core import (
    EXAIM,
    AgentSummary,
    Delta,
    DeltaOutOfOrder,
    Finished,
    GateLimits,
    ManualClock,
    SpokenKind,
    Update,
)
from exaim_core.judge import BufferAnalysis, JudgeRequest, StreamState, decide
from exaim_core.schema import FIELD_LIMITS, LeftOut, history_line
from exaim_core.since import Since
from exaim_core.text.places import Source
from exaim_core.text.sections import Section
from exaim_core.text.units import Heading

ZERO = """### Most Likely Diagnosis:
**Sarcoidosis** - given bilateral hilar nodes and calcium of 2.9 mmol/L, this fits best.

### Differential Diagnoses:
1. **Tuberculosis** - to be ruled out.
2. **Lymphoma** - less likely.

### Recommended Tests:
1. **Chest CT** - first.
2. **Bronchoscopy** - if the CT shows nodes.
3. **Further evaluation** - as needed.
"""
ONE = """Thank you, Doctor0, for your insights.

### Most Likely Diagnosis:
**Tuberculosis** - based on night sweats and recent travel.

### Allergy:
Please note his **penicillin allergy** - amoxicillin is not an option.

The potassium is 6.9 mmol/L and must be treated now.
"""
TWO = """### Most Likely Diagnosis:
**Tuberculosis** - I agree with Doctor1.
"""
CHANGED = """I withdraw sarcoidosis as the leading diagnosis.

### Most Likely Diagnosis:
I now agree that **tuberculosis** is the most likely diagnosis.
"""
CHAIR = """```json
{"Most Likely Diagnosis": "Tuberculosis", "Recommended Tests": ["Chest CT", "Sputum culture"], "Areas of Disagreement": []}
```
**TERMINATE**
"""
SCENE = (("doctor0", ZERO), ("doctor1", ONE), ("doctor2", TWO), ("doctor0", CHANGED), ("supervisor", CHAIR))


async def play(
    turns: tuple[tuple[str, str], ...] = SCENE, size: int = 6, engine: EXAIM | None = None
) -> tuple[tuple[Update, ...], EXAIM, dict[str, list[int]]]:
    exaim = engine or EXAIM()
    updates: tuple[Update, ...] = ()
    fed: dict[str, list[int]] = {}
    seq, at_s = 0, 0.0
    for agent, text in turns:
        for start in range(0, len(text), size):
            seq, at_s = seq + 1, at_s + 0.02
            fed.setdefault(agent, []).append(seq)
            updates += await exaim.feed(Delta(agent, text[start : start + size], seq, at_s))
        seq, at_s = seq + 1, at_s + 0.5
        updates += await exaim.turn_end(agent, seq, at_s)
    return updates + await exaim.finish(at_s + 1), exaim, fed


def spoken(updates: tuple[Update, ...]) -> list[str]:
    return [item.text for update in updates for item in update.items]


async def test_a_short_case_is_told_as_changes() -> None:
    updates, _, _ = await play()
    assert spoken(updates) == [
        "Doctor Zero leads with sarcoidosis.",
        "Doctor Zero also considers tuberculosis and lymphoma.",
        "Doctor Zero asks for chest CT and bronchoscopy if the CT shows nodes.",
        "Critical, from Doctor One: potassium 6.9 mmol/L.",
        "Doctor One differs: tuberculosis.",
        "Caution, Doctor One: penicillin allergy - amoxicillin is not an option.",
        "Doctor Two sides with Doctor One on tuberculosis. Two to one.",
        "Doctor Zero has changed from sarcoidosis to tuberculosis. All three agree.",
        "The supervisor also wants sputum culture.",
        "Finished. Tuberculosis, all agree; wanted: chest CT and sputum culture.",
    ]


async def test_a_change_of_mind_is_about_its_own_agents_view() -> None:
    updates, _, _ = await play()
    topics = {i.topic for u in updates for i in u.items if i.kind in (SpokenKind.CHANGE, SpokenKind.LEADING)}
    assert topics == {"view of doctor0"}


async def test_a_critical_finding_goes_out_at_once_by_path_c_with_its_key() -> None:
    updates, _, _ = await play()
    [(update, item)] = [(u, i) for u in updates for i in u.items if i.kind is SpokenKind.CRITICAL]
    assert (update.path, item.urgency, item.critical_key) == ("C", "critical", "potassium=6.9")
    assert item.text.endswith("potassium 6.9 mmol/L.") and item.protects
    said = ONE.index("treated now.") + len("treated now.")
    first = (len(ZERO) + 5) // 6 + 2
    assert item.cites[0].last_seq <= first + said // 6 + 1, "it cites its own sentence"


async def test_the_time_told_is_that_of_the_last_delta_cited() -> None:
    updates, _, _ = await play(
        (("doctor0", "### Diagnosis:\n**Gout** - given a swollen toe.\nI look forward to more.\n"),)
    )
    cites = [cite.last_seq for item in updates[0].items for cite in item.cites]
    assert updates[0].last_delta_at_s == pytest.approx(max(cites) * 0.02)


async def test_what_the_end_of_a_turn_completes_is_told_at_the_end_of_the_turn() -> None:
    exaim = EXAIM()
    text = (
        ZERO
        + "### Allergy:\nShe is allergic to penicillin. "
        + "It is noted here. " * 20
        + "Gentamicin should be avoided."
    )
    await exaim.feed(Delta("doctor1", text, 1, 0.0))
    updates = await exaim.turn_end("doctor1", 2, 0.5)
    assert "Caution, Doctor One: gentamicin should be avoided." in spoken(updates)


async def test_every_delta_is_covered_exactly_once_and_nothing_is_left() -> None:
    updates, _, fed = await play()
    for agent, seqs in fed.items():
        covers = [part for update in updates for part in update.covers if part.agent_id == agent]
        taken = [seq for part in covers for seq in seqs if part.first_seq <= seq <= part.last_seq]
        assert taken == seqs


async def test_a_list_is_covered_by_the_update_that_tells_it() -> None:
    exaim = EXAIM()
    opened = "### Recommended Tests:\n1. Chest CT.\n2. Sputum culture.\n"
    assert await exaim.feed(Delta("doctor0", opened, 1, 0.0)) == ()
    [alarm] = await exaim.feed(Delta("doctor1", "The potassium is 6.9 mmol/L now. ", 2, 4.0))
    assert alarm.path == "C" and {part.agent_id for part in alarm.covers} == {"doctor1"}
    [told] = await exaim.turn_end("doctor0", 3, 5.0)
    assert told.items[0].cites[0].agent_id == "doctor0"
    assert [(part.agent_id, part.last_seq) for part in told.covers] == [("doctor0", 1)]


@settings(max_examples=25, deadline=None)
@given(size=st.integers(1, 400), order=st.permutations(SCENE))
async def test_coverage_and_order_hold_for_any_cut_and_order(size: int, order: list[tuple[str, str]]) -> None:
    updates, _, fed = await play(tuple(order), size)
    for agent, seqs in fed.items():
        covers = [part for update in updates for part in update.covers if part.agent_id == agent]
        taken = [seq for part in covers for seq in seqs if part.first_seq <= seq <= part.last_seq]
        assert taken == seqs
    assert [update.number for update in updates] == list(range(1, len(updates) + 1))
    assert [update.path for update in updates].count("end") == 1 and updates[-1].path == "end"


async def test_agents_that_talk_at_once_keep_their_own_words() -> None:
    exaim = EXAIM()
    updates: tuple[Update, ...] = ()
    pieces = [
        (agent, text[i : i + 5]) for i in range(0, 400, 5) for agent, text in SCENE[:3] if text[i : i + 5]
    ]
    for seq, (agent, piece) in enumerate(pieces, start=1):
        updates += await exaim.feed(Delta(agent, piece, seq, seq * 0.01))
    updates += await exaim.finish(99.0)
    assert "Doctor One leads with tuberculosis." in spoken(updates)
    assert "Doctor Two agrees: tuberculosis." in spoken(updates)
    assert sum(part.last_seq - part.first_seq >= 0 for u in updates for part in u.covers) >= 3


def cut_off(work: Coroutine[Any, None, tuple[Update, ...]], at: int) -> tuple[tuple[Update, ...], int]:
    """Run `work` by hand and cancel it where it lets others run for the `at`th time, from 0.

    Return its updates, () if it was cancelled, and how often it lets others run.
    """
    waits = 0
    while True:
        try:
            if waits == at + 1:
                work.throw(asyncio.CancelledError())
            work.send(None)
        except StopIteration as end:
            return end.value, waits
        except asyncio.CancelledError:
            return (), waits
        waits += 1


@pytest.mark.parametrize("deepest", [1, 2, 4, 8])
async def test_who_is_cancelled_between_two_pieces_of_work_loses_nothing(deepest: int) -> None:
    """Every piece of text is cut off somewhere: what it brought is told by the calls that follow."""
    limits = GateLimits(min_words=4, max_words=20)
    whole, _, _ = await play(size=40, engine=EXAIM(limits=limits))
    exaim, seq, at_s, cuts = EXAIM(limits=limits), 0, 0.0, 0
    updates: tuple[Update, ...] = ()
    fed: dict[str, list[int]] = {}
    for agent, text in SCENE:
        for start in range(0, len(text), 40):
            seq, at_s = seq + 1, at_s + 0.15
            fed.setdefault(agent, []).append(seq)
            made, waits = cut_off(
                exaim.feed(Delta(agent, text[start : start + 40], seq, at_s)), cuts % deepest
            )
            updates, cuts = updates + made, cuts + (waits > 0)
        seq, at_s = seq + 1, at_s + 0.5
        updates += await exaim.turn_end(agent, seq, at_s)
    updates += await exaim.finish(at_s + 1)
    assert cuts > 5
    assert updates[-1].items[-1].text == whole[-1].items[-1].text
    for agent, seqs in fed.items():
        covers = [part for update in updates for part in update.covers if part.agent_id == agent]
        assert [s for part in covers for s in seqs if part.first_seq <= s <= part.last_seq] == seqs
    assert set(spoken(whole)) <= set(spoken(updates))


async def test_what_was_about_to_be_told_when_the_caller_was_cancelled_is_told_next() -> None:
    delta = Delta("doctor1", "The potassium is 6.9 mmol/L and must be treated now.\n", 1, 0.0)
    _, waits = cut_off(EXAIM().feed(delta), 99)
    assert waits > 3
    for at in range(waits):
        exaim = EXAIM()
        told, _ = cut_off(exaim.feed(delta), at)
        assert told == ()
        kinds = [item.kind for update in await exaim.finish(1.0) for item in update.items]
        assert kinds.count(SpokenKind.CRITICAL) == 1


async def test_updates_that_a_cancelled_call_had_made_come_with_the_next_one() -> None:
    """Two agents' texts are due at once: wherever the call is cut off, both updates are handed over, in order."""

    async def waiting() -> EXAIM:
        exaim = EXAIM()
        await exaim.feed(Delta("a", "My leading diagnosis is sarcoidosis.\n", 1, 0.0))
        await exaim.feed(Delta("b", "My leading diagnosis is lymphoma.\n", 2, 0.1))
        return exaim

    _, waits = cut_off((await waiting()).tick(9.0), 999)
    for at in range(waits):
        exaim = await waiting()
        made, _ = cut_off(exaim.tick(9.0), at)
        updates = made + await exaim.tick(9.1) + await exaim.finish(10.0)
        assert [update.number for update in updates] == [*range(1, len(updates) + 1)]
        assert updates[-1].path == "end" and len(spoken(updates)) >= 3


async def test_a_cancelled_finish_is_made_good_by_the_next_one() -> None:
    text = "### Most Likely Diagnosis:\n**Gout** - given a swollen toe.\n"
    _, waits = cut_off(await _fed(text), 999)
    assert waits
    for at in range(waits):
        exaim = EXAIM()
        await exaim.feed(Delta("doctor0", text, 1, 0.0))
        cut_off(exaim.finish(1.0), at)
        updates = await exaim.finish(1.0)
        assert updates[-1].path == "end"
        assert await exaim.finish(1.0) == ()


async def _fed(text: str) -> Coroutine[Any, None, tuple[Update, ...]]:
    exaim = EXAIM()
    await exaim.feed(Delta("doctor0", text, 1, 0.0))
    return exaim.finish(1.0)


async def test_the_same_log_gives_the_same_updates() -> None:
    assert (await play())[0] == (await play())[0]


async def test_timers_fire_by_tick_as_they_would_by_the_next_delta() -> None:
    early, late = EXAIM(), EXAIM()
    text = "### Most Likely Diagnosis:\n**Gout** - given a swollen toe.\n"
    for exaim in (early, late):
        await exaim.feed(Delta("doctor0", text, 1, 0.0))
    ticked = await early.tick(1.0)
    fed = await late.feed(Delta("doctor0", "More.", 2, 30.0))
    assert ticked == fed
    assert spoken(ticked) == ["Doctor Zero leads with gout."]
    assert early.next_due_s == float("inf")


async def test_a_log_that_goes_back_is_refused_and_changes_nothing() -> None:
    exaim = EXAIM()
    await exaim.feed(Delta("a", "x", 5, 1.0))
    with pytest.raises(DeltaOutOfOrder):
        await exaim.feed(Delta("a", "y", 5, 1.0))
    with pytest.raises(DeltaOutOfOrder):
        await exaim.feed(Delta("a", "y", 6, 0.5))
    await exaim.feed(Delta("a", "y", 6, 1.0))


async def test_after_the_end_nothing_is_taken_and_a_second_end_says_nothing() -> None:
    exaim = EXAIM()
    [end] = await exaim.finish(0.0)
    assert spoken((end,)) == ["Finished. What was decided could not be read: it is on the page."]
    assert await exaim.finish(1.0) == ()
    assert await exaim.tick(9.0) == ()
    with pytest.raises(Finished):
        await exaim.feed(Delta("a", "x", 1, 2.0))


async def test_what_was_said_before_a_team_broke_off_is_told_without_a_closing() -> None:
    exaim = EXAIM()
    said = "I still think this is renal failure. Give insulin 10 units now. Then give digoxin Fab 4"
    assert not await exaim.feed(Delta("zero", said, 1, 1.0))
    updates = await exaim.break_off(3.0)
    told = " ".join(spoken(updates)) + str([update.summary for update in updates])
    assert "insulin 10 units" in told
    assert "Finished" not in told and all(update.path != "end" for update in updates)
    assert "Fab" not in told, "the sentence that was cut"
    assert await exaim.break_off(4.0) == () == await exaim.finish(4.0)
    with pytest.raises(Finished):
        await exaim.feed(Delta("zero", "More.", 3, 5.0))


def test_what_is_no_delta_and_no_map_of_names_is_refused_with_what_to_do() -> None:
    with pytest.raises(TypeError, match="on_new_token"):
        asyncio.run(EXAIM().feed("The potassium is 6.9."))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="agent's id"):
        EXAIM(agent_names=["a"])  # type: ignore[arg-type]


def test_a_paper_that_is_none_is_refused_with_the_way_to_make_one() -> None:
    given: Any = {"case_id": "x"}
    with pytest.raises(TypeError, match="model_validate"):
        EXAIM(paper=given)


@pytest.mark.parametrize("cut", ["K 7.4 mmol/L", "Do not give heparin, she is bleeding"])
async def test_a_sentence_that_was_cut_is_told_if_it_forbids_or_alarms(cut: str) -> None:
    exaim = EXAIM()
    await exaim.feed(Delta("zero", f"I have looked at the gas. {cut}", 1, 1.0))
    updates = await exaim.cut_short("zero", 2, 1.1) + await exaim.turn_end("zero", 3, 1.2)
    told = " ".join(spoken(updates))
    assert "7.4" in told or "heparin" in told


async def test_agents_with_names_of_their_own_are_told_as_those_without() -> None:
    said = (
        ("a1", "I lead with pulmonary embolism. Give heparin 5000 units IV now. The lactate is 4.1 mmol/L."),
        ("b2", "Avoid alteplase because of the recent surgery. CT angiography now."),
    )
    told = list[list[str]]()
    for names in (None, {"a1": "Gregory House", "b2": "Lisa Cuddy"}):
        exaim, updates = EXAIM(agent_names=names), tuple[Update, ...]()
        for number, (agent, text) in enumerate(said):
            updates += await exaim.feed(Delta(agent, text, 2 * number, float(number)))
            updates += await exaim.turn_end(agent, 2 * number + 1, float(number))
        assert not [dropped for update in updates for dropped in update.dropped]
        told.append(spoken(updates))
    plain, named = told
    assert [text.replace("A One", "Gregory House").replace("B Two", "Lisa Cuddy") for text in plain] == named
    assert any("lactate 4.1" in text for text in named)


async def test_a_team_that_broke_off_with_nothing_left_to_tell_brings_no_update() -> None:
    assert await EXAIM().break_off(1.0) == ()


async def test_every_field_keeps_its_limit_and_holds_no_markup() -> None:
    updates, _, _ = await play()
    for update in updates:
        for name, text in update.summary.model_dump().items():
            assert 0 < len(text) <= FIELD_LIMITS[name]
            assert not any(mark in text for mark in ("**", "###", "```", "TERMINATE"))
    assert updates[-1].summary.uncertainty_confidence == "All agree."


def test_a_field_at_its_limit_is_taken_and_one_beyond_is_refused() -> None:
    fields = {name: "x" * limit for name, limit in FIELD_LIMITS.items()}
    assert history_line(AgentSummary(**fields)).startswith("Status/Action: xxx")
    with pytest.raises(ValueError, match="status_action"):
        AgentSummary(**{**fields, "status_action": "x" * 151})


async def test_the_core_documents_names_work_on_the_clock() -> None:
    clock = ManualClock()
    exaim = EXAIM(clock=clock)
    heard: list[str] = []
    summaries: list[AgentSummary] = []
    exaim.register_trace_callback(lambda agent, text: heard.append(agent))
    exaim.register_summary_callback(summaries.append)
    assert await exaim.received_trace("doctor1", ONE) is not None
    assert await exaim.on_new_token("doctor2", "I am still ") is None
    clock.advance(0.1)
    await exaim.on_new_token("doctor2", "thinking")
    await exaim.flush_agent("doctor2")
    assert heard == ["doctor1", "doctor2", "doctor2"]
    assert tuple(summaries) == exaim.get_all_summaries() != ()
    assert exaim.get_summaries_by_agent("DOCTOR1") == exaim.get_all_summaries()
    assert exaim.get_summaries_by_agent("doctor10") == ()
    assert exaim.get_agent_trace_count("doctor2") == 1
    assert exaim.get_agent_trace_count("nobody") == 0


async def test_a_callback_that_raises_harms_nothing_and_an_async_one_is_refused() -> None:
    exaim = EXAIM(clock=ManualClock())

    def bad(_summary: AgentSummary) -> None:
        raise RuntimeError("not ours")

    async def never(_summary: AgentSummary) -> None: ...

    exaim.register_summary_callback(bad)
    assert await exaim.received_trace("doctor0", ZERO) is not None
    with pytest.raises(TypeError):
        exaim.register_summary_callback(never)  # type: ignore[arg-type]


class SilentJudge:
    """A judge whose model is gone."""

    async def judge(self, request: JudgeRequest) -> BufferAnalysis | None:
        return None


async def test_nothing_is_lost_when_the_judge_fails() -> None:
    updates, _, fed = await play(engine=EXAIM(judge=SilentJudge()))
    [end] = updates
    assert {part.agent_id for part in end.covers} == set(fed)
    assert any(item.kind is SpokenKind.CRITICAL for item in end.items)
    assert end.items[-1].kind is SpokenKind.CLOSING


@pytest.mark.parametrize(
    ("state", "relevant", "novel", "complete", "path"),
    [
        (StreamState.CRITICAL_ALERT, False, False, False, "C"),
        (StreamState.SAME_TOPIC_CONTINUING, True, True, True, "A"),
        (StreamState.TOPIC_SHIFT, True, True, True, "A"),
        (StreamState.TOPIC_SHIFT, True, True, False, "B"),
        (StreamState.SAME_TOPIC_CONTINUING, True, True, False, None),
        (StreamState.TOPIC_SHIFT, False, True, True, None),
        (StreamState.TOPIC_SHIFT, True, False, True, None),
    ],
)
def test_the_path_follows_from_the_verdict(
    state: StreamState, relevant: bool, novel: bool, complete: bool, path: str | None
) -> None:
    verdict = BufferAnalysis(
        rationale="", stream_state=state, is_relevant=relevant, is_novel=novel, is_complete=complete
    )
    assert decide(verdict) == path
    assert decide(None) is None


async def test_what_is_due_is_told_before_a_whole_text() -> None:
    clock = ManualClock()
    exaim = EXAIM(clock=clock)
    await exaim.on_new_token("a", "My leading diagnosis is sarcoidosis.")
    clock.advance(20.0)
    await exaim.received_trace("b", "My leading diagnosis is lymphoma.")
    first, second = exaim.get_all_summaries()
    assert "sarcoidosis" in str(first) and "lymphoma" not in str(first)
    assert "lymphoma" in str(second)


async def test_thinking_in_a_whole_text_is_counted() -> None:
    exaim = EXAIM(clock=ManualClock())
    await exaim.received_trace("b", "<think>Gout?</think>")
    updates = await exaim.finish()
    assert LeftOut(reason="thinking", count=1) in updates[-1].left_out


async def test_a_whole_text_makes_an_answer_that_was_cut_whole() -> None:
    exaim = EXAIM(clock=ManualClock())
    await exaim.cut_short("a", 1, 0.0)
    await exaim.received_trace("a", "My leading diagnosis is gout")
    assert [lead.claim.entity for lead in exaim.board.views.leads.values()] == ["gout"]


async def test_an_update_without_new_sentences_forgets_no_earlier_ones() -> None:
    since = Since()
    unit = Heading("Plan", Section.OTHER, Source("a", 1, 1, 0.0))
    since.said.append(unit)
    since.told(())
    since.told(())
    assert since.earlier == (unit,)
