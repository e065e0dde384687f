"""Know when to ask the clinician to say something again: its text came too late, and is never acted on. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SAY_AGAIN: Final = "I didn't catch that. Say it again."
ASK_AGAIN: Final = "I lost your last question. Ask it again."
MISSED: Final = "I may have missed what you said. Say it again."
ASK_AGAIN_S: Final = 30.0
SAY_AGAIN_S: Final = 8.0  # later nobody knows any more what was meant


@dataclass(slots=True)
class Unheard:
    """Whether we asked since words were last heard: it is asked once."""

    _asked: bool = False

    def asks(self, *, failed: bool, words: bool, may: bool) -> bool:
        """Return whether to ask after a turn that `failed`, or had `words`; `may`: something can be said now."""
        ask = failed and may and not self._asked
        self._asked = (self._asked or ask) and not words
        return ask
