"""Tell once what is said twice: a plain ban of which one stands, and a sentence whose words stand whole in another.

Several plain bans of one agent become one sentence. What is not told keeps the items that tell it in its place
(`Spared`). If one of them is withdrawn, it is told after all (`since.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from exaim_core.board.board import Board
from exaim_core.claims.claims import Claim, Kind
from exaim_core.lexicon.bans import Ban, are_told, bans_told, plain_bans
from exaim_core.lexicon.prohibitions import tells_allergy
from exaim_core.schema import SpokenItem, SpokenKind
from exaim_core.text.assertion import gives_to_another
from exaim_core.text.names import person
from exaim_core.text.wording import series, word_count
from exaim_core.words.revised import may_take_back
from exaim_core.words.templates import Wording, said_words

MOST_IN_ONE: Final = 14  # words of several bans in one sentence: five seconds and a half
_MAY_BE_PART: Final = frozenset({SpokenKind.CAUTION, SpokenKind.ACTION, SpokenKind.FINDING})
_PUTS_RIGHT: Final = frozenset({SpokenKind.CORRECTION})
_BAN_KINDS: Final = frozenset({SpokenKind.CAUTION, SpokenKind.CHANGE})


@dataclass(frozen=True, slots=True)
class Spared:
    """A claim that is not told, and what tells it: ids of earlier items, and claims that this update tells."""

    claim: Claim
    items: frozenset[str]
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class _Teller:
    """What tells bans: an item, or a wording of this update. `last_seq`: of its last words."""

    bans: tuple[Ban, ...]
    agents: tuple[str, ...]
    last_seq: int
    presses: bool
    item_id: str = ""
    claim: Claim | None = None


def once(
    kept: Sequence[Wording], told: Iterable[SpokenItem], board: Board
) -> tuple[list[Wording], list[Spared]]:
    """Return the wordings without what others tell, and the claims of the rest; `told` are the items in force."""
    kept, spared = _in_whole_words(kept)
    before = [_of_item(item) for item in told if item.kind in _BAN_KINDS and item.protects]
    fuller = [_of_wording(each) for each in kept if _bans(each) and not _plain(each)]
    left = list[Wording]()
    for made in kept:
        bans = _plain(made)
        tellers = [_teller(ban, made, (*before, *fuller), board) for ban in bans]
        by = [each for each in tellers if each is not None]
        if not bans or len(by) < len(bans):
            left.append(made)
            before += [_of_wording(made)] if bans else []
            continue
        ids = frozenset(each.item_id for each in by if each.item_id)
        within = tuple(each.claim for each in by if each.claim is not None)
        spared.append(Spared(made.claims[0], ids, within))
    return left, spared


def _in_whole_words(kept: Sequence[Wording]) -> tuple[list[Wording], list[Spared]]:
    """Return the wordings without those whose words stand whole in a caution or change of the same sentence."""
    left, spared = list(kept), list[Spared]()
    for made in kept:
        whole = next((each for each in left if each is not made and _holds_whole(each, made)), None)
        if whole is not None:
            left = [each for each in left if each is not made]
            spared += [Spared(claim, frozenset(), whole.claims[:1]) for claim in made.claims]
    return left, spared


def _holds_whole(other: Wording, made: Wording) -> bool:
    """Return whether `other` goes no later than `made`, is never dropped, and has all of its words in order."""
    if made.kind not in _MAY_BE_PART or other.kind not in _BAN_KINDS | _PUTS_RIGHT:
        return False
    if not (other.protects or (other.presses and other.topic is None)):
        return False
    if (made.presses and not other.presses) or made.agents != other.agents or not made.claims:
        return False
    if made.claims[0].kind is Kind.CONCLUDES:
        return False  # that it is the decision is told
    if not any(made.claims[0].source.meets(claim.source) for claim in other.claims):
        return False
    texts = [each for each in (other.text, other.brief) if each is not None]
    return all(_words(made.text) in _words(each) for each in texts)


def _words(text: str) -> str:
    """Return the words that are said, without their marks: "NO ceftriaxone!!" is "no ceftriaxone"."""
    return f" {' '.join(word.strip('.,;:!?–—').lower() for word in said_words(text).split())} "


def in_one(kept: Sequence[Wording]) -> list[Wording]:
    """Return the wordings with plain bans of one agent and one verb as one sentence, where the first stands.

    Each was grounded by itself, and the sentence is read as the same bans.
    """
    made = list[Wording]()
    for each in kept:
        at = next((k for k, other in enumerate(made) if _may_join(other, each)), None)
        joint = _joint(made[at], each) if at is not None else None
        if at is not None and joint is not None:
            made[at] = joint
        else:
            made.append(each)
    return made


def _plain(made: Wording) -> tuple[Ban, ...]:
    """Return the bans of a caution that is plain bans and nothing else."""
    claim = made.claims[0] if made.claims else None
    if made.kind is not SpokenKind.CAUTION or claim is None or claim.condition is not None:
        return ()
    return () if made.behind or made.hangs else plain_bans(said_words(made.text))


def _bans(made: Wording) -> tuple[Ban, ...]:
    """Return the bans that a wording tells, whether its short form is told or not."""
    if made.kind not in _BAN_KINDS or not made.protects or not made.claims:
        return ()
    return _told_in(made.text, made.brief)


def _told_in(text: str, brief: str | None) -> tuple[Ban, ...]:
    found = [_found(said_words(each)) for each in (text, brief) if each is not None]
    return tuple(ban for ban in found[0] if all(are_told((ban,), each) for each in found))


def _found(words: str) -> tuple[Ban, ...]:
    return plain_bans(words) or bans_told(words)


def _of_item(item: SpokenItem) -> _Teller:
    last = max((cite.last_seq for cite in item.cites), default=-1)
    bans = _told_in(item.text, item.brief)
    return _Teller(bans, item.agents, last, item.presses, item_id=item.item_id)


def _of_wording(made: Wording) -> _Teller:
    last = max(claim.source.last_seq for claim in made.claims)
    return _Teller(_bans(made), made.agents, last, made.presses, claim=made.claims[0])


def _teller(ban: Ban, made: Wording, tellers: Iterable[_Teller], board: Board) -> _Teller | None:
    """Return what tells `ban` and goes no later than `made` would, if nothing that was said since may end it."""
    return next(
        (
            each
            for each in tellers
            if (each.presses or not made.presses)
            and are_told((ban,), each.bans)
            and _holds(ban, each, made.claims[0], board)
        ),
        None,
    )


def _holds(ban: Ban, teller: _Teller, own: Claim, board: Board) -> bool:
    """Return whether nothing was said since `teller` that names the thing and does not ban it, or may put it right.

    What is put right may not be named: an allergy of somebody else, words that the speaker takes back.
    """
    agents = set(map(person, teller.agents))
    for said in board.said:
        if said.source.first_seq < teller.last_seq or said.source.meets(own.source):
            continue
        if said.source.first_seq == teller.last_seq and teller.claim is not None:
            continue  # in one delta with it; what came after is not known
        text = said.text
        if are_told((ban,), _found(text)):
            continue
        if ban.is_named_in(text) or gives_to_another(text) or tells_allergy(text):
            return False
        if person(said.agent_id) in agents and may_take_back(text):
            return False
    return True


def _may_join(one: Wording, two: Wording) -> bool:
    """Return whether both are plain bans of one agent, with one verb, and go at one time."""
    first, second = _plain(one), _plain(two)
    if not first or not second or one.agents != two.agents:
        return False
    alike = len({ban.verb for ban in (*first, *second)}) == 1
    return alike and (one.presses, one.urgency) == (two.presses, two.urgency)


def _joint(one: Wording, two: Wording) -> Wording | None:
    """Return two plain bans as one sentence; None if it would be too long, or not be read as both."""
    bans = (*_plain(one), *_plain(two))
    verb, names = bans[0].verb, list(dict.fromkeys(ban.name for ban in bans))
    opening = one.text.partition(": ")[0]
    repeated = verb.split()[0] in {"no", "not", "nor"}
    words = ", ".join(f"{verb} {name}" for name in names) if repeated else f"{verb} {series(names)}"
    text = f"{opening}: {words}."
    read = {(ban.act, ban.drugs, ban.rest) for ban in plain_bans(said_words(text))}
    if word_count(text) > MOST_IN_ONE or read != {(ban.act, ban.drugs, ban.rest) for ban in bans}:
        return None
    short = f"{one.brief.partition(': ')[0]}: {words}." if one.brief else None
    return replace(one, text=text, brief=short, topic=None, claims=(*one.claims, *two.claims))
