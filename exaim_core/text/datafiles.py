"""The package's data files."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TypeVar

from pydantic import TypeAdapter

Table = TypeVar("Table")


def data_text(name: str) -> str:
    """Return the text of a file of `data/`."""
    return resources.files("exaim_core").joinpath(f"data/{name}").read_text(encoding="utf-8")


@cache
def data_table(name: str, kind: type[Table]) -> Table:
    """Return a JSON file of `data/` as typed rows, read once. Raises: pydantic.ValidationError."""
    return TypeAdapter(kind).validate_json(data_text(name))
