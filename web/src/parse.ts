/**
 * The messages of docs/protocol.md, read from JSON that others wrote.
 *
 * Reading is tolerant where the protocol says so (unknown types and newer fields are ignored, a missing text is empty)
 * and strict where a wrong guess would mislead: without `v`, `seq`, `epoch` and `type` there is no message.
 */
import {
  type Agent,
  type Answer,
  type AnswerSentence,
  type Clock,
  type Cost,
  EARS_STATES,
  type Ears,
  type EarsState,
  type Envelope,
  type Evidence,
  type Field,
  FIELDS,
  type Hello,
  type Item,
  type Message,
  type NoticeTold,
  type Mode,
  type ModeName,
  MODES,
  type Phase,
  PHASES,
  type Place,
  PROTOCOL_VERSION,
  type Reader,
  type Reasoning,
  type ReasoningPhase,
  type Segment,
  type Sentence,
  type Snapshot,
  type Summary,
  type Told,
  type TraceItem,
  type Turn,
  type TurnPhase,
  type TurnVia,
  TURN_PHASES,
  type Update,
  type Urgency,
  type Utterance,
  type Word,
  type Step,
  VERBOSITIES,
  type Verbosity,
} from "./protocol";

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

const fields = (value: unknown): Field[] => FIELDS.filter((field) => Array.isArray(value) && value.includes(field));

const whole = (value: unknown): number => (Number.isSafeInteger(value) ? Math.max(0, value as number) : 0);
const entries = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Places are referred to by their numbers; a number without a place is ignored. */
function readEvidence(value: unknown): Evidence {
  const j = object(value);
  const agents = entries(j["agents"]).map(text);
  const spans = entries(j["spans"]).map((span): Place | null => {
    const [agent, start, end] = entries(span);
    const agent_id = agents[whole(agent)] ?? "";
    return agent_id && whole(end) > whole(start) ? { agent_id, start: whole(start), end: whole(end) } : null;
  });
  const places = (numbers: unknown): Place[] =>
    entries(numbers).flatMap((number) => (Number.isInteger(number) ? (spans[number as number] ?? []) : []));
  const sentence = (entry: unknown): Sentence => {
    const [start, end, numbers] = entries(entry);
    return { start: whole(start), end: whole(end), places: places(numbers) };
  };
  const told = object(j["fields"]);
  return {
    items: entries(j["items"]).map(places),
    fields: Object.fromEntries(FIELDS.filter((field) => field in told).map((field) => [field, entries(told[field]).map(sentence)])),
    left_out: Object.entries(object(j["left_out"])).map(([reason, many]) => ({ reason, count: whole(many) })),
  };
}

const readUpdate = (j: Json): Update => ({
  update_id: text(j["update_id"]),
  number: count(j["number"]),
  path: text(j["path"]),
  summary: readSummary(j["summary"]),
  items: list(j["items"], readItem),
  engine: oneOf<Update["engine"]>(j["engine"], ["lexical", "llm"], "lexical"),
  model: text(j["model"]),
  by_model: fields(j["by_model"]),
  fallbacks: list(j["fallbacks"], (f) => ({ part: text(f["part"]), reason: text(f["reason"]) })),
  truncated: fields(j["truncated"]),
  evidence: readEvidence(j["evidence"]),
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
  critical_key: textOrNull(j["critical_key"]),
  acknowledged: j["acknowledged"] === true,
  replays: textOrNull(j["replays"]),
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
  start: Number.isSafeInteger(j["start"]) ? whole(j["start"]) : null,
  thinking: false,
});
const readThought = (j: Json): TraceItem => ({ ...readTrace(j), thinking: true });

const known = (value: unknown): number | null => (Number.isSafeInteger(value) ? count(value) : null);
const readCost = (j: Json): Cost => ({
  agent_id: text(j["agent_id"]),
  name: text(j["name"]) || text(j["agent_id"]),
  calls: count(j["calls"]),
  input_tokens: known(j["input_tokens"]),
  output_tokens: known(j["output_tokens"]),
  thinking_tokens: known(j["thinking_tokens"]),
});

const readReasoning = (j: Json): Reasoning => ({
  phase: oneOf<ReasoningPhase>(j["phase"], ["waiting", "thinking", "finished", "failed"], "waiting"),
  detail: text(j["detail"]),
});

const readClock = (value: unknown): Clock | null =>
  isObject(value) && typeof value["zero"] === "number" ? { clock: text(value["clock"]), zero: value["zero"] } : null;

const readTurn = (j: Json): Turn => ({
  turn_id: text(j["turn_id"]),
  phase: oneOf<TurnPhase>(j["phase"], TURN_PHASES, "decided"),
  via: oneOf<TurnVia>(j["via"], ["voice", "button", "text"], "voice"),
  text: text(j["text"]),
  kind: text(j["kind"]),
  effect: text(j["effect"]),
  why: text(j["why"]),
  confidence: typeof j["confidence"] === "number" ? count(j["confidence"]) : 1,
  duration_ms: count(j["duration_ms"]),
  resumed: j["resumed"] === true,
  reply: text(j["reply"]),
});

