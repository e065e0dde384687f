/**
 * The messages of docs/protocol.md, read from JSON that others wrote.
 *
 * Reading is tolerant where the protocol says so (unknown types and newer fields are ignored, a missing text is empty)
 * and strict where a wrong guess would mislead: without `v`, `seq`, `epoch` and `type` there is no message.
 */

export const PROTOCOL_VERSION = 1;
export const SAMPLE_RATE_HZ = 48_000;
export const TOPIC_STATE = "exaim.state";
export const TOPIC_BEAT = "exaim.beat";
export const RPC_COMMAND = "exaim.command";
export const VOICE_TRACK = "voice";

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
export interface Update {
  readonly update_id: string;
  readonly number: number;
  readonly path: string;
  readonly summary: Summary;
  readonly items: readonly Item[];
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
}
export interface Clock {
  readonly clock: string;
  readonly zero: number;
}
export interface Hello {
  readonly session_id: string;
  readonly case_id: string;
  readonly title: string;
  readonly agents: readonly Agent[];
  readonly track_sid: string;
}
export interface Reasoning {
  readonly phase: ReasoningPhase;
  readonly detail: string;
}
export interface Snapshot {
  readonly reasoning: Reasoning;
  readonly updates: readonly Update[];
  readonly utterances: readonly Utterance[];
  readonly trace: readonly TraceItem[];
  readonly clock: Clock | null;
}

export type Message =
  | { readonly type: "hello"; readonly body: Hello }
  | { readonly type: "snapshot"; readonly body: Snapshot }
  | { readonly type: "reasoning"; readonly body: Reasoning }
  | { readonly type: "trace"; readonly body: { readonly items: readonly TraceItem[] } }
  | { readonly type: "update"; readonly body: Update }
  | { readonly type: "utterance"; readonly body: Utterance }
  | { readonly type: "segment"; readonly body: Segment }
  | { readonly type: "clock"; readonly body: Clock }
  | { readonly type: "notice"; readonly body: { readonly code: string; readonly text: string } }
  | { readonly type: "ended"; readonly body: { readonly reason: string } }
  | { readonly type: "unknown"; readonly name: string };

/** One message in its place: `seq` counts from 1 within `epoch`; `at_ms` is the agent's wall clock, for the record only. */
export type Envelope = Message & { readonly seq: number; readonly epoch: number; readonly at_ms: number };

