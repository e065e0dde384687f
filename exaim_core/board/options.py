"""Remember which option a letter stands for: after "Final answer: (C) Pulmonary embolism." a "(C)." alone is that one.

An option is known once an agent has answered with its letter and its words. If two agents give one letter different
words, it stands for nothing; a moderator's next question forgets all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core.lexicon.options import lettered
from exaim_core.text.names import is_moderator
from exaim_core.text.places import Source
from exaim_core.text.units import Sentence
from exaim_core.text.wording import key_words

_NONE: Final = ""
_NEW_QUESTION: Final = re.compile(r"\b(?:question|case|q) ?\d|\bnext (?:question|case)\b", re.IGNORECASE)


@dataclass(slots=True)
class Options:
    """The options of one discussion that agents answered with, by their letters."""

    _words: dict[str, tuple[str, Source]] = field(default_factory=dict)

    def named(self, unit: Sentence) -> Sentence:
        """Return `unit` with the words of the option that it names by its letter alone; note what it defines."""
        if is_moderator(unit.source.agent_id) and _NEW_QUESTION.search(unit.full):
            self._words.clear()  # its letters stand for something else
        if unit.row or unit.keyed or unit.item or (found := lettered(unit.text)) is None:
            return unit
        letter, words = found
        known, source = self._words.get(letter, (words, unit.source))
        if words:
            said, old = set(key_words(words)), set(key_words(known))
            alike = known != _NONE and (said <= old or old <= said)
            self._words[letter] = (known if alike else _NONE, source)
            return unit
        if not known:
            return unit
        before = unit.text.rstrip(" .*)]")[:-1].rstrip("([ ")
        made = replace(unit.source, labels=(*unit.source.labels, source))
        return replace(unit, text=f"{before} ({letter}) {known}.", source=made)
