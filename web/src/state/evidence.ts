/** The agents' words that a sentence of the page rests on: which, and where on this page they are. Pure. */
import type { Field, Item, Place, Sentence, Update } from "../protocol";
import type { Range } from "./markdown";
import { unitAt } from "./points";
import type { TraceBlock } from "./view";

/** A sentence whose words were asked for. */
export interface Wanted {
  /** Names the sentence on the page, so that it is found again when it is drawn anew. */
  readonly key: string;
  readonly text: string;
  readonly places: readonly Place[];
}

/** What an item rests on; null: nothing is known of it. */
export function wantedOfItem({ update_id, items, evidence }: Update, { item_id, text }: Item): Wanted | null {
  const places = evidence.items[items.findIndex((item) => item.item_id === item_id)] ?? [];
  return places.length > 0 ? { key: `${update_id} ${item_id}`, text, places } : null;
}

/** A piece of a field's text, and what it rests on if that is known. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly wanted: Wanted | null;
}

/** The whole text of a field in pieces, by places in JavaScript's units. */
export function piecesOf({ update_id, summary, evidence }: Update, field: Field): Piece[] {
  const text = summary[field];
  const pieces: Piece[] = [];
  let done = 0;
  for (const sentence of [...(evidence.fields[field] ?? [])].sort((a, b) => a.start - b.start)) {
    const [start, end] = [unitAt(text, sentence.start), unitAt(text, sentence.end)];
    if (start < done || end <= start || sentence.places.length === 0) continue;
    if (start > done) pieces.push({ start: done, end: start, wanted: null });
    pieces.push({ start, end, wanted: wanted(update_id, field, sentence, text.slice(start, end)) });
    done = end;
  }
  if (done < text.length) pieces.push({ start: done, end: text.length, wanted: null });
  return pieces;
}

const wanted = (update_id: string, field: Field, { start, places }: Sentence, text: string): Wanted => ({
  key: `${update_id} ${field} ${start}`,
  text,
  places,
});

/** Where in a block's text these places stand, in JavaScript's units. */
export function rangesIn({ agent_id, start, points, text, thinking }: TraceBlock, places: readonly Place[]): Range[] {
  if (start === null || thinking) return [];
  return places
    .filter((place) => place.agent_id === agent_id && place.start < start + points && place.end > start)
    .map((place): Range => [unitAt(text, place.start - start), unitAt(text, place.end - start)]);
}

export interface Quoted {
  readonly place: Place;
  /** Empty: the agent is not known here. */
  readonly name: string;
  /** As they were written; empty: they are not on this page, or not whole. */
  readonly words: string;
}

export function quoted(trace: readonly TraceBlock[], place: Place): Quoted {
  const own = trace.filter((block) => block.agent_id === place.agent_id && !block.thinking);
  let [words, reached] = ["", place.start];
  for (const block of own) {
    const [range] = rangesIn(block, [place]);
    if (!range || block.start === null || block.start > reached) continue;
    words += block.text.slice(...range);
    reached = Math.min(place.end, block.start + block.points);
  }
  return { place, name: own[0]?.name ?? "", words: reached < place.end ? "" : words };
}
