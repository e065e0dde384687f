"""What a team may state beside its words, as it comes over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from exaim_live.events import SentEvent

FINAL = {"kind": "final", "text": "lupus", "restsOn": "It is lupus"}


def sent(**fields: Any) -> SentEvent:
    return SentEvent.model_validate({"type": "METADATA", "seq": 0, **fields})


def test_a_decision_a_step_and_an_aborted_turn_are_taken_as_documented() -> None:
    assert sent(agentId="moderator", decision=FINAL).decision is not None
    assert sent(progress={"kind": "round"}, round=2).round == 2
    assert sent(agentId="moderator", mark="TURN_ABORTED").mark == "TURN_ABORTED"


@pytest.mark.parametrize("wrong", [{"decision": FINAL}, {"mark": "TURN_ABORTED"}])
def test_what_belongs_to_an_agents_turn_needs_the_agent(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="agentId"):
        sent(**wrong)


def test_a_decision_names_its_words() -> None:
    with pytest.raises(ValidationError):
        sent(agentId="moderator", decision={"kind": "final", "text": "lupus"})
