"""Name what a claim is about, if the sentences that it rests on do not.

A reader knows from what was said before what "half of that" is half of; a clinician who hears only that sentence does
not. So it is told after the words that name its thing. If no shown sentence may be told so, it goes on the page only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from exaim_core.grounding.placed import tells
from exaim_core.grounding.seen import seen
from exaim_core.grounding.sight import says_no, verbatim
from exaim_core.lexicon.alone import MOST_JOINED, hangs
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_condition, names_test
from exaim_core.lexicon.named import is_known
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.readings.port import Numbered, ReadClaim
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.wording import lower_first, upper_first, word_count

MOST_LEAD: Final = 14  # words of another agent before a claim
_TAKEN: Final = re.compile(r"[^\W_]+(?:[-/.,][^\W_]+)*%?")


def named_before(claim: ReadClaim, cited: Sequence[Numbered], others: Sequence[Numbered]) -> Numbered | None:
    """Return the last sentence of another agent that names the claim's thing; None if its own name it."""
    entity = claim.slots.get("entity", "")
    if not entity or _is_named(entity, cited):
        return None
    there = [each for each in others if verbatim(entity, each.text)]
    return max(there, key=lambda each: each.number, default=None)


def antecedent(claim: ReadClaim, cited: Sequence[Numbered], shown: Sequence[Numbered]) -> Numbered | None:
    """Return the last shown sentence that names the claim's thing, if no later one names a similar thing.

    The model's reading and the order of what was said then agree, though the sentence was not cited.
    """
    entity = claim.slots.get("entity", "")
    if not is_elsewhere(entity, cited, shown):
        return None
    for each in sorted(shown, key=lambda one: one.number, reverse=True):
        if verbatim(entity, each.text):
            return None if may_be_another(entity, each.text) else each
        if not _names_no_kind_of(entity, each.text):
            return None
    return None


def is_elsewhere(entity: str, cited: Sequence[Numbered], shown: Sequence[Numbered]) -> bool:
    """Return whether a claim's thing is named in what was shown before it, and not in its own sentences."""
    return bool(entity) and not _is_named(entity, cited) and _is_named(entity, shown)


def _is_named(entity: str, there: Sequence[Numbered]) -> bool:
    return any(verbatim(entity, each.text) for each in there)


def _names_no_kind_of(thing: str, text: str) -> bool:
    """Return whether `text` names nothing of the kind of `thing`: no drug, or no condition and no test."""
    if drugs_named(thing):
        return not drugs_named(text)
    known = names_condition(thing) or names_test(thing)
    return known and not (names_condition(text) or names_test(text))


def brought(
    say: str, cited: Sequence[Numbered], others: Sequence[Numbered], words: int
) -> tuple[Numbered, str] | None:
    """Return another agent's last sentence from which a wording takes a thing, and what is told of it."""
    for each in sorted(others, key=lambda one: one.number, reverse=True):
        if (thing := brings(say, cited, each.text)) and (lead := lead_of(each, thing, words)):
            return each, lead
    return None


def brings(say: str, cited: Sequence[Numbered], sentence: str) -> str:
    """Return the longest run of words that a wording takes from `sentence` and not from those it cites."""
    own = {word.form for each in cited for word in seen(each.unit.full).words}
    taken = {word.form for word in seen(say).words if tells(word)} - own
    runs = [list[str]()]
    for word in _TAKEN.findall(sentence):
        if (forms := {each.form for each in seen(word).words}) and forms <= taken:
            runs[-1].append(word)
        elif runs[-1]:
            runs.append([])
    return max((" ".join(run) for run in runs), key=len)


def lead_of(about: Numbered, entity: str, words: int) -> str:
    """Return the words of `about` told before a claim of so many `words`: all, else only the thing.

    If it is a question, denied, doubted or conditional, no part of it is told.
    """
    whole = about.unit.full
    if word_count(whole) <= min(MOST_LEAD, MOST_JOINED - words):
        return whole
    return upper_first(entity) if is_affirmed(about.text) else ""


_DASH: Final = re.compile(r"\A[–—-]\s+")


def may_name(sentence: Numbered) -> bool:
    """Return whether a thing of the sentence may be told alone: it is not denied, and of nobody else."""
    text = sentence.text
    return not (statuses_of(text, "") & _OF_NO_USE or says_no(text) or prohibits(text))


_OF_NO_USE: Final = frozenset({Status.NEGATED, Status.OTHER_PERSON, Status.BOOKS})


def labelled(quote: str, claim: ReadClaim, cited: Sequence[Numbered]) -> str:
    """Return a quotation that says nothing alone after its thing, if another cited sentence names that."""
    entity = claim.slots.get("entity", "")
    if not is_known(entity) or verbatim(entity, quote) or (is_known(quote) and not hangs(quote)):
        return quote
    home = next((each for each in cited if verbatim(entity, each.text)), None)
    if home is None or may_be_another(entity, home.text) or not may_name(home):
        return quote
    return f"{upper_first(entity)}: {lower_first(_DASH.sub('', quote))}"


_OF_ANY: Final = frozenset(
    {"level", "levels", "test", "tests", "sample", "result", "results", "scan", "dose"}
)
"""Tests whose name alone does not say what they test."""


def lacks(quote: str, claim: ReadClaim, cited: Sequence[Numbered], shown: Sequence[Numbered]) -> bool:
    """Return whether a wording takes a thing from earlier sentences that its quotation lacks.

    It lacks none if it names the drug, condition or test that the claim is about. A word that is no known thing
    ("ruling") counts only if the quotation names no known thing either.
    """
    entity = claim.slots.get("entity", "")
    known = is_known(entity) and entity.lower() not in _OF_ANY
    if known and verbatim(entity, quote):
        return False
    taken = [thing for each in shown if (thing := brings(claim.say, cited, each.text))]
    return any(is_known(thing) or not is_known(quote) for thing in taken)


def without_thing(say: str, entity: str) -> str:
    """Return a wording without the thing that it opens with, which its namer's words tell before it."""
    rest = re.sub(rf"\A{re.escape(entity)}(?!\w)[:,]?\s*", "", say, flags=re.IGNORECASE)
    return upper_first(rest.strip(" :,"))


def may_be_another(thing: str, said: str) -> bool:
    """Return whether a pronoun after `said` may stand for another drug or condition than `thing`."""
    own = {word.form for word in seen(thing).words}
    rest = " ".join(word for word in said.split() if not own & {each.form for each in seen(word).words})
    if drugs_named(thing):
        return bool(drugs_named(rest) - drugs_named(thing))
    return names_condition(thing) and names_condition(rest)


def is_affirmed(text: str) -> bool:
    """Return whether a sentence states what it says of this patient now, by both readers of it."""
    marks = frozenset[str]().union(*seen(text).marks) - {"result"}
    return not (statuses_of(text, "") or marks or seen(text).asked or says_no(text) or prohibits(text))
