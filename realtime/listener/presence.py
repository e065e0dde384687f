"""Know whether somebody listens, from joins, `ready` messages and beats. Pure."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Final

STOCK_AFTER_S: Final = (
    3.0  # in the room, our track taken, and neither `ready` nor a beat for so long: a stock client
)
UNREADY_AFTER_S: Final = 8.0  # it plays our track without a `ready`, or sends nothing and did not take it yet
LOST_SPEAKING_S: Final = 1.5  # no beat for so long while we speak: the listener is lost
LOST_QUIET_S: Final = 3.0  # and so long otherwise (beats then come each second)
STILL_S: Final = 3.0  # its position stood still for so long while we speak: it plays nothing
NEWS_LATE_S: Final = 5.0  # the SFU tells up to 3 s late (measured) of who publishes nothing, later if busy


class ClientPresence(enum.StrEnum):
    """What is known of the clinician's client."""

    ABSENT = "absent"  # not in the room
    JOINED = "joined"  # in the room; not known yet whether it can hear
    READY = "ready"  # said `ready`; beats tell what is played
    STOCK = "stock"  # knows nothing of this protocol: played is sent less an allowance
    LOST = "lost"  # was ready, and its beats have stopped, or its position stands still


@dataclass(frozen=True, slots=True)
class Presence:
    """What we have seen of the listener, on the loop's clock; each event returns the next value."""

    listener: ClientPresence = ClientPresence.ABSENT
    joined_at_s: float | None = None
    beat_at_s: float | None = None
    ready_at_s: float = float("-inf")
    plays_since_s: float | None = None  # its position was first seen to move: it plays our track
    moved_at_s: float = float("-inf")  # its position was last seen to move
    still: bool = False  # lost, as its position stands still: a beat alone brings it not back
    speaks_since_s: float | None = None  # we speak; a client beats faster then, a round trip later
    back_at_s: float = float("-inf")  # it was lost, and a beat came: of its connection, or of a new one
    was_alive: bool = False  # when `ready` came, beats were coming: of the same connection, or of another

    @property
    def hears(self) -> bool:
        """Return whether somebody hears what is said now, as far as is known."""
        return self.listener in (ClientPresence.READY, ClientPresence.STOCK)

    def heard_of_s(self, now_s: float) -> float:
        """Return the time of the client's last sign: its last beat, or now for one that need not beat."""
        match self.listener:
            case ClientPresence.JOINED | ClientPresence.STOCK:
                return now_s
            case ClientPresence.READY | ClientPresence.LOST:
                return now_s - self._silent_s(now_s)
            case ClientPresence.ABSENT:
                return float("-inf")

    def joined(self, now_s: float) -> Presence:
        """Return the state after the client joined; a `ready` that came just before still counts."""
        ready = self.listener in (ClientPresence.READY, ClientPresence.LOST)
        if ready and (self.joined_at_s is None or self._just_ready(now_s)):
            return replace(self, listener=ClientPresence.READY, joined_at_s=now_s, beat_at_s=now_s)
        return Presence(ClientPresence.JOINED, joined_at_s=now_s)

    def takes_over(self, now_s: float) -> bool:
        """Return whether a new connection replaces one that was alive."""
        if self._just_ready(now_s):
            return self.was_alive
        known = now_s - self.back_at_s >= NEWS_LATE_S
        return known and self.listener is ClientPresence.READY and self._silent_s(now_s) < LOST_SPEAKING_S

    def ready(self, now_s: float) -> Presence:
        """Return the state after the client said that it hears, which counts as a beat.

        Until the SFU reports a join, beats of the client can't be told from a stranger's and do not reach us. So more
        time is given to one that was not reported yet, or was lost and may be back by a new connection.
        """
        unknown = self.joined_at_s is None or self.listener is ClientPresence.LOST
        late_s = NEWS_LATE_S if unknown else 0.0
        alive = self.takes_over(now_s)
        return replace(
            self,
            listener=ClientPresence.READY,
            beat_at_s=now_s + late_s,
            ready_at_s=now_s,
            was_alive=alive,
        )

    @property
    def taken_for_ready(self) -> bool:
        """Return whether a client that never said `ready` counts as ready, because it plays our track."""
        return self.listener is ClientPresence.READY and self.ready_at_s == float("-inf")

    def beat(self, now_s: float, *, plays: bool = False) -> Presence:
        """Return the state after a beat, whose position moved if it `plays`; a lost listener is back.

        One that was lost because its position stood still is back only when it plays again.
        """
        back = self.listener is ClientPresence.LOST and (plays or not self.still)
        since_s = now_s if plays and self.plays_since_s is None else self.plays_since_s
        return replace(
            self,
            listener=ClientPresence.READY if back else self.listener,
            beat_at_s=now_s,
            plays_since_s=since_s,
            moved_at_s=now_s if plays else self.moved_at_s,
            still=self.still and not back,
            back_at_s=now_s if back else self.back_at_s,
        )

    def left(self) -> Presence:
        """Return the state after the client left the room."""
        return Presence()

    def vacated(self, now_s: float) -> Presence:
        """Return the state after a connection ended; a client just ready has another one, reported soon."""
        if self._just_ready(now_s):
            return replace(self, joined_at_s=None)
        return Presence()

    def tick(self, now_s: float, *, speaking: bool, subscribed: bool = True) -> Presence:
        """Return the state at `now_s`; `speaking`: the voice sounds; `subscribed`: somebody has taken our track.

        The track of a busy machine is taken seconds after the join. Who is greeted before misses the beginning.
        """
        since_s = self.speaks_since_s
        if speaking is (since_s is None):
            known = replace(self, speaks_since_s=now_s if speaking else None)
            return known.tick(now_s, speaking=speaking, subscribed=subscribed)
        stock_after_s = STOCK_AFTER_S if subscribed else UNREADY_AFTER_S
        match self.listener:
            case ClientPresence.JOINED if self.beat_at_s is None and self._here_s(now_s) >= stock_after_s:
                return replace(self, listener=ClientPresence.STOCK)
            case ClientPresence.JOINED if (
                self.plays_since_s is not None and self._here_s(now_s) >= UNREADY_AFTER_S
            ):
                return replace(self, listener=ClientPresence.READY)
            case ClientPresence.READY if self._is_missed(now_s):
                return replace(self, listener=ClientPresence.LOST)
            case ClientPresence.READY if self._stands_still(now_s):
                return replace(self, listener=ClientPresence.LOST, still=True)
            case _:
                return self

    def _is_missed(self, now_s: float) -> bool:
        """Return whether beats are overdue; the limit while speaking counts from the start of speech."""
        silent_s = self._silent_s(now_s)
        spoke_s = 0.0 if self.speaks_since_s is None else now_s - self.speaks_since_s
        return silent_s >= LOST_QUIET_S or min(silent_s, spoke_s) >= LOST_SPEAKING_S

    def _stands_still(self, now_s: float) -> bool:
        """Return whether the position has stood still for `STILL_S` of our speech after moving before."""
        if self.plays_since_s is None or self.speaks_since_s is None:
            return False
        return now_s - max(self.moved_at_s, self.speaks_since_s) >= STILL_S

    def _just_ready(self, now_s: float) -> bool:
        return now_s - self.ready_at_s < NEWS_LATE_S

    def _here_s(self, now_s: float) -> float:
        return now_s - (self.joined_at_s if self.joined_at_s is not None else now_s)

    def _silent_s(self, now_s: float) -> float:
        return now_s - (self.beat_at_s if self.beat_at_s is not None else now_s)
