"""Writes the JSON Schemas of the protocol's messages: `python -m realtime.schemas docs/schemas`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from realtime import protocol


def schemas() -> dict[str, dict[str, Any]]:
    """Return file name and schema of every message."""
    messages: dict[str, type[BaseModel]] = {
        "command": protocol.ClientCommand,
        "command-answer": protocol.CommandAnswer,
        "command-ready": protocol.ReadyArgs,
        "beat": protocol.Beat,
        "state": protocol.StateMessage,
        **{f"state-{name}": model for model, name in protocol.TYPE_NAMES.items()},
    }
    return {f"{name}.json": model.model_json_schema() for name, model in sorted(messages.items())}


def write(folder: Path) -> None:
    """Write one file a message into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        (folder / name).write_text(json.dumps(schema, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m realtime.schemas FOLDER")
    write(Path(sys.argv[1]))
