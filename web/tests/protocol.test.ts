import { describe, expect, test } from "vitest";
import { parseEnvelope } from "../src/parse";
import { message, utterance } from "./messages";

describe("reading a message", () => {
  test("another version is told apart from rubbish", () => {
    expect(parseEnvelope('{"v":2,"seq":1,"epoch":1,"type":"hello"}')).toEqual({ ok: false, why: "version", version: 2 });
    expect(parseEnvelope("{")).toEqual({ ok: false, why: "not_json" });
    for (const raw of ["null", "[]", "3", "{}", '{"v":1,"seq":1,"type":"hello"}', '{"v":1,"seq":1.5,"epoch":1,"type":"x"}']) {
      expect(parseEnvelope(raw)).toEqual({ ok: false, why: "not_a_message" });
    }
  });

  test("an unknown type keeps its place in the order", () => {
    expect(message(7, "hologram", { depth: 3 })).toEqual({
      type: "unknown",
      name: "hologram",
      seq: 7,
      epoch: 1,
      at_ms: 1_790_000_000_007,
    });
  });

  test("newer fields are ignored and missing ones are empty", () => {
    const read = message(1, "update", { update_id: "u-1", number: 1, colour: "red", items: [{ item_id: "a", mood: 1 }, 5] });
    expect(read).toMatchObject({ type: "update", body: { path: "", summary: { key_findings: "" } } });
    expect(read).toHaveProperty("body.items", [{ item_id: "a", kind: "", text: "", urgency: "routine" }]);
    expect(read).not.toHaveProperty("body.colour");
  });

  test("a phase that this page has not is unknown, not a guess", () => {
    expect(message(1, "utterance", utterance("a", "whispered"))).toHaveProperty("body.phase", "unknown");
  });

  test("a clock without a number is no clock", () => {
    expect(message(1, "clock", { clock: "rtp", zero: null }).type).toBe("unknown");
    expect(message(1, "snapshot", { clock: { clock: "rtp" } })).toHaveProperty("body.clock", null);
  });
});
