"""The gold corpora are whole and agree with themselves and with the case. They judge no code here."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tests.gold.corpus import Expected, questions, turns

CASES = Path(__file__).parents[2] / "cases"
KINDS = {"ACKNOWLEDGMENT", "CANCEL", "NEW_INPUT", "IGNORE"}
EFFECTS = {
    "GO_ON", "QUIET", "WAIT", "SKIP", "RESUME", "REPEAT", "ANSWER", "ACKNOWLEDGE", "ASK", "NOT_ACTED_ON",
    "REFUSE_ORDER", "WRONG_CASE",
}  # fmt: skip
OF_OTHER_TABLES = {"WRONG_CASE"}  # effects whose held-out rows are in whole_commands*.yaml
MODES = {"FREE", "QUIET", "WAITING", "NOISY"}
CONTEXT = {
    "speaking", "mode", "asked", "asked_anything", "critical_told", "unsure_before_s", "said", "case_words",
}  # fmt: skip
ASKED_KINDS = {"fact", "why", "who", "how_much", "view", "test", "action", "nothing", "order"}
OF_ONE_KIND = {  # effects that only one kind can have
    "QUIET": "CANCEL", "SKIP": "CANCEL", "ACKNOWLEDGE": "ACKNOWLEDGMENT", "REPEAT": "NEW_INPUT", "WRONG_CASE": "CANCEL",
    "ANSWER": "NEW_INPUT", "NOT_ACTED_ON": "NEW_INPUT", "REFUSE_ORDER": "NEW_INPUT",
}  # fmt: skip


def test_no_two_sets_have_a_discussion_or_questions_of_one_name() -> None:
    """Questions are asked of the discussion of their name, in whichever set it is."""
    for folder, ending in (("discussions", "jsonl"), ("questions", "yaml")):
        names = [path.name for path in (Path(__file__).parent / folder).glob(f"*/*.{ending}")]
        assert names and len(set(names)) == len(names)


def test_every_turn_names_a_kind_an_effect_and_a_context_of_the_closed_lists() -> None:
    for turn in turns():
        assert {kind for kind, _ in turn.right} <= KINDS, turn.id
        assert {effect for _, effect in turn.right} <= EFFECTS, turn.id
        assert turn.context.keys() == CONTEXT and turn.context["mode"] in MODES, turn.id
        assert turn.context["asked"] in {None, "STOP_OR_GO_ON", "READY"}, turn.id


def test_what_is_right_first_pairs_each_effect_with_its_own_kind() -> None:
    for turn in turns():
        assert OF_ONE_KIND.get(turn.effect, turn.kind) == turn.kind, turn.id


def test_there_are_enough_turns_and_every_effect_is_among_them_held_out_or_not() -> None:
    rows = turns()
    assert len(rows) >= 220 and len({turn.id for turn in rows}) == len(rows)
    assert {turn.effect for turn in rows} == EFFECTS
    assert {turn.effect for turn in rows if turn.held_out} == EFFECTS - OF_OTHER_TABLES


def test_every_third_turn_and_no_other_is_held_out() -> None:
    assert [turn.held_out for turn in turns()] == [n % 3 == 0 for n in range(1, len(turns()) + 1)]


def test_no_turn_contradicts_another() -> None:
    right: dict[str, set[tuple[str, str]]] = {}
    for turn in turns():
        heard = turn.text.lower().strip(" .,?!")
        short = 0 if turn.duration_ms < 800 else 1
        key = json.dumps([heard, short, turn.word, turn.word_confidence, turn.context], sort_keys=True)
        right[key] = right.get(key, set(turn.right)) & turn.right
        assert right[key], turn.id


def test_a_vote_is_given_for_short_turns_alone_and_is_plainly_strong_or_plainly_weak() -> None:
    for turn in turns():
        assert (turn.word is None) == (turn.word_confidence == 0.0), turn.id
        assert turn.word is None or turn.duration_ms <= 1500, turn.id
        assert turn.word_confidence <= 0.4 or turn.word_confidence >= 0.85, turn.id


def test_there_are_enough_questions_of_every_kind_and_enough_are_held_out() -> None:
    rows = questions()
    assert len(rows) >= 60 and len({row.id for row in rows}) == len(rows)
    assert sum(row.held_out for row in rows) >= 12
    assert {row.expected.kind for row in rows} == ASKED_KINDS
    for row in rows:
        assert set(row.expected.kind_also_right) <= ASKED_KINDS, row.id
        assert row.expected.source in {"paper", "agents", "both", "none"}, row.id


def test_all_terms_are_lower_case_and_no_term_is_wanted_and_forbidden_at_once() -> None:
    for row in questions():
        wanted = [term for entry in row.expected.must_terms for term in entry]
        terms = (*wanted, *row.expected.must_not_terms, *row.expected.topic_terms)
        assert all(term and term == term.lower() for term in terms), row.id
        for entry in row.expected.must_terms:
            left = [term for term in entry if not any(bad in term for bad in row.expected.must_not_terms)]
            assert left, row.id


def test_every_fact_that_is_expected_stands_in_the_case() -> None:
    paper, said = _paper(), _said_until(1e9)
    for row in questions():
        if row.expected.kind not in {"fact", "how_much"} or "how many" in row.text.lower():
            continue  # a count is made, not read
        where = {"paper": paper, "agents": said, "both": paper + said}[row.expected.source].lower()
        for entry in row.expected.must_terms:
            assert any(term in where for term in entry), (row.id, entry)


def test_what_an_item_held_says_was_said_before_it_was_asked_about() -> None:
    marks = {
        "0003.1": "15 mL of urine",
        "0005.1": "co-amoxiclav",
        "0010.1": "30 mL intravenously",
        "0010.3": "Hold bisoprolol",
        "0012.1": "25 g glucose",
        "0014.2": "pulmonary oedema",
        "0015.2": "unchanged since 2021",
        "0018.1": "14 mL/min",
        "0019.1": "below an eGFR of 30",
    }
    for row in questions():
        if row.focus is not None:
            assert marks[row.focus["item_id"]] in _said_until(row.asked_at_s - 2.5), row.id


def test_an_answer_is_judged_by_what_it_lacks_and_by_what_it_must_not_hold() -> None:
    expected = Expected(
        kind="fact",
        must_terms=(("6.9", "six point nine"), ("mmol",)),
        must_not_terms=("6.1",),
        source="paper",
    )
    assert expected.faults("Potassium is 6.9 mmol/L.") == ()
    assert expected.faults("Six point nine; it was 6.1.") == ("lacks mmol", "holds 6.1")


def _paper() -> str:
    document = json.loads((CASES / "case-hyperkalaemia-aki.paper.json").read_text(encoding="utf-8"))
    entries = [
        " ".join(str(part) for part in entry.values()) if isinstance(entry, dict) else str(entry)
        for value in document.values()
        for entry in (value if isinstance(value, list) else [value])
    ]
    return "\n".join(entries)


def _said_until(time_s: float) -> str:
    pieces: list[str] = []
    with gzip.open(CASES / "case-hyperkalaemia-aki.trace.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record["record_type"] == "stream_delta" and record["t_rel_ms"] <= time_s * 1000:
                pieces.append(record["delta_text"])
    return "".join(pieces)
