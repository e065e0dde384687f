"""The engine on recorded reasoning, and the gate on its reference values."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from exaim_core import EXAIM, BoundaryRule, Delta, GateLimits, SpokenKind, Update
from exaim_core.grounding.grounding import Grounds, refusal
from exaim_core.lexicon.brevity import CLOSING_WORDS, MOST_WORDS
from exaim_core.schema import FIELD_LIMITS
from exaim_core.text.token_gate import Chunk, GateCore
from exaim_core.words.templates import MOST_QUOTED

CASES = Path(__file__).resolve().parents[2] / "cases"
pytestmark = pytest.mark.shared
Records = list[dict[str, Any]]


def records_of(path: Path) -> Records:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def content_of(records: Records) -> Iterator[dict[str, Any]]:
    """Give the records of the turns that hold content: no agent's name, no stop word, not blank."""
    names = {r["agent_id"].lower() for r in records if r["record_type"] == "turn_boundary"}
    names -= {"", "unknown", "null", "none"}
    texts: dict[int, str] = {}
    for record in records:
        if record["record_type"] == "stream_delta":
            texts[record["turn_id"]] = texts.get(record["turn_id"], "") + record["delta_text"]
    kept = {turn for turn, text in texts.items() if text.strip().lower() not in names | {"", "terminate"}}
    return (record for record in records if record.get("turn_id") in kept)


@dataclass(frozen=True)
class Played:
    name: str
    updates: tuple[Update, ...]
    fed: dict[str, list[int]]
    texts: dict[int, str]


async def play(path: Path) -> Played:
    records = list(content_of(records_of(path)))
    exaim, updates = EXAIM(), list[Update]()
    fed: dict[str, list[int]] = {}
    texts: dict[int, str] = {}
    at_s = 0.0
    for seq, record in enumerate(records, start=1):
        at_s = max(at_s, record["t_rel_ms"] / 1000)
        if record["record_type"] == "stream_delta":
            fed.setdefault(record["agent_id"], []).append(seq)
            texts[seq] = record["delta_text"]
            updates += await exaim.feed(Delta(record["agent_id"], record["delta_text"], seq, at_s))
        elif record["boundary"] == "end":
            updates += await exaim.turn_end(record["agent_id"], seq, at_s)
    updates += await exaim.finish(at_s + 1)
    return Played(path.name.split(".")[0], tuple(updates), fed, texts)


@pytest.fixture(scope="module")
def played() -> list[Played]:
    folder = CASES.parent.parent / "shared" / "traces"
    if not folder.is_dir():
        pytest.skip("the reference data folder beside the checkout is absent")
    return [asyncio.run(play(path)) for path in sorted(folder.glob("*.trace.jsonl.gz"))]


def test_each_trace_is_told_in_a_few_items_that_end_in_one_closing(played: list[Played]) -> None:
    assert len(played) == 28
    counts = []
    for case in played:
        items = [item for update in case.updates for item in update.items]
        assert [item.kind for item in items].count(SpokenKind.CLOSING) == 1, case.name
        assert items[-1].kind is SpokenKind.CLOSING
        assert items[-1].text.startswith("Finished. ")
        assert len({item.item_id for item in items}) == len(items)
        counts.append(len(items))
    assert 4 <= min(counts) and max(counts) <= 18
    assert 6 <= sum(counts) / len(counts) <= 14


def test_nothing_spoken_or_shown_holds_markup_machinery_or_a_courtesy(played: list[Played]) -> None:
    bad = re.compile(
        r"\*\*|###|```|\{|TERMINATE|\bthank|\bappreciate|further evaluation|\bdoctor\d|none identified|\[|placeholder",
        re.IGNORECASE,
    )
    for case in played:
        for update in case.updates:
            for text in [item.text for item in update.items] + list(update.summary.model_dump().values()):
                assert not bad.search(text), (case.name, text)


def test_every_item_keeps_its_bound_and_every_field_its_limit(played: list[Played]) -> None:
    for case in played:
        for update in case.updates:
            for item in update.items:
                own_words = MOST_QUOTED if ": " in item.text else MOST_WORDS
                most = CLOSING_WORDS if item.kind is SpokenKind.CLOSING else own_words
                assert len(item.text.split()) <= most
                assert item.text.endswith(".")
                assert item.cites
            for name, limit in FIELD_LIMITS.items():
                assert len(getattr(update.summary, name)) <= limit


