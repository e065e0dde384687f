"""From a question's words to what is wanted, about what, and of whom."""

# ruff: noqa: E501 - patterns and word lists are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from agents.dialogue.facts import STOP
from agents.dialogue.intents import asks_if_in, follows, of_all, refers, wanted
from agents.dialogue.meaning import may_name
from agents.dialogue.values import Intent
from agents.dialogue.vocabulary import (
    ALIKE,
    ALIKE_BESIDE,
    ALIKE_ELSEWHERE,
    ALIKE_JOINED,
    NEARLY_EQUAL,
    SURE,
    Key,
    Match,
    MisheardAs,
    Vocabulary,
)
from agents.dialogue.words import spelled, tokens
from exaim_core.lexicon.drugs import DRUG
from exaim_core.text.names import NUMBER_WORDS, is_moderator, number_word

ARTICLE_KINDS: Final = frozenset(
    {"labs", "lab groups", "signs", "tests", "procedures", "symptoms", "sections"}
)
_NUMBERS: Final = {
    "won": 1, "wan": 1, "to": 2, "too": 2, "tu": 2, "tree": 3, "for": 4, "fore": 4, "oh": 0, "o": 0, "nought": 0, "hero": 0, "first": 0, "second": 1, "third": 2,
}  # fmt: skip
_DOCTOR: Final = re.compile(r"\b(?:doctor|doctors|dr|dock|docter)s? (?P<n>\w+)\b")
_OF_CASE: Final = 0.02  # a name of this case is taken before one as near that is not
_BARE_WORDS: Final = 3  # "how much then": a question as short speaks of what was just told
MOST_TOPICS: Final = 3


@dataclass(frozen=True, slots=True)
class Topic:
    """What is asked about: the names it may mean, as it is read back, and the words of the case it holds.

    `weights` say how telling each word is: the rarer in the case, the more.
    """

    label: str
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    article: bool = True
    drug: bool = False  # a drug that the vocabulary has not: its words are its name

    @property
    def spoken(self) -> str:
        """Return the topic as it stands in a sentence."""
        return f"the {self.label}" if self.article else self.label

    @property
    def missing(self) -> str | None:
        """Return the topic as it is told when nothing was found; None for what is no clinical term."""
        return self.label if self.names or self.drug else None


@dataclass(frozen=True, slots=True)
class UnderstoodQuestion:
    """A question as understood.

    `stranger` is a doctor who was named and has not spoken. `unsure` are two names that were equally near. `strange` counts words that nobody here knows;
    `about_strange`: the question is about one of them. `of_another`: one of them may name a thing, which is then another
    than what was asked about before. `taken_over`: its topics are those of the question before.
    """

    intent: Intent
    topics: tuple[Topic, ...] = ()
    words: frozenset[str] = frozenset()
    agent: str | None = None
    stranger: str | None = None
    unsure: tuple[str, ...] = ()
    follows: bool = False
    refers: bool = False
    strange: int = 0
    about_strange: bool = False
    of_another: bool = False
    taken_over: bool = False
    of_focus: bool = False
    listed: bool = False  # its topics are a list, each asked for itself
    ranged: bool = False  # whether a value is normal
    short: bool = False
    plain: bool = False  # nothing but the topic's name: no intent was heard


def understood(
    text: str,
    vocabulary: Vocabulary,
    case_names: Collection[str],
    case_words: Mapping[str, int],
    agents: Sequence[str],
) -> UnderstoodQuestion:
    """Return what `text` asks. `case_names` are those of the paper and the board, `case_words` in how many facts."""
    said = tokens(text)
    line = " ".join(said)
    agent, stranger, line_left = _agent(line, agents)
    intent = wanted(line, asks=text.rstrip().endswith("?"))
    if intent in {Intent.SMALL_TALK, Intent.UNCLEAR, Intent.ORDER, Intent.REPEAT}:
        return UnderstoodQuestion(intent)
    said_left = tokens(line_left)
    key = vocabulary.key(line_left)
    matches = vocabulary.spelled_in(key)
    unsure, heard = _heard(key, matches, vocabulary, case_names, case_words)
    apart = [
        match for match in matches if not any(match.begins < h.ends and h.begins < match.ends for h in heard)
    ]
    matches = [*apart, *sorted(heard, key=lambda match: match.begins)]
    taken = {k for match in matches for k in range(match.begins, match.ends)}
    free = [(k, word) for k, word in enumerate(key) if k not in taken and word not in STOP and len(word) > 1]
    known = [(k, word) for k, word in free if word in case_words]
    strange = [k for k, word in free if word not in case_words and not _of_intent(word)]
    whole = of_all(line)
    reported = {vocabulary.entries[name].kind for match in matches for name in match.names} & _REPORTED
    if whole is Intent.PENDING and asks_if_in(line) and not reported:
        intent, whole = Intent.DONE, None
    narrowed = whole is not None and whole is not Intent.FORBIDDEN and _narrowed(line, known)
    if whole is Intent.MORE or (
        whole is not None and not narrowed and _names_nothing(whole, line, matches, vocabulary)
    ):
        return UnderstoodQuestion(whole, agent=agent, stranger=stranger)
    topics = _allergens_only(_topics(matches, vocabulary, case_names, said_left))
    if intent is Intent.HISTORY:  # "any history of stroke" is about a stroke
        topics = tuple(topic for topic in topics if topic.names != ("history",)) or topics
    topics = (*topics, *_drugs(key, said_left, taken, case_words))
    topics = topics or _loose_topic(key, said_left, known, strange, case_words)
    return UnderstoodQuestion(
        intent or Intent.FACT,
        topics[:MOST_TOPICS],
        words=frozenset(word for _, word in known),
        agent=agent,
        stranger=stranger,
        unsure=unsure if not topics else (),
        follows=follows(line),
        refers=refers(line),
        strange=len(strange),
        of_another=any(may_name(key[k]) and wanted(said_left[k]) is None for k in strange),
        about_strange=any((k and key[k - 1] in _ABOUT) or (k > 1 and key[k - 2] in _ABOUT) for k in strange),
        plain=intent is None,
        listed=bool(_LISTED & set(key)),
        ranged=bool(_RANGE & set(key)),
        short=len(said) <= _BARE_WORDS,
    )


