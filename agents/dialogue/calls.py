"""When somebody is to be called: a question for that, and the sentences that bid it with what it hangs on."""

# ruff: noqa: E501 - patterns are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from agents.dialogue.passages import Passages
from agents.dialogue.segments import Passage
from agents.dialogue.shapes import sets_condition
from exaim_core.text.names import Names

_CALL: Final = r"(?:ring|call|wake|bleep|page|phone|fetch|alert|contact|notify|shout for)"
_CALLED: Final = r"(?:called|rung|told|woken|bleeped|paged|phoned|fetched|alerted|contacted|notified)"
_DOES: Final = r"(?:do|should|must|shall|would|can|to|am|are|is|i|we|they|she|he|you|nurses?|supposed|want|like|need|have)"
_ASKS: Final = (
    re.compile(rf"\bwhen (?:{_DOES} )+{_CALL}\b(?! (?:it|this|that)\b)(?P<who>.*)"),
    re.compile(
        rf"\bwhen (?:{_DOES} )+(?P<who>(?:the |your |his |her |their )?(?:\w+ ){{0,2}}?)(?:want to |like to |need to )?be {_CALLED}\b"
    ),
    re.compile(
        rf"\bwhat (?:would|do|does|should|will) (?P<who>[\w ]{{1,30}}?) want (?:a (?:call|ring|bleep)|to (?:know|hear|be {_CALLED}))\b"
    ),
    re.compile(
        rf"\bwhat (?:would|do|does|should|must|shall|can) (?:i|we|they|the nurses?) {_CALL} (?P<who>\w[\w ]{{0,25}}?) (?:about|for|with|over)\b"
    ),
)
_BIDS: Final = re.compile(
    rf"(?:\A|[.,;:=>(–—-] ?|\b(?:must|should|shall|please|to|then|and|or|you|just|always|i['’]d) )(?:{_CALL}s? "
    r"(?P<who>(?!it\b|this\b|that\b|off\b|and\b|\d|precautions|dermatitis)\w.*)"
    rf"|{_CALL}(?: if)?: \w)",
    re.IGNORECASE,
)
_LISTS: Final = re.compile(rf"\W*{_CALL}(?: if)?: \w", re.IGNORECASE)
_I_ACT: Final = re.compile(r"\bI(?:['’]ll)?\b")
_ME: Final = re.compile(r"\A(?:me|us)\b", re.IGNORECASE)
_SAME: Final = 4  # letters that a person and how he is called begin with: "spines", the spinal registrar
_NOBODY: Final = frozenset(
    "someone somebody anyone anybody them they you your team doctor doctors registrar registrars consultant about with from back again over before after tonight today".split()
)  # they name no one of several


def call_asked(question: str) -> tuple[str, ...] | None:
    """Return whom `question` (small letters) would call, by the words for him; (): anybody; None: it asks for no call."""
    found = next((match for asks in _ASKS if (match := asks.search(question))), None)
    if found is None:
        return None
    return tuple(
        word for word in re.findall(r"[a-z]+", found["who"]) if len(word) >= _SAME and word not in _NOBODY
    )


def calls(who: tuple[str, ...], passages: Passages, names: Names) -> tuple[Passage, ...]:
    """Return the sentences that bid to call `who` and set a condition, the newest first; () bids to call anybody.

    Behind them stand those in which he says himself when he acts: "Under 1.4 I tube."
    """
    sets = [
        one
        for one in passages.all[::-1]
        if one.alone and not one.past and not one.text.endswith("?") and _limits(one.text)
    ]
    bids = [one for one in sets if _BIDS.search(one.text) and (not who or _is_called(one, who, names))]
    own = [one for one in sets if _I_ACT.search(one.text) and _is_of(f"{names(one.agent)} {one.agent}", who)]
    return tuple(dict.fromkeys((*bids, *own)))


def _limits(text: str) -> bool:
    """Tell whether a text sets a condition, or lists under "Call:" what to call for."""
    return sets_condition(text) or _LISTS.match(text) is not None


def _is_called(one: Passage, who: tuple[str, ...], names: Callable[[str], str]) -> bool:
    """Tell whether a sentence bids to call one of `who`, by his name or as its speaker's "me"."""
    bids = _BIDS.search(one.text)
    called = (bids["who"] or "me") if bids else ""
    if _ME.match(called):
        called = f"{called} {names(one.agent)} {one.agent}"
    return _is_of(called, who)


def _is_of(called: str, who: tuple[str, ...]) -> bool:
    words = [word for word in re.findall(r"[a-z]+", called.lower()) if len(word) >= _SAME]
    return any(word[:_SAME] == other[:_SAME] for word in words for other in who)
