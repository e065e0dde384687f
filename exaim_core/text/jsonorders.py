"""Keep the limits of an order with it where both stand side by side in an object.

    {"give": "labetalol 20 mg", "stop_if": "pulse below 50"}

is read as {"give": {"order": "labetalol 20 mg", "stop_if": "pulse below 50"}}. A limit belongs to the act that is
written before it; if there is none, to the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from exaim_core.text.jsonrecords import MOST_NAME_WORDS, in_short
from exaim_core.text.jsontext import Json
from exaim_core.text.keys import (
    KeySense,
    conditions,
    limits,
    meaning,
    names_by,
    plain_key,
    rules,
    said_under,
    says_when,
)
from exaim_core.text.refusals import ASKS
from exaim_core.text.sections import DRAFTED, classify_key

_ACTS: Final = frozenset({KeySense.TO_DO, KeySense.FORBIDS})


def with_their_limits(fields: Mapping[str, Json]) -> dict[str, Json]:
    """Return `fields`, keys as words, with what limits an act put into it; all else stays in its place."""
    acts = [name for name, inner in fields.items() if _is_act(name, inner)]
    limiting: dict[str, dict[str, Json]] = {name: {} for name in acts}
    act = acts[0] if acts else ""
    for name, inner in fields.items():
        if name in limiting:
            act = name
        elif act and inner is not None and _may_limit(name, act, fields[act]) and in_short(inner):
            limiting[act][name] = inner
    taken = {name for each in limiting.values() for name in each}
    return {
        name: _limited(inner, limiting[name]) if limiting.get(name) else inner
        for name, inner in fields.items()
        if name not in taken
    }


def _may_limit(name: str, act: str, value: Json) -> bool:
    """Return whether a key limits `value` under an act: a ban or several orders only by a condition."""
    if act.lower() in ASKS and names_by(name) == "diagnosis":
        return False  # "condition": "sepsis" beside an action is what the patient has
    if meaning(act).sense is KeySense.FORBIDS:
        return meaning(name).sense is KeySense.HANGS
    return limits(name) and (conditions(name) or not isinstance(value, list) or len(value) == 1)


def _is_act(name: str, inner: Json) -> bool:
    asks = name.lower() in ASKS and isinstance(inner, str) and rules(inner)
    act = (asks or meaning(name).sense in _ACTS) and not limits(name) and not says_when(name)
    return act and classify_key(name) not in DRAFTED and isinstance(inner, str | list | dict) and bool(inner)


def _limited(value: Json, limiting: dict[str, Json]) -> Json:
    """Return an order with its limits; of several orders each has them."""
    if isinstance(value, list):
        return [_limited(each, limiting) for each in value]
    if isinstance(value, dict):
        return {**value, **{name: inner for name, inner in limiting.items() if name not in value}}
    if not isinstance(value, str):
        return value
    if len(value.split()) <= MOST_NAME_WORDS:
        return {"order": value, **limiting}
    told = [
        said_under(meaning(name), in_short(inner))
        if meaning(name).sense is KeySense.HANGS
        else f"{plain_key(name)}: {in_short(inner)}"
        for name, inner in limiting.items()
    ]
    return "; ".join([value.rstrip(" ."), *told])
