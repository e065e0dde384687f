"""The report on phrasings as they are said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.ears.texts import effects, report, said_in


def test_a_list_of_an_authors_phrasings_is_scored_by_intent(tmp_path: Path) -> None:
    rows = [
        {"text": "stop", "intent": "stop"},
        {"text": "turn it down a touch", "intent": "softer"},
        {"text": "louder", "intent": "talk"},
    ]
    path = tmp_path / "phrasings.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    said = said_in(str(path))
    lines = list(report(said, effects(said)))
    assert any("| all | 66.7" in line for line in lines)
    assert any("that steer: 100.0" in line for line in lines)
    assert lines[-1] == "  talk: 'louder' → new_input/louder"


def test_what_is_no_list_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "phrasings.json"
    path.write_text('[{"text": "stop", "intent": "unheard of"}]', encoding="utf-8")
    with pytest.raises(KeyError):
        said_in(str(path))


def test_parts_of_the_matrix_are_known_by_name() -> None:
    assert len(said_in("sealed_third")) == 130
