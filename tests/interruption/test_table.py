from __future__ import annotations

import pytest

from realtime.interruption import classify_with_prosody
from tests.interruption.rows import Row, got, our_table


@pytest.mark.parametrize("row", our_table(), ids=lambda row: f"{row.text[:40]!r} ({row.about})")
def test_every_row_of_the_decision_table_gets_its_verdict(row: Row) -> None:
    verdict = classify_with_prosody(row.text, row.metadata, row.context)
    assert got(verdict) == row.want, verdict.why
