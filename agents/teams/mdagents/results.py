"""Store a run's results: a part for each sample as it is done, then one file of all.

    {name}.parts/000017.json   one sample, written beside and renamed, so that it is whole or not there
    {name}.json                all samples in the data set's order; the seed's file and its fields
    {name}.run.json            what was run, rows that could not be used, sums

The parts stay until every sample is answered: they are what `--resume` goes on from. Memory holds no sample.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from agents.teams.mdagents.answers import same
from agents.teams.mdagents.dataset import Question
from agents.teams.mdagents.errors import RowError, RunDiffers, RunExists, SaveFailed
from agents.teams.mdagents.ledger import Ledger
from agents.teams.mdagents.outcome import Outcome
from agents.teams.mdagents.prompts import VERSION
from agents.teams.mdagents.settings import ADAPTIVE, Settings

ANSWERED: Final = "answered"
UNPARSED: Final = "unparsed"
FAILED: Final = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What is run. Two parts belong together if they are alike in all but the shard."""

    dataset: str
    digest: str  # of the data set's file
    model: str
    settings: Settings
    num_samples: int
    seed: int = 0
    shape: str | None = None
    models_by_role: Mapping[str, str] | None = None
    shard: tuple[int, int] = (1, 1)  # which of how many, from 1

    @property
    def name(self) -> str:
        """The seed's file name, without its ending; a shard says which it is."""
        tier = self.settings.tier or ADAPTIVE
        model = "".join(char if char.isalnum() or char in "-._" else "-" for char in self.model)
        dataset = (
            Path(self.dataset).stem
            if "/" in self.dataset or self.dataset.endswith(".jsonl")
            else self.dataset
        )
        name = f"{model}_{dataset}_{tier}_{self.num_samples}samples"
        k, n = self.shard
        return name if n == 1 else f"{name}.shard-{k}-of-{n}"

    def mine(self, index: int) -> bool:
        """Return whether a row is this shard's."""
        k, n = self.shard
        return index % n == k - 1

    def to_json(self) -> dict[str, Any]:
        """Return it by field, as JSON has it."""
        found: dict[str, Any] = json.loads(json.dumps({**asdict(self), "prompts": VERSION}))
        found["dataset"] = Path(self.dataset).name
        return found

    @property
    def whole(self) -> Run:
        """The run that this is a shard of."""
        return replace(self, shard=(1, 1))


def row_of(question: Question, outcome: Outcome, ledger: Ledger) -> dict[str, Any]:
    """Return a sample's row: the seed's fields first, then ours."""
    answer = outcome.answer
    status = ANSWERED if answer is not None else FAILED if outcome.failed else UNPARSED
    right = question.label or question.answer
    return {
        "question_id": question.question_id,
        "question": question.text,
        "label": question.label,
        "answer": question.answer,
        "options": dict(question.options),
        "response": {
            "answer": answer if answer is not None else UNPARSED,
            "words": outcome.words,
            "reasoning": outcome.reasoning,
            "by": str(outcome.by),
        },
        "difficulty": str(outcome.tier),
        "token_usage": ledger.to_json(),
        "row": question.index + 1,
        "status": status,
        "correct": same(answer, right),
        "debate": outcome.debate_json(),
    }


