/** What the caption shows for a sample at the ear. Pure. */
import type { Phase, Segment, Word } from "../protocol";
import { cursorAt } from "../sound/clock";
import { current } from "./reading";
import type { UtteranceView, View } from "./view";

export interface Caption {
  readonly utterance: UtteranceView | null;
  /** Identifies the clause: while it stays, only `now` moves. */
  readonly clause: string;
  /** What stands before the clause in its utterance. */
  readonly said: string;
  readonly words: readonly Word[];
  /** Index of the word at the ear, or null. */
  readonly now: number | null;
  /** The rest of the sentence, not yet spoken; empty if it can't be told. */
  readonly ahead: string;
  readonly state: "reading" | "paused" | "over";
}

/** Nothing more of these will sound; `spoken` is said a little before the last word ends. */
const DROPPED: ReadonlySet<Phase> = new Set<Phase>(["cut", "superseded", "expired", "cancelled", "failed"]);

export function captionAt(view: View, sample: number | null): Caption | null {
  const cursor = sample === null ? null : cursorAt(view.segments, sample);
  if (!cursor) return null;
  const { segment } = cursor;
  const utterance = view.utterances.get(segment.utterance_id) ?? null;
  const { said, ahead } = around(view.segments, segment, utterance?.text ?? "");
  const held = utterance?.phase === "held" && current(view) === utterance;
  const dropped = utterance !== null && DROPPED.has(utterance.phase);
  const over = dropped || (!cursor.inside && utterance?.phase !== "speaking");
  return {
    utterance,
    clause: `${segment.utterance_id}@${segment.start_sample}`,
    said,
    words: segment.words,
    now: dropped ? null : cursor.word,
    ahead,
    state: held ? "paused" : over ? "over" : "reading",
  };
}

const tokens = (text: string): string[] => text.split(/\s+/).filter(Boolean);
const tokensOf = (segment: Segment): string[] => segment.words.flatMap((word) => tokens(word.text));

/**
 * What stands before and after the clause in its utterance's text. Where the words are not those of the text, only what
 * was heard before is known.
 */
function around(all: readonly Segment[], segment: Segment, text: string): { said: string; ahead: string } {
  const whole = tokens(text);
  const clauses = longest(all, segment.utterance_id);
  const before = [...clauses].filter(([index]) => index < segment.index).flatMap(([, clause]) => clause);
  const end = endIn(whole, tokensOf(segment), clauses.get(segment.index) ?? [], before.length);
  if (end === null) return { said: before.join(" "), ahead: "" };
  return { said: whole.slice(0, end - tokensOf(segment).length).join(" "), ahead: whole.slice(end).join(" ") };
}

/** The words of each clause, by index: a clause comes again, shorter, when speech goes on inside it. */
function longest(all: readonly Segment[], utterance_id: string): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, readonly string[]>();
  for (const segment of all.toSorted((a, b) => a.index - b.index)) {
    if (segment.utterance_id !== utterance_id) continue;
    const words = tokensOf(segment);
    if (words.length > (found.get(segment.index)?.length ?? 0)) found.set(segment.index, words);
  }
  return found;
}

/** Where in the text the words end: where the whole clause ends, of which they are the last, else at their first place. */
function endIn(whole: readonly string[], words: readonly string[], clause: readonly string[], from: number): number | null {
  const start = indexOf(whole, clause, from);
  const end = start === null ? null : start + clause.length;
  if (end !== null && indexOf(whole, words, end - words.length) === end - words.length) return end;
  const alone = indexOf(whole, words, 0);
  return alone === null ? null : alone + words.length;
}

function indexOf(whole: readonly string[], part: readonly string[], from: number): number | null {
  if (part.length === 0) return null;
  for (let at = Math.max(0, from); at + part.length <= whole.length; at += 1) {
    if (part.every((word, offset) => whole[at + offset] === word)) return at;
  }
  return null;
}
