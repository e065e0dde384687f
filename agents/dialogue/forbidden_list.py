"""The answer to what must not be given: the bans in force, then what orders not to, and the rest for the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.dialogue.compose import on_the_page
from agents.dialogue.facts import Fact
from agents.dialogue.forbids import doings
from agents.dialogue.given import names_given
from agents.dialogue.restraints import orders_not_to, refused, restrains
from agents.dialogue.safety import Ban, in_force
from agents.dialogue.values import Sentence
from exaim_core.board.view import BoardView, SaidView
from exaim_core.claims.consensus import about_the_debate
from exaim_core.text.names import Names
from exaim_core.text.wording import lower_first, upper_first, word_count

OPENING: Final = "On what must not be given: "
MOST_WORDS: Final = 80  # 30 s: whoever asks for all of it wants to hear it


def listed(view: BoardView, paper: Sequence[Fact]) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    """Return all that must not be given: sentences of at most `MOST_WORDS` words, and those for the page.

    Said are the bans, then, as their speakers' words, what orders not to do something else. What does not fit is on
    the page, and so is each other sentence in force that may forbid or warn, whole and as it was said. Where nothing
    forbids outright the newest of those is said.
    """
    bans = in_force(view, paper)
    names = Names(view.names)
    said = [Sentence(f"{upper_first(ban.text)}.", ban.source) for ban in bans]
    page: list[Sentence] = []
    known = frozenset(name for ban in bans for name in ban.names)
    for one in _other(view, bans):
        if not said or _is_told(one, known):
            who = names(one.agent_id)
            said.append(
                Sentence(
                    f"{who} says: {lower_first(_with_one_full_stop(one.text))}", f"{who}, turn {one.at[0]}"
                )
            )
        else:
            page.append(quoted(one, names))
    fitting = _fitting(said)
    told = said[:fitting]
    if told:
        told[0] = Sentence(f"{OPENING}{lower_first(told[0].text)}", told[0].source)
    return tuple(told), (*said[fitting:], *page)


def quoted(one: SaidView, names: Names) -> Sentence:
    """Return a sentence as it was said, behind the heading that it stood under, with its holder."""
    heading = one.under.split("; ")[-1]
    text = f"{heading}: {one.text}" if heading and ": " not in one.text else one.text
    return Sentence(upper_first(_with_one_full_stop(text)), f"{names(one.agent_id)}, turn {one.at[0]}")


def _other(view: BoardView, bans: Sequence[Ban]) -> Iterator[SaidView]:
    """Give each sentence in force that may restrain and is of no ban, the newest first, each once."""
    known = {ban.of for ban in bans}
    for at in range(len(view.said) - 1, -1, -1):
        one = view.said[at]
        if one.text in known:
            continue
        named = refused(view.said, at)
        if named is not None:
            yield one.model_copy(
                update={"text": f"{_with_one_full_stop(named.text.lstrip('> '))} {one.text.lstrip('> ')}"}
            )
        elif restrains(one):
            known.add(one.text)
            yield one


def _is_told(one: SaidView, known: frozenset[str]) -> bool:
    """Tell whether a sentence orders not to give or do something that no ban names yet."""
    if not orders_not_to(one.text) or about_the_debate(one.text):
        return False
    names = names_given(one.text) | doings(one.text)
    return bool(names - known)


def _fitting(sentences: Sequence[Sentence]) -> int:
    """Return how many of `sentences` fit, in their order, with the opening and what counts the rest."""
    room = MOST_WORDS - word_count(on_the_page(1)) - word_count(OPENING)
    for k, sentence in enumerate(sentences):
        room -= word_count(sentence.text)
        if room < 0:
            return k
    return len(sentences)


def _with_one_full_stop(text: str) -> str:
    return text if text.endswith("?") else f"{text.rstrip('. ')}."
