/**
 * What the page knows, and the one function that changes it. Pure: a message in, a new view out.
 *
 * Bounds: the agents' words to `TRACE_CHARS`, clauses to `MAX_SEGMENTS`, notices to `MAX_NOTICES`; updates and
 * utterances are as many as the session makes (a few dozen).
 */
import type {
  Answer,
  Clock,
  Cost,
  Ears,
  Envelope,
  Evidence,
  Hello,
  Mode,
  NoticeTold,
  Past,
  Reasoning,
  Segment,
  Snapshot,
  TraceItem,
  Update,
  Utterance,
  Step,
} from "../protocol";
import { pointsIn, unitAt } from "./points";
import { MAX_ANSWERS, MAX_TURNS, type TurnView, turnsOf, withAnswer, withTurn } from "./talk";

export const TRACE_CHARS = 200_000;
/** A long turn is cut into blocks, at the end of a line if one is near, so that the oldest part can go without the rest. */
export const BLOCK_CHARS = 6_000;
/** The end of a line is near within so many characters. */
const LINE_CHARS = 2_000;
export const MAX_SEGMENTS = 64;
export const MAX_NOTICES = 8;
export const MAX_STEPS = 160;
/** Concurrent agents: a word still joins its own agent's block if that is one of the newest few. */
const OPEN_BLOCKS = 6;

export interface UtteranceView extends Utterance {
  /** Wall clock of the agent at the newest change of phase; 0 when it came with a snapshot. */
  readonly at_ms: number;
}
export interface UpdateView extends Update {
  readonly at_ms: number;
}
export interface SegmentView extends Segment {
  /**
   * This page's monotonic clock when it came: captions go by it until the sound's own clock is known. Null: it came with
   * a snapshot, some time after its sound had begun.
   */
  readonly arrived_ms: number | null;
}
export interface TraceBlock {
  readonly key: number;
  readonly agent_id: string;
  readonly name: string;
  readonly turn: number;
  readonly text: string;
  /** False where a block goes on with the turn of the one before. */
  readonly opens: boolean;
  /** Its place in all that this agent said, in code points, and how many it has; null: not known. */
  readonly start: number | null;
  readonly points: number;
  /** What a model thought on the way to the agent's words: nobody said it, and nothing rests on it. */
  readonly thinking: boolean;
}
export interface Notice {
  readonly key: number;
  readonly code: string;
  readonly text: string;
  /** The reader wants no more of it: it is kept, for each snapshot tells it again while it is true. */
  readonly dismissed: boolean;
}

export interface View {
  readonly epoch: number;
  readonly hello: Hello | null;
  readonly reasoning: Reasoning;
  /** By number, oldest first. */
  readonly updates: readonly UpdateView[];
  /** In the order in which they were first heard of. */
  readonly utterances: ReadonlyMap<string, UtteranceView>;
  /** In the order of the sound, oldest first. */
  readonly segments: readonly SegmentView[];
  readonly clock: Clock | null;
  readonly trace: readonly TraceBlock[];
  readonly traceChars: number;
  readonly nextKey: number;
  readonly notices: readonly Notice[];
  /** In the order in which they were first heard. */
  readonly turns: readonly TurnView[];
  readonly answers: readonly Answer[];
  readonly mode: Mode;
  /** What the agent has of our microphone; null before it has said. */
  readonly ears: Ears | null;
  /** What the agents' models cost up to now. */
  readonly costs: readonly Cost[];
  /** What the team was at and what it decided, oldest first. */
  readonly steps: readonly Step[];
  /** Updates of the session that the agent has no more. */
  readonly earlier: number;
  /** How many of the first blocks of `trace` this page had before a snapshot, while parts of that are still to come. */
  readonly before: number;
  /** Utterances of before a snapshot that no part of it has told yet; after the last part they go. */
  readonly untold: ReadonlySet<string>;
  /** The newest part of the newest snapshot that has come. */
  readonly part: number;
  /** How much of what the agent has is here: before a first snapshot the page says nothing of it, not even "none". */
  readonly known: "nothing" | "newest" | "all";
  readonly ended: string | null;
}

