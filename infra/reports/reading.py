"""Reads a stored report again."""

from __future__ import annotations

import json

from pydantic import ValidationError

from infra.errors import CorruptSession
from infra.reports.model import Report
from infra.store import readable


def read_report(text: str) -> Report:
    """Return a stored report. Raises: NewerSchema, CorruptSession, which quotes nothing of it."""
    try:
        found = json.loads(text)
        if isinstance(found, dict) and isinstance(found.get("v"), int):
            readable("a report", found["v"], 1)
        return Report.model_validate(found)
    except ValidationError as error:
        kinds = ", ".join(sorted({each["type"] for each in error.errors()}))
        raise CorruptSession("a report", kinds) from None
    except (ValueError, RecursionError):
        raise CorruptSession("a report", "no JSON") from None
