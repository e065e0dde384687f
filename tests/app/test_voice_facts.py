"""What the voice of a session is told of it, by its record."""

from __future__ import annotations

import pytest

from app.voice import facts_of
from exaim_core import CasePaper
from infra.sessions import SessionRecord
from infra.settings import Settings


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize(("paper", "has_paper"), [(None, False), (CasePaper(case_id="c"), True)])
def test_the_voice_knows_whether_there_is_a_case_paper(
    paper: CasePaper | None, has_paper: bool, live: bool
) -> None:
    record = SessionRecord(
        session_id="s-1",
        thread_id="t-1",
        case_id="c",
        room="r",
        secret_sha256="x",
        created_at_ms=0,
        team_sha256="y" if live else None,
    )
    facts = facts_of(Settings(), record, 3, paper)
    assert (facts.has_paper, facts.live, facts.epoch, facts.title) == (has_paper, live, 3, "c")


def test_the_voice_knows_whose_case_it_is_and_whether_the_patient_is_invented() -> None:
    record = SessionRecord(
        session_id="s-1",
        thread_id="t-1",
        case_id="c",
        room="r",
        secret_sha256="x",
        created_at_ms=0,
        title="Pain.",
    )
    paper = CasePaper(case_id="c", age=58, sex="male", fictional=True)
    assert (
        facts_of(Settings(), record, 1, paper).which_case.sentences
        == "Recorded, simulated case: man, 58. Pain."
    )
    assert facts_of(Settings(), record, 1, None).which_case.sentences == "Recorded case. Pain."