export const EMPTY: View = {
  epoch: -1,
  hello: null,
  reasoning: { phase: "waiting", detail: "" },
  updates: [],
  utterances: new Map(),
  segments: [],
  clock: null,
  trace: [],
  traceChars: 0,
  nextKey: 1,
  notices: [],
  turns: [],
  answers: [],
  mode: { mode: "free", waiting: 0, question: "", asks: "", rate: 1, volume_db: 0, verbosity: "normal" },
  ears: null,
  costs: [],
  steps: [],
  earlier: 0,
  before: 0,
  untold: new Set(),
  part: 0,
  known: "nothing",
  ended: null,
};

/** The view after `envelope`. `nowMs` is this page's monotonic clock. Messages must come in order (see order.ts). */
export function reduce(before: View, envelope: Envelope, nowMs: number): View {
  const view = enter(before, envelope.epoch);
  switch (envelope.type) {
    case "hello":
      return { ...view, hello: envelope.body };
    case "snapshot":
      return replaceAll(view, envelope.body);
    case "past":
      return withPast(view, envelope.body);
    case "reasoning":
      return withReasoning(view, envelope.body);
    case "trace":
      return appendTrace(view, envelope.body.items);
    case "costs":
      return { ...view, costs: envelope.body.agents };
    case "update":
      return { ...view, updates: withUpdate(view.updates, { ...envelope.body, at_ms: envelope.at_ms }) };
    case "utterance":
      return withUtterance(view, { ...envelope.body, at_ms: envelope.at_ms });
    case "segment":
      return withSegment(view, { ...envelope.body, arrived_ms: nowMs });
    case "clock":
      return { ...view, clock: envelope.body };
    case "turn":
      return { ...view, turns: withTurn(view.turns, envelope.body, nowMs) };
    case "mode":
      return { ...view, mode: envelope.body };
    case "ears":
      return withEars(view, envelope.body);
    case "answer":
      return { ...view, answers: withAnswer(view.answers, envelope.body) };
    case "step":
      return { ...view, steps: withStep(view.steps, envelope.body) };
    case "notice":
      return withNotice(view, envelope.body.code, envelope.body.text);
    case "ended":
      return { ...view, ended: envelope.body.reason || "completed" };
    case "unknown":
      return view;
  }
}

/** Once the reasoning is over, all of it is read. */
function withReasoning(view: View, reasoning: Reasoning): View {
  const over = reasoning.phase === "finished" || reasoning.phase === "failed";
  const notices = over ? view.notices.filter(({ code }) => code !== "read_late") : view.notices;
  return { ...view, reasoning, notices };
}

/** The former of its id, and the oldest beyond the bound, go; who was recruited goes last. */
function withStep(steps: readonly Step[], step: Step): readonly Step[] {
  const kept = [...steps.filter((known) => known.step_id !== step.step_id), step];
  if (kept.length <= MAX_STEPS) return kept;
  return kept.toSpliced(Math.max(0, kept.findIndex(({ kind }) => kind !== "recruited")), 1);
}

/** What a worker says of how it stands itself: of another worker it says nothing, and that one tells it anew. */
const OF_WORKER: ReadonlySet<string> = new Set(["store_gone", "store_back", "ears_failed"]);
/** Of these, what says that the voice goes on, or waits for the store: untrue while no sound comes at all. */
const OF_VOICE: ReadonlySet<string> = new Set(["store_gone", "store_back"]);

/** The notices that are true now. `silent`: the line or the voice is gone, and the page says so itself. */
export const noticesNow = (view: View, silent: boolean): readonly Notice[] =>
  view.notices.filter(({ code, dismissed }) => !dismissed && !(silent && OF_VOICE.has(code)));

/** A new worker has a new track, so samples of the former epoch mean nothing any more, nor a voice that it was hearing. */
function enter(view: View, epoch: number): View {
  if (epoch === view.epoch) return view;
  const turns = view.turns.filter((turn) => turn.phase === "decided");
  const notices = view.notices.filter(({ code }) => !OF_WORKER.has(code));
  return { ...view, epoch, segments: [], clock: null, turns, notices, mode: EMPTY.mode };
}

