import { describe, expect, test } from "vitest";
import { reduce, EMPTY } from "../src/state/view";
import { paperWords, whoseWords } from "../src/ui/words";
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

describe("whose case it is", () => {
  const whose = (which_case?: string): string => whoseWords(reduce(EMPTY, message(1, "hello", { which_case }), 0).hello);

  test("is the first sentence of what the greeting says", () => {
    expect(whose("Recorded, simulated case: woman, 74. Weakness and a slow pulse.")).toBe("Recorded, simulated case: woman, 74");
    expect(whose("Live case.")).toBe("Live case");
    expect(whose()).toBe("");
    expect(whoseWords(null)).toBe("");
  });
});
