"""The answer's last form: fixed sentences, what was found, and what was not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.dialogue import compose
from agents.dialogue.facts import Fact
from agents.dialogue.look_up import FactGroup
from agents.dialogue.thread import Entry
from agents.dialogue.understand import ARTICLE_KINDS, UnderstoodQuestion
from agents.dialogue.values import MOST_WORDS, Answer, Intent, Question, Sentence
from agents.dialogue.vocabulary import Vocabulary
from exaim_core.patient.paper import CasePaper
from exaim_core.text.names import number_word
from exaim_core.text.wording import key_words, word_count

_FIXED = {
    Intent.ORDER: compose.NO_ORDERS,
    Intent.SMALL_TALK: compose.SMALL_TALK,
    Intent.UNCLEAR: compose.SAY_AGAIN,
}
SAID_BEFORE = "said before"
MOST_ON_PAGE = 40  # sentences that the page lists below one answer, about 4 kB
_ALL = 100_000  # words or sentences: more than there are
_MOST_REST = 160  # words that are kept for "tell me more": two or three further answers


class ReplyWriter:
    """Words answers for one case."""

    def __init__(self, vocabulary: Vocabulary, paper: CasePaper | None) -> None:
        self._vocabulary = vocabulary
        self._paper = paper

    def fixed(self, asked: UnderstoodQuestion, question: Question, turns: Sequence[Entry]) -> Answer | None:
        """Return the answer to what needs no look-up; None for a question about the case."""
        if asked.intent is Intent.REPEAT:
            before = question.focus.text if question.focus else turns[-1]["answer"]["text"] if turns else ""
            if before:
                return _plain(question, asked, before, found=True, source=SAID_BEFORE)
            return _plain(question, asked, compose.SAY_AGAIN)
        if asked.intent in _FIXED:
            return _plain(question, asked, _FIXED[asked.intent])
        if asked.unsure:
            one, other = (self.spoken(name) for name in asked.unsure)
            return _plain(question, asked, f"Did you mean {one} or {other}?")
        return None

    def plain(self, question: Question, asked: UnderstoodQuestion, said: str) -> Answer:
        """Return a sentence of ours as the whole answer."""
        return _plain(question, asked, said)

    def spoken(self, name: str) -> str:
        """Return a name of the vocabulary as it stands in a sentence."""
        return f"the {name}" if self._vocabulary.entries[name].kind in ARTICLE_KINDS else name

    def told(
        self,
        asked: UnderstoodQuestion,
        groups: Sequence[FactGroup],
        question: Question,
        listed: Sequence[Sentence] = (),
        *,
        counts: bool = False,
    ) -> Answer:
        """Return what holds of `groups`, at most `MOST_WORDS` words, with what was not found said first.

        `listed` is a list that is told as it is, for a question that asks for all of it; behind what was not found,
        for another. `counts`: there may be more
        on the page, and room is left to say so.
        """
        if asked.stranger and not groups:
            return _plain(question, asked, compose.absent(asked.stranger))
        if listed:
            lacking = next((topic.missing for topic in asked.topics), None)
            nothing = Sentence(compose.nothing_on(lacking), compose.OURS)
            listed = listed if asked.intent is Intent.FORBIDDEN else (nothing, *listed)
            text = " ".join(sentence.text for sentence in listed)
            return Answer(question.turn_id, text, tuple(listed), None, True, str(asked.intent))
        if asked.intent is Intent.TOLD and not groups:
            return _plain(question, asked, compose.NOT_KNOWN_TOLD)
        first = [compose.NOT_KNOWN] if asked.intent is Intent.DONE else []
        first += [compose.absent(asked.stranger)] if asked.stranger else []
        first += [compose.nothing_on(g.topic.missing) for g in groups if g.topic and not g.facts]
        if any(group.nearest and group.facts for group in groups) and not any(
            "nothing" in one for one in first
        ):
            first.append(compose.NEAREST)
        counted = self._counted(asked)
        said: tuple[Sentence, ...] = (counted,) if counted else ()
        if not said:
            room = MOST_WORDS - sum(word_count(text) for text in dict.fromkeys(first))
            room -= word_count(compose.on_the_page(1)) if counts else 0
            most = _ALL if asked.intent is Intent.ALLERGIC else compose.MOST_SENTENCES
            said = compose.grounded(compose.slots(groups), room, most=most)
        if not said and not asked.stranger and not any(text.startswith("I have nothing") for text in first):
            lost = next((group.topic for group in groups if group.topic), None)
            lost = lost or next(iter(asked.topics), None)
            first.append(compose.nothing_on(lost.missing if lost else None))
        if not said and compose.NEAREST in first:
            first.remove(compose.NEAREST)
            first = first or [compose.nothing_on(None)]
        ours = tuple(Sentence(text, compose.OURS) for text in dict.fromkeys(first))
        sentences = (*ours, *said)
        known = asked.topics and (asked.topics[0].names or said)
        return Answer(
            question.turn_id,
            " ".join(sentence.text for sentence in sentences),
            sentences,
            asked.topics[0].label if known else None,
            bool(said),
            str(asked.intent),
        )

    def nearest(
        self, asked: UnderstoodQuestion, facts: Sequence[Fact], question: Question, by: str
    ) -> Answer | None:
        """Return what `by` chose, said to be no more than that; None if nothing of it holds."""
        groups = [replace(self.focus_group((fact,)), nearest=True) for fact in facts]
        said = compose.grounded(compose.slots(groups), MOST_WORDS - word_count(compose.NEAREST))
        if not said:
            return None
        sentences = (Sentence(compose.NEAREST, compose.OURS), *said)
        text = " ".join(sentence.text for sentence in sentences)
        return Answer(question.turn_id, text, sentences, None, True, str(asked.intent), by)

    def rest(
        self, groups: Sequence[FactGroup], answer: Answer, *, whole: bool = False
    ) -> tuple[Sentence, ...]:
        """Return what holds of `groups` and was not said, for "tell me more"; `whole`: however much that is."""
        said = [set(key_words(sentence.text)) for sentence in answer.sentences]
        room, most = (_ALL, _ALL) if whole else (_MOST_REST, compose.MOST_SENTENCES)
        return tuple(
            Sentence(compose.unopened(sentence.text), sentence.source)
            for sentence in compose.grounded(compose.slots(groups), room, together=False, most=most)
            if not any(set(key_words(compose.without_speaker(sentence.text))) <= known for known in said)
        )

    def more(
        self, asked: UnderstoodQuestion, question: Question, turns: Sequence[Entry]
    ) -> tuple[Answer, tuple[Sentence, ...]]:
        """Return what the last answer that told anything had no room for, as far as it fits now, and what is left."""
        last = next((turn for turn in reversed(turns) if turn["answer"]["found"]), None)
        rest = [Sentence(**one) for one in (last.get("rest", []) if last else [])]
        room = MOST_WORDS
        said: list[Sentence] = []
        while rest and word_count(rest[0].text) <= room:
            room -= word_count(rest[0].text)
            said.append(rest.pop(0))
        if not said:
            return _plain(question, asked, compose.NO_MORE), ()
        told = compose.named_once(said)
        text = " ".join(sentence.text for sentence in told)
        return Answer(question.turn_id, text, told, None, True, str(asked.intent)), tuple(rest)

    def focus_group(self, facts: Sequence[Fact]) -> FactGroup:
        """Return what is told of the held item, opened by what its first fact is about."""
        names = sorted(facts[0].head.names, key=lambda name: (-len(name), name))
        known = [name for name in names if name in self._vocabulary.entries]
        return FactGroup(self.spoken(known[0]) if known else "that", tuple(facts[:3]))

    def _counted(self, asked: UnderstoodQuestion) -> Sentence | None:
        """Return how many the paper lists, recomputed from it; None if that was not asked."""
        if asked.intent is not Intent.COUNT or not asked.topics or self._paper is None:
            return None
        lists = {
            "medicines": (self._paper.medication, "medicine"),
            "allergies": (self._paper.allergies, "allergy"),
        }
        name = next((name for name in asked.topics[0].names if name in lists), None)
        if name is None or not lists[name][0]:
            return None
        listed, one = lists[name]
        what = one if len(listed) == 1 else name
        text = f"On the {name}: the case paper lists {number_word(len(listed))} {what}."
        return Sentence(text, f"case paper: {name}")


def with_page(answer: Answer, found: Sequence[Sentence], near: Sequence[Sentence] = ()) -> Answer:
    """Return `answer` with what of `found` it does not say, for the page; how many those are is its last sentence.

    What is but `near` comes behind it, and is not counted aloud: it need not restrain anything. Where nothing was
    found the page has that alone.
    """
    found = found if answer.found else ()
    said = [set(key_words(sentence.text)) for sentence in answer.sentences if sentence.source != compose.OURS]
    left: tuple[Sentence, ...] = ()
    count = 0
    for place, one in enumerate((*found, *near)):
        words = set(key_words(one.text))
        if not any(words <= known for known in said):
            said.append(words)
            left = (*left, one)
            count += place < len(found)
    if not left:
        return answer
    if not count:
        return replace(answer, on_page=left[:MOST_ON_PAGE])
    if count > MOST_ON_PAGE:
        more = f"And {count - MOST_ON_PAGE} more, in the agents' own words."
        left = (*left[:MOST_ON_PAGE], Sentence(more, compose.OURS))
    sentences = (*answer.sentences, Sentence(compose.on_the_page(count), compose.OURS))
    text = " ".join(sentence.text for sentence in sentences)
    return replace(answer, text=text, sentences=sentences, on_page=left)


def _plain(
    question: Question,
    asked: UnderstoodQuestion,
    said: str,
    *,
    found: bool = False,
    source: str = compose.OURS,
) -> Answer:
    return Answer(question.turn_id, said, (Sentence(said, source),), None, found, str(asked.intent))
