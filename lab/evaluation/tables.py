"""How figures are kept and shown: tables of text, each figure beside its aim. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

FIGURES: Final = ("figure", "ours", "aim", "met")


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its title; `rows` are as they are shown."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """Return the table with its title as a heading."""
        lines = [self.head, ("---",) * len(self.head), *self.rows]
        return "\n".join([f"### {self.title}", "", *(f"| {' | '.join(line)} |" for line in lines)])


@dataclass(frozen=True, slots=True)
class Topic:
    """One part of the evaluation: its tables, whether its aims are met, and what the tables are made of."""

    name: str
    tables: tuple[Table, ...]
    met: bool
    detail: Any


_KEYS: Final = frozenset(field.name for field in fields(Topic))


def judged(name: str, value: str, aim: str = "", met: bool | None = None) -> tuple[str, ...]:
    """Return a row of `FIGURES`; `met` None: the figure stands for itself."""
    return name, value, aim, "" if met is None else "yes" if met else "**no**"


def all_met(rows: Iterable[Sequence[str]]) -> bool:
    """Return whether no row of figures says that its aim was missed."""
    return not any("**no**" in row for row in rows)


def share(part: float, whole: float) -> str:
    """Return how many of how many, and the share."""
    return f"{part:g} of {whole:g} ({_percent(part / whole)})" if whole else "none"


def _percent(of: float) -> str:
    return f"{of:.0%}" if of >= 0.01 or not of else f"{of:.2%}"


def write(folder: Path, topic: Topic) -> None:
    """Write one topic to `folder/<name>.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(asdict(topic), indent=1, ensure_ascii=False)
    (folder / f"{topic.name}.json").write_text(text + "\n", encoding="utf-8")


def read(folder: Path) -> list[Topic]:
    """Return every topic of a folder, by name; JSON of other things is left alone. Raises: ValueError: no JSON."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    made = [each for each in found if isinstance(each, dict) and each.keys() >= _KEYS]
    return [
        Topic(
            each["name"],
            tuple(Table(t["title"], tuple(t["head"]), tuple(map(tuple, t["rows"]))) for t in each["tables"]),
            each["met"],
            each["detail"],
        )
        for each in made
    ]


def markdown(topics: Sequence[Topic]) -> str:
    """Return all tables as Markdown."""
    return "\n\n".join(table.markdown() for topic in topics for table in topic.tables)
