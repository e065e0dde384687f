"""The rules' vocabulary: lists from `words.json`, and turns cut into words and phrases.

Case and punctuation say nothing here: recognisers invent both.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from importlib.resources import files
from typing import Final, TypeAlias

from exaim_core.text.patterns import compiled_by_all
from realtime.interruption.patterns import expanded
from realtime.interruption.slots import grammar, spoken_by_slots

Words: TypeAlias = tuple[str, ...]

LONGEST_TEXT: Final = 1200  # characters that are read; two minutes of speech hold about as many
_APOSTROPHE: Final = re.compile("['’‘`´]")
_WILL: Final = re.compile(r"\b(we|he)['’‘`´]ll\b")
"""Without its apostrophe "we'll" is the filler "well", and "he'll" is swearing."""
_APART: Final = re.compile(r"[\W_]+")


class Says(Enum):
    """What a phrase means when it is said alone."""

    ACK = auto()  # listening, agreeing: "okay", "mm-hm"
    READY = auto()  # "I'm ready": an answer to "Ready?", else a sign of listening
    COURTESY = auto()  # "please", "thank you"
    APOLOGY = auto()  # "sorry": before other words nothing, alone a question
    FRAME = auto()  # the wrapping of a request: "could you", "I want you to"
    FILLER = auto()  # "um", "well"
    GO_ON = auto()
    QUIET = auto()
    NO = auto()  # weak: any other command beside it outweighs it
    WAIT = auto()
    SKIP = auto()
    REPEAT = auto()
    SLOWER = auto()
    FASTER = auto()
    LOUDER = auto()
    SOFTER = auto()
    USUAL_PACE = auto()
    USUAL_VOLUME = auto()
    PREVIOUS = auto()  # the item before this one
    BRIEF = auto()  # less of everything from now on
    FULL = auto()
    USUAL_DETAIL = auto()
    MORE = auto()  # of this item
    HERE = auto()  # "can you hear me"
    HOW_LONG = auto()  # "how much longer"
    SPELL = auto()  # "what was that word"
    WRONG_CASE = auto()
    RIGHT_CASE = auto()
    CONFIRM = auto()  # "confirm": counts where we asked for it, else it is an approval
    HEDGE = auto()  # "I think": changes no command
    DOUBT = auto()  # "I'm not sure": that it is the right patient; changes no other command
    NOT = auto()  # denies the command after it
    OR = auto()  # and the one after that
    TALK = auto()  # no command; denied it is "stop": "don't talk"
    BOTHER = auto()  # no command; denied it is "go on": "don't wait for me"
    LEAVE_OUT = auto()  # no command; denied it is "everything": "don't leave anything out"
    TO_PEOPLE = auto()  # "hold still": said to somebody in the room
    BARE = auto()  # a short question about what was just said
    OBJECTION = auto()  # "that's wrong"
    APPROVAL = auto()  # "approve": means nothing without the item and a read-back
    ATTACH = auto()  # what may stand beside a command and changes nothing: "stop right there"
    NAME = auto()  # ours, as recognisers spell it
    LATER = auto()  # "not yet": answers a question of ours, and alone is as often said to somebody else


_LISTS: Final = {  # a phrase in two lists means what the later one says
    Says.ATTACH: "attach", Says.FILLER: "filler", Says.FRAME: "frame", Says.APPROVAL: "approval",
    Says.READY: "ready", Says.COURTESY: "courtesy", Says.APOLOGY: "apology", Says.ACK: "ack",
    Says.OBJECTION: "objection", Says.BARE: "bare", Says.REPEAT: "repeat", Says.NO: "no",
    Says.SLOWER: "slower", Says.FASTER: "faster", Says.LOUDER: "louder", Says.SOFTER: "softer",
    Says.USUAL_PACE: "usual_pace", Says.USUAL_VOLUME: "usual_volume",
    Says.PREVIOUS: "previous", Says.BRIEF: "brief", Says.FULL: "full", Says.USUAL_DETAIL: "usual_detail",
    Says.MORE: "more", Says.HERE: "here", Says.HOW_LONG: "how_long", Says.SPELL: "spell",
    Says.WRONG_CASE: "wrong_case", Says.RIGHT_CASE: "right_case", Says.CONFIRM: "confirms",
    Says.HEDGE: "hedge", Says.DOUBT: "doubt", Says.NOT: "not", Says.OR: "or", Says.TALK: "say_nothing",
    Says.BOTHER: "bother", Says.LEAVE_OUT: "leave_out", Says.TO_PEOPLE: "to_people",
    Says.GO_ON: "go_on", Says.LATER: "later", Says.WAIT: "wait", Says.SKIP: "skip",
    Says.QUIET: "quiet", Says.NAME: "name",
}  # fmt: skip


_CLINICAL: Final = ("drugs", "treatments", "tests", "teams", "clinical", "clinical_verbs")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Consecutive words of a turn and what they mean together; None: no phrase that we know."""

    says: Says | None
    start: int
    end: int


