"""Order the experts in a tree under the moderator.

"Pediatrician > Cardiologist" puts the cardiologist under the pediatrician, "A > B > C" is a chain, "A == B" are
equals: the second hangs where the first does. Whoever is named nowhere, or independent, is the moderator's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

ROOT: Final = "moderator"
_CHAINS: Final = re.compile(r"[;\n]|,(?=[^,]*(?:>|==))")
_INDEPENDENT: Final = re.compile(r"\W*(?:independent|none|no hierarchy)?\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A tree: `above` names each expert's superior, in order. `warnings`: what was left out, and why."""

    above: Mapping[str, str]
    warnings: tuple[str, ...] = ()

    def below(self, name: str) -> tuple[str, ...]:
        """Return who stands directly under `name`."""
        return tuple(each for each, superior in self.above.items() if superior == name)

    def as_text(self) -> str:
        """Return the tree, indented."""
        return "\n".join(self._lines(ROOT, 0))

    def as_line(self) -> str:
        """Return the tree in one line, one path per leaf: "cardiologist; nephrologist > pharmacist"."""
        ends = (name for name in self.above if not self.below(name))
        return "; ".join(" > ".join(self._path(name)) for name in ends)

    def as_json(self, name: str = ROOT) -> dict[str, Any]:
        """Return the tree as `{name, below}`."""
        return {"name": name, "below": [self.as_json(each) for each in self.below(name)]}

    def place(self, name: str) -> str:
        """Return an expert's place in a sentence; empty if it is the moderator's own and leads nobody."""
        superior, under = self.above.get(name, ROOT), self.below(name)
        parts = [] if superior == ROOT else [f"You report to the {superior}."]
        return " ".join([*parts, *(f"The {each} reports to you." for each in under)])

    def _path(self, name: str) -> list[str]:
        superior = self.above.get(name, ROOT)
        return [name] if superior == ROOT else [*self._path(superior), name]

    def _lines(self, name: str, depth: int) -> list[str]:
        lines = [f"{'  ' * depth}{name}"]
        for each in self.below(name):
            lines += self._lines(each, depth + 1)
        return lines


def built(experts: Sequence[tuple[str, str]]) -> Hierarchy:
    """Return the tree of `experts`, each a name and what its recruiter wrote of its place.

    An unknown name is passed over, so that whoever was under it is the moderator's; a link that would close a
    cycle is refused. Both are warned of.
    """
    names = [name for name, _ in experts]
    above: dict[str, str] = dict.fromkeys(names, ROOT)
    warnings: list[str] = []
    for name, written in experts:
        if _INDEPENDENT.fullmatch(written):
            continue
        for chain in _CHAINS.split(written):
            _link(chain, name, names, above, warnings)
    return Hierarchy(above, tuple(dict.fromkeys(warnings)))


def _link(chain: str, of: str, names: Sequence[str], above: dict[str, str], warnings: list[str]) -> None:
    superior: str | None = None
    for level in chain.split(">"):
        known: str | None = None
        for equal in level.split("=="):
            name = _known(equal, names)
            if name is None:
                if equal.strip():
                    warnings.append(f"the place of the {of} names somebody who is not in the team")
                continue
            if superior is not None:
                _put(name, superior, above, warnings)
            elif known is not None:
                _put(name, above[known], above, warnings)
            known = known or name
        superior = known


def _put(name: str, superior: str, above: dict[str, str], warnings: list[str]) -> None:
    at: str | None = superior
    while at is not None and at != ROOT:
        if at == name:
            warnings.append(f"a cycle was refused: {name} under {superior}")
            return
        at = above.get(at)
    above[name] = superior


def _known(written: str, names: Sequence[str]) -> str | None:
    wanted = _key(written)
    return next((name for name in names if _key(name) == wanted), None)


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.casefold()).strip()
