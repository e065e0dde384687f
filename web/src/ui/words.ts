/** Every word the page has for a state. One place, so that the same thing is always called the same. */
import type { CaseKind, Cost, Field, Hello, Mode, Phase, ReasoningPhase } from "../protocol";
import type { Connection } from "../session";
import type { After } from "../state/after";
import type { Clip } from "../state/silence";
import { ENDED_FIRST } from "../state/reading";
import type { UtteranceView, View } from "../state/view";
import type { VoiceState } from "../state/voice";

export const CAUTION =
  "Decision support, not a decision. Silence is no all-clear. The agents can be wrong: check the patient and the record.";

/** A name from elsewhere as it is read: without characters that can't be seen, or turn the order of others. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, "");

/** What stands under the title while nothing is checked against a record; empty: it is, or the agent has not said. */
export const paperWords = (hello: Hello | null): string =>
  hello?.has_paper === false ? "Not checked against a record: this case has no case paper." : "";

/** Which model reads the agents' words, and where they go for that; empty: rules read, and they go nowhere. */
export function readerWords(hello: Hello | null): string {
  const reader = hello?.reader;
  if (!reader) return "";
  const where = reader.host ? ` The agents’ words go to ${plain(reader.host)}.` : "";
  return `Read by ${plain(reader.model)}.${where}`;
}

/** What stands over what a model thought on the way to an agent's words; folded, and never shown as its words. */
export const thoughtWords = (name: string): string => `Thinking on the way to the words of ${plain(name)}. Nobody said this; it is not used.`;

const tokenWords = ({ calls, input_tokens, output_tokens, thinking_tokens }: Omit<Cost, "agent_id" | "name">): string => {
  const told = [[input_tokens, "in"], [output_tokens, "out"], [thinking_tokens, "of them thinking"]] as const;
  const tokens = told.flatMap(([number, what]) => (number === null ? [] : [`${number.toLocaleString("en")} ${what}`]));
  return `${calls} ${calls === 1 ? "call" : "calls"}, tokens: ${tokens.join(", ") || "not told"}`;
};

/** What the agents' models cost: the sum, and each agent's; empty: nobody tells. */
export function costWords(costs: readonly Cost[]): string[] {
  if (costs.length === 0) return [];
  const sum = (name: "input_tokens" | "output_tokens" | "thinking_tokens"): number | null => {
    const known = costs.flatMap((cost) => cost[name] ?? []);
    return known.length > 0 ? known.reduce((one, other) => one + other, 0) : null;
  };
  const calls = costs.reduce((all, cost) => all + cost.calls, 0);
  const all = { calls, input_tokens: sum("input_tokens"), output_tokens: sum("output_tokens"), thinking_tokens: sum("thinking_tokens") };
  return [`Models: ${tokenWords(all)}`, ...costs.map((cost) => `${plain(cost.name)}: ${tokenWords(cost)}`)];
}

/** Whose case it is, and of which kind: the first sentence of what the greeting says. */
export const whoseWords = (hello: Hello | null): string => (hello?.which_case ?? "").split(". ")[0]?.replace(/\.$/, "") ?? "";

export const FIELD_NAMES: Readonly<Record<Field, string>> = {
  status_action: "Status and action",
  key_findings: "Key findings",
  differential_rationale: "Differential and why",
  uncertainty_confidence: "Uncertainty and confidence",
  recommendation_next_step: "Recommendation and next step",
  agent_contributions: "Who contributed what",
};

const PHASE_WORDS: Readonly<Record<Phase, string>> = {
  queued: "Waiting",
  speaking: "Being read",
  held: "Paused",
  spoken: "Read",
  cut: "Cut short",
  superseded: "Replaced by newer",
  expired: "Not read: too late, or too much at once",
  cancelled: "Not read: cancelled",
  failed: "Not read: the voice failed",
  unknown: "State not known",
};

const HELD_WORDS: Readonly<Record<string, string>> = {
  voice: "Paused: someone is speaking",
  user: "Paused: you asked for it",
  question: "Paused: your question goes first",
  asking: "Paused: the voice asks you something",
  critical: "Paused: a critical finding goes first",
  listener: "Paused: the line to you was lost",
  store: "Paused: storage is not reachable",
  takeover: "Paused: the voice is restarting",
};

export function phaseWords({ phase, cause, reason }: UtteranceView): string {
  if (phase === "held") return HELD_WORDS[cause ?? ""] ?? PHASE_WORDS.held;
  if (phase === "cancelled" && reason === ENDED_FIRST) return "Not read: the session ended";
  return PHASE_WORDS[phase];
}

const KIND_WORDS: Readonly<Record<string, string>> = {
  critical: "Critical finding",
  correction: "Correction",
  leading: "Leading view",
  change: "Change of view",
  disagreement: "Disagreement",
  agreement: "Where the team stands", // agreed, concluded, divided or open: the sentence says which
  finding: "Finding",
  test: "Test",
  action: "Action",
  caution: "Caution",
  closing: "Closing",
  notice: "Announcement",
  greeting: "Greeting",
  arrival: "Where the team is",
  welcome: "Back",
  answer: "Answer",
  question: "Question to you",
  refusal: "No order given",
  failure: "Fault",
  reply: "Short answer",
  team_answer: "From the team",
};

export const kindWords = (kind: string): string =>
  KIND_WORDS[kind] ?? (kind ? kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll("_", " ") : "Announcement");

const VOICE_WORDS: Readonly<Record<VoiceState, string>> = {
  idle: "Listening",
  speaking: "Speaking",
  held_voice: "Held for your voice",
  paused: "Paused",
  quiet: "Stopped.",
  waiting: "Waiting for you.",
  asking: "The voice asks",
  noisy: "Noisy room",
  away: "The voice thinks that you are away.",
  wrong_case: "Wrong case.",
};