function replaceAll(view: View, snapshot: Snapshot): View {
  const own = new Map(view.updates.map((update) => [update.update_id, update]));
  const more = snapshot.parts > 1;
  const known = new Set(snapshot.utterances.map((utterance) => utterance.utterance_id));
  const blank: View = {
    ...withEars(view, snapshot.ears),
    reasoning: snapshot.reasoning,
    updates: withOld(more ? view.updates : [], snapshot.updates, own),
    ...withTold(new Map(), snapshot.utterances, more ? view.utterances : new Map()),
    segments: restored(snapshot.segments, view.segments.filter((segment) => known.has(segment.utterance_id))),
    clock: snapshot.clock,
    turns: turnsOf(snapshot, view.turns),
    answers: snapshot.answers,
    mode: snapshot.mode,
    costs: snapshot.costs,
    steps: snapshot.steps.slice(-MAX_STEPS),
    earlier: snapshot.earlier,
    part: 1,
    known: more ? "newest" : "all",
    trace: older(view.trace, snapshot.trace),
  };
  // What this page had is told anew by the parts, so that nothing is joined to it before they have come.
  const whole = withTrue(counted({ ...blank, before: more ? blank.trace.length : 0 }), snapshot.notices);
  return appendTrace(whole, snapshot.trace);
}

/** Of what is true for a while only that stays which a snapshot tells; its end may have been lost with the line. */
function withTrue(view: View, told: readonly NoticeTold[] | null): View {
  if (told === null) return view;
  const codes = new Set(told.map(({ code }) => code));
  const notices = view.notices.filter(({ code }) => codes.has(code) || !(code in ENDS));
  const fresh = told.filter(({ code }) => !notices.some((one) => one.code === code));
  const kept: View = { ...view, notices };
  return fresh.reduce((all, { code, text }) => withNotice(all, code, text), kept);
}

/** A part of a snapshot: older than all of it that has come, and it takes nothing back that was told since. */
function withPast(view: View, past: Past): View {
  if (past.part <= view.part) return view;
  const own = new Map(view.updates.map((update) => [update.update_id, update]));
  const parted = parts(view);
  const told = withTold(parted.told, past.utterances, parted.untold);
  const added = {
    ...view,
    part: past.part,
    known: past.part < past.of ? view.known : "all",
    updates: withOld(view.updates, past.updates, own),
    ...(past.part < past.of ? told : withoutUntold(told)),
    segments: restored(past.segments, view.segments),
    turns: withOlder(past.turns.map((turn) => ({ ...turn, at_ms: 0 })), view.turns, ({ turn_id }) => turn_id).slice(-MAX_TURNS),
    answers: withOlder(past.answers, view.answers, ({ turn_id }) => turn_id).slice(-MAX_ANSWERS),
    steps: withOlder(past.steps, view.steps, ({ step_id }) => step_id).slice(-MAX_STEPS),
  };
  return withOlderTrace(added, past);
}

type Utterances = ReadonlyMap<string, UtteranceView>;
type Kept = Pick<View, "utterances" | "untold">;

/** Those that a snapshot and its parts have told, or that came since, and those of before it. */
function parts({ utterances, untold }: Kept): { told: Utterances; untold: Utterances } {
  const of = (wanted: boolean): Utterances => new Map([...utterances].filter(([id]) => untold.has(id) === wanted));
  return { told: of(false), untold: of(true) };
}

/** What is told goes before what was told since, and behind what this page had before and nothing has told yet. */
function withTold(since: Utterances, told: readonly Utterance[], own: Utterances): Kept {
  const fresh = told.map((one): [string, UtteranceView] => {
    const known = since.get(one.utterance_id) ?? own.get(one.utterance_id);
    return [one.utterance_id, { ...one, at_ms: known?.at_ms ?? 0 }];
  });
  const ids = new Set([...fresh.map(([id]) => id), ...since.keys()]);
  const untold = new Map([...own].filter(([id]) => !ids.has(id)));
  const replaced = new Map(fresh);
  const after = [...since].filter(([id]) => !replaced.has(id));
  return { utterances: new Map([...untold, ...fresh, ...after]), untold: new Set(untold.keys()) };
}