export type Parsed =
  | { readonly ok: true; readonly envelope: Envelope }
  | { readonly ok: false; readonly why: "not_json" | "not_a_message" }
  | { readonly ok: false; readonly why: "version"; readonly version: number };

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
const object = (value: unknown): Json => (isObject(value) ? value : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const textOrNull = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const count = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
const list = <T>(value: unknown, read: (entry: Json) => T): T[] =>
  Array.isArray(value) ? value.filter(isObject).map(read) : [];
const oneOf = <T extends string>(value: unknown, all: readonly T[], otherwise: T): T =>
  all.find((known) => known === value) ?? otherwise;

const readAgent = (j: Json): Agent => ({ id: text(j["id"]), name: text(j["name"]) || text(j["id"]) });

const readItem = (j: Json): Item => ({
  item_id: text(j["item_id"]),
  kind: text(j["kind"]).toLowerCase(),
  text: text(j["text"]),
  urgency: oneOf<Urgency>(j["urgency"], ["routine", "important", "critical"], "routine"),
});

function readSummary(value: unknown): Summary {
  const j = object(value);
  return {
    status_action: text(j["status_action"]),
    key_findings: text(j["key_findings"]),
    differential_rationale: text(j["differential_rationale"]),
    uncertainty_confidence: text(j["uncertainty_confidence"]),
    recommendation_next_step: text(j["recommendation_next_step"]),
    agent_contributions: text(j["agent_contributions"]),
  };
}

const readUpdate = (j: Json): Update => ({
  update_id: text(j["update_id"]),
  number: count(j["number"]),
  path: text(j["path"]),
  summary: readSummary(j["summary"]),
  items: list(j["items"], readItem),
});

const readUtterance = (j: Json): Utterance => ({
  utterance_id: text(j["utterance_id"]),
  update_id: textOrNull(j["update_id"]),
  item_id: textOrNull(j["item_id"]),
  kind: text(j["kind"]).toLowerCase(),
  text: text(j["text"]),
  phase: oneOf<Phase>(text(j["phase"]).toLowerCase(), PHASES, "unknown"),
  cause: textOrNull(j["cause"]),
  reason: text(j["reason"]),
});

const readWord = (j: Json): Word => ({
  text: text(j["text"]),
  start_sample: count(j["start_sample"]),
  end_sample: count(j["end_sample"]),
});

const readSegment = (j: Json): Segment => ({
  utterance_id: text(j["utterance_id"]),
  index: count(j["index"]),
  of: count(j["of"]),
  start_sample: count(j["start_sample"]),
  samples: count(j["samples"]),
  words: list(j["words"], readWord),
});

const readTrace = (j: Json): TraceItem => ({
  agent_id: text(j["agent_id"]),
  name: text(j["name"]) || text(j["agent_id"]),
  turn: count(j["turn"]),
  text: text(j["text"]),
});

const readReasoning = (j: Json): Reasoning => ({
  phase: oneOf<ReasoningPhase>(j["phase"], ["waiting", "thinking", "finished", "failed"], "waiting"),
  detail: text(j["detail"]),
});

const readClock = (value: unknown): Clock | null =>
  isObject(value) && typeof value["zero"] === "number" ? { clock: text(value["clock"]), zero: value["zero"] } : null;

const readHello = (j: Json): Hello => ({
  session_id: text(j["session_id"]),
  case_id: text(j["case_id"]),
  title: text(j["title"]),
  agents: list(j["agents"], readAgent),
  track_sid: text(j["track_sid"]),
});

const readSnapshot = (j: Json): Snapshot => ({
  reasoning: readReasoning(object(j["reasoning"])),
  updates: list(j["updates"], readUpdate),
  utterances: list(j["utterances"], readUtterance),
  trace: list(j["trace"], readTrace),
  clock: readClock(j["clock"]),
});

function readMessage(type: string, body: Json): Message {
  switch (type) {
    case "hello":
      return { type, body: readHello(body) };
    case "snapshot":
      return { type, body: readSnapshot(body) };
    case "reasoning":
      return { type, body: readReasoning(body) };
    case "trace":
      return { type, body: { items: list(body["items"], readTrace) } };
    case "update":
      return { type, body: readUpdate(body) };
    case "utterance":
      return { type, body: readUtterance(body) };
    case "segment":
      return { type, body: readSegment(body) };
    case "clock": {
      const clock = readClock(body);
      return clock ? { type, body: clock } : { type: "unknown", name: type };
    }
    case "notice":
      return { type, body: { code: text(body["code"]), text: text(body["text"]) } };
    case "ended":
      return { type, body: { reason: text(body["reason"]) } };
    default:
      return { type: "unknown", name: type };
  }
}

/** Read one state message. Another major version is told apart from rubbish, so that the page can say which it was. */
export function parseEnvelope(raw: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return { ok: false, why: "not_json" };
  }
  if (!isObject(value) || typeof value["v"] !== "number") return { ok: false, why: "not_a_message" };
  if (value["v"] !== PROTOCOL_VERSION) return { ok: false, why: "version", version: value["v"] };
  const { seq, epoch, type, at_ms } = value;
  if (!Number.isInteger(seq) || !Number.isInteger(epoch) || typeof type !== "string") {
    return { ok: false, why: "not_a_message" };
  }
  const place = { seq: seq as number, epoch: epoch as number, at_ms: count(at_ms) };
  return { ok: true, envelope: { ...readMessage(type, object(value["body"])), ...place } };
}

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
    case "notice":
      return message.body.code;
    default:
      return "";
  }
}