class Results:
    """A run's files in a folder."""

    def __init__(self, folder: Path, run: Run) -> None:
        self.run = run
        self.path = folder / f"{run.name}.json"
        self._parts = folder / f"{run.name}.parts"
        self._about = folder / f"{run.name}.run.json"

    def begin(self, *, resume: bool = False, fresh: bool = False) -> set[int]:
        """Make the folder ready; return the indices of the samples that are done.

        With `resume`, failed samples are not among them: they are asked again.

        Raises: RunExists; RunDiffers: what is there was run otherwise; SaveFailed.
        """
        there = [path for path in (self._parts, self.path) if path.exists()]
        if there and fresh:
            self._removed()
            there = []
        if there and not resume:
            raise RunExists(there[0])
        if there:
            self._must_be_alike()
        try:
            if there and not self._parts.exists():
                return {int(row["row"]) - 1 for row in read_rows(self.path)}
            self._parts.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SaveFailed(self._parts, error) from None
        write_whole(self._about, [_dumped({"run": self.run.to_json()})])
        return {index for index in self._indices() if self._part(index)["status"] != FAILED}

    def save(self, index: int, row: Mapping[str, Any]) -> None:
        """Write one sample, whole or not at all. Raises: SaveFailed."""
        write_whole(self._path_of(index), [_dumped(row)])

    def finish(self, rejected: Sequence[RowError], expected: int) -> bool:
        """Write the one file of all that is done; return whether that is everything, none of it failed.

        Raises: SaveFailed.
        """
        if not self._parts.exists():
            return True
        indices = self._indices()
        write_whole(self.path, _joined(self._path_of(index).read_text("utf-8") for index in indices))
        failed = sum(self._part(index)["status"] == FAILED for index in indices)
        complete = len(indices) == expected and not failed
        about = {
            "run": self.run.to_json(),
            "complete": complete,
            "samples": len(indices),
            "expected": expected,
            "rejected": [asdict_error(each) for each in rejected],
        }
        write_whole(self._about, [_dumped(about)])
        if complete:
            shutil.rmtree(self._parts)
        return complete

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield what is done, in order, one row at a time while there are parts."""
        if self._parts.exists():
            yield from map(self._part, self._indices())
        else:
            yield from read_rows(self.path)

    def _must_be_alike(self) -> None:
        about = read_about(self.path)
        if about["run"] != self.run.to_json():
            raise RunDiffers(
                f"{self.path.stem} was run with other settings ({_differing(about['run'], self.run.to_json())}): "
                "use the same ones, or --fresh"
            )

    def _removed(self) -> None:
        shutil.rmtree(self._parts, ignore_errors=True)
        for path in (self.path, self._about):
            path.unlink(missing_ok=True)

    def _indices(self) -> list[int]:
        return sorted(int(path.stem) for path in self._parts.glob("[0-9]*.json"))

    def _path_of(self, index: int) -> Path:
        return self._parts / f"{index:06d}.json"

    def _part(self, index: int) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._path_of(index).read_text("utf-8"))
        return found


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return a run's rows. Raises: RunDiffers: that is no file of a run."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        raise RunDiffers(f"{path} is no result of `exaim mdagents`") from None
    if not isinstance(found, list) or not all(
        isinstance(each, dict) and "question_id" in each for each in found
    ):
        raise RunDiffers(f"{path} is no result of `exaim mdagents`")
    return found


def read_about(path: Path) -> dict[str, Any]:
    """Return what was run for a result file. Raises: RunDiffers."""
    about = path.with_name(f"{path.name.removesuffix('.json')}.run.json")
    try:
        found = json.loads(about.read_text("utf-8"))
    except (OSError, ValueError):
        raise RunDiffers(f"{about} is missing or can't be read; it lies beside {path.name}") from None
    if not isinstance(found, dict) or "run" not in found:
        raise RunDiffers(f"{about} does not say what was run")
    return found


def merged(paths: Sequence[Path], folder: Path) -> Path:
    """Write the shards' rows as the one run's file, and return it.

    Raises: RunDiffers: they are not one run's, one is missing, there twice or not complete; SaveFailed.
    """
    about = [read_about(path) for path in paths]
    shards = [tuple(each["run"]["shard"]) for each in about]
    alike = {_dumped({**each["run"], "shard": None}) for each in about}
    count = shards[0][1] if shards else 0
    if len(alike) != 1:
        raise RunDiffers(f"the shards were not run alike ({_differing(about[0]['run'], about[-1]['run'])})")
    if sorted(shards) != [(k, count) for k in range(1, count + 1)]:
        raise RunDiffers(
            f"shards 1 to {count} are wanted, each once; given are {sorted(k for k, _ in shards)}"
        )
    for path, each in zip(paths, about, strict=True):
        if not each.get("complete"):
            raise RunDiffers(f"{path} is not complete: go on with it by --resume first")
    rows = sorted((row for path in paths for row in read_rows(path)), key=lambda row: int(row["row"]))
    name = paths[0].name.split(".shard-")[0]
    out = folder / f"{name}.json"
    write_whole(out, _joined(map(_dumped, rows)))
    rejected = [each for part in about for each in part["rejected"]]
    whole = {
        "run": {**about[0]["run"], "shard": [1, 1]},
        "complete": True,
        "samples": len(rows),
        "expected": sum(part["expected"] for part in about),
        "rejected": sorted(rejected, key=lambda each: int(each["row"])),
    }
    write_whole(folder / f"{name}.run.json", [_dumped(whole)])
    return out


def write_whole(path: Path, parts: Iterable[str]) -> None:
    """Write a file beside its place and rename it there: it is whole, or as it was. Raises: SaveFailed."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("w", encoding="utf-8", errors="replace") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise SaveFailed(path, error) from None


def asdict_error(error: RowError) -> dict[str, Any]:
    """Return a row's error by field."""
    return {"row": error.row, "field": error.field, "problem": error.problem}


def _joined(rows: Iterable[str]) -> Iterator[str]:
    yield "[\n"
    for number, row in enumerate(rows):
        yield row if not number else f",\n{row}"
    yield "\n]\n"


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    return ", ".join(sorted(name for name in {*one, *other} if one.get(name) != other.get(name)))
