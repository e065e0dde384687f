"""The critical findings of one case: which stand, which were spoken, and which may alarm again.

An alarm is spoken once by its key, the value in its base unit. It is taken off when its value is within its limits
again, when its own agent takes it back, and when a corrected value alarms in place of the one that was put right. If
the value is given again after that, it alarms again; if it is only mentioned as past, it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace
from typing import Final

from exaim_core.board.numbers import Number, Numbers, numbers_in
from exaim_core.claims.claims import Claim
from exaim_core.claims.finding import Critical, is_hazard
from exaim_core.claims.measured import may_be_of_before, speaks_of_before, values_named
from exaim_core.text.places import Source
from exaim_core.text.quantities import quantities

APART_S: Final = 10.0  # an alarm sooner after another leaves out who raised it: each second counts
MOST_ALARMS: Final = 32  # standing at once; in the recorded discussions the most is 3


class Alarms:
    """The critical findings of one board, by their keys."""

    def __init__(self, numbers: Numbers) -> None:
        self.standing: dict[str, Claim] = {}
        self.eased: Source | None = None  # the sentence that took the last alarm off
        self.fallen: list[str] = []  # keys of alarms that are no longer true, since this was last read
        self.no_allergies: frozenset[str] = frozenset()  # substances of which was said that there is none
        self.relieved: set[str] = set()  # those of them whose speaker gave a value within the limits
        self._numbers = numbers
        self._told: set[str] = set()
        self._problems: set[str] = set()  # problems that were told
        self._given_up = dict[str, set[str]]()  # drugs of alarms on several that were given up
        self._eased_keys: set[str] = set()  # keys of alarms that were taken off or back
        self._times = dict[str, int]()  # how often an alarm has come, by its key

    @property
    def numbers(self) -> set[Number]:
        """Return the numbers that alarms have told; for an alarm without a value, those of its sentence."""
        found = (
            (each.critical.value if each.critical else "") or each.text for each in self.standing.values()
        )
        return {number for text in found for number in numbers_in(text)}

    def is_told(self, claim: Claim, found: Critical) -> bool:
        """Return whether an alarm says nothing new: it was told, or it only speaks of an eased value as past.

        An emergency in words says nothing beyond the value that shows it. An order is news for each drug that meets
        what an earlier one met.
        """
        named = not found.value and not found.order
        if found.key in self._told or (named and found.problem in self._problems):
            return True
        return found.key in self._eased_keys and speaks_of_before(claim.text)

    def was_told(self, key: str) -> bool:
        """Return whether the alarm was told and has not been taken off since."""
        return key in self._told

    def sound(self, claim: Claim, found: Critical) -> tuple[Claim, bool]:
        """Enter an alarm to be spoken; return it, and whether it came more than `APART_S` after all others.

        One that comes again after it was over is counted: it is told under a key of its own.
        The newest are kept: a team that raises one in every sentence would fill every update.
        """
        apart = all(claim.source.at_s - old.source.at_s > APART_S for old in self.standing.values())
        self.fallen += self._followed_by(claim, found)
        self._times[found.key] = self._times.get(found.key, 1) + (found.key in self._eased_keys)
        claim = replace(claim, critical=replace(found, times=self._times[found.key]))
        self.standing[found.key] = claim
        while len(self.standing) > MOST_ALARMS:
            del self.standing[next(iter(self.standing))]
        self._told.add(found.key)
        self._eased_keys.discard(found.key)
        self._problems.add(found.problem)
        self.forget_put_right()
        return claim, apart

    def _followed_by(self, claim: Claim, found: Critical) -> list[str]:
        """Return the keys of earlier values in the speaker's series; if still unspoken, they need not be."""
        if not found.value or may_be_of_before(claim.text):
            return []
        return [
            key
            for key, old in self.standing.items()
            if old.agent_id == claim.agent_id
            and old.critical is not None
            and old.critical.value
            and (old.critical.name, old.critical.problem) == (found.name, found.problem)
            and key != found.key
        ]

    def forget_put_right(self) -> None:
        """Take off a value that was put right, once the corrected one alarms in its place."""
        for key, old in [*self.standing.items()]:
            found = old.critical
            if found is None or not found.value or not self._numbers.was_put_right(numbers_in(found.value)):
                continue
            if any(
                new.critical is not None and new.critical.problem == found.problem and new.critical.value
                for other, new in self.standing.items()
                if other != key and new.source.first_seq > old.source.first_seq
            ):
                del self.standing[key]

    def newest(self) -> list[Claim]:
        """Return the alarms that stand; of several values of the same thing, the last one given."""
        last = dict[str, Claim]()
        for key, each in sorted(self.standing.items(), key=lambda item: item[1].source.last_seq):
            found = each.critical
            name = found.name if found is not None and found.value else key
            if name not in last or not may_be_of_before(each.text):
                last[name] = each
        return [each for each in self.standing.values() if any(each is one for one in last.values())]

    def values_of(self, name: str) -> list[str]:
        """Return the values that stand for `name`: critical ones, and those that an order met."""
        found = [each for old in self.standing.values() if (each := old.critical) is not None]
        met = [(*of, each) for each in found if each.against for of in values_named(each.against)]
        return [
            *(each.value for each in found if each.value and each.key.partition("=")[0] == name),
            *(each.against[each.against.find(number) :] for of, number, each in met if of == name),
        ]

    def fall(self, name: str, number: str, source: Source) -> None:
        """Take off the critical value of `name`, which the sentence at `source` puts right."""
        for key, old in [*self.standing.items()]:
            found = old.critical
            if found is None or not found.value or key.partition("=")[0] != name:
                continue
            if quantities(found.value)[0].number == number:
                self._take_off(key, found)
                self.eased = source

    def _take_off(self, key: str, found: Critical) -> None:
        """Take off an alarm that is no longer true; if it is still unspoken, it need not be spoken."""
        del self.standing[key]
        self.ease(found)
        self.fallen.append(key)

    def drop_order(self, may_give_up: Callable[[Claim], bool], is_given_up: Callable[[str], bool]) -> None:
        """Take off alarms of which all orders were given up, at once or one by one; given again, one alarms again.

        `may_give_up`: whether the speaker may take an alarm's orders back; `is_given_up`: whether a drug is named.
        """
        for key, old in [*self.standing.items()]:
            found = old.critical
            if found is None or not found.order or not may_give_up(old):
                continue
            gone = self._given_up.setdefault(key, set())
            gone.update(filter(is_given_up, found.orders))
            if gone.issuperset(found.orders):
                del self._given_up[key]
                self._take_off(key, found)

    def end(self, hazards: Container[str], agent_id: str) -> bool:
        """Take off alarms on orders that met `hazards`, which are over; return whether one stood.

        One that is still unspoken is dropped only if `agent_id`, who says so, had stated the hazard too.
        """
        gone = [
            (key, found)
            for key, old in self.standing.items()
            if (found := old.critical) is not None and found.order and is_hazard(found.problem, hazards)
        ]
        for key, found in gone:
            del self.standing[key]
            self.ease(found)
            self.fallen += [key] if found.by == agent_id else []
        return bool(gone)

    def give_away(self, gone: Callable[[Claim], bool]) -> None:
        """Take off alarms in words for which `gone` holds; one that is still unspoken is spoken all the same.

        A value is taken off by its number (`fall`).
        """
        for key, old in [*self.standing.items()]:
            if old.critical is not None and not (old.critical.value or old.critical.order) and gone(old):
                del self.standing[key]
                self.ease(old.critical)

    def may_alarm_again(self, is_over: Callable[[Claim, str], object]) -> None:
        """Have emergencies of which the end was said alarm anew if they are said again; until then they stand.

        `is_over` is asked with each, and the kind of it.
        """
        for key, old in self.standing.items():
            found = old.critical
            if found is None or found.value or found.order or not is_over(old, key.partition(":")[2]):
                continue
            self._told.discard(key)
            self._eased_keys.add(key)
            self._problems.discard(found.problem)

    def relieve(self, claim: Claim) -> None:
        """Take off a critical value whose quantity is within its limits now.

        If the same agent gave both, an alarm that is still unspoken is dropped, or told with the new value
        (`Since.eased`). If another agent gave the new value, the alarm is still spoken, since the new value may come
        from another sheet. Another quantity takes nothing off: a pH within its limits is no bicarbonate.
        """
        given = {_thing(name) for name, _ in values_named(claim.text)}
        for key, old in [*self.standing.items()]:
            found = old.critical
            if given and _thing(key.partition("=")[0]) not in given:
                continue
            if found is not None and found.value and found.problem == claim.entity:
                del self.standing[key]
                self.ease(found)
                self.eased = claim.source
                if old.agent_id == claim.agent_id:
                    self.fallen.append(key)
                    self.relieved.add(key)

    def ease(self, found: Critical) -> None:
        """Forget that an alarm was told, so that it alarms if it is given again."""
        self._told.discard(found.key)
        self._eased_keys.add(found.key)
        if not any(old.critical and old.critical.problem == found.problem for old in self.standing.values()):
            self._problems.discard(found.problem)

    def unsay(self, key: str) -> None:
        """Forget an alarm that was entered and could not be told: whoever gives it again alarms."""
        old = self.standing.pop(key, None)
        self._told.discard(key)
        problem = old.critical.problem if old is not None and old.critical is not None else ""
        if not any(each.critical and each.critical.problem == problem for each in self.standing.values()):
            self._problems.discard(problem)

    def withdraw(self, gone: Callable[[Claim], bool]) -> None:
        """Forget alarms for which `gone` holds, as if they had not been said; those that stand were told."""
        for key, old in [*self.standing.items()]:
            if gone(old):
                del self.standing[key]
                self._told.discard(key)
        self.standing = dict(sorted(self.standing.items(), key=lambda item: item[1].source.first_seq))
        found = {key: old.critical for key, old in self.standing.items() if old.critical is not None}
        self._told.update(found)
        self._eased_keys.difference_update(found)
        self._problems = {each.problem for each in found.values()}


def _thing(name: str) -> str:
    """Return what a value of `name` measures: a systolic pressure and a mean one are one thing."""
    return "pressure" if name.endswith("pressure") else name
