import { describe, expect, test } from "vitest";
import { cursorAt, sampleAt, sampleByArrival } from "../src/sound/clock";
import { lookAt, OnsetDetector } from "../src/sound/onset";
import type { SegmentView } from "../src/state/view";

const MS = 48;
const silent = (fresh: number | null): Parameters<OnsetDetector["look"]>[1] => ({ fresh, firstLoudAgo: null, lastLoudAgo: null });

describe("the sound's clock", () => {
  test("the sample at the ear is position less zero, over the wrap of 32 bits too", () => {
    expect(sampleAt(1_000, { clock: "rtp", zero: 400 })).toBe(600);
    expect(sampleAt(100, { clock: "rtp", zero: 2 ** 32 - 50 })).toBe(150);
    expect(sampleAt(2 ** 32 - 10, { clock: "rtp", zero: 5 })).toBe(-15);
  });

  test("before the clock is known the newest clause counts from its arrival, 150 ms later at the ear", () => {
    const segment = { start_sample: 96_000, arrived_ms: 1_000 } as SegmentView;
    expect(sampleByArrival([], 1_000)).toBeNull();
    expect(sampleByArrival([segment], 1_000)).toBe(96_000 - 150 * MS);
    expect(sampleByArrival([segment], 1_250)).toBe(96_000 + 100 * MS);
  });

  test("between two clauses the last one stays, without a word", () => {
    const words = [{ text: "one", start_sample: 100, end_sample: 200 }];
    const segment = { utterance_id: "a", start_sample: 100, samples: 100, words } as unknown as SegmentView;
    expect(cursorAt([segment], 99)).toBeNull();
    expect(cursorAt([segment], 150)).toMatchObject({ word: 0, inside: true });
    expect(cursorAt([segment], 200)).toMatchObject({ word: null, inside: false });
  });
});

describe("where sound began", () => {
  test("is told to the sample after 400 ms of silence", () => {
    const onsets = new OnsetDetector();
    for (let at = 1; at <= 16; at += 1) expect(onsets.look(at * 25 * MS, silent(25 * MS))).toBe(false);
    expect(onsets.look(425 * MS, { fresh: 25 * MS, firstLoudAgo: 10 * MS, lastLoudAgo: 1 })).toBe(true);
    expect(onsets.onset).toBe(415 * MS);
  });

  test("is not told for a pause that is shorter, nor while sound goes on", () => {
    const onsets = new OnsetDetector();
    onsets.look(0, { fresh: 1_200, firstLoudAgo: 1_200, lastLoudAgo: 1 });
    for (let at = 1; at <= 15; at += 1) onsets.look(at * 25 * MS, silent(25 * MS));
    expect(onsets.look(400 * MS, { fresh: 25 * MS, firstLoudAgo: 25 * MS, lastLoudAgo: 1 })).toBe(false);
    expect(onsets.onset).toBeNull();
  });

  test("is not told when samples were missed: a word may have been among them", () => {
    const onsets = new OnsetDetector();
    for (let at = 1; at <= 30; at += 1) onsets.look(at * 25 * MS, silent(at === 20 ? null : 25 * MS));
    expect(onsets.look(775 * MS, { fresh: 25 * MS, firstLoudAgo: 5, lastLoudAgo: 1 })).toBe(false);
  });

  test("holds over the wrap of the listener's clock", () => {
    const onsets = new OnsetDetector();
    for (let at = 0; at < 20; at += 1) onsets.look(0, silent(25 * MS));
    onsets.look(100, { fresh: 25 * MS, firstLoudAgo: 300, lastLoudAgo: 1 });
    expect(onsets.onset).toBe(2 ** 32 - 200);
  });

  test("only what is new in the buffer counts, and −50 dBFS is still silence", () => {
    const samples = new Float32Array(100);
    samples[10] = 0.5;
    samples[60] = 0.0029;
    samples[80] = -0.2;
    samples[90] = 0.2;
    expect(lookAt(samples, 50)).toEqual({ fresh: 50, firstLoudAgo: 20, lastLoudAgo: 10 });
    expect(lookAt(samples, null)).toMatchObject({ fresh: null, firstLoudAgo: 90 });
    expect(lookAt(samples, 5)).toMatchObject({ firstLoudAgo: null });
  });
});