class Phrases:
    """A set of phrases, looked up longest first."""

    __slots__ = ("_known", "_longest")

    def __init__(self, phrases: Iterable[Words]) -> None:
        self._known = frozenset(phrases)
        self._longest = max(map(len, self._known), default=0)

    def at(self, words: Words, start: int = 0) -> int:
        """Return how many words from `start` are the longest phrase there; 0: none is."""
        for length in range(min(self._longest, len(words) - start), 0, -1):
            if words[start : start + length] in self._known:
                return length
        return 0

    def at_end(self, words: Words) -> int:
        """Return how many of the last words are the longest phrase there; 0: none is."""
        for length in range(min(self._longest, len(words)), 0, -1):
            if words[-length:] in self._known:
                return length
        return 0


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The lists that are used word by word or phrase by phrase; `words.json` holds them."""

    says: Mapping[Words, Says]
    longest: int
    phrases: Mapping[str, Phrases]
    words: Mapping[str, frozenset[str]]
    clinical: frozenset[str]
    endings: tuple[str, ...]


@compiled_by_all
@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Return the lists, read once."""
    raw = json.loads(files("realtime.interruption").joinpath("words.json").read_text(encoding="utf-8"))
    del raw["_"]
    classes = raw.pop("classes")
    raw = {name: tuple(expanded(patterns, classes)) for name, patterns in raw.items()}
    cut = {name: tuple(map(words_of, phrases)) for name, phrases in raw.items()}
    says = {words: meaning for meaning, name in _LISTS.items() for words in cut[name]}
    clinical = {word for name in _CLINICAL for word in raw[name]}
    return Lexicon(
        says=says,
        longest=max(map(len, says)),
        phrases={name: Phrases(phrases) for name, phrases in cut.items()},
        words={name: frozenset(values) for name, values in raw.items()},
        clinical=frozenset(clinical),
        endings=tuple(raw["clinical_endings"]),
    )


def words_of(text: str) -> Words:
    """Return the words of `text`, lower-case, no punctuation: "Don't." is "dont", "6.9" is "6", "9".

    "We'll" and "he'll" are "we will" and "he will".
    """
    plain = _WILL.sub(r"\1 will", unicodedata.normalize("NFKC", text).casefold())
    return tuple(_APART.sub(" ", _APOSTROPHE.sub("", plain)).split())


def phrases_of(words: Words) -> tuple[Phrase, ...]:
    """Return `words` cut into known phrases, and single unknown words.

    Of all ways to cut them it is the one that leaves the fewest words unknown, then the one with the fewest
    phrases, then the one whose first phrases are the longest: "don't | move on", but "don't move". What the lists
    leave unknown is cut by slots too, and that cut counts if it leaves nothing unknown. So is what is denied, for
    "don't talk so slowly" wants it faster.
    """
    known = lexicon()
    listed = _cut(words, known.says.get, known.longest)
    unknown = [words[each.start] for each in listed if each.says is None]
    denied = any(each.says is Says.NOT for each in listed)
    if not (unknown or denied) or not grammar().vocabulary.issuperset(unknown):
        return listed
    by_slots = {words[start:end]: Says[says] for (start, end), says in spoken_by_slots(words).items()}
    if not by_slots:
        return listed
    longest = max(known.longest, *map(len, by_slots))
    found = _cut(words, lambda phrase: known.says.get(phrase) or by_slots.get(phrase), longest)
    return found if all(each.says is not None for each in found) else listed


def _cut(words: Words, known: Callable[[Words], Says | None], longest: int) -> tuple[Phrase, ...]:
    """Return `words` cut into phrases that are `known`, of at most `longest` words."""
    count = len(words)
    best: list[tuple[int, int]] = [(0, 0)] * (count + 1)  # unknown words and phrases from a place on
    cuts: list[Phrase] = [Phrase(None, 0, 0)] * count
    for at in range(count - 1, -1, -1):
        best[at] = (count + 1, 0)
        for length in range(min(longest, count - at), 0, -1):
            says = known(words[at : at + length])
            if says is None and length > 1:
                continue
            unknown, phrases = best[at + length]
            cost = (unknown + (says is None), phrases + 1)
            if cost < best[at]:
                best[at], cuts[at] = cost, Phrase(says, at, at + length)
    found, at = list[Phrase](), 0
    while at < count:
        found.append(cuts[at])
        at = cuts[at].end
    return tuple(found)


def is_clinical(word: str) -> bool:
    """Return whether `word` is a clinical word by the lists or by its ending."""
    known = lexicon()
    return word in known.clinical or (len(word) > 6 and word.endswith(known.endings))


def is_drug(word: str) -> bool:
    """Return whether `word` names something that is given."""
    known = lexicon()
    return word in known.words["drugs"] or (is_clinical(word) and word not in known.clinical)
