import { describe, expect, test } from "vitest";
import type { Envelope } from "../src/protocol";
import { MAX_HELD, Reorder, WINDOW_MS } from "../src/state/order";
import { message, snapshot } from "./messages";

const seqs = (ready: readonly Envelope[]): number[] => ready.map((envelope) => envelope.seq);

describe("order of messages", () => {
  test("a long message that ends after its successor still comes first", () => {
    const order = new Reorder();
    expect(seqs(order.add(message(1, "hello"), 0).ready)).toEqual([1]);
    expect(order.add(message(3, "trace"), 10)).toEqual({ ready: [], gap: false });
    expect(seqs(order.add(message(2, "update"), 20).ready)).toEqual([2, 3]);
    expect(order.expire(5_000)).toEqual({ ready: [], gap: false });
  });

  test("a message that never comes is given up after the window, and says that something is missing", () => {
    const order = new Reorder();
    order.add(message(1, "hello"), 0);
    order.add(message(3, "trace"), 100);
    order.add(message(4, "trace"), 200);
    expect(order.expire(100 + WINDOW_MS - 1)).toEqual({ ready: [], gap: false });
    const after = order.expire(100 + WINDOW_MS);
    expect(after.gap).toBe(true);
    expect(seqs(after.ready)).toEqual([3, 4]);
    expect(order.add(message(2, "update"), 2_000).ready).toEqual([]);
  });

  test("a snapshot needs nothing before it, and what it replaces is dropped", () => {
    const order = new Reorder();
    order.add(message(41, "trace"), 0);
    expect(seqs(order.add(message(43, "trace"), 1).ready)).toEqual([]);
    expect(seqs(order.add(message(42, "snapshot", snapshot()), 2).ready)).toEqual([42, 43]);
    expect(order.add(message(41, "trace"), 3).ready).toEqual([]);
  });

  test("a hello that comes before the first snapshot is not dropped by it", () => {
    const order = new Reorder();
    order.add(message(7, "trace"), 0);
    expect(order.add(message(8, "hello"), 0).ready).toEqual([]);
    expect(seqs(order.add(message(9, "snapshot", snapshot()), 1).ready)).toEqual([8, 9]);
  });

  test("repeats and older epochs are dropped; a newer epoch begins anew", () => {
    const order = new Reorder();
    order.add(message(1, "hello"), 0);
    expect(order.add(message(1, "hello"), 1).ready).toEqual([]);
    expect(seqs(order.add(message(1, "hello", {}, 2), 2).ready)).toEqual([1]);
    expect(order.add(message(2, "trace", {}, 1), 3).ready).toEqual([]);
  });

  test("a joiner who has missed the beginning asks for a snapshot", () => {
    const order = new Reorder();
    expect(order.add(message(9, "trace"), 0).ready).toEqual([]);
    const after = order.expire(WINDOW_MS);
    expect(after.gap).toBe(true);
    expect(seqs(after.ready)).toEqual([9]);
  });

  test("waiting messages are bounded", () => {
    const order = new Reorder();
    order.add(message(1, "hello"), 0);
    let gaps = 0;
    for (let seq = 3; seq <= MAX_HELD + 3; seq += 1) if (order.add(message(seq, "trace"), 0).gap) gaps += 1;
    expect(gaps).toBe(1);
  });
});
