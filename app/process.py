"""Run a process of ours: logging without clinical text, and an orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import Coroutine, Iterator
from typing import Any, Final

from infra.errors import StoreMisconfigured
from infra.settings import Settings, SettingsError, load_settings
from infra.sfu_port import SfuMisconfigured

EXIT_SETTINGS: Final = 2  # the same number for every process: a variable can't be used

_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def settings_or_exit() -> Settings:
    """Return the settings; a bad variable ends the process with `EXIT_SETTINGS` and the mend on stderr."""
    with ending_clearly():
        settings = load_settings()
    logging.basicConfig(level=settings.log_level, format=_FORMAT, stream=sys.stderr)
    return settings


@contextlib.contextmanager
def ending_clearly() -> Iterator[None]:
    """End the process by a line on stderr where an error names its mend; there is no traceback."""
    try:
        yield
    except (SettingsError, StoreMisconfigured, SfuMisconfigured) as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(EXIT_SETTINGS) from None


def run_until_signalled(main: Coroutine[Any, Any, None]) -> None:
    """Run `main`; SIGINT and SIGTERM cancel it, and it has its `finally` blocks to end well."""
    with ending_clearly(), contextlib.suppress(asyncio.CancelledError):
        asyncio.run(_cancelled_by_signals(main))


async def _cancelled_by_signals(main: Coroutine[Any, Any, None]) -> None:
    loop = asyncio.get_running_loop()
    task = loop.create_task(main, name="main")
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    await task
