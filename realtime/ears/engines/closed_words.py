"""The few words that steer the voice, held against a short turn: three votes, one word or none.

The open recogniser writes sentences: of a lone "pause" it makes "Boss.", of "skip" "Let's get.". Three
witnesses are asked: its text as it stands; the distance in phonemes between that text and each closed word;
and a grammar that hears the sound anew, in which the closed words compete with the very words of the text. So
a "candle" that the text has right is not turned into "cancel". The rule is `ClosedWords.vote`; what it does
on words, neighbours of words and noises is in docs/decisions/009-ears.md.

Only the engines process imports this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from pocketsphinx import Decoder  # type: ignore[import-untyped]

from tts_queue.model import Pcm

Phones: TypeAlias = tuple[str, ...]


class SpottedWord(NamedTuple):
    """A closed word and how sure it is, 0 to 1; None: the turn is none of them."""

    word: str | None
    confidence: float


# Each word with the other ways in which the open recogniser writes it.
WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "stop": ("stop it",),
    "wait": (),
    "hold on": ("hold",),
    "pause": (),
    "quiet": ("be quiet",),
    "cancel": (),
    "skip": ("skip it",),
    "next": (),
    "go on": (),
    "continue": (),
    "repeat": ("repeat that",),
    "again": (),
    "okay": ("ok",),
    "yes": ("yep", "yup"),
    "no": ("nope",),
    "yeah": ("yah",),
    "right": (),
    "why": (),
    "who": (),
    "sorry": (),
    "got it": (),
    "acknowledged": ("acknowledge",),
    "mm-hm": ("mm-hmm", "mhm", "mm hmm", "mm hm", "mmhmm", "mm"),
    "uh-huh": ("uh huh", "aha"),
}
# What is not in the dictionary of the grammar's engine, or said otherwise by most.
_SAID: Final[Mapping[str, tuple[str, ...]]] = {
    "mm-hm": ("M HH M", "AH M HH AH M", "M M HH M"),
    "uh-huh": ("AH HH AH", "AH HH AH N"),
}
# What the open recogniser makes of a word so often that it counts as near, if the grammar hears the word.
_MISHEARD: Final[Mapping[str, str]] = {
    "let's get": "skip",
    "let's go": "skip",
    "to get": "skip",
    "just get": "skip",
    "it's good": "skip",
}
# What the open recogniser also writes for a hum, and what the grammar calls one: never a spoken "no".
_HUMMED: Final = "no"
_HUM: Final = "mm-hm"
_HUM_HEARD: Final = frozenset({"mm-hm", "uh-huh", "who"})
NOTHING: Final = SpottedWord(None, 0.0)
_SURE: Final = 0.9  # the text says so
_AGREED: Final = 0.8  # the grammar and the distance say so
_ALONE: Final = 0.2  # one of them does
SAME: Final = 0.06  # distance of texts that nobody tells apart by ear: "write", "contain you"
NEAR: Final = 0.5  # distance of what may be one word misheard as another
_MARGIN: Final = 0.06  # what the grammar chose may be so much further than the nearest
_MOST_WORDS: Final = 3  # of a text that is still taken for one misheard word

_VOWELS: Final = frozenset("AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW".split())
_VOICED: Final = frozenset(
    {"PB", "TD", "KG", "FV", "SZ", "SHZH", "CHJH", "THDH"}
)  # differ in the cords alone
_GLIDES: Final = frozenset({"ERR", "WUW", "YIY"})
_MANNERS: Final = tuple(
    frozenset(manner.split())
    for manner in ("P B T D K G", "F V TH DH S Z SH ZH HH CH JH", "M N NG", "L R W Y")
)
_INDEL: Final = 0.7


def distance(one: Phones, other: Phones) -> float:
    """Return how unlike two words sound: 0 the same, about 1 nothing alike. Weighted edits by phoneme."""
    row = [at * _INDEL for at in range(len(other) + 1)]
    for at, x in enumerate(one, 1):
        before, row[0] = row[0], at * _INDEL
        for to, y in enumerate(other, 1):
            before, row[to] = row[to], min(row[to] + _INDEL, row[to - 1] + _INDEL, before + _swap(x, y))
    return row[-1] / max(len(one), len(other), 1)


@lru_cache(maxsize=2048)
def _swap(x: str, y: str) -> float:
    if x == y:
        return 0.0
    if {x + y, y + x} & _VOICED:
        return 0.25
    if {x + y, y + x} & _GLIDES or (x in _VOWELS and y in _VOWELS):
        return 0.4
    return 0.5 if any(x in manner and y in manner for manner in _MANNERS) else 1.0


def plain(text: str) -> str:
    """Return the words of a text in lower case, without punctuation."""
    return " ".join(re.findall(r"[a-z]+(?:['-][a-z]+)*", text.lower()))


def written(text: str) -> str | None:
    """Return the closed word that a text is, as it stands or said several times over."""
    words = plain(text).split()
    once = words[:1] if len(set(words)) == 1 else words
    return _WRITTEN.get(" ".join(once))


_WRITTEN: Final[Mapping[str, str]] = {each: word for word in WORDS for each in (word, *WORDS[word])}


def _near(words: Sequence[str], far: Mapping[str, float]) -> set[str]:
    """Return the closed words that a text sounds like."""
    most = min(NEAR, min(far.values(), default=1.0) + _MARGIN)
    near = {word for word, how_far in far.items() if how_far <= most}
    misheard = _MISHEARD.get(" ".join(words))
    return near if misheard is None else near | {misheard}


class ClosedWords:
    """The vote. One decoder, made once: for one thread at a time, as the recogniser beside it."""

    def __init__(self) -> None:
        self._decoder = Decoder(lm=None, samprate=16_000, loglevel="FATAL")  # else it writes to stderr
        for word, ways in _SAID.items():
            for number, phones in enumerate(ways, 1):
                name = word if number == 1 else f"{word}({number})"
                if self._decoder.lookup_word(name) is None:
                    self._decoder.add_word(name, phones, True)
        self._closed = {word: self._ways(word) for word in WORDS}
        self._grammar(())  # one is always set

    def vote(self, pcm: Pcm, text: str) -> SpottedWord:
        """Return which closed word the whole of a short turn is. Blocks; `pcm` is 16 kHz mono.

        The text is one, or sounds the same: 0.9, without asking the grammar; but a "no" in which the grammar
        hears a hum is a hum: 0.8. The text has at most three words, is near a closed one (and not clearly
        nearer to another), and the grammar prefers that one to the text's own words: 0.8. One of the two
        alone: 0.2. A sentence, or a text like none of them: none.
        """
        exact = written(text)
        if exact == _HUMMED and self._hear(pcm, ()) in _HUM_HEARD:
            return SpottedWord(_HUM, _AGREED)
        if exact is not None:
            return SpottedWord(exact, _SURE)
        words = plain(text).split()
        if len(words) > _MOST_WORDS:
            return NOTHING
        far = self._distances(words)
        near = _near(words, far)
        if words and not near:
            return NOTHING
        closest = min(far, key=far.__getitem__, default="")
        if far.get(closest, 1.0) <= SAME:
            return SpottedWord(closest, _SURE)
        heard = self._hear(pcm, words)
        if heard is None:
            return NOTHING
        return SpottedWord(heard, _AGREED if heard in near else _ALONE)

    def _distances(self, words: Sequence[str]) -> dict[str, float]:
        """Return how far each closed word is from a text; nothing if the text can't be said."""
        phones = self._phones(words)
        if not phones:
            return {}
        return {word: min(distance(phones, way) for way in ways) for word, ways in self._closed.items()}

    def _hear(self, pcm: Pcm, words: Sequence[str]) -> str | None:
        """Return the closed word that the grammar hears, or None if it hears the text's words or nothing."""
        self._grammar(words if self._phones(words) else ())
        self._decoder.start_utt()
        try:
            self._decoder.process_raw(pcm.astype("<i2").tobytes(), no_search=False, full_utt=True)
        finally:
            self._decoder.end_utt()
        heard = self._decoder.hyp()
        return heard.hypstr if heard is not None and heard.hypstr in WORDS else None

    def _grammar(self, rivals: Sequence[str]) -> None:
        ways = [*WORDS, " ".join(rivals)] if rivals else list(WORDS)
        rules = f"#JSGF V1.0;\ngrammar closed;\npublic <turn> = {' | '.join(ways)};\n"
        self._decoder.add_jsgf_string("closed", rules)
        self._decoder.activate_search("closed")

    def _ways(self, word: str) -> tuple[Phones, ...]:
        said = _SAID.get(word)
        return tuple(tuple(way.split()) for way in said) if said else (self._phones(word.split()),)

    def _phones(self, words: Sequence[str]) -> Phones:
        """Return the phonemes of words, or nothing if one of them is in no dictionary."""
        found = [self._decoder.lookup_word(word) for word in words]
        return () if None in found else tuple(phone for phones in found for phone in phones.split())
