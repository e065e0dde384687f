"""Check a model's claim: every part of it must stand in the sentences that it cites.

A claim with an invented number, a holder who did not speak or a slot that is not there is dropped. If the sentence
shows a stance, hedge or condition otherwise, or the wording is unlike it, the sentence is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from exaim_core.claims.claims import Worth
from exaim_core.claims.quotes import with_title
from exaim_core.grounding.placed import tells
from exaim_core.grounding.seen import FREE, seen
from exaim_core.grounding.sight import doubts, marks_at, says_no, unlike, verbatim
from exaim_core.lexicon.alone import points_away
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.readings.lettered import defines, labels_in, with_things
from exaim_core.readings.naming import (
    antecedent,
    brought,
    is_affirmed,
    is_elsewhere,
    labelled,
    lacks,
    lead_of,
    may_be_another,
    named_before,
    without_thing,
)
from exaim_core.readings.port import Numbered, ReadClaim, ReadingRequest, ReadKind, ReadStance
from exaim_core.readings.quoting import MEASURED, quotation
from exaim_core.text.assertion import NOT_OURS_NOW, statuses_of
from exaim_core.text.figures import in_figures
from exaim_core.text.names import opens_with, person
from exaim_core.text.places import Source
from exaim_core.text.sections import Section, classify
from exaim_core.text.units import Sentence
from exaim_core.text.wording import upper_first, word_count

SAY_WORDS: Final = 16  # 14 are asked for; a number with its unit counts as two or three here
MOST_CITES: Final = 4
NO_WORDING: Final = "no wording"
LONG: Final = "the wording is no short sentence"
LABEL: Final = "a label is lost"
POINTS: Final = "what it points to is not named"
NOWHERE: Final = "cites a sentence that is not there"
UNNAMED: Final = "what a letter or a number stands for is not told"
FAR: Final = "what it is about can't be told with it"
_ANNOUNCED: Final = frozenset({ReadKind.LEADING, ReadKind.DECISION})
"""Kinds that a label announces in its own words: "That is the end of it:".

Only a denial or a doubt in such a label counts.
"""
_FIRM: Final = frozenset(
    {ReadKind.LEADING, ReadKind.CONFIRMED, ReadKind.EXCLUDED, ReadKind.ACTION, ReadKind.EMERGENCY}
)
_ASKS: Final = frozenset({ReadKind.OPEN_QUESTION, ReadKind.TEST, ReadKind.DISAGREEMENT})
WORTH: Final[Mapping[ReadKind, Worth]] = {
    ReadKind.VALUE: Worth.VALUES,
    ReadKind.FINDING: Worth.VALUES,
    ReadKind.LEADING: Worth.VIEW,
    ReadKind.DIFFERENTIAL: Worth.VIEW,
    ReadKind.EXCLUDED: Worth.RESULT,
    ReadKind.CONFIRMED: Worth.RESULT,
    ReadKind.TEST: Worth.ORDER,
    ReadKind.ACTION: Worth.ORDER,
    ReadKind.PROHIBITION: Worth.PROHIBITION,
    ReadKind.EMERGENCY: Worth.URGENT,
    ReadKind.CORRECTION: Worth.CORRECTION,
    ReadKind.AGREEMENT: Worth.VIEW,
    ReadKind.DISAGREEMENT: Worth.VIEW,
    ReadKind.CHANGE: Worth.CORRECTION,
    ReadKind.DECISION: Worth.CONCLUSION,
    ReadKind.OPEN_QUESTION: Worth.VIEW,
}


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim that passed, with what it rests on. If `wording` is "", `quote` is told instead.

    `typed`: its kind and stance passed too, so that the board may take it in. `resolved`: the last cited sentence
    with the thing of an earlier one in place of its pronoun, if the wording says so; else "". `behind`: another
    agent's sentence that names the thing, if its own do not, and the words of it that are told before the claim.
    `unnamed`: its quotation lacks a thing that its wording names, and no sentence that may be told before it has it.
    """

    claim: ReadClaim
    cited: tuple[Numbered, ...]
    wording: str
    quote: str
    typed: bool
    resolved: str = ""
    behind: tuple[Numbered, str] | None = None
    unnamed: bool = False

    @property
    def own(self) -> tuple[Numbered, ...]:
        """Return the sentences that the claim itself cites: one that only names its thing is not read by it."""
        return tuple(each for each in self.cited if each.number in self.claim.cites)

    @property
    def source(self) -> Source:
        """Return the deltas that the claim rests on, and the words of each cited sentence."""
        sources = [each.unit.source for each in self.cited]
        return replace(
            reduce(Source.to, [each for each in sources if each.agent_id == sources[0].agent_id]),
            first_seq=min(each.first_seq for each in sources),
            last_seq=max(each.last_seq for each in sources),
            at_s=max(each.at_s for each in sources),
        )

    @property
    def text(self) -> str:
        """Return the cited sentences as they were said, or the `resolved` one."""
        return self.resolved or " ".join(each.text for each in self.cited)