_REPORTED: Final = frozenset({"labs", "tests"})  # of these it is asked whether the result is there
_LISTS: Final = frozenset({"medicines", "allergies", "diagnosis", "cautions", "blood results", "history"})


def _names_nothing(intent: Intent, line: str, matches: Sequence[Match], vocabulary: Vocabulary) -> bool:
    """Tell whether a question names no single drug, test or condition; the lists that it may be of are none.

    What only says which drugs are meant is none either: "which seizure drugs are out?".
    """
    if DRUG.search(line):
        return False
    words = vocabulary.key(line)
    kinds = {
        vocabulary.entries[name].kind
        for match in matches
        if match.ends >= len(words) or words[match.ends] not in _GIVEN
        for name in match.names
        if name in vocabulary.entries and name not in _LISTS
    }
    if intent is Intent.FORBIDDEN:
        return not kinds & {"drugs", "drug groups", "procedures", "tests", "labs", "conditions", "allergens"}
    return not kinds - {"sections"}


_GIVEN: Final = frozenset("drug tablet medicine medication med pill".split())
_ABOUT_ONE: Final = re.compile(
    r"\b(?:about|with|regarding|for) (?:his|her|hi|the|this|that|their) (?P<word>\w+)"
)


def _narrowed(line: str, known: Sequence[tuple[int, str]]) -> bool:
    """Tell whether a question of the whole case is put about one thing of it: "the biggest worry about his airway"."""
    words = {word for _, word in known}
    return any(spelled(match["word"]) in words for match in _ABOUT_ONE.finditer(line))


_SIDES: Final = frozenset({"left", "right", "both", "bilateral"})
_LISTED: Final = frozenset({"and", "or", "plu"})
_RANGE: Final = frozenset({"normal", "abnormal", "high", "low", "range", "raised", "reference", "limit"})
_ARTICLES: Final = frozenset({"a", "an", "the", "any", "some", "her", "his", "hi", "their"})
_ABOUT: Final = frozenset({"about", "on", "of", "for", "with", "regarding"})
_INTENT_WORDS: Final = re.compile(
    r"(?:dos|milligram|reason|rational|evidenc|ground|chang|switch|disagre|differ|agree|consens|settl|priorit|urgen|test|investigat|treat|manag|therap|diagnos|lead|caution|avoid|contra|careful|danger|risk|"
    r"safe|critical|alarm|emergenc|summar|recap|overview|happen|caus|likel|believ|favo|conclu|condition|criteri|threshold|trigger|vote|count|score|option|alternativ|consider|possibilit|outstand|unresolv|disput|"
    r"split|unanim|dissent|withdr|revis|rout|rate|fast|often|volum|strength|mind|wrong|explain|side|stand|posit|problem|issue|worr|concern|important|step|action|interven|propos|advi|immediat|doubt|open|left|hold|allow)"
)


def _of_intent(word: str) -> bool:
    return _INTENT_WORDS.match(word) is not None


def _agent(line: str, agents: Sequence[str]) -> tuple[str | None, str | None, str]:
    """Return the agent that is named, the name of one who has not spoken, and the words without it."""
    for match in _DOCTOR.finditer(line):
        heard = match["n"]
        number = NUMBER_WORDS.index(heard) if heard in NUMBER_WORDS else _NUMBERS.get(heard)
        number = int(heard) if heard.isdigit() else number
        left = f"{line[: match.start()]} {line[match.end() :]}"
        named = [agent for agent in agents if re.fullmatch(rf"doctor[_ -]?{number}", agent)]
        if number is not None and named:
            return named[0], None, left
        if number is not None and number <= 9 and (heard.isdigit() or heard in NUMBER_WORDS):
            return None, f"Doctor {number_word(number).capitalize()}", left
    for match in re.finditer(r"\b(?:the )?(supervisor|moderator|chair|coordinator)\b", line):
        named = [agent for agent in agents if is_moderator(agent)]
        if named:
            return named[0], None, f"{line[: match.start()]} {line[match.end() :]}"
    return None, None, line


