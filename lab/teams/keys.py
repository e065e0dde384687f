"""A key for each case that a lab starts: one key may start only some teams in a few minutes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count

from agents.keys import KEY_HEADER, opener_key_of, signed

KEY_S = 600.0


def each_its_own(api_url: str) -> Iterator[dict[str, str]]:
    """Yield the headers of one key after the other. Raises: NoOpenerKey."""
    opener_key = opener_key_of(api_url)
    for number in count(1):
        until_s = time.time() + KEY_S
        yield {KEY_HEADER: signed(opener_key, "key", until_s=until_s, principal=f"lab-{number}")}
