/** How the voice stands, in one word, from the agent's mode, the utterances and the turn under way. Pure. */
import type { CaseKind, Mode, Phase } from "../protocol";
import { current, unheeded } from "./reading";
import { liveTurn } from "./talk";
import type { UtteranceView, View } from "./view";

export type VoiceState =
  | "idle"
  | "speaking"
  | "held_voice"
  | "paused"
  | "quiet"
  | "waiting"
  | "asking"
  | "noisy"
  | "away"
  | "wrong_case";

/** In the order of what the reader must know first. */
export function voiceState(view: View, nowMs: number): VoiceState {
  const { mode } = view.mode;
  if (mode === "away" || mode === "asking" || mode === "wrong_case") return mode;
  const now = current(view);
  if (now?.phase === "speaking") return mode === "noisy" ? "noisy" : "speaking";
  if (mode === "quiet" || mode === "waiting") return mode;
  if (now?.cause === "voice" || (now && liveTurn(view.turns, nowMs))) return "held_voice";
  if (mode === "noisy") return mode;
  return now ? "paused" : "idle";
}

/** "Away" is a worker's word for a page that it does not hear: while it has not answered our `ready` it only waits. */
export function notAway(view: View, listening: boolean): View {
  return listening || view.mode.mode !== "away" ? view : { ...view, mode: { ...view.mode, mode: "free" } };
}

/** After a stop or a wait by voice what is held is held for that, even where the news still names the voice that said it. */
export function heldAsAsked(view: View): View {
  if (view.mode.mode !== "quiet" && view.mode.mode !== "waiting") return view;
  const held = current(view);
  if (held?.phase !== "held" || held.cause !== "voice") return view;
  return { ...view, utterances: new Map(view.utterances).set(held.utterance_id, { ...held, cause: "user" }) };
}

/** What of ours is said by itself, and not of what the agents say. */
const OURS: ReadonlySet<string> = new Set(["answer", "refusal", "reply", "question"]);
const TO_COME: ReadonlySet<Phase> = new Set<Phase>(["queued", "speaking", "held"]);

/**
 * Who asks a question, or is asked one, has not asked for a pause: what is held for it says so. After a stop or a wait only
 * an alarm is held for a question; the rest was held before.
 */
export function heldForWhat(view: View): View {
  const { mode } = view.mode;
  const asked = mode === "quiet" || mode === "waiting";
  const answers = [...view.utterances.values()].some(({ kind, phase }) => OURS.has(kind) && TO_COME.has(phase));
  const why = (one: UtteranceView): string | null => {
    if (one.phase !== "held" || one.cause !== "user" || OURS.has(one.kind)) return null;
    if (mode === "asking") return "asking";
    return !asked || (answers && one.kind === "critical") ? "question" : null;
  };
  const found = [...view.utterances].flatMap(([id, one]) => (why(one) ? [[id, { ...one, cause: why(one) }] as const] : []));
  return found.length === 0 ? view : { ...view, utterances: new Map([...view.utterances, ...found]) };
}

/** What is to be said of the case next: that it is the wrong one, then that this is meant, then that it is right. */
export function caseStep({ mode, asks }: Mode): CaseKind {
  if (mode === "wrong_case") return "right_case";
  return asks === "wrong_case" ? "confirm_wrong_case" : "wrong_case";
}

/** Whether the voice asks if words are to go to the team. */
export const asksForTeam = ({ asks }: Mode): boolean => asks === "to_team" || asks === "approval";

/** Whether "go on" has something to undo. */
export const isStopped = (view: View): boolean => ["quiet", "waiting", "asking"].includes(view.mode.mode);

/** Whether the voice says nothing because it was told so, or because it waits for an answer. */
export const isMeantToBeSilent = (view: View): boolean => isStopped(view) || view.mode.mode === "wrong_case";

/** The key of the critical finding that "Got it" is about: the newest that nobody took note of or took back; null: none. */
export function toAcknowledge(view: View): string | null {
  for (const { utterance } of unheeded(view)) {
    if (utterance?.critical_key) return utterance.critical_key;
  }
  return null;
}
