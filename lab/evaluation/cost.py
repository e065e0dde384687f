"""What a piece of text costs: processor time, judge and summaries with it, of one thread."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from agents.recorded import Trace
from agents.recorded.records import Delta as Recorded
from exaim_core import EXAIM, Delta, GateLimits
from lab.evaluation.engine import AFTER_S, in_order, step
from lab.evaluation.synthetic import Turn, pieces, turns

RUNS: Final = 3  # of each the best counts: what else the machine does only ever adds
AGENTS: Final = (1, 10, 100, 1_000)
BUFFERS: Final = (100, 1_000, 10_000)  # words that the gate may hold
AGENT_WORDS: Final = 120
LEAST_AGENTS: Final = 50  # times what one agent says is said at least, by however few
LONG_S: Final = 0.005
PACE_S: Final = 0.02  # between two pieces of one agent
_FILLER: Final = "and so on "


@dataclass(frozen=True, slots=True)
class Cost:
    """Of recorded traces: mean of a piece, and the longest that the event loop was kept.

    A call lets others run between two pieces of its work: each stretch up to there counts, `long_stretches`
    are those of more than `LONG_S`.
    """

    pieces: int
    piece_us: float
    longest_ms: float
    stretches: int
    long_stretches: int


def of_traces(traces: Sequence[Trace], runs: int = RUNS) -> Cost:
    """Feed every trace to a new engine, `runs` times; each stretch counts with its shortest time."""
    count, every = 0, list[float]()
    for trace in traces:
        tries = [_of_trace(trace) for _ in range(runs)]
        every += [min(same) for same in zip(*tries, strict=True)]
        count += sum(isinstance(each, Recorded) for each in trace.content_records)
    long_stretches = sum(took_s > LONG_S for took_s in every)
    return Cost(count, sum(every) / count * 1e6, max(every) * 1e3, len(every), long_stretches)


def _of_trace(trace: Trace) -> list[float]:
    """Return the processor time of each stretch in which nothing else could run, in order."""
    exaim, took, at_s = EXAIM(), list[float](), 0.0
    for record in in_order(trace.content_records):
        at_s = max(at_s, record.t_rel_ms / 1000)
        took += stretches(step(exaim, record, at_s))
    return [*took, *stretches(exaim.finish(at_s + AFTER_S))]


def stretches(work: Coroutine[Any, None, object]) -> list[float]:
    """Run `work`, which waits for nothing but its turn; return the processor time of each stretch, in s."""
    took = list[float]()
    while True:
        begun_s = time.thread_time()
        try:
            work.send(None)
        except StopIteration:
            return took
        finally:
            took.append(time.thread_time() - begun_s)


def by_agents(counts: Sequence[int] = AGENTS, runs: int = RUNS) -> dict[int, float]:
    """Return the mean cost of a piece in µs by how many agents speak at once, each at the same pace."""
    return {count: min(asyncio.run(_by_agents(count)) for _ in range(runs)) for count in counts}


async def _by_agents(count: int) -> float:
    """Let every agent say the same at once, often enough that what one agent costs once is spread thin."""
    exaim, seq = EXAIM(), 0
    cut = list(pieces(_FILLER * (AGENT_WORDS // 3)))
    rounds = max(1, LEAST_AGENTS // count)
    begun_s = time.thread_time()
    for row in range(len(cut) * rounds):
        for number in range(count):
            seq += 1
            at_s = PACE_S * (row + number / count)
            await exaim.feed(Delta(f"agent{number}", cut[row % len(cut)], seq, at_s))
    return (time.thread_time() - begun_s) / seq * 1e6


def by_buffer(lengths: Sequence[int] = BUFFERS, runs: int = RUNS) -> dict[int, float]:
    """Return the mean cost of a piece in µs while the gate fills up to so many words, by that length."""
    return {length: min(asyncio.run(_by_buffer(length)) for _ in range(runs)) for length in lengths}


async def _by_buffer(length: int) -> float:
    limits = GateLimits(min_words=2 * length, max_words=2 * length, silence_s=1e9, max_wait_s=1e9)
    exaim, seq = EXAIM(limits=limits), 0
    cut = list(pieces(_FILLER * (length // 3)))
    begun_s = time.thread_time()
    for seq, text in enumerate(cut, start=1):
        await exaim.feed(Delta("agent0", text, seq, seq * 0.001))
    return (time.thread_time() - begun_s) / seq * 1e6


def in_turn(counts: Sequence[int] = (1, 10, 50), spoken: int = 50) -> dict[int, float]:
    """Return the mean cost of a piece in µs where so many agents speak `spoken` whole turns in all."""
    return {
        count: asyncio.run(_in_turn(islice(turns(agents=tuple(f"agent{n}" for n in range(count))), spoken)))
        for count in counts
    }


async def _in_turn(spoken: Sequence[Turn] | islice[Turn]) -> float:
    exaim, seq, total_s = EXAIM(), 0, 0.0
    for turn in spoken:
        begun_s = time.thread_time()
        for text in pieces(turn.text):
            seq += 1
            await exaim.feed(Delta(turn.agent_id, text, seq, seq * 0.01))
        seq += 1
        await exaim.turn_end(turn.agent_id, seq, seq * 0.01)
        total_s += time.thread_time() - begun_s
    return total_s / seq * 1e6
