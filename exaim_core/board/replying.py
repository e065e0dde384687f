"""Decide which words a turn answers, by one rule for everything that asks.

1. A line of a thread ("> …") answers the sentence whose words it quotes.
2. A head that refers to a message by its number ("re 4") answers the end of that message; if the number is unknown,
   it answers nobody.
3. Otherwise a turn answers the turn that ended last before it began, if another agent spoke it. A turn without a
   sentence is none. Where turns overlap, it is unknown who is answered: a turn that was heard since that one began and
   is still open counts as overlapping.

There are two uses. `context` is what may name a thing to which a sentence only points: the last two sentences of the
turn that is answered, for the first few of a turn. `answered` is the one sentence to which a plain "no" is said.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from exaim_core.claims.elliptic import answers_itself
from exaim_core.claims.limits import analytes_named
from exaim_core.claims.quotes import asks_for
from exaim_core.claims.terse_orders import Reply
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_test
from exaim_core.lexicon.named import labelled
from exaim_core.lexicon.phrases import asks_back
from exaim_core.lexicon.prohibitions import prohibits, tells_allergy
from exaim_core.text.assertion import NOT_OURS, Status, statuses_of
from exaim_core.text.names import person
from exaim_core.text.places import Source
from exaim_core.text.units import Sentence

MOST_NUMBERED: Final = 64  # messages with a number, the newest
MOST_KEPT: Final = 2  # sentences of a turn to which the next turn may refer
MOST_FROM_ITS_START: Final = 4  # sentences of a turn; a later one refers to its own turn
MOST_REMEMBERED: Final = 256  # sentences that a line of a thread may quote
_LABEL: Final = re.compile(r"\A[^:\n]{1,70}: (?=\S)")
_OWN: Final = re.compile(
    r"\A\W*(?:(?:msg|message|mail|post|entry|item|comment|ticket|#)\W{0,2}|(?<=\[)[a-z]{0,4} ?)0*(\d+)",
    re.IGNORECASE,
)
_REFERS: Final = re.compile(
    r"\b(?:re|to|repl(?:y|ies)|answers?|blocks?|retracts?|against)\b(?:\W{1,3}(?:re|to)\b)?", re.IGNORECASE
)
_TO: Final = re.compile(
    r"\W{1,3}(?:(?:msg|message|mail|post|entry|item|comment|ticket)\W{0,2}|[a-z]{1,4}(?=\d))?0*(\d+)",
    re.IGNORECASE,
)
_MORE: Final = re.compile(r"\s*(?:,|&|/|\+|and\b)[^\w:]*[a-z]{0,4}\d", re.IGNORECASE)  # it refers to several
_QUOTED: Final = re.compile(r"\s*>+\s*(?=\S)")
_REPEATED: Final = re.compile(
    r"\s*(?:[\[(]?\d{1,2}[:.]\d\d[\])]?\s+)?(?:[↩↪⤴]\ufe0f?\s*)?"  # the time of a message, a reply mark
    r"(?P<who>[^:\"“>]{2,40}):\s*(?=[\"“][^\"”]+[\"”]\W*\Z)"
)
"""Before a line that is somebody's words in quotation marks, behind whose they are."""
_MEANT: Final = re.compile(
    r"\?\W*\Z|\b(?:if|unless|until|would|target|aim|call|no|not|never)\b|n['’]t\b", re.IGNORECASE
)
"""In what was said, that makes its words another thing than what is repeated of them."""
_GAP: Final = re.compile(r"\.{3,}|…|\[…\]")
_WORD: Final = re.compile(r"\w+")
_BRACKETED: Final = re.compile(r"\[[^\]]*\]")  # put in for a label, and not said (`labels.py`)


