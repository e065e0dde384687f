"""`exaim paper` on the command line. What it needs is loaded when it runs."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from app.team_command import MODEL


def command(
    text: Annotated[Path | None, typer.Argument(help="The case as plain text, of one patient.")] = None,
    model: Annotated[
        str | None, typer.Option(help=f"The model that copies: {MODEL}.  [the role mas of models.yaml]")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address of a service that speaks OpenAI's chat completions.")
    ] = None,
    scripted: Annotated[
        str | None, typer.Option(help="No model: a text of ours and its scripted paper, by its name.")
    ] = None,
    one_patient: Annotated[
        bool, typer.Option("--one-patient", help="All of the text is about one patient: don't ask.")
    ] = False,
) -> None:
    """Make a case paper from free text, to be corrected; what was left out goes to standard error."""
    paper: Any = import_module("app.paper")
    raise typer.Exit(paper.run(text, model, base_url, scripted, one_patient=one_patient))
