"""What is told long after it was said is told as said earlier."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from exaim_core import SpokenKind
from exaim_core.schema import SaidSince
from realtime.conversation.knowledge import Knowledge
from realtime.speech.alerts import Alerts
from realtime.speech.budget import WORDS_PER_S
from realtime.speech.earlier import EARLIER_S, alarm_as_earlier, as_earlier, worded_for
from realtime.speech.narrator import with_unacknowledged
from realtime.speech.spare import Spare
from realtime.testing import EPOCH_MS
from tests.realtime.making import spoken, update, update_id, utterance
from tests.realtime.scene import LONG, Scene

ORDERED = "Doctor One: give insulin 10 units."
LATE = f"{ORDERED[:-1]}; since then the nurse: it is in."


@pytest.mark.parametrize(
    ("text", "worded"),
    [
        ("The nurse: HR 138, BP 172/96.", "Earlier, the nurse: HR 138, BP 172/96."),
        ("Doctor One: give calcium.", "Earlier, Doctor One: give calcium."),
        ("Caution, the nurse: no heparin.", "Earlier, a caution by the nurse: no heparin."),
        ("Caution, Doctor One: no heparin.", "Earlier, a caution by Doctor One: no heparin."),
        ("On the dose, the nurse: it was 1 g.", "Earlier, on the dose, the nurse: it was 1 g."),
        ("Tool.vitals: HR 41.", "Earlier, tool.vitals: HR 41."),
        ("Caution, tool.vitals: no more.", "Earlier, a caution by tool.vitals: no more."),
        ("The nurse: A. Caution, Doctor One: B.", "Earlier, the nurse: A. Caution, Doctor One: B."),
        ("On the whole, it is: sepsis.",) * 2,
        ("Doctor One wants a CT.", "Earlier, Doctor One wants a CT."),
        ("The nurse would call them.", "Earlier, the nurse would call them."),
        ("The nurse proposes a CT.", "Earlier, the nurse proposes a CT."),
        ("Doctor One leads with gout.", "Earlier, Doctor One led with gout."),
        ("Doctor One differs: gout.", "Earlier, Doctor One differed: gout."),
        ("Doctor One has changed to gout.",) * 2,
        ("The team leans to sepsis, two of three: urine is grey.",) * 2,
        ("Papaya: lip swelling, 2017.",) * 2,
        ("If potassium is over 6: give calcium.",) * 2,
    ],
)
def test_what_an_agent_says_or_asks_for_is_told_as_earlier(text: str, worded: str) -> None:
    assert as_earlier(text, ("nurse", "doctor1", "tool.vitals")) == worded


def test_it_depends_on_the_time_from_saying_to_telling() -> None:
    def at(said_at_s: float, after_words: int) -> str:
        return worded_for("Agent A: soft.", "A", said_at_s=said_at_s, now_s=100.0, after_words=after_words)

    assert at(100.0 - EARLIER_S, 0) == "Earlier, Agent A: soft."
    assert at(100.0, 0) == "Agent A: soft."
    assert at(100.0, round(EARLIER_S * WORDS_PER_S) + 1) == "Earlier, Agent A: soft."


def test_spare_sentences_before_the_closing_are_told_as_earlier_once_they_are_old() -> None:
    held = Spare(lambda _: False)
    old, new = (
        spoken(f"Doctor {name}: {words}.", agents=("doctor1", "doctor2"))
        for name, words in (("One", "the calf is swollen"), ("Two", "the drain is dry"))
    )
    for number, item, at_s in ((1, old, 0.0), (2, new, 50.0)):
        held.take(update(number).model_copy(update={"spare": (item,)}), update_id(number), said_at_s=at_s)
    told = [each.text for each in held.at_end([], 51.0)]
    assert told == ["Earlier, Doctor One: the calf is swollen.", "Doctor Two: the drain is dry."]


def test_more_is_said_of_a_short_form_that_was_told_as_earlier() -> None:
    knowledge = Knowledge(agents=lambda: ("nurse",), agents_stand=str, team_problem=lambda *, cancels: "")
    item = spoken("The nurse: the long form of it.", brief="The nurse: short.")
    knowledge.update(update(1, item), update_id(1))
    told = utterance(f"{update_id(1)}.1", text="The nurse: short.")
    for text in (told.text, as_earlier(told.text, ("nurse",))):
        assert knowledge.more(replace(told, text=text)) == item.text
    assert knowledge.more(replace(told, text=item.text)) is None


def test_what_waited_until_the_closing_is_told_as_earlier_if_one_of_the_team_said_it(
    virtual: asyncio.Runner,
) -> None:
    said = ("Doctor One: the drain is dry.", "Papaya: lip swelling, 2017.")
    ban = spoken("Caution, Doctor One: no heparin.", SpokenKind.CAUTION, presses=True, protects=True)
    alarm = spoken("Doctor One: K 6.9.", SpokenKind.CRITICAL, critical_key="k")

    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            items = (spoken(LONG), *map(spoken, said), ban, alarm)
            first = update(1, *items, last_delta_at_s=EPOCH_MS / 1000 - EARLIER_S)
            s.streams.commit(first, update_id(1))
            await s.until(10.0)
            s.streams.commit(update(2, spoken("That is all.", SpokenKind.CLOSING), path="end"), update_id(2))
            await s.until(60.0)
        assert [s.text_of(f"{update_id(1)}.{k}.r1") for k in (2, 3)] == [f"Earlier, {said[0]}", said[1]]
        told = {b["text"] for b in s.room.bodies("utterance") if b["phase"] == "spoken"}
        assert "Earlier, a caution by Doctor One: no heparin." in told and ban.text not in told
        assert alarm.text in told

    virtual.run(scene())


def test_what_waits_while_the_team_goes_on_is_told_as_earlier_too_and_in_its_order(
    virtual: asyncio.Runner,
) -> None:
    said = [f"Caution, Doctor One: no {drug}." for drug in ("heparin", "aspirin", "sux")]
    alarm = spoken("Doctor One: K 6.9.", SpokenKind.CRITICAL, critical_key="k")
    view = spoken("No CT, says Doctor One.", SpokenKind.CAUTION, presses=True, protects=True)

    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            bans = [spoken(text, SpokenKind.CAUTION, presses=True, protects=True) for text in said]
            emitted = EPOCH_MS / 1000 + 8.0
            long = spoken(f"{LONG} {LONG} {LONG}", SpokenKind.CAUTION, presses=True, protects=True)
            s.streams.commit(update(1, long, *bans, view, last_delta_at_s=emitted), update_id(1))
            await s.until(29.0)
            s.streams.commit(update(2, alarm, last_delta_at_s=emitted), update_id(2))
            await s.until(80.0)
        told = [b["text"] for b in s.room.bodies("utterance") if b["phase"] == "spoken"]
        late = [f"Earlier, a caution by{text.removeprefix('Caution,')}" for text in said]
        assert [each for each in told if "Doctor One" in each] == [alarm.text, *late, view.text]

    virtual.run(scene())


@pytest.mark.parametrize(
    ("behind", "since", "heard"),
    [
        (3, [(1, "the nurse: it is in")], f"Earlier, {LATE}"),  # in the update that offers it
        (3, [(2, "the nurse: it is in")], f"Earlier, {LATE}"),
        (
            3,
            [(2, "the nurse: it is in"), (3, "")],
            f"Earlier, {ORDERED}",
        ),  # what was said since is taken back
        (3, [], f"Earlier, {ORDERED}"),
        (1, [(2, "the nurse: it is in")], LATE),
        (0, [(2, "the nurse: it is in")], ORDERED),
    ],
    ids=["at once", "later", "taken back", "nothing", "after ten seconds", "in time"],
)
def test_what_waits_is_told_with_what_was_said_of_the_same_since(
    virtual: asyncio.Runner, behind: int, since: list[tuple[int, str]], heard: str
) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            long = spoken(" ".join([LONG] * behind) or "So.", SpokenKind.CAUTION, presses=True, protects=True)
            order = spoken(ORDERED, SpokenKind.ACTION, presses=True)
            said = {number: (SaidSince(item_id="0001.2", words=words),) for number, words in since}
            for number in sorted({1, *said}):
                made = update(
                    number, *((long, order) if number == 1 else ()), last_delta_at_s=EPOCH_MS / 1000 + 8.0
                )
                s.streams.commit(
                    made.model_copy(update={"said_since": said.get(number, ())}), update_id(number)
                )
                await s.until(8.0 + number / 2)
            await s.until(80.0)
        told = [b["text"] for b in s.room.bodies("utterance") if b["phase"] == "spoken"]
        assert [each for each in told if "insulin" in each] == [heard]

    virtual.run(scene())


def test_a_finding_told_in_its_speakers_words_is_counted_and_not_named_by_the_kind_that_they_may_mean() -> (
    None
):
    alerts = Alerts()
    alerts.standing({"potassium=6.9": "potassium", "words:airway obstruction": "airway obstruction"})
    names = [alerts.name_of(key) for key in ("potassium=6.9", "words:airway obstruction")]
    assert with_unacknowledged("Over.", names) == (
        "Over. Two critical findings not acknowledged: potassium and one more."
    )
    assert with_unacknowledged("Over.", names[1:]) == "Over. One critical finding not acknowledged."


@pytest.mark.parametrize(
    ("text", "worded"),
    [
        ("Critical: potassium 6.6.", "Critical, earlier: potassium 6.6."),
        ("Critical, from the nurse: pulse 36.", "Critical, earlier, from the nurse: pulse 36."),
        ("Check, the pharmacist: no heparin.", "Check, earlier, the pharmacist: no heparin."),
        ("Check on the page: heparin, from the nurse.",) * 2,
    ],
)
def test_an_alarm_keeps_its_first_word(text: str, worded: str) -> None:
    assert alarm_as_earlier(text) == worded


def test_an_alarm_that_waits_behind_others_says_that_it_is_of_earlier(virtual: asyncio.Runner) -> None:
    texts = [f"Critical: {LONG.rstrip('.')} {number}." for number in range(4)]

    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            alarms = [
                spoken(text, SpokenKind.CRITICAL, critical_key=str(number), urgency="critical")
                for number, text in enumerate(texts)
            ]
            first = update(1, *alarms, last_delta_at_s=EPOCH_MS / 1000 + 8.0)
            s.streams.commit(first, update_id(1))
            await s.until(90.0)
        told = [s.text_of(f"{update_id(1)}.{k}") for k in (1, 2, 3, 4)]
        assert told[0] == texts[0]
        assert told[3] == alarm_as_earlier(texts[3]) != texts[3]
        assert all(s.room.phases(f"{update_id(1)}.{k}")[-1] == "spoken" for k in (1, 2, 3, 4))

    virtual.run(scene())