@dataclass(slots=True, eq=False)
class _Turn:
    """A turn, and what it has said so far.

    `before`: the turn that it answers by rule 3. `context`: the words that it answers, by whichever rule. `said`: how
    many sentences it has said since it took these up. `own`: its sentence right before the one that was heard last.
    `count`: its sentences in all. `whole`: `context` is all that was said in the turn that it answers.
    """

    number: int  # of all turns, from 1
    before: _Turn | None
    context: Sequence[Sentence]
    began_after: int  # sentences of the discussion before it
    heard_at: int = 0  # its newest sentence, of all sentences of the discussion; 0 before any
    said: int = 0
    count: int = 0
    whole: bool = False
    quoted: Sentence | None = None
    quoting: int = -1  # the line that quotes somebody
    last: deque[Sentence] = field(default_factory=lambda: deque(maxlen=MOST_KEPT))
    end: Source | None = None  # its last sentence that is more than "OK?"
    own: Source | None = None
    asks: int = 0  # sentences that ask for something
    questions: bool = False  # its last sentence is a question
    drugs: frozenset[str] = frozenset()  # that it has named

    def say(self, unit: Sentence) -> None:
        """Note a sentence of the turn itself, no quoted one."""
        tag = asks_back(unit.full)
        self.drugs |= drugs_named(unit.full)
        self.questions = unit.text.endswith("?") and not asks_back(unit.text)
        if self.end is None or not tag:
            self.end, self.asks = unit.source, self.asks + asks_for(unit.full)


@dataclass(frozen=True, slots=True)
class AnsweredSentence:
    """The answered sentence; `alone`: only it is meant, not its whole turn; `own`: the answerer said it."""

    source: Source
    alone: bool = False
    own: bool = False


def numbered_label(text: str) -> tuple[str, str]:
    """Return the numbering label of a message and the rest of its text; "" and `text` if there is none."""
    found = _LABEL.match(text)
    if found is None or not (_OWN.match(text) or _refers(found.group())):
        return "", text
    return found.group(), text[found.end() :]


