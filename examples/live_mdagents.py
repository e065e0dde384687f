"""MDAgents' own classes, heard while they think: github.com/mitmedialab/MDAgents, as it is.

Clone it, install what its utils.py imports into this environment, set the key that it reads
(`openai_api_key`), and start EXAIM Voice (`make run`). Then:
.venv/bin/python examples/live_mdagents.py question.txt --mdagents path/to/MDAgents
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from exaim_live import LiveError, LiveTeam, open_session
from exaim_live.mdagents import hearing

SILENCE_S = 1_800.0  # MDAgents gives whole answers: a model of your own may be silent for minutes before each
NO_FEW_SHOTS = argparse.Namespace(dataset="none")  # MDAgents takes examples for a data set that it knows
IN_WORDS = "Whatever form you answer in, write out the words of what you choose, and not its letter alone."
"""Goes to each agent with the question: "Answer: (B)" says nothing to who does not see the options."""


class NotReady(Exception):
    """Something that this example needs is not there; the message says what to do, in one line."""


def clone_at(path: Path | None) -> ModuleType:
    """Return MDAgents' utils from a clone. Raises: NotReady."""
    if path is None:
        raise NotReady("clone github.com/mitmedialab/MDAgents, and say where it is: --mdagents PATH")
    if not (path / "utils.py").is_file():
        raise NotReady(f"{path} is no clone of MDAgents: there is no utils.py in it")
    sys.path.insert(0, str(path.resolve()))
    try:
        utils = importlib.import_module("utils")
    except ImportError as error:
        raise NotReady(f"MDAgents needs the package {error.name or '?'} in this environment") from error
    except SyntaxError as error:
        here = ".".join(map(str, sys.version_info[:2]))
        raise NotReady(
            f"MDAgents' {Path(str(error.filename)).name} (line {error.lineno}) wants a newer Python than {here}: "
            "its own classes need 3.12; `exaim team CASE --team mdagents` needs none of them"
        ) from error
    if not hasattr(utils, "Agent") or not hasattr(utils, "process_intermediate_query"):
        raise NotReady(f"{utils.__file__} is not MDAgents' as this example knows it")
    return utils


def question_in(path: Path | None) -> tuple[str, str]:
    """Return the session's title and the question, with how it is to be answered. Raises: NotReady."""
    if path is None:
        raise NotReady("write the question for MDAgents into a text file, and name that first")
    try:
        return path.stem, f"{path.read_text(encoding='utf-8').strip()}\n\n{IN_WORDS}"
    except (OSError, UnicodeDecodeError) as error:
        raise NotReady(f"{path} can't be read ({type(error).__name__})") from error


async def run(api_url: str, utils: ModuleType, title: str, question: str, model: str) -> None:
    """Open a session, and have a team of experts debate into it."""
    opened = await open_session(api_url, title=title, silence_s=SILENCE_S)
    sys.stdout.write(f"Listen here: {opened.page_url}\n")
    sys.stdout.flush()
    async with LiveTeam(opened) as team:
        with hearing(team, utils.Agent):
            await asyncio.to_thread(utils.process_intermediate_query, question, [], model, NO_FEW_SHOTS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments and run; 2 if something is missing."""
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument(
        "question", type=Path, nargs="?", help="a text file; its name is the session's title"
    )
    reading.add_argument("--mdagents", type=Path, metavar="PATH", help="a clone of mitmedialab/MDAgents")
    reading.add_argument("--model", default="gpt-4o-mini", help="one that MDAgents knows")
    reading.add_argument("--url", default="http://127.0.0.1:8080", help="where EXAIM Voice runs")
    given = reading.parse_args(arguments)
    try:
        utils = clone_at(given.mdagents)
        title, question = question_in(given.question)
        asyncio.run(run(given.url, utils, title, question, given.model))
    except (NotReady, LiveError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
