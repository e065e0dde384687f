"""What an answer may tell: facts with their words, what they are about, and what they rest on."""

# ruff: noqa: E501 - patterns and word lists are read more easily on long lines

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from agents.dialogue.vocabulary import Vocabulary
from agents.dialogue.words import spelled
from exaim_core.board.changes import Vote


class FactKind(StrEnum):
    """What kind of fact it is: the first from the case paper, the others from the board."""

    LAB = "lab"
    OBSERVATION = "observation"
    MEDICINE = "medicine"
    ALLERGY = "allergy"
    HISTORY = "history"
    COMPLAINT = "complaint"
    PERSON = "person"
    IMAGING = "imaging"
    NOTE = "note"
    LEAD = "lead"
    CHANGED = "changed"
    WHY_CHANGED = "why changed"
    GROUND = "ground"
    DIFFERENTIAL = "differential"
    TEST = "test"
    ACTION = "action"
    CAUTION = "caution"
    TAKEN_BACK = "taken back"
    FINDING = "finding"
    CRITICAL = "critical"
    FIRST = "first"
    RULING = "ruling"
    OPEN = "open"
    REMARK = "remark"
    VOTE = "vote"
    SAID = "said"
    SAID_BEFORE = "said before"


PAPER: Final = frozenset(
    {
        FactKind.LAB,
        FactKind.OBSERVATION,
        FactKind.MEDICINE,
        FactKind.ALLERGY,
        FactKind.HISTORY,
        FactKind.COMPLAINT,
        FactKind.PERSON,
    }
    | {FactKind.IMAGING, FactKind.NOTE}
)


@dataclass(frozen=True, slots=True)
class Text:
    """The names and the words in a text, as they are compared."""

    names: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that may be told.

    `said` are its wordings, the fullest first, each a whole sentence without its stop; `bare` are those
    that fit after an opening that names `name`. `rests_on` is the record or what was written, word for
    word. `limits` are a value's reference range. `head` is what it is about, `body` all that it mentions. `order` rises with time.
    `at` is when it was, as it is spoken: "at 01:55", or "".
    """

    told: FactKind
    name: str
    said: tuple[str, ...]
    source: str
    rests_on: tuple[str, ...]
    head: Text
    body: Text
    bare: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    vote: Vote | None = None
    condition: str | None = None
    order: float = 0.0
    at: str = ""
    limits: str = ""
    numbers: frozenset[tuple[str, str]] = field(default=frozenset())


# Words that carry no topic; also those that a question is made of.
STOP: Final = frozenset(
    spelled(word)
    for word in "a an the and or of to in on at for from with without by as is are was were be been being am do does did done has have had having it its this that these those there here she he her his him they them "
    "their we us our you your i me my mine what which who whom whose when where why how much many any some no not yes if then than so but because about into over under again also just only still now today "
    "please tell show give say said says know think thinks thought need needs want wants can could should would will shall may might must get got let lets go going come came back up down out off more most less "
    "very really okay ok hey hello hi thanks thank exaim um uh er ah well actually like kind sort thing things anything something nothing everything one two three zero four five six doctor doctors dr team "
    "patient case paper file record chart level levels value values result results latest last new newest current currently recent number reading status many lot bit there mean means meaning again moment see look "
    "looking find found read tell told ask asked asking remind repeat sorry pardon other others else all each both every does doing done make makes made take takes taking taken put use using used too per before after "
    "first next start started stop stopped high low normal abnormal ever already yet even though since until same different good bad best better worse worst big small long short time times day days hour hours minute minutes "
    "week weeks month months year years morning way ways able sure quick quickly question kindly could've happening happened happen going give given gave order ordered explain explanation detail details information info "
    "regarding concerning briefly exactly agree agrees recommend recommends recommended recommendation suggest suggests suggested plan view views opinion opinions reason reasons actual main anybody anyone somebody someone everybody everyone nobody which whichever certain sure exactly together alone back else once twice number whole full far wide deep late early soon later afterwards else's".split()
)


def text_of(vocabulary: Vocabulary, *texts: str) -> Text:
    """Return the names and words that stand in `texts`."""
    names: set[str] = set()
    words: set[str] = set()
    for text in texts:
        key = vocabulary.key(" ".join(text.split())[:300])
        names.update(name for match in vocabulary.spelled_in(key) for name in match.names)
        words.update(word for word in key if word not in STOP and len(word) > 1)
    return Text(frozenset(names), frozenset(words))


def names_in(facts: Iterable[Fact]) -> frozenset[str]:
    """Return all names that the facts mention."""
    return frozenset(name for fact in facts for name in fact.head.names | fact.body.names)
