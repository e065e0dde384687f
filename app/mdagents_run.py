"""One run of `exaim mdagents`: models by name, a bar that tells how far it is, reports at the end."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from dotenv import dotenv_values
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.teams.mdagents.asking import BATCH
from agents.teams.mdagents.batch import Done, run_batch
from agents.teams.mdagents.dataset import digest_of, found_at
from agents.teams.mdagents.errors import DatasetError, RowError, SettingsWrong
from agents.teams.mdagents.images import takes_images
from agents.teams.mdagents.ledger import Spent
from agents.teams.mdagents.report import markdown, page
from agents.teams.mdagents.results import Results, Run, read_about, read_rows, write_whole
from agents.teams.mdagents.scoring import score_lines, scored
from agents.teams.mdagents.scripted import NAME, ScriptedModel
from agents.teams.mdagents.settings import Settings
from agents.teams.models import ByRole
from agents.teams.one_call import Callers
from chat_models import (
    LLMRole,
    ModelSpec,
    Provider,
    Registry,
)
from chat_models.config import STRUCTURED

if TYPE_CHECKING:
    from chat_models.registry import BaseChatModel

OTHER_NAMES: Final = {"openai_api_key": "OPENAI_API_KEY", "genai_api_key": "GOOGLE_API_KEY"}
"""The seed's names for keys, which are taken too."""
PROVIDERS: Final = (
    (("gemini", "gemma"), Provider.GOOGLE),
    (("gpt", "o1", "o3", "o4", "chatgpt"), Provider.OPENAI),
)
"""Whose model a name's beginning shows; any other is Groq's, unless an address is given."""
ANSWERS_BY: Final = {
    Provider.GOOGLE: "json_schema",
    Provider.GROQ: "function_calling",
    Provider.OPENAI: "json_schema",
}

DRAWN: Final = "no model was asked: these answers are drawn, and say nothing of any model"
DRAWN_IN_PART: Final = "in part no model was asked: what the scripted roles answer is drawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """What the command line asks for."""

    dataset: str
    model: str
    settings: Settings
    num_samples: int
    seed: int
    shape: str | None
    shard: tuple[int, int]
    output: Path
    resume: bool
    fresh: bool
    concurrency: int
    budget: int | None
    base_url: str | None
    structured: str | None
    models_by_role: Mapping[str, str]
    prices: tuple[float, float] | None
    verbose: bool
    images: bool | None = None


async def run(asked: BatchOptions, *, say: Callable[[str], None]) -> bool:
    """Do the run; return whether all samples are done without failure. Raises: MDAgentsError, LLMError."""
    path = found_at(asked.dataset)
    train = found_at(asked.dataset, "train") if asked.settings.fewshot else None
    described = _described(asked, path)
    made_folder(asked.output)
    results = Results(asked.output, described)
    ended = await _worked_through(asked, path, train, results)
    write_reports(results.path)
    say(f"{results.path}")
    if ended.rejected and not read_rows(results.path):
        raise DatasetError(f"no row of {path} can be used; {results.path.stem}.run.json says why of each")
    for line in _told(ended, results.path):
        say(line)
    return ended.complete


def _described(asked: BatchOptions, path: Path) -> Run:
    """Return by what a run is known again."""
    return Run(
        dataset=asked.dataset,
        digest=digest_of(path),
        model=asked.model,
        settings=asked.settings,
        num_samples=asked.num_samples,
        seed=asked.seed,
        shape=asked.shape,
        models_by_role=asked.models_by_role or None,
        shard=asked.shard,
    )


async def _worked_through(asked: BatchOptions, path: Path, train: Path | None, results: Results) -> Done:
    """Ask the models about the samples of `path`; return how it ended."""
    registry = Registry({}, keys())
    model = model_of(asked.model, registry, asked.base_url)
    others = {role: model_of(name, registry, asked.base_url) for role, name in asked.models_by_role.items()}
    callers = Callers(ByRole(others, model), structured=structured_by(asked), limits=BATCH)
    try:
        with _Bar(asked) as bar:
            return await run_batch(
                path,
                results,
                callers,
                concurrency=asked.concurrency,
                budget_tokens=asked.budget,
                train=train,
                resume=asked.resume,
                fresh=asked.fresh,
                images=takes_images(model) if asked.images is None else asked.images,
                watcher=bar,
            )
    finally:
        await registry.aclose()


def _told(ended: Done, path: Path) -> Iterator[str]:
    """Yield what to say of a run whose results are at `path`."""
    if drawn := drawn_by(path):
        yield drawn
    yield from score_lines(scored(read_rows(path)))
    if ended.rejected:
        yield f"rows that can't be used: {len(ended.rejected)}; {path.stem}.run.json lists them"
    if ended.over_budget:
        yield "the budget is spent; --resume with a larger one goes on"


def made_folder(folder: Path) -> None:
    """Make the folder of the results. Raises: SettingsWrong."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise SettingsWrong(f"{folder} can't be made ({why}): name another --output") from None


def write_reports(path: Path) -> None:
    """Write a result file's reports beside it. Raises: SaveFailed."""
    rows = read_rows(path)
    score = scored(rows)
    title = ": ".join(filter(None, (path.stem, drawn_by(path))))
    write_whole(path.with_suffix(".md"), markdown(title, score, rows))
    write_whole(path.with_suffix(".html"), page(title, score, rows))


