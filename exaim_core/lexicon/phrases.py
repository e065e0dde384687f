"""Phrases of clinical prose: courtesies, conditions, questions, agreement, withdrawals."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.drugs import drug_pattern
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import key_words, word_count

_FORMS: Final = lexicon("lexicon/phrases", drug=drug_pattern)
_TERMINATE: Final = re.compile(r"\bTERMINATE\w*\b", re.IGNORECASE)
NOTHING: Final = _FORMS.late("nothing")


def is_noise(text: str) -> bool:
    """Return whether `text` is a courtesy, a question, a placeholder or a framework's stop word."""
    return is_question(text) or _FORMS["courtesy"].match(text) is not None


def is_question(text: str) -> bool:
    """Return whether `text` asks something, or is a placeholder or a framework's stop word."""
    return bool(
        not text or text.endswith("?") or _FORMS["placeholder"].match(text) or _TERMINATE.search(text)
    )


def says_settled(text: str) -> bool:
    """Return whether a sentence, the moderator's, says that all now agree."""
    return _FORMS["settled"].search(text) is not None and not re.search(
        r"\bnot (?:yet )?(?:settled|resolved|unanim)", text, re.IGNORECASE
    )


@lru_cache(maxsize=512)
def agrees_with(text: str, agent_id: str) -> bool:
    """Return whether the speaker agrees with the named agent altogether, and not only "on" something."""
    name = (
        re.escape(agent_id)
        if not agent_id[-1:].isdigit()
        else re.sub(r"[\s_-]*(\d+)\Z", r"[\\s_-]?\1", agent_id)
    )
    listed = r"(?:(?:the )?\w+(?:[\s_-]?\d+)?(?:,? and |, ))*"
    return (
        re.search(
            rf"\b(?:agree|concur|side|align(?:ed)?|join)s? (?:now |fully )?(?:with )?{listed}{name}(?!\w)(?:(?:,? and |, )(?:the )?\w+(?:[\s_-]?\d+)?)*(?=\s*(?:[.;:]|,|\Z| on the (?:leading |most likely )?diagnosis| and (?:lead|support|favou?r)| that))",
            text,
            re.IGNORECASE,
        )
        is not None
    )


_TAG: Final = re.compile(
    r"\W*(?:(?:is that|that['’]s|all|everybody|everyone|do you|you|any) )?"
    r"(?:ok|okay|right|yes|no|agreed?|correct|fine|happy|override|objections?|(?:shall|may|can|should) (?:I|we))\W*\?",
    re.IGNORECASE,
)
"""A question whether the words before it are right."""


def asks_back(text: str) -> bool:
    """Return whether `text` only asks whether the words before it are right."""
    return _TAG.fullmatch(text) is not None


def is_request(text: str) -> bool:
    """Return whether `text` asks something of another agent, and not of those who treat the patient."""
    return _FORMS["request"].search(text) is not None


def is_supposition(text: str) -> bool:
    """Return whether `text` is a supposition with its consequence: "if he bleeds, it would kill"."""
    return re.match(r"(?:if|should)\b[^,;.]+, \w+ ", text, re.IGNORECASE) is not None


def is_definition(text: str) -> bool:
    """Return whether `text` says what a disease is like in general, not what this patient has."""
    return _FORMS["definition"].search(text) is not None


@lru_cache(maxsize=2048)
def condition_in(term: str, text: str) -> str | None:
    """Return the condition of a recommendation, as written; "" for one that is too long."""
    if (found := _FORMS["cond_paren"].search(term)) is not None:
        return _short(found["c"])
    if _FORMS["no_cond"].search(text):
        return None
    found = _FORMS["cond_start"].match(text) or _FORMS["cond_any"].search(text)
    return _short(found.group()) if found else None


def _short(condition: str) -> str:
    condition = condition.strip(" ,.;:")
    return condition[:1].lower() + condition[1:] if word_count(condition) <= 9 else ""


_HANGS_ON: Final = re.compile(r"\b(?:if|unless|once|provided|when)\b", re.IGNORECASE)


_IT_IS: Final = re.compile(
    r"\A(?:that )?(?:this|it|that|[hs]he)(?: is| was| has|['’]s) (?:an? |the )?", re.IGNORECASE
)

_NAMELESS: Final = re.compile(
    r"(?:my |that |this |the )?(?:(?:own|first|former|earlier|previous|last|leading|working) )*"
    r"(?:views?|opinion|position|stance|diagnosis|lead|vote|proposal|answer)",
    re.IGNORECASE,
)
"""A view without a name."""


def withdrawn(text: str) -> str | None:
    """Return what `text` withdraws, as written; "" if it says only that a mind has changed; else None."""
    if (match := _FORMS["withdraw"].search(text)) is not None:
        gone = _IT_IS.sub("", match["e"].strip())
        return None if _HANGS_ON.search(gone) else "" if _NAMELESS.fullmatch(gone) else gone
    return "" if _FORMS["changed"].search(text) else None


def beside_withdrawn(text: str) -> tuple[str, ...]:
    """Return what `text` says before and after what it withdraws, each by itself; () for none."""
    match = _FORMS["withdraw"].search(text)
    if match is None:
        return ()
    parts = (text[: match.start()], text[match.end("e") :])
    return tuple(bare for part in parts if (bare := _JOINING.sub("", part).strip(" ,;.")))


_JOINING: Final = re.compile(r"\A\W*(?:and|but|so)\b|[ ,;]+(?:and|so)?\W*\Z", re.IGNORECASE)


def agrees(text: str) -> bool:
    """Return whether the speaker says that it agrees."""
    return _FORMS["agrees"].search(text) is not None


def stance_words(text: str) -> str:
    """Return "rejects", "doubts" or "proposes": the stance of `text` to the diagnosis that it explains."""
    if _FORMS["reject"].search(text) and not re.search(
        r"\b(?:need|needs|to|must|should|cannot|can't) be (?:ruled out|excluded)|not (?:be )?(?:ruled out|excluded)|(?:cannot|not) (?:entirely |completely )?(?:rule|exclude|dismiss|eliminat)",
        text,
        re.IGNORECASE,
    ):
        return "rejects"
    return "doubts" if _FORMS["doubt"].search(text) else "proposes"


def doubts(text: str, entity: str) -> bool:
    """Return whether `text`, which explains `entity`, calls just that less likely, not something else."""
    for match in _FORMS["doubt"].finditer(text):
        clause = re.split(r"[.;:]\s|,\s", text[: match.start()])[-1]
        named = set(key_words(entity))
        said = " ".join(
            word for word in clause.split() if not set(key_words(word)) <= named or not key_words(word)
        )
        if _FORMS["its_own"].match(said.strip()) and not re.search(r"\b(?:not|never|hardly)\s+\Z", clause):
            return True
    return False
