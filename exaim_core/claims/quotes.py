"""What is quoted: a sentence whose meaning no outright form reads, and which a clinician should hear all the same.

Nothing is concluded from it. It leaves in its speaker's words, whole or as a whole part between semicolons, so
that no negation, hedge, condition, number or side is lost. Markers only say how much it is worth, and whether
it goes before the rest: a wrong marker costs a moment, no truth.
"""

# ruff: noqa: E501 - a row is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache
from typing import Final

from exaim_core.claims.claims import TOLD, Claim, Kind, ListEnd, Stance
from exaim_core.claims.consensus import about_the_debate
from exaim_core.lexicon.alone import hangs, is_scrap
from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.lexicon.kinds import (
    names_condition,
    names_measure,
    names_test,
    says_something,
    states_condition,
)
from exaim_core.lexicon.options import without_letter
from exaim_core.lexicon.phrases import is_noise, is_request, points_back
from exaim_core.lexicon.prohibitions import lists_prohibited, prohibits, titled
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.names import is_moderator
from exaim_core.text.quantities import quantities
from exaim_core.text.reader import Sentence
from exaim_core.text.rows import Row, any_row
from exaim_core.text.sections import Section
from exaim_core.text.wording import word_count

LEAST_WORDS: Final = 3
USUAL_WORDS: Final = 18  # seven seconds at the default voice's 2.6 words a second
MOST_WORDS: Final = 22  # of what presses: nine seconds with the speaker's name


TITLE_WORDS: Final = 4  # of a heading that is said before its items
_SAYS_LITTLE: Final = re.compile(
    r"(?:\d+[.)]?\s*)?(?:plan|actions?|findings?|evidence|assessment|comments?|notes?|summary|remarks?|now|for|next|next steps?|steps?|"
    r"recommendations?|management|treatment|text|content|message|answer|response|result|results|say|says|said|key findings?|"
    r"subjective|objective|edits|where we stand|to do|corrections?|status|decisions?|minutes|case|position|domain|"
    r"what I (?:accept|would change)|final answer|immediate (?:actions?|steps?)|situation|background|reasoning|rationale|analysis|[SOAP]|S/O|A/P|tonight|today|immediate|statement|opinion|view|agent|role|value)",
    re.IGNORECASE,
)


_EXCEPTS: Final = re.compile(r"(?:no|not|none|never|nothing|only|except|unless|if)\b", re.IGNORECASE)
_NUMBERING: Final = re.compile(r"\A\W*\d{1,2}[.)]\s*")


class Worth(IntEnum):
    """How much a sentence is worth to who listens; from `REMARK` down it is not quoted by itself."""

    NOTHING = 0
    REMARK = 1
    VALUES = 2
    ORDER = 3
    VIEW = 4
    RESULT = 5
    URGENT = 6
    PROHIBITION = 7
    CORRECTION = 8
    CONCLUSION = 9

    @property
    def presses(self) -> bool:
        """Tell whether it goes before all that does not press."""
        return self >= Worth.URGENT


