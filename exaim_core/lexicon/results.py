"""Find a diagnosis that a study has confirmed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.text.rows import lexicon
from exaim_core.text.wording import word_count

_FORMS: Final = lexicon("lexicon/results")


@lru_cache(maxsize=2048)
def confirmed(text: str) -> str | None:
    """Return the diagnosis that `text` says is confirmed by a study, as written; None for none."""
    if "confirm" not in text and "prove" not in text and "clinch" not in text:
        return None
    match = _FORMS["is_confirmed"].search(text) or _FORMS["confirms"].search(text)
    if match is None or _FORMS["not_yet"].search(text[: match.end()]):
        return None
    what = match["what"] if match.re is _FORMS["is_confirmed"] else (match["what"] or match["bare"])
    what = re.split(
        r"\s+(?:with|and|in (?:the|this|his|her)|which|as|by|on|at|for)\s|\s+[-–—]\s", what.strip(" ,*")
    )[0]
    return what if 1 <= word_count(what) <= 9 else None
