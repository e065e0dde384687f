/** Messages as an agent would send them, for the tests. */
import { parseEnvelope } from "../src/parse";
import type { Envelope } from "../src/protocol";

export function message(seq: number, type: string, body: object = {}, epoch = 1): Envelope {
  const parsed = parseEnvelope(JSON.stringify({ v: 1, seq, epoch, type, at_ms: 1_790_000_000_000 + seq, body }));
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.envelope;
}

export const update = (number: number, items: object[] = [], more: object = {}): object => ({
  update_id: `u-${number}`,
  number,
  path: "A",
  summary: { status_action: `Status of ${number}.` },
  items,
  ...more,
});

export const utterance = (utterance_id: string, phase: string, more: object = {}): object => ({
  utterance_id,
  update_id: null,
  item_id: null,
  kind: "finding",
  text: `Text of ${utterance_id}.`,
  phase,
  cause: null,
  reason: "",
  ...more,
});

/** A clause of words that last 4,800 samples (100 ms) each. */
export const segment = (utterance_id: string, start_sample: number, text: string, index = 0): object => {
  const words = text.split(" ").map((word, at) => ({
    text: word,
    start_sample: start_sample + at * 4_800,
    end_sample: start_sample + (at + 1) * 4_800,
  }));
  return { utterance_id, index, of: 2, start_sample, samples: words.length * 4_800, words };
};

export const snapshot = (more: object = {}): object => ({
  reasoning: { phase: "thinking", detail: "" },
  updates: [],
  utterances: [],
  trace: [],
  clock: null,
  ...more,
});

export const turn = (turn_id: string, phase: string, more: object = {}): object => ({ turn_id, phase, via: "voice", ...more });
