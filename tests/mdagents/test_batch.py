"""A batch: counts, time, saving, going on, shards, memory. On virtual time, the figures of the issue."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import resource
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agents.teams.mdagents.asking import BATCH
from agents.teams.mdagents.batch import Done, Unwatched, run_batch
from agents.teams.mdagents.dataset import OWN, found_at
from agents.teams.mdagents.errors import DatasetError, RunDiffers, RunExists, SaveFailed
from agents.teams.mdagents.ledger import Spent
from agents.teams.mdagents.results import Results, merged, read_rows
from agents.teams.mdagents.scoring import scored
from agents.teams.mdagents.scripted import ScriptedModel
from agents.teams.mdagents.settings import Settings, Tier
from agents.teams.models import OneModel
from agents.teams.one_call import Callers
from chat_models.calls import CallLimits
from tests.conftest import ROOT
from tests.mdagents import killed
from tests.mdagents.rehearsed import Call, Rehearsed, TooMany, answer
from tests.mdagents.runs import described, done
from tts_queue.virtual_time import runner

ALL = 60
BASIC = Settings(tier=Tier.BASIC)


def path_of(row: dict[str, Any]) -> tuple[int, int]:
    """Return how many calls a row's tier is defined to make, and how many of them follow one another."""
    debate = row["debate"]
    calls = path = 1  # the assessment
    if row["difficulty"] == Tier.BASIC:
        tries = 3 if row["status"] == "unparsed" else 1  # the same case is drawn the same way again
        return calls + tries, path + tries
    if row["difficulty"] == Tier.ADVANCED:
        return calls + 1 + 3 * 4 + 1, path + 1 + 3 * 3 + 1
    experts = len(debate["experts"])
    rounds = debate.get("interactions", {})
    turns = [min(max(int(turn.split()[1]) for turn in at) + 1, 5) for at in rounds.values()]
    if debate["stopped"] == "nobody had anything to add":
        turns.append(1)
    talked, reviews = len(debate["opinions"]) - 1, len(debate.get("reviews", ()))
    calls += 1 + experts + sum(turns) * experts + talked * (experts + 1) + reviews + 1
    path += 1 + 1 + sum(turns) + talked + reviews + 1
    return calls, path


@dataclass(frozen=True)
class Ran:
    """What all rows came to, the model that was asked, and how long it took: each call takes a second, virtually."""

    model: ScriptedModel
    ended: Done
    rows: list[dict[str, Any]]
    took_s: float


def ran(folder: Path, concurrency: int) -> Ran:
    model = ScriptedModel(latency_s=1.0)
    with runner() as virtual:
        ended, results = done(virtual, folder, model, described(ALL), concurrency=concurrency)
        return Ran(model, ended, read_rows(results.path), virtual.get_loop().time())


