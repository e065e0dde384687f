"""Follow the critical findings that were told: acknowledged, open, and due again. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core import Newer
from exaim_core.claims.finding import IN_WORDS, counted, is_again
from exaim_core.text.names import number_word
from realtime.speech.earlier import alarm_as_earlier
from realtime.team.long_words import cut_long_words
from tts_queue import Phase, Standing, Utterance

AGAIN_AFTER_S: Final = 120.0  # a finding unacknowledged for so long is told again
MISSED_AFTER_S: Final = 15.0  # and one that was told but not heard
AGAIN_AT_MOST: Final = 2
MOST_NAMED: Final = 3  # of the findings not acknowledged; the others are counted
NOTED_WITHIN_S: Final = 10.0  # "got it" so long after its last word acknowledges it: docs/decisions/031


def not_acknowledged(count: int, names: Sequence[str] = (), *, eased: int = 0) -> str:
    """Return the sentence that counts the findings not acknowledged, at least one, and names up to `MOST_NAMED`.

    `names`: of those that have none, "". `eased`: how many more there are of which another value was stated since.
    """
    have = "has a newer value" if eased == 1 else "have newer values"
    if not count:
        return f"{_findings(eased)} not acknowledged {have}."
    known = list(dict.fromkeys(filter(None, names)))[:MOST_NAMED]
    rest = sum(name not in known for name in names)
    *most, last = [*known, f"{number_word(rest)} more"] if known and rest else known or [""]
    named = f": {' and '.join(filter(None, (', '.join(most), last)))}" if last else ""
    told = f"{_findings(count)} not acknowledged{named}."
    if not eased:
        return told
    return f"{told} {number_word(eased).capitalize()} more {have}."


def _findings(count: int) -> str:
    return f"{number_word(count).capitalize()} critical {'finding' if count == 1 else 'findings'}"


def with_newer(newer: Newer) -> str:
    """Return an alarm as of earlier, with the newer value: "Critical, earlier: potassium 6.6; since then 5.5."."""
    return cut_long_words(alarm_as_earlier(newer.text))


def is_told(phase: Phase, reason: str | None) -> bool:
    """Return whether an offering that ended so was heard to its end, or known enough to be skipped."""
    return phase is Phase.SPOKEN or reason == "skipped"


def is_missed(phase: Phase, reason: str | None) -> bool:
    """Return whether an offering that ended so was not heard: no sound, or none that was confirmed."""
    return phase is Phase.FAILED or reason == "unconfirmed"


def is_idle_repetition(standing: Standing, keys: Set[str]) -> bool:
    """Return whether an utterance repeats one of the findings, and does not sound now."""
    utterance = standing.utterance
    repeats = utterance.critical_key in keys and utterance.replays is not None
    return repeats and standing.phase in (Phase.QUEUED, Phase.HELD)


@dataclass(frozen=True, slots=True)
class ToldBefore:
    """A finding that an earlier worker told, heard or not.

    `utterance` is its newest offering, `ago_s` how long ago it was told, `again` how often it was repeated,
    `due` whether a repetition is not over, `heard` whether any offering was heard.
    """

    utterance: Utterance
    ago_s: float
    again: int = 0
    due: bool = False
    heard: bool = True


@dataclass(slots=True)
class _Alert:
    utterance: Utterance
    told_s: float | None = None  # or tried in vain
    again: int = 0
    due: bool = False  # offered again, and not yet told
    heard: bool = False


@dataclass(slots=True)
class Alerts:
    """The critical findings of a session by key. Times are on the loop's clock.

    `for_the_closing`: one that names those not acknowledged may wait no longer, so none is told again before it.
    """

    acknowledged: set[str] = field(default_factory=set)
    for_the_closing: bool = False
    taken_back: frozenset[str] = frozenset()
    _newer: dict[str, Newer] = field(default_factory=dict)
    _stood: dict[str, str] = field(default_factory=dict)
    _alerts: dict[str, _Alert] = field(default_factory=dict)
    _times: dict[str, int] = field(default_factory=dict)  # how often each finding of `_alerts` has come

    @property
    def open(self) -> tuple[str, ...]:
        """Return the keys that were told and neither acknowledged nor over, oldest first."""
        return tuple(
            key for key, alert in self._alerts.items() if alert.told_s is not None and not self._is_over(key)
        )

    def unacknowledged(self, waiting: Set[str]) -> tuple[str, ...]:
        """Return the keys of the findings not acknowledged, oldest first, then those that are `waiting`."""
        every = dict.fromkeys((*self.open, *sorted(waiting)))
        return tuple(
            key
            for key in every
            if not self._is_over(key) and not any(is_again(other, key) for other in every)
        )

    def _is_over(self, key: str) -> bool:
        """Return whether a finding is acknowledged, taken back, told by a newer alarm, or has come again."""
        if key in self.acknowledged or key in self.taken_back or self.is_told_by_newer(key):
            return True
        finding, times = counted(key)
        return self._times.get(finding, times) > times

    def _alert_on(self, key: str, alert: _Alert) -> _Alert:
        """Return what is known of a finding; `alert` if it is new."""
        finding, times = counted(key)
        self._times[finding] = max(times, self._times.get(finding, times))
        return self._alerts.setdefault(key, alert)

    def is_told_by_newer(self, key: str) -> bool:
        """Return whether a newer alarm tells of what a finding is about."""
        return key in self._newer and self._newer[key].alarms

    def is_eased(self, key: str) -> bool:
        """Return whether a value that is not critical was stated since of what a finding tells."""
        return key in self._newer and self._newer[key].eased

    def alarmed(self, key: str) -> None:
        """Record that a finding is news: what was stated of it before counts no more."""
        self._newer.pop(key, None)

    def given_anew(self, newer: Newer) -> None:
        """Record what was stated since of what a finding tells."""
        self._newer[newer.critical_key] = newer

    def worded(self, utterance: Utterance) -> Utterance:
        """Return a finding that is told again with the newest value beside it, if one was stated; all else as it is."""
        newer = self._newer.get(utterance.critical_key) if utterance.critical_key is not None else None
        if newer is None or not newer.text:
            return utterance
        return replace(utterance, text=with_newer(newer))

    def standing(self, findings: Mapping[str, str]) -> frozenset[str]:
        """Take the names of what is critical now, by key; return the keys that no longer stand.

        A key no longer stands once no finding of its name is critical any more. It is not told again. A key that
        stands again is open again.
        """
        self._stood |= findings
        names = set(findings.values())
        self.taken_back = frozenset(key for key, name in self._stood.items() if name not in names)
        return self.taken_back

    def told(self, utterance: Utterance, now_s: float) -> None:
        """Record that a finding was heard to its end; without a repetition due, this counts as one."""
        self._tried(utterance, now_s, heard=True)

    def missed(self, utterance: Utterance, now_s: float) -> None:
        """Record that a finding was told and not heard."""
        self._tried(utterance, now_s, heard=False)

    def _tried(self, utterance: Utterance, now_s: float, *, heard: bool) -> None:
        key = utterance.critical_key
        if key is None:
            return
        alert = self._alert_on(key, _Alert(utterance))
        alert.again += alert.told_s is not None and not alert.due
        alert.utterance, alert.told_s, alert.due = utterance, now_s, False
        alert.heard = alert.heard or heard

    def restore(self, told: Iterable[ToldBefore], now_s: float) -> None:
        """Go on from what an earlier worker told."""
        for each in told:
            key = each.utterance.critical_key
            if key is not None:
                alert = _Alert(each.utterance, now_s - each.ago_s, each.again, each.due, each.heard)
                self._alert_on(key, alert)
                self._alerts[key] = alert

    def dropped(self, utterance: Utterance) -> None:
        """Record that a repetition ended unheard, so that it may be offered once more."""
        alert = self._alerts.get(utterance.critical_key or "")
        if alert is not None:
            alert.utterance, alert.due = utterance, False

    def acknowledgeable(self, last: Utterance | None, at_s: float, *, sounds: bool) -> str | None:
        """Return the key of the finding that "got it", said from `at_s` on, acknowledges; None: none.

        `last` is what began to sound last. It is acknowledged if it is a finding that `sounds`, or that was heard to
        its end shortly before; once anything else has begun, "got it" is said to that.
        """
        key = last.critical_key if last is not None else None
        if key is None or key in self.acknowledged | self.taken_back:
            return None
        alert = self._alerts.get(key)
        told_s = alert.told_s if alert is not None and alert.heard else None
        return key if sounds or (told_s is not None and at_s - told_s <= NOTED_WITHIN_S) else None

    def name_of(self, key: str) -> str:
        """Return the name of a finding on the board; "" if it is not known, or is told in its speaker's own words.

        The name of such a one is only the kind of emergency that its words may mean.
        """
        return "" if key.startswith(IN_WORDS) else self._stood.get(key, "")

    def tell_stopped(self, utterance: Utterance, *, asked: bool) -> bool:
        """Return whether a stopped finding may be told again; if so, record that it is.

        `asked`: the clinician ended the silence. Else it counts as one of the repetitions.
        """
        key = utterance.critical_key
        if key is None or self._is_over(key):
            return False
        alert = self._alert_on(key, _Alert(utterance))
        if not asked and alert.again >= AGAIN_AT_MOST:
            return False
        alert.again += not asked
        alert.due = True
        return True

    def acknowledge(self, key: str) -> bool:
        """Acknowledge a finding; return whether it was heard and open."""
        was_open = key in self.open and self._alerts[key].heard
        self.acknowledged.add(key)
        return was_open

    def to_tell_again(self, now_s: float) -> list[Utterance]:
        """Return the findings due again, each at most `AGAIN_AT_MOST` times; they count as offered."""
        due = list[Utterance]()
        if self.for_the_closing:
            return due
        for key in self.open:
            alert = self._alerts[key]
            told_s = alert.told_s if alert.told_s is not None else now_s
            after_s = AGAIN_AFTER_S if alert.heard else MISSED_AFTER_S
            if alert.due or alert.again >= AGAIN_AT_MOST or now_s - told_s < after_s:
                continue
            alert.due, alert.again = True, alert.again + 1
            due.append(alert.utterance)
        return due
