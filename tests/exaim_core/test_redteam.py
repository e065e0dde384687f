"""Corrupted and true sentences, by people who had not seen the checks: tests/gold/redteam*.yaml."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from exaim_core import EXAIM, Delta, Update
from exaim_core.schema import FIELD_LIMITS, AgentSummary, SpokenKind
from exaim_core.words.summarizer import Draft, LexicalSummarizer, SummaryRequest
from lab.yamlfile import read_yaml

FILES: Final = ("redteam.yaml", "redteam_second.yaml")
GOLD: Final[list[dict[str, Any]]] = [read_yaml(Path(__file__).parents[1] / "gold" / name) for name in FILES]
ROWS: Final[list[dict[str, Any]]] = [row for gold in GOLD for row in gold["rows"]]


class Writes:
    """A summariser that writes one sentence into every field, and has it spoken."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence

    async def summarise(self, request: SummaryRequest) -> Draft:
        draft = await LexicalSummarizer().summarise(request)
        own = [
            item.model_copy(update={"text": self._sentence, "kind": SpokenKind.FINDING})
            for item in draft.items[:1]
        ]
        summary = AgentSummary(**dict.fromkeys(FIELD_LIMITS, self._sentence))
        return replace(draft, summary=summary, items=(*draft.items, *own), engine="llm")


async def told(row: dict[str, Any], sentence: str) -> list[Update]:
    """Return what leaves the engine; of a row in which something is taken back, what leaves after that."""
    exaim = EXAIM(summarizer=Writes(sentence))
    updates: list[Update] = []
    for number, each in enumerate(row["segments"]):
        if row["corruption"] == "withdrawn":
            updates.clear()
        at_s = 10.0 * number
        updates += await exaim.feed(Delta(each["agent"], f"{each['text']}\n", 2 * number + 1, at_s))
        updates += await exaim.turn_end(each["agent"], 2 * number + 2, at_s + 1)
    return [*updates, *await exaim.finish(at_s + 9)]


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
async def test_a_sentence_with_one_thing_wrong_does_not_leave_though_a_model_writes_it(
    row: dict[str, Any],
) -> None:
    for update in await told(row, row["corrupted"]):
        fields = update.summary.model_dump()
        assert not any(row["corrupted"] in fields[name] for name in update.by_model)
        assert row["corrupted"] not in [item.text for item in update.items]
