"""`exaim bench`: every figure, into `out/bench/*.json` and one table."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from app.bench import figures, setup, voice
from app.demo.stackproc import stack
from infra.settings import load_settings

ITEMS: Final = 20
STARTS: Final = 5


async def run(
    out: Path,
    *,
    say: Callable[[str], None],
    items: int = ITEMS,
    starts: int = STARTS,
    cold: bool = False,
) -> bool:
    """Measure everything into `out`; return whether every aim was met. `cold`: the set-up too."""
    shutil.rmtree(out, ignore_errors=True)
    runs = out / "runs"
    say(f"bench: {starts} warm starts")
    start = [await setup.warm(runs, starts)]
    if cold:
        say("bench: a set-up from nothing")
        start.append(await setup.cold())
    figures.write(out, "2-setup", start)
    async with stack(runs / "voice", {}) as running:
        key, secret = _key_of(runs / "voice" / "livekit" / "keys.yaml")
        settings = load_settings(
            redis_url=running.redis_url,
            livekit_url=running.noted["livekit_url"],
            livekit_api_key=key,
            livekit_api_secret=secret,
        )
        say(f"bench: {items} items in a real room")
        heard = await voice.measure(settings, items, say)
    figures.write(out, "1-voice", heard)
    found = figures.read(out)
    text = figures.table(found)
    (out / "table.md").write_text(text + "\n", encoding="utf-8")
    say(text)
    return all(each.met is not False for each in found)


def _key_of(file: Path) -> tuple[str, str]:
    """Return key and secret of the embedded server, as it was given them: one `key: secret` line."""
    key, _, secret = file.read_text(encoding="utf-8").strip().partition(":")
    return key.strip(), secret.strip().strip('"')
