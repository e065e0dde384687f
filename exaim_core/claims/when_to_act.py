"""Know a sentence that says what is to be done in a case that may come: the case, and the act, whole.

Its grammar says so, in one of three orders: the condition and then the act ("if the pulse drops under 40, pads on"),
the act and then the condition ("dialysis if she is over 6.5"), or a bound that stands for a condition ("above 200 for
ten minutes, call me"). The case is the patient's. The act is something done: it names what is given or done, or bids,
or says who does what, and no verb in it states or weighs. The sentence is told in its speaker's words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from exaim_core.claims.limits import analytes_named
from exaim_core.claims.triggers import bounds, lists_triggers
from exaim_core.lexicon.bidding import bids
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.named import names_to_do
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.assertion import NOT_OURS_NOW, statuses_of
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import word_count

MOST_WORDS: Final = 26  # as any order: ten seconds
LEAST_WORDS: Final = 4
LEAST_CASE: Final = 2  # words of a condition, with its "if"
MOST_LEADING: Final = 8  # words of an act that stands before its condition
_FORMS: Final = lexicon("claims/when_to_act")


def says_when_to_act(text: str) -> bool:
    """Return whether `text` says what is to be done in a case of the patient that may come."""
    text = text.strip(' *"“”')
    if text.endswith("?") or not LEAST_WORDS <= word_count(text) <= MOST_WORDS:
        return False
    if statuses_of(text, "") & NOT_OURS_NOW:
        return False
    if bounds(text) and lists_triggers(text):
        return True
    return any(_is_act(act) and _FORMS["no_case"].match(case) is None for case, act in _parted(text))


def _parted(text: str) -> Iterator[tuple[str, str]]:
    """Yield each case that `text` may set, and the act that it may go with."""
    bound = next(iter(bounds(text)), None)
    bare = bound is not None and _FORMS["before_bound"].fullmatch(text, 0, bound[0])
    if bare or _FORMS["opened"].match(text):
        stops = _FORMS["breaks"].finditer(text)
        for stop in (each for each in stops if word_count(text[: each.start()]) >= LEAST_CASE):
            yield text[: stop.start()], text[stop.end() :]
    led = _FORMS["led"].fullmatch(text)
    if led is not None and word_count(led["act"]) <= MOST_LEADING:
        yield led["case"], led["act"]


def _is_act(words: str) -> bool:
    """Return whether `words` say what is done, and state nothing."""
    first = words.split(";")[0]
    if _FORMS["acts"].match(first) or _FORMS["passive"].search(first):
        return True
    valued = any(map(str.isdigit, first)) and analytes_named(first) and not drugs_named(first)
    stated = valued or bounds(first) or _FORMS["states"].search(first)
    return not stated and not prohibits(first) and (bids(first) or names_to_do(first))
