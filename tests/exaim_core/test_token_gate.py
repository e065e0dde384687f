from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from exaim_core import BoundaryRule, GateLimits, ManualClock, TokenGate
from exaim_core.text.boundaries import at_clinical_boundary, at_seed_boundary
from exaim_core.text.token_gate import GateCore

SMALL = GateLimits(min_words=3, max_words=6, silence_s=1.0, max_wait_s=4.0)


@pytest.mark.parametrize(
    ("tail", "seed", "clinical"),
    [
        ("The end.", True, True),
        ("The end. \t", True, True),
        ("Is it?", True, True),
        ("a line\n", True, True),
        ('He said "yes."', True, True),
        ("(done.)", True, True),
        ("no end", False, False),
        ("a tab\t", False, False),
        ("She said “yes.”", False, True),
        ("**Stop metformin.**", False, True),
        ("the patient’s own words.’", False, True),
        ("1.", True, False),
        ("text\n  12.", True, False),
        ("\n**2.", True, False),
        ("hyperthermia vs.", True, False),
        ("as Dr.", True, False),
        ("causes, e.g.", True, False),
        ("potassium is 6.", True, False),
        ("unchanged since 2021. ", True, True),
        ("last year it was 96 ms.", True, True),
        ("the answer is no.", True, True),
        ("type B. ", True, False),
    ],
)
def test_a_boundary_is_where_the_rule_says(tail: str, seed: bool, clinical: bool) -> None:
    assert at_seed_boundary(tail) is seed
    assert at_clinical_boundary(tail) is clinical


def test_a_boundary_releases_only_from_min_words_on() -> None:
    gate = GateCore(SMALL)
    assert gate.add("a", "Two words.", 1, 0.0) is None
    chunk = gate.add("a", " Now four.", 2, 0.1)
    assert chunk is not None
    assert (chunk.text, chunk.reason, chunk.words) == ("Two words. Now four.", "boundary_cue", 4)


def test_min_words_alone_release_nothing_and_max_words_release_at_once() -> None:
    gate = GateCore(SMALL)
    assert gate.add("a", "one two three four five", 1, 0.0) is None
    chunk = gate.add("a", " six", 2, 0.0)
    assert chunk is not None and chunk.reason == "max_words"


def test_a_word_in_two_pieces_counts_once() -> None:
    gate = GateCore(SMALL)
    for seq, piece in enumerate(["differ", "ential", " diagn", "osis", " of", " pain", " here"]):
        assert gate.add("a", piece, seq, 0.0) is None, "five words so far"
    assert gate.add("a", " now", 9, 0.0) is not None


def test_silence_is_seen_before_the_late_piece_is_added() -> None:
    gate = GateCore(SMALL)
    gate.add("a", "old", 1, 0.0)
    chunk = gate.add("a", "new", 2, 1.0)
    assert chunk is not None and (chunk.text, chunk.reason) == ("old", "silence_timer")
    left = gate.flush("a", "end", 1.0)
    assert left is not None and left.text == "new"


def test_max_wait_holds_for_every_chunk() -> None:
    gate = GateCore(SMALL)
    for start in (0.0, 10.0, 20.0):
        released = [gate.add("a", "x", int(start * 10 + n), start + n * 0.9) for n in range(6)]
        assert [chunk.reason for chunk in released if chunk] == ["max_wait_timeout"]
        gate.flush("a", "end", start + 5)


def test_when_both_timers_are_over_silence_wins() -> None:
    gate = GateCore(SMALL)
    gate.add("a", "x", 1, 0.0)
    chunk = gate.check("a", 9.0)
    assert chunk is not None and chunk.reason == "silence_timer"


def test_timers_fire_in_the_order_of_their_deadlines_and_each_at_its_own() -> None:
    gate = GateCore(SMALL)
    gate.add("late", "x", 1, 0.5)
    gate.add("early", "y", 2, 0.6)
    gate.add("late", "z", 3, 0.9)
    assert [(c.agent_id, round(c.released_at_s, 3)) for c in gate.due(5.0)] == [("early", 1.6), ("late", 1.9)]
    assert gate.due(9.0) == ()
    assert gate.next_due_s == float("inf")


def test_agents_never_mix() -> None:
    gate = GateCore(SMALL)
    gate.add("a", "one two", 1, 0.0)
    gate.add("b", "uno dos", 2, 0.1)
    assert gate.flush("a", "end", 0.2) is not None
    left = gate.flush("b", "end", 0.2)
    assert left is not None and left.text == "uno dos"
    assert gate.flush("b", "end", 0.2) is None
    assert gate.flush("nobody", "end", 0.2) is None


def test_a_critical_sentence_does_not_wait_for_min_words() -> None:
    gate = GateCore(GateLimits(), cue=lambda _agent, sentence: "arrest" in sentence)
    assert gate.add("a", "He is well.", 1, 0.0) is None
    chunk = gate.add("a", " Cardiac arrest now.", 2, 0.1)
    assert chunk is not None and chunk.reason == "critical_cue"


def test_limits_that_contradict_one_another_are_refused() -> None:
    with pytest.raises(ValueError, match="min_words"):
        GateLimits(min_words=10, max_words=5)
    with pytest.raises(ValueError, match="timers"):
        GateLimits(silence_s=0)


PIECES = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c"]),
        st.text(alphabet="ab .?!\n\t)”*1", max_size=12),
        st.floats(0, 1.5, allow_nan=False),
    ),
    max_size=60,
)


@settings(max_examples=150, deadline=None)
@given(pieces=PIECES, rule=st.sampled_from(BoundaryRule), live=st.booleans())
def test_no_character_is_lost_or_doubled(
    pieces: list[tuple[str, str, float]], rule: BoundaryRule, live: bool
) -> None:
    gate, now_s = GateCore(SMALL, rule), 0.0
    fed: dict[str, str] = {}
    out: dict[str, str] = {}
    seqs: list[int] = []
    for seq, (agent, text, wait_s) in enumerate(pieces):
        now_s += wait_s
        released = list(gate.due(now_s)) if live else []
        if (chunk := gate.add(agent, text, seq, now_s)) is not None:
            released.append(chunk)
        fed[agent] = fed.get(agent, "") + text
        for chunk in released:
            out[chunk.agent_id] = out.get(chunk.agent_id, "") + chunk.text
            assert sum(piece.chars for piece in chunk.pieces) == len(chunk.text)
            seqs += [piece.seq for piece in chunk.pieces]
    for agent in gate.agents:
        last = gate.flush(agent, "end", now_s)
        assert last is not None
        out[agent] = out.get(agent, "") + last.text
        seqs += [piece.seq for piece in last.pieces]
    assert {agent: text for agent, text in out.items() if text} == {a: t for a, t in fed.items() if t}
    assert sorted(seqs) == list(range(len(pieces)))


async def test_the_gate_with_a_clock_speaks_the_core_documents_names() -> None:
    clock = ManualClock()
    gate = TokenGate(min_words=2, max_words=5, clock=clock)
    assert await gate.add_token("a", "Half") is None
    assert await gate.check_timers("a") is None
    clock.advance(1.0)
    assert await gate.check_timers("a") == "Half"
    assert gate.get_last_flush_reason("a") == "silence_timer"
    assert gate.get_last_flush_time("a") == clock.now()
    assert gate.get_last_flush_reason("b") is None
    await gate.add_token("a", "more")
    assert await gate.flush("a") == "more"
    assert await gate.flush("a") is None
