/**
 * Where on the listener's clock sound last began. Fed with (position, level) as often as the page can look.
 *
 * A page that looks seldom (hidden, or a blocked main thread) could call a missed word silence: more than `MAX_STEP`
 * between two looks starts the count of silence anew.
 */
import { SAMPLE_RATE_HZ } from "../protocol";

/** audioLevel is linear, 0 to 1: 0.003 is −50 dBFS. From docs/protocol.md. */
export const SOUND_LEVEL = 0.003;
const SILENCE = (SAMPLE_RATE_HZ * 400) / 1000;
const MAX_STEP = (SAMPLE_RATE_HZ * 120) / 1000;
const WRAP = 2 ** 32;

export class OnsetDetector {
  private last: number | null = null;
  private silence = 0;
  private found: number | null = null;

  /** The newest onset, or null if none has been seen. */
  get onset(): number | null {
    return this.found;
  }

  /** Take one look; true when sound has just begun. */
  look(position: number, level: number): boolean {
    const step = this.last === null ? null : (position - this.last + WRAP) % WRAP;
    if (step === 0) return false;
    this.last = position;
    if (step === null || step > MAX_STEP) this.silence = 0;
    else if (level <= SOUND_LEVEL) this.silence += step;
    if (level <= SOUND_LEVEL) return false;
    const begins = this.silence >= SILENCE;
    this.silence = 0;
    if (begins) this.found = position;
    return begins;
  }

  /** Another track has another clock: forget everything. */
  reset(): void {
    this.last = null;
    this.silence = 0;
    this.found = null;
  }
}
