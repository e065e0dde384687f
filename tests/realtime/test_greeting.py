"""The first words, and what waits for its turn behind them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from agents.stream import ProgressKind
from exaim_core import SpokenItem, SpokenKind
from realtime.speech.budget import Budget
from realtime.speech.greeting import TITLE_WORDS, YIELDS_S, greeting
from realtime.speech.which_case import WhichCase
from realtime.testing import scene_wall_ms
from tests.realtime.making import spoken, update, update_id
from tests.realtime.scene import GREETING, RATE_HZ, SESSION, Scene
from tests.realtime.test_steps import step
from tts_queue import Priority

TITLE = f"{SESSION}.notice.title"
ARRIVAL = f"{SESSION}.notice.arrival"
FIRST = f"{update_id(1)}.1"
ALARM = spoken("Potassium is 6.9.", SpokenKind.CRITICAL, critical_key="k", urgency="critical")
VIEW = spoken("Doctor Zero leads with sepsis.", SpokenKind.LEADING)
CAUTION = spoken("No penicillin: an allergy is on record.", SpokenKind.CAUTION, protects=True, presses=True)
LONG = "A fit with a sodium of 112 after three weeks of indapamide; tea and toast for ten days; drowsy since"


def texts(case: WhichCase, criticals: int = 0) -> list[str]:
    return [said.text for said in greeting("s", case, now_s=0.0, criticals=criticals)]


def test_a_recorded_case_is_greeted_in_one_breath_to_which_what_presses_is_not_late() -> None:
    (said,) = greeting(SESSION, WhichCase(title="A high potassium", patient="man, 58"), now_s=3.0)
    assert said.text == "EXAIM, decision support only. Recorded case: man, 58. A high potassium."
    assert (said.utterance_id, said.priority, said.gives_way) == (GREETING, Priority.PRESSING, True)
    assert (said.expires_after_s, said.queued_at_s) == (None, 3.0)


def test_a_live_team_is_greeted_in_few_words_and_the_title_yields() -> None:
    case = WhichCase(title=f"Scripted: {LONG}.", patient="woman, 68", live=True, simulated=True)
    first, title = greeting(SESSION, case, now_s=3.0)
    assert first.text == "EXAIM, decision support only. Live, scripted case: woman, 68."
    assert (first.gives_way, first.yields_for_s) == (False, 0.0), "but for an alarm it is said whole"
    assert title.text == f"The case: {LONG}."
    assert (title.gives_way, title.yields_for_s, title.expires_after_s) == (True, YIELDS_S, None)


def test_where_nothing_is_known_of_the_patient_the_title_tells_which_case_it_is() -> None:
    assert texts(WhichCase(title="Weak legs.", live=True)) == [
        "EXAIM, decision support only. Live case. Weak legs."
    ]
    first, title = texts(WhichCase(title=LONG, live=True))
    assert first.endswith("Live case. A fit with a sodium of 112 after three weeks.")
    assert len(first.split(". ")[-1].split()) == TITLE_WORDS and title == f"The case: {LONG}."


def test_alarms_that_wait_are_announced_and_come_before_the_title() -> None:
    case = WhichCase(title="Weak legs", patient="man, 58", live=True)
    assert texts(case, 1)[0].endswith("man, 58. A critical finding first.")
    assert texts(case, 2)[0].endswith("man, 58. Critical findings first.")
    assert greeting("s", case, now_s=0.0, criticals=1)[0].priority is Priority.CRITICAL


def begun_s(s: Scene, utterance_id: str) -> float:
    """Return when the first sound of an utterance was, in seconds of the scene."""
    starts = (b["start_sample"] for b in s.room.bodies("segment") if b["utterance_id"] == utterance_id)
    return float(next(starts)) / RATE_HZ


def order(s: Scene) -> list[str]:
    """Return the ids of the clauses that sounded, each run of one utterance once."""
    ids = [b["utterance_id"] for b in s.room.bodies("segment")]
    return [uid for at, uid in enumerate(ids) if at == 0 or ids[at - 1] != uid]


@asynccontextmanager
async def live(*, comes: bool = True) -> AsyncIterator[Scene]:
    """Give a live team's session with a long title; somebody `comes` to it at once, or not yet."""
    s = Scene(live=True, patient="woman, 68", title=LONG, pacing=Budget())
    async with s.running():
        if comes:
            await s.client.come()
        yield s


