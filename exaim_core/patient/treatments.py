"""What sentences ask to be given or done now: drugs, contrast media and some procedures, by group.

A treatment counts where a sentence asks for it ("give", "I recommend", "should be started", a bare drug with its
dose), or says that it is running or charted. Nothing counts that is denied, stopped, past, only thought of, or
hangs on what the patient tolerates. Groups and their names are in `data/drug_groups.json`.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from exaim_core.claims.claims import Claim, Kind, ListEnd, Stance
from exaim_core.claims.revoking import given
from exaim_core.lexicon.drugs import DRUG, drugs_meant, drugs_named
from exaim_core.lexicon.prose import is_chart
from exaim_core.lexicon.statements import is_family
from exaim_core.text.assertion import Status, statuses_at
from exaim_core.text.context import any_of
from exaim_core.text.datafiles import data_json
from exaim_core.text.hints import Hints
from exaim_core.text.reader import Sentence, Source, Unit
from exaim_core.text.sections import Section


@dataclass(frozen=True, slots=True)
class Mention:
    """A word of a text that names a treatment, where it stands, and the groups that it belongs to."""

    word: str
    start: int
    end: int
    groups: frozenset[str]


@dataclass(frozen=True, slots=True)
class Treatment:
    """What an agent asks for, or says to be running (`running`), as written, with the sentence.

    `hangs`: it is asked for under a condition.
    """

    agent_id: str
    mention: Mention
    text: str
    source: Source
    running: bool = False
    hangs: bool = False


REACH: Final = (
    300  # characters about a name that are looked at; no clause of the recorded discussions has more
)
MOST_STANDING: Final = 64  # older orders than these are forgotten


def whole(pattern: str) -> re.Pattern[str]:
    """Return `pattern` as whole words, in any case."""
    return re.compile(rf"(?<![\w-])(?:{pattern})(?!\w)", re.IGNORECASE)


@cache
def _groups() -> tuple[dict[str, re.Pattern[str]], re.Pattern[str]]:
    raw = data_json("drug_groups.json")
    patterns = {name: row["pattern"] for name, row in raw["groups"].items()}
    return {name: whole(pattern) for name, pattern in patterns.items()}, whole("|".join(patterns.values()))


@cache
def _hints() -> Hints:
    raw = data_json("drug_groups.json")
    return Hints((row["pattern"] for row in raw["groups"].values()), (DRUG,))


@lru_cache(maxsize=4096)
def mentions(text: str) -> tuple[Mention, ...]:
    """Return the treatments that `text` names, in order; of overlapping names the longest."""
    if not _hints().may(text):
        return ()
    groups, any_group = _groups()
    spans: dict[tuple[int, int], set[str]] = {match.span(): set() for match in DRUG.finditer(text)}
    if not spans and any_group.search(text) is None:
        return ()
    for name, pattern in groups.items():
        for match in pattern.finditer(text):
            spans.setdefault(match.span(), set()).add(name)
    kept: list[Mention] = []
    for (start, end), names in sorted(spans.items(), key=lambda item: (item[0][0], -item[0][1])):
        if kept and start < kept[-1].end:
            wider = kept[-1]
            kept[-1] = Mention(wider.word, wider.start, wider.end, wider.groups | names)
            continue
        kept.append(Mention(text[start:end], start, end, frozenset(names)))
    return tuple(kept)


_MAY: Final = r"(?:\A|[.;:,()–—-]\s*|\b(?:I|we|you|please|and|then|or|to|must|should|shall|will|would|let us|let['’]s|now|also|next|first|therefore|thus|so|immediately|urgently|team|would rather|can you|just|must now|doctor ?\d|at once|today|instead|strongly|still|ought to|let)\s+(?:\w+ly\s+)?)"
_ASK: Final = re.compile(
    _MAY
    + r"(?:give|start|begin|commence|load|put|infuse|inject|push|add|use|administer|prepare|continue|restart|resume|switch|change|treat|prescribe|send|order|arrange|proceed|go ahead|need|recommend|propose|suggest|advise|request|want|ask for|get|obtain|book|bolus|thrombolyse|anticoagulate|induce|sedate|cover|titrate|increase|double|repeat|receive|draw up|top up|replace|run|hang|perform|do|bring|paint|clean|prime|connect|choose|favou?r|consent)\b"
    r"|\b(?:(?:should|must|shall|needs? to|to|ought to|can|will) (?:now |also )?(?:have|take)|needs?|requires?|(?:is|are) to (?:have|get|receive|start)|(?:needs?|is due|is ready) (?:for )?(?:an? )?|induction with|intubat\w+ with|my (?:choice|plan|advice|order|recommendation) (?:is|would be)|the plan is|plan:|not delay|without delay,?)\b",
    re.IGNORECASE,
)
_NEUTRAL: Final = re.compile(
    r"\b(?:allerg\w+|reaction to|resistant to|sensitive to|because|since|despite|after|following|history|response to|due to|from|caused by|instead of|rather than|not(?! delay)|never|no|nor|without(?! delay)|avoid\w*|stop\w*|hold\w*|withh\w+|discontinu\w+|suspend\w*|ceas\w+|omit\w*|paus\w+|against|contra-?indicat\w+|interact\w*|cancel\w*|withdraw\w*|declin\w+|refus\w+|"
    r"is on|are on|takes|took|taking|taken|was|were|had|has been on|(?:was|were|been) (?:given|started)|given (?:that|the|his|her)|such as|like|versus|vs|risks? of|(?:benefit|role|use|effects?|dangers?|dose|level|course|safety|question|issue|choice)s? of|before|while on|free of|instead|already|don['’]t|didn['’]t|cannot|can['’]t|unless|antidote|reverse|reversal|stopping|ruled? out|worr\w+ about|concern\w* about|about|regarding|discuss\w*|review\w*|check|whether|why)\b",
    re.IGNORECASE,
)
_VETO_BEFORE: Final = any_of(
    "if", "unless", "in case", "were to", "would have", "whether", "could", "may", "might", "consider(?:ed|ing|s)?", "possibl[ey]", "hypothetical(?:ly)?", "only (?:if|after|once|when)", r"once(?= (?!daily|weekly|only|more|a\b|per|every|in\b|at\b))", "ought we", "should we", "suppose",
    "in (?:general|theory|principle)", "another patient", "(?:guidelines?|textbooks?|trials?) \\w+",
)  # fmt: skip
_VETO_AFTER: Final = re.compile(
    r"\A(?:\s*[-–](?:related|induced|associated|resistant|sensitive|naive|free)|(?:['’]s)?\s+(?:allerg\w+|levels?|concentrations?|toxicity|overdose|resistan\w+|sensitiv\w+|exposure|assay|reactions?|challenge|test\w*|intoxication|poisoning|withdrawal|hypersensitivity|intoleran\w+|interactions?)|"
    r"[^.;:,]{0,40}?\b(?:(?:is|are|remains?|would be|seems?) (?:\w+ )?(?:contra-?indicated|not|unsafe|dangerous|out|off|harmful|stopped|withheld|held|on hold)|(?:was|were|had been|has been (?:stopped|given|withheld|held)|have been (?:stopped|given|withheld|held))|(?:should|must) (?:not|be (?:stopped|withheld|held|avoided|omitted|discontinued|paused))|cannot|can['’]t|would (?:not|kill|harm|worsen|be)|could|may|might|took|years? ago|yesterday|last (?:week|month|year))\b)",
    re.IGNORECASE,
)
# A condition on what the patient tolerates is the answer to the question that an alarm would put.
_MINDED: Final = re.compile(
    r"\b(?:if|unless|provided|once)\b[^.;]*\b(?:allerg\w*|toler\w+|contra-?indicat\w*|no history|not pregnant|excluded|ruled out)\b",
    re.IGNORECASE,
)
_ASKED_AFTER: Final = re.compile(
    r"\A[^.;:,]{0,40}?\b(?:(?:should|must|needs? to|has to|have to|is to|are to|ought to|can now|will) (?:now |also )?(?:be|go) (?:\w+ )?(?:given|started|used|added|continued|restarted|infused|arranged|done|performed|in|ahead|increased|doubled|prescribed)|(?:is|are) (?:\w+ )?(?:needed|indicated|required|recommended|advised|warranted|my choice|(?:the|my) (?:drug|treatment|first) \w+|first[- ]line|due now)|(?:go|goes) in)\b",
    re.IGNORECASE,
)
_RUNNING_AFTER: Final = re.compile(
    r"\A[^.;:,]{0,40}?\b(?:(?:is|are|has been|have been) (?:still |now |already )?(?:(?:still|now) )?(?:running|being (?:given|infused|run|prepared|drawn up)|going in|charted|prescribed|drawn up|hung|hanging|ordered|written up|on the (?:chart|pump)|in progress|under way|due|up)|(?:still|now|already) (?:running|charted|going in|prescribed))\b",
    re.IGNORECASE,
)
_RUNNING_BEFORE: Final = re.compile(
    r"\b(?:is|are) (?:still |now )?(?:receiving|getting|being (?:given|loaded with|started on|infused with)|running on)(?: (?:an?|the|his|her|intravenous|IV|infusion of))*\s+\Z",
    re.IGNORECASE,
)
_PAST_CLAUSE: Final = re.compile(
    r"\b(?:was|were|had|took|takes|taken|received|yesterday|ago|on arrival|last (?:week|month|year)|in (?:19|20)\d\d|at home|daily|each (?:day|night|morning)|usually|is|are|has|shows?|said|says|cannot|can['’]t|at \d{1,2}[:.]\d\d)\b",
    re.IGNORECASE,
)
_PART: Final = re.compile(r"(?:[;:]\s|[.!]\s|\s[–—-]\s|,?\s+\b(?:but|so that|which)\b\s|,\s+so\s)")
_DOSED: Final = re.compile(
    r"\A[^.;:,]{0,30}?\d+(?:[.,]\d+)?\s?(?:mg|g|micrograms?|mcg|µg|units?|mmol|mL|ml|L|%|mg/kg)\b",
    re.IGNORECASE,
)
_AMOUNT_BEFORE: Final = re.compile(
    r"\d\s?(?:mg|g|micrograms?|mcg|µg|units?|mmol|mL|ml|L|mg/kg)(?: of)?\s+\Z", re.IGNORECASE
)
_PLAN: Final = re.compile(
    r"\b(?:actions?|plan|treatments?|management|immediate|steps?|therapy|orders?|priorit\w+)\b", re.IGNORECASE
)
_SILENT: Final = frozenset({Section.DIFFERENTIAL, Section.DISAGREEMENT, Section.WITHDRAWN, Section.CAUTION, Section.LEADING})  # fmt: skip
_TESTS: Final = frozenset({"iodinated contrast", "gadolinium", "MRI", "lumbar puncture"})
_HANGS: Final = re.compile(
    r"\b(?:if|unless|provided|once(?= (?!daily|weekly|only|more|a\b|per|every|in\b|at\b))|until)\b",
    re.IGNORECASE,
)
_NOT_OURS: Final = frozenset({Status.OTHER_PERSON, Status.QUESTION})
_CLAIMED: Final = frozenset({Kind.ACTION, Kind.PRIORITY, Kind.TEST})


@lru_cache(maxsize=2048)
def treatments_in(text: str, *, in_plan: bool = False) -> tuple[tuple[Mention, bool], ...]:
    """Return what `text` asks for or says to be running, each with whether it is running.

    `in_plan`: the text is an item of a list of things to do, where a bare name is an order.
    """
    if text.endswith("?") or is_family(text):
        return ()
    return tuple(
        (mention, mode == "running")
        for mention in mentions(text)
        if (mode := _mode(text, mention, in_plan)) is not None
        and not statuses_at(text, mention.start, mention.end) & _NOT_OURS
    )


def _mode(text: str, mention: Mention, in_plan: bool) -> str | None:
    near, far = max(0, mention.start - REACH), mention.end + REACH
    start = max((stop.end() for stop in _PART.finditer(text, near, mention.start)), default=near)
    stop = _PART.search(text, mention.end, far)
    before, after = text[start : mention.start], text[mention.end : stop.start() if stop else far]
    running = _RUNNING_AFTER.match(after) or _RUNNING_BEFORE.search(before)
    if running and not re.search(r"\b(?:not|no longer|never|if|unless|no)\b", before, re.IGNORECASE):
        return "running"
    if _VETO_BEFORE.search(before) or _VETO_AFTER.match(after) or _MINDED.search(after):
        return None
    if _governed(before) is False:
        return None
    if _ASKED_AFTER.match(after) or _governed(before):
        return "asked"
    bare = len(before.split()) <= 5 and not re.search(r"\b(?:the|his|her|their|of)\b", before, re.IGNORECASE)
    bare = bare and not _PAST_CLAUSE.search(before + after.split(",")[0])
    if bare and (_DOSED.match(after) or _AMOUNT_BEFORE.search(before)):
        return "asked"
    return "asked" if in_plan and len(before.split()) <= 6 else None


def _governed(before: str) -> bool | None:
    """Tell whether what precedes a name asks for it (True) or takes it away (False); None for neither."""
    parts = re.split(r",\s+(?:and\s+|then\s+|or\s+)?", before)
    for place, part in enumerate(reversed(parts)):
        found = [(match.end(), True) for match in _ASK.finditer(part)]
        found += [(match.end(), False) for match in _NEUTRAL.finditer(part)]
        if found:
            return (min(found) if place else max(found))[1]
    return None


class Treatments:
    """What stands as asked for or running in one session, in the order of speaking."""

    def __init__(self) -> None:
        self.standing: list[Treatment] = []

    def read(self, unit: Unit, claims: Iterable[Claim | ListEnd]) -> list[Treatment]:
        """Take in what a unit and its claims ask for; return what is new."""
        made = [claim for claim in claims if isinstance(claim, Claim)]
        fresh: dict[str, Treatment] = {}
        if isinstance(unit, Sentence) and unit.section not in _SILENT:
            plan = (
                unit.section in {Section.ACTIONS, Section.PRIORITY} and _PLAN.search(unit.heading) is not None
            )
            for mention, running in treatments_in(
                unit.full, in_plan=plan and unit.opens and not is_chart(unit.heading)
            ):
                if unit.section is Section.TESTS and not mention.groups & _TESTS:
                    continue
                hangs = _HANGS.search(unit.full) is not None
                fresh[mention.word.lower()] = Treatment(
                    unit.source.agent_id, mention, unit.full, unit.source, running, hangs
                )
        for claim in made:
            for treatment in _claimed(claim):
                fresh.setdefault(treatment.mention.word.lower(), treatment)
        named = {(treatment.agent_id, treatment.mention.word.lower()) for treatment in fresh.values()}
        self.standing = [
            old for old in self.standing if (old.agent_id, old.mention.word.lower()) not in named
        ][-MOST_STANDING:]
        self.standing += fresh.values()
        return [*fresh.values()]

    def take_off(self, claims: Iterable[Claim | ListEnd]) -> None:
        """Take off what `claims` take back, stop or forbid."""
        gone = [part for claim in claims if isinstance(claim, Claim) for part in claim.revokes]
        if not gone:
            return
        groups = {group for part in gone for mention in mentions(part) for group in mention.groups}
        words = {word for part in gone for word in drugs_named(part)}
        self.standing = [
            treatment
            for treatment in self.standing
            if not (treatment.mention.groups & groups or words & drugs_meant(treatment.mention.word))
        ]


def _claimed(claim: Claim) -> list[Treatment]:
    """Return the treatments of an order that the engine has read: the words that name what is given."""
    if claim.kind not in _CLAIMED or claim.stance is not Stance.PROPOSES or not claim.entity:
        return []
    if claim.condition is not None or _MINDED.search(claim.text):
        return []
    words = given(claim)
    hangs = _HANGS.search(claim.text) is not None
    return [
        Treatment(claim.agent_id, mention, claim.text, claim.source, hangs=hangs)
        for mention in mentions(words)
        if (claim.kind is not Kind.TEST or mention.groups & _TESTS)
        and not _VETO_BEFORE.search(words[: mention.start])
        and not _VETO_AFTER.match(words[mention.end :])
        and _governed(words[: mention.start]) is not False
    ]
