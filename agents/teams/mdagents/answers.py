"""Read answers: an option's letter, a text where there are no options, or nothing readable.

Nothing is guessed. A letter that is not among the options, a letter with another one's words, an answer that
names two: all that is `None`, which is counted as wrong and listed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from agents.teams.mdagents.cleaning import cleaned

_LETTER: Final = re.compile(
    r"^(?:(?:the )?(?:correct |final |best )?(?:answer|option|choice)(?: is)?[:\s]*)?"
    r"[(\[]?([A-Za-z])(?:[)\].:,]|\s+-|\s*$)\s*(.*)$",
    re.IGNORECASE | re.DOTALL,
)
_MORE: Final = re.compile(r"(?:(?:[,;/&]\s*|(?:or|and)\b\s*)*[(\[]?([A-Z])\b[)\].:]?\s*)+", re.IGNORECASE)
"""Behind a letter, others by themselves: "A, B" names two."""
_OUTRIGHT: Final = re.compile(
    r"(?:final answer|answer|correct option|correct choice|my choice)\s*(?:is\b|:)+\s*:?\s*(?P<said>[^\n]{1,200})",
    re.IGNORECASE,
)
_LISTED: Final = r"\b(?i:options|choices|answers) (?P<letters>L(?:(?:, (?:and |or )?| and | or )L\b)+)"
_STATED: Final = (
    r"(?P<said>\b(?i:(?:option|choice|answer)(?: is| was| remains|:| =)|hold|choose|chose|pick|select|favou?r|prefer)"
    r" )(?P<letter>L)(?=[.:;,!?)]|\s*$| (?:and|or|over|because|as|for)\b)"
)
"""Where a letter by itself is an option's: L is one of the letters."""
_OUTER: Final = " \t\n.:;,*\"'`()[]"
_FREE_MOST: Final = 200  # characters of an answer where there are no options


def answer_of(said: str, options: Mapping[str, str]) -> str | None:
    """Return the letter that `said` names, or its text where there are no options; None if it names none."""
    text = cleaned(said).strip("*_` \n")
    if not options:
        return _free(text)
    by_words = _by_words(text, options)
    found = _LETTER.match(text)
    if found is None or found[1].upper() not in options:
        return by_words
    letter, rest = found[1].upper(), _key(found[2])
    others = {each for each, words in options.items() if _key(words) == rest}
    if others and letter not in others:
        return None  # a letter, and another one's words
    more = _MORE.fullmatch(found[2]) if not others else None
    named = set(re.findall(r"\b[A-Z]\b", found[2].upper())) & set(options) if more else set()
    return letter if named <= {letter} else None


def answer_in_prose(text: str, options: Mapping[str, str]) -> str | None:
    """Return the last answer that prose states ("the answer is (B)"); None if none, or two at once."""
    told = [
        found
        for match in _OUTRIGHT.finditer(cleaned(text))
        if (found := _first_of(match["said"], options)) is not None
    ]
    return told[-1] if told and (len({_key(each) for each in told}) == 1 or options) else None


def words_of(answer: str | None, options: Mapping[str, str]) -> str:
    """Return an answer as words, never as a letter; empty if there is none."""
    if answer is None:
        return ""
    return options.get(answer, answer) if options else answer


def in_words(text: str, options: Mapping[str, str]) -> str:
    """Return `text` with options' words for "option B", "the answer is B" and "(B)", for listeners.

    A letter by itself stays: hepatitis B is no option.
    """
    if not options:
        return text
    letter_of = rf"(?:{'|'.join(map(re.escape, options))})"
    listed = _LISTED.replace("L", letter_of)
    text = re.sub(listed, lambda found: re.sub(rf"\b{letter_of}\b", r"(\g<0>)", found["letters"]), text)
    text = re.sub(_STATED.replace("L", letter_of), r"\g<said>(\g<letter>)", text)
    for letter, words in options.items():
        named = rf"(?:\b(?:[Oo]ption|[Cc]hoice|[Aa]nswer) (?:{letter}\b|\({letter}\))|\({letter}\))"
        text = re.sub(rf"{named}[:.]?\s*(?=(?i:{re.escape(words)}))", "", text)
        text = re.sub(named, lambda _, words=words: words, text)  # type: ignore[misc]
    return text


def votes(answers: Iterable[str | None]) -> dict[str, int]:
    """Return the votes by answer, most first, then by the answer; an unreadable answer has no vote."""
    said: dict[str, str] = {}
    counted: Counter[str] = Counter()
    for answer in answers:
        if answer is not None:
            counted[_key(answer)] += 1
            said.setdefault(_key(answer), answer)
    return {said[key]: counted[key] for key in sorted(counted, key=lambda key: (-counted[key], key))}


def same(one: str | None, other: str | None) -> bool:
    """Return whether two answers are one."""
    return one is not None and other is not None and _key(one) == _key(other)


def majority(counted: Mapping[str, int]) -> str | None:
    """Return the answer of more than half of the votes; None on a tie, a plurality or no vote."""
    total = sum(counted.values())
    return next((answer for answer, count in counted.items() if 2 * count > total), None)


def _first_of(said: str, options: Mapping[str, str]) -> str | None:
    whole = answer_of(said, options)
    if whole is not None or not options:
        return whole
    first = re.split(r"[.;,\n]|\s+because\b", said, maxsplit=1)[0]
    return answer_of(first, options)


def _by_words(text: str, options: Mapping[str, str]) -> str | None:
    wanted = _key(text)
    found = [letter for letter, words in options.items() if _key(words) == wanted]
    return found[0] if len(found) == 1 else None


def _free(text: str) -> str | None:
    line = text.strip().splitlines()[0].strip(_OUTER) if text.strip(_OUTER) else ""
    return line if 0 < len(line) <= _FREE_MOST else None


def _key(words: str) -> str:
    return re.sub(r"\s+", " ", cleaned(words).casefold()).strip(_OUTER)
