/** Questions to the view: what is being read, what is critical, which words of the page the voice is at. Pure. */
import { FIELDS, type Field, type Item, type Summary } from "../protocol";
import type { UpdateView, UtteranceView, View } from "./view";

export const isCriticalItem = (item: Item): boolean => item.urgency === "critical" || item.kind === "critical";

export const isCriticalUpdate = (update: UpdateView): boolean =>
  update.path === "C" || update.items.some(isCriticalItem);

/** The one that has the voice now: speaking, or held in the middle. */
export function current(view: View): UtteranceView | null {
  let held: UtteranceView | null = null;
  for (const utterance of view.utterances.values()) {
    if (utterance.phase === "speaking") return utterance;
    if (utterance.phase === "held") held = utterance;
  }
  return held;
}

export const isSpeaking = (view: View): boolean => current(view)?.phase === "speaking";

export interface Shown {
  readonly update: UpdateView;
  readonly utterance: UtteranceView | null;
  readonly why: "reading" | "paused" | "last_read" | "newest" | "closing";
}

/** Path of the update that sums up the whole case. */
const CLOSING = "end";

/** The update for the summary panel: the one being read, else the one last read, else the newest; after the end the closing. */
export function shownUpdate(view: View): Shown | null {
  const closing = view.ended === null ? undefined : view.updates.findLast(({ path }) => path === CLOSING);
  if (closing) return { update: closing, utterance: null, why: "closing" };
  const now = current(view);
  const ofNow = updateOf(view, now);
  if (now && ofNow) return { update: ofNow, utterance: now, why: now.phase === "held" ? "paused" : "reading" };
  const last = lastRead(view);
  const ofLast = updateOf(view, last);
  if (last && ofLast) return { update: ofLast, utterance: last, why: "last_read" };
  const newest = view.updates.at(-1);
  return newest ? { update: newest, utterance: null, why: "newest" } : null;
}

const updateOf = (view: View, utterance: UtteranceView | null): UpdateView | null =>
  view.updates.find((update) => update.update_id === utterance?.update_id) ?? null;

function lastRead(view: View): UtteranceView | null {
  const spokenOf = new Map([...view.utterances.values()].map((u) => [u.utterance_id, u]));
  for (const segment of [...view.segments].reverse()) {
    const utterance = spokenOf.get(segment.utterance_id);
    if (utterance?.update_id) return utterance;
  }
  return [...view.utterances.values()].reverse().find((u) => u.phase === "spoken" && u.update_id) ?? null;
}

/** The newest offering of an item (a replay names the same item), or null if it was never offered to the voice. */
export function utteranceOf(view: View, item: Item): UtteranceView | null {
  let found: UtteranceView | null = null;
  for (const utterance of view.utterances.values()) {
    if (utterance.item_id === item.item_id || utterance.utterance_id === item.item_id) found = utterance;
  }
  return found;
}

export interface Critical {
  readonly update: UpdateView;
  readonly item: Item;
  readonly utterance: UtteranceView | null;
}

/** All critical findings, newest first; the same words are told once, in their newest form. */
export function criticals(view: View): readonly Critical[] {
  const seen = new Set<string>();
  const found: Critical[] = [];
  for (const update of [...view.updates].reverse()) {
    for (const item of [...update.items].reverse()) {
      if (!isCriticalItem(item) || seen.has(item.text)) continue;
      seen.add(item.text);
      found.push({ update, item, utterance: utteranceOf(view, item) });
    }
  }
  return found;
}

/** Critical findings that are not acknowledged, heard or not; none that was withdrawn. */
export const unheeded = (view: View): readonly Critical[] => criticals(view).filter(({ utterance }) => !heeded(utterance));

/** Why an utterance ended whose finding was withdrawn; `WITHDRAWN` in realtime/room/parts.py. */
const WITHDRAWN = "withdrawn";

/** Why an utterance ended that was not said before its session ended; `ENDED_FIRST` in infra/reports/speech.py. */
export const ENDED_FIRST = "session ended";

export const isWithdrawn = ({ utterance }: Critical): boolean => utterance?.reason === WITHDRAWN;

/**
 * Whether a finding was acknowledged or withdrawn. One that can't be acknowledged by hand counts once it was read to its
 * end.
 */
const heeded = (utterance: UtteranceView | null): boolean =>
  utterance !== null &&
  (utterance.acknowledged === true ||
    utterance.reason === WITHDRAWN ||
    (!utterance.critical_key && utterance.phase === "spoken"));

export interface Found {
  readonly field: Field;
  readonly start: number;
  readonly end: number;
}

/** Below this share of shared words a sentence is not the one being read: better none than a wrong one. */
const ENOUGH = 0.6;

/**
 * Where in the six fields the spoken text stands: verbatim (case and spaces aside), else the sentence that shares most of
 * its words with it, else null. Spoken forms are shorter than written ones, so the share is of the spoken words.
 */
export function findRead(summary: Summary, spoken: string): Found | null {
  const needle = spoken.trim().replace(/[.!?]+$/, "").toLowerCase();
  if (needle.length < 4) return null;
  for (const field of FIELDS) {
    const start = summary[field].toLowerCase().indexOf(needle);
    if (start >= 0) return { field, start, end: start + needle.length };
  }
  const wanted = words(spoken);
  if (wanted.size < 2) return null;
  let best: Found | null = null;
  let bestShare = 0;
  for (const field of FIELDS) {
    for (const { start, end, sentence } of sentences(summary[field])) {
      const there = words(sentence);
      const share = [...wanted].filter((word) => there.has(word)).length / wanted.size;
      if (share > bestShare) [bestShare, best] = [share, { field, start, end }];
    }
  }
  return bestShare >= ENOUGH ? best : null;
}

const SMALL = new Set(["the", "and", "with", "for", "that", "this", "from", "are", "was", "has", "have", "not"]);

const words = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}.%/]+/gu) ?? []).map((word) => word.replace(/\.+$/, ""))
    .filter((word) => (word.length > 2 || /\d/.test(word)) && !SMALL.has(word)));

function* sentences(text: string): Generator<{ start: number; end: number; sentence: string }> {
  for (const match of text.matchAll(/\S(?:[^.;!?]|[.;!?](?!\s|$))*[.;!?]*/gu)) {
    yield { start: match.index, end: match.index + match[0].length, sentence: match[0] };
  }
}

/**
 * The view to show while nothing can be heard: nothing is being read, and after the end nothing waits to be. The view
 * itself keeps the agent's last state.
 */
export function withoutSound(view: View, why: "lost" | "restarting" | "ended"): View {
  const utterances = new Map<string, UtteranceView>();
  for (const [id, utterance] of view.utterances) utterances.set(id, silenced(utterance, why));
  return { ...view, utterances };
}

function silenced(utterance: UtteranceView, why: "lost" | "restarting" | "ended"): UtteranceView {
  const { phase } = utterance;
  const cause = why === "restarting" ? "takeover" : "listener";
  if (why !== "ended") return phase === "speaking" ? { ...utterance, phase: "held", cause } : utterance;
  if (phase === "speaking" || phase === "held") return { ...utterance, phase: "cut" };
  return phase === "queued" ? { ...utterance, phase: "cancelled", reason: ENDED_FIRST } : utterance;
}