@dataclass(frozen=True, slots=True)
class RefusedClaim:
    """A claim that may not leave, and why; holds no clinical text."""

    reason: str


def home_of(claim: ReadClaim, request: ReadingRequest) -> int:
    """Return the number of the last new sentence on which a claim rests; 0 for none."""
    return max(
        (each.number for each in request.sentences if each.new and each.number in claim.cites), default=0
    )


def check(claim: ReadClaim, request: ReadingRequest) -> tuple[Checked | RefusedClaim, str]:
    """Return what of `claim` passes, and why its wording does not ("" if it does).

    Cited sentences of other agents count as said before it: they may only name its thing. Its speaker's own sentences
    before it may name its thing too, and are quoted for nothing else.
    """
    by_number = {each.number: each for each in request.sentences}
    numbers = dict.fromkeys((*claim.before, *claim.cites))
    if any(number not in by_number for number in numbers) or not claim.cites:
        return RefusedClaim(NOWHERE), NOWHERE
    home = home_of(claim, request)
    speaker = by_number[home].agent if home else ""
    claim = as_shown(claim, request, speaker)
    cited = tuple(by_number[n] for n in dict.fromkeys(claim.cites) if by_number[n].agent == speaker)
    others = [each for n in numbers if (each := by_number[n]) not in cited and n < home]
    shown = [each for each in request.sentences if each.number < home]
    theirs = [each for each in others if each.agent != speaker]
    about = named_before(claim, cited, theirs) or antecedent(claim, cited, shown)
    far = about is None and is_elsewhere(claim.slots.get("entity", ""), cited, shown)
    if far:
        claim = replace(claim, slots={name: each for name, each in claim.slots.items() if name != "entity"})
    own_thing = about is not None and about.agent == speaker
    quotable = cited
    if about is not None and own_thing:
        cited, about = (about, *cited), None
    reason = _cites(cited) or _holder(claim, speaker) or _slots(claim, cited, about)
    if reason:
        return RefusedClaim(reason), reason
    said = claim if about is None else replace(claim, say=without_thing(claim.say, claim.slots["entity"]))
    text = [each.text for each in cited]
    doubt = _stance(said, text)
    wording = "" if doubt else said.say
    unsaid = doubt or _wording(said, cited, request)
    if unsaid:
        wording = ""
    quote = "" if wording else quotation(claim, quotable)
    if not wording and not quote:
        made = "" if doubt else _from_slots(claim, text)
        wording = made if made and not _wording(replace(claim, say=made), cited, request) else ""
    if not wording and not quote:
        return RefusedClaim(f"no quotation: {unsaid}"), unsaid
    quote = quote if wording else labelled(quote, claim, cited)
    if about is not None:
        lead = lead_of(about, claim.slots["entity"], word_count(wording or quote))
        if not lead:
            return RefusedClaim(FAR), FAR
        behind: tuple[Numbered, str] | None = (about, lead)
    else:
        behind = None if wording else brought(claim.say, cited, theirs, word_count(quote))
    unnamed = not (wording or behind) and (far or lacks(quote, claim, cited, shown))
    if any(not defines(behind, label) for label in labels_in(wording or quote)):
        return RefusedClaim(UNNAMED), UNNAMED
    typed = not (doubt or about or far or own_thing) and _may_be_typed(claim, text, unsaid)
    resolved = _resolved(wording, cited, request) if wording else ""
    return Checked(claim, cited, wording, quote, typed, resolved, behind, unnamed), unsaid