@pytest.fixture(scope="module")
def sixty(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """All rows, eight at once."""
    return ran(tmp_path_factory.mktemp("sixty"), 8)


@pytest.fixture(scope="module")
def one_at_a_time(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return ran(tmp_path_factory.mktemp("one"), 1)


def test_sixty_rows_make_the_calls_that_are_defined_and_the_account_is_the_providers(
    sixty: Ran,
) -> None:
    model, ended, rows = sixty.model, sixty.ended, sixty.rows
    assert ended.complete and len(rows) == ALL
    assert {row["difficulty"] for row in rows} == set(Tier)
    for row in rows:
        assert row["token_usage"]["calls"] == path_of(row)[0], row["question_id"]
        by_agent = row["token_usage"]["by_agent"].values()
        assert sum(each["total_tokens"] for each in by_agent) == row["token_usage"]["total_tokens"]
    served, spent = model.served, scored(rows).spent
    assert (spent.calls, spent.input_tokens, spent.output_tokens) == (
        served.calls,
        served.input_tokens,
        served.output_tokens,
    )
    assert ended.spent == spent


def test_sixty_rows_take_every_path_of_a_debate(sixty: Ran) -> None:
    rows = sixty.rows
    debates = [row["debate"] for row in rows]
    assert {row["status"] for row in rows} == {"answered", "unparsed"}
    assert {"all agree", "nobody had anything to add"} <= {each.get("stopped") for each in debates}
    assert any(each.get("minority") for each in debates) and any(each.get("overruled") for each in debates)
    changed = [
        (one[name]["answer"], other[name]["answer"])
        for each in debates
        for one, other in pairwise(each.get("opinions", ()))
        for name in one
    ]
    assert any(None not in pair and pair[0] != pair[1] for pair in changed), "a change of mind in a round"
    assert any(None in pair for pair in changed), "an opinion that can't be read"


def test_a_case_takes_as_long_as_its_critical_path(one_at_a_time: Ran) -> None:
    critical_s = sum(path_of(row)[1] for row in one_at_a_time.rows)
    assert one_at_a_time.took_s <= 1.1 * critical_s
    assert one_at_a_time.took_s >= critical_s - 0.01


def test_eight_at_once_are_five_times_as_fast_as_one_at_a_time(sixty: Ran, one_at_a_time: Ran) -> None:
    assert one_at_a_time.took_s >= 5 * sixty.took_s


def test_hundreds_of_calls_are_in_flight_at_once(virtual: asyncio.Runner, tmp_path: Path) -> None:
    model = ScriptedModel(latency_s=1.0)
    settings = Settings(tier=Tier.INTERMEDIATE, experts=5)
    done(virtual, tmp_path, model, described(ALL, settings), concurrency=60)
    assert model.served.together >= 60 * 5


def test_a_run_that_dies_at_seven_random_points_loses_and_repeats_nothing(
    virtual: asyncio.Runner, tmp_path: Path
) -> None:
    model = Rehearsed(reply=lambda _: None)
    _, whole = done(virtual, tmp_path / "whole", model, described(killed.ROWS))
    folder = tmp_path / "killed"
    folder.mkdir()
    chance = random.Random(18)
    points = [chance.randrange(1, max(2, len(model.told.calls) // 8)) for _ in range(7)]
    command = [sys.executable, "-m", "tests.mdagents.killed", str(folder), *map(str, points), str(10**9)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=100, check=False)
    assert ended.stdout.split() == [b"9"] * 7 + [b"0"], ended.stderr.decode()
    saved = Counter((folder / "saved.txt").read_text().split())
    assert len(saved) == killed.ROWS and set(saved.values()) == {1}
    assert (folder / whole.path.name).read_bytes() == whole.path.read_bytes()
    assert not list(folder.glob("*.parts")) and not list(folder.glob(".*"))


class StopsAfter(Unwatched):
    """Cancels the run after so many samples."""

    def __init__(self, samples: int) -> None:
        self._left = samples

    def done(self, row: dict[str, Any], spent: Spent) -> None:
        self._left -= 1
        if not self._left:
            raise asyncio.CancelledError


def test_three_shards_one_stopped_in_the_middle_are_the_one_run(
    virtual: asyncio.Runner, tmp_path: Path
) -> None:
    model = Rehearsed(reply=lambda _: None)
    _, whole = done(virtual, tmp_path / "whole", model, described(ALL))
    paths = []
    for k in (1, 2, 3):
        run = described(ALL, shard=(k, 3))
        if k == 2:
            with pytest.raises(asyncio.CancelledError):
                done(virtual, tmp_path / "parts", model, run, watcher=StopsAfter(7))
        ended, results = done(virtual, tmp_path / "parts", model, run, resume=True)
        assert ended.complete
        paths.append(results.path)
    out = merged(paths, tmp_path)
    assert out.name == whole.path.name
    assert out.read_bytes() == whole.path.read_bytes()
    about = [json.loads(path.with_suffix(".run.json").read_text()) for path in (out, whole.path)]
    assert about[0] == about[1]

    for wrong in (paths[:2], [*paths[:2], paths[1]], [*paths, whole.path]):
        with pytest.raises(RunDiffers):
            merged(wrong, tmp_path / "no")


def weighed() -> int:
    """Return the bytes of all that the collector knows, and of the texts and numbers that hang on it.

    To trace each allocation (tracemalloc) took three times as long as the rows themselves.
    """
    gc.unfreeze()  # the tests' modules and what they keep: tests/conftest.py
    gc.collect()  # what is garbage by now is not held
    known = gc.get_objects()
    leaves = {id(leaf): leaf for each in known for leaf in gc.get_referents(each) if not gc.is_tracked(leaf)}
    return sum(map(sys.getsizeof, known)) + sum(map(sys.getsizeof, leaves.values()))


EARLY, LATE = 100, 500
"""After so many rows it is weighed: all that is made once is there by the first, and 400 rows lie between."""
MOST_A_ROW = 250  # bytes: the ids that are remembered


def test_memory_does_not_grow_with_the_rows(virtual: asyncio.Runner, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in found_at(OWN).read_text().splitlines()]
    path = tmp_path / "many.jsonl"
    with path.open("w") as file:
        for number in range(LATE):
            file.write(json.dumps({**rows[number % ALL], "id": f"q{number}"}) + "\n")
    held: dict[int, int] = {}

    class Weighed(Unwatched):
        count = 0

        def done(self, row: dict[str, Any], spent: Spent) -> None:
            self.count += 1
            if self.count in (EARLY, LATE):
                held[self.count] = weighed()

    ended, _ = done(virtual, tmp_path, ScriptedModel(), described(LATE, BASIC, path), path, watcher=Weighed())
    gc.freeze()
    assert ended.complete
    assert held[LATE] - held[EARLY] < MOST_A_ROW * (LATE - EARLY), held


def test_resuming_asks_what_failed_again_and_nothing_else(virtual: asyncio.Runner, tmp_path: Path) -> None:
    limits = CallLimits(tries=1)
    dark = {"on": True}

    def reply(call: Call) -> Any:
        return TooMany("no") if dark["on"] and "great toe" in call.question else answer("A")

    model = Rehearsed(reply=reply)
    ended, results = done(virtual, tmp_path, model, described(5, BASIC), limits=limits)
    rows = read_rows(results.path)
    assert [row["status"] for row in rows] == ["answered", "failed", "answered", "answered", "answered"]
    assert (rows[1]["response"]["answer"], rows[1]["correct"]) == ("unparsed", False)
    assert rows[1]["debate"]["failed"] == {"physician": "rate_limited"}
    assert not ended.complete
    asked = len(model.told.calls)
    dark["on"] = False
    ended, _ = done(virtual, tmp_path, model, described(5, BASIC), resume=True)
    assert ended.complete and len(model.told.calls) == asked + 1
    ended, _ = done(virtual, tmp_path, model, described(5, BASIC), resume=True)
    assert ended.complete and len(model.told.calls) == asked + 1


def test_whatever_a_model_writes_can_be_saved(virtual: asyncio.Runner, tmp_path: Path) -> None:
    odd = "half \ud800 a character, \x00 and \u2028"

    def reply(call: Call) -> Any:
        return odd if call.kind in ("feedback", "key_knowledge", "reply") else None

    settings = Settings(tier=Tier.INTERMEDIATE, experts=3)
    ended, results = done(virtual, tmp_path, Rehearsed(reply=reply), described(12, settings))
    assert ended.complete and any("reviews" in row["debate"] for row in read_rows(results.path))


def test_what_cannot_be_parsed_is_wrong_and_listed(virtual: asyncio.Runner, tmp_path: Path) -> None:
    model = Rehearsed(reply=lambda call: "Who knows." if "great toe" in call.question else None)
    _, results = done(virtual, tmp_path, model, described(3, BASIC))
    rows = read_rows(results.path)
    assert rows[1]["response"]["answer"] == "unparsed" and rows[1]["response"]["words"] == ""
    assert (rows[1]["status"], rows[1]["correct"]) == ("unparsed", False)
    assert scored(rows).unparsed == ("exaim60-02",)


def test_a_run_that_is_there_is_neither_overwritten_nor_mixed_with_another(
    virtual: asyncio.Runner, tmp_path: Path
) -> None:
    model = Rehearsed(reply=lambda _: None)
    done(virtual, tmp_path, model, described(3, BASIC))
    with pytest.raises(RunExists, match="--resume"):
        done(virtual, tmp_path, model, described(3, BASIC))
    with pytest.raises(RunDiffers, match="seed"):
        done(virtual, tmp_path, model, described(3, BASIC, seed=1), resume=True)
    asked = len(model.told.calls)
    done(virtual, tmp_path, model, described(3, BASIC), fresh=True)
    assert len(model.told.calls) == asked + 3


def test_a_budget_ends_the_run_between_samples(virtual: asyncio.Runner, tmp_path: Path) -> None:
    model = ScriptedModel()
    ended, results = done(virtual, tmp_path, model, described(ALL, BASIC), budget_tokens=1_000, concurrency=1)
    assert ended.over_budget and not ended.complete
    spent = [row["token_usage"]["total_tokens"] for row in results.rows()]
    assert sum(spent) >= 1_000 > sum(spent[:-1])
    ended, results = done(virtual, tmp_path, model, described(ALL, BASIC), resume=True)
    rows = read_rows(results.path)
    assert ended.complete and len(rows) == ALL
    assert model.served.calls == sum(row["token_usage"]["calls"] for row in rows), "no sample is asked again"


def test_a_full_disk_is_told_and_leaves_nothing_half_written(virtual: asyncio.Runner, tmp_path: Path) -> None:
    results = Results(tmp_path, described(8, BASIC))
    callers = Callers(OneModel(ScriptedModel()), limits=BATCH)

    class Fills(Unwatched):
        def done(self, row: dict[str, Any], spent: Spent) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with pytest.raises(SaveFailed, match="--resume"):
            virtual.run(run_batch(found_at(OWN), results, callers, concurrency=1, watcher=Fills()))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    parts = list(tmp_path.glob("*.parts/*")) + list(tmp_path.glob("*.parts/.*"))
    assert [part.name for part in parts] == ["000000.json"]
    json.loads(parts[0].read_text())
    ended, _ = done(virtual, tmp_path, ScriptedModel(), described(8, BASIC), resume=True)
    assert ended.complete


def test_examples_come_from_the_train_file_and_are_the_same_again(
    virtual: asyncio.Runner, tmp_path: Path
) -> None:
    model = Rehearsed(reply=lambda _: None)
    settings = Settings(tier=Tier.BASIC, fewshot=3)
    done(virtual, tmp_path, model, described(2, settings), train=found_at(OWN, "train"))
    done(virtual, tmp_path / "again", model, described(2, settings), train=found_at(OWN, "train"))
    with pytest.raises(DatasetError, match="--fewshot wants 9"):
        nine = Settings(tier=Tier.BASIC, fewshot=9)
        done(virtual, tmp_path / "nine", model, described(2, nine), train=found_at(OWN, "train"))
    questions = [each.question for each in model.told.calls]
    assert questions[0].count("Answer: (") == 3
    assert sorted(questions[:2]) == sorted(questions[2:])