def drawn_by(path: Path) -> str:
    """Return what to say if answers of a result file are no model's; empty: all are. Raises: RunDiffers."""
    told = read_about(path)["run"]
    names = {told["model"], *(told.get("models_by_role") or {}).values()}
    return DRAWN if names == {NAME} else DRAWN_IN_PART if NAME in names else ""


def model_of(name: str, registry: Registry, base_url: str | None) -> BaseChatModel:
    """Return a model by its name. Raises: LLMError, with what to set."""
    if name == NAME:
        return ScriptedModel()
    return registry.model_of(
        ModelSpec(role=LLMRole.MAS, provider=provider_of(name, base_url), model=name, base_url=base_url)
    )


def provider_of(name: str, base_url: str | None) -> Provider:
    """Return who serves a model of that name."""
    if base_url is not None:
        return Provider.OPENAI
    return next((each for starts, each in PROVIDERS if name.startswith(starts)), Provider.GROQ)


def structured_by(asked: BatchOptions) -> str:
    """Return how the models give JSON: as asked, in the provider's way, or as text from an own service."""
    if asked.structured is not None:
        if asked.structured not in STRUCTURED:
            raise SettingsWrong(f"--structured is {asked.structured!r}; it may be {', '.join(STRUCTURED)}")
        return asked.structured
    if asked.model == NAME or asked.base_url is not None or asked.models_by_role:
        return "text"
    return ANSWERS_BY[provider_of(asked.model, asked.base_url)]


def keys() -> dict[str, str]:
    """Return the environment, else what `.env` says, with the seed's names of keys under ours."""
    found = {**{name: value for name, value in dotenv_values(Path(".env")).items() if value}, **os.environ}
    for other, name in OTHER_NAMES.items():
        if other in found:
            found.setdefault(name, found[other])
    return found


def shard_of(written: str) -> tuple[int, int]:
    """Return k and n of "k/n". Raises: SettingsWrong."""
    k, slash, n = written.partition("/")
    if slash and k.isdecimal() and n.isdecimal() and 1 <= int(k) <= int(n) <= 1_000:
        return int(k), int(n)
    raise SettingsWrong(f"--shard is {written!r}; it may be k/n with k from 1 to n, as 2/3")


def by_role(written: Sequence[str]) -> dict[str, str]:
    """Return models by role of "ROLE=MODEL". Raises: SettingsWrong."""
    found = {}
    for each in written:
        role, equals, name = each.partition("=")
        if not (role and equals and name):
            raise SettingsWrong(f"--model-of is {each!r}; it may be ROLE=MODEL, as moderator=gpt-4o-mini")
        found[role.strip().casefold()] = name.strip()
    return found


def prices_of(written: str | None) -> tuple[float, float] | None:
    """Return the prices of "IN,OUT". Raises: SettingsWrong."""
    if written is None:
        return None
    try:
        given, taken = (float(each) for each in written.split(","))
    except ValueError:
        given = taken = math.nan
    if not (0 <= given < math.inf and 0 <= taken < math.inf):
        raise SettingsWrong(f"--prices is {written!r}; it may be IN,OUT for a million tokens, as 0.15,0.6")
    return given, taken


class _Bar:
    """A bar on a terminal; elsewhere nothing but what `--verbose` asks for."""

    def __init__(self, asked: BatchOptions) -> None:
        self._asked = asked
        self._console = Console(stderr=True)
        self._right = self._samples = 0
        self._bar = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TextColumn("{task.fields[cost]}"),
            TimeRemainingColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task("samples", total=None, rate="", cost="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def began(self, total: int) -> None:
        """Show how many there are."""
        self._bar.update(self._task, total=total)

    def done(self, row: dict[str, Any], spent: Spent) -> None:
        """Show one more, its rate and what was spent."""
        self._samples += 1
        self._right += bool(row["correct"])
        speed = self._bar.tasks[0].speed
        self._bar.update(
            self._task,
            advance=1,
            rate=f"{speed * 60:.1f}/min, {self._right} right" if speed else f"{self._right} right",
            cost=cost_of(spent, self._asked.prices),
        )
        if self._asked.verbose:
            told = row["response"]["words"] or row["response"]["answer"]
            tokens = row["token_usage"]["total_tokens"]
            right = "right" if row["correct"] else "wrong"
            self._line(f"{row['question_id']}: {told} ({right}; {row['difficulty']}; {tokens} tokens)")

    def rejected(self, error: RowError) -> None:
        """Tell a row that can't be used."""
        self._line(f"{error}")

    def _line(self, text: str) -> None:
        if self._console.is_terminal:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            sys.stderr.write(f"{text}\n")


def cost_of(spent: Spent, prices: tuple[float, float] | None) -> str:
    """Return what was spent: tokens, and what they cost where prices are known."""
    told = f"{spent.total_tokens:,} tokens"
    if prices is None:
        return told
    cost = (spent.input_tokens * prices[0] + spent.output_tokens * prices[1]) / 1_000_000
    return f"{told}, {cost:.4f}"
