"""Scenes on virtual time: an alarm that waits is told with the newer value, and says that it is of earlier."""

from __future__ import annotations

import asyncio

import pytest

from exaim_core import Newer, SpokenItem, SpokenKind, Update
from realtime.speech.alerts import AGAIN_AFTER_S, Alerts, not_acknowledged
from realtime.speech.earlier import alarm_as_earlier
from realtime.testing import EPOCH_MS
from tests.realtime.making import spoken, update, update_id
from tests.realtime.scene import LONG, Scene
from tests.realtime.test_noise_alerts_recall import critical

OLD = f"{update_id(2)}.1"
PAIR = "Critical: potassium 6.6; since then 5.5."


def alarm(text: str, key: str) -> SpokenItem:
    return spoken(
        text, SpokenKind.CRITICAL, critical_key=key, urgency="critical", protects=True, presses=True
    )


def newer(text: str = PAIR, *, eased: bool = True, alarms: bool = False, key: str = "k=6.6") -> Newer:
    return Newer(item_id="0002.1", critical_key=key, text=text, eased=eased, alarms=alarms)


def given_anew(made: Update, *found: Newer) -> Update:
    return made.model_copy(update={"newer": found})


def told(s: Scene) -> list[str]:
    """Return what was heard to its end, of updates."""
    bodies = [b for b in s.room.bodies("utterance") if b["phase"] == "spoken" and b["update_id"]]
    return [b["text"] for b in bodies]


FIRST = f"Critical: {LONG}"


async def offer_two(s: Scene) -> float:
    """Have somebody come, and offer a long alarm and one behind it at 8 s; return when they were said."""
    await s.client.come()
    await s.until(8.0)
    said_s = EPOCH_MS / 1000 + 8.0
    s.streams.commit(update(1, alarm(FIRST, "x"), last_delta_at_s=said_s), update_id(1))
    old = alarm("Critical: potassium 6.6.", "k=6.6")
    s.streams.commit(update(2, old, last_delta_at_s=said_s), update_id(2))
    return said_s


@pytest.mark.parametrize(
    ("found", "item", "heard"),
    [
        (newer(), (), ["Critical, earlier: potassium 6.6; since then 5.5."]),
        (newer(eased=False, alarms=True), ("potassium 7.1", "k=7.1"), ["Critical: potassium 7.1."]),
        (newer(""), (), ["Critical: potassium 6.6."]),  # it stands again
    ],
    ids=["eased", "worse", "stands"],
)
def test_an_alarm_that_waits_behind_another_is_told_with_the_newer_value_or_by_its_alarm(
    virtual: asyncio.Runner, found: Newer, item: tuple[str, str] | tuple[()], heard: list[str]
) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            said_s = await offer_two(s)
            await s.until(10.0)
            items = [alarm(f"Critical: {item[0]}.", item[1])] if item else []
            s.streams.commit(given_anew(update(3, *items, last_delta_at_s=said_s + 2), found), update_id(3))
            await s.until(40.0)
        assert told(s) == [FIRST, *heard]
        assert s.room.phases(OLD)[-1] == ("cancelled" if found.alarms else "spoken")

    virtual.run(scene())


