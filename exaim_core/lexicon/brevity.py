"""Limits on the length of what is spoken, and ways to say the same in fewer words.

Courtesies and reasons go; dose, unit, condition and negation stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from exaim_core.text.quantities import quantities
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import lower_first, word_count

USUAL_WORDS: Final = 15  # a normal update is 6 s on average, at 2.6 words a second
MOST_WORDS: Final = 26  # 10 s at most
FINDING_WORDS: Final = 20  # a measured value is worth 8 s
CLOSING_WORDS: Final = 31  # 12 s
BRIEF_WORDS: Final = 9  # 3.5 s

_FORMS: Final = lexicon("lexicon/brevity")
_WOULD: Final = re.compile(r"^(?:I|we)(?: would|['’]d) (?P<rest>.+)", re.IGNORECASE | re.DOTALL)
_OWN_WORD: Final = re.compile(r"^[^:.]{0,40}\b(?:me|I|my|we|our)\b[^:.]{0,20}: ", re.IGNORECASE)

_PUTS_RIGHT: Final = re.compile(r"\b(?:not|instead of|rather than) \d", re.IGNORECASE)


def tidy(text: str) -> str:
    """Return a sentence without the stops of its parts, and with one at its end."""
    return re.sub(r"\.+(?=[.;:,])", "", text)


def first_fit(texts: Iterator[str], limit: int = USUAL_WORDS) -> str | None:
    """Return the first text of at most `limit` words; None if none is so short."""
    return next((text for text in texts if word_count(text) <= limit), None)


def without_lead_in(text: str) -> str:
    """Return a caution without an opening such as "please note her"."""
    return _OWN_WORD.sub("", _FORMS["lead_in"].sub("", _FORMS["weighs"].sub("", text)))


def finding_words(text: str) -> str:
    """Return a finding without "… points to it" (about something said before) and without "I note that".

    The speaker's words about itself go too, except where a number is put right, as they may say what went wrong;
    "" if nothing else is left.
    """
    text = _FORMS["notes"].sub("", text.rstrip("."))
    aside = _FORMS["of_the_speaker"].search(text)
    if aside is not None and _PUTS_RIGHT.search(text) is None:
        text = text[: aside.start()].rstrip(" ,;")
        if word_count(text) < 4 or quantities(aside.group()):
            return ""
    bare = _FORMS["points"].sub("", text)
    return bare if word_count(bare) >= 3 and quantities(bare) == quantities(text) else text.rstrip(".")


def proposal(text: str, who: str) -> str:
    """Return an order in the first person, or a proposal, as told about `who`."""
    bare = text.rstrip(".")
    if match := _FORMS["proposes"].match(bare):
        return f"{who} {match['verb'].lower()}s {match['rest']}."
    if match := _WOULD.match(bare):
        return f"{who} would {match['rest']}."
    return f"{who}: {lower_first(bare)}."


def _denies(text: str, reason: re.Match[str]) -> bool:
    """Return whether a denial may belong to the reason: "do not stop it because the sugar is normal"."""
    because = re.match(r",? (?:because|since|due|given|as)\b", reason.group(), re.IGNORECASE)
    return (
        because is not None
        and not reason.group().startswith(",")
        and _FORMS["denied"].search(text[: reason.start()]) is not None
    )


def without_reasons(text: str) -> Iterator[str]:
    """Yield `text` (without its stop) whole, then without a reason after it or before it."""
    yield text
    for pattern in (_FORMS["tail"], _FORMS["after_colon"], _FORMS["head"]):
        match = pattern.search(text)
        if match is None or _FORMS["needed"].search(match["gone"]) or _denies(text, match):
            continue
        bare = (text[: match.start()] + text[match.end() :]).strip(" ,")
        if word_count(bare) >= 3:
            yield bare[:1].upper() + bare[1:]


def binds(text: str) -> bool:
    """Return whether the words after an order's name must be told: a number, a limit, a condition."""
    return any(map(str.isdigit, text)) or _FORMS["needed"].search(text) is not None


def explains(text: str) -> bool:
    """Return whether the words after an order's name say only why, and not how."""
    return not text or (not binds(text) and _FORMS["explains"].match(text) is not None)


def may_wait(text: str, name: str) -> bool:
    """Return whether the words after a name that holds its dose may be left to the page.

    They may if they describe the patient ("her glucose is 6.4"), or say when to give it again.
    """
    return any(map(str.isdigit, name)) and _FORMS["dosed"].match(text) is not None


def keeps(text: str, brief: str) -> bool:
    """Return whether `brief` keeps all numbers, units, conditions, negations and sides of `text`."""
    return {(q.number, q.unit) for q in quantities(text)} == {
        (q.number, q.unit) for q in quantities(brief)
    } and set(map(str.lower, _FORMS["needed"].findall(text))) == set(
        map(str.lower, _FORMS["needed"].findall(brief))
    )
