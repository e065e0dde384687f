"""Scenes on virtual time: buttons, and critical findings that are acknowledged or not."""

from __future__ import annotations

import asyncio

import pytest

from exaim_core import BoardView, SpokenKind
from exaim_core.board.shown import ClaimView, CriticalView
from realtime.speech.narrator import CLOSING_YIELDS_S
from tests.realtime.making import spoken, update, update_id
from tests.realtime.reading import ITEM, NEXT, modes, reading
from tests.realtime.scene import Scene
from tests.realtime.test_return import welcomes

# --- buttons


def test_buttons_do_what_the_words_do(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            assert (await s.client.say(2, "stop"))["ok"]
            await s.until(12.0)
            assert (modes(s)[-1], s.room.phases(ITEM)[-1]) == ("quiet", "held")
            await s.client.say(3, "go_on")
            await s.until(13.0)
            await s.client.say(4, "wait")
            await s.until(14.0)
            assert modes(s)[-1] == "waiting"
            await s.client.say(5, "repeat")
            await s.until(15.0)
            assert s.room.phases(ITEM)[-1] == "cancelled"
            await s.client.say(6, "next")
            await s.until(30.0)
            assert s.room.phases(f"{ITEM}.r1")[-1] == "cut"
            assert s.room.phases(NEXT)[-1] == "spoken"
            assert {b["via"] for b in s.room.bodies("turn")} == {"button"}

    virtual.run(scene())


def test_arguments_that_do_not_fit_are_refused_and_change_nothing(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            for seq, (kind, args, message) in enumerate(
                [
                    ("ask", {}, "text: Field required"),
                    ("ask", {"text": ""}, "text: at least 1 character"),
                    ("ask", {"text": "x" * 301}, "text: at most 300 characters"),
                    ("acknowledge", {"key": "k"}, "critical_key: Field required"),
                ],
                start=2,
            ):
                answer = await s.client.say(seq, kind, **args)
                assert answer["error"] == {"code": "bad_message", "message": message}
            assert s.room.bodies("turn") == []

    virtual.run(scene())


# --- critical findings


ALARM = spoken("Potassium is 6.9.", SpokenKind.CRITICAL, critical_key="k", urgency="critical")


def test_got_it_after_its_last_word_acknowledges_a_critical_finding(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, ALARM), update_id(2))
            uid = f"{update_id(2)}.1"
            while s.room.phases(uid)[-1:] != ["spoken"]:
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.8)  # nothing follows so soon: whoever takes note of it may say so
            await s.ears.say("Got it.")
            await s.until(200.0)
            last = [b for b in s.room.bodies("utterance") if b["utterance_id"] == uid][-1]
            assert last["acknowledged"]
            assert [c.args for c in s.streams.commands if c.kind == "acknowledge"] == [{"critical_key": "k"}]
            assert s.room.phases(f"{uid}.r1") == [], "it is not told again"

    virtual.run(scene())


def test_got_it_from_somebody_else_acknowledges_nothing(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, ALARM), update_id(2))
            await s.until(13.0)
            await s.ears.say("Got it", "from the pharmacy yesterday.")
            await s.until(20.0)
            assert [c for c in s.streams.commands if c.kind == "acknowledge"] == []

    virtual.run(scene())


def test_an_unacknowledged_critical_finding_is_told_again_twice(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, ALARM), update_id(2))
            await s.until(13.0)
            await s.ears.say("Mm-hm.", lasts_s=0.4)
            await s.until(600.0)
            uid = f"{update_id(2)}.1"
            assert s.room.phases(f"{uid}.r1")[-1] == s.room.phases(f"{uid}.r2")[-1] == "spoken"
            assert s.room.phases(f"{uid}.r3") == []
            await s.client.say(2, "acknowledge", critical_key="k")
            await asyncio.sleep(0.5)
            assert all(b["acknowledged"] for b in s.room.bodies("utterance")[-3:])

    virtual.run(scene())


# --- what nobody took note of, at the end and on return


END = f"{update_id(3)}.1"


def finish(s: Scene) -> None:
    closing = spoken("That is all.", SpokenKind.CLOSING)
    s.streams.commit(update(3, closing, path="end"), update_id(3))