def test_every_delta_is_covered_exactly_once(played: list[Played]) -> None:
    for case in played:
        for agent, seqs in case.fed.items():
            covers = [part for update in case.updates for part in update.covers if part.agent_id == agent]
            assert [seq for part in covers for seq in seqs if part.first_seq <= seq <= part.last_seq] == seqs


def test_an_item_cites_only_what_was_read_before_it(played: list[Played]) -> None:
    for case in played:
        read: dict[str, int] = {}
        for update in case.updates:
            for part in update.covers:
                read[part.agent_id] = max(read.get(part.agent_id, 0), part.last_seq)
            for item in update.items:
                assert all(cite.last_seq <= read[cite.agent_id] + 1 for cite in item.cites)


def test_every_number_spoken_stands_with_its_unit_in_what_is_cited(played: list[Played]) -> None:
    for case in played:
        for update in case.updates:
            for item in update.items:
                cited = "".join(
                    text
                    for cite in item.cites
                    for seq, text in case.texts.items()
                    if cite.first_seq <= seq <= cite.last_seq
                )
                for number in re.findall(r"\d+(?:\.\d+)?", item.text):
                    assert number in cited, (case.name, item.text)
    assert refusal("Potassium is 9.6 mmol/L.", Grounds(("Potassium is 6.9 mmol/L.",))) is not None


def test_no_alarm_is_raised_where_there_is_no_emergency(played: list[Played]) -> None:
    alarms = [i for case in played for u in case.updates for i in u.items if i.kind is SpokenKind.CRITICAL]
    assert len(alarms) == 0


# -- the gate's reference values -------------------------------------------------------------------


def seed_gate() -> GateCore:
    return GateCore(GateLimits(), BoundaryRule.SEED)


def flushes(records: Records, protocol: str) -> list[tuple[Chunk, int]]:
    """Run one of the reference protocols; each chunk with the virtual time of its release in ms."""
    gate, out, last_ms = seed_gate(), list[tuple[Chunk, int]](), 0

    def take(chunk: Chunk | None, at_ms: int) -> None:
        if chunk is not None:
            out.append((chunk, at_ms))

    order: list[str] = []
    for seq, record in enumerate(content_of(records)):
        last_ms = at_ms = record["t_rel_ms"]
        agent = record["agent_id"]
        if protocol == "live_timers":
            for chunk in gate.due(at_ms / 1000 + 1e-9):
                take(chunk, round(chunk.released_at_s * 1000))
        if record["record_type"] == "stream_delta":
            order += [agent] if agent not in order else []
            take(gate.add(agent, record["delta_text"], seq, at_ms / 1000), at_ms)
            if protocol == "turn_flush":
                take(gate.check(agent, at_ms / 1000), at_ms)
        elif record["boundary"] == "end" and protocol != "no_turn_flush":
            take(gate.flush(agent, "turn_end", at_ms / 1000), at_ms)
    for agent in order:
        take(gate.flush(agent, "end_of_trace", last_ms / 1000), last_ms)
    return out


@pytest.mark.parametrize("protocol", ["turn_flush", "no_turn_flush", "live_timers"])
def test_the_gate_with_the_seeds_rule_gives_the_reference_values(shared: Path, protocol: str) -> None:
    expected = json.loads((shared / "expected_replay_sample.json").read_text(encoding="utf-8"))["cases"]
    for case_id, values in expected.items():
        found = flushes(records_of(shared / "traces" / f"{case_id}.trace.jsonl.gz"), protocol)
        reference = values["gate"][protocol]
        assert len(found) == reference["flush_count"], case_id
        reasons: dict[str, int] = {}
        for chunk, _ in found:
            reasons[chunk.reason] = reasons.get(chunk.reason, 0) + 1
        assert reasons == reference["by_reason"]
        assert sum(len(chunk.text) for chunk, _ in found) == reference["total_chars"]
        texts = "\n".join(hashlib.sha256(chunk.text.encode()).hexdigest() for chunk, _ in found)
        assert f"sha256:{hashlib.sha256(texts.encode()).hexdigest()}" == reference["texts_digest"]
        lines = "\n".join(f"{c.agent_id}|{c.reason}|{at_ms}|{c.words}" for c, at_ms in found)
        assert f"sha256:{hashlib.sha256(lines.encode()).hexdigest()}" == reference["digest"]
