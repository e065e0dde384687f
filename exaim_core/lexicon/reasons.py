"""What a sentence gives as grounds for a diagnosis: short noun phrases, as written."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.phrases import PRONOUN, is_definition, is_noise
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import key_words, word_count

_FORMS: Final = lexicon("lexicon/reasons")
_SHELL: Final = re.compile(
    r"^(?:the |this |his |her |their |a |an |its |both |all |our |(?:the )?patient(?:'|’)s |(?:the )?child(?:'|’)s |(?:the )?newborn(?:'|’)s )*"
    r"(?:(?:(?:specific|clinical|overall|reported|key|strong|significant|multiple|various|unique|notable|typical|diverse|complex|described|comprehensive|classic|other|current|initial|relevant|associated|neurological) )*(?:presentation|symptoms?|findings?|features?|signs?|picture|combination|manifestations?|characteristics?|evidence|constellation|presence|details?|existence|correlation|mix|array|context|setting)"
    r"(?: (?:of|with|like|such as|including|between)|,? (?:including|such as|like|specifically|notably|particularly)|:)\s+(?:the |a |an |his |her |their |(?:the )?patient(?:'|’)s )*)?",
    re.IGNORECASE,
)
_EMPTY_HEADS: Final = frozenset(
    word[:6]
    for word in "ultrasound alignment conclusion choice unanimous comprehensive thus far clinic present sympto findin featur signs sign histor picture combin manife charac eviden case result result detail inform provid patien imagin exam exami age specif typica overal genera "
    "ultras phenot emphas radiol histop biochem impres impact underl progno treatm hospit lab labora genet genetic test testin data condit natur sever severi progre factor risk onset consid additi simila relate discus diagno analys analyt physic medica backgr elemen aspect mentio context assess consen strong insigh collab propos establ relati compat compel known above follow various multip unique number use usage course body variou associ confir intial initia".split()
)
_PAREN: Final = re.compile(r"\s*\([^()]*\)")


@lru_cache(maxsize=2048)
def reasons_in(text: str, entity: str) -> tuple[str, ...]:
    """Return short noun phrases of `text`, as written, that are given as grounds for `entity`; may be none."""
    if is_definition(text) or is_noise(text):
        return ()
    for pattern in (_FORMS["has"], _FORMS["subject"], _FORMS["reason"]):
        for match in pattern.finditer(text):
            parts = _noun_phrases(match["r"], entity)
            if parts:
                return (*parts, *_mechanism(text, entity, parts))
    return _mechanism(text, entity, ())


def _mechanism(text: str, entity: str, parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the findings are said to point to, where that is not the diagnosis: "volume depletion"."""
    match = _FORMS["mechanism"].search(text)
    if match is None or _FORMS["against"].search(text[: match.end()]):
        return ()
    what = match["r"]
    if set(key_words(what)) & set(key_words(entity)) or what in parts or not _good(what, entity):
        return ()
    return (what,)


def _noun_phrases(text: str, entity: str, *, depth: int = 0) -> tuple[str, ...]:
    bare = _PAREN.sub("", text)
    if depth == 0 and (named := _FORMS["named"].search(bare)) is not None:
        parts_named = _noun_phrases(named["r"], entity, depth=1)
        if parts_named:
            return parts_named
    shell = _SHELL.match(bare)
    bare = bare[shell.end() :] if shell else bare
    if (
        depth < 2
        and (inner := _FORMS["reason"].search(bare))
        and inner.start() < 60
        and not _good(bare[: inner.start()].split(",")[0], entity)
    ):
        return _noun_phrases(inner["r"], entity, depth=depth + 1)
    parts: list[str] = []
    for raw in re.split(r",\s+(?:and\s+|or\s+)?", bare):
        whole = _FORMS["lead_strip"].sub("", raw.strip())
        cut = _FORMS["cut"].search(whole)
        part = (whole[: cut.start()] if cut else whole).strip(" ,:-–—")
        if not _good(part, entity):
            if set(key_words(part)) & set(key_words(entity)) and not cut and len(key_words(part)) <= 4:
                continue  # it only says the diagnosis again; the next part may say more
            break
        parts.append(part)
        if cut or len(parts) == 3:
            break
    return tuple(parts)


def _good(part: str, entity: str) -> bool:
    words = key_words(part)
    if re.match(r"(?!bleeding|swelling|vomiting|wheezing|findings)[a-z]+ing\b", part, re.IGNORECASE) or set(
        key_words(entity)
    ) <= set(words):
        return False
    if not 1 <= word_count(part) <= 9 or not words or PRONOUN.search(part) or re.search(r"[()]", part):
        return False
    if re.search(
        r"\b(?:and|or|of|with|the|a|an|in|to|by|for|from|on|at|as|like|such|her|his|most|more|very|if)$",
        part,
        re.IGNORECASE,
    ):
        return False
    if _FORMS["no_ground"].search(part):
        return False
    telling = [word for word in words if word[:6] not in _EMPTY_HEADS]
    return bool(telling) and not set(telling) <= set(key_words(entity)) and (len(words) > 1 or len(part) > 7)