/** A mode that this page does not know counts as `free`. */
const readMode = (value: unknown): Mode => {
  const j = object(value);
  return {
    mode: oneOf<ModeName>(j["mode"], MODES, "free"),
    waiting: Math.max(0, count(j["waiting"])),
    question: text(j["question"]),
    asks: text(j["asks"]),
    rate: count(j["rate"]) || 1,
    volume_db: count(j["volume_db"]),
    verbosity: oneOf<Verbosity>(j["verbosity"], VERBOSITIES, "normal"),
  };
};

/** Without news of the ears the page goes by what it knows of the microphone itself. */
const readEars = (value: unknown): Ears => {
  const j = object(value);
  return { state: oneOf<EarsState>(j["state"], EARS_STATES, "none"), text: text(j["text"]) };
};

const readAnswerSentence = (j: Json): AnswerSentence => ({ text: text(j["text"]), source: text(j["source"]) });

const readAnswer = (j: Json): Answer => ({
  turn_id: text(j["turn_id"]),
  utterance_id: text(j["utterance_id"]),
  question: text(j["question"]),
  found: j["found"] === true,
  topic: textOrNull(j["topic"]),
  sentences: list(j["sentences"], readAnswerSentence),
  model: text(j["model"]),
  on_page: list(j["on_page"], readAnswerSentence),
  outcome: text(j["outcome"]),
});

const readHello = (j: Json): Hello => ({
  session_id: text(j["session_id"]),
  case_id: text(j["case_id"]),
  title: text(j["title"]),
  which_case: text(j["which_case"]),
  agents: list(j["agents"], readAgent),
  track_sid: text(j["track_sid"]),
  has_paper: typeof j["has_paper"] === "boolean" ? j["has_paper"] : null,
  grace_s: typeof j["grace_s"] === "number" && j["grace_s"] > 0 ? j["grace_s"] : null,
  reader: readReader(j["reader"]),
});

const readReader = (value: unknown): Reader | null => {
  const j = object(value);
  return text(j["model"]) ? { name: text(j["name"]), model: text(j["model"]), host: text(j["host"]) } : null;
};

const readStep = (j: Json): Step => ({
  step_id: text(j["step_id"]),
  kind: text(j["kind"]),
  text: text(j["text"]),
  detail: text(j["detail"]),
  agents: Array.isArray(j["agents"]) ? j["agents"].filter((each) => typeof each === "string") : [],
  round: typeof j["round"] === "number" ? j["round"] : null,
  share: typeof j["share"] === "number" ? j["share"] : null,
  count: typeof j["count"] === "number" ? j["count"] : 1,
});

const readTold = (j: Json): Told => ({
  updates: list(j["updates"], readUpdate),
  utterances: list(j["utterances"], readUtterance),
  trace: list(j["trace"], readTrace),
  segments: list(j["segments"], readSegment),
  turns: list(j["turns"], readTurn),
  answers: list(j["answers"], readAnswer),
  steps: list(j["steps"], readStep),
});

const readNotice = (j: Json): NoticeTold => ({ code: text(j["code"]), text: text(j["text"]) });

const readSnapshot = (j: Json): Snapshot => ({
  ...readTold(j),
  reasoning: readReasoning(object(j["reasoning"])),
  clock: readClock(j["clock"]),
  mode: readMode(j["mode"]),
  ears: readEars(j["ears"]),
  costs: list(object(j["costs"])["agents"], readCost),
  parts: Math.max(1, whole(j["parts"])),
  earlier: whole(j["earlier"]),
  notices: Array.isArray(j["notices"]) ? list(j["notices"], readNotice) : null,
});

function readMessage(type: string, body: Json): Message {
  switch (type) {
    case "hello":
      return { type, body: readHello(body) };
    case "snapshot":
      return { type, body: readSnapshot(body) };
    case "past":
      return { type, body: { ...readTold(body), part: whole(body["part"]), of: whole(body["of"]) } };
    case "reasoning":
      return { type, body: readReasoning(body) };
    case "trace":
      return { type, body: { items: [...list(body["items"], readTrace), ...list(body["thoughts"], readThought)] } };
    case "costs":
      return { type, body: { agents: list(body["agents"], readCost) } };
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
    case "turn":
      return { type, body: readTurn(body) };
    case "mode":
      return { type, body: readMode(body) };
    case "ears":
      return { type, body: readEars(body) };
    case "answer":
      return { type, body: readAnswer(body) };
    case "step":
      return { type, body: readStep(body) };
    case "notice":
      return { type, body: readNotice(body) };
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
