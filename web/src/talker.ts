/**
 * The reader's voice in the room: publishes the one track once there is something to say on it, and mutes it while there
 * is not, so that the agent knows. A chip is heard even while the microphone is muted; the microphone itself is not, then.
 */
import { type Chip, Microphone } from "./sound/microphone";
import type { Capture } from "./state/mic";

/** From unmuting to the first sound that arrives. */
const LEAD_MS = 250;
/** Quiet after a chip before the track is muted again: the agent ends a turn by a pause. */
const TAIL_MS = 1_500;

/** What is needed of a room. */
export interface Line {
  publish(track: MediaStreamTrack, muted: boolean): Promise<void>;
  mute(muted: boolean): Promise<void>;
}

export class Talker {
  muted = false;
  readonly microphone = new Microphone(() => this.captured());
  private line: Line | null = null;
  private published: Promise<boolean> | null = null;
  private chips = 0;
  private freed = false;

  constructor(private readonly changed: () => void) {}

  get capture(): Capture {
    return this.microphone.capture;
  }

  /** The room to speak in from now on; null: none. */
  join(line: Line | null): void {
    this.line = line;
    this.published = null;
    if (this.capture === "on") void this.publish();
  }

  toggleMute(): void {
    if (this.capture !== "on") return;
    this.muted = !this.muted;
    this.apply();
    this.changed();
  }

  /** Say a chip. False: it could not be said. */
  async say(chip: Chip): Promise<boolean> {
    this.chips += 1;
    try {
      await this.microphone.wake();
      if (!(await this.publish())) return false;
      if (this.capture !== "on" || this.muted) {
        this.apply();
        await wait(LEAD_MS);
      }
      await this.microphone.play(chip);
      return true;
    } catch {
      return false;
    } finally {
      setTimeout(() => {
        this.chips -= 1;
        this.apply();
      }, TAIL_MS);
    }
  }

  /** Another window speaks now: it shall have the microphone. */
  free(): void {
    this.freed = this.capture === "on" || this.capture === "asking";
    this.microphone.free();
  }

  /** Take it back, if it was in use before. */
  again(): void {
    if (this.freed) void this.microphone.ask();
    this.freed = false;
  }

  stop(): void {
    this.line = null;
    this.microphone.stop();
  }

  /** Whether the track has nothing to carry. */
  private get silent(): boolean {
    return (this.muted || this.capture !== "on") && this.chips === 0;
  }

  private captured(): void {
    if (this.capture === "on") void this.publish();
    this.apply();
    this.changed();
  }

  private apply(): void {
    this.microphone.gate(this.capture === "on" && !this.muted);
    if (this.published) void this.line?.mute(this.silent).catch(() => undefined);
  }

  private publish(): Promise<boolean> {
    const { line } = this;
    this.microphone.gate(this.capture === "on" && !this.muted);
    const track = line && this.published === null ? this.microphone.track() : null;
    if (line && track) {
      const done = line.publish(track, this.silent).then(
        () => true,
        () => false,
      );
      this.published = done;
      void done.then((taken) => {
        if (!taken && this.published === done) this.published = null;
        this.apply();
      });
    }
    return this.published ?? Promise.resolve(false);
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
