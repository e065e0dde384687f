"""A gate on what the engine makes of right answers, and on what it lets through of wrong ones.

The floors lie a little below what was measured when they were set (docs/llm.md). Readings of the sealed split are
not here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from exaim_core import EXAIM
from exaim_core.readings.port import ReadClaim, ReaderReply
from lab.evaluation import faults
from lab.evaluation.faults import matrix
from lab.evaluation.funnel import Stage, followed, shown
from lab.evaluation.habits import FOLDER, Scored, load, table
from lab.evaluation.readings import READINGS, Replayed, load_reading, played, reading_of, with_readings

pytestmark = pytest.mark.timeout(600)  # what all discussions are played for once; a busy machine is slow

FLOORS = {
    "key points in the fields": 0.84,
    "key points ever spoken": 0.70,
    "what presses, spoken": 0.72,
    "endings right": 0.55,  # 7 of 9 while an end was told as decided; what is now unread is counted below
    "endings right or openly unread": 0.88,
}
FAULTY = ("phone-02", "tables-03")
STOPPED = 0.975  # 416 of 425: three shifted ids, which the engine puts right, were not counted before
NONE_THROUGH = {
    *("invented ids", "another drug", "other number", "instruction obeyed", "late", "cut", "empty"),
    *("denying label", "wrong noun for a pronoun", "called a change"),
}


@pytest.fixture(scope="module")
def plays() -> Mapping[str, tuple[Scored, Replayed]]:
    """Each discussion played once, by its name."""
    return {path.stem: played(path) for path in with_readings("develop", FOLDER, READINGS)}


@pytest.fixture(scope="module")
def results(plays: Mapping[str, tuple[Scored, Replayed]]) -> Sequence[Scored]:
    return [result for result, _ in plays.values()]


@pytest.mark.parametrize("name", FLOORS)
def test_right_answers_are_told_no_worse_than_before(results: Sequence[Scored], name: str) -> None:
    assert len(results) == 9
    hits, n = table(results)[name]
    assert hits / n >= FLOORS[name]


def test_wrong_answers_do_not_get_through() -> None:
    paths = [FOLDER / "develop" / f"{name}.jsonl" for name in FAULTY]
    rows = matrix(paths)
    put_in, through = sum(row.put_in for row in rows), sum(row.through for row in rows)
    assert put_in >= 200
    assert 1 - through / put_in >= STOPPED
    for row in rows:
        if row.name in NONE_THROUGH:
            assert row.through == 0, row
    assert {row.name for row in rows if row.put_in} >= NONE_THROUGH


def test_a_right_claim_that_may_not_come_is_counted_where_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its wording is the right one, so that what the right answer told may not be taken off."""
    monkeypatch.setattr(faults, "_broken", lambda _, claim: ReaderReply((claim,)))
    path = FOLDER / "develop" / "tables-03.jsonl"
    cases = [faults.Case(load(path)[0], load_reading(reading_of(path))[1], EXAIM())]
    for name, kind in {**faults.FAULTS, **faults.BROKEN}.items():
        if not kind.beside_right:
            row = faults.row_of(name, cases, replace(kind, fault=kind.fault and _unchanged))
            assert (row.put_in, row.through) == (1, 1), name


def _unchanged(_: object, claim: ReadClaim) -> ReadClaim:
    return claim


@pytest.mark.parametrize("split", ["tune", "develop", "sealed"])
def test_every_reading_rests_on_words_that_stand_in_its_turn(split: str) -> None:
    reported = 0
    for path in with_readings(split, FOLDER, READINGS):
        discussion, _, _ = load(path)
        agents = {agent for agent, _ in discussion.turns}
        for each in load_reading(reading_of(path)):
            assert 1 <= each.turn <= len(discussion.turns), path.stem
            assert each.claim.holder in agents, path.stem
            reported += each.claim.holder != discussion.turns[each.turn - 1][0]
    assert reported == (2 if split == "sealed" else 0)  # said for somebody else: left as they were written


def test_the_funnel_follows_each_key_point_to_where_it_was_lost(
    plays: Mapping[str, tuple[Scored, Replayed]],
) -> None:
    result, reader = plays["phone-03"]
    points = followed(result, reader)
    assert len(points) == len(result.points)
    told = [each for each in points if each.stage in {Stage.LATE, Stage.IN_TIME}]
    assert len(told) == sum(result.spoken)
    assert sum(each.in_fields for each in points) == sum(result.in_fields)
    table_of = shown(points)
    assert table_of.splitlines()[0].split()[:2] == ["kind", "points"]
    assert any(line.startswith("all ") and f" {len(points)} " in line for line in table_of.splitlines())


def test_what_is_offered_again_before_the_closing_was_spoken(results: Sequence[Scored]) -> None:
    late = [
        said for each in results for said in each.said if said.begun_s and said.begun_s - said.offered_s > 45
    ]
    assert any(said.kind in {"finding", "leading"} for said in late)
