"""The result of a call, in the form that a checkpoint keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from agents.stream import LLMMetadata
from agents.teams.budgets import Cost
from agents.teams.mdagents.ledger import Spent
from agents.teams.reasons import BudgetSpent
from chat_models.errors import CallFailed, Unparsable


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """An answer, or in one word why there is none (`CallFailed.reason`), and what the call took.

    `text`: what was answered where it has not the shape. `elapsed_s`: how much of the case's time was spent then.
    """

    answer: Mapping[str, Any] | None
    failed: str
    text: str
    spent: Spent
    costs: tuple[Cost, ...]
    llm: LLMMetadata
    elapsed_s: float

    def error(self) -> CallFailed | None:
        """Return what is to be raised: of the same kind and reason as when it was made."""
        match self.failed:
            case "":
                return None
            case BudgetSpent.reason:
                return BudgetSpent()
            case Unparsable.reason:
                return Unparsable(answer=self.text)
        failed = CallFailed(self.failed)
        failed.reason = self.failed
        return failed

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "answer": self.answer,
            "failed": self.failed,
            "text": self.text,
            "spent": self.spent.to_json(),
            "costs": [asdict(each) for each in self.costs],
            "llm": self.llm.model_dump(mode="json", exclude_none=True),
            "elapsed_s": self.elapsed_s,
        }


def read_brought(kept: Mapping[str, Any] | None) -> Brought | None:
    """Read what `to_json` wrote; None: nothing was kept."""
    if kept is None:
        return None
    return Brought(
        answer=kept["answer"],
        failed=kept["failed"],
        text=kept["text"],
        spent=Spent.from_json(kept["spent"]),
        costs=tuple(Cost(**each) for each in kept["costs"]),
        llm=LLMMetadata.model_validate(kept["llm"]),
        elapsed_s=kept["elapsed_s"],
    )
