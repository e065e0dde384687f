"""How late is what is read, how much is dropped, how much of what matters is told? In every shipped case."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agents.recorded import Catalogue, default_cases
from exaim_core import CasePaper, Update
from lab.bench import figures
from lab.bench.figures import Figure
from lab.bench.playing import Played, play
from tts_queue import Phase, Utterance
from tts_queue.engines.piper import PiperVoice

EARLY_S: Final = (
    0.3  # a statement's time in the list is read off the trace; batches of deltas are this coarse
)

Terms = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Point:
    """Something that matters, and when the agents had said it (seconds from the first delta)."""

    point_id: str
    at_s: float
    must_terms: Terms

    def met_by(self, text: str) -> bool:
        """Return whether every entry of the terms has an alternative in `text`."""
        lower = text.lower()
        return all(any(term in lower for term in entry) for entry in self.must_terms)


@dataclass(frozen=True, slots=True)
class Reading:
    """One case: lags of what was spoken (s), and shares: dropped, and of the points, told."""

    case_id: str
    lags_s: tuple[float, ...]
    items: int
    dropped: int
    points: int
    told_by_updates: tuple[str, ...]  # ids of points
    told_aloud: tuple[str, ...]
    to_be_spoken: int
    spoken: tuple[str, ...]


def points(path: Path) -> tuple[Point, ...]:
    """Return the points of a list in `cases/gold`."""
    items = json.loads(path.read_text(encoding="utf-8"))["items"]
    return tuple(
        Point(each["id"], float(each["t_s"]), tuple(tuple(entry) for entry in each["must_terms"]))
        for each in items
    )


def told(wanted: Sequence[Point], said: Iterable[tuple[float, str]]) -> tuple[str, ...]:
    """Return the ids of the points that one of the texts holds, said no earlier than the agents said it.

    `said` are texts with the time of the last delta that each goes by, in seconds from the first delta.
    """
    texts = list(said)
    return tuple(
        point.point_id
        for point in wanted
        if any(at_s >= point.at_s - EARLY_S and point.met_by(text) for at_s, text in texts)
    )


def reading(played: Played, case_id: str, gold: Path) -> Reading:
    """Return the figures of one case that was played, by its lists in `gold`."""
    spoken = [u for u in played.utterances if _phase(played, u) is Phase.SPOKEN]
    items = [u for u in played.utterances if u.update_id is not None and u.replays is None]
    key, aloud = points(gold / f"{case_id}.key_points.json"), points(gold / f"{case_id}.spoken.json")
    by_update = [(_from_s(played, update), _whole(update)) for update in played.updates.values()]
    by_voice = [(_from_s(played, played.updates[uid]), text) for uid, text in _by_update(spoken).items()]
    return Reading(
        case_id=case_id,
        lags_s=_lags_s(played, spoken),
        items=len(items),
        dropped=sum(_phase(played, u) is not Phase.SPOKEN for u in items),
        points=len(key),
        told_by_updates=told(key, by_update),
        told_aloud=told(key, by_voice),
        to_be_spoken=len(aloud),
        spoken=told(aloud, by_voice),
    )


def _lags_s(played: Played, spoken: Sequence[Utterance]) -> tuple[float, ...]:
    """Return how late each was heard for the first time: an alarm that is told again was heard before."""
    heard = {u.utterance_id for u in spoken}
    ended = [(played.last[u.utterance_id].at_s, u.lag_from_s) for u in spoken if u.replays not in heard]
    return tuple(at_s - from_s for at_s, from_s in ended if from_s is not None)


def _phase(played: Played, utterance: Utterance) -> Phase:
    move = played.last.get(utterance.utterance_id)
    return Phase.QUEUED if move is None else move.phase_to


def _from_s(played: Played, update: Update) -> float:
    return update.last_delta_at_s - played.began_wall_s


def _whole(update: Update) -> str:
    return " ".join([*update.summary.model_dump().values(), *(item.text for item in update.items)])


def _by_update(spoken: Sequence[Utterance]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for utterance in spoken:
        if utterance.update_id is not None:
            texts[utterance.update_id] = f"{texts.get(utterance.update_id, '')} {utterance.text}".strip()
    return texts


def measure() -> list[Reading]:
    """Play every shipped case that has its lists."""
    folder = default_cases()
    catalogue = Catalogue.open([folder])
    voice = PiperVoice(steady=True)
    found = []
    for case_id in catalogue.ids():
        if (folder / "gold" / f"{case_id}.key_points.json").exists():
            paper = catalogue.paper(case_id)
            checked = CasePaper.model_validate(paper) if paper else None
            title = catalogue.get(case_id).title
            played = play(catalogue.load(case_id), title, checked, voice)
            found.append(reading(played, case_id, folder / "gold"))
    return found


def rows(found: Sequence[Reading]) -> list[Figure]:
    """Return the figures, case by case."""
    made = []
    for each in found:
        name = each.case_id
        made += [
            figures.figure(f"{name}: last cited word → end of its speech", "s", each.lags_s),
            figures.count(f"{name}: items not spoken", "of all", each.dropped, each.items),
            figures.count(f"{name}: key points in the updates", "", len(each.told_by_updates), each.points),
            figures.count(f"{name}: key points spoken", "", len(each.told_aloud), each.points),
            figures.count(f"{name}: of what ought to be spoken", "", len(each.spoken), each.to_be_spoken),
        ]
    return made
