"""The basic tier: one agent, asked again at a higher temperature where it could not be read."""

from __future__ import annotations

from agents.stream import DecisionKind, ProgressKind
from agents.teams.mdagents import prompts
from agents.teams.mdagents.asking import Agent
from agents.teams.mdagents.errors import NobodyLeft
from agents.teams.mdagents.outcome import By, Opinion
from agents.teams.mdagents.replying import Replier
from agents.teams.mdagents.shapes import Answer
from agents.teams.mdagents.work import Work
from chat_models.errors import CallFailed


async def basic(work: Work) -> None:
    """Have one agent answer. Raises: NobodyLeft: it gave no answer at all."""
    doctor = Agent("physician", "physician", prompts.role("doctor"))
    await work.step(ProgressKind.OPINIONS, (doctor.name,), "One physician answers alone.")
    examples = prompts.block("examples", "\n\n".join(work.examples))
    question = prompts.prompt(
        "basic", case=work.case, examples=f"{examples}\n" if examples else "", answer=work.rule
    )
    held = Opinion("", None)
    run = ""
    for attempt, temperature in enumerate(work.settings.basic_tries, 1):
        run = f"try {attempt}"
        try:
            found = await work.asker.ask(
                doctor,
                question,
                Answer,
                run=run,
                aloud=work.aloud(final=True),
                temperature=temperature,
                keep=False,
                closing=True,
            )
        except CallFailed as error:
            work.outcome.failed[doctor.name] = error.reason
            raise NobodyLeft(work.outcome.failed) from None
        held = work.opinion_of(found)
        if held.answer is not None:
            break
        work.warn([f"try {attempt} could not be read"])
    work.outcome.opinions = [{doctor.name: held}]
    work.outcome.reasoning, work.outcome.answer = held.reasoning, held.answer
    work.outcome.by = By.AGENT if held.answer is not None else By.NOBODY
    await work.view(doctor.name, held, run, kind=DecisionKind.FINAL)
    await Replier(work, doctor.name).attend([(doctor.name, held.reasoning, held.answer)])