def test_an_alarm_that_waits_gets_its_own_words_again_once_the_newer_value_is_taken_back(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            said_s = await offer_two(s)
            await s.until(9.0)
            s.streams.commit(given_anew(update(3, last_delta_at_s=said_s + 1), newer()), update_id(3))
            await s.until(9.5)
            s.streams.commit(given_anew(update(4, last_delta_at_s=said_s + 1.5), newer("")), update_id(4))
            await s.until(40.0)
        assert told(s) == [FIRST, "Critical: potassium 6.6."]

    virtual.run(scene())


def test_an_alarm_that_a_newer_one_tells_is_told_after_all_once_that_is_taken_back(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            said_s = await offer_two(s)
            await s.until(9.0)
            told_by = given_anew(update(3, last_delta_at_s=said_s + 1), newer(eased=False, alarms=True))
            s.streams.commit(told_by, update_id(3))
            await s.until(9.5)
            s.streams.commit(given_anew(update(4, last_delta_at_s=said_s + 1.5), newer("")), update_id(4))
            await s.until(40.0)
        assert "Critical: potassium 6.6." in told(s)

    virtual.run(scene())


def test_an_alarm_that_sounds_is_told_to_its_end_and_the_newer_one_follows(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            said_s = EPOCH_MS / 1000 + 8.0
            s.streams.commit(
                update(2, alarm("Critical: potassium 6.6.", "k=6.6"), last_delta_at_s=said_s), update_id(2)
            )
            await s.until(9.0)
            worse = update(3, alarm("Critical: potassium 7.1.", "k=7.1"), last_delta_at_s=said_s + 1)
            s.streams.commit(given_anew(worse, newer(eased=False, alarms=True)), update_id(3))
            await s.until(30.0)
        assert told(s) == ["Critical: potassium 6.6.", "Critical: potassium 7.1."]

    virtual.run(scene())


@pytest.mark.parametrize(("away_s", "earlier"), [(60.0, True), (4.0, False)])
def test_an_alarm_that_waited_for_a_listener_says_that_it_is_of_earlier(
    virtual: asyncio.Runner, away_s: float, earlier: bool
) -> None:
    text = "Critical: potassium 6.6."

    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come("d1")
            await s.until(8.0)
            s.client.leave()
            await s.until(12.0)
            made = update(2, alarm(text, "k=6.6"), last_delta_at_s=EPOCH_MS / 1000 + 12.0)
            s.streams.commit(made, update_id(2))
            await s.until(12.0 + away_s)
            await s.client.come("d1")
            await asyncio.sleep(25.0)
        assert told(s) == [alarm_as_earlier(text) if earlier else text]
        phases = s.room.phases(OLD)
        assert phases == ["queued", *["queued"] * earlier, "speaking", "spoken"]

    virtual.run(scene())


def test_a_finding_of_which_a_newer_value_was_stated_is_told_again_with_it() -> None:
    alerts = Alerts()
    alerts.told(critical(key="k=6.6"), 0.0)
    alerts.given_anew(newer())
    (again,) = alerts.to_tell_again(AGAIN_AFTER_S)
    assert alerts.worded(again).text == "Critical, earlier: potassium 6.6; since then 5.5."
    alerts.alarmed("k=6.6")
    assert alerts.worded(again) is again


def test_a_finding_that_a_newer_alarm_tells_is_neither_told_again_nor_counted() -> None:
    alerts = Alerts()
    alerts.told(critical(key="k=6.6"), 0.0)
    alerts.told(critical("d", "k=7.1"), 1.0)
    alerts.given_anew(newer(eased=False, alarms=True))
    assert [each.critical_key for each in alerts.to_tell_again(2 * AGAIN_AFTER_S)] == ["k=7.1"]
    assert alerts.unacknowledged({"k=6.6"}) == ("k=7.1",)
    assert not alerts.tell_stopped(critical(key="k=6.6"), asked=True)


@pytest.mark.parametrize(
    ("names", "eased", "sentence"),
    [
        (["a", "b", "c", "d", "a"], 0, "Five critical findings not acknowledged: a, b, c and one more."),
        (["a", "b", "", ""], 0, "Four critical findings not acknowledged: a, b and two more."),
        (["a"], 2, "One critical finding not acknowledged: a. Two more have newer values."),
        (["a"], 1, "One critical finding not acknowledged: a. One more has a newer value."),
        ([], 1, "One critical finding not acknowledged has a newer value."),
        ([], 3, "Three critical findings not acknowledged have newer values."),
        (["", ""], 0, "Two critical findings not acknowledged."),
    ],
)
def test_the_closing_names_three_findings_at_most_and_those_that_hold(
    names: list[str], eased: int, sentence: str
) -> None:
    assert not_acknowledged(len(names), names, eased=eased) == sentence


def test_the_closing_counts_apart_what_has_a_newer_value(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            said_s = EPOCH_MS / 1000 + 8.0
            both = (alarm("Critical: potassium 6.6.", "k=6.6"), alarm("Critical: pH 7.04.", "p=7.04"))
            s.streams.commit(update(2, *both, last_delta_at_s=said_s), update_id(2))
            await s.until(20.0)
            last = update(3, spoken("That is all.", SpokenKind.CLOSING), path="end", last_delta_at_s=said_s)
            s.streams.commit(given_anew(last, newer()), update_id(3))
            await s.until(60.0)
        closing = next(text for text in told(s) if text.startswith("That is all."))
        assert "One critical finding not acknowledged" in closing
        assert "One more has a newer value." in closing

    virtual.run(scene())
