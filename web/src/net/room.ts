/** The only file that knows LiveKit: a room seen as a few events, commands and beats. */
import {
  AudioPresets,
  DisconnectReason,
  type LocalTrackPublication,
  type RemoteParticipant,
  RemoteAudioTrack,
  type RemoteTrack,
  type RemoteTrackPublication,
  Room,
  RoomEvent,
  setLogLevel,
  type TextStreamReader,
  Track,
} from "livekit-client";
import { MICROPHONE_TRACK, RPC_COMMAND, TOPIC_BEAT, TOPIC_STATE, VOICE_TRACK } from "../protocol";
import type { Beat } from "../sound/ear";

/** Much more than the protocol's 60 KiB: beyond it somebody else is talking to us. */
const MAX_STATE_CHARS = 1 << 20;
const ANSWER_MS = 6_000;
/** After a restart of the SFU the first request may be lost, as the agent is not there yet: ask again soon. */
const READY_MS = 2_000;
const JOIN_MS = 15_000;
/** How long a track of ours waits for the agent to subscribe before it is used anyway. */
const HEARD_MS = 3_000;

setLogLevel("warn");

export type Lost = "network" | "ended" | "elsewhere";

export interface RoomEvents {
  /** One state message from the agent, as text. Long ones may come after their successors. */
  state(raw: string): void;
  /** The voice can be heard (attached), or null: it has gone. */
  voice(track: { readonly sid: string; readonly receiver: RTCRtpReceiver } | null): void;
  reconnecting(): void;
  reconnected(): void;
  /** Gone for good; the room object is of no more use. */
  lost(why: Lost): void;
  /** Whether the browser lets sound out. */
  sound(unlocked: boolean): void;
}

export interface CommandAnswer {
  readonly ok: boolean;
  readonly message: string;
  readonly code: string;
}

export class VoiceRoom {
  private readonly room = new Room({ adaptiveStream: false, dynacast: false });
  private readonly agent: string;
  private readonly sink: HTMLElement;
  private joined = false;
  private own: LocalTrackPublication | null = null;
  private readonly encoder = new TextEncoder();

  constructor(
    session_id: string,
    private readonly events: RoomEvents,
  ) {
    this.agent = `agent-${session_id}`;
    this.sink = document.createElement("div");
    this.sink.hidden = true;
    document.body.append(this.sink);
    this.room
      .on(RoomEvent.TrackPublished, (publication, participant) => this.want(publication, participant))
      .on(RoomEvent.TrackSubscribed, (track, publication, participant) => this.attach(track, publication, participant))
      .on(RoomEvent.TrackUnsubscribed, (track, _publication, participant) => this.detach(track, participant))
      .on(RoomEvent.Reconnecting, () => this.events.reconnecting())
      .on(RoomEvent.SignalReconnecting, () => this.events.reconnecting())
      .on(RoomEvent.Reconnected, () => this.events.reconnected())
      .on(RoomEvent.AudioPlaybackStatusChanged, () => this.events.sound(this.room.canPlaybackAudio))
      .on(RoomEvent.Disconnected, (reason) => this.gone(reason));
    this.room.registerTextStreamHandler(TOPIC_STATE, (reader, from) => {
      if (from.identity === this.agent) void this.read(reader);
    });
  }

  /** Unlock audio; must be called inside a click. Resolves to whether sound may come out. */
  async unlock(): Promise<boolean> {
    try {
      await this.room.startAudio();
    } catch {
      return false;
    }
    return this.room.canPlaybackAudio;
  }

  /** Raises if the room can't be joined within 15 s. */
  async join(url: string, token: string): Promise<void> {
    await this.room.connect(url, token, { autoSubscribe: false, websocketTimeout: JOIN_MS, peerConnectionTimeout: JOIN_MS });
    this.joined = true;
    for (const participant of this.room.remoteParticipants.values()) {
      for (const publication of participant.trackPublications.values()) this.want(publication, participant);
    }
  }

  /** One command to the agent. Raises when no answer came; then the same `seq` may be sent again. */
  async command(seq: number, kind: string, args: object = {}): Promise<CommandAnswer> {
    const raw = await this.room.localParticipant.performRpc({
      destinationIdentity: this.agent,
      method: RPC_COMMAND,
      payload: JSON.stringify({ v: 1, seq, kind, args }),
      responseTimeout: kind === "ready" ? READY_MS : ANSWER_MS,
    });
    const answer = JSON.parse(raw) as { ok?: unknown; error?: { code?: unknown; message?: unknown } };
    return {
      ok: answer.ok === true,
      code: typeof answer.error?.code === "string" ? answer.error.code : "",
      message: typeof answer.error?.message === "string" ? answer.error.message : "",
    };
  }

