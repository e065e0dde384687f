/**
 * The messages of docs/protocol.md as values. Reading them is in parse.ts.
 */

export const PROTOCOL_VERSION = 1;
export const SAMPLE_RATE_HZ = 48_000;
export const TOPIC_STATE = "exaim.state";
export const TOPIC_BEAT = "exaim.beat";
export const RPC_COMMAND = "exaim.command";
export const VOICE_TRACK = "voice";
export const MICROPHONE_TRACK = "microphone";

export const PHASES = [
  "queued",
  "speaking",
  "held",
  "spoken",
  "cut",
  "superseded",
  "expired",
  "cancelled",
  "failed",
] as const;
/** `unknown` is a phase that a newer agent has and this page has not. */
export type Phase = (typeof PHASES)[number] | "unknown";

export const FIELDS = [
  "status_action",
  "key_findings",
  "differential_rationale",
  "uncertainty_confidence",
  "recommendation_next_step",
  "agent_contributions",
] as const;
export type Field = (typeof FIELDS)[number];
export type Summary = Readonly<Record<Field, string>>;

export type Urgency = "routine" | "important" | "critical";
export type ReasoningPhase = "waiting" | "thinking" | "finished" | "failed";

export const TURN_PHASES = ["listening", "deciding", "decided", "forgotten"] as const;
export type TurnPhase = (typeof TURN_PHASES)[number];
export type TurnVia = "voice" | "button" | "text";
export const MODES = ["free", "quiet", "waiting", "asking", "noisy", "away", "wrong_case"] as const;
export type ModeName = (typeof MODES)[number];
export const EARS_STATES = ["none", "on", "muted", "silent", "failed"] as const;
export const VERBOSITIES = ["brief", "normal", "full"] as const;
export type Verbosity = (typeof VERBOSITIES)[number];
export type EarsState = (typeof EARS_STATES)[number];

/** What the reader may ask of the voice by hand. */
export const DIALS = ["slower", "faster", "softer", "louder", "usual_pace", "usual_volume", "brief", "usual_detail", "full"] as const;
export type Dial = (typeof DIALS)[number];
/** What the reader may say of the case: the second only where the voice asks for it, the third only after that. */
export const CASE_KINDS = ["wrong_case", "confirm_wrong_case", "right_case"] as const;
export type CaseKind = (typeof CASE_KINDS)[number];
export type CommandKind = "ready" | "end" | "stop" | "wait" | "go_on" | "next" | "repeat" | "acknowledge" | "ask" | "send_to_team" | "keep_from_team" | Dial | CaseKind;
export const MAX_QUESTION_CHARS = 300;

