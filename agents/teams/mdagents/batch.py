"""A data set, worked through: so many samples at once, each saved as soon as it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from agents.teams.mdagents.asking import Asker
from agents.teams.mdagents.dataset import Question, example_pool, examples, questions, shuffled
from agents.teams.mdagents.errors import DatasetError, NobodyLeft, RowError
from agents.teams.mdagents.images import blocks_of
from agents.teams.mdagents.ledger import Spent
from agents.teams.mdagents.results import Results, row_of
from agents.teams.mdagents.solving import solve
from agents.teams.mdagents.work import Work, together
from agents.teams.one_call import Callers


class Watcher(Protocol):
    """Who sees how far a batch is."""

    def began(self, total: int) -> None:
        """So many samples are to be done now."""
        ...

    def done(self, row: dict[str, Any], spent: Spent) -> None:
        """A sample is saved; `spent` is all that this run has cost so far."""
        ...

    def rejected(self, error: RowError) -> None:
        """A row can't be used."""
        ...


class Unwatched:
    """Sees nothing."""

    def began(self, total: int) -> None:
        """Pass over."""

    def done(self, row: dict[str, Any], spent: Spent) -> None:
        """Pass over."""

    def rejected(self, error: RowError) -> None:
        """Pass over."""


@dataclass(slots=True)
class Done:
    """How a batch ended."""

    complete: bool = False
    over_budget: bool = False
    spent: Spent = field(default_factory=Spent)
    rejected: list[RowError] = field(default_factory=list)


async def run_batch(
    path: Path,
    results: Results,
    callers: Callers,
    *,
    concurrency: int = 8,
    budget_tokens: int | None = None,
    train: Path | None = None,
    resume: bool = False,
    fresh: bool = False,
    images: bool = False,
    watcher: Watcher | None = None,
) -> Done:
    """Work through the first rows of `path`, those of the run's shard, and write the results.

    A row that can't be used, and a sample on which every agent fails, are kept as such, and the rest goes on. No new
    sample is begun once `budget_tokens` are spent. `images`: the models take them. Cancelling leaves what is saved,
    to be resumed.

    Raises: RunExists, RunDiffers, SaveFailed, DatasetError.
    """
    watcher = watcher or Unwatched()
    run = results.run
    pool = _pool(train, run.settings.fewshot)
    there = results.begin(resume=resume, fresh=fresh)
    ended = Done()
    expected = 0
    for index, each in enumerate(questions(path, most=run.num_samples, shape=run.shape, images=images)):
        if not run.mine(index):
            continue
        if isinstance(each, RowError):
            ended.rejected.append(each)
            watcher.rejected(each)
        else:
            expected += 1
    watcher.began(expected - len(there))
    one = _Samples(results, callers, pool, watcher, ended, budget_tokens)
    waiting = _waiting(path, results, there, images=images)
    await together(one.work(waiting) for _ in range(max(1, concurrency)))
    ended.complete = results.finish(ended.rejected, expected)
    return ended


def _pool(train: Path | None, count: int) -> list[str]:
    if not count:
        return []
    if train is None:
        raise DatasetError("examples want a train file")
    return example_pool(train, count)


def _waiting(path: Path, results: Results, there: set[int], *, images: bool) -> Iterator[Question]:
    run = results.run
    for index, each in enumerate(questions(path, most=run.num_samples, shape=run.shape, images=images)):
        if isinstance(each, Question) and run.mine(index) and index not in there:
            yield shuffled(each, run.seed)


class _Samples:
    """Works on one sample after the other, beside others that do the same."""

    def __init__(
        self,
        results: Results,
        callers: Callers,
        pool: Sequence[str],
        watcher: Watcher,
        ended: Done,
        budget_tokens: int | None,
    ) -> None:
        self._results, self._callers, self._pool = results, callers, pool
        self._watcher, self._ended, self._budget = watcher, ended, budget_tokens

    async def work(self, waiting: Iterator[Question]) -> None:
        for question in waiting:
            await self._sample(question)
            if self._budget is not None and self._ended.spent.total_tokens >= self._budget:
                self._ended.over_budget = True
                return
            await asyncio.sleep(0)  # a model that answers at once must not keep the others waiting

    async def _sample(self, question: Question) -> None:
        run = self._results.run
        asker = Asker(self._callers, images=blocks_of(question.images))
        shown = examples(self._pool, run.settings.fewshot, run.seed, question.question_id)
        work = Work(question.text, question.options, run.settings, asker, examples=shown)
        with suppress(NobodyLeft):  # its row says so, and who failed with what
            await solve(work)
        row = row_of(question, work.outcome, asker.ledger)
        self._results.save(question.index, row)
        self._ended.spent.add(asker.ledger.total)
        self._watcher.done(row, self._ended.spent)


__all__ = ["Done", "Unwatched", "Watcher", "run_batch"]
