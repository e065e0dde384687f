"""What restrains, read as widely as can be: each sentence in force that forbids, warns, or is of an allergy.

It is not told as a ban. It is quoted on the page, below an answer about safety, so that a ban in a wording that
nobody thought of is reached there (docs/decisions/076-what-restrains-is-on-the-page.md).
"""

# ruff: noqa: E501 - patterns are read more easily on long lines

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from agents.dialogue.forbids import denies, doings, is_record
from agents.dialogue.given import ALLERGY, NO_ALLERGY, names_given
from exaim_core.board.view import SaidView
from exaim_core.claims.remarks import VALUES

# A word that restrains, anywhere beside something that is given or done.
_WORDS: Final = re.compile(
    r"\b(?:no|not|never|nobody|nor|neither|none|cannot|avoid\w*|stop\w*|hold|held|holding|withh\w+|omit\w*|skip\w*|leave out|off|cancel\w*|struck|withdraw\w*|withdrew|contra-?ind\w*|against|reject\w*|refus\w*|declin\w*|barr?ed|forbid\w*|only (?:if|after|for|when|once|with)|unless|until|till?|wait|rather|caution\w*|careful\w*|beware|danger\w*|harm\w*|kills?|fatal|lethal|steer|clear of|keep (?:away|off|out)|without)\b|n['’]t\b",
    re.IGNORECASE,
)
# An order not to do something, whatever it is.
_ORDER: Final = re.compile(
    r"(?:\A|[.;:–—-] |, )(?:please |also |and |so )?(?:no|not|do not|don['’]t|never|nobody|avoid|stop|hold|withhold)\b(?! \w+ (?:seen|found))",
    re.IGNORECASE,
)


# The same, as how a sentence begins.
_BEGINS: Final = re.compile(r"\A(?:please |also |and |so )?(?:no|do not|don['’]t|never|nobody|avoid|stop|hold|withhold)\b (?!one\b)", re.IGNORECASE)  # fmt: skip


def orders_not_to(text: str) -> bool:
    """Tell whether a sentence begins as an order not to do something, whatever it is."""
    begins = _BEGINS.match(text)
    return begins is not None and not denies(text[begins.end() :])


def restrains(said: SaidView) -> bool:
    """Tell whether a sentence may forbid or warn. What its speaker has given up, and a question, does not."""
    if said.past or said.text.endswith("?") or said.under == VALUES:
        return False
    return _may(said.text, said.under.split("; ")[-1])


@lru_cache(maxsize=4096)
def _may(text: str, heading: str) -> bool:
    if ALLERGY.search(text) and not NO_ALLERGY.search(text):
        return True
    if is_record(heading):
        return False
    if _WORDS.search(text) and (names_given(text) or doings(text)):
        return True
    order = _ORDER.search(text)
    return order is not None and not denies(text[order.end() :].lstrip())
