"""Critical findings that were told: who has taken note of them, and which are due again. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from typing import Final

from exaim_core.names import number_word
from tts_queue import Utterance

AGAIN_AFTER_S: Final = 120.0  # unacknowledged for so long: it is told again
AGAIN_AT_MOST: Final = 2


def not_acknowledged(count: int) -> str:
    """Return the sentence that so many findings nobody took note of, at least one."""
    findings = "finding" if count == 1 else "findings"
    return f"{number_word(count).capitalize()} critical {findings} not acknowledged."


@dataclass(frozen=True, slots=True)
class ToldBefore:
    """A finding that an earlier worker told.

    `utterance` is its newest offering, `ago_s` since when its last word was heard, `again` how often it
    was offered again, `due` that such an offering is not over.
    """

    utterance: Utterance
    ago_s: float
    again: int = 0
    due: bool = False


@dataclass(slots=True)
class _Alert:
    utterance: Utterance
    told_s: float | None = None
    again: int = 0
    due: bool = False  # offered again, and not yet told


@dataclass(slots=True)
class Alerts:
    """The critical findings of a session by key. Times are on the loop's clock."""

    acknowledged: set[str] = field(default_factory=set)
    _alerts: dict[str, _Alert] = field(default_factory=dict)

    @property
    def open(self) -> tuple[str, ...]:
        """Return the keys that were told and not acknowledged, as they were told."""
        return tuple(
            key
            for key, alert in self._alerts.items()
            if alert.told_s is not None and key not in self.acknowledged
        )

    def unacknowledged(self, waiting: Set[str]) -> int:
        """Return of how many findings nobody took note, those of the keys that are `waiting` among them."""
        return len((waiting | set(self.open)) - self.acknowledged)

    def told(self, utterance: Utterance, now_s: float) -> None:
        """Note that a critical finding was heard to its end."""
        key = utterance.critical_key
        if key is None:
            return
        alert = self._alerts.setdefault(key, _Alert(utterance))
        alert.utterance, alert.told_s, alert.due = utterance, now_s, False

    def restore(self, told: Iterable[ToldBefore], now_s: float) -> None:
        """Go on from what an earlier worker told."""
        for each in told:
            key = each.utterance.critical_key
            if key is not None:
                self._alerts[key] = _Alert(each.utterance, now_s - each.ago_s, each.again, each.due)

    def dropped(self, utterance: Utterance) -> None:
        """Note that a repetition ended unheard: it may be offered once more."""
        alert = self._alerts.get(utterance.critical_key or "")
        if alert is not None:
            alert.utterance, alert.due = utterance, False

    def heard_before(self, at_s: float) -> str | None:
        """Return the key of the newest open finding whose last word was heard before `at_s`."""
        heard = [
            (told_s, key)
            for key in self.open
            if (told_s := self._alerts[key].told_s) is not None and told_s <= at_s
        ]
        return max(heard)[1] if heard else None

    def acknowledge(self, key: str) -> bool:
        """Take note; return whether this key was told and open."""
        was_open = key in self.open
        self.acknowledged.add(key)
        return was_open

    def to_tell_again(self, now_s: float) -> list[Utterance]:
        """Return what is due again now, each at most `AGAIN_AT_MOST` times; it counts as offered."""
        due = []
        for key in self.open:
            alert = self._alerts[key]
            told_s = alert.told_s if alert.told_s is not None else now_s
            if alert.due or alert.again >= AGAIN_AT_MOST or now_s - told_s < AGAIN_AFTER_S:
                continue
            alert.due, alert.again = True, alert.again + 1
            due.append(alert.utterance)
        return due
