"""A snapshot in several messages: nothing of a shipped case is missing after it, and what presses comes first."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from exaim_core import EXAIM, CasePaper, Delta, Update
from realtime.protocol import (
    MAX_STATE_BYTES,
    AnswerBody,
    AnswerSentence,
    Body,
    ItemBody,
    Reasoning,
    SegmentBody,
    Trace,
    TraceItem,
    TurnBody,
    UpdateBody,
    UtteranceBody,
    Word,
    encode_state,
)
from realtime.room.feed import Feed
from realtime.room.messages import update_body, utterance_body
from realtime.room.parts import PART_BYTES, is_open, pressing
from realtime.room.view import KEPT_SEGMENTS, KEPT_UPDATES, KEPT_UTTERANCES, View
from realtime.speech import narrator
from realtime.testing import ScriptedRoom, scene_wall_ms
from tests.exaim_core.test_shared_traces import CASES, content_of, records_of
from tests.realtime.making import trace_item, update_id
from tests.realtime.making import update_body as small_update
from tests.realtime.making import utterance_body as small_utterance
from tests.realtime.pages import Page, told_by
from tests.realtime.test_feed import running
from tts_queue import Phase

SHIPPED = ("case-hyperkalaemia-aki", "case-sudden-chest-pain")
QUESTIONS = 10


async def _played(trace: Path) -> tuple[list[TraceItem], list[Update]]:
    paper = CasePaper.model_validate_json(
        trace.with_name(trace.name.replace(".trace.jsonl.gz", ".paper.json")).read_text(encoding="utf-8")
    )
    exaim, said, made, words = EXAIM(paper=paper), dict[str, int](), list[Update](), list[TraceItem]()
    at_s = 0.0
    for seq, record in enumerate(content_of(records_of(trace)), start=1):
        agent, at_s = record["agent_id"], record["t_rel_ms"] / 1000
        if record["record_type"] == "stream_delta":
            text = record["delta_text"]
            start = said.get(agent, 0)
            said[agent] = start + len(text)
            words.append(
                TraceItem(agent_id=agent, name=agent, turn=record["turn_id"], text=text, start=start)
            )
            made += await exaim.feed(Delta(agent, text, seq, at_s))
        elif record["boundary"] == "end":
            made += await exaim.turn_end(agent, seq, at_s)
    return words, [*made, *await exaim.finish(at_s + 1)]


def _clauses(said: UtteranceBody, at: int) -> Iterator[SegmentBody]:
    """Yield what is told while an utterance sounds, in clauses of twelve words."""
    words = said.text.split()
    cuts = range(0, len(words), 12)
    for index, cut in enumerate(cuts):
        timed = tuple(
            Word(text=word, start_sample=at + 9_600 * n, end_sample=at + 9_600 * (n + 1))
            for n, word in enumerate(words[cut : cut + 12], start=cut)
        )
        first = timed[0].start_sample
        yield SegmentBody(
            utterance_id=said.utterance_id, index=index, of=len(cuts), start_sample=first,
            samples=timed[-1].end_sample - first, words=timed,
        )  # fmt: skip


def _question(number: int) -> Iterator[Body]:
    text = f"What of the potassium and of the {number} others, and what must he not be given today?"
    yield TurnBody(turn_id=f"q-1-{number}", phase="decided", via="text", text=text, effect="answer")
    listed = tuple(
        AnswerSentence(text=f"Avoid drug {n} while the kidneys fail.", source="agents") for n in range(30)
    )
    told = AnswerSentence(text="On the cautions: penicillin allergy with anaphylaxis.", source="case paper")
    yield AnswerBody(
        turn_id=f"q-1-{number}", utterance_id=f"s.answer.q-1-{number}", question=text, found=True, topic=None,
        sentences=(told, told), on_page=listed,
    )  # fmt: skip


@cache
def session(name: str) -> tuple[Body, ...]:
    """Return all messages of a shipped case in which ten questions were typed."""
    words, updates = asyncio.run(_played(CASES / f"{name}.trace.jsonl.gz"))
    out: list[Body] = [Reasoning(phase="thinking")]
    out += [Trace(items=(item,)) for item in words]
    at = 0
    for update in updates:
        uid = update_id(update.number)
        out.append(update_body(update, uid))
        for each in narrator.utterances(update, uid, now_s=0.0, emitted_at_s=0.0):
            said = utterance_body(each, Phase.SPOKEN)
            out += [*_clauses(said, at), said]
            at += 9_600 * 40
    for number in range(QUESTIONS):
        out += _question(number)
    return tuple(out)


def after(bodies: tuple[Body, ...]) -> tuple[View, Page]:
    view, page = View(), Page()
    for body in bodies:
        view.apply(body)
        page.take(body)
    return view, page


def returned(view: View) -> Page:
    """Return what a page has that was loaded anew."""
    page = Page()
    first, parts = view.whole()
    assert (first.parts, [each.part for each in parts]) == (
        len(parts) + 1,
        list(range(2, len(parts) + 2)),
    )
    for body in told_by(view):
        page.take(body)
    return page


@pytest.mark.parametrize("name", SHIPPED)
def test_nothing_of_a_shipped_case_is_missing_after_a_reload(name: str) -> None:
    view, before = after(session(name))
    page = returned(view)
    assert len(page.of("update")) > 15
    assert len(page.of("answer")) == len(page.of("turn")) == QUESTIONS
    for kind in ("update", "utterance", "turn", "answer"):
        assert page.of(kind) == before.of(kind), kind
    newest = sorted(before.of("segment").values(), key=lambda each: each.start_sample)[-KEPT_SEGMENTS:]
    assert sorted(page.of("segment").values(), key=lambda each: each.start_sample) == newest
    assert page.words() == before.words()
    assert view.whole()[0].earlier == 0
    assert _offerings(page) == _offerings(before), "the newest offering of an item stands last"


def _offerings(page: Page) -> dict[str, list[str]]:
    """Return the utterances of each item, in the page's order."""
    offered: dict[str, list[str]] = {}
    for said in page.of("utterance").values():
        offered.setdefault(said.item_id or said.utterance_id, []).append(said.utterance_id)
    return offered


