"""The command line: `exaim up`, `team`, `paper`, `link`, `key`; in a checkout also what `lab.cli` adds."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from agents import keys
from app import exits, launcher, paper_command, team_command
from app.console import complain, say
from app.mdagents import mdagents
from infra.llm_registry import known_variables
from infra.settings import SettingsError, load_settings, unknown_variables

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


cli.add_typer(mdagents, name="mdagents")


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
        for line in unknown_variables(known_variables()):
            say(line)
        ended = asyncio.run(launcher.up(settings, os.environ, say=say, until_ready=until_ready))
    except SettingsError as error:
        raise typer.Exit(complain(str(error), exits.Exit.SETTINGS)) from None
    except exits.CantStart as error:
        raise typer.Exit(complain(str(error), error.exit)) from None
    say("stopped; nothing of it runs any more")
    raise typer.Exit(ended)


Port = Annotated[int | None, typer.Option(help="Port of the page.  [8080, or EXAIM_API_PORT]")]


@cli.command()
def link(port: Port = None) -> None:
    """Print an address that opens the page of a running EXAIM Voice in one tab, once."""
    with _complaining():
        opener_key, address = _running_at(port)
        say(keys.link_with(opener_key, address))


@cli.command()
def key(
    port: Port = None,
    hours: Annotated[float, typer.Option(help="For how long it is good.", min=0.01, max=24 * 366)] = 12.0,
    name: Annotated[
        str, typer.Option(help="Whose it is: sessions that are opened with it belong to that name.")
    ] = keys.LOCAL,
) -> None:
    """Print a key for a program that can't find one by itself, as EXAIM_KEY: elsewhere, or another user's.

    Whoever has it opens sessions and hears cases, until it ends or EXAIM Voice is started again.
    """
    with _complaining():
        opener_key, _ = _running_at(port)
        say(keys.signed(opener_key, "key", until_s=time.time() + hours * 3600, principal=name[:64]))


def _running_at(port: int | None) -> tuple[str, str]:
    """Return the opener key and the address of what runs there. Raises: SettingsError, NoOpenerKey."""
    settings = load_settings(**({} if port is None else {"api_port": port}))
    address = launcher.page_address(settings)
    return settings.opener_key or keys.opener_key_of(address), address


@contextmanager
def _complaining() -> Iterator[None]:
    try:
        yield
    except (SettingsError, keys.NoOpenerKey) as error:
        raise typer.Exit(complain(str(error), exits.Exit.SETTINGS)) from None


@cli.command(name="try-my-voice")
def try_my_voice(
    folder: Annotated[
        Path | None, typer.Option("--from", help="Folder of 24 WAV files, in place of the microphone.")
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="Keep your voice and the table in this folder.")] = None,
) -> None:
    """Say 24 prompts, and see what the ears make of your voice. Nothing is kept unless --keep names a folder."""
    with _complaining():
        from app import voice_trial  # its engines take a second to import

        source = None if folder is None else voice_trial.Folder(folder)
        voice_trial.try_voice(source, keep, say)


cli.command(name="team")(team_command.command)
cli.command(name="paper")(paper_command.command)

if (
    find_spec("lab") is not None
):  # a checkout: `demo`, `bench`, `chaos` and `evaluate` are no part of the wheel
    import_module("lab.cli").add_to(cli)


def main() -> None:
    """Run the command line (the `exaim` script)."""
    cli()


if __name__ == "__main__":
    main()
