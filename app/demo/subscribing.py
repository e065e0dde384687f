"""Joining a room so that no track is missed."""

from __future__ import annotations

from livekit import rtc


async def join(room: rtc.Room, url: str, token: str) -> None:
    """Join, and subscribe to each track once it is announced. Raises: rtc.ConnectError.

    Under automatic subscription a voice that publishes while one joins can be lost: its track may come
    before its participant, and the SDK then drops it ("received track from an unknown participant").
    """

    def subscribe(publication: rtc.RemoteTrackPublication, participant: rtc.RemoteParticipant) -> None:
        publication.set_subscribed(True)

    room.on("track_published", subscribe)
    await room.connect(url, token, rtc.RoomOptions(auto_subscribe=False))
    for participant in room.remote_participants.values():  # who was there before makes no event
        for publication in participant.track_publications.values():
            subscribe(publication, participant)