_CORRECTS: Final = any_row(
    (
        Row(
            "the speaker takes back",
            r"(?:I|we)(?: (?:now|hereby|therefore|do|must|have to|fully|also))? (?:take (?:it |that |this )?back|took back|withdr[ae]w|retract|recant|revise|revised|drop(?:ped)?|give up|gave up|abandon(?:ed)?|concede|yield|stand corrected|"
            r"change my|changed my|am changing|was wrong(?! to)|were wrong(?! to)|was mistaken|had not seen|overlooked|missed|correct myself|misread|back down|give way|reverse|would no longer|no longer|moved? (?:it|this)? ?(?:up|down))",
            "I take back urosepsis",
            "I take the view",
        ),
        Row(
            "it is taken back",
            r"scrap that|strike that|struck off|rubbed out|my mistake|my error|I had [^.;]{2,40}[,;] (?:now|but)|(?:is|are) withdrawn|(?:is|are|was) (?:an error|wrong(?! to)|incorrect|mistaken)|on second thoughts?|on reflection|changed my mind|"
            r"correction[:,]|no longer (?:hold|holds|favou?r|favou?rs|think|believe|stands?|on top|first|leads?|likely)|should be (?:struck|corrected|deleted)|belongs to (?:him|her|another|the)",
            "Scrap that, it is PE",
            "a correction of sodium",
        ),
    )
)
_PUTS_RIGHT: Final = any_row(
    (
        Row(
            "called a correction",
            r"(?:correction|erratum|error found|sorry|apologies|mistyped|misprinted|transposed|misread|mislabelled|mixed up|wrong (?:patient|side|sample|tube|bed|units?|dose|drug|way round)|typo)\b(?! (?:of|for) (?:sodium|potassium|calcium|glucose|acidosis))|(?:pls|please) ignore|disregard",
            "Correction: left hip, not right",
            "a correction of sodium",
        ),
        Row(
            "one value in the place of another",
            r",? not \d[\d.,]*(?= ?(?:[.,;)]|\Z))|not (?:the )?(?:left|right|L|R)(?= ?(?:[.,;)]|\Z))|is not (?:this|our|her|his) (?:pt|patient)|(?:bed|bay|room) \d+[’']s|is (?:an|the)other (?:patient|resident)[’']?s?",
            "the gap is 48, not 68",
            "not 3 days later",
        ),
        Row(
            "a view is left",
            r"I (?:no longer|now) (?:support|hold|favou?r|side|accept|put|lead|back)|I (?:was|am) (?:wrong(?! to)|mistaken|less sure)|I(?:['’]ll| will)? take (?:it |this |that )?back|I give up|I accept (?:that|it|his|her|the)",
            "I no longer support it",
            "I now examine her",
        ),
    )
)
_BANS: Final = any_row(
    (
        Row(
            "no with what is done to a patient",
            r"(?:^|(?<=[.;:!—–-] ))(?:absolutely |and )?no (?!(?:need|evidence|sign|signs|history|change|doubt|reason|problem|fever|pain|growth|further|known|significant|obvious|other|clear|such|new|one|more than|less than|consensus|agreement|winner|idea|objection|response|improvement|abnormality|focal|acute|active|recent|previous|prior|family)\b)[a-z][\w-]+(?: [a-z][\w-]+){0,3}(?=[.,;:!]|\Z| (?:until|before|unless|while|if|ever|again|whatever|in|with|at|for|tonight|today|now)\b)",
            "No needles in that arm",
            "no fever",
        ),
        Row(
            "neither of several, with what is not to be done",
            r"neither (?:[\w-]+[ ,]+){1,8}?(?:should|must|may|shall|can|(?:is|are|ought) to) (?:\w+ ){0,2}be \w+",
            "Neither heparin nor aspirin should be given",
            "Neither was given before the scan",
        ),
        Row(
            "nobody, or never, with an act",
            r"(?:nobody|no one|never) (?:\w+ ){0,2}(?:gives?|starts?|stops?|touches|moves|lays?|lifts|springs|at|the|on|in|more|again|unflushed)|(?:do not|don['’]t|must not|mustn['’]t|not to be|on no account|under no circumstances) (?!(?:know|think|agree|disagree|doubt|believe|see|forget|worry|mind|want|have|need|expect|miss|delay|yet|accept|buy|like|support|pick|choose|decide|rule|exclude|explain|fit|prove|mean|add|show|be (?:postponed|delayed|missed|overlooked|forgotten|ignored))\b)[a-z]{2,}",
            "Do not let him go to 14",
            "I do not know",
        ),
        Row(
            "against it",
            r"I (?:would |strongly )?(?:oppose|object to|am against|would rather not|would not|['’]d not|['’]d rather not|would leave|would keep (?:him|her) off)|would leave (?:it |this )?(?:out|aside)|is (?:harmful|premature|dangerous)|(?<=[a-z]: )no\b(?=[.!,]| [—–-])|not (?:today|tonight|now|yet|while|before|until)\b",
            "I oppose rituximab",
            "not later",
        ),
    )
)
_RESULT: Final = any_row(
    (
        Row(
            "a result is here",
            r"(?:came|come|comes|is|are|was|were|just) back|grew|grows?|growing|returned|shows?|showed|shown|reveals?|revealed|demonstrat(?:es|ed)|confirm(?:s|ed)|(?:rules?|ruled) out|excludes?|excluded|"
            r"(?:is|are|was|were|came(?: back)?) (?:\w+ )?(?:positive|negative|normal|clear|unremarkable|raised|elevated)|narrow(?:s|ed|ing)|no growth|phoned|reported|rep['’]d|fell to|rose to|down to|up to \d|from \d[\d.,]* to \d|after \w+(?: \w+)?: ",
            "The CT shows a flap",
            "a showing",
        ),
        Row("an arrow between values", r"\d[\d.,]* ?(?:→|->|-->) ?\d[\d.,]*", "QRS 180 → 130", "A → B"),
    )
)
_ONLY_HERE: Final = re.compile(r".*\bback|returned|phoned|reported|rep['’]d")
_AT_ONCE: Final = any_row(
    (
        Row(
            "at once",
            r"now(?! (?:is|that|on|and then|we|I|the|she|he|been|has|reads|looks))|stat|immediate(?:ly)?|at once|right away|straight ?away|emergency|emergent(?:ly)?|without (?:waiting|delay)|within (?:the|an|one|\d+|thirty|sixty|fifteen|ten)(?: \w+)? ?(?:hours?|minutes?|min|h)|"
            r"tonight|this minute|do not wait|don['’]t wait|before (?:induction|the scope|theatre|transfer|anything else)|no further delay|crash call|code blue",
            "Give calcium now",
            "now that we know",
        ),
    )
)
_CONCLUDES: Final = any_row(
    (
        Row(
            "all are of one mind",
            r"unanim\w+|(?:we|you|they) (?:are )?(?:all|both) (?:agree|agreed|accept|hold|sign)\w*|all (?:of us|three|four|five|six|\d) (?:\w+ ){0,2}(?:agree\w*|on|of one|sing\w*|accept)|nobody (?:dissents|disagrees|objects)|no dissent|of one mind|same (?:tune|page)|"
            r"agreed (?:diagnosis|view|plan)|(?:our|the) (?:consensus|verdict|joint view|agreed)|consensus (?:is|view|diagnosis)|we (?:have )?(?:settled|agreed) (?:on|that)|(?:team|panel|board|group) (?:agrees|concludes|decides|decided|settled)",
            "We are of one mind on adrenal crisis",
            "the same day",
        ),
        Row(
            "it stays open",
            r"(?:we|they|team)(?:['’]re| are| remain| is)? (?:still )?(?:split|divided|not agreed|apart)|no (?:agreement|consensus)|not (?:yet )?(?:decided|settled|agreed)|undecided|(?:left|stays?|remains?|still|keep it|leave it) open|agree to (?:differ|disagree)|not going to (?:choose|decide|pick)|cannot (?:choose|decide) (?:today|tonight|now|yet)|"
            r"neither (?:\w+ ){0,3}(?:is|was) (?:proven|excluded)",
            "So we are split",
            "an open fracture",
        ),
    )
)
_CONCLUDED_TITLE: Final = re.compile(
    r"(?:\w+ )?(?:working|final|agreed|joint|team|shared|consensus|closing|current|most[_ ]likely|leading|unanimous)[_ ]?(?:view|diagnosis|opinion|position|answer|statement|impression|conclusion)?"
    r"|(?:final[_ ])?(?:conclusions?|verdict|decisions?|consensus|outcome|bottom line|diagnosis|most[_ ]likely|result|answer)|where (?:nobody dissents|we (?:stand|agree|are))",
    re.IGNORECASE,
)
_OF_ANOTHER: Final = re.compile(r"\b(?i:doctor|dr|agent|specialist|expert|model)\.?[ _-]?(?:\d|[A-Z])")
"""A view of somebody else, as this speaker tells it: its holder may have left it since."""
_MERELY: Final = re.compile(
    r"\b(?:would|could|might|may|was|were|had|already|given|gave|went)\b", re.IGNORECASE
)
_OF_ALL: Final = re.compile(r"\b(?:consensus|agreed|joint|team|shared|nobody|we|unanimous)\b", re.IGNORECASE)
_VIEW: Final = any_row(
    (
        Row(
            "the speaker's view",
            r"(?:I|we)(?:['’](?:d|m|ve|ll))? (?:\w+ ){0,2}?(?:think|favou?r|lean|suspect|believe|put|rank|bet|back|keep|hold|fear|worry|stay|read|call|lead|go|am with|side)\w*|my (?:money|view|leading|first|working|lead|top|bet|vote|diagnosis|impression|concern|worry)|"
            r"in my (?:view|book|opinion|mind)|(?:working|leading|provisional|top) (?:dx|diagnosis|diff|view|hypothesis)|(?:most|more|less) (?:likely|probable|plausible)|until (?:shown|pro(?:ven|ved)) otherwise|til (?:shown|proven)|rather than|on (?:top|my list)|at the top|first|stands? out|fits?|leads?|top of",
            "My money is on PE",
            "the mayor",
        ),
    )
)
_TALK: Final = re.compile(
    r"\b(?:thank\w*|welcome|good (?:morning|evening|point|question)|well done|your (?:insights?|input|thoughts?|analysis|contribution)|happy to|appreciate|look forward|as (?:an AI|a language)|collaborat\w+|let us (?:discuss|continue|hear)|"
    r"let['’]s (?:discuss|hear)|next speaker|over to|please (?:share|provide|review|respond)|minutes|agenda)\b",
    re.IGNORECASE,
)
_NO_OPENING: Final = re.compile(
    r"(?:it|its|this|that|these|those|they|them|their|he|she|his|her|him|which|who|such|both|otherwise|else|instead|also|if not|if so|and|but|or|because|so that|for (?:this|that) reason|the (?:former|latter|same)|here|there)\b(?! (?:is no|are no|must|should|patient)\b)",
    re.IGNORECASE,
)
_CUT: Final = re.compile(r";\s+|\s+[–—]\s+|(?<=[a-z0-9)])\.\s+(?=[A-Z])")
_HANGS: Final = re.compile(
    r"(?:if|unless|until|till?|only|provided|except|but|though|although|however|because|since|once|when|while|whereas|which|and|or|then|so|as|that|with|without|for|not|nor|possibly|perhaps|probably|likely)\b",
    re.IGNORECASE,
)
_ORDERS: Final = re.compile(
    r"\b(?:give|start|stop|hold|check|repeat|send|call|transfer|move|take|keep|order|obtain|prepare|insert|place|"
    r"scan|book|arrange|book(?:ed)?|load|push|switch|reverse|correct|cool|warm|ventilate|shock|defibrillate|cardiovert|pace)\b",
    re.IGNORECASE,
)
_LIMITS: Final = re.compile(
    r"\b(?:if|unless|until|till?|only|not|no|never|hold|stop|avoid|except|but|first|maximum|at most|provided|however|"
    r"though|instead|otherwise|possibl[ey]|perhaps|maybe|probabl[ey]|likely|\w+n[’']t)\b",
    re.IGNORECASE,
)  # a part that is left out may hold none of these
_TYPED: Final = {
    Worth.CONCLUSION: {Kind.CONCLUDES, Kind.LEADING},
    Worth.CORRECTION: {Kind.CORRECTION, Kind.REVOKES, Kind.LEADING},
    Worth.PROHIBITION: {Kind.CAUTION, Kind.REVOKES},
    Worth.URGENT: {Kind.ACTION, Kind.PRIORITY, Kind.CRITICAL},
    Worth.RESULT: {Kind.CONFIRMS, Kind.FINDING, Kind.CRITICAL},
    Worth.VIEW: {Kind.LEADING, Kind.DIFFERENTIAL},
    Worth.ORDER: {Kind.ACTION, Kind.TEST, Kind.CAUTION, Kind.REVOKES},
    Worth.VALUES: {Kind.FINDING, Kind.CRITICAL},
    Worth.REMARK: set(Kind),
}
"""The kinds of claims that say what a sentence of a worth would be quoted for."""
_LISTED: Final = frozenset({Section.DIFFERENTIAL, Section.DISAGREEMENT, Section.TESTS})
_BOOKISH: Final = frozenset({Status.BOOKS, Status.OTHER_PERSON, Status.QUESTION})
_HELD: Final = frozenset({Status.CONDITIONAL, Status.QUESTION, Status.BOOKS, Status.OTHER_PERSON})


