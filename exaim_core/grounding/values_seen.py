"""Take a second look at a value that is to alarm, with a reader that knows nothing of the first one.

It has words and patterns of its own (`data/values_seen.toml`) and imports nothing of this project; words for relatives
are in a file that both readers use (`data/kin.toml`). It does not look for values; it is shown a sentence, a name and
a number in it, and says what keeps these from being this patient's value now. It knows the few ways in which a name
stands at the head of its part, and its number beside it. Anything else is a doubt: then the sentence itself is told.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from enum import StrEnum
from importlib import resources
from typing import Any, Final


class Doubt(StrEnum):
    """Why a value is not told as a bare name and number."""

    ELSEWHERE = "of somebody else, of another time, or no value that was measured"
    UNREAD = "something stands beside it that was not read"


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(resources.files("exaim_core").joinpath(f"data/{name}.toml").read_text("utf-8"))


_TABLE: Final = _table("values_seen")
_KIN: Final = _table("kin")
_WORDS: Final = {name: frozenset(words.split()) for name, words in _TABLE["words"].items()}
_FORMS: Final = {
    name: re.compile("".join(pieces), flags)
    for table, flags in (("patterns", re.IGNORECASE), ("exact", re.NOFLAG))
    for name, pieces in _TABLE[table].items()
}
_KINSHIP: Final = "|".join(_KIN["words"].split())
_OTHERS: Final = re.compile(
    rf"{_FORMS['others'].pattern}"
    rf"|(?:{_KIN['steps'].replace(' ', '|')}|(?<!with)(?<!told)(?<!per)(?<!informed)(?<!by)(?:\A|\W))"
    rf"(?:{_KINSHIP})\b(?! (?:{_KIN['tells']})\b)|\b(?:{_KINSHIP})['’]|\b(?:{_KIN['together']})",
    re.IGNORECASE,
)
_HEADS: Final = _WORDS["before"] | _WORDS["labels"]
MOST_BETWEEN: Final = 9
MOST_LABEL_WORDS: Final = 6


def doubt_about(
    text: str, name: str, value: str, above: Sequence[str] = (), *, earlier: str = "", patient: str = ""
) -> Doubt | None:
    """Return why `value`, under `name`, is not plainly this patient's now; None if it is.

    `above` is what the sentence stands under, outermost first, `earlier` the sentence before it in its turn, and
    `patient` the patient's own name ("Mrs Smith").
    """
    above = _without_place(above)
    at = _whole(text, value)
    if at is None:
        return Doubt.UNREAD
    start, end = at
    first, last = _clause(text, start, end)
    named = _last_place(text, name, first, start)
    whole = text[first:start] if named < 0 else f"{text[first:named]} {text[named + len(name) : start]}"
    pointed = _pointed(text, first, start, name, value)
    before = pointed or whole
    if any(_OTHERS.search(title) or _FORMS["past"].search(title) for title in above):
        return Doubt.ELSEWHERE
    own = named >= 0 and _FORMS["own"].search(text[first:named]) is not None
    if (
        named >= 0
        and not pointed
        and (_FORMS["beyond"].search(text[first:named]) or _FORMS["if_label"].search(text, 0, named))
    ):
        return Doubt.ELSEWHERE
    if named >= 0 and _FORMS["then_was"].search(text[named + len(name) : start]):
        return Doubt.ELSEWHERE
    near = re.split(r",\s", text[end:last])[0]
    if not own and _is_elsewhere(before, near):
        ours = _FORMS["ours"].search(text) or _FORMS["now"].search(text, max(named, first), start)
        return Doubt.UNREAD if ours else Doubt.ELSEWHERE
    others = any(
        words.search(part) for words in (_OTHERS, _FORMS["placed"]) for part in (text[:first], text[end:])
    )
    if _FORMS["sum"].search(text[:start]):
        return Doubt.ELSEWHERE
    others = others or _FORMS["presented"].search(text) is not None
    marks = (
        others
        or bool(pointed)
        or _FORMS["version"].match(text) is not None
        or _then(f"{text[first:start]} {near}")
    )
    marks = marks or (named >= 0 and _FORMS["reassigns"].search(text, first, named) is not None)
    beside = marks or _odd_label(text, start) or _tells_of_then(text[first:last], earlier)
    hangs = _FORMS["hangs"].search(whole) or any(_FORMS[form].match(text, end) for form in ("would", "asked"))
    if hangs or (beside and not own) or _goes_on(text[end:]):
        return Doubt.UNREAD
    if named >= 0 and not own and not _heads_its_part(text, named, start, len(name), patient):
        return Doubt.UNREAD
    return None if _together(text, name, start, end) else Doubt.UNREAD


def _without_place(above: Sequence[str]) -> tuple[str, ...]:
    """Return titles without the bed that ends one and says where its writer's patient lies: "Handover, PACU bay 3"."""
    return tuple(_FORMS["own_place"].sub(r"\g<what>", title) for title in above)