def _topics(
    matches: Sequence[Match], vocabulary: Vocabulary, case_names: Collection[str], said: Sequence[str]
) -> tuple[Topic, ...]:
    topics: list[Topic] = []
    for match in matches:
        names = [name for name in match.names if name in case_names] or list(match.names)
        entry = vocabulary.entries[names[0]]
        label = entry.name if len(names) == 1 else " ".join(said[match.begins : match.ends])
        topic = Topic(label, tuple(names), article=entry.kind in ARTICLE_KINDS)
        if names[0] not in {name for other in topics for name in other.names}:
            topics.append(topic)
    return tuple(topics)


def _allergens_only(topics: tuple[Topic, ...]) -> tuple[Topic, ...]:
    """Of "allergic to latex" the question is about latex first; the list of allergies is told after it."""
    if len(topics) > 1 and "allergies" in topics[0].names:
        return (*topics[1:], topics[0])
    return topics


def _drugs(
    key: Key, said: Sequence[str], taken: Collection[int], case_words: Mapping[str, int]
) -> Iterator[Topic]:
    """Return the drugs that a question names and the vocabulary has not, each as a topic of its own."""
    line, starts = " ".join(said), list(accumulate((len(word) + 1 for word in said), initial=0))
    for match in DRUG.finditer(line):
        at = [k for k in range(len(said)) if match.start() <= starts[k] < match.end()]
        if at and not any(k in taken for k in at):
            words = tuple(key[k] for k in at)
            weights = tuple(1 / max(1, case_words.get(word, 0)) for word in words)
            yield Topic(match.group(), words=words, weights=weights, article=False, drug=True)


def _loose_topic(
    key: Key,
    said: Sequence[str],
    known: Sequence[tuple[int, str]],
    strange: Sequence[int],
    case_words: Mapping[str, int],
) -> tuple[Topic, ...]:
    """Return the words of the case as a topic, where no name was heard; none if they are but sides."""
    telling = [(said[k], word) for k, word in known if not _of_intent(word) and not word[0].isdigit()]
    if all(word in _SIDES or not may_name(word) for _, word in telling):
        return ()
    words = (*(word for _, word in telling), *(key[k] for k in strange if k and key[k - 1] in _ARTICLES))
    weights = tuple(1 / max(1, case_words[word]) for word in words)
    return (Topic(" ".join(word for word, _ in telling), words=words, weights=weights),)


def _heard(
    key: Key,
    matches: Sequence[Match],
    vocabulary: Vocabulary,
    case_names: Collection[str],
    case_words: Collection[str],
) -> tuple[tuple[str, ...], list[Match]]:
    """Return the names that the rest of the words may be mis-hearings of; two equally near ones are not taken."""
    taken = {k for match in matches for k in range(match.begins, match.ends)}
    clear = taken | {
        k for k, word in enumerate(key) if word in STOP or word in case_words or _of_intent(word)
    }
    known_names = frozenset(case_names)
    found: list[Match] = []
    unsure: tuple[str, ...] = ()
    for length in (4, 3, 2, 1):
        least = ALIKE_BESIDE if matches else ALIKE if length == 1 else ALIKE_JOINED
        for at in range(len(key) - length + 1):
            span = range(at, at + length)
            if clear.issuperset(span) or not _may_be_a_name(key[at : at + length]):
                continue
            near = _names_near("".join(key[at : at + length]), least, vocabulary, known_names)
            beside = not taken.isdisjoint(span)
            if not near or (beside and all(one.likeness < SURE for one in near)):
                continue
            best = near[0]
            others = [one for one in near[1:] if not set(one.names) & set(best.names)]
            if others and best.likeness - others[0].likeness < NEARLY_EQUAL and best.likeness < SURE:
                unsure = (best.names[0], others[0].names[0])
                continue
            found.append(Match(best.names, at, at + length, best.likeness))
    chosen: list[Match] = []
    for match in sorted(found, key=lambda one: (-one.likeness, one.begins)):
        if not any(match.begins < other.ends and other.begins < match.ends for other in chosen):
            chosen.append(match)
    return unsure, chosen


def _may_be_a_name(words: Key) -> bool:
    """Several words may be one name if they don't end in a small word and are not mostly small words."""
    if len(words) == 1:
        return True
    letters = sum(map(len, words))
    return words[-1] not in STOP and 2 * sum(len(word) for word in words if word not in STOP) >= letters


def _names_near(
    word: str, least: float, vocabulary: Vocabulary, known_names: frozenset[str]
) -> list[MisheardAs]:
    """Return the names that sound like `word`, the nearest first; those of the case are preferred."""

    def of_case(one: MisheardAs) -> bool:
        return not known_names.isdisjoint(one.names)

    near = [
        one for one in vocabulary.heard_as(word, least) if one.likeness >= ALIKE_ELSEWHERE or of_case(one)
    ]
    return sorted(near, key=lambda one: -(one.likeness + (_OF_CASE if of_case(one) else 0)))
