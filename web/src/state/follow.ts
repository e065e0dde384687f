/**
 * Places the caption. While an utterance is held the track goes on with silence, so that the sample at the ear runs on: the
 * caption stays at the word that was heard last until another clause sounds.
 */
import { SAMPLE_RATE_HZ } from "../protocol";
import { cursorAt } from "../sound/clock";
import { current } from "./reading";
import type { UtteranceView, View } from "./view";

/**
 * What was on its way to the ear when the news of the hold came: 250 to 365 ms in Chromium on loopback (7 stops, on a busy
 * machine; some of it is the meter's own delay).
 */
const ON_ITS_WAY = (SAMPLE_RATE_HZ * 250) / 1000;

export interface Place {
  readonly epoch: number;
  readonly sample: number;
}

export class Follower {
  private former: Place | null = null;
  private epoch: number | null = null;
  /** Where the caption stands still, and the sample at the ear when it began to; null: it goes with the sound. */
  private still: { readonly at: number; readonly since: number } | null = null;
  private stillFor: string | null = null;
  /** Where each utterance that is held was stopped. */
  private readonly stops = new Map<string, number>();

  /** The sample whose word is to be shown, or null. `sample`: at the ear now, null while that is not known. */
  at(view: View, sample: number | null): number | null {
    if (this.epoch !== view.epoch) this.begin(view.epoch);
    this.notice(view, sample);
    if (this.still === null || sample === null) return this.still?.at ?? sample;
    const { at, since } = this.still;
    const moved = view.segments.some((segment) => segment.start_sample > since && segment.start_sample <= sample);
    if (!moved) return Math.min(sample, at);
    this.still = null;
    return sample;
  }

  /** Begin where an earlier page of this session had come to, if the same worker still speaks. */
  restore(place: Place): void {
    this.former = place;
  }

  private notice(view: View, sample: number | null): void {
    const speaker = current(view);
    if (speaker?.phase === "speaking") {
      this.stops.delete(speaker.utterance_id);
      this.stillFor = null;
    } else if (speaker && sample !== null && this.stillFor !== speaker.utterance_id) {
      const stop = this.stops.get(speaker.utterance_id) ?? ownPlace(view, speaker, sample + ON_ITS_WAY);
      if (stop === null) return;
      this.stops.set(speaker.utterance_id, stop);
      this.stillFor = speaker.utterance_id;
      const before = this.still === null ? null : this.still.at;
      const at = before !== null && owns(view, speaker, before) ? before : stop;
      this.still = { at, since: Math.max(sample, stop) };
    }
  }

  /** Another worker has another track: its samples are others. */
  private begin(epoch: number): void {
    this.epoch = epoch;
    this.stillFor = null;
    this.stops.clear();
    this.still = this.former?.epoch === epoch ? { at: this.former.sample, since: this.former.sample } : null;
    if (epoch >= 0) this.former = null;
  }
}

const owns = (view: View, { utterance_id }: UtteranceView, at: number): boolean => cursorAt(view.segments, at)?.segment.utterance_id === utterance_id;

/**
 * Where the caption of a held utterance stands: `at` if a word of it is there, else the end of its last clause before that:
 * another may sound by the time that its hold is seen. Null: no clause of it is known, and the caption goes with the sound.
 */
function ownPlace(view: View, speaker: UtteranceView, at: number): number | null {
  if (owns(view, speaker, at)) return at;
  const last = view.segments.findLast(({ utterance_id, start_sample }) => utterance_id === speaker.utterance_id && start_sample <= at);
  return last ? last.start_sample + last.samples - 1 : null;
}