export interface Agent {
  readonly id: string;
  readonly name: string;
}
export interface Item {
  readonly item_id: string;
  readonly kind: string;
  readonly text: string;
  readonly urgency: Urgency;
}
/** A part of an update that rules made because a model could not; `reason` is one word. */
export interface Fallback {
  readonly part: string;
  readonly reason: string;
}
/** A place in what one agent said: in characters (code points), of the first one and behind the last. */
export interface Place {
  readonly agent_id: string;
  readonly start: number;
  readonly end: number;
}
/** A sentence of a field, by its place in that, in code points, and the agents' words that it rests on. */
export interface Sentence {
  readonly start: number;
  readonly end: number;
  readonly places: readonly Place[];
}
export interface LeftOut {
  readonly reason: string;
  readonly count: number;
}
/** What an update rests on: `items` in the order of its items. */
export interface Evidence {
  readonly items: readonly (readonly Place[])[];
  readonly fields: Readonly<Partial<Record<Field, readonly Sentence[]>>>;
  readonly left_out: readonly LeftOut[];
}
export interface Update {
  readonly update_id: string;
  readonly number: number;
  readonly path: string;
  readonly summary: Summary;
  readonly items: readonly Item[];
  /** `llm`: a model wrote the fields in `by_model`, or something that is said; rules wrote the rest. */
  readonly engine: "lexical" | "llm";
  readonly model: string;
  readonly by_model: readonly Field[];
  readonly fallbacks: readonly Fallback[];
  /** Fields that were cut to fit. */
  readonly truncated: readonly Field[];
  readonly evidence: Evidence;
}
export interface Utterance {
  readonly utterance_id: string;
  readonly update_id: string | null;
  readonly item_id: string | null;
  readonly kind: string;
  readonly text: string;
  readonly phase: Phase;
  readonly cause: string | null;
  readonly reason: string;
  readonly critical_key: string | null;
  readonly acknowledged: boolean;
  readonly replays: string | null;
}
export interface Word {
  readonly text: string;
  readonly start_sample: number;
  readonly end_sample: number;
}
export interface Segment {
  readonly utterance_id: string;
  readonly index: number;
  readonly of: number;
  readonly start_sample: number;
  readonly samples: number;
  readonly words: readonly Word[];
}
export interface TraceItem {
  readonly agent_id: string;
  readonly name: string;
  readonly turn: number;
  readonly text: string;
  /** Its place in all that this agent said (or thought), in code points; null: an older agent does not say. */
  readonly start: number | null;
  /** What a model thought on the way to the agent's words: nobody said it. */
  readonly thinking: boolean;
}
/** What calls of one agent's models cost; null: its provider does not say. */
export interface Cost {
  readonly agent_id: string;
  readonly name: string;
  readonly calls: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly thinking_tokens: number | null;
}
export interface Clock {
  readonly clock: string;
  readonly zero: number;
}
/** What the clinician said or asked by hand. Until it is `decided`, only its id and phase mean anything. */
export interface Turn {
  readonly turn_id: string;
  readonly phase: TurnPhase;
  readonly via: TurnVia;
  readonly text: string;
  readonly kind: string;
  readonly effect: string;
  readonly why: string;
  readonly confidence: number;
  readonly duration_ms: number;
  readonly resumed: boolean;
  /** What the voice says to it at once, in a few words; empty: nothing. */
  readonly reply: string;
}
export interface Mode {
  readonly mode: ModeName;
  /** Utterances that wait. */
  readonly waiting: number;
  /** What the voice asks and waits to be answered; empty: nothing. */
  readonly question: string;
  /** Which question that is. */
  readonly asks: string;
  /** What the reader asked for: a factor of the usual pace, and decibels on top. */
  readonly rate: number;
  readonly volume_db: number;
  /** How much of what the agents say is told. */
  readonly verbosity: Verbosity;
}
/** What the agent has of our microphone. */
export interface Ears {
  readonly state: EarsState;
  readonly text: string;
}
export interface AnswerSentence {
  readonly text: string;
  readonly source: string;
}
export interface Answer {
  readonly turn_id: string;
  readonly utterance_id: string;
  readonly question: string;
  readonly found: boolean;
  readonly topic: string | null;
  readonly sentences: readonly AnswerSentence[];
  /** The model that chose what is told; empty: rules did. */
  readonly model: string;
  /** What the answer counts ("And two more on the page.") and does not say. */
  readonly on_page: readonly AnswerSentence[];
  /** Why there is no answer: `not_in_time`, `gone_on`; empty: there is one. */
  readonly outcome: string;
}
export interface Hello {
  readonly session_id: string;
  readonly case_id: string;
  readonly title: string;
  /** What the greeting says of it: live, recorded or simulated, age and sex, title. Empty: an older agent does not say. */
  readonly which_case: string;
  readonly agents: readonly Agent[];
  readonly track_sid: string;
  /** False: no case paper, so numbers and orders are checked against no record. Null: an older agent does not say. */
  readonly has_paper: boolean | null;
  /** How long the session is kept after the last beat, in seconds. Null: an older agent does not say. */
  readonly grace_s: number | null;
  /** The model that reads the agents' words, and the host to which they go. Null: rules read, and no word goes there. */
  readonly reader: Reader | null;
}
export interface Reader {
  readonly name: string;
  readonly model: string;
  readonly host: string;
}
export interface Reasoning {
  readonly phase: ReasoningPhase;
  readonly detail: string;
}
/** What a snapshot and each of its parts hold, oldest first. */
export interface Told {
  readonly updates: readonly Update[];
  readonly utterances: readonly Utterance[];
  readonly trace: readonly TraceItem[];
  readonly segments: readonly Segment[];
  readonly turns: readonly Turn[];
  readonly answers: readonly Answer[];
  readonly steps: readonly Step[];
}
/** Something that the clinician should know. */
export interface NoticeTold {
  readonly code: string;
  readonly text: string;
}
export interface Snapshot extends Told {
  readonly reasoning: Reasoning;
  readonly clock: Clock | null;
  readonly mode: Mode;
  readonly ears: Ears;
  readonly costs: readonly Cost[];
  /** In how many messages it comes: this one, and a `past` for each of the others. */
  readonly parts: number;
  /** Updates of the session that are in none of them. */
  readonly earlier: number;
  /** Those that are still true; null: the voice is older than this, and does not say. */
  readonly notices: readonly NoticeTold[] | null;
}
/** A part of the newest snapshot, from the second on: what it holds is older than what the one before held. */
export interface Past extends Told {
  readonly part: number;
  readonly of: number;
}
/**
 * A step of the team's work, or a decision that it states. `text` is what the voice says of it; `detail` is the team's own,
 * unchecked. `count`: how many messages of the first of `agents` to the second it stands for; else 1.
 */