class Replying:
    """The turns of one discussion, as far as they are needed to find what is answered."""

    def __init__(self) -> None:
        self._open: dict[str, _Turn] = {}
        self._ended: _Turn | None = None  # the turn that ended last
        self._ended_by = ""
        self._begun = 0
        self._sentences = 0
        self._now: _Turn | None = None  # the turn of what was heard last
        self._numbered: dict[str, _Turn] = {}
        self._heard: deque[tuple[str, Sentence]] = deque(maxlen=MOST_REMEMBERED)  # each after its bare words

    @property
    def turn(self) -> int:
        """Return the number of the turn of the sentence heard last; 0 before any."""
        return self._now.number if self._now is not None else 0

    @property
    def drugs(self) -> frozenset[str]:
        """Return the drugs that the turn of the sentence heard last has named so far."""
        return self._now.drugs if self._now is not None else frozenset()

    def begin(self, agent_id: str) -> None:
        """Note that the agent begins a turn, unless one is open."""
        if agent_id not in self._open:
            before = self._ended if self._ended_by != agent_id else None
            if before is not None and any(one.heard_at > before.began_after for one in self._open.values()):
                before = None
            self._begun += 1
            self._open[agent_id] = _Turn(
                self._begun, before, tuple(before.last) if before is not None else (), self._sentences
            )
            self._open[agent_id].whole = _is_short(before)

    def end(self, agent_id: str) -> None:
        """End the agent's turn; one of which nothing was heard does not count."""
        turn = self._open.pop(agent_id, None)
        if turn is None or not turn.heard_at:
            return
        self._ended, self._ended_by = turn, agent_id
        turn.before = None  # answering needs only the turn itself

    def quotes(self, unit: Sentence) -> bool:
        """Return whether `unit` is a line with words said before ("> …", "Tom: '…'"); the turn then answers it."""
        turn = self._open.get(unit.source.agent_id)
        mark = _QUOTED.match(unit.text) or _REPEATED.match(unit.text)
        if turn is None or (mark is None and unit.line_no != turn.quoting):
            return False
        words = unit.text[mark.end() :] if mark is not None else unit.text
        wanted = [bare for part in _GAP.split(words) if (bare := _bare(part)).strip()]
        found = next(
            (each for said, each in reversed(self._heard) if all(part in said for part in wanted)), None
        )
        if found is None or not wanted:
            return False
        if mark is not None and mark.re is _REPEATED and not _repeats(mark["who"], words, found):
            return False
        turn.context, turn.quoted, turn.said, turn.quoting = (found,), found, 0, unit.line_no
        turn.whole = True
        self._now = turn
        return True

    def hear(self, unit: Sentence) -> None:
        """Take in a sentence of a turn that has begun."""
        self._heard.append((_bare(unit.full), unit))
        self._now = turn = self._open.get(unit.source.agent_id)
        if turn is None:
            return
        self._sentences += 1
        turn.heard_at = self._sentences
        turn.own = turn.end
        turn.said += 1
        turn.count += 1
        turn.last.append(unit)
        if _is_quotation(unit):
            return
        if (own := _OWN.match(unit.head or unit.full)) is not None:
            self._numbered[own[1]] = turn
            while len(self._numbered) > MOST_NUMBERED:
                del self._numbered[next(iter(self._numbered))]
        if (label := _label(unit)) and _refers(label):
            known = self._numbered.get(_number(label))
            said = known.last if known is not None and known is not turn else ()
            turn.context, turn.said = (
                [each for each in said if each.source.agent_id != unit.source.agent_id],
                1,
            )
            turn.whole = _is_short(known)
        turn.say(unit)

    def context(self, agent_id: str) -> Sequence[Sentence]:
        """Return the sentences that the agent's newest one may answer; () when it is far into its turn."""
        turn = self._open.get(agent_id)
        return turn.context if turn is not None and turn.said <= MOST_FROM_ITS_START else ()

    def question(self, unit: Sentence) -> Sentence | None:
        """Return the question that `unit`, not heard yet, answers; None if it answers none.

        It is the last sentence of the turn that is answered, or the speaker's own right before it: on its line, or on
        lines with a speaker each. A short sentence that says nothing ("Just back.") may stand between.
        """
        turn = self._open.get(unit.source.agent_id)
        if turn is None:
            return None
        said = [*turn.last][-1:]
        if said and said[0].text.endswith("?"):
            # each on a line under its speaker
            lines = unit.opens and labelled(said[0].full)[0] and labelled(unit.full)[0]
            return said[0] if said[0].line_no == unit.line_no or lines else None
        if turn.said > len(said) or any(answers_itself(each.full, unit.full) for each in said):
            return None
        asked = turn.context[-1] if turn.context else None
        return asked if asked is not None and asked.text.endswith("?") else None

    def replies(self, unit: Sentence) -> Reply:
        """Return what `unit`, not heard yet, replies to; nothing if a question stands right before it."""
        turn = self._open.get(unit.source.agent_id)
        if turn is None:
            return Reply.NONE
        own, answered = [*turn.last][-1:], [*turn.context][-1:]
        goes_on = not own or bool(drugs_named(own[0].full))  # "Lorazepam 4 mg. Then levetiracetam."
        if any(map(_asks_what_is, [*own, *(answered if goes_on else ())])):
            return Reply.FACT
        taken = own or answered
        goes_on = _GOES_ON.match(unit.text) is not None and any(_TAKES.search(each.full) for each in taken)
        if goes_on or any(map(_tells_what_was, taken)):
            return Reply.ACCOUNT
        if not turn.context or turn.questions:
            return Reply.NONE
        if any(each.text.endswith("?") for each in (*turn.context, *turn.last)):
            return Reply.NONE
        said = [each.full for each in turn.context]
        on = any(prohibits(each) or asks_for(each) for each in said) and not any(map(tells_allergy, said))
        # "Hold the metformin.", "Metformin 500." says what is taken
        same = any(prohibits(each) and drugs_named(each) & drugs_named(unit.text) for each in said)
        return Reply.ON_TREATMENT if on and not same else Reply.PLAIN

    def is_whole(self, agent_id: str) -> bool:
        """Return whether `context` is all that was said in the turn that the agent's answers."""
        turn = self._open.get(agent_id)
        return turn is not None and turn.whole

    def answered(self, unit: Sentence) -> AnsweredSentence | None:
        """Return what `unit`, the sentence heard last, answers; None if that is unknown."""
        turn = self._now
        if turn is None or _is_quotation(unit):
            return None
        if (label := _label(unit)) and _refers(label):
            return _end_of(self._numbered.get(_number(label)))
        if turn.said > 1:
            return None if turn.own is None else AnsweredSentence(turn.own, alone=True, own=True)
        if turn.quoted is not None:
            return AnsweredSentence(turn.quoted.source, alone=True)
        return None if turn.before is None or turn.before.questions else _end_of(turn.before)

    def withdraw(self, agent_id: str, since: int) -> None:
        """Forget the agent's ended turn from delta `since` on, so that nobody answers it."""

        def gone(unit: Sentence) -> bool:
            return person(unit.source.agent_id) == agent_id and unit.source.first_seq >= since

        if self._ended is not None and any(map(gone, self._ended.last)):
            self._numbered = {
                number: turn for number, turn in self._numbered.items() if turn is not self._ended
            }
            self._ended = None
        kept = [(said, each) for said, each in self._heard if not gone(each)]
        self._heard = deque(kept, maxlen=MOST_REMEMBERED)


