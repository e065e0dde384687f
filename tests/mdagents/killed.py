"""A run in a process that ends, without a word, at the nth call: `python -m tests.mdagents.killed FOLDER N…`.

For each N it is a process of its own, one after the other; how each ended is a line. What they import is imported
once, before they part.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
from pathlib import Path
from typing import Any

from agents.teams.mdagents.asking import BATCH
from agents.teams.mdagents.batch import Unwatched, run_batch
from agents.teams.mdagents.dataset import OWN, found_at
from agents.teams.mdagents.ledger import Spent
from agents.teams.mdagents.results import Results
from agents.teams.models import OneModel
from agents.teams.one_call import Callers
from tests.mdagents.rehearsed import Call, Rehearsed
from tests.mdagents.runs import described

ROWS = 20


class Noted(Unwatched):
    """Writes down each sample that is saved."""

    def __init__(self, folder: Path) -> None:
        self._at = folder / "saved.txt"

    def done(self, row: dict[str, Any], spent: Spent) -> None:
        with self._at.open("a") as file:
            file.write(f"{row['question_id']}\n")


def main(folder: Path, last: int) -> None:
    calls = 0

    def reply(_: Call) -> None:
        nonlocal calls
        calls += 1
        if calls == last:
            os._exit(9)

    model = Rehearsed(reply=reply)
    results = Results(folder, described(ROWS))
    callers = Callers(OneModel(model), limits=BATCH)
    asyncio.run(run_batch(found_at(OWN), results, callers, resume=True, concurrency=4, watcher=Noted(folder)))


if __name__ == "__main__":
    for point in sys.argv[2:]:
        run = multiprocessing.get_context("fork").Process(target=main, args=(Path(sys.argv[1]), int(point)))
        run.start()
        run.join()
        sys.stdout.write(f"{run.exitcode}\n")
        sys.stdout.flush()