def quote_of(agent_id: str, unit: Sentence, before: Sentence | None = None) -> Claim | None:
    """Return what of `unit` is worth quoting, with its `Worth` in `raw` as a digit; None if nothing is.

    `before` is the sentence before it on its line. What hangs on that is quoted with it, or not at all.
    """
    text = with_title(unit)
    if is_noise(unit.text) or is_request(unit.text) or _TALK.search(text):
        return None
    worth = worth_of(text, unit.heading, unit.section)
    if worth is Worth.CONCLUSION and not _may_conclude(agent_id, unit):
        worth = Worth.VIEW if names_condition(unit.full) else Worth.REMARK
    if worth <= Worth.NOTHING:
        return None
    short = None if worth.presses else excerpt(text, USUAL_WORDS, worth, unit.heading, unit.section)
    words = short or excerpt(text, MOST_WORDS, worth, unit.heading, unit.section)
    if words is None:
        return None
    words = without_letter(words)
    source = unit.source
    if hangs(words) or is_scrap(words):
        if (
            before is None
            or word_count(before.full) < LEAST_WORDS
            or not 0 < word_count(both := f"{before.full} {words}") <= MOST_WORDS
            or hangs(both)
        ):
            return None
        words, source = both, before.source.to(unit.source)
    return Claim(agent_id, Kind.QUOTE, "", words, source, raw=str(int(worth)), under=unit.section)


