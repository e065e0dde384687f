"""What is told rests on words that were written, and these hold what it is about: on every discussion at hand.

The sealed discussions are not played.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.recorded.trace import load_trace
from exaim_core import EXAIM, Delta, Span, SpokenKind, Update
from exaim_core.text.cleaning import fold
from exaim_core.text.marks import plain
from exaim_core.words.evidence import MOST_SPANS, Reason
from lab.evaluation.discussions import read, trace
from lab.evaluation.engine import run
from tests.conftest import ROOT

HERE = ROOT / "tests" / "gold" / "discussions"
FILES = sorted(path for split in ("tune", "develop") for path in (HERE / split).glob("*.jsonl"))
SHARED = sorted((ROOT.parent / "shared" / "traces").glob("*.trace.jsonl.gz"))[::7]
OUR_OWN = frozenset(
    # what the sentences themselves add to the agents' words
    "doctor supervisor caution critical repeat from leads with asks adds wants recommends sides changed also lead "
    "agree agrees agreement order orders case file says check finished first view still open holds both their than "
    "between settled decision consensus the and for not concurs confirmed likely less said thinks another gives stop "
    "avoid agents allergic record contraindicated because which that this".split()
)
_WORD = re.compile(r"[a-z]{4,}")


@dataclass(frozen=True)
class Played:
    name: str
    updates: tuple[Update, ...]
    texts: dict[str, str]

    def words(self, evidence: Iterable[Span]) -> str:
        return " … ".join(self.texts[span.agent_id][span.start : span.end] for span in evidence)


def play(path: Path) -> Played:
    whole = load_trace(path) if path.name.endswith(".gz") else trace(read(path))
    texts: dict[str, str] = defaultdict(str)
    for record in whole.content_records:
        texts[record.agent_id] += getattr(record, "text", "")
    updates = tuple(update for _, update in asyncio.run(run(whole)).updates)
    return Played(path.name, updates, dict(texts))


@pytest.fixture(scope="module")
def played() -> Sequence[Played]:
    return [play(path) for path in (*FILES, *SHARED)]


def said_words(text: str) -> set[str]:
    return set(_WORD.findall(fold(text).lower()))


def test_each_place_is_one_in_what_that_agent_wrote_and_there_are_few(played: Sequence[Played]) -> None:
    for case in played:
        for update in case.updates:
            found = [item.evidence for item in update.items]
            for evidence in [*found, *(each.evidence for each in update.sentences)]:
                assert len(evidence) <= MOST_SPANS
                for span in evidence:
                    assert 0 <= span.start < span.end <= len(case.texts[span.agent_id])
                    words = case.texts[span.agent_id][span.start : span.end]
                    assert words == words.strip()


def test_each_item_has_evidence_but_a_closing_that_found_no_decision(played: Sequence[Played]) -> None:
    for case in played:
        for update in case.updates:
            for item in update.items:
                assert item.evidence or (item.kind is SpokenKind.CLOSING and "could not be read" in item.text)
                assert {span.agent_id for span in item.evidence} <= case.texts.keys()


def test_each_field_sentence_has_evidence_unless_nothing_is_told(played: Sequence[Played]) -> None:
    for case in played:
        for update in case.updates:
            for field, text in update.summary:
                bare = list(text)
                for each in update.sentences:
                    if each.field == field:
                        bare[each.start : each.end] = " " * (each.end - each.start)
                assert "".join(bare).strip() in {"", "None yet.", "None new."}, (case.name, text)


def share(case: Played, text: str, evidence: Sequence[Span]) -> float:
    words = said_words(text) - OUR_OWN
    names = said_words(" ".join(case.texts))
    there = said_words(plain(case.words(evidence))) | said_words(case.words(evidence)) | names
    return len(words & there) / len(words) if words else 1.0


def test_the_words_hold_what_the_sentence_is_about(played: Sequence[Played]) -> None:
    """Nearly all: a value's full name stands for the agent's short one, and an alarm names what the words mean."""
    told = set[tuple[str, str]]()
    found = set[tuple[str, str]]()
    for case in played:
        for update in case.updates:
            sentences = [
                (item.text, item.evidence) for item in update.items if item.kind is not SpokenKind.CLOSING
            ]
            sentences += [
                (getattr(update.summary, each.field)[each.start : each.end], each.evidence)
                for each in update.sentences
            ]
            told |= {(case.name, text) for text, _ in sentences}
            found |= {(case.name, text) for text, places in sentences if share(case, text, places) >= 0.5}
    assert len(told) > 400
    assert len(found) / len(told) >= 0.95


def test_numbers_that_are_told_stand_in_the_words(played: Sequence[Played]) -> None:
    """But for what is computed or written in words: a count, "seven point nine", a value of the case file."""
    told = missing = 0
    for case in played:
        for update in case.updates:
            for item in update.items:
                if item.kind is SpokenKind.CLOSING:
                    continue
                for number in re.findall(r"\d+(?:[.,]\d+)*", item.text):
                    told += 1
                    missing += number not in plain(fold(case.words(item.evidence)))
    assert told > 100
    assert missing / told <= 0.05


def test_what_is_left_out_is_counted_by_reasons_that_are_known(played: Sequence[Played]) -> None:
    reasons = {reason.value for reason in Reason}
    for case in played:
        found = [each for update in case.updates for each in update.left_out]
        assert {each.reason for each in found} <= reasons
        assert all(each.count > 0 for each in found)


async def _told(*said: str) -> tuple[Update, ...]:
    exaim, updates = EXAIM(), list[Update]()
    for seq, text in enumerate(said):
        updates += await exaim.feed(Delta("doctor0", text, seq, seq * 0.1))
    return (*updates, *(await exaim.finish(10.0)))


def test_what_is_not_told_is_counted_by_why() -> None:
    updates = asyncio.run(
        _told(
            "Thank you all. ",
            "<think>Perhaps it is lupus.</think>",
            "Could it be lupus? ",
            "His mother had a potassium of 7.4. ",
            "The weather over the harbour was splendid all week.\n",
        )
    )
    counts: dict[str, int] = defaultdict(int)
    for update in updates:
        for each in update.left_out:
            counts[each.reason] += each.count
    assert counts == {"courtesy": 1, "thinking": 1, "question": 1, "of somebody else": 1, "unread": 1}


def test_places_count_what_the_agent_wrote_and_not_what_was_made_of_it() -> None:
    """Thinking, zero-width blanks and exponents before it shift nothing."""
    written = "<think>hm</think>There are 10⁹\u200b reasons. **Potassium is 6.9 mmol/L.**\n"
    updates = asyncio.run(_told(written[:20], written[20:50], written[50:]))
    [alarm] = [item for update in updates for item in update.items if item.kind is SpokenKind.CRITICAL]
    assert [written[span.start : span.end] for span in alarm.evidence] == ["**Potassium is 6.9 mmol/L.**"]


async def _two_turns(first: str, second: str) -> tuple[Update, ...]:
    exaim = EXAIM()
    updates = [*(await exaim.feed(Delta("doctor0", first, 0, 0.0))), *(await exaim.tick(9.0))]
    updates += await exaim.turn_end("doctor0", 1, 9.5)
    updates += await exaim.feed(Delta("doctor0", second, 2, 10.0))
    return (*updates, *(await exaim.finish(20.0)))


def test_a_tag_that_was_begun_when_a_turn_ended_shifts_no_place_of_the_next() -> None:
    first, second = "The ward is quiet tonight. <thi", "The potassium is 6.9 mmol/L.\n"
    updates = asyncio.run(_two_turns(first, second))
    [alarm] = [item for update in updates for item in update.items if item.kind is SpokenKind.CRITICAL]
    assert [(first + second)[span.start : span.end] for span in alarm.evidence] == [second.strip()]
