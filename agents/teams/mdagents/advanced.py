"""The advanced tier: teams of a lead and assistants report in order, and a coordinator decides.

first team ─▶ the others, at once ─▶ last team, once ─▶ coordinator, who reads every report
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.stream import ProgressKind
from agents.teams.mdagents import prompts
from agents.teams.mdagents.answers import votes
from agents.teams.mdagents.asking import Agent
from agents.teams.mdagents.deciding import decide
from agents.teams.mdagents.errors import NobodyLeft
from agents.teams.mdagents.outcome import By, Opinion, TeamReport
from agents.teams.mdagents.replying import Replier
from agents.teams.mdagents.shapes import Investigations, Report
from agents.teams.mdagents.teams import Formed, TeamMember, recruited_teams
from agents.teams.mdagents.work import Work, together
from agents.teams.reasons import SPENT


async def advanced(work: Work) -> None:
    """Have teams report in order, and a coordinator decide. Raises: NobodyLeft."""
    replier = Replier(work, "coordinator")
    if work.settings.tier is not None:  # else the assessment has told it
        await work.step(ProgressKind.RECRUITING, (), "Recruiting teams.")
    first, *others, last = await recruited_teams(work)
    for team in (first, *others, last):
        names = tuple(each.name for each in team.members)
        await work.step(ProgressKind.RECRUITED, names, f"{team.name}: {_under(team)}")
    reports: list[TeamReport] = []
    stages: Sequence[Sequence[Formed]] = [[first], others, [last]]
    for number, stage in enumerate(filter(None, stages), 1):
        if await work.is_spent():
            work.outcome.stopped = SPENT
            break
        names = tuple(each.lead.name for each in stage)
        told = ", ".join(each.name for each in stage)
        await work.step(ProgressKind.ROUND, names, f"At work: {told}.", round_=number)
        read = _reports(reports)
        found = await together(_team(work, each, read, number) for each in stage)
        reports += [each for each in found if each is not None]
        await replier.attend([(each.name, each.report, each.answer) for each in reports])
    work.outcome.teams = reports
    if not reports:
        raise NobodyLeft(work.why_nobody())
    coordinator = Agent("coordinator", "coordinator", prompts.role("coordinator"))
    question = prompts.prompt("coordinate", case=work.case, reports=_reports(reports), answer=work.rule)
    await decide(work, coordinator, By.COORDINATOR, question, votes(each.answer for each in reports))


async def _team(work: Work, team: Formed, reports: str, stage: int) -> TeamReport | None:
    """Run one team: the lead asks, the assistants report in parallel, the lead writes the report.

    A team without its lead reports what the assistants found; one without anybody, nothing.
    """
    lead, *assistants = [_agent(team, each) for each in team.members]
    wanted = "Look at the case from your field."
    if assistants:
        names = ", ".join(each.name for each in assistants)
        question = prompts.prompt(
            "investigate", case=work.case, reports=reports, team=team.name, assistants=names
        )
        asked = await work.asked(
            lead,
            question,
            Investigations,
            run="investigations",
            aloud=work.aloud(round_=stage),
            temperature=work.settings.debating,
        )
        if asked is not None:
            wanted = asked if isinstance(asked, str) else asked.investigations
            await work.say(lead.name, wanted, "investigations", round_=stage)
    found = await together(_assistant(work, each, wanted, reports, stage) for each in assistants)
    findings = {each.name: text for each, text in zip(assistants, found, strict=True) if text is not None}
    held = (
        None if lead.name in work.outcome.failed else await _lead(work, lead, team, findings, reports, stage)
    )
    if held is None and not findings:
        work.warn([f"the {team.name} brought no report"])
        return None
    if held is None:
        held = Opinion(_findings(findings), None)
    else:
        await work.view(lead.name, held, "report", round_=stage)
    members = tuple(each.name for each in team.members)
    return TeamReport(team.name, members, findings, held.reasoning, held.answer)


async def _assistant(work: Work, agent: Agent, wanted: str, reports: str, stage: int) -> str | None:
    question = prompts.prompt(
        "assist", case=work.case, reports=reports, investigations=prompts.block("investigations", wanted)
    )
    found = await work.asked(
        agent,
        question,
        Report,
        run="findings",
        aloud=work.aloud(round_=stage),
        temperature=work.settings.debating,
    )
    if found is None:
        return None
    text = found if isinstance(found, str) else found.report
    await work.say(agent.name, text, "findings", round_=stage)
    return text


async def _lead(
    work: Work, lead: Agent, team: Formed, findings: dict[str, str], reports: str, stage: int
) -> Opinion | None:
    question = prompts.prompt(
        "lead",
        case=work.case,
        reports=reports,
        team=team.name,
        findings=prompts.block("findings", _findings(findings)),
        answer=work.rule,
    )
    found = await work.asked(
        lead,
        question,
        Report,
        run="report",
        aloud=work.aloud(round_=stage),
        temperature=work.settings.debating,
    )
    return None if found is None else work.opinion_of(found)


def _under(team: Formed) -> str:
    """Return who leads whom, as a hierarchy is written in a step: "cardiologist > nephrologist; …"."""
    lead, *assistants = [each.name for each in team.members]
    return "; ".join(f"{lead} > {each}" for each in assistants) or lead


def _agent(team: Formed, member: TeamMember) -> Agent:
    instruction = prompts.role(
        "member",
        role=member.name,
        team=prompts.block("team", team.name),
        description=prompts.block("focus", member.description),
    )
    return Agent(member.name, member.name, instruction)


def _findings(findings: dict[str, str]) -> str:
    return "\n".join(f"{name}: {text}" for name, text in findings.items())


def _reports(reports: Sequence[TeamReport]) -> str:
    told = "\n\n".join(f"{each.name}: {each.report}" for each in reports)
    return prompts.block("reports", told)
