"""A gate on written discussions that nobody mends by: what is told of them may not get worse.

The floors lie a little below what was measured when they were set; docs/evaluation-discussions.md has the figures. They
are a regression, not evidence: that is the sealed split, which was opened once.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agents.shares import Share, wilson
from lab.evaluation.habits import SPENT, Scored, files, load, scored, table
from lab.evaluation.judging import READ, Heard, Tally, as_judged, same, tally, verdicts
from lab.evaluation.proven import NAMES, features, form_of, rows

pytestmark = pytest.mark.timeout(600)  # what all discussions are played for once; a busy machine is slow

FLOORS = {
    "key points in the fields": 0.50,
    "key points ever spoken": 0.25,
    "what presses, spoken": 0.30,
    "endings right or openly unread": 0.88,
}


@pytest.fixture(scope="module")
def results() -> Sequence[Scored]:
    return [scored(path) for path in files("develop")]


@pytest.mark.parametrize("name", FLOORS)
def test_a_team_that_writes_in_another_way_is_told_no_worse_than_before(
    results: Sequence[Scored], name: str
) -> None:
    hits, n = table(results)[name]
    assert hits / n >= FLOORS[name]


def test_every_discussion_says_what_is_true_of_it() -> None:
    for split in SPENT:
        for path in files(split):
            _, points, _ = load(path)
            assert len(points) >= 8


def test_few_of_the_sentences_that_were_judged_are_not_true(results: Sequence[Scored]) -> None:
    """A regression, not evidence: who changed the engine judged the newer ones."""
    spoken = [
        Heard("develop", each.name, str(said.kind), said.text)
        for each in results
        for said in each.said
        if said.begun_s is not None
    ]
    found = tally(spoken, verdicts())
    assert found.judged >= 0.8 * found.spoken
    assert (
        found.bad <= 0.09 * found.judged
    )  # 66 were told, 3 of them not true; 111 and 9 are since decision 125


def test_an_alarms_repetition_and_a_count_make_no_other_sentence() -> None:
    assert same("Critical: sodium 113. I repeat: sodium 113.") == same("Critical: sodium 113.")
    ended = "Finished. Sarcoidosis. One critical finding not acknowledged. Six items not read."
    assert same(ended) == same("Finished. Sarcoidosis.")
    said = Heard("develop", "a", "caution", "Caution, Doctor One: stop it.")
    assert said.verdict({("a", "caution: stop it"): "right"}) == "right"
    assert said.verdict({("a", "caution: stop it"): "false"}) is None  # its speaker may be what was missing
    late = Heard("develop", "a", "finding", "Earlier, the nurse: pulse 140.")
    assert late.verdict({("a", same("The nurse: pulse 140.")): "right"}) == "right"
    assert late.verdict({("a", same("The nurse: pulse 140.")): "misleading"}) is None


@pytest.mark.parametrize(("reader", "bad"), [("first", 13), ("second", 14)])
def test_what_is_spoken_with_readings_is_counted_as_it_was_judged(reader: str, bad: int) -> None:
    assert tally(as_judged("eighteenth", folder=READ), verdicts(READ, reader)) == Tally(269, 269, bad)


def test_a_share_has_its_interval() -> None:
    low, high = wilson(50, 100)
    assert (round(low, 3), round(high, 3)) == (0.404, 0.596)
    assert wilson(0, 0) == (0.0, 1.0)
    assert Share(50, 100).row() == "  50 of  100  0.50 [0.40, 0.60]"
    assert Share(0, 0).row() == "   0 of    0  0.00 [0.00, 1.00]"


def test_a_sentence_that_was_true_as_a_caution_is_true_without_that_label() -> None:
    said = Heard("develop", "a", "caution", "Doctor One: stop it.")
    assert said.verdict({("a", "caution, doctor one: stop it"): "right"}) == "right"
    assert said.verdict({("a", "caution, doctor one: stop it"): "misleading"}) is None


def test_each_judged_sentence_has_a_family_and_its_features() -> None:
    assert form_of("critical", "Critical: sodium 113.") == "alarm, name and value"
    assert form_of("caution", "Doctor One: stop it.") == "caution, quoted"
    found = rows()
    assert len(found) > 500
    assert {len(features(row)) for row in found[:20]} == {len(NAMES)}
