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


def data_lines(name: str) -> tuple[str, ...]:
    """Return the lines of a list in `data/`, without its remarks."""
    return tuple(line for line in data_text(name).splitlines() if line and not line.startswith("#"))


@cache
def drug_names() -> frozenset[str]:
    """Return the generic names of `data/drug_names.txt`, in lower case."""
    return frozenset(data_lines("drug_names.txt"))


def data_table(name: str, kind: type[Table]) -> Table:
    """Return a JSON file of `data/` as typed rows, read once. Raises: pydantic.ValidationError."""
    if name not in _READ:
        _READ[name] = TypeAdapter(kind).validate_json(data_text(name))
    found: Table = _READ[name]
    return found


_READ: Final[dict[str, Any]] = {}  # by name
