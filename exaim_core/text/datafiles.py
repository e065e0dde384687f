"""The package's data files."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def data_text(name: str) -> str:
    """Return the text of a file of `data/`."""
    return resources.files("exaim_core").joinpath(f"data/{name}").read_text(encoding="utf-8")


def data_json(name: str) -> Any:
    """Return what a JSON file of `data/` holds."""
    return json.loads(data_text(name))
