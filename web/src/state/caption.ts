/** What the caption shows for a sample at the ear. Pure. */
import type { Word } from "../protocol";
import { cursorAt } from "../sound/clock";
import { current } from "./reading";
import type { UtteranceView, View } from "./view";

export interface Caption {
  readonly utterance: UtteranceView | null;
  /** Identifies the clause: while it stays, only `now` moves. */
  readonly clause: string;
  /** Clauses of this utterance before the current one. */
  readonly said: string;
  readonly words: readonly Word[];
  /** Index of the word at the ear, or null. */
  readonly now: number | null;
  /** The rest of the sentence, not yet spoken; empty if it can't be told. */
  readonly ahead: string;
  readonly state: "reading" | "paused" | "over";
}

export function captionAt(view: View, sample: number | null): Caption | null {
  const cursor = sample === null ? null : cursorAt(view.segments, sample);
  if (!cursor) return null;
  const { segment } = cursor;
  const utterance = view.utterances.get(segment.utterance_id) ?? null;
  const before = view.segments.filter(
    (other) => other.utterance_id === segment.utterance_id && other.start_sample < segment.start_sample,
  );
  const said = before.map((other) => joined(other.words)).join(" ");
  const held = utterance?.phase === "held" && current(view) === utterance;
  const over = !cursor.inside && utterance?.phase !== "speaking";
  return {
    utterance,
    clause: `${segment.utterance_id}@${segment.start_sample}`,
    said,
    words: segment.words,
    now: cursor.word,
    ahead: remainder(utterance?.text ?? "", `${said} ${joined(segment.words)}`),
    state: held ? "paused" : over ? "over" : "reading",
  };
}

const joined = (words: readonly Word[]): string => words.map((word) => word.text).join(" ");
const flat = (text: string): string => text.replace(/\s+/g, " ").trim();

function remainder(whole: string, spoken: string): string {
  const all = flat(whole);
  const start = flat(spoken);
  return all.startsWith(start) ? all.slice(start.length).trim() : "";
}
