"""The published schemas are those of the code."""

from __future__ import annotations

import json

from realtime.schemas import schemas
from tests.conftest import ROOT


def test_published_schemas_are_those_of_the_code() -> None:
    folder = ROOT / "docs" / "schemas"
    published = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}
    assert published == schemas(), "run `python -m realtime.schemas docs/schemas`"