def _asks_what_is(unit: Sentence) -> bool:
    """Return whether `unit` asks for what is or was so, or about somebody else, and not for what to do here."""
    text = unit.full
    if _ASKS_HISTORY.search(text):
        return True
    if not text.endswith("?"):
        return False
    others = bool(statuses_of(text, "") & NOT_OURS - {Status.QUESTION})
    asks = _ASKS_WHAT.match(text) is not None and _TO_DO.search(text) is None
    return others or (asks and not analytes_named(text) and not names_test(text))


def _tells_what_was(unit: Sentence) -> bool:
    """Return whether `unit` tells of the past, or of a drug that somebody took or did not bear."""
    text = unit.full
    if prohibits(text) or asks_for(text):
        return False
    return Status.PAST in statuses_of(text, "") or bool(drugs_named(text) and _TAKEN.search(text))


_ASKS_WHAT: Final = re.compile(
    r"\W*(?:(?:and|so)\W+)?"
    r"(?:(?:what|which|who|how|why|when|where)\b|(?:is|was|are|were|has|had|did) (?:he|she|they)\b)",
    re.IGNORECASE,
)
_ASKS_HISTORY: Final = re.compile(
    r"\b(?:history|pmh|medications|meds|drug chart|allergies)(?:,? please)?\W*\Z", re.IGNORECASE
)
_TO_DO: Final = re.compile(
    r"\b(?:give|start|use|next|plan|treat\w*|want|cover|what now|first|"
    r"(?:do|can|could|should|shall|would|will) (?:we|I|you)|we do)\b",
    re.IGNORECASE,
)
_TAKEN: Final = re.compile(
    r"\b(?:(?:was|were|been|started|put) on|took|stopped|switched|reacted)\b", re.IGNORECASE
)
_TAKES: Final = re.compile(r"(?:\b(?:is|are)|['’]s) on\b|\b(?:takes|taking)\b", re.IGNORECASE)
_GOES_ON: Final = re.compile(r"\W*(?:now|then|instead)\b", re.IGNORECASE)
"""Opens what goes on with what is taken: "He's on ramipril.", "Now losartan."."""


def _end_of(turn: _Turn | None) -> AnsweredSentence | None:
    """Return the last sentence of a turn, unless the turn asks for several things; None for none."""
    return None if turn is None or turn.end is None or turn.asks > 1 else AnsweredSentence(turn.end)


def _is_short(turn: _Turn | None) -> bool:
    """Return whether all that a turn has said is kept for the turn that answers it."""
    return turn is not None and turn.count <= MOST_KEPT


def _is_quotation(unit: Sentence) -> bool:
    """Return whether a sentence is marked as a quotation; nobody said it, so it answers nothing."""
    return unit.full.startswith(">")


def _label(unit: Sentence) -> str:
    return unit.head or numbered_label(unit.full)[0]


def _refers(head: str) -> bool:
    """Return whether a head refers to another message, known or not, after its own number."""
    own = _OWN.match(head)
    return _REFERS.search(head, own.end() if own is not None else 0) is not None


def _number(head: str) -> str:
    """Return the one number that a head refers to; "" for none or several."""
    own = _OWN.match(head)
    for refers in _REFERS.finditer(head, own.end() if own is not None else 0):
        to = _TO.match(head, refers.end())
        if to is not None:
            return "" if _MORE.match(head, to.end()) else to[1]
    return ""


def _repeats(who: str, words: str, said: Sentence) -> bool:
    """Return whether `words` in quotation marks are those of `said`, which `who` said and which means no more.

    The name shares a word of three letters or more with the agent's. A question, a condition, a denial or a longer
    number that the quoted words leave out makes them words of whoever writes them.
    """
    names = {word for word in _WORD.findall(said.source.agent_id.lower().replace("_", " ")) if len(word) > 2}
    if names.isdisjoint(_WORD.findall(who.lower().replace("_", " "))):
        return False
    quoted = words.strip(' "“”.!').lower()
    before, there, behind = said.full.lower().partition(quoted)
    goes_on = re.match(r"[.,]?\d| ?(?:to|or|and|-|–) ?\d", behind) is not None
    return bool(there) and not goes_on and _MEANT.search(before) is None and _MEANT.search(behind) is None


def _bare(text: str) -> str:
    return f" {' '.join(_WORD.findall(_BRACKETED.sub(' ', text.lower())))} "
