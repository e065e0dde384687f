"""A model reads segments into claims: what of them is told, and what never waits for it."""

from __future__ import annotations

import asyncio

import pytest

from exaim_core import EXAIM, Delta, SpokenKind
from exaim_core.readings import pending
from exaim_core.readings.port import ReadClaim, ReaderReply, ReadingRequest, ReadKind
from tests.exaim_core.scripted_readings import ATTACK, SAID, Scripted, claim, texts, told, with_claims


async def test_a_wording_that_says_what_its_sentence_says_is_told() -> None:
    reader = with_claims(
        ("leading", claim(ReadKind.LEADING, "Adrenal crisis leads.", slots={"entity": "adrenal crisis"})),
        (
            "cortisol",
            claim(ReadKind.TEST, "Cortisol before the hydrocortisone.", slots={"entity": "cortisol"}),
        ),
    )
    updates = await told(EXAIM(reader=reader), SAID)
    assert "Doctor Zero: adrenal crisis leads." in texts(updates)
    everything = [item.text for update in updates for item in update.items]
    assert sum("cortisol" in text for text in everything) == 1, "the rules told it beside the ban"
    read = next(update for update in updates if update.by_reading)
    assert (read.engine, read.model) == ("llm", "twin-1")
    assert read.read_by is not None and read.read_by.host == "example.org" and read.read_by.calls == 1
    assert read.items[0].cites[0].first_seq == 1


async def test_the_view_that_was_read_is_in_the_closing() -> None:
    reader = with_claims(("leading", claim(ReadKind.LEADING, "", slots={"entity": "adrenal crisis"})))
    closing = (await told(EXAIM(reader=reader), SAID))[-1].items[-1]
    assert closing.kind is SpokenKind.CLOSING and "Adrenal crisis" in closing.text


@pytest.mark.parametrize(
    ("words", "wrong", "reason"),
    [
        ("PE", claim(ReadKind.EXCLUDED, "PE is ruled out.", slots={"entity": "PE"}), "doubt"),
        ("PE", claim(ReadKind.CONFIRMED, "PE is confirmed.", slots={"entity": "PE"}), "doubt"),
        (
            "Do not",
            claim(ReadKind.ACTION, "Give spironolactone.", slots={"entity": "spironolactone"}),
            "denial",
        ),
        ("potassium", claim(ReadKind.VALUE, "Potassium 9.6 mmol/L.", slots={"value": "9.6"}), "value is not"),
        ("leading", claim(ReadKind.LEADING, "Now it is adrenal crisis.", holder="doctor1"), "holder"),
        ("cortisol", claim(ReadKind.TEST, "Lumbar puncture.", slots={"entity": "lumbar puncture"}), "entity"),
    ],
)
async def test_what_is_wrong_is_quoted_or_dropped_and_counted(
    words: str, wrong: ReadClaim, reason: str
) -> None:
    updates = await told(EXAIM(reader=with_claims((words, wrong))), SAID)
    assert not any(wrong.say.rstrip(".").lower() in text.lower() for text in texts(updates))
    dropped = [each.reason for update in updates for each in update.dropped if each.text_kind == "reading"]
    assert any(reason in each for each in dropped)


async def test_a_number_that_was_never_shown_brings_nothing() -> None:
    invented = Scripted(
        lambda _: ReaderReply((claim(ReadKind.LEADING, "Adrenal crisis leads.", cites=(999,)),))
    )
    plain = texts(await told(EXAIM(), SAID), by_reading=False)
    updates = await told(EXAIM(reader=invented), SAID)
    assert [fallback.reason for up in updates for fallback in up.fallbacks] == ["empty"]
    assert sorted(item.text for up in updates[:-1] for item in up.items) == sorted(plain[:-1])


def test_an_alarm_and_a_prohibition_wait_for_no_model(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        loop = asyncio.get_running_loop()
        exaim = EXAIM(reader=Scripted(lambda _: ReaderReply(failure="deadline"), takes_s=8.0))
        first = await exaim.feed(Delta("doctor0", SAID, 1, 0.0))
        first += await exaim.turn_end("doctor0", 2, 1.0)
        assert loop.time() < 1.0
        assert any(item.kind is SpokenKind.CRITICAL for up in first for item in up.items)
        assert any("spironolactone" in item.text for up in first for item in up.items)
        second = await exaim.feed(Delta("doctor1", "The lactate is 9.1 mmol/L.\n", 3, 2.0))
        second += await exaim.turn_end("doctor1", 4, 3.0)
        assert any("9.1" in item.text for up in second for item in up.items) and loop.time() < 1.0
        rest = await exaim.finish(4.0)
        assert loop.time() == pytest.approx(8.0)
        assert ("reader", "deadline") in [(each.part, each.reason) for up in rest for each in up.fallbacks]
        assert any("adrenal crisis" in item.text for up in rest for item in up.items)

    virtual.run(scene())


async def test_a_model_that_says_nothing_of_an_alarm_takes_nothing_from_it() -> None:
    reader = with_claims(("leading", claim(ReadKind.LEADING, "", slots={"entity": "adrenal crisis"})))
    updates = await told(EXAIM(reader=reader), SAID)
    assert any(item.kind is SpokenKind.CRITICAL for up in updates for item in up.items)
    assert sum("6.9" in item.text for up in updates for item in up.items) == 1


async def test_a_successor_repeats_what_was_read_and_asks_for_the_rest_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pending, "GATHER_S", 0.0)
    wanted = (
        "cortisol",
        claim(ReadKind.TEST, "Cortisol before the hydrocortisone.", slots={"entity": "cortisol"}),
    )
    first = await told(EXAIM(reader=with_claims(wanted)), SAID, "The sodium is 131 mmol/L today.\n")
    committed = [update for update in first if update.path != "end"][:2]
    retold = {update.judged: 1 for update in committed if update.by_reading}
    assert retold
    other = with_claims(wanted)
    again = await told(
        EXAIM(reader=other, retold=retold, retold_until=max(update.judged for update in committed)),
        SAID,
        "The sodium is 131 mmol/L today.\n",
    )
    assert [(up.covers, up.by_reading) for up in again[:2]] == [
        (up.covers, up.by_reading) for up in committed
    ]
    assert len(other.requests) == 1


async def test_every_delta_is_covered_once_whoever_reads() -> None:
    reader = with_claims(("leading", claim(ReadKind.LEADING, "Adrenal crisis leads.", slots={})))
    updates = await told(EXAIM(reader=reader), SAID, SAID, ATTACK)
    seen = [n for up in updates for part in up.covers for n in range(part.first_seq, part.last_seq + 1)]
    assert len(seen) == len(set(seen)) and {1, 3, 5} <= set(seen)


async def test_a_reader_that_raises_harms_nothing() -> None:
    def fail(_: ReadingRequest) -> ReaderReply:
        raise RuntimeError

    updates = await told(EXAIM(reader=Scripted(fail)), SAID)
    assert ("reader", "unavailable") in [(each.part, each.reason) for up in updates for each in up.fallbacks]


async def test_closing_an_engine_leaves_no_reading_under_way() -> None:
    exaim = EXAIM(reader=Scripted(lambda _: ReaderReply(), takes_s=600.0))
    await exaim.feed(Delta("doctor0", SAID, 1, 0.0))
    await exaim.turn_end("doctor0", 2, 1.0)
    await exaim.aclose()
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "exaim-reading"]
