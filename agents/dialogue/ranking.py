"""Which kinds of fact answer which intent, the best first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agents.dialogue.facts import FactKind
from agents.dialogue.values import Intent


def _kinds(*names: str) -> tuple[FactKind, ...]:
    return tuple(FactKind(name.strip()) for line in names for name in line.split(","))


_OF_THE_PAPER: Final = "lab, observation, medicine, allergy, person, imaging, history, complaint, note"
FIRST: Final[Mapping[Intent, tuple[FactKind, ...]]] = {
    Intent.FACT: _kinds(
        _OF_THE_PAPER,
        "taken back, caution, action, finding, changed, lead, differential, remark, critical, test",
    ),
    Intent.HISTORY: _kinds("history, note, complaint, differential, medicine, remark, finding"),
    Intent.TREND: _kinds("finding, critical, lab, observation, imaging"),
    Intent.TIME: _kinds("finding, remark, caution, action", _OF_THE_PAPER),
    Intent.WHY: _kinds(
        "lead, changed, why changed, caution, action, ground, remark, differential, test, finding"
    ),
    Intent.CERTAINTY: _kinds("lead, ground, changed, differential, remark"),
    Intent.WHO: _kinds("lead, changed, taken back, caution, action, differential, test, finding, remark"),
    Intent.HOW_MUCH: _kinds("taken back, action, medicine, caution, remark, lab, observation, finding"),
    Intent.VIEW: _kinds(
        "lead, changed, taken back, ground, differential, caution, action, finding, remark, ruling"
    ),
    Intent.CHANGED: _kinds("changed, taken back, why changed, finding, remark"),
    Intent.FIRST: _kinds("first, critical, action, caution, test"),
    Intent.TESTS: _kinds("test, action, remark"),
    Intent.ACTIONS: _kinds("taken back, action, caution, remark, test"),
    Intent.CAUTIONS: _kinds("taken back, caution, allergy, action, remark, medicine"),
    Intent.OTHERS: _kinds("differential, changed, finding, remark, lead"),
    Intent.OPEN: _kinds("changed, lead, differential, open, remark"),
    Intent.CONDITION: _kinds("taken back, action, caution, remark, differential, test"),
    Intent.CRITICAL: _kinds("critical, finding, caution, action, lab"),
    Intent.DONE: _kinds("taken back, action, caution, test, remark"),
}
# Of a view that was asked about by name, the findings and the view come before what the paper's history says.
ON_A_VIEW: Final = _kinds("imaging, changed, finding, lead, differential, history, remark, ground")