def tell(s: Scene, item: SpokenItem, number: int = 1) -> None:
    """Have the engine tell an item now, in its update of this number."""
    said_at_s = scene_wall_ms() / 1000
    s.streams.commit(update(number, item, last_delta_at_s=said_at_s), update_id(number))


def test_a_stage_and_a_first_view_go_before_the_title_and_nothing_of_it_is_lost(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with live(comes=False) as s:
            s.streams.log(step(0, ProgressKind.RECRUITING))
            await s.client.come()
            await s.until(3.0)
            tell(s, VIEW)
            await s.until(60.0)
            assert order(s) == [GREETING, FIRST, f"{SESSION}.step.0", TITLE]
            assert begun_s(s, FIRST) < 10.0
            assert s.room.phases(TITLE)[-1] == "spoken"
            assert s.room.phases(ARRIVAL) == [], "the step says where the team is"

    virtual.run(scene())


def test_a_title_that_has_begun_gives_way_at_the_end_of_its_clause_and_goes_on(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with live() as s:
            while order(s)[-1:] != [TITLE]:
                await asyncio.sleep(0.05)
            await asyncio.sleep(1.0)
            s.streams.log(step(0, ProgressKind.RECRUITING))
            await s.until(70.0)
            assert order(s) == [GREETING, ARRIVAL, TITLE, f"{SESSION}.step.0", TITLE]
            clauses = [b["index"] for b in s.room.bodies("segment") if b["utterance_id"] == TITLE]
            assert clauses == sorted(set(clauses)), "no clause is heard twice"

    virtual.run(scene())


def test_however_much_there_is_to_tell_the_title_has_its_turn_when_it_no_longer_yields(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with live() as s:
            for number in range(1, 30):
                await s.until(4.0 + 2.0 * number)
                tell(s, VIEW, number)
            assert s.room.phases(TITLE)[-1] == "spoken"
            assert begun_s(s, TITLE) < YIELDS_S + 8.0

    virtual.run(scene())


def test_no_summary_yet_is_not_said_once_an_alarm_has_come(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with live() as s:
            s.streams.think("Doctor Zero", "Potassium is 6.9.")
            await s.until(2.0)
            tell(s, ALARM)
            await s.until(60.0)
            assert order(s)[:3] == [GREETING, FIRST, GREETING], "the alarm broke into it"
            assert s.room.phases(ARRIVAL) == []
            assert not [b for b in s.room.bodies("utterance") if "No summary" in b["text"]]

    virtual.run(scene())


def test_where_the_team_is_is_not_gone_on_with_when_an_alarm_has_made_it_untrue(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with live() as s:
            s.streams.think("Doctor Zero", "Potassium is 6.9.")
            while s.room.phases(ARRIVAL)[-1:] != ["speaking"]:
                await asyncio.sleep(0.05)
            assert s.text_of(ARRIVAL) == "No summary yet. The agents are reading the case."
            tell(s, ALARM)
            await asyncio.sleep(40.0)
            assert s.room.phases(ARRIVAL)[-2:] == ["held", "cancelled"]
            assert s.room.phases(TITLE)[-1] == "spoken"

    virtual.run(scene())


def test_which_case_is_told_before_what_presses(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with live(comes=False) as s:
            tell(s, CAUTION)
            await s.until(5.0)
            await s.client.come()
            await s.until(60.0)
            assert order(s)[:2] == [GREETING, FIRST]
            assert s.room.phases(TITLE)[-1] == "spoken"

    virtual.run(scene())


def test_what_yields_has_the_pause_before_it_that_what_it_yields_to_has() -> None:
    _, title = greeting(SESSION, WhichCase(title=LONG, patient="woman, 68", live=True), now_s=0.0)
    budget = Budget()
    budget.spoke(title, 0.0, 4.0)
    assert budget.not_before(title, 4.0) == pytest.approx(4.8)


@pytest.mark.parametrize("how", ["slower", "louder", "repeat"])
def test_a_greeting_that_is_wanted_again_is_said_and_then_what_presses(
    virtual: asyncio.Runner, how: str
) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(2.5)
            await s.client.say(2, how)
            s.streams.commit(update(1, CAUTION), update_id(1))
            await s.until(20.0)
            for said in (f"{GREETING}.r1", FIRST):
                assert s.room.phases(said) == ["queued", "speaking", "spoken"]

    virtual.run(scene())
