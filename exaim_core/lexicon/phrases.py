"""Phrases of clinical prose: courtesies, conditions, statements of a leading view."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.drugs import DRUG
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import key_words, word_count

_FORMS: Final = lexicon("lexicon/phrases", drug=DRUG.pattern)
_COURTESY: Final = _FORMS["courtesy"]
_PLACEHOLDER: Final = _FORMS["placeholder"]
_TERMINATE: Final = re.compile(r"\bTERMINATE\w*\b", re.IGNORECASE)
NOTHING: Final = _FORMS["nothing"]
_DEFINITION: Final = _FORMS["definition"]

PRONOUN: Final = _FORMS["pronoun"]
_COND_PAREN: Final = _FORMS["cond_paren"]
_COND_START: Final = _FORMS["cond_start"]
_COND_ANY: Final = _FORMS["cond_any"]
_NO_COND: Final = _FORMS["no_cond"]

_MOST: Final = _FORMS.part("most")
_AS_THE_MOST: Final = _FORMS["as_the_most"]
_DIAGNOSIS_IS: Final = _FORMS["diagnosis_is"]
_IS_THE_MOST: Final = _FORMS["is_the_most"]
_FAVOURS: Final = _FORMS["favours"]
_UNITED_ON: Final = _FORMS["united_on"]
_AGREED_UPON: Final = _FORMS["agreed_upon"]
_CONSENSUS_IS: Final = _FORMS["consensus_is"]
_DIAGNOSES: Final = _FORMS["diagnoses"]
_IS_DIAGNOSIS: Final = _FORMS["is_diagnosis"]
_X_LEADS: Final = _FORMS["x_leads"]
_PUTS_FIRST: Final = _FORMS["puts_first"]
_CARE: Final = _FORMS["care"]
_NO_DISEASE: Final = _FORMS["no_disease"]
_FIRST_TO_DO: Final = _FORMS["first_to_do"]
_FIRST_CHOICE: Final = _FORMS["first_choice"]
_UNTIL_PROVEN: Final = _FORMS["until_proven"]
_IT_IS: Final = _FORMS["it_is"]
_MY_BET: Final = _FORMS["my_bet"]
_FITS_BEST: Final = _FORMS["fits_best"]
_NO_DIAGNOSIS: Final = _FORMS["no_diagnosis"]
_ELSEWHERE: Final = _FORMS["elsewhere"]
_DIAGNOSIS_OF: Final = _FORMS["diagnosis_of"]
_THAT: Final = _FORMS["that"]
_NO_ENTITY: Final = _FORMS["no_entity"]
_ENTITY_END: Final = _FORMS["entity_end"]
_WITHDRAW: Final = _FORMS["withdraw"]
_CHANGED: Final = _FORMS["changed"]
_AGREES: Final = _FORMS["agrees"]
_TENTATIVE: Final = _FORMS["tentative"]
_ASIDE: Final = _FORMS["aside"]
_DOUBT: Final = _FORMS["doubt"]
_ITS_OWN: Final = _FORMS["its_own"]
_REJECT: Final = _FORMS["reject"]


def is_noise(text: str) -> bool:
    """Tell whether `text` is a courtesy, a question, a placeholder or a stop word for the machinery."""
    return bool(
        not text
        or text.endswith("?")
        or _COURTESY.match(text)
        or _PLACEHOLDER.match(text)
        or _TERMINATE.search(text)
    )


def is_question(text: str) -> bool:
    """Tell whether `text` asks, or is a placeholder or a stop word for the machinery."""
    return bool(not text or text.endswith("?") or _PLACEHOLDER.match(text) or _TERMINATE.search(text))


_REQUEST: Final = _FORMS["request"]
_BACK: Final = _FORMS["back"]


_SETTLED: Final = _FORMS["settled"]


def says_settled(text: str) -> bool:
    """Tell whether the moderator says that all are of one mind now."""
    return _SETTLED.search(text) is not None and not re.search(
        r"\bnot (?:yet )?(?:settled|resolved|unanim)", text, re.IGNORECASE
    )


def says_changed(text: str) -> bool:
    """Tell whether a speaker says in so many words that it has changed its mind."""
    return _SAYS_CHANGED.search(text) is not None


_SAYS_CHANGED: Final = _FORMS["says_changed"]


@lru_cache(maxsize=512)
def agrees_with(text: str, agent_id: str) -> bool:
    """Tell whether the speaker agrees with the named agent as a whole, and not "on" something."""
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


def is_request(text: str) -> bool:
    """Tell whether `text` asks something of another agent, and not of who looks after the patient."""
    return _REQUEST.search(text) is not None


def supposes(text: str) -> bool:
    """Tell whether `text` is a supposition with what would follow from it, such as "if he bleeds, it would kill"."""
    return re.match(r"(?:if|should)\b[^,;.]+, \w+ ", text, re.IGNORECASE) is not None


def points_back(text: str) -> bool:
    """Tell whether `text` says "it" or "them" of something that is named before it, and not in it."""
    found = _BACK.search(text)
    return found is not None and not re.match(r"\s+(?:is|was|seems|would be)\b", text[found.end() :])


def is_definition(text: str) -> bool:
    """Tell whether `text` says what a disease is like in general, not what this patient has."""
    return _DEFINITION.search(text) is not None


@lru_cache(maxsize=2048)
def condition_in(term: str, text: str) -> str | None:
    """Return the condition that a recommendation hangs on, as written; "" if it has one that is too long."""
    if (found := _COND_PAREN.search(term)) is not None:
        return _short(found["c"])
    if _NO_COND.search(text):
        return None
    found = _COND_START.match(text) or _COND_ANY.search(text)
    return _short(found.group()) if found else None


def _short(condition: str) -> str:
    condition = condition.strip(" ,.;:")
    return condition[:1].lower() + condition[1:] if word_count(condition) <= 9 else ""


_CHOICES: Final = (_FIRST_CHOICE, _UNTIL_PROVEN, _IT_IS, _MY_BET)  # said of drugs and tests too
_TOGETHER: Final = (_UNITED_ON, _AGREED_UPON)
_OWN: Final = _FORMS["own"]
_UNITED: Final = _FORMS["united"]
_PLAIN_LEADS: Final = (
    _FAVOURS,
    _DIAGNOSES,
    _IS_DIAGNOSIS,
    _CONSENSUS_IS,
    _X_LEADS,
    _FITS_BEST,
    _PUTS_FIRST,
    _UNITED_ON,
    _AGREED_UPON,
    *_CHOICES,
)


@lru_cache(maxsize=2048)
def stated_lead(text: str) -> str | None:
    """Return the diagnosis that `text` states to be the leading one, as written; None if it states none."""
    if _TENTATIVE.search(text) and not re.search(_MOST, text, re.IGNORECASE):
        return None
    if _ELSEWHERE.search(text) or text.endswith("?"):
        return None
    own, united = _OWN.search(text), _UNITED.search(text)
    for pattern in (_AS_THE_MOST, _DIAGNOSIS_IS, _DIAGNOSIS_OF, _IS_THE_MOST, *_PLAIN_LEADS):
        if (pattern in _CHOICES and own is None) or (pattern in _TOGETHER and united is None):
            continue
        if (match := pattern.search(text)) is not None:
            entity = _THAT.sub("", match["e"])
            if pattern is not _IS_THE_MOST:
                end = _ENTITY_END.search(entity)
                entity = entity[: end.start()] if end else entity
            entity = entity.strip(" ,.*")
            if (
                entity
                and not (pattern in {_PUTS_FIRST, *_CHOICES} and _FIRST_TO_DO.search(entity))
                and not (pattern in _CHOICES and (DRUG.search(entity) or _CARE.search(entity)))
                and not _NO_DISEASE.search(entity)
                and word_count(entity) <= 12
                and not PRONOUN.search(entity)
                and not _NO_ENTITY.match(entity)
                and not (pattern in _PLAIN_LEADS and (word_count(entity) > 7 or _NO_DIAGNOSIS.search(entity)))
            ):
                return entity
    return None


def states_plainly(text: str) -> bool:
    """Tell whether a sentence that opens like a courtesy states a leading diagnosis all the same."""
    opens = _FAVOURS.match(text) is not None or _is_united(text)
    return opens and not is_question(text) and stated_lead(text) is not None


def _is_united(text: str) -> bool:
    if _UNITED.search(text) is None:
        return False
    return _UNITED_ON.match(text) is not None or _AGREED_UPON.match(text) is not None


def withdrawn(text: str) -> str | None:
    """Return what `text` withdraws, as written; "" if it says only that a mind has changed; else None."""
    if (match := _WITHDRAW.search(text)) is not None:
        return match["e"].strip()
    return "" if _CHANGED.search(text) else None


_JOINS: Final = _FORMS["joins"]


def joins_in(text: str) -> str:
    """Return on what the speaker says to join the consensus, as written; "" if it says no such thing."""
    found = _JOINS.search(text)
    return found["e"] if found is not None and not is_aside(text) else ""


def agrees(text: str) -> bool:
    """Tell whether the speaker says to agree."""
    return _AGREES.search(text) is not None


def is_tentative(text: str) -> bool:
    """Tell whether `text` offers its diagnosis as a possibility only."""
    return _TENTATIVE.search(text) is not None


def is_aside(text: str) -> bool:
    """Tell whether `text` speaks of adding or ranking diagnoses, rather than of leading with one."""
    return _ASIDE.search(text) is not None and not _is_united(text)


def stance_words(text: str) -> str:
    """Return "rejects", "doubts" or "proposes": how `text` stands to the diagnosis that it explains."""
    if _REJECT.search(text) and not re.search(
        r"\b(?:need|needs|to|must|should|cannot|can't) be (?:ruled out|excluded)|not (?:be )?(?:ruled out|excluded)|(?:cannot|not) (?:entirely |completely )?(?:rule|exclude|dismiss|eliminat)",
        text,
        re.IGNORECASE,
    ):
        return "rejects"
    return "doubts" if _DOUBT.search(text) else "proposes"


def doubt_in(text: str) -> str:
    """Return the words of a doubt, as written: "a very low-probability", "less likely"; "" for none."""
    found = re.search(
        rf"(?:\b(?:a|very|much|far|rather|somewhat|clearly|considerably)\s+)*{_DOUBT.pattern}",
        text,
        re.IGNORECASE,
    )
    return re.sub(r"^an? ", "", found.group()) if found else ""


def doubts(text: str, entity: str) -> bool:
    """Tell whether `text`, which explains `entity`, holds just that for less likely, and not something beside it."""
    for match in _DOUBT.finditer(text):
        clause = re.split(r"[.;:]\s|,\s", text[: match.start()])[-1]
        named = set(key_words(entity))
        said = " ".join(
            word for word in clause.split() if not set(key_words(word)) <= named or not key_words(word)
        )
        if _ITS_OWN.match(said.strip()) and not re.search(r"\b(?:not|never|hardly)\s+\Z", clause):
            return True
    return False
