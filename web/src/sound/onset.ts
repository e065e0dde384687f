/**
 * Where on the listener's clock sound last began. Fed with what a level meter saw since the look before.
 *
 * A page that looks seldom (hidden, or a blocked main thread) misses samples, so it can't tell silence from a missed
 * word: such a look starts the count of silence anew.
 */
import { SAMPLE_RATE_HZ } from "../protocol";

/** Linear, 0 to 1: 0.003 is −50 dBFS. From docs/protocol.md. */
export const SOUND_LEVEL = 0.003;
const SILENCE = (SAMPLE_RATE_HZ * 400) / 1000;
const WRAP = 2 ** 32;

/** All in samples at 48 kHz; `…Ago` counts back from the newest sample seen. */
export interface Look {
  /** Samples since the look before; null when some were missed. */
  readonly fresh: number | null;
  readonly firstLoudAgo: number | null;
  readonly lastLoudAgo: number | null;
}

export class OnsetDetector {
  private silence = 0;
  private found: number | null = null;

  /** The newest onset, or null if none has been seen. */
  get onset(): number | null {
    return this.found;
  }

  /** Take one look, the newest sample of which is at `position`; true when sound has just begun. */
  look(position: number, { fresh, firstLoudAgo, lastLoudAgo }: Look): boolean {
    if (fresh === null) this.silence = 0;
    if (firstLoudAgo === null || lastLoudAgo === null) {
      this.silence += fresh ?? 0;
      return false;
    }
    const before = this.silence + (fresh === null ? 0 : fresh - firstLoudAgo);
    this.silence = lastLoudAgo;
    if (before < SILENCE) return false;
    this.found = (position - firstLoudAgo + WRAP) % WRAP;
    return true;
  }

  /** Another track has another clock: forget everything. */
  reset(): void {
    this.silence = 0;
    this.found = null;
  }
}

/** What a buffer of the newest samples shows: only its last `fresh` are looked at (all, if that is null). */
export function lookAt(samples: Float32Array, fresh: number | null): Look {
  const from = fresh === null ? 0 : Math.max(0, samples.length - fresh);
  let first: number | null = null;
  let last: number | null = null;
  for (let at = from; at < samples.length; at += 1) {
    if (Math.abs(samples[at] ?? 0) <= SOUND_LEVEL) continue;
    first ??= samples.length - at;
    last = samples.length - at;
  }
  return { fresh, firstLoudAgo: first, lastLoudAgo: last };
}