def is_talk(text: str) -> bool:
    """Tell whether `text` is about the talk itself."""
    return _TALK.search(text) is not None


def _may_conclude(agent_id: str, unit: Sentence) -> bool:
    """Tell whether this is of all, not one member's view under a heading that a chair would write as well."""
    if _CONCLUDES.search(unit.full) is not None:
        return True
    of_all = is_moderator(agent_id) or _OF_ALL.search(unit.heading) is not None
    hangs = Status.CONDITIONAL in statuses_of(unit.full, "")
    return (unit.opens or unit.listed) and of_all and not (unit.row or hangs) and names_condition(unit.full)


def with_title(unit: Sentence) -> str:
    """Return the sentence; a list item, or a value in JSON, behind its heading: "Avoid: NSAIDs."."""
    title = _NUMBERING.sub("", unit.heading.replace("_", " ")).strip(" :")
    if not unit.full or not title or word_count(title) > TITLE_WORDS or unit.full.startswith(title):
        return unit.full
    if titled(title) and not titled(unit.full.partition(":")[0]):
        return f"{title}: {unit.full}" if unit.opens and not _EXCEPTS.match(unit.full) else unit.full
    if _EXCEPTS.match(unit.full):
        return unit.full  # "start now: no alkalinisation"
    says = unit.listed and unit.section is Section.OTHER and _SAYS_LITTLE.fullmatch(title) is None
    return f"{title}: {unit.full}" if says and unit.item is None else unit.full


