"""Short talks for tests of what is told."""

from __future__ import annotations

from exaim_core import EXAIM, Delta, SpokenItem


async def told(*turns: str) -> list[SpokenItem]:
    """Return what is told of a talk of two doctors who take turns; nobody says that it is over."""
    exaim, items, seq = EXAIM(), [], 0
    for number, text in enumerate(turns):
        agent = f"doctor{number % 2 + 1}"
        updates = await exaim.feed(Delta(agent, text, seq := seq + 1, float(seq)))
        updates += await exaim.turn_end(agent, seq := seq + 1, float(seq))
        items += [item for update in updates for item in update.items]
    return items