const withoutUntold = (kept: Kept): Kept => ({ utterances: parts(kept).told, untold: new Set() });

/** Updates beside those that were told before, which know when they came. */
const withOld = (updates: readonly UpdateView[], told: readonly Update[], own: ReadonlyMap<string, UpdateView>): readonly UpdateView[] =>
  told.reduce((all, update) => {
    const known = own.get(update.update_id);
    return withUpdate(all, { ...update, at_ms: known?.at_ms ?? 0, evidence: fuller(update, known) });
  }, updates);

/** What is not known goes before what is. */
function withOlder<T>(told: readonly T[], own: readonly T[], idOf: (one: T) => string): readonly T[] {
  const known = new Set(own.map(idOf));
  return [...told.filter((one) => !known.has(idOf(one))), ...own];
}

/** The agents' words of a part go before those of the parts before it, and behind what this page had before them. */
function withOlderTrace(view: View, { trace, part, of }: Past): View {
  const came = appendTrace({ ...EMPTY, nextKey: view.nextKey }, trace);
  const kept = older(view.trace.slice(0, view.before), trace);
  const between = [...came.trace];
  const after = view.trace.slice(view.before).map((block, at, all) => {
    if (all.findIndex(({ agent_id, thinking }) => agent_id === block.agent_id && !thinking) !== at) return block;
    const last = between.findLastIndex(({ agent_id }) => agent_id === block.agent_id);
    const whole = between[last] && oneBlock(between[last], block);
    if (whole) between.splice(last, 1);
    return whole ?? block;
  });
  const before = part < of ? kept.length : 0;
  return bounded(counted({ ...view, before, trace: [...kept, ...between, ...after], nextKey: came.nextKey }));
}

/** Two stretches of one turn as one block, under the key of the newer; null: they are not, or it would be too long. */
function oneBlock(first: TraceBlock, then: TraceBlock): TraceBlock | null {
  if (first.start === null || first.start + first.points !== then.start || first.turn !== then.turn || then.thinking) return null;
  if (first.text.length + then.text.length > 2 * BLOCK_CHARS) return null;
  return { ...then, text: first.text + then.text, start: first.start, points: first.points + then.points, opens: first.opens };
}

const counted = (view: View): View => ({ ...view, traceChars: view.trace.reduce((sum, block) => sum + block.text.length, 0) });

/** A snapshot leaves out the places of words that it does not hold; this page may hold them. */
const fuller = (told: Update, own: Update | undefined): Evidence =>
  own && !told.evidence.items.some((places) => places.length) && Object.keys(told.evidence.fields).length === 0 ? own.evidence : told.evidence;

/** What this page has of the agents' words before those of a snapshot, which holds the newest only. */
function older(own: readonly TraceBlock[], told: readonly TraceItem[]): TraceBlock[] {
  const from = new Map<string, number>();
  for (const { agent_id, start } of told) {
    if (start === null) return [];
    if (!from.has(agent_id)) from.set(agent_id, start);
  }
  const kept: TraceBlock[] = [];
  for (const block of own) {
    if (block.start === null || block.thinking) continue;
    const points = Math.min(block.points, (from.get(block.agent_id) ?? Infinity) - block.start);
    if (points > 0) kept.push({ ...block, points, text: block.text.slice(0, unitAt(block.text, points)) });
  }
  return kept;
}

/** Clauses of a snapshot beside those that this page has heard of itself, which know when they came. */
function restored(told: readonly Segment[], own: readonly SegmentView[]): readonly SegmentView[] {
  const known = new Set(own.map((segment) => segment.start_sample));
  const older = told.filter((segment) => !known.has(segment.start_sample)).map((segment) => ({ ...segment, arrived_ms: null }));
  return [...older, ...own].sort((a, b) => a.start_sample - b.start_sample).slice(-MAX_SEGMENTS);
}

function withUpdate(updates: readonly UpdateView[], update: UpdateView): readonly UpdateView[] {
  const others = updates.filter((other) => other.update_id !== update.update_id);
  return [...others, update].sort((a, b) => a.number - b.number);
}

