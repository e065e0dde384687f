"""Load the clients of cloud services, which a plain installation does without."""

from __future__ import annotations

import importlib
from typing import Final

from infra.settings import SettingsError

INSTALL: Final = "make setup, then .venv/bin/uv pip install --require-hashes -r requirements/cloud.lock"


def load(module: str, choice: str) -> None:
    """Load an adapter, in up to a second. Raises: SettingsError: a package that it uses is missing.

    `choice` is the setting that asks for it, for people.
    """
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = f"{choice}: the package {error.name} is missing"
        raise SettingsError(f"{missing}. Install the extra: {INSTALL}") from None
