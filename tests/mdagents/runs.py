"""Runs over the shipped data set, for tests."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel

from agents.teams.mdagents.asking import BATCH
from agents.teams.mdagents.batch import Done, run_batch
from agents.teams.mdagents.dataset import OWN, digest_of, found_at
from agents.teams.mdagents.results import Results, Run
from agents.teams.mdagents.settings import Settings
from agents.teams.models import OneModel
from agents.teams.one_call import Callers
from chat_models.calls import CallLimits


def described(rows: int, settings: Settings | None = None, path: Path | None = None, **more: Any) -> Run:
    at = path or found_at(OWN)
    return Run(
        dataset=str(path or OWN),
        digest=digest_of(at),
        model="rehearsed",
        settings=settings or Settings(),
        num_samples=rows,
        **more,
    )


def done(
    runner: asyncio.Runner,
    folder: Path,
    model: BaseChatModel,
    run: Run,
    path: Path | None = None,
    limits: CallLimits = BATCH,
    **more: Any,
) -> tuple[Done, Results]:
    folder.mkdir(parents=True, exist_ok=True)
    results = Results(folder, run)
    callers = Callers(OneModel(model), limits=limits)
    return runner.run(run_batch(path or found_at(OWN), results, callers, **more)), results
