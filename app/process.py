"""What every process of ours does alike: logging without clinical text, and an orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import Coroutine
from typing import Any, Final

from infra.settings import Settings, SettingsError, load_settings

EXIT_SETTINGS: Final = 2  # the same number for every process: a variable can't be used

_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def settings_or_exit() -> Settings:
    """Return the settings; a bad variable ends the process with `EXIT_SETTINGS` and the mend on stderr."""
    try:
        settings = load_settings()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(EXIT_SETTINGS) from None
    logging.basicConfig(level=settings.log_level, format=_FORMAT, stream=sys.stderr)
    return settings


def run_until_signalled(main: Coroutine[Any, Any, None]) -> None:
    """Run `main`; SIGINT and SIGTERM cancel it, and it has its `finally` blocks to end well."""
    with contextlib.suppress(asyncio.CancelledError):
        asyncio.run(_cancelled_by_signals(main))


async def _cancelled_by_signals(main: Coroutine[Any, Any, None]) -> None:
    loop = asyncio.get_running_loop()
    task = loop.create_task(main, name="main")
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    await task
