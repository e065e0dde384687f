"""YAML files of the laboratory and the tests, read by libyaml where it is there: eight times as fast."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import yaml

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path) -> Any:
    """Return what is in a file. Raises: OSError, yaml.YAMLError."""
    return yaml.load(path.read_text(encoding="utf-8"), _LOADER)
