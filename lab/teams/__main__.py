"""`python -m lab.teams COMMAND`: figures of our own teams; all but `paths` take minutes, on a stack of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.console import say
from app.exits import Exit
from lab.console import finish

cli = typer.Typer(add_completion=False)


@cli.command()
def killed(
    out: Annotated[Path, typer.Option(help="Where the report goes.")] = Path("out/teams-killed"),
    kills: Annotated[int, typer.Option(min=1, help="How often; one case each.")] = 12,
    seed: Annotated[int, typer.Option(help="The same seed takes the same points.")] = 17,
) -> None:
    """Kill the process of the teams at random points; count what is lost, said twice or paid for twice."""
    from lab.teams.killed import run

    finish(run(out, kills=kills, seed=seed, say=say))


@cli.command()
def heard(
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = Path("out/teams-heard"),
    cases: Annotated[int, typer.Option(min=1, help="How many cases are begun.")] = 12,
) -> None:
    """Measure how soon a scripted case is heard: from its start, from a token, and on the page."""
    from lab.teams.heard import run

    finish(run(out, cases=cases, say=say))


@cli.command()
def shown(out: Annotated[Path, typer.Option(help="Where the figures go.")] = Path("out/teams-shown")) -> None:
    """Measure how soon a model's words are on the page, hop by hop."""
    from lab.teams.heard import run_page

    finish(run_page(out, say=say))


@cli.command()
def asked(
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = Path("out/teams-asked"),
    questions: Annotated[int, typer.Option(min=1, help="How many are put to the team, aloud.")] = 12,
    cancels: Annotated[int, typer.Option(min=1, help="How many cases are cancelled.")] = 12,
) -> None:
    """Measure how soon a team has what was confirmed aloud, and how soon a cancelled one's sockets are closed."""
    from lab.teams.asked import run

    finish(run(out, questions=questions, cancels=cancels, say=say))


@cli.command()
def paths(
    cases: Annotated[int, typer.Option(min=1, help="How many graphs of calls, of each team.")] = 40,
    seed: Annotated[int, typer.Option(help="The first graph's; the others count on.")] = 1,
) -> None:
    """Hold the wall time of cases against the critical path of their calls, on virtual time; some seconds."""
    from lab.bench.figures import table
    from lab.teams.paths import rows, walk

    figures = [
        row
        for team in ("cdss", "doctors")
        for row in rows(team, [walk(team, number) for number in range(seed, seed + cases)])
    ]
    say(table(figures))
    raise typer.Exit(Exit.CHECK_FAILED if any(each.met is False for each in figures) else Exit.STOPPED)


if __name__ == "__main__":
    cli()
