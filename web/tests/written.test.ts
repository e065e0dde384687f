import { describe, expect, test } from "vitest";
import type { Update } from "../src/protocol";
import { writtenBy, writtenTag } from "../src/ui/written";
import { message, update } from "./messages";

const read = (more: object = {}): Update => {
  const found = message(1, "update", update(1, [], more));
  if (found.type !== "update") throw new Error(found.type);
  return found.body;
};
const MODEL = { engine: "llm", model: "twin-1" };

describe("who wrote an update", () => {
  test("an agent that says nothing of it is one that has no model", () => {
    expect(writtenBy(read())).toEqual({ by: "Written by rules, without a model.", amiss: [] });
    expect(writtenTag(read())).toBe("");
  });

  test("a model is named, with how much of it is its", () => {
    const some = read({ ...MODEL, by_model: ["key_findings", "status_action", "a field of tomorrow"] });
    expect(writtenBy(some).by).toBe("2 of 6 parts chosen by twin-1 from the agents' own sentences, the others written by rules.");
    expect(writtenBy(read({ ...MODEL, by_model: [] })).by).toContain("A sentence to be read was chosen by twin-1");
    expect(writtenTag(some)).toBe("twin-1");
  });

  test("where rules stood in for a model it says so, and why", () => {
    const broken = read({ fallbacks: [{ part: "summarizer", reason: "breaker_open" }, { part: "judge", reason: "of tomorrow" }] });
    expect(writtenBy(broken).amiss).toEqual([
      "Written by rules: the model failed too often in a row and is left alone for a while.",
      "Rules decided when: the model failed.",
    ]);
    expect(writtenBy(broken).by).toBe("");
    expect(writtenTag(broken)).toBe("Rules stood in");
    const due = read({ fallbacks: [{ part: "judge", reason: "behind" }] });
    expect(writtenBy(due).by).toBe("Written by rules, without a model.");
    expect(writtenTag(due)).toBe("");
  });

  test("what was cut to fit is named", () => {
    expect(writtenBy(read({ ...MODEL, truncated: ["key_findings"] })).amiss).toEqual([
      "Cut short to fit, and never read aloud: Key findings.",
    ]);
  });
});