export interface Step {
  readonly step_id: string;
  readonly kind: string;
  readonly text: string;
  readonly detail: string;
  readonly agents: readonly string[];
  readonly round: number | null;
  readonly share: number | null;
  readonly count: number;
}

export type Message =
  | { readonly type: "hello"; readonly body: Hello }
  | { readonly type: "snapshot"; readonly body: Snapshot }
  | { readonly type: "past"; readonly body: Past }
  | { readonly type: "reasoning"; readonly body: Reasoning }
  | { readonly type: "trace"; readonly body: { readonly items: readonly TraceItem[] } }
  | { readonly type: "update"; readonly body: Update }
  | { readonly type: "utterance"; readonly body: Utterance }
  | { readonly type: "segment"; readonly body: Segment }
  | { readonly type: "clock"; readonly body: Clock }
  | { readonly type: "turn"; readonly body: Turn }
  | { readonly type: "mode"; readonly body: Mode }
  | { readonly type: "ears"; readonly body: Ears }
  | { readonly type: "answer"; readonly body: Answer }
  | { readonly type: "step"; readonly body: Step }
  | { readonly type: "notice"; readonly body: NoticeTold }
  | { readonly type: "costs"; readonly body: { readonly agents: readonly Cost[] } }
  | { readonly type: "ended"; readonly body: { readonly reason: string } }
  | { readonly type: "unknown"; readonly name: string };

/** One message in its place: `seq` counts from 1 within `epoch`; `at_ms` is the agent's wall clock, for the record only. */
export type Envelope = Message & { readonly seq: number; readonly epoch: number; readonly at_ms: number };

/** What identifies a message in the tests' record: the id of what it is about, or "". */
export function idOf(message: Message): string {
  switch (message.type) {
    case "update":
      return message.body.update_id;
    case "utterance":
    case "segment":
      return message.body.utterance_id;
    case "hello":
      return message.body.session_id;
    case "reasoning":
      return message.body.phase;
    case "turn":
    case "answer":
      return message.body.turn_id;
    case "mode":
      return message.body.mode;
    case "ears":
      return message.body.state;
    case "notice":
      return message.body.code;
    case "step":
      return message.body.step_id;
    default:
      return "";
  }
}