def closings(s: Scene) -> dict[str, str]:
    """Return what the closings said that were spoken, by id."""
    return {
        b["utterance_id"]: b["text"]
        for b in s.room.bodies("utterance")
        if b["kind"] == "closing" and b["phase"] == "spoken"
    }


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ([], "That is all. One critical finding not acknowledged."),
        (["k"], "That is all."),
    ],
)
def test_the_closing_says_which_critical_findings_nobody_took_note_of(
    virtual: asyncio.Runner, keys: list[str], sentence: str
) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, ALARM), update_id(2))
            await s.until(30.0)
            for seq, key in enumerate(keys, start=2):
                await s.client.say(seq, "acknowledge", critical_key=key)
            finish(s)
            await s.until(45.0)
            assert closings(s) == {END: sentence}

    virtual.run(scene())


def test_the_closing_counts_a_finding_that_is_told_just_before_it(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, ALARM), update_id(2))
            finish(s)
            await s.until(45.0)
            assert closings(s) == {END: "That is all. One critical finding not acknowledged."}
            assert s.told_at_s(f"{update_id(2)}.1", "spoken") < s.told_at_s(END, "speaking")

    virtual.run(scene())


def test_a_closing_that_waits_says_no_more_of_a_finding_that_was_acknowledged_meanwhile(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, ALARM), update_id(2))
            await s.until(30.0)
            await s.client.say(2, "stop")
            finish(s)
            await s.until(32.0)
            assert s.text_of(END).endswith("One critical finding not acknowledged.")
            await s.client.say(3, "acknowledge", critical_key="k")
            await s.client.say(4, "acknowledge", critical_key="k")
            await s.client.say(5, "go_on")
            await s.until(45.0)
            assert closings(s) == {f"{END}.r1": "That is all."}
            assert s.room.phases(END) == ["queued", "cancelled"]

    virtual.run(scene())


def test_a_closing_comes_within_its_bound_and_names_the_alarms_that_nobody_took_note_of(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading() as s:
            seen = CriticalView(
                claim=ClaimView(agent_id="a", text=ALARM.text, at=(1, 1, 1)), key="k", name="potassium"
            )
            kept = [
                spoken(f"Number {n}: " + "one two three four five " * 12, protects=True) for n in range(20)
            ]
            closing = spoken("That is all.", SpokenKind.CLOSING)
            for made in (update(2, ALARM), update(4, *kept), update(5, closing, path="end")):
                known = made.model_copy(update={"board": BoardView(criticals=(seen,))})
                s.streams.commit(known, update_id(made.number))
            await s.until(900.0)
            end, alarm_id = f"{update_id(5)}.1.r1", f"{update_id(2)}.1"
            assert closings(s) == {end: "That is all. One critical finding not acknowledged: potassium."}
            (closed_s,) = s.told_at_s(end, "speaking")
            assert 8.0 + CLOSING_YIELDS_S <= closed_s < 8.0 + CLOSING_YIELDS_S + 30.0
            assert s.told_at_s(f"{alarm_id}.r2", "speaking")[0] > closed_s
            assert all(s.room.phases(f"{update_id(4)}.{n}")[-1] == "spoken" for n in range(1, 21))

    virtual.run(scene())


def test_the_welcome_counts_the_findings_that_nobody_took_note_of(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            other = ALARM.model_copy(update={"text": "Sodium is 110.", "critical_key": "n"})
            s.streams.commit(update(2, ALARM, other), update_id(2))
            await s.until(30.0)
            for _ in range(2):
                s.client.leave()
                await asyncio.sleep(20.0)
                await s.client.come()
                await asyncio.sleep(20.0)
                await s.client.say(2, "acknowledge", critical_key="k")
            endings = [text.partition("thinking. ")[2] for text in welcomes(s)]
            assert endings == [
                "Two critical findings not acknowledged.",
                "One critical finding not acknowledged.",
            ]

    virtual.run(scene())


def test_a_finding_that_is_due_again_on_return_is_counted_once(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, ALARM), update_id(2))
            await s.until(30.0)
            s.client.leave()
            await s.until(150.0)
            await s.client.come()
            await s.until(152.0)
            (text,) = welcomes(s)
            assert text.endswith("thinking. A critical finding first.")

    virtual.run(scene())


def test_a_short_return_tells_of_no_finding(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, ALARM), update_id(2))
            await s.until(30.0)
            s.client.beating = False
            await s.until(55.0)
            s.client.beating = True
            await s.until(70.0)
            (text,) = welcomes(s)
            assert text.startswith("Back after") and text.endswith("and going on.")

    virtual.run(scene())
