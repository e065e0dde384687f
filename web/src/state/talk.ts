/** What the clinician said and what was answered, as the page keeps it. Pure. */
import type { Answer, Snapshot, Turn } from "../protocol";

export const MAX_TURNS = 40;
export const MAX_ANSWERS = 20;
/** A turn without a verdict for so long gets none: its worker is gone. The ears end a turn after 15 s. */
const LISTENING_MS = 20_000;
const DECIDING_MS = 8_000;

export interface TurnView extends Turn {
  /** This page's monotonic clock at the newest change; 0 when it came with a snapshot. */
  readonly at_ms: number;
}

/**
 * The turns after `turn`. A turn keeps its place; one that is heard again after it was judged at a pause keeps its words
 * until it is judged anew. One that was not meant for the voice loses its words after a while: the agent says when.
 */
export function withTurn(turns: readonly TurnView[], turn: Turn, nowMs: number): readonly TurnView[] {
  const at = turns.findIndex((other) => other.turn_id === turn.turn_id);
  const before = turns[at];
  if (turn.phase === "forgotten") return before ? turns.with(at, { ...before, text: "" }) : turns;
  const next: TurnView =
    turn.phase === "decided" || !before ? { ...turn, at_ms: nowMs } : { ...before, phase: turn.phase, at_ms: nowMs };
  return before ? turns.with(at, next) : [...turns, next].slice(-MAX_TURNS);
}

export function withAnswer(answers: readonly Answer[], answer: Answer): readonly Answer[] {
  return [...answers.filter((other) => other.turn_id !== answer.turn_id), answer].slice(-MAX_ANSWERS);
}

/** A snapshot has only what was decided: a voice that is heard at the moment stays. */
export function turnsOf(snapshot: Snapshot, before: readonly TurnView[]): readonly TurnView[] {
  const known = new Set(snapshot.turns.map((turn) => turn.turn_id));
  const live = before.filter((turn) => turn.phase !== "decided" && !known.has(turn.turn_id));
  return [...snapshot.turns.map((turn) => ({ ...turn, at_ms: 0 })), ...live].slice(-MAX_TURNS);
}

/** The voice that is heard, or being judged, at `nowMs`. */
export function liveTurn(turns: readonly TurnView[], nowMs: number): TurnView | null {
  const fresh = (turn: TurnView): boolean =>
    turn.phase !== "decided" && nowMs - turn.at_ms < (turn.phase === "listening" ? LISTENING_MS : DECIDING_MS);
  return turns.findLast(fresh) ?? null;
}

export interface Exchange {
  readonly turn: TurnView;
  readonly answer: Answer | null;
}

/** Exchanges of which nothing but their number is told, as one: the newest of them, and the id of the oldest. */
export interface Row extends Exchange {
  readonly id: string;
  readonly times: number;
}

/** Exchanges as they are listed, newest first: sounds of a loud room leave what was said, and its answer, in sight. */
export function rows(all: readonly Exchange[]): readonly Row[] {
  const found: Row[] = [];
  for (const exchange of all) {
    const newer = found.at(-1);
    const id = exchange.turn.turn_id;
    if (newer && isWordless(newer) && isWordless(exchange) && alike(newer.turn, exchange.turn)) found[found.length - 1] = { ...newer, id, times: newer.times + 1 };
    else found.push({ ...exchange, id, times: 1 });
  }
  return found;
}

const isWordless = ({ turn, answer }: Exchange): boolean => turn.phase === "decided" && turn.via === "voice" && turn.text === "" && turn.reply === "" && answer === null;

const alike = (one: TurnView, other: TurnView): boolean => one.effect === other.effect && one.why === other.why;

/** What was said and what was answered, newest first; a turn without its words is none yet. */
export function exchanges(turns: readonly TurnView[], answers: readonly Answer[]): readonly Exchange[] {
  const byTurn = new Map(answers.map((answer) => [answer.turn_id, answer]));
  const known = new Set(turns.map((turn) => turn.turn_id));
  const told = turns.filter((turn) => turn.effect !== "").map((turn) => ({ turn, answer: byTurn.get(turn.turn_id) ?? null }));
  const older = answers.filter((answer) => !known.has(answer.turn_id)).map((answer) => ({ turn: asked(answer), answer }));
  return [...older, ...told].reverse();
}

/** The turn of an answer that has outlived it. */
const asked = (answer: Answer): TurnView => ({
  turn_id: answer.turn_id,
  phase: "decided",
  via: "voice",
  text: answer.question,
  kind: "new_input",
  effect: "answer",
  why: "",
  confidence: 1,
  duration_ms: 0,
  resumed: false,
  reply: "",
  at_ms: 0,
});
