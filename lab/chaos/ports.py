"""Where the embedded SFU has its media."""

from __future__ import annotations

import json
from pathlib import Path


def media_port(run_dir: Path) -> int:
    """Return the UDP port of the SFU that `exaim up` runs in `run_dir`. Raises: OSError: there is none."""
    config = json.loads((run_dir / "livekit" / "config.yaml").read_text(encoding="utf-8"))  # JSON is YAML
    return int(config["rtc"]["udp_port"])
