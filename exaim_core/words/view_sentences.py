"""Sentences about views: who leads, differs, joins, changes; what is confirmed or settled.

Each function yields its wordings from the fullest to the barest (`templates.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from exaim_core.board.changes import Change, Vote
from exaim_core.claims.claims import Claim
from exaim_core.lexicon.named import points
from exaim_core.text.names import Names, inner, number_word
from exaim_core.text.wording import lower_first, mid_sentence, term, word_count


def tally(vote: Vote) -> str:
    """Return the state of the vote: "All three agree.", "Two to one."; "" if there is nothing to count."""
    if vote.unanimous:
        count = len(vote.voters)
        return "Both agree." if count == 2 else f"All {number_word(count)} agree."
    others = len(vote.voters) - len(vote.holders)
    if vote.current and len(vote.voters) >= 3 and len(vote.holders) > others > 0 and not vote.silent:
        return f"{number_word(len(vote.holders)).capitalize()} to {number_word(others)}."
    return ""


def leads(change: Change, names: Names) -> Iterator[str]:
    """Say who leads with what."""
    yield f"{names(change.agent_id)} leads with {change.claim.entity}."


def differs(change: Change, names: Names) -> Iterator[str]:
    """Say that a view differs from the others' views."""
    yield f"{names(change.agent_id)} differs: {change.claim.entity}."


def sides(change: Change, names: Names) -> Iterator[str]:
    """Say that an agent joins another's view, with the count."""
    opening = f"{names(change.agent_id)} sides with {inner(names(change.other))}"
    count = tally(change.vote)
    yield f"{opening} on {change.claim.entity}. {count}".strip()
    yield f"{opening}. {count}".strip()


def changed(change: Change, names: Names) -> Iterator[str]:
    """Say to which view an agent has changed and why, else from which.

    If its own words do not say that it changed its mind, both views are told, as it stated them.
    """
    who, count = names(change.agent_id), tally(change.vote)
    entity, why = change.claim.entity, _why(change)
    if not change.first:
        yield f"{who}, first {term(change.former)}, now {entity}. {count}".strip()
        yield f"{who}, first {term(change.former)}, now {entity}."
        return
    if why:
        yield f"{who} has changed to {entity}: {why}. {count}".strip()
        yield f"{who} has changed to {entity}: {why}."
    yield f"{who} has changed from {term(change.former)} to {entity}. {count}".strip()
    yield f"{who} has changed to {entity}. {count}".strip()


def agrees(change: Change, names: Names) -> Iterator[str]:
    """Say that a second doctor holds the first one's view."""
    yield f"{names(change.agent_id)} agrees: {change.claim.entity}."
    yield f"{names(change.agent_id)} agrees."


def _why(change: Change) -> str:
    if change.why is None:
        return ""
    item, _, rest = change.why.text.rpartition(": ")
    text = rest
    if points(text):  # "its" refers to the list item
        if not item or word_count(item) > 4 or not re.search(r"\bits\b", text):
            return ""
        text = re.sub(r"\bits\b", f"the {mid_sentence(item)}'s", text, count=1)
    return lower_first(re.split(r",\s+(?:and|so|which)\b", text)[0].rstrip("."))


def all_agree(change: Change, names: Names) -> Iterator[str]:
    """Say that all hold one view."""
    count = number_word(len(change.vote.voters))
    yield f"All {count} lead with {change.vote.entity}."


def rules(change: Change, names: Names) -> Iterator[str]:
    """Say the moderator's view."""
    verb = "opens with" if change.first else "rules for"
    yield f"{names(change.agent_id)} {verb} {change.claim.entity}."


def confirmed(change: Change, names: Names) -> Iterator[str]:
    """Say that a study confirms a diagnosis."""
    claim, who = change.claim, names(change.agent_id)
    yield f"{who}: {lower_first(claim.text.rstrip('.'))}."
    yield f"{who}: {claim.entity} is confirmed."


def concluded(change: Change, names: Names) -> Iterator[str]:
    """Say what somebody states as the team's consensus or decision, in their words."""
    claim = change.claim
    what = "Consensus" if is_agreed(claim) else "Decision"
    yield f"{what}, from {inner(names(change.agent_id))}: {mid_sentence(claim.entity)}."


def is_agreed(claim: Claim) -> bool:
    """Return whether a conclusion is told as everybody's agreement, and not as somebody's decision."""
    return _AGREED.search(claim.text) is not None


_AGREED = re.compile(r"\b(?:consensus|agree\w*|concur\w*|unanim\w+|one mind|united)\b", re.IGNORECASE)
