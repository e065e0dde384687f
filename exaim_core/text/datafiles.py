"""Read the package's data files."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter

Table = TypeVar("Table")


def data_text(name: str, package: str = "exaim_core") -> str:
    """Return the text of a file of a package's `data/`."""
    return resources.files(package).joinpath(f"data/{name}").read_text(encoding="utf-8")


@cache
def drug_names() -> frozenset[str]:
    """Return the generic names of `data/drug_names.txt`, in lower case."""
    lines = data_text("drug_names.txt").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def data_table(name: str, kind: type[Table]) -> Table:
    """Return a JSON file of `data/` as typed rows, read once. Raises: pydantic.ValidationError."""
    if name not in _READ:
        _READ[name] = TypeAdapter(kind).validate_json(data_text(name))
    found: Table = _READ[name]
    return found


_READ: Final[dict[str, Any]] = {}  # by name
