"""Scenes of corrections and of alarms by blind authors: as many are told rightly as when they were measured last."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from exaim_core import SpokenItem, SpokenKind
from lab.yamlfile import read_yaml
from tests.gold.test_asked_and_answered import played

ALARMS: Final = {
    "alarm_scenes": {
        "hazard": 10,
        "hazard, not": 15,
        "sign": 8,
        "sign, not": 10,
        "value": 14,
        "value, not": 15,
    },
    "alarm_scenes_second": {
        "hazard": 9,
        "hazard, not": 13,
        "sign": 3,
        "sign, not": 10,
        "value": 12,
        "value, not": 14,
    },
    "alarm_scenes_third": {
        "hazard": 6,
        "hazard, not": 14,
        "sign": 3,
        "sign, not": 9,
        "value": 9,
        "value, not": 16,
    },
}
"""At least so many of each kind, of 15, 15, 10, 10, 15, 15, of 16, 14, 9, 10, 15, 16 and of 13, 15, 9, 9, 18, 16.

"not" are look-alikes.
"""
CORRECTIONS: Final = {"announced": 17, "contradicts": 5, "contrast": 15, "whose": 11, "none": 20}
"""At least so many of twenty each; the first sight is in docs/decisions/181."""
_PUTS_RIGHT: Final = frozenset({SpokenKind.CHANGE, SpokenKind.CORRECTION})


@pytest.mark.parametrize("file", ALARMS)
async def test_scenes_that_must_alarm_do_and_look_alikes_do_not(file: str) -> None:
    right = Counter[str]()
    for scene in _scenes(file):
        alarms = [item.text.lower() for item in await _told(scene) if item.kind is SpokenKind.CRITICAL]
        about = str(scene["about"]).lower()
        said = any(about in text for text in alarms) if scene["alarm"] else not alarms
        right[scene["kind"] if scene["alarm"] else f"{scene['kind']}, not"] += said
    assert {kind: right[kind] for kind, least in ALARMS[file].items() if right[kind] < least} == {}


async def test_corrections_are_told_and_look_alikes_are_not() -> None:
    right = Counter[str]()
    for scene in _scenes("corrections"):
        items = await _told(scene)
        words = [str(word).lower() for word in scene["tell"]]
        told = any(all(word in item.text.lower() for word in words) for item in items)
        puts_right = any(item.kind in _PUTS_RIGHT for item in items)
        right[scene["kind"]] += not puts_right if scene["kind"] == "none" else told
    assert {kind: right[kind] for kind, least in CORRECTIONS.items() if right[kind] < least} == {}


def _scenes(file: str) -> list[dict[str, Any]]:
    scenes: list[dict[str, Any]] = read_yaml(Path(__file__).with_name(f"{file}.yaml"))
    return scenes


async def _told(scene: dict[str, Any]) -> list[SpokenItem]:
    """Return the items of a scene, but for its closing."""
    items = [item for update in await played(scene["turns"]) for item in update.items]
    return [item for item in items if item.kind is not SpokenKind.CLOSING]