const CASE_WORDS: Readonly<Record<CaseKind, string>> = {
  wrong_case: "Wrong patient",
  confirm_wrong_case: "Confirm: wrong patient",
  right_case: "This is the right patient",
};

/** What the button about the case says. */
export const caseWords = (step: CaseKind): string => CASE_WORDS[step];


const NOISY = "Only stop, wait, next, repeat and go on hold the voice now; so do the buttons.";

/** How the voice stands, in a few words, and what else is to know of it. */
export function voiceWords(state: VoiceState, { waiting, question }: Mode): { readonly head: string; readonly rest: string } {
  const head = VOICE_WORDS[state];
  if (state === "noisy") return { head, rest: NOISY };
  if (state === "asking") return { head: question || head, rest: "Say it, or press a button." };
  if (state === "wrong_case") return { head, rest: "Nothing is read or answered, critical findings neither: they are shown here." };
  if (state === "quiet" || state === "waiting") {
    const rest = waiting > 0 ? `${waiting} ${waiting === 1 ? "waits" : "wait"}.` : "Nothing waits yet.";
    return { head, rest: state === "quiet" ? `${rest} Critical findings are still read.` : rest };
  }
  return { head, rest: waiting > 1 || (waiting === 1 && state === "speaking") ? `${waiting} ${waiting === 1 ? "waits" : "wait"}` : "" };
}

/** How the reader has set the voice, in a word or two; empty: as usual. */
export function dialWords({ rate, volume_db }: Mode): string {
  const pace = rate < 1 ? "slower" : rate > 1 ? "faster" : "";
  const loudness = volume_db > 0 ? "louder" : volume_db < 0 ? "softer" : "";
  const words = [pace, loudness].filter(Boolean).join(", ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const LASTS: Readonly<Partial<Record<VoiceState, string>>> = {
  quiet: "Stopped. Critical findings are still read.",
  waiting: "Waiting for you.",
  noisy: `Noisy room. ${NOISY}`,
  away: VOICE_WORDS.away,
  wrong_case: "Wrong case. Nothing is read or answered.",
};

/** What a screen reader is told of it: what lasts. Each sentence that begins or ends would be told over the voice itself. */
export const toldWords = (state: VoiceState, mode: Mode): string => [LASTS[state] ?? "", dialWords(mode)].filter(Boolean).join(" ");

/** Of a duration that runs out: 4:05. */
export function countdown(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

const PATH_WORDS: Readonly<Record<string, string>> = {
  A: "Thought complete",
  B: "New topic",
  C: "Critical",
  end: "Closing",
};

export const pathWords = (path: string): string => PATH_WORDS[path] ?? "";

export const CONNECTION_WORDS: Readonly<Record<Connection, string>> = {
  connecting: "Connecting",
  connected: "Connected",
  reconnecting: "Reconnecting",
  lost: "Connection lost",
  ended: "Session ended",
};

const REASONING_WORDS: Readonly<Record<ReasoningPhase, string>> = {
  waiting: "Agents waiting",
  thinking: "Agents thinking",
  finished: "Reasoning finished",
  failed: "Reasoning failed",
};

/** What stands where something of the agent's will stand, before a first snapshot has come. */
export const LOADING = "Loading what there is…";

/** While the line is lost, or before it is there, nobody here knows what the agents do. */
export function reasoningWords({ reasoning: { phase }, known }: Pick<View, "reasoning" | "known">, connection: Connection): string {
  if (phase === "finished" || phase === "failed") return REASONING_WORDS[phase];
  if (connection === "ended") return known === "nothing" ? "Agents: not known" : "Reasoning not finished";
  if (known === "nothing" && phase === "waiting" && connection !== "lost") return "Agents: loading…";
  return connection === "lost" || connection === "reconnecting" ? "Agents: not known" : REASONING_WORDS[phase];
}

/** Why no sound comes, in the page's own clip's sense. */
export const silentWords = (clip: Clip): string =>
  clip === "voice-restarting"
    ? "The voice has stopped and is restarting. It goes on where it was."
    : "The line is lost: nothing comes any more. The session is kept.";

const ENDED_WORDS: Readonly<Record<string, string>> = {
  completed: "The session is complete.",
  ended_by_clinician: "You ended the session.",
  ended_elsewhere: "The session was ended from another window.",
  abandoned: "The session was closed after a long absence.",
  failed: "The session ended because of a fault.",
};

/** How it ended: as the session itself stands, if that is known, else by the agent's word. */
export const endedBy = (reason: string | null, after: After | null): string =>
  ENDED_WORDS[after?.goesOn ? "abandoned" : (reason ?? "")] ?? "The session has ended.";

const LEFT_OUT_WORDS: Readonly<Record<string, string>> = {
  refused: "not told: the sentence made of it said more than the agents’ words do",
  known: "understood, and told before, or waiting for the rest of its list",
  question: "a question",
  courtesy: "a courtesy, or too short to say anything",
  "of books": "about a disease in general, not about this patient",
  "of somebody else": "about somebody else",
  past: "about the past",
  conditional: "only if something else holds",
  hedged: "supposed, not stated",
  unread: "not understood",
  thinking: "a model’s thinking, which is not read",
};

/** Why something was left out. */
export const leftOutWords = (reason: string): string => LEFT_OUT_WORDS[reason] ?? reason;

export const clockTime = (at_ms: number): string =>
  at_ms > 0 ? new Date(at_ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" }) : "";

export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const rest = whole % 60;
  return rest ? `${Math.floor(whole / 60)} min ${rest} s` : `${whole / 60} min`;
}
