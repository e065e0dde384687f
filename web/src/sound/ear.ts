/** Where the listener's ear is: reads the track's receiver, finds onsets, and says beats. Owns the worker that ticks. */
import { SAMPLE_RATE_HZ } from "../protocol";
import { Meter } from "./meter";
import { OnsetDetector } from "./onset";

const LOOK_MS = 25;
/** A hidden page only has to beat; it does not draw, and looks too seldom to find onsets. */
const HIDDEN_LOOK_MS = 250;
const BEAT_SPEAKING_MS = 250;
const BEAT_IDLE_MS = 1_000;
/** A position this old is no longer where the ear is: the track has stopped. */
const STALE_MS = 2_000;

export interface Beat {
  readonly v: 1;
  readonly seq: number;
  readonly track_sid: string | null;
  readonly clock: "rtp";
  readonly position: number | null;
  readonly onset: number | null;
  readonly hidden: boolean;
}

export interface EarPort {
  /** Send one beat; may be lost. */
  beat(beat: Beat): void;
  /** Something may be said now: decides how often to beat. */
  speaking(): boolean;
  /** Called at each look, about 40 times a second while the page is visible. */
  looked(): void;
  /** The browser holds the sound back: nothing of the track is played. */
  locked(): boolean;
  /** Sound was heard (level above the protocol's threshold). */
  audible(): void;
}

interface Attached {
  readonly sid: string;
  readonly receiver: RTCRtpReceiver;
}

export class Ear {
  private readonly worker = new Worker(new URL("./ticker.worker.ts", import.meta.url), { type: "module" });
  private readonly meter = new Meter();
  private readonly onsets = new OnsetDetector();
  private attached: Attached | null = null;
  private at: number | null = null;
  private movedMs = 0;
  private beatMs = 0;
  private seq = 0;

  constructor(private readonly port: EarPort) {
    this.worker.onmessage = () => this.tick();
    document.addEventListener("visibilitychange", this.visibility);
    this.pace();
  }

  /** Listen on this track from now on; null: nothing is attached. */
  attach(track: Attached | null): void {
    this.attached = track;
    this.at = null;
    this.onsets.reset();
    this.meter.listen(track?.receiver.track ?? null);
  }

  /** After a click: sound may now be measured too. */
  wake(): void {
    this.meter.wake();
  }

  /** Beats count from 1 within a connection. */
  connected(): void {
    this.seq = 0;
    this.beatMs = 0;
  }

  /**
   * The position at the ear on the receiver's RTP clock now, or null. Packets come 20 ms apart, so between them the
   * time since the last one is added (never more than one packet and a look).
   */
  position(): number | null {
    if (this.at === null) return null;
    const since = Math.min(performance.now() - this.movedMs, 40);
    return (this.at + Math.round((since * SAMPLE_RATE_HZ) / 1000)) >>> 0;
  }

  /** This page's monotonic clock when sound (or its silence) last came; 0: never. */
  get cameAt_ms(): number {
    return this.movedMs;
  }

  stop(): void {
    this.worker.terminate();
    this.meter.stop();
    document.removeEventListener("visibilitychange", this.visibility);
  }

  private readonly visibility = (): void => {
    this.pace();
    this.say(performance.now());
  };

  private pace(): void {
    this.worker.postMessage(document.hidden ? HIDDEN_LOOK_MS : LOOK_MS);
  }

  private tick(): void {
    const now = performance.now();
    const began = this.look(now);
    const every = this.port.speaking() ? BEAT_SPEAKING_MS : BEAT_IDLE_MS;
    // An onset is what the agent learns the clock from, so it does not wait for its turn.
    if (began || now - this.beatMs >= every - LOOK_MS / 2) this.say(now);
    if (!document.hidden) this.port.looked();
  }

  private look(now: number): boolean {
    const source = this.attached?.receiver.getSynchronizationSources()[0];
    const seen = this.meter.look();
    if (!source) {
      this.at = null;
      return false;
    }
    if (source.rtpTimestamp !== this.at) {
      this.at = source.rtpTimestamp;
      this.movedMs = now;
    }
    const position = this.position();
    if (!seen || position === null || now - this.movedMs > STALE_MS) return false;
    if (seen.firstLoudAgo !== null) this.port.audible();
    // Web Audio sees a frame a little after the receiver has stamped it: an onset is late, never early, by that.
    return this.onsets.look(position, seen);
  }

  private say(now: number): void {
    this.beatMs = now;
    this.seq += 1;
    this.port.beat({
      v: 1,
      seq: this.seq,
      track_sid: this.attached?.sid ?? null,
      clock: "rtp",
      position: this.port.locked() ? null : this.at,
      onset: this.port.locked() ? null : this.onsets.onset,
      hidden: document.hidden,
    });
  }
}