@lru_cache(maxsize=4096)
def worth_of(text: str, heading: str = "", section: Section = Section.OTHER) -> Worth:
    """Return what `text` is worth by its markers; a question or what is of books is worth nothing."""
    statuses = statuses_of(text, "")
    if not says_something(text) or statuses & _BOOKISH:
        rights = Status.QUESTION not in statuses and Status.BOOKS not in statuses and _PUTS_RIGHT.search(text)
        return (
            Worth.CORRECTION
            if rights and says_something(text) and _TELLS_MUCH.search(text)
            else Worth.NOTHING
        )
    named = names_condition(text) or DRUG.search(text) is not None
    clinical = named or names_test(text) or names_measure(text) or bool(drugs_named(text))
    measured = [each for each in quantities(text) if each.unit] or re.search(r"[A-Za-z)] \d", text)
    if _CONCLUDES.search(text) or (_CONCLUDED_TITLE.fullmatch(heading.strip(" :")) and names_condition(text)):
        return Worth.CONCLUSION if clinical or "split" in text else Worth.REMARK
    if _CORRECTS.search(text):
        return Worth.CORRECTION if clinical or measured or _TELLS_MUCH.search(text) else Worth.REMARK
    if _PUTS_RIGHT.search(text) and (clinical or measured or _TELLS_MUCH.search(text)):
        return Worth.CORRECTION
    if prohibits(text) or lists_prohibited(heading, section, text) or _is_ban(text, clinical=clinical):
        return Worth.PROHIBITION
    if (not clinical and not measured) or about_the_debate(text):
        return Worth.NOTHING
    if section in _LISTED:
        return Worth.VIEW if names_condition(text) and _VIEW.search(text) else Worth.REMARK
    held = bool(statuses_of(text, "") & _HELD)
    if _AT_ONCE.search(text) and _is_to_do(text) and not held and not _MERELY.search(text):
        return Worth.URGENT
    if _is_result(text, bool(measured)) and not held and not _hoped(text):
        return Worth.RESULT
    if names_condition(text) and _VIEW.search(text):
        return Worth.VIEW if _OF_ANOTHER.search(text) is None else Worth.REMARK
    if _is_to_do(text) and clinical:
        return Worth.ORDER
    plainly = not statuses_of(text, "") - {Status.NEGATED}
    return Worth.VALUES if measured and plainly and clinical else Worth.REMARK


