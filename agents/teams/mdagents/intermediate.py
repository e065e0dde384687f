"""The intermediate tier: experts debate in rounds, a moderator decides.

recruit ─▶ first opinions, at once ─▶ round: turns (all at once, messages between them)
                                      ─▶ opinions anew and a summary, at once ─▶ review ─▶ next round
nobody talks · all agree · nobody changes in two rounds running · the last round ─▶ moderator
"""

from __future__ import annotations

from agents.stream import ProgressKind
from agents.teams.mdagents import prompts
from agents.teams.mdagents.answers import votes
from agents.teams.mdagents.asking import Agent
from agents.teams.mdagents.deciding import decide, rule_of
from agents.teams.mdagents.outcome import By
from agents.teams.mdagents.panel import Panel, recruited
from agents.teams.mdagents.replying import Replier
from agents.teams.mdagents.shapes import Review, Summary
from agents.teams.mdagents.work import Work, both
from agents.teams.reasons import SPENT


async def intermediate(work: Work) -> None:
    """Have experts debate and a moderator decide. Raises: NobodyLeft."""
    panel = await recruited(work)
    moderator = Agent("moderator", "moderator", prompts.role("moderator"))
    replier = Replier(work, "moderator")
    await panel.first_opinions()
    work.outcome.stopped = await _debate(work, panel, moderator, replier)
    await replier.attend(panel.held())
    counted = votes(each.answer for each in panel.opinions().values())
    question = prompts.prompt(
        "final",
        case=work.case,
        opinions=prompts.opinions_block(panel.held(), work.options),
        summaries=prompts.block("summaries", "\n\n".join(map(_summary_text, work.outcome.summaries))),
        votes=prompts.votes_line(counted, work.options),
        rule=rule_of(counted),
        answer=work.rule,
    )
    await decide(work, moderator, By.MODERATOR, question, counted)


async def _debate(work: Work, panel: Panel, moderator: Agent, replier: Replier) -> str:
    """Hold the rounds; return why they ended."""
    still = 0
    for number in range(1, work.settings.rounds + 1):
        if await work.is_spent():
            return SPENT
        await work.step(ProgressKind.ROUND, tuple(panel.names), f"Round {number}.", round_=number)
        if not await _talk(work, panel, replier, number):
            return SPENT if await work.is_spent() else "nobody had anything to add"
        question = _summary_question(work, panel, number)
        changed, _ = await both(panel.refresh(number), _summarise(work, question))
        still = 0 if changed else still + 1
        if panel.agreed():
            return "all agree"
        if still == 2:
            return "nobody changes any more"
        if number < work.settings.rounds:
            await _next_round(work, panel, moderator, number)
    return "the last round is over"


async def _talk(work: Work, panel: Panel, replier: Replier, round_: int) -> bool:
    """Hold a round's turns until nobody talks; return whether anybody did."""
    talked = False
    for turn in range(1, work.settings.turns + 1):
        facts = len(work.told)
        questions = await work.messages()
        if told := work.told[facts:]:
            panel.tell_all(prompts.block("clinician", "\n".join(told)))
        held = panel.held()
        delivered, _ = await both(panel.turn(round_, turn), replier.answer(questions, held, round_, turn))
        talked = talked or bool(delivered)
        if not delivered:
            break
    return talked


def _summary_question(work: Work, panel: Panel, round_: int) -> str:
    return prompts.prompt(
        "summarise",
        case=work.case,
        opinions=prompts.opinions_block(panel.held(), work.options),
        messages=_messages(work, panel, round_),
        round=round_,
    )


async def _summarise(work: Work, question: str) -> None:
    assistant = Agent("assistant", "assistant", prompts.role("assistant"))
    found = await work.asked(assistant, question, Summary, run="summary", temperature=work.settings.deciding)
    if found is None:
        return
    if isinstance(found, str):
        found = Summary(key_knowledge="", total_analysis=found)
    work.outcome.summaries.append(found.model_dump())


async def _next_round(work: Work, panel: Panel, moderator: Agent, round_: int) -> None:
    """Have the moderator review a round without agreement; put that before the experts, with the summary."""
    await work.step(ProgressKind.REVIEW, (moderator.name,), "The moderator reviews.", round_=round_)
    counted = votes(each.answer for each in panel.opinions().values())
    opinions = prompts.opinions_block(panel.held(), work.options)
    question = prompts.prompt(
        "review",
        case=work.case,
        opinions=opinions,
        messages=_messages(work, panel, round_),
        round=round_,
        votes=prompts.votes_line(counted, work.options),
    )
    found = await work.asked(
        moderator,
        question,
        Review,
        run="review",
        aloud=work.aloud(round_=round_),
        temperature=work.settings.deciding,
        keep=False,
    )
    panel.tell_all(opinions)
    if work.outcome.summaries:
        panel.tell_all(prompts.block("summary", _summary_text(work.outcome.summaries[-1])))
    if found is not None:
        feedback = found if isinstance(found, str) else found.feedback
        work.outcome.reviews.append(feedback)
        panel.tell_all(prompts.block("moderator", feedback))
        await work.say(moderator.name, feedback, "review", round_=round_)


def _messages(work: Work, panel: Panel, round_: int) -> str:
    lines = [
        f"{panel.names[each.source - 1]} to {panel.names[each.target - 1]}: {each.text}"
        for each in work.outcome.interactions
        if each.round == round_
    ]
    return prompts.block("messages", "\n".join(lines))


def _summary_text(summary: dict[str, str]) -> str:
    return f"Key Knowledge: {summary['key_knowledge']}\nTotal Analysis: {summary['total_analysis']}"
