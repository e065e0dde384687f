"""The laboratory's commands: `exaim demo`, `exaim bench`, `exaim chaos`, `exaim evaluate`, `exaim tries`."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from agents import keys
from app import exits
from app.console import complain, say
from infra.settings import SettingsError, load_settings
from lab.console import finish


def add_to(cli: typer.Typer) -> None:
    """Add the laboratory's commands to the command line."""
    for command in (demo, bench, chaos, evaluate, tries):
        cli.command()(command)


def _to_write(folder: Path) -> Path:
    """Return a folder that is there and may be written, or that can be made. Raises: BadParameter."""
    nearest = next(each for each in (folder, *folder.absolute().parents) if os.path.lexists(each))
    try:
        with tempfile.TemporaryDirectory(dir=nearest):  # rights alone don't say: root has them in /proc too
            return folder
    except OSError:
        raise typer.BadParameter(f"{nearest} is no folder that you may write; name another") from None


def demo(
    out: Annotated[
        Path, typer.Option(help="Where recordings, captions and report go.", callback=_to_write)
    ] = Path("out/demo"),
) -> None:
    """Hear a case, talk to it, drop off and come back, without a keyboard, and check what was heard.

    Takes less than four minutes. What is in the folder is replaced; report.md tells what happened.
    """
    from lab.demo import story  # here, so that `exaim up` does not wait for these imports

    finish(story.run(out, say=say))


def bench(
    out: Annotated[Path, typer.Option(help="Where the figures go.", callback=_to_write)] = Path("out/bench"),
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="voice, talk, asking, leaving, store, sharing, reading, streaming, setup or cost; also several.  [all]"
        ),
    ] = None,
    events: Annotated[int, typer.Option(min=1, help="How often each thing is tried.")] = 30,
    cold: Annotated[
        bool, typer.Option("--cold", help="Measure the set-up of a bare clone too: some minutes.")
    ] = False,
    peer: Annotated[bool, typer.Option(help="Do the same to an AgentSession: 12 minutes more.")] = True,
) -> None:
    """Measure at the listener, into out/bench/; with --only the other figures stay as they are."""
    from lab.bench import run as measuring

    try:
        parts = [measuring.Part(part) for part in only or ()]
    except ValueError as error:
        raise typer.BadParameter(
            f"{error}; there are {', '.join(measuring.Part)}", param_hint="--only"
        ) from None
    finish(measuring.run(out, say=say, only=parts, events=events, cold=cold, with_peer=peer))


def chaos(
    what: Annotated[
        str, typer.Argument(help="faults: parts and clients are killed; network: a bad one, for minutes.")
    ] = "faults",
    out: Annotated[Path, typer.Option(help="Where report and evidence go.", callback=_to_write)] = Path(
        "out/chaos"
    ),
    sessions: Annotated[
        int, typer.Option(min=2, help="Of faults: over how many sessions, two at a time.")
    ] = 12,
    faults: Annotated[int, typer.Option(min=1, help="Of faults: how many.")] = 60,
    seed: Annotated[int, typer.Option(help="The same seed does the same.")] = 1,
    minutes: Annotated[float, typer.Option(min=0.5, help="Of network: for how long.")] = 10.0,
) -> None:
    """Break things on purpose, and measure what the listener loses. The faults take some 20 minutes."""
    from lab.chaos import network, run

    match what:
        case "faults":
            finish(run.run(out, seed=seed, sessions=sessions, faults=faults, say=say))
        case "network":
            finish(network.run(out, seed=seed, minutes=minutes, say=say))
        case _:
            raise typer.BadParameter("faults, or network", param_hint="WHAT")


def evaluate(
    out: Annotated[Path, typer.Option(help="Where figures and tables go.", callback=_to_write)] = Path(
        "out/evaluation"
    ),
    only: Annotated[
        list[str] | None,
        typer.Option(help="telling, spoken, emergencies, cost or lasting; may be given again.  [all]"),
    ] = None,
    traces: Annotated[
        Path | None, typer.Option(help="Folder of recorded traces.", exists=True, file_okay=False)
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(help="Folder of another system's run logs of them.", exists=True, file_okay=False),
    ] = None,
    points: Annotated[
        Path | None, typer.Option(help="What matters in them, by hand (YAML).", exists=True, dir_okay=False)
    ] = None,
    gold: Annotated[
        str, typer.Option(help="Python package of acute cases and injected findings, if it is there.")
    ] = "tests.gold",
) -> None:
    """Measure what is told, beside lists made by hand, and what it costs. No server; some minutes."""
    from agents.recorded import default_cases
    from lab.evaluation import run as evaluating
    from lab.evaluation.material import Material

    try:
        parts = [evaluating.Part(part) for part in only or ()]
    except ValueError as error:
        raise typer.BadParameter(
            f"{error}; there are {', '.join(evaluating.Part)}", param_hint="--only"
        ) from None
    if traces is None and (baseline or points):
        raise typer.BadParameter(
            "it is of recorded traces: name them with --traces", param_hint="--baseline, --points"
        )
    material = Material(default_cases(), traces, baseline, points, gold)
    met = evaluating.run(out, material, only=parts, say=say)
    raise typer.Exit(exits.Exit.STOPPED if met else exits.Exit.CHECK_FAILED)


def tries(
    port: Annotated[int | None, typer.Option(help="Port of the page.  [8080, or EXAIM_API_PORT]")] = None,
) -> None:
    """Try to get in, to act as another and to silence another, at an EXAIM Voice that runs here.

    Opens sessions of its own, and ends them; for some seconds others may find all slots taken. About
    half a minute. Exit code 1: something got in, or could not be told.
    """
    from app import launcher
    from lab.tries import run
    from lab.tries.ground import NoGround

    try:
        settings = load_settings(**({} if port is None else {"api_port": port}))
        address = launcher.page_address(settings)
        opener_key = settings.opener_key or keys.opener_key_of(address)
        safe = asyncio.run(run.run(address, opener_key, say=say))
    except (SettingsError, keys.NoOpenerKey, NoGround) as error:
        raise typer.Exit(complain(str(error), exits.Exit.SETTINGS)) from None
    raise typer.Exit(0 if safe else 1)