_TELLS_MUCH: Final = re.compile(r"\d|\b(?:left|right|L|R)\b|\b[A-Z]{2,}\b")


def _is_ban(text: str, *, clinical: bool) -> bool:
    """Tell whether `text` forbids, whatever it forbids: the open default. A denied finding is none."""
    ban = _BANS.search(text)
    if ban is None or about_the_debate(text) or statuses_of(text, "") & {Status.PAST, Status.HEDGED}:
        return False
    if not re.match(r"\W*(?:absolutely |and )?no\b", ban.group(), re.IGNORECASE):
        return clinical or not states_condition(text[ban.start() : ban.end() + 20])
    words = ban.group()
    to_do = DRUG.search(words) is not None or bool(drugs_named(words)) or names_measure(words)
    return (to_do or _LIMITED.search(text, ban.start()) is not None) and not states_condition(words)


_LIMITED: Final = re.compile(
    r"!|\b(?:ever|again|until|till?|before|unless|while|whatever|tonight|today|for now|in that|in the meantime|for the moment|please)\b",
    re.IGNORECASE,
)
"""What stands beside a "no" that forbids, and hardly beside one that denies."""


def _is_to_do(text: str) -> bool:
    return names_measure(text) or bool(drugs_named(text)) or asks_for(text)


def asks_for(text: str) -> bool:
    """Tell whether `text` has a verb by which something is asked for."""
    return _ORDERS.search(text) is not None


def _is_result(text: str, measured: bool) -> bool:
    """Tell whether a test's result is here; that it is back says nothing without a value or a condition."""
    marks = {match.group().lower() for match in _RESULT.finditer(text)}
    says = measured or states_condition(text) or any(not _ONLY_HERE.fullmatch(mark) for mark in marks)
    return bool(marks) and says and (names_test(text) or states_condition(text))


def _hoped(text: str) -> bool:
    """Tell whether a result is only expected: "a CT would show it", "to confirm with a smear"."""
    return re.search(r"\b(?:would|should|could|may|might|will|to|can|must) (?:\w+ )?(?:show|reveal|confirm|exclude|rule|demonstrate)|\bawait", text, re.IGNORECASE) is not None  # fmt: skip


def excerpt(
    text: str, most: int, worth: Worth, heading: str = "", section: Section = Section.OTHER
) -> str | None:
    """Return `text` if it is short enough to be said, else a whole part of it that is worth as much.

    A part stands between semicolons, dashes or stops, and neither it nor what follows it hangs on the other.
    """
    whole = text.strip(" ,;–—")
    if _may_open(whole) and LEAST_WORDS <= word_count(whole) <= most:
        return whole
    parts = [part.strip(" ,;–—") for part in _CUT.split(text)]
    for at, part in enumerate(parts):
        rest = " ".join((*parts[:at], *parts[at + 1 :]))
        if _LIMITS.search(rest) or _HANGS.match(part) or not _may_open(part) or (at and points_back(part)):
            continue
        if LEAST_WORDS <= word_count(part) <= most and worth_of(part, heading, section) >= worth:
            return part
    return None


def _may_open(text: str) -> bool:
    return _NO_OPENING.match(text) is None


def says_the_same(worth: Worth, made: Iterable[Claim | ListEnd]) -> bool:
    """Tell whether one of `made`, the typed claims of the same sentence, is told in place of a quotation."""
    kinds = _TYPED.get(worth, set())
    return any(isinstance(claim, Claim) and claim.kind in kinds and _is_told(claim) for claim in made)


def _is_told(claim: Claim) -> bool:
    """Tell whether a typed claim is told by itself: one that stops something only if that was asked for."""
    return claim.kind is not Kind.REVOKES or claim.stance is Stance.WITHDRAWS or claim.entity == TOLD


def worth_in(claim: Claim) -> Worth:
    """Return the worth of a quotation that `quote_of` made."""
    return Worth(int(claim.raw))
