"""`exaim evaluate`: every part, or some, into `out/evaluation/*.json` and one page of tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

from lab.evaluation import spending, tables, urgent, voiced, written
from lab.evaluation.gold import present
from lab.evaluation.material import Material, Say
from lab.evaluation.tables import Topic


class Part(StrEnum):
    """What can be measured alone."""

    TELLING = "telling"
    SPOKEN = "spoken"
    EMERGENCIES = "emergencies"
    COST = "cost"
    LASTING = "lasting"


_PARTS: Final[Mapping[Part, Callable[[Material, Say], Topic]]] = {
    Part.TELLING: written.telling,
    Part.SPOKEN: voiced.spoken,
    Part.EMERGENCIES: urgent.emergencies,
    Part.COST: spending.costs,
    Part.LASTING: spending.lasts,
}


def run(out: Path, material: Material, *, only: Sequence[Part] = (), say: Say) -> bool:
    """Measure into `out`, and return whether every aim of what was measured was met.

    Of `only` some, the others' files stay and are shown, and count for nothing.
    """
    met = True
    for part in only or tuple(Part):
        if part is Part.EMERGENCIES and not (material.gold and present(material.gold)):
            say("evaluate: no acute cases are here; that part is left out")
            continue
        topic = _PARTS[part](material, say)
        tables.write(out, topic)
        met = met and topic.met
    found = tables.read(out)
    text = tables.markdown(found)
    (out / "table.md").write_text(text + "\n", encoding="utf-8")
    say(text)
    return met