def doubt_about_event(text: str, above: Sequence[str] = ()) -> Doubt | None:
    """Return why an emergency that `text` names may not have happened to this patient; None if it has."""
    whole = " ".join((*_without_place(above), text))
    elsewhere = (_OTHERS, *(_FORMS[form] for form in ("no_value", "may_be", "hangs", "of_any")))
    if any(words.search(whole) for words in elsewhere) or _is_of_no_eye(text):
        return Doubt.ELSEWHERE
    return Doubt.UNREAD if _FORMS["past"].search(text) else None


def doubt_about_words(text: str, above: Sequence[str] = ()) -> Doubt | None:
    """Return why words told as they are may not be about this patient now; None if they are."""
    whole = " ".join((*_without_place(above), text))
    elsewhere = _OTHERS.search(whole) or _FORMS["hangs"].search(whole) or _is_of_no_eye(text)
    return Doubt.ELSEWHERE if elsewhere else None


def _is_of_no_eye(text: str) -> bool:
    """Return whether `text` tells of one pupil and of a glass eye, and not of two sides."""
    if _FORMS["no_eye"].search(text) is None:
        return False
    sides = {side.lower() for side in _FORMS["side"].findall(text)}
    return len(sides) < len(("left", "right")) and _FORMS["pupils"].search(text) is None


def _is_elsewhere(before: str, behind: str) -> bool:
    clause = _FORMS["bracket"].sub(" ", f"{_FORMS['presented'].sub(' ', before)} {behind}")
    return (
        _OTHERS.search(clause) is not None
        or _FORMS["past"].search(clause) is not None
        or _meant_otherwise(before, behind)
    )


def _pointed(text: str, first: int, start: int, name: str, value: str) -> str:
    """Return the words that point to the patient's number at `start`, behind one that it is held against; or ""."""
    found = _FORMS["pointed"].search(text, first, start)
    if found is None:
        return ""
    head = text[first : found.start("own")]
    words = [_FORMS["no_value"], _FORMS["held_against"]]
    words += [] if name in found["own"] else [_OTHERS]  # of whom "her potassium" is, is open
    against = any(each.search(head) for each in words)
    then = _FORMS["past"].search(head) or _FORMS["would"].match(text, start + len(value))
    return found["own"].replace(name, " ") if against and not then else ""


def _last_place(text: str, name: str, first: int, end: int) -> int:
    """Return where `name` stands last from `first` to `end`; inside another word only if nowhere else; or -1."""
    whole = re.compile(rf"(?<![^\W\d_]){re.escape(name)}(?![^\W\d_])", re.IGNORECASE)
    places = [match.start() for match in whole.finditer(text, first, end)]
    return places[-1] if places else text.lower().rfind(name.lower(), first, end)


def _whole(text: str, value: str) -> tuple[int, int] | None:
    """Return the last place of the value as a number of its own; None if it is part of another."""
    found = None
    for match in re.finditer(re.escape(value), text):
        before, after = text[: match.start()][-2:], text[match.end() :][:2]
        if before[-1:].isalnum() or re.search(r"[\d\w][.,·/-]\Z", before) or before.endswith(("-", "·")):
            continue
        if (value[-1:].isdigit() and re.match(r"\d|[.,·/-]\d", after)) or after[:1] == "-":
            continue
        found = match.span()
    return found


