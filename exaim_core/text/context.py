"""How a word is meant: denied, long past, only supposed, or about somebody else.

A small reading of ConText (Harkema et al., J Biomed Inform 2009;42:839-51): trigger phrases before
or after the word open a scope that ends at a terminator or at the sentence's end. The lists are
our own and short; what they miss is in docs/engine.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.text.rows import lexicon


@dataclass(frozen=True, slots=True)
class Context:
    """What holds for a word in its sentence."""

    negated: bool = False
    historical: bool = False
    hypothetical: bool = False
    family: bool = False

    @property
    def affirmed(self) -> bool:
        """Tell whether the word is said of this patient, now, as a fact."""
        return not (self.negated or self.historical or self.hypothetical or self.family)


_FORMS: Final = lexicon("text/context")


@lru_cache(maxsize=2048)
def context_of(sentence: str, start: int, end: int) -> Context:
    """Return how the words at [start, end) of `sentence` are meant."""
    left = 0
    for stop in _FORMS["stops"].finditer(sentence, 0, start):
        left = stop.end()
    stop_after = _FORMS["stops"].search(sentence, end)
    right = stop_after.start() if stop_after else len(sentence)
    before, after = (
        _FORMS["pseudo"].sub(_blank, _FORMS["reminds"].sub(_blank, part))
        for part in (sentence[left:start], sentence[end:right])
    )
    if any(
        map(str.isdigit, sentence[start:end])
    ):  # "no ECG changes, potassium 6.9": a value is no item of a list
        near = before[before.rfind(",") + 1 :]
    else:
        near = before
    near = " ".join(near.split()[-9:])
    negated = (
        _FORMS["negate_before"].search(near) is not None
        or _FORMS["negate_after"].search(after[:60]) is not None
    )
    historical = (
        _FORMS["history"].search(near) is not None or _FORMS["history"].search(after[:40]) is not None
    ) and not _FORMS["past_onset"].search(before)
    hypothetical = (
        _FORMS["hypothesis"].search(before) is not None
        or re.match(r"\s*(?:if|unless|could|may|might)\b", after) is not None
    )
    hypothetical = (
        hypothetical
        or _FORMS["pseudo"].search(sentence[left:right]) is not None
        or sentence.rstrip().endswith("?")
    )
    return Context(negated, historical, hypothetical, _FORMS["family"].search(before) is not None)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