def as_shown(claim: ReadClaim, request: ReadingRequest, speaker: str) -> ReadClaim:
    """Return a claim with its numbers as in the shown sentences and the holder's spoken name."""
    name = request.names.get(speaker, "")
    return replace(
        claim,
        hedge=in_figures(claim.hedge),
        condition=in_figures(claim.condition),
        slots={slot: in_figures(value) for slot, value in claim.slots.items()},
        say=with_things(_named(in_figures(claim.say), name, speaker), claim, request),
    )


_MOST_NAMED: Final = 3  # words of a name at the start of a sentence
_LEAST_ALIKE: Final = 4  # letters that two forms of a name share: "nephro", "nephrology"
_NO_NAMES: Final = frozenset({"the", "a", "an", "agent", "doctor", "dr", "professor", "of", "and"})


def _named(say: str, name: str, agent_id: str) -> str:
    """Return a wording without the speaker's name before a colon, and with the spoken name before "says".

    Anywhere else the same words are about the patient: "cardiac tamponade" of `card`, "1 unit" of `agent_1`. The
    holder is checked separately (`_holder`), and is told before the wording.
    """
    telling = {word.lower() for word in re.findall(r"[^\W\d_]+", f"{name} {agent_id}")} - _NO_NAMES
    end = 0
    for word in [*re.finditer(r"[^\W\d_]+|\d+", say)][:_MOST_NAMED]:
        said = word[0].lower()
        if said in _NO_NAMES or (end and said.isdigit()):
            continue
        if not any(said == part or (len(part) >= _LEAST_ALIKE and said.startswith(part)) for part in telling):
            break
        end = word.end()
    rest = say[end:]
    if numbered := re.match(r"[ _-]?\d{1,2}(?=:| [a-z])", rest):
        rest = rest[numbered.end() :]
    if not end or not name:
        return say
    if rest.startswith(":"):
        return upper_first(rest[1:].strip())
    return f"{name}{rest}" if opens_with(f"{name}{rest}", name) else say


def _own_words(say: str, speaker: str, request: ReadingRequest) -> str:
    """Return a wording without its speaker's name, if it opens with that name and a verb of saying."""
    name = request.names.get(speaker, "")
    return say[len(name) :].strip() if opens_with(say, name) else say


_HARMLESS: Final = frozenset(
    {"", NO_WORDING, LONG, POINTS, "a word is not in the cited text", "what belongs apart is put together"}
)
"""Reasons for which a wording may not be used although kind and stance may stand."""


def _may_be_typed(claim: ReadClaim, text: list[str], unsaid: str) -> bool:
    """Return whether kind and stance stand, because the wording shows no sign that they were misread."""
    marks = frozenset[str]().union(*(marks for each in text for marks in seen(each).marks))
    if unsaid not in _HARMLESS:
        return False
    if any(says_no(each) for each in text) and claim.kind in {
        *(ReadKind.ACTION, ReadKind.EMERGENCY, ReadKind.DECISION),
    }:
        return False  # the sentence says whether it is decided or to be done
    if claim.kind is ReadKind.DECISION and any(statuses_of(each, "") & NOT_OURS_NOW for each in text):
        return False
    if (
        "condition" in marks
        and not claim.condition
        and claim.kind in {*_FIRM, ReadKind.DECISION, ReadKind.TEST}
    ):
        return False
    if claim.kind in {ReadKind.DECISION, ReadKind.CONFIRMED} and not claim.hedge:
        return not {"weak", "strong"} & marks
    return True


_SLOTS: Final = ("side", "entity", "value", "unit", "from", "to", "dose", "time")
_BARE: Final = frozenset(
    {ReadKind.VALUE, ReadKind.FINDING, ReadKind.TEST, ReadKind.ACTION, ReadKind.EMERGENCY}
)


