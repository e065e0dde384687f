import { describe, expect, test } from "vitest";
import { reduce, EMPTY } from "../src/state/view";
import { paperWords, readerWords, whoseWords } from "../src/ui/words";
import { message } from "./messages";

const said = (body: object): string => paperWords(reduce(EMPTY, message(1, "hello", body), 0).hello);

describe("a case without a case paper", () => {
  test("is told to be checked against no record", () => {
    expect(said({ has_paper: false })).toBe("Not checked against a record: this case has no case paper.");
  });

  test("nothing is said where there is a paper, or where nobody has said", () => {
    expect(said({ has_paper: true })).toBe("");
    expect(said({})).toBe("");
    expect(said({ has_paper: "no" })).toBe("");
    expect(paperWords(null)).toBe("");
  });
});

describe("who reads the agents' words", () => {
  const read = (reader: unknown): string => readerWords(reduce(EMPTY, message(1, "hello", { reader }), 0).hello);

  test("is told with where they go", () => {
    const reader = { name: "house", model: "qwen3:8b", host: "127.0.0.1:11434" };
    expect(read(reader)).toBe("Read by qwen3:8b. The agents’ words go to 127.0.0.1:11434.");
    expect(read({ ...reader, host: "" })).toBe("Read by qwen3:8b.");
  });

  test("nothing is said where rules read", () => {
    expect([read(null), read(undefined), read("qwen"), readerWords(null)]).toEqual(["", "", "", ""]);
  });
});

describe("whose case it is", () => {
  const whose = (which_case?: string): string => whoseWords(reduce(EMPTY, message(1, "hello", { which_case }), 0).hello);

  test("is the first sentence of what the greeting says", () => {
    expect(whose("Recorded, simulated case: woman, 74. Weakness and a slow pulse.")).toBe("Recorded, simulated case: woman, 74");
    expect(whose("Live case.")).toBe("Live case");
    expect(whose()).toBe("");
    expect(whoseWords(null)).toBe("");
  });
});
