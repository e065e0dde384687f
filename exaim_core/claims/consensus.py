"""Read what somebody states as the team's consensus or decision, in so many words.

    We all agree that this is an inferior infarction with right ventricular involvement.
    **Final decision:** emergency laparotomy tonight.

The words are kept as written, with their hedges; only words in parentheses and a trailing reason are dropped.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.claims.claim_words import claim_of
from exaim_core.claims.claims import Claim, Kind, Part
from exaim_core.claims.meant import TITLES, LabelSense, heads, heads_condition, meant, sense_of
from exaim_core.lexicon.kinds import names_condition
from exaim_core.lexicon.named import labelled, names_to_do
from exaim_core.lexicon.options import without_letter
from exaim_core.lexicon.phrases import is_noise
from exaim_core.text.assertion import statuses_of
from exaim_core.text.marks import is_machinery
from exaim_core.text.names import is_moderator
from exaim_core.text.rows import lexicon
from exaim_core.text.units import Sentence
from exaim_core.text.wording import word_count

MOST_WORDS: Final = 16  # words of a consensus that is spoken; a longer one stands on the page
_FORMS: Final = lexicon("claims/consensus")
_FINAL: Final = _FORMS.late("final")
"""Words that only a chair may say on behalf of all, wherever in the sentence they stand."""


def consensus(agent_id: str, unit: Sentence) -> list[Claim]:
    """Return what `unit` states as a consensus or a decision; [] for nothing.

    The claim's `part` is the view if the words name a condition, else the plan. Under a title, what stands behind a
    label is decided only if that label allows it (`meant.py`): it is then `titled`.
    """
    if is_noise(unit.text) and not unit.item:
        return []
    chairs = is_moderator(agent_id)  # anybody but a chair gives a view of their own under "Verdict"
    above = (*unit.above[-2:], unit.heading) if chairs or not unit.listed else ()
    if unit.keyed:
        above = above[-1:]  # a decision in JSON stands under its own key
    names = tuple(name for name in (unit.item or "", *above) if chairs or _FORMS["shared"].search(name))
    titles = tuple(filter(_is_title, names)) if unit.opens else ()
    if (words := _said(unit.text, chairs)) is not None:
        titles = ()
    elif titles and not any(_UNSETTLED.match(name) for name in names if name):
        words = _under_title(unit)
    if not words or is_machinery(words) or not (sense := meant(unit, words, titles)).holds:
        return []
    view = sense is not LabelSense.PLAN and (is_view(words) or (bool(titles) and heads_condition(words)))
    if unit.listed and not view:
        return []
    text = f"{titles[0]}: {unit.full}" if titles and unit.listed else unit.full
    part = Part.VIEW if view else Part.PLAN
    made = claim_of(agent_id, Kind.CONCLUDES, unit, entity=words, text=text, part=part, titled=bool(titles))
    return [made]


def _is_title(name: str) -> bool:
    return _FORMS["title"].fullmatch(name.strip(" :.")) is not None


def is_view(words: str) -> bool:
    """Return whether a conclusion opens with a condition: a diagnosis, and no test or treatment for one."""
    opening = " ".join(re.split(r"[,;]\s", words)[0].split()[:6])
    return names_condition(opening) and not names_to_do(opening)


_UNSETTLED: Final = _FORMS.late("unsettled")
"""How a title begins if what stands under it is not agreed, whatever that says."""


@lru_cache(maxsize=2048)
def _said(text: str, chairs: bool) -> str | None:
    """Return what a sentence calls agreed, fit to be spoken; "" if it is not fit, None for nothing."""
    found = (
        _FORMS["said"].search(text)
        or _FORMS["named"].search(text)
        or (_FINAL.search(text) if chairs else None)
    )
    if found is None:
        return None
    opening = text[: found.start("words")]
    return "" if _FORMS["not_stated"].search(opening) else _fit(found["words"]) or ""


def _under_title(unit: Sentence) -> str | None:
    """Return what a title says is decided, as written, without its own label; None if it is not fit.

    A label that names the condition itself is told with what stands behind it, if that says how it is meant.
    """
    label, rest = labelled(unit.text)
    text = rest if label and sense_of(label) in TITLES else unit.text
    if not unit.item or not heads(unit.item):
        return _fit(text)
    beside = [part for part in re.split(r"[,;] ", text) if not _FORMS["who_agrees"].search(part)]
    return _fit(
        ", ".join([unit.item, *beside]) if any(statuses_of(part, "") for part in beside) else unit.item
    )


def _fit(words: str) -> str | None:
    said = re.split(r"(?<=\w)[.;](?=\s|\Z)", without_letter(words), maxsplit=1)[0].strip(' .:,*"“”')
    said = re.sub(r"\A(?:this|it) (?:is|represents) (?=\w)", "", said, flags=re.IGNORECASE)
    said = re.sub(r"\s*\([^()]*\)", "", said)
    if (rest := _FORMS["bare_diagnosis"].match(said)) is not None:
        said = re.sub(r"(,| and) on (?=\w)", r"\1 ", said[rest.end() :])  # it does not say which
    if word_count(said) > MOST_WORDS // 2:
        said = _FORMS["trailing"].sub("", said).strip(" ,")
    fits = 0 < word_count(said) <= MOST_WORDS and not said.endswith(("?", ":"))
    return said if fits and is_of_the_case(said) else None


def about_the_debate(words: str, *, but_persons: bool = False) -> bool:
    """Return whether `words` are about the discussion and not about the case.

    With `but_persons` an "I", "you" or "our" alone does not count.
    """
    persons = not but_persons and _FORMS["who_debates"].search(words) is not None
    return persons or _FORMS["of_the_debate"].search(words) is not None


def is_of_the_case(words: str) -> bool:
    """Return whether `words` name a condition, a test or a measure, and are not about the discussion."""
    return not about_the_debate(words) and (names_condition(words) or names_to_do(words))
