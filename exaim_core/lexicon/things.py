"""Name each thing in a sentence that is given, measured or done in one form."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.lexicon.kinds import names_measure, names_test

_WORD: Final = re.compile(r"\w[\w-]*")


@lru_cache(maxsize=2048)
def things(text: str) -> frozenset[str]:
    """Return the drugs, tests and measures that `text` names, each in one form."""
    named = set(drugs_named(text)) | {match.group().lower() for match in DRUG.finditer(text)}
    single = {word.lower() for word in _WORD.findall(text) if len(word) > 1}
    return frozenset(named | {word for word in single if names_test(word) or names_measure(word)})