def _from_slots(claim: ReadClaim, text: list[str]) -> str:
    """Return the claim's own slots joined in the order of the text, if that leaves nothing out; else ""."""
    if claim.kind not in _BARE or claim.stance is not ReadStance.AFFIRMED or "entity" not in claim.slots:
        return ""
    home = next((each for each in text if verbatim(claim.slots["entity"], each)), "").lower()
    there = [
        (home.find(claim.slots[name].lower()), claim.slots[name]) for name in _SLOTS if name in claim.slots
    ]
    words = " ".join(dict.fromkeys(value for at, value in sorted(there) if at >= 0))
    if word_count(words) < 2 or unlike(words, text, strict=True) is not None:
        return ""
    return f"{upper_first(words)}."


def _cites(cited: Sequence[Numbered]) -> str:
    if not any(each.new for each in cited):
        return "cites nothing new"
    if any(each.unit.doubted for each in cited):
        return "its words are told as they stand"
    return "cites too much" if len(cited) > MOST_CITES else ""


def _holder(claim: ReadClaim, speaker: str) -> str:
    return "" if person(claim.holder) == speaker else "the holder did not say it"


def _slots(claim: ReadClaim, cited: Sequence[Numbered], about: Numbered | None) -> str:
    words = [("hedge", claim.hedge), ("condition", claim.condition), *claim.slots.items()]
    for name, value in words:
        there = cited if name != "entity" or about is None else (about,)
        if value and not any(verbatim(value, each.text) for each in there):
            return f"{name} is not in the cited text"
    return ""


def _stance(claim: ReadClaim, cited: list[str]) -> str:
    """Return how kind and stance differ from the cited sentences, by a reader that knows no claims."""
    about = claim.slots.get("entity") or claim.slots.get("to") or claim.say
    marks = marks_at(about, cited)
    if claim.stance is ReadStance.AFFIRMED and claim.kind in _FIRM:
        if "weak" in marks:
            return "a doubt is told as certain"
        if "condition" in marks and not claim.condition and claim.kind is not ReadKind.LEADING:
            return "a condition is lost"
    if claim.kind in {ReadKind.LEADING, ReadKind.CONFIRMED} and claim.stance is ReadStance.AFFIRMED:
        if "denied" in marks:
            return "a denial is lost"
    if claim.kind is ReadKind.EXCLUDED and not {"denied", "result"} <= marks:
        return "nothing is excluded there"
    if claim.kind is ReadKind.CONFIRMED and (
        {"denied", "weak", "strong", "condition"} & marks or "result" not in marks
    ):
        return "it is not confirmed there"
    if claim.stance is ReadStance.DENIED and "denied" not in marks:
        return "nothing is denied there"
    if any(seen(each).asked for each in cited) and len(cited) == 1 and claim.stance is not ReadStance.ASKED:
        if claim.kind not in _ASKS:
            return "a question is told as an answer"
    return ""


def _wording(claim: ReadClaim, cited: Sequence[Numbered], request: ReadingRequest) -> str:
    """Return why a wording may not be used; "" if it may.

    A denial or a doubt in a heading or a label above a sentence counts, and so does one in another clause of it:
    nothing is concluded about what it belongs to.
    """
    text = [each.text for each in cited]
    whole = [with_title(each.unit) for each in cited]
    if not claim.say:
        return NO_WORDING
    if word_count(claim.say) > SAY_WORDS or re.search(r"[\n*_`#{}<>|]|https?:", claim.say):
        return LONG
    own = _own_words(claim.say, cited[-1].agent, request)
    if unlikeness := unlike(own, text, strict=True):
        if not _in_place_of_a_pronoun(own, cited[-1], request):
            return unlikeness
        cited, text, whole = cited[-1:], text[-1:], whole[-1:]  # the other sentence only gave the thing
    if points_away(own):
        return POINTS
    if claim.kind not in _ANNOUNCED and any(_label_is_lost(claim, each.unit) for each in cited):
        return LABEL
    if claim.kind is ReadKind.PROHIBITION and not prohibits(claim.say):
        return "a denial is lost"
    denied = any(says_no(each) for each in whole)
    if claim.kind in MEASURED and claim.stance is ReadStance.AFFIRMED:
        denied = any(says_no(each.unit.heading) for each in cited)
    as_said = claim.kind is ReadKind.PROHIBITION and any(verbatim(claim.say, each) for each in text)
    if (denied or claim.kind is ReadKind.EXCLUDED) and not as_said and not says_no(claim.say):
        return "a denial is lost"
    if doubts(whole) > doubts([claim.say]):
        return "a doubt is told as certain"
    return ""