  /**
   * Publish the one track that the reader speaks on. Resolves once the agent listens to it, or after 3 s. The room ends
   * the track when it is left. Raises if the room does not take it.
   */
  async publish(track: MediaStreamTrack, muted: boolean): Promise<void> {
    let heard = (): void => undefined;
    const listening = new Promise<void>((resolve) => (heard = resolve));
    const timer = setTimeout(heard, HEARD_MS);
    this.room.once(RoomEvent.LocalTrackSubscribed, heard);
    try {
      this.own = await this.room.localParticipant.publishTrack(track, {
        name: MICROPHONE_TRACK,
        source: Track.Source.Microphone,
        audioPreset: AudioPresets.speech,
        dtx: false, // silence, too, is something that the agent hears
      });
      if (muted) await this.own.mute();
      await listening;
    } finally {
      clearTimeout(timer);
      this.room.off(RoomEvent.LocalTrackSubscribed, heard);
    }
  }

  /** Mute or unmute that track, so that the agent knows of it. */
  async mute(muted: boolean): Promise<void> {
    if (!this.own || this.own.isMuted === muted) return;
    if (muted) await this.own.mute();
    else await this.own.unmute();
  }

  beat(beat: Beat): void {
    if (this.room.state !== "connected") return;
    const bytes = this.encoder.encode(JSON.stringify(beat));
    const options = { reliable: false, topic: TOPIC_BEAT, destinationIdentities: [this.agent] };
    // Lossy by design: the next beat says it anew.
    this.room.localParticipant.publishData(bytes, options).catch(() => undefined);
  }

  /**
   * Bytes that came so far on the transport of the beats: the SFU answers each, so that they grow at least once a second while
   * the line is there, also when the voice is not. Null: there is no transport.
   */
  async received(): Promise<number | null> {
    const report = await this.room.engine.pcManager?.publisher.getStats()?.catch(() => undefined);
    if (!report) return null;
    let received = 0;
    report.forEach((each: RTCStats) => {
      if (each.type === "transport") received += (each as RTCTransportStats).bytesReceived ?? 0;
    });
    return received;
  }

  async leave(): Promise<void> {
    this.room.removeAllListeners();
    await this.room.disconnect();
    this.sink.remove();
  }

  private isVoice(publication: RemoteTrackPublication, participant: RemoteParticipant): boolean {
    return participant.identity === this.agent && publication.kind === "audio" && publication.trackName === VOICE_TRACK;
  }

  private want(publication: RemoteTrackPublication, participant: RemoteParticipant): void {
    if (this.isVoice(publication, participant)) publication.setSubscribed(true);
  }

  private attach(track: RemoteTrack, publication: RemoteTrackPublication, participant: RemoteParticipant): void {
    if (!this.isVoice(publication, participant) || !(track instanceof RemoteAudioTrack) || !track.receiver) return;
    this.sink.replaceChildren(track.attach());
    this.events.voice({ sid: publication.trackSid, receiver: track.receiver });
    this.events.sound(this.room.canPlaybackAudio);
  }

  private detach(track: RemoteTrack, participant: RemoteParticipant): void {
    for (const element of track.detach()) element.remove();
    if (participant.identity === this.agent && this.sink.childElementCount === 0) this.events.voice(null);
  }

  private async read(reader: TextStreamReader): Promise<void> {
    let raw: string;
    try {
      raw = await reader.readAll();
    } catch {
      return; // A broken stream is a hole in `seq`, which asks for a snapshot.
    }
    if (raw.length <= MAX_STATE_CHARS) this.events.state(raw);
  }

  private gone(reason: DisconnectReason | undefined): void {
    this.sink.remove();
    // A join that failed has told its caller already.
    if (!this.joined) return;
    this.events.voice(null);
    if (reason === DisconnectReason.DUPLICATE_IDENTITY) this.events.lost("elsewhere");
    else if (reason === DisconnectReason.ROOM_DELETED || reason === DisconnectReason.ROOM_CLOSED) this.events.lost("ended");
    else if (reason === DisconnectReason.PARTICIPANT_REMOVED) this.events.lost("ended");
    else this.events.lost("network");
  }
}