function withUtterance(view: View, utterance: UtteranceView): View {
  const utterances = new Map(view.utterances);
  utterances.set(utterance.utterance_id, utterance);
  const untold = new Set([...view.untold].filter((id) => id !== utterance.utterance_id));
  return { ...view, utterances, untold };
}

function withSegment(view: View, segment: SegmentView): View {
  const others = view.segments.filter(
    (other) => other.utterance_id !== segment.utterance_id || other.start_sample !== segment.start_sample,
  );
  const segments = [...others, segment].sort((a, b) => a.start_sample - b.start_sample).slice(-MAX_SEGMENTS);
  return { ...view, segments };
}

/** What a notice puts an end to, besides its own older self. */
const ENDS: Readonly<Record<string, string>> = {
  store_back: "store_gone",
  store_gone: "store_back",
  read_in_time: "read_late",
  read_late: "read_in_time",
};

function withNotice(view: View, code: string, text: string): View {
  const others = view.notices.filter((notice) => notice.code !== code && notice.code !== ENDS[code]);
  const notices = [...others, { key: view.nextKey, code, text, dismissed: false }].slice(-MAX_NOTICES);
  return { ...view, notices, nextKey: view.nextKey + 1 };
}

function withEars(view: View, ears: Ears): View {
  const notices = ears.state === "failed" ? view.notices : view.notices.filter((notice) => notice.code !== "ears_failed");
  return { ...view, ears, notices };
}

export function withoutNotice(view: View, key: number): View {
  return { ...view, notices: view.notices.map((notice) => (notice.key === key ? { ...notice, dismissed: true } : notice)) };
}

function appendTrace(view: View, items: readonly TraceItem[]): View {
  if (items.length === 0) return view;
  const blocks = [...view.trace];
  let { nextKey, traceChars } = view;
  for (const item of items) {
    traceChars += item.text.length;
    const at = openBlock(blocks, item, view.before);
    const block = at === null ? undefined : blocks[at];
    const more = block ? goesOn(block, item) : 0;
    const points = pointsIn(item.text.slice(0, more));
    if (at !== null && block && more > 0) {
      blocks[at] = { ...block, text: block.text + item.text.slice(0, more), points: block.points + points };
    }
    if (more === item.text.length && more > 0) continue;
    const text = item.text.slice(more);
    const start = item.start === null ? null : item.start + points;
    blocks.push({ ...item, text, start, points: pointsIn(text), key: nextKey, opens: !block || !follows(block, item) });
    nextKey += 1;
  }
  return bounded({ ...view, trace: blocks, traceChars, nextKey });
}

/** Without the oldest words beyond the bound. */
function bounded(view: View): View {
  let { traceChars, before } = view;
  const trace = [...view.trace];
  while (traceChars > TRACE_CHARS && trace.length > 1) {
    traceChars -= trace.shift()?.text.length ?? 0;
    before = Math.max(0, before - 1);
  }
  return { ...view, trace, traceChars, before };
}

const follows = (block: TraceBlock, item: TraceItem): boolean =>
  item.start === null || block.start === null || block.start + block.points === item.start;

/** How much of an item goes on with a block: all, or of a full block the rest of its line if that is near. */
function goesOn(block: TraceBlock, item: TraceItem): number {
  if (!follows(block, item)) return 0;
  if (block.text.length < BLOCK_CHARS) return item.text.length;
  if (block.text.endsWith("\n")) return 0;
  const end = item.text.indexOf("\n") + 1;
  if (end > 0) return end;
  return block.text.length + item.text.length <= BLOCK_CHARS + LINE_CHARS ? item.text.length : 0;
}

function openBlock(blocks: readonly TraceBlock[], item: TraceItem, from: number): number | null {
  for (let at = blocks.length - 1; at >= Math.max(from, blocks.length - OPEN_BLOCKS); at -= 1) {
    const block = blocks[at];
    if (block?.agent_id === item.agent_id && block.turn === item.turn && block.thinking === item.thinking) return at;
  }
  return null;
}
