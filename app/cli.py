"""The command line: `exaim up`, `exaim demo`, `exaim bench`, `exaim chaos`, `exaim evaluate`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from app import exits, launcher
from infra.settings import SettingsError, load_settings

# \b keeps typer from joining the lines of the table.
_UP = f"""Start everything, print the page's address, and keep it running until Ctrl-C.

LIVEKIT_URL and REDIS_URL in the environment or in .env replace the embedded servers (.env.example).

\b
Exit codes:
{exits.table()}
"""

cli = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Hear a team of reasoning agents work on a clinical case, in a LiveKit room, while they think.",
)


def _to_write(folder: Path) -> Path:
    """Return a folder that is there and may be written, or that can be made. Raises: BadParameter."""
    nearest = next(each for each in (folder, *folder.absolute().parents) if os.path.lexists(each))
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        raise typer.BadParameter(f"{nearest} is no folder that you may write; name another")
    return folder


@cli.command(help=_UP)
def up(
    port: Annotated[int | None, typer.Option(help="Port of the page; 0 takes any free one.  [8080]")] = None,
    cases: Annotated[
        list[Path] | None, typer.Option(help="Trace file or folder of traces; may be given again.  [cases/]")
    ] = None,
    speed: Annotated[
        float | None, typer.Option(help="How fast recorded cases run; 1 is as recorded.  [1]")
    ] = None,
    run_dir: Annotated[Path | None, typer.Option(help="Where sockets, logs and data lie.  [.run]")] = None,
    until_ready: Annotated[
        bool, typer.Option("--until-ready", help="Stop once everything is ready: a trial of the set-up.")
    ] = False,
) -> None:
    """Start everything; see _UP."""
    given: dict[str, Any] = {
        "api_port": port,
        "cases": cases and tuple(cases),
        "speed": speed,
        "run_dir": run_dir,
    }
    try:
        settings = load_settings(**{name: value for name, value in given.items() if value is not None})
        ended = asyncio.run(launcher.up(settings, os.environ, say=_say, until_ready=until_ready))
    except SettingsError as error:
        raise typer.Exit(_complain(str(error), exits.Exit.SETTINGS)) from None
    except exits.CantStart as error:
        raise typer.Exit(_complain(str(error), error.exit)) from None
    _say("stopped; nothing of it runs any more")
    raise typer.Exit(ended)


@cli.command()
def demo(
    out: Annotated[
        Path, typer.Option(help="Where recordings, captions and report go.", callback=_to_write)
    ] = Path("out/demo"),
) -> None:
    """Hear a case, talk to it, drop off and come back, without a keyboard, and check what was heard.

    Takes less than four minutes. What is in the folder is replaced; report.md tells what happened.
    """
    from app.demo import story  # here, so that `exaim up` does not wait for these imports
    from app.demo.listener import ListenerError
    from app.demo.stackproc import StackFailed

    try:
        passed = asyncio.run(story.run(out, say=_say))
    except (StackFailed, ListenerError) as error:
        raise typer.Exit(_complain(str(error), exits.Exit.CHECK_FAILED)) from None
    raise typer.Exit(exits.Exit.STOPPED if passed else exits.Exit.CHECK_FAILED)


@cli.command()
def bench(
    out: Annotated[Path, typer.Option(help="Where the figures go.", callback=_to_write)] = Path("out/bench"),
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="voice, talk, asking, leaving, store, reading or setup; may be given again.  [all]"
        ),
    ] = None,
    events: Annotated[int, typer.Option(min=1, help="How often each thing is tried.")] = 30,
    cold: Annotated[
        bool, typer.Option("--cold", help="Measure the set-up of a bare clone too: some minutes.")
    ] = False,
    peer: Annotated[bool, typer.Option(help="Do the same to an AgentSession: 12 minutes more.")] = True,
) -> None:
    """Measure at the listener, into out/bench/; with --only the other figures stay as they are."""
    from app.bench import run as measuring
    from app.demo.listener import ListenerError
    from app.demo.stackproc import StackFailed

    try:
        parts = [measuring.Part(part) for part in only or ()]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--only") from None
    try:
        met = asyncio.run(measuring.run(out, say=_say, only=parts, events=events, cold=cold, with_peer=peer))
    except SettingsError as error:
        raise typer.Exit(_complain(str(error), exits.Exit.SETTINGS)) from None
    except (StackFailed, ListenerError) as error:
        raise typer.Exit(_complain(str(error), exits.Exit.CHECK_FAILED)) from None
    raise typer.Exit(exits.Exit.STOPPED if met else exits.Exit.CHECK_FAILED)


@cli.command()
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
    from app.chaos import network, run
    from app.demo.listener import ListenerError
    from app.demo.stackproc import StackFailed

    try:
        match what:
            case "faults":
                met = asyncio.run(run.run(out, seed=seed, sessions=sessions, faults=faults, say=_say))
            case "network":
                met = asyncio.run(network.run(out, seed=seed, minutes=minutes, say=_say))
            case _:
                raise typer.BadParameter("faults, or network", param_hint="WHAT")
    except (StackFailed, ListenerError) as error:
        raise typer.Exit(_complain(str(error), exits.Exit.CHECK_FAILED)) from None
    raise typer.Exit(exits.Exit.STOPPED if met else exits.Exit.CHECK_FAILED)


@cli.command()
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
    from app.evaluation import run as evaluating
    from app.evaluation.material import Material

    try:
        parts = [evaluating.Part(part) for part in only or ()]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--only") from None
    material = Material(default_cases(), traces, baseline, points, gold)
    met = evaluating.run(out, material, only=parts, say=_say)
    raise typer.Exit(exits.Exit.STOPPED if met else exits.Exit.CHECK_FAILED)


def main() -> None:
    """Run the command line (the `exaim` script)."""
    cli()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _complain(message: str, code: exits.Exit) -> int:
    sys.stderr.write(f"\n{message}\n  exit code: {code.value} ({code.name})\n")
    return code.value


if __name__ == "__main__":
    main()
