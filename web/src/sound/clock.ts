/** Arithmetic of the session's audio clock: 48,000 samples a second, seen through a listener's clock that wraps at 2³². */
import { SAMPLE_RATE_HZ, type Clock } from "../protocol";
import type { SegmentView } from "../state/view";

const WRAP = 2 ** 32;
/** What a sent sample needs to the ear, before the sound's own clock is known (docs/protocol.md: sent less 150 ms). */
const ARRIVAL_TO_EAR_MS = 150;

/** The agent's sample that is at the ear; negative before its sample 0. */
export function sampleAt(position: number, clock: Clock): number {
  const ahead = (((position - clock.zero) % WRAP) + WRAP) % WRAP;
  return ahead >= WRAP / 2 ? ahead - WRAP : ahead;
}

/** A guess of the same from when the newest clause came, until an onset has been seen; null if it came with a snapshot. */
export function sampleByArrival(segments: readonly SegmentView[], nowMs: number): number | null {
  const newest = segments.at(-1);
  if (!newest || newest.arrived_ms === null) return null;
  return newest.start_sample + Math.round(((nowMs - newest.arrived_ms - ARRIVAL_TO_EAR_MS) * SAMPLE_RATE_HZ) / 1000);
}

export interface Cursor {
  readonly segment: SegmentView;
  /** Index into its words, or null between them. */
  readonly word: number | null;
  /** False once the clause is over and the next has not begun. */
  readonly inside: boolean;
}

/** The clause at the ear, or the last one that was; null before the first. */
export function cursorAt(segments: readonly SegmentView[], sample: number): Cursor | null {
  let segment: SegmentView | null = null;
  for (const candidate of segments) if (candidate.start_sample <= sample) segment = candidate;
  if (!segment) return null;
  const inside = sample < segment.start_sample + segment.samples;
  const word = inside ? segment.words.findLastIndex((w) => w.start_sample <= sample) : -1;
  return { segment, word: word < 0 ? null : word, inside };
}