_PART: Final = re.compile(r";\s+|(?<=[.!?])\s+")
_ANNOUNCES: Final = frozenset(
    {Section.LEADING, Section.TESTS, Section.ACTIONS, Section.CRITICAL, Section.PRIORITY, Section.AGREEMENT}
)
"""What a label may announce and be left out, as the claim's kind says as much."""


def _stating(text: str) -> set[str]:
    """Return the words of a text that state, deny or doubt something."""
    return {word.form for word in seen(text).words if word.form not in FREE and word.form != ","}


def _label_is_lost(claim: ReadClaim, unit: Sentence) -> bool:
    """Return whether a wording omits the label, before a colon, of a part of the sentence that it tells.

    Nobody knows what a label says about its words ("Excluded:", "Wrong bed:"), except for those that only announce a
    kind. In a table's row no comment may be left out either: a cell without a number.
    """
    said = _stating(claim.say)
    parts = [(labels, rest) for *labels, rest in (part.split(": ") for part in _PART.split(unit.full))]
    if unit.row and claim.kind in MEASURED:
        comments = [rest for _, rest in parts if not re.search(r"\d", rest)]
        if any(_stating(rest) - said for rest in comments):
            return True
    held = [(labels, {*_stating(rest), *_stating(" ".join(labels))} & said) for labels, rest in parts]
    left = {word.form for word in seen(claim.say).words if tells(word)}
    while left:
        most = max((len(words & left) for _, words in held), default=0)
        told = [(labels, words) for labels, words in held if most and len(words & left) == most]
        if not told:
            return False
        for labels, words in told:
            left -= words
            if any(_stating(label) - said and classify(label) not in _ANNOUNCES for label in labels):
                return True
    return False


_PRONOUN: Final = re.compile(
    r"\A(?:it|they|this(?= (?:is|was|has|had|should|must|can|could|needs)\b))(?= )", re.IGNORECASE
)
_SUBJECT: Final = re.compile(
    r"\A(?:(?:the|an?) )?(?P<thing>[\w/-]+(?: [\w/-]+){0,3}?) "
    r"(?:(?P<one>is|was|has|goes|stays|remains|runs|looks|needs)|"
    r"(?P<many>are|were|have|go|stay|remain|run|look|need)|had|shall|should|must|can)\b",
    re.IGNORECASE,
)


def _resolved(wording: str, cited: Sequence[Numbered], request: ReadingRequest) -> str:
    """Return the sentence that a wording tells with its thing named; "" if it tells it as it is."""
    own = _own_words(wording, cited[-1].agent, request)
    if unlike(own, [each.text for each in cited], strict=True) is None:
        return ""
    return _in_place_of_a_pronoun(own, cited[-1], request)


def _in_place_of_a_pronoun(say: str, last: Numbered, request: ReadingRequest) -> str:
    """Return the last cited sentence with the subject before it in its pronoun's place, if `say` says so.

    "It runs at 5 ml an hour", after "Milrinone is on": "Milrinone runs at 5 ml an hour". Only if the pronoun opens
    its sentence, and the thing is all words up to the verb of the sentence right before, which is affirmed. "That" does
    not count.
    """
    before = [e for e in request.sentences if e.number < last.number and e.agent == last.agent][-1:]
    pronoun = _PRONOUN.match(last.unit.full)
    if pronoun is None or not before or not is_affirmed(before[0].text):
        return ""
    one, two = before[0].unit, last.unit
    subject = _SUBJECT.match(one.full)
    if subject is None or one.row or two.row or one.heading != two.heading:
        return ""
    if subject["one" if pronoun[0].lower() == "they" else "many"]:
        return ""
    thing = subject["thing"]
    if not all(tells(word) and not word.number for word in seen(thing).words):
        return ""
    if may_be_another(thing, one.full):
        return ""
    put = f"{thing}{two.full[pronoun.end() :]}"
    return put if unlike(say, [put], strict=True) is None else ""
