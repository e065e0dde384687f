"""What the agents call things: abbreviations that they explained, and which terms name one problem."""

from __future__ import annotations

import re

from exaim_core.text.wording import abbreviations, same_problem


class Glossary:
    """The abbreviations of one board, as the agents explained them."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self.version = 0  # grows whenever two terms may have become the same

    def learn(self, text: str) -> None:
        """Note the abbreviations that a sentence explains; the first explanation stays."""
        for short, name in abbreviations(text):
            if short not in self._names:
                self._names[short] = name
                self.version += 1

    def full_name(self, entity: str) -> str:
        """Return `entity` with its abbreviations written out, as far as the agents explained them."""
        if not self._names or not any(char.isupper() for char in entity):
            return entity
        return re.sub(r"[A-Z][\w-]+", lambda match: self._names.get(match.group(), match.group()), entity)

    def same(self, one: str, other: str) -> bool:
        """Return whether two terms name the same problem."""
        return same_problem(self.full_name(one), self.full_name(other))
