/**
 * A team's debate, read from its steps: who was recruited and who leads whom, who wrote to whom, what each held in
 * which round, and how it was decided. Pure. Names are those that are spoken.
 */
import type { Step } from "../protocol";
import type { View } from "./view";

/** An expert, and those whom it leads. */
export interface Seat {
  readonly name: string;
  readonly below: readonly Seat[];
}
/** Who was recruited at once: the experts of a debate, or one team of several (`title`). */
export interface Recruited {
  readonly title: string;
  readonly seats: readonly Seat[];
}
/** What somebody held in a round. `changed`: not what it held before; `after`: after whose message, if the team says so. */
export interface Held {
  readonly text: string;
  readonly changed: boolean;
  readonly after: string;
}
export interface Holder {
  readonly name: string;
  /** One for each of the debate's `rounds`; null: it said nothing of its view then. */
  readonly views: readonly (Held | null)[];
}
export interface Debate {
  readonly recruited: readonly Recruited[];
  /** Who wrote or was written to, in the order of the recruited; the matrix's rows and columns. */
  readonly writers: readonly string[];
  /** Messages from the row to the column. */
  readonly wrote: readonly (readonly number[])[];
  /** Rounds in which views were told; 0 is before the first. */
  readonly rounds: readonly number[];
  readonly holders: readonly Holder[];
  readonly decision: { readonly by: string; readonly text: string } | null;
  /** Who keeps another view than the one decided, as the team states it: "nephrologist: Sepsis". */
  readonly minority: string;
}

/** The table's bound: names beyond it are left out. */
export const MAX_NAMES = 16;

/** The debate in a view; null where there is none: nobody wrote, no two were recruited, and nobody held something twice, as in a team that only reports. */
export function debateOf({ steps }: Pick<View, "steps">): Debate | null {
  const recruited = steps.filter((step) => step.kind === "recruited" && step.agents.length > 0).map(recruitedIn);
  const order = recruited.flatMap(({ seats }) => seats.flatMap(namesOf));
  const { writers, wrote } = messagesOf(steps, order);
  const { rounds, holders } = viewsOf(steps, order);
  const final = steps.findLast((step) => step.kind === "final");
  if (writers.length === 0 && order.length < 2 && !isHeldAgain(holders)) return null;
  return { recruited, writers, wrote, rounds, holders, decision: final ? { by: final.agents[0] ?? "The team", text: final.detail } : null, minority: steps.findLast((step) => step.kind === "minority")?.detail ?? "" };
}

const isHeldAgain = (holders: readonly Holder[]): boolean =>
  holders.length > 1 && holders.some(({ views }) => views.filter((held) => held !== null).length > 1);

/** Everybody who was recruited, wrote, was written to, or held something. */
export const participantsOf = ({ recruited, writers, holders }: Debate): readonly string[] =>
  [...new Set([...recruited.flatMap(({ seats }) => seats.flatMap(namesOf)), ...writers, ...holders.map(({ name }) => name)])];

/** How many messages there were. */
export const messagesIn = ({ wrote }: Debate): number => wrote.flat().reduce((sum, count) => sum + count, 0);

/** How many times somebody changed its view. */
export const changesIn = ({ holders }: Debate): number => holders.flatMap(({ views }) => views).filter((held) => held?.changed).length;

// -- who was recruited -----------------------------------------------------------------------------------------------

const namesOf = ({ name, below }: Seat): readonly string[] => [name, ...below.flatMap(namesOf)];

/** "Review Team: A > B; A > C; D", if it names each of the recruited and nobody else; else they stand side by side. */
function recruitedIn({ agents, detail }: Step): Recruited {
  const at = detail.lastIndexOf(": ") + 1;
  const paths = detail.slice(at).split(";").map((path) => path.split(">").map((name) => name.trim()));
  const named = new Set(paths.flat());
  if (named.size !== new Set(agents).size || !agents.every((name) => named.has(name))) {
    return { title: "", seats: agents.map((name) => ({ name, below: [] })) };
  }
  return { title: detail.slice(0, Math.max(0, at - 1)), seats: seatsOf(paths) };
}

function seatsOf(paths: readonly (readonly string[])[]): Seat[] {
  const below = new Map<string, string[][]>();
  for (const [name, ...rest] of paths) {
    if (name === undefined) continue;
    const known = below.get(name) ?? [];
    if (rest.length > 0) known.push(rest);
    below.set(name, known);
  }
  return [...below].map(([name, rest]) => ({ name, below: seatsOf(rest) }));
}

// -- who wrote to whom -----------------------------------------------------------------------------------------------

function messagesOf(steps: readonly Step[], order: readonly string[]): Pick<Debate, "writers" | "wrote"> {
  const sent = steps.filter((step) => step.kind === "message" && step.agents.length > 1);
  const writers = inOrder(sent.flatMap(({ agents }) => agents.slice(0, 2)), order, sent.length > 0);
  const wrote = writers.map((from) =>
    writers.map((to) => sent.reduce((sum, { agents, count }) => sum + (agents[0] === from && agents[1] === to ? count : 0), 0)),
  );
  return { writers, wrote };
}

/** The names once each, those of `order` first; all of `order` if `whole`, as who is silent has a row as well. */
function inOrder(names: readonly string[], order: readonly string[], whole: boolean): readonly string[] {
  const there = new Set(names);
  const first = order.filter((name) => whole || there.has(name));
  return [...new Set([...first, ...names])].slice(0, MAX_NAMES);
}

// -- what each held --------------------------------------------------------------------------------------------------

/** A view belongs to the round that it names, or else to the last that had begun. */
function viewsOf(steps: readonly Step[], order: readonly string[]): Pick<Debate, "rounds" | "holders"> {
  const held = new Map<string, Map<number, string>>();
  const changed = new Map<string, Map<number, string>>();
  let now = 0;
  for (const step of steps) {
    const name = step.agents[0];
    if (step.kind === "round") now = step.round ?? now + 1;
    if (name === undefined) continue;
    if (step.kind === "leading") put(held, name, step.round ?? now, step.detail);
    if (step.kind === "changed") put(changed, name, step.round ?? now, step.agents[1] ?? "");
  }
  const names = inOrder([...held.keys(), ...changed.keys()], order, false);
  const rounds = [...new Set([...held.values(), ...changed.values()].flatMap((by) => [...by.keys()]))].sort((a, b) => a - b);
  return { rounds, holders: names.map((name) => ({ name, views: viewsBy(rounds, held.get(name), changed.get(name)) })) };
}

function viewsBy(rounds: readonly number[], held?: ReadonlyMap<number, string>, changed?: ReadonlyMap<number, string>): readonly (Held | null)[] {
  let before: string | undefined;
  return rounds.map((round) => {
    const text = held?.get(round);
    const after = changed?.get(round);
    const isNew = text !== undefined && before !== undefined && key(text) !== key(before);
    before = text ?? before;
    return text === undefined && after === undefined ? null : { text: text ?? "", changed: isNew || after !== undefined, after: after ?? "" };
  });
}

const key = (text: string): string => text.trim().toLowerCase();

function put(kept: Map<string, Map<number, string>>, name: string, round: number, text: string): void {
  const by = kept.get(name) ?? new Map<number, string>();
  by.set(round, text);
  kept.set(name, by);
}
