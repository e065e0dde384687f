"""One session's load is not another's silence: real engines on one loop, whose clock counts what is computed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest

from app.fair_share import DELAYED, DELAYED_S, IN_HAND_S, IN_TIME, SHARE, Delay, LoopShare, Shares
from exaim_core import EXAIM, Delta, Update
from tts_queue.virtual_time import VirtualLoop

ALARM = "The potassium is 6.9 mmol/L and must be treated now.\n"
LATER_S = 0.5  # at most so much later than alone is an alarm told
EVENT = 8_000  # characters: as many as an event of a live team may have
LOOPS = ("HR 9 ", "BP 120/80 ", "K 6.9 ", "potassium is 6.9, ")  # of models that repeat themselves
STEP_S = 0.05  # no step on the loop is longer; five times what it should be, for machines that are slow


class ComputingLoop(VirtualLoop):
    """A virtual clock that goes on while something is computed: waiting costs nothing, and CPU its time."""

    def time(self) -> float:
        """Return the virtual time, in seconds."""
        return super().time() + time.thread_time()


@pytest.fixture
def computing() -> Iterator[asyncio.Runner]:
    with asyncio.Runner(loop_factory=ComputingLoop) as runner:
        yield runner


async def repeat(shares: Shares, words: str) -> None:
    """Read a model that loops, until cancelled."""
    with shares.share() as share:
        exaim = EXAIM(pause=share.pause)

        async def read() -> None:
            text, seq = words * (EVENT // len(words)), 0
            while True:
                await exaim.feed(Delta("doctor0", text, seq, seq * 0.1))
                seq += 1

        await share.run(read())


async def alarm(shares: Shares, after_s: float) -> float:
    """Return after how many seconds another patient's alarm is told."""
    loop = asyncio.get_running_loop()
    with shares.share() as share:
        exaim = EXAIM(pause=share.pause)
        await asyncio.sleep(after_s)
        began_s = loop.time()

        async def read() -> tuple[Update, ...]:
            updates: tuple[Update, ...] = ()
            for seq, word in enumerate(ALARM.split(" ")):
                updates += await exaim.feed(Delta("doctor0", f"{word} ", seq, seq * 0.01))
            return updates + await exaim.turn_end("doctor0", 100, 2.0)

        updates = await share.run(read())
        assert any("6.9" in item.text for update in updates for item in update.items)
        return loop.time() - began_s


async def beside(loops: tuple[str, ...], after_s: float = 1.0) -> float:
    shares = Shares()
    looping = [asyncio.create_task(repeat(shares, words)) for words in loops]
    try:
        return await alarm(shares, after_s)
    finally:
        for task in looping:
            task.cancel()
        await asyncio.wait(looping) if looping else None


@pytest.mark.parametrize("after_s", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("loops", [LOOPS[:1], LOOPS[1:]], ids=["one", "three"])
def test_an_alarm_beside_models_that_loop_is_told_in_time(
    computing: asyncio.Runner, loops: tuple[str, ...], after_s: float
) -> None:
    computing.run(beside(()))  # what is compiled once is compiled
    alone_s = computing.run(beside(()))
    assert computing.run(beside(loops, after_s)) <= alone_s + LATER_S


def test_who_costs_too_much_gets_its_part_and_no_more(computing: asyncio.Runner) -> None:
    async def scene() -> list[float]:
        shares, spent_s = Shares(), list[float]()

        async def costly(share: LoopShare) -> None:
            while True:
                began_s = time.thread_time()
                while time.thread_time() - began_s < 0.002:
                    pass
                await share.pause()

        with shares.share() as one, shares.share():
            task = asyncio.create_task(one.run(costly(one)))
            for _ in range(3):
                await asyncio.sleep(1.0)
                spent_s.append(one.spent_s)
            task.cancel()
            await asyncio.wait({task})
        return spent_s

    for second, spent_s in enumerate(computing.run(scene()), start=1):
        part_s = second * SHARE / 2
        assert 0.8 * part_s <= spent_s <= part_s + IN_HAND_S / 2 + STEP_S


def test_a_session_alone_is_not_slowed(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        shares = Shares(cpu_s=iter(range(1_000)).__next__)  # each look at the clock costs a second

        async def work(share: LoopShare) -> str:
            for _ in range(20):
                await share.pause()
            return "done"

        with shares.share() as share:
            assert await share.run(work(share)) == "done"
            assert share.waited_s == 0.0
            assert share.spent_s >= 20.0
        assert asyncio.get_running_loop().time() == 0.0

    virtual.run(scene())


def test_what_others_compute_meanwhile_is_not_counted(virtual: asyncio.Runner) -> None:
    cpu_s = 0.0

    async def scene() -> None:
        nonlocal cpu_s
        shares = Shares(cpu_s=lambda: cpu_s)

        async def work() -> None:
            nonlocal cpu_s
            cpu_s += 1.0
            await asyncio.sleep(5.0)
            cpu_s += 2.0

        async def others() -> None:
            nonlocal cpu_s
            await asyncio.sleep(1.0)
            cpu_s += 100.0

        with shares.share() as share:
            await asyncio.gather(share.run(work()), others())
            assert share.spent_s == 3.0

    virtual.run(scene())


def test_errors_and_cancellation_pass_through_the_meter(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        cleaned = list[str]()

        async def fails() -> None:
            await asyncio.sleep(0.1)
            raise KeyError("ours")

        async def waits() -> None:
            try:
                async with asyncio.timeout(1.0):
                    await asyncio.sleep(100.0)
            except TimeoutError:
                cleaned.append("late")
            try:
                await asyncio.sleep(100.0)
            finally:
                await asyncio.sleep(0.1)
                cleaned.append("cancelled")

        with Shares().share() as share:
            with pytest.raises(KeyError):
                await share.run(fails())
            task = asyncio.create_task(share.run(waits()))
            await asyncio.sleep(2.0)
            task.cancel()
            await asyncio.wait({task})
            assert task.cancelled()
        assert cleaned == ["late", "cancelled"]

    virtual.run(scene())


def test_a_session_that_is_slowed_makes_the_same_updates(computing: asyncio.Runner) -> None:
    text = "The potassium is 6.9 mmol/L. Give calcium gluconate 10 mL now. I think it is pericarditis. " * 3

    async def updates(shares: Shares) -> list[Update]:
        with shares.share() as share, shares.share():
            exaim, made = EXAIM(pause=share.pause), list[Update]()

            async def read() -> None:
                for seq, word in enumerate(text.split(" ")):
                    made.extend(await exaim.feed(Delta("doctor0", f"{word} ", seq, seq * 0.3)))
                made.extend(await exaim.finish(100.0))

            await share.run(read())
            return made

    costly = iter(range(1, 1_000_000))
    slowed = computing.run(updates(Shares(cpu_s=lambda: next(costly) * 0.2)))
    assert slowed == computing.run(updates(Shares(cpu_s=lambda: 0.0)))


def test_a_delay_is_told_once_and_when_it_is_over() -> None:
    delay = Delay()
    assert delay.caught_up() is None
    assert delay.read(DELAYED_S - 0.1) is None
    assert delay.caught_up() is None
    assert delay.read(DELAYED_S + 0.1) is None, "what was waited before all was read does not count"
    assert delay.read(2 * DELAYED_S) == DELAYED
    assert delay.read(3 * DELAYED_S) is None
    assert delay.caught_up() == IN_TIME
    assert delay.caught_up() is None