def _clause(text: str, start: int, end: int) -> tuple[int, int]:
    stops = list(_FORMS["stop"].finditer(text))
    first = max((match.end() for match in stops if match.end() <= start), default=0)
    last = min((match.start() for match in stops if match.start() >= end), default=len(text))
    return first, last


def _meant_otherwise(before: str, behind: str) -> bool:
    """Return whether the words around the number make it no measured value, or a past one."""
    if _FORMS["no_value"].search(before):
        return True
    behind = re.split(r",\s|\band\b", behind)[0]
    return any(_FORMS[form].match(behind) for form in ("of_then", "is_aim", "is_usual"))


def _then(words: str) -> bool:
    return _FORMS["arrival"].search(words) is not None or _FORMS["dated"].search(words) is not None


def _goes_on(behind: str) -> bool:
    return _FORMS["goes_on"].match(behind) is not None or _FORMS["changed"].match(behind) is not None


def _tells_of_then(text: str, earlier: str) -> bool:
    """Return whether the sentence before tells of the past, and nothing says that `text` is about now."""
    if any(map(str.isdigit, earlier)) or _FORMS["now"].search(earlier) or _FORMS["now"].search(text):
        return False  # it gives values itself, present and past
    return _FORMS["once"].search(earlier) is not None


def _heads_its_part(text: str, named: int, start: int, length: int, patient: str) -> bool:
    """Return whether only known words stand before a name in its part, and no hour before its number.

    "Potassium 6.9", "hyperkalaemia with a potassium of 6.9" state a value; "they come back with a fever of 41" only
    tells of one. That one patient "came back with" it is a known form, and so is the patient's own name.
    """
    opened = max((match.end() for match in _FORMS["segment"].finditer(text, 0, named)), default=0)
    lead = _FORMS["pair"].sub(" ", _FORMS["came_back"].sub(" ", text[opened:named]))
    if patient:
        lead = re.sub(rf"\b{re.escape(patient)}(?:['’]s)?", " ", lead)
    words = (word.lower() for word in _FORMS["word"].findall(lead))
    plain = all(
        word in _HEADS or _FORMS["disease"].search(word) or _FORMS["state"].search(word) for word in words
    )
    return plain and _FORMS["clocked"].match(text[named + length : start]) is None


def _odd_label(text: str, start: int) -> bool:
    """Return whether the words before the last colon before the number are an unknown label."""
    part = max(text.rfind(mark, 0, start) for mark in (". ", "; ", "\n")) + 1
    if text.find(":", part, start) < 0:
        return False  # where there is none, the search below would try each letter, and read on to the number
    label = _FORMS["label"].search(text, part, start)
    if label is None or not text[label.end() : start].strip(
        " =<>~("
    ):  # "potassium: 6.9": the label is the name
        return False
    words = [word.lower() for word in _FORMS["word"].findall(_FORMS["span"].sub(" ", label["words"]))]
    if words[:1] == ["to"]:
        return False  # the person who is spoken to
    if not words or len(words) > MOST_LABEL_WORDS or set(words) <= _WORDS["labels"] | _WORDS["links"]:
        return False
    return _FORMS["disease"].search(words[-1]) is None  # the patient's values are the reason for a diagnosis


def _together(text: str, name: str, start: int, end: int) -> bool:
    """Return whether name and number stand together in a known way."""
    before = text[:start]
    at = _last_place(text, name, 0, start)
    if at < 0:
        behind = text[end : end + 40].lower()
        return name.lower() in behind and len(behind.split(name.lower())[0].split()) <= MOST_BETWEEN - 6
    words = [word.lower() for word in _FORMS["word"].findall(before[at + len(name) :])]
    if len(words) > MOST_BETWEEN or any(word not in _WORDS["links"] for word in words):
        return False
    follows = re.match(r"\s+(?P<word>[^\W\d_]+)", text[end:])
    if follows is not None and _FORMS["pair"].match(text, end + follows.start("word")):
        return True
    return follows is None or follows["word"].lower() in _WORDS["after"]