def test_the_newest_offering_of_an_item_stands_last_after_a_reload() -> None:
    """The page goes by it: an alarm that was cut and then read to its end is taken note of."""
    view, before = View(), Page()
    cut, *_ = (body for body in _alarm(1) if isinstance(body, UtteranceBody))
    cut = cut.model_copy(update={"critical_key": None, "phase": "cut"})
    told: list[Body] = [
        cut,
        cut.model_copy(update={"utterance_id": f"{cut.utterance_id}.r1", "phase": "spoken"}),
    ]
    for number in range(2, 80):
        told.append(small_update(number, "x" * 1_000))
        told.append(small_utterance(f"{update_id(number)}.1", "spoken", "x" * 500, of=update_id(number)))
    for body in told:
        view.apply(body)
        before.take(body)
    assert len(view.whole()[1]) > 2
    assert _offerings(returned(view)) == _offerings(before)


@pytest.mark.parametrize("name", SHIPPED)
def test_each_message_is_small_and_what_presses_is_in_the_first(name: str) -> None:
    view, before = after(session(name))
    first = view.snapshot()
    sizes = [len(encode_state(body, seq=1, epoch=1, at_ms=2**41).encode()) for body in told_by(view)]
    assert sizes[0] <= MAX_STATE_BYTES
    assert all(size <= 15_000 for size in sizes[1:]), "one chunk of a text stream each"
    alarms = [said for said in before.of("utterance").values() if is_open(said)]
    assert alarms and set(alarms) <= set(first.utterances)
    assert {said.update_id for said in alarms} <= {update.update_id for update in first.updates}


def test_parts_may_come_again_and_change_nothing() -> None:
    view, _ = after(session(SHIPPED[0]))
    page = returned(view)
    held = {kind: dict(page.of(kind)) for kind in page.held}
    words = page.words()
    for body in told_by(view):
        page.take(body)
    assert {kind: dict(page.of(kind)) for kind in page.held} == held
    assert page.words() == words


# --- what is kept


def _alarm_items(number: int) -> tuple[ItemBody, ...]:
    uid = f"{update_id(number)}.1"
    return (ItemBody(item_id=uid, kind="critical", text="Potassium 6.9.", topic=None, urgency="critical"),)


def _alarm(number: int, *, acknowledged: bool = False) -> list[Body]:
    uid = update_id(number)
    said = small_utterance(f"{uid}.1", "spoken", of=uid).model_copy(
        update={"item_id": f"{uid}.1", "kind": "critical", "critical_key": "k", "acknowledged": acknowledged}
    )
    return [small_update(number).model_copy(update={"items": _alarm_items(number)}), said]


@pytest.mark.parametrize("acknowledged", [False, True])
def test_a_finding_of_which_nobody_took_note_is_kept_however_much_comes_after(acknowledged: bool) -> None:
    view = View()
    for body in _alarm(1, acknowledged=acknowledged):
        view.apply(body)
    for number in range(2, KEPT_UTTERANCES + 10):
        view.apply(small_update(number, "x" * 500))
        view.apply(small_utterance(f"{update_id(number)}.1", "spoken", of=update_id(number)))
    first, _ = view.whole()
    assert (update_id(1) in {update.update_id for update in first.updates}) is not acknowledged
    assert (f"{update_id(1)}.1" in {said.utterance_id for said in first.utterances}) is not acknowledged
    page = returned(view)
    assert (len(page.of("update")), len(page.of("utterance"))) == (KEPT_UPDATES, KEPT_UTTERANCES)
    assert first.earlier == KEPT_UTTERANCES + 9 - KEPT_UPDATES, "the page says that there were more"


