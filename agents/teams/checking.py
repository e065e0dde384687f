"""Check a case's length for a team. Loads no graph and no model."""

from __future__ import annotations

from typing import Final

from agents.teams.errors import CaseEmpty, CaseTooLong
from agents.teams.port import Case

CASE_CHARS: Final = 40_000  # some 10,000 tokens, which go along with every question


def checked(case: Case) -> Case:
    """Return the case. Raises: CaseEmpty, CaseTooLong."""
    if not case.text.strip():
        raise CaseEmpty
    if len(case.text) > CASE_CHARS:
        raise CaseTooLong(len(case.text), CASE_CHARS)
    return case
