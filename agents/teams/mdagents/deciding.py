"""Have a moderator or coordinator decide, at temperature 0, beside votes that are counted here."""

from __future__ import annotations

from agents.stream import DecisionKind, ProgressKind
from agents.teams.mdagents.answers import majority, same, words_of
from agents.teams.mdagents.asking import Agent
from agents.teams.mdagents.outcome import By, Opinion
from agents.teams.mdagents.shapes import Answer
from agents.teams.mdagents.work import Work


def rule_of(votes: dict[str, int]) -> str:
    """Return what the moderator is told of the vote: more than half decide, a tie does not."""
    if majority(votes) is not None:
        return "More than half of the votes agree: follow them, unless a reason that they overlooked is decisive."
    return "No answer has more than half of the votes: weigh the reasons and put the best of them together."


async def decide(work: Work, chair: Agent, by: By, question: str, votes: dict[str, int]) -> None:
    """Have `chair` decide, and write it into the outcome.

    If the chair can't be read, or fails, what more than half of the votes hold stands; else nothing does.
    """
    await work.step(ProgressKind.SYNTHESIS, (chair.name,), f"The {chair.name} writes the decision.")
    found = await work.asked(
        chair,
        question,
        Answer,
        run="decision",
        aloud=work.aloud(final=True),
        temperature=work.settings.deciding,
        keep=False,
        closing=True,
    )
    held = work.opinion_of(found) if found is not None else Opinion("", None)
    outcome = work.outcome
    outcome.votes, outcome.reasoning = votes, held.reasoning
    by_vote = majority(votes)
    if held.answer is not None:
        outcome.answer, outcome.by = held.answer, by
        outcome.overruled = by_vote is not None and not same(by_vote, held.answer)
    elif by_vote is not None:
        outcome.answer, outcome.by = by_vote, By.VOTE
        work.warn([f"the {chair.name} could not be read; more than half of the votes stand"])
        held = Opinion(held.reasoning or "The decision is that of more than half of the votes.", by_vote)
    else:
        work.warn([f"the {chair.name} could not be read, and no vote decides"])
    await work.view(chair.name, held, "decision", kind=DecisionKind.FINAL)
    others = {
        name: each for name, each in last_views(work).items() if each and not same(each, outcome.answer)
    }
    if others and outcome.answer is not None:
        told = "; ".join(f"{name}: {words_of(each, work.options)}" for name, each in others.items())
        await work.step(ProgressKind.MINORITY, tuple(others), told)


def last_views(work: Work) -> dict[str, str | None]:
    """Return what each expert, or each team's lead, held at the end."""
    if work.outcome.teams:
        return {each.members[0]: each.answer for each in work.outcome.teams}
    return {name: each.answer for name, each in work.outcome.opinions[-1].items()}
