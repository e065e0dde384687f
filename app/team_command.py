"""`exaim team` on the command line. Graphs and models, which take 2 s, are loaded when it runs."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

import typer

TEAMS: Final = "cdss, doctors or mdagents"
MODEL: Final = "provider:model, such as openai:qwen3:8b"


def command(
    case: Annotated[
        Path | None,
        typer.Argument(
            help="The case: plain text, a case paper or clinical case as JSON, or a FHIR R4 Bundle."
        ),
    ] = None,
    team: Annotated[str, typer.Option(help=f"Who reasons: {TEAMS}.")] = "cdss",
    model: Annotated[
        str | None, typer.Option(help=f"The model of all roles: {MODEL}.  [the role mas of models.yaml]")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address of a service that speaks OpenAI's chat completions.")
    ] = None,
    role_model: Annotated[
        list[str] | None,
        typer.Option(help="Another model for a role: role=provider:model, or …@address; may be given again."),
    ] = None,
    scripted: Annotated[
        str | None, typer.Option(help="No model: a scripted discussion of a case of ours, by its name.")
    ] = None,
    doctors: Annotated[int, typer.Option(help="How many doctors, of that team.", min=2, max=4)] = 3,
    rounds: Annotated[
        int | None, typer.Option(help="Most rounds.  [13 of cdss, 3 of the others]", min=1)
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="Most tokens, in and out, of the case.", min=1)
    ] = None,
    max_money: Annotated[
        float | None, typer.Option(help="Most money, by models.yaml or the table of prices.", min=0.0001)
    ] = None,
    max_minutes: Annotated[float | None, typer.Option(help="Longest time, in minutes.", min=0.1)] = None,
    url: Annotated[str | None, typer.Option(help="Where EXAIM Voice runs.  [as `exaim up` says]")] = None,
    resume: Annotated[
        str | None,
        typer.Option(help="Go on with a run that was cut off, by its name; all else is as it was."),
    ] = None,
    one_patient: Annotated[
        bool, typer.Option("--one-patient", help="All of a plain text is about one patient: don't ask.")
    ] = False,
    listen: Annotated[bool, typer.Option("--listen", help="Open the page in a browser.")] = False,
) -> None:
    """Have a team of agents reason about a case in a running EXAIM Voice, and listen to it."""
    teams: Any = import_module("app.teams")
    asked = teams.asked_for(
        team=team,
        case=case,
        scripted=scripted,
        model=model,
        base_url=base_url,
        role_models=tuple(role_model or ()),
        doctors=doctors,
        rounds=rounds,
        tokens=max_tokens,
        money=max_money,
        seconds=None if max_minutes is None else max_minutes * 60,
        one_patient=one_patient,
    )
    raise typer.Exit(teams.run(asked, url, listen=listen, resume=resume))