def test_the_bound_holds_where_all_is_critical() -> None:
    view = View()
    for number in range(1, KEPT_UPDATES + 20):
        for body in _alarm(number):
            view.apply(body)
    assert len(returned(view).of("update")) == KEPT_UPDATES


def test_the_newest_is_kept_though_all_else_is_critical() -> None:
    view = View()
    for number in range(1, KEPT_UPDATES + 1):
        for body in _alarm(number):
            view.apply(body)
    for number in range(KEPT_UPDATES + 1, KEPT_UPDATES + 4):
        view.apply(small_update(number))
        numbers = [update.number for update in returned(view).of("update").values()]
        assert (max(numbers), min(numbers)) == (number, 2), "one alarm gave way, and then each plain one"


@pytest.mark.parametrize(
    "more",
    [{"critical_key": None}, {"phase": "cancelled", "reason": "withdrawn"}],
    ids=["can't be acknowledged", "withdrawn"],
)
def test_a_finding_that_nobody_can_acknowledge_or_that_was_withdrawn_is_not_open(
    more: dict[str, Any],
) -> None:
    update, said = _alarm(1)
    assert isinstance(update, UpdateBody) and isinstance(said, UtteranceBody)
    assert is_open(said) and pressing([update], [said])
    over = said.model_copy(update=more)
    assert not is_open(over)
    assert not pressing([update], [said, over]), "its newest offering counts"
    assert pressing([update], [over, said])


def test_one_that_was_never_offered_or_not_read_to_its_end_is_open() -> None:
    update, said = _alarm(1)
    assert isinstance(update, UpdateBody) and isinstance(said, UtteranceBody)
    cut = said.model_copy(update={"critical_key": None, "phase": "cut"})
    assert pressing([update], []) == pressing([update], [cut]) == {update.update_id}
    assert is_open(cut)


def test_what_sounds_is_in_the_first_message_however_many_alarms_are_open() -> None:
    view = View()
    sounds = small_utterance(f"{update_id(1)}.1", "speaking", of=update_id(1))
    view.apply(small_update(1))
    view.apply(sounds)
    for number in range(2, 62):
        for body in _alarm(number):
            view.apply(body)
        view.apply(small_update(number, "x" * 2_000).model_copy(update={"items": _alarm_items(number)}))
    first, parts = view.whole()
    assert len(parts) > 3
    assert sounds in first.utterances
    newest = {update_id(number) for number in range(58, 62)}
    assert newest <= {update.update_id for update in first.updates}


def test_agents_that_speak_at_once_keep_their_words_and_order() -> None:
    view, before = View(), Page()
    for n in range(2_000):
        for agent in ("doctor0", "doctor1", "doctor2"):
            body = Trace(
                items=(trace_item(f"word{n} ", agent).model_copy(update={"start": n and _start(n)}),)
            )
            view.apply(body)
            before.take(body)
    page = returned(view)
    assert page.words() == before.words()
    assert all(a.start < b.start for a, b in pairwise(i for i in page.trace if i.agent_id == "doctor1"))
    assert len(page.trace) < 100, "they are joined"


def _start(n: int) -> int:
    return sum(len(f"word{each} ") for each in range(n))


# --- on their way


def test_what_is_said_meanwhile_goes_between_the_parts_and_is_not_taken_back(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        room = ScriptedRoom(takes_s=0.01)
        feed = Feed(room, epoch=1, wall_ms=scene_wall_ms)
        for number in range(1, 61):
            feed.view.apply(small_update(number, "x" * 2_000))
            feed.view.apply(small_utterance(f"{update_id(number)}.1", "spoken", of=update_id(number)))
        async with running(feed):
            await feed.say_snapshot()
            assert [each.message.type for each in room.said] == ["snapshot"], "nobody waits for the rest"
            feed.post(small_utterance(f"{update_id(1)}.1", "cut", of=update_id(1)))
            await feed.say(small_update(61))
            await asyncio.sleep(2.0)
        types = [each.message.type for each in room.said]
        assert {*types[1:3]} == {"utterance", "update"}
        assert types[3:] == ["past"] * len(types[3:])
        told = [body for part in room.bodies("past") for body in part["utterances"]]
        (first,) = (body for body in told if body["utterance_id"] == f"{update_id(1)}.1")
        assert first["phase"] == "cut"

    virtual.run(scene())


def test_a_new_snapshot_takes_the_place_of_what_is_left_of_the_one_before(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        room = ScriptedRoom()
        feed = Feed(room, epoch=1, wall_ms=scene_wall_ms)
        for number in range(1, 61):
            feed.view.apply(small_update(number, "x" * 2_000))
        await feed.say_snapshot()
        await feed.say_snapshot()
        async with running(feed):
            await asyncio.sleep(1.0)
        parts = room.bodies("past")
        assert [part["part"] for part in parts] == list(range(2, parts[0]["of"] + 1))
        assert room.bodies("snapshot")[-1]["parts"] == parts[0]["of"]
        assert PART_BYTES * len(parts) > 60_000

    virtual.run(scene())
