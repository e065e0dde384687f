import { describe, expect, test } from "vitest";
import { lineOf, plainOf, runsOf } from "../src/state/markdown";
import { cpuMs, mostOfFourTimes } from "./cost";

/** What is read of a line, with its styles as letters. */
const styled = (text: string): string[] =>
  runsOf(text, [0, text.length]).map((run) => {
    const style = [run.bold && "b", run.slanted && "i", run.code && "c", run.breaks && "br"].filter(Boolean).join("");
    return `${style}:${run.breaks ? "" : text.slice(run.start, run.end)}`;
  });
const kinds = (...lines: string[]): string[] => lines.map((line) => lineOf(line, false).kind);

describe("what a line is", () => {
  test("headings, items, rows, rulings, quotations, rules, fences and the rest", () => {
    expect(kinds("# Plan", "- one", "  3. two", "| a | b |", "|---|:-:|", "> said", "***", "```json", "", "Plain.", "####### no", "#no", "-no", "a | b")).toEqual(
      ["heading", "item", "item", "row", "ruling", "quote", "rule", "fence", "blank", "text", "text", "text", "text", "text"],
    );
  });

  test("what is read of it, without its signs", () => {
    const words = (text: string): string[] => lineOf(text, false).parts.map(([start, end]) => text.slice(start, end));
    expect(words("## Critical finding ##")).toEqual(["Critical finding"]);
    expect(words("  12) Repeat the ECG  ")).toEqual(["Repeat the ECG"]);
    expect(words("| K | 6.9 \\| 7 |  |")).toEqual(["K", "6.9 \\| 7", ""]);
    expect(words("| K | 6.9")).toEqual(["K", "6.9"]);
    expect(words('  "a": 1')).toEqual(['  "a": 1']);
  });

  test("an item knows its number and how deep it stands, up to a bound", () => {
    expect([lineOf("2. x", false), lineOf("    * x", false), lineOf(`${" ".repeat(39)}- x`, false)].map(({ marker, level }) => [marker, level])).toEqual([
      ["2.", 0],
      ["•", 2],
      ["•", 5],
    ]);
  });

  test("in code all is code until a fence closes it", () => {
    expect(lineOf("# no heading", true).kind).toBe("code");
    expect(lineOf("```", true).kind).toBe("fence");
  });
});

describe("the words of a line", () => {
  test("bold, slanted, both, and code", () => {
    expect(styled("a **b** *c* ***d*** `e*f*` __g__ _h_")).toEqual([":a ", "b:b", ": ", "i:c", ": ", "bi:d", ": ", "c:e*f*", ": ", "b:g", ": ", "i:h"]);
    expect(styled("**bold with *slanted* in it**")).toEqual(["b:bold with ", "bi:slanted", "b: in it"]);
  });

  test("signs that mean nothing stay", () => {
    for (const text of ["5 * 3 * 2", "2*3*4", "snake_case_name", "**not closed", "a ` b", "****", "* ", "10 ** 9", "P<0.05 and x>3"]) {
      expect(styled(text)).toEqual([`:${text}`]);
    }
  });

  test("an escape shows what it escapes, and a break breaks", () => {
    expect(styled("\\*not slanted\\*")).toEqual([":", ":*not slanted", ":*"].filter((each) => each !== ":"));
    expect(styled("a<br>b<BR />c")).toEqual([":a", "br:", ":b", "br:", ":c"]);
  });

  test("links, pictures, HTML and addresses stay the text that they are", () => {
    for (const text of ["[press](javascript:alert(1))", "![x](http://e.example/a.png)", "<img src=x onerror=alert(1)>", "<script>", "https://e.example", "<b>x</b>"]) {
      expect(styled(text).join("")).toBe(`:${text}`);
    }
  });

  test("nothing is lost but signs, and a hostile line costs its own length", () => {
    const signs = ["*", "**", "`", "``", "_", "[", "](", "<", "|", "\\", "*a", "**a ", "`a", "> ", "- "];
    const read = (times: number) => () => {
      for (const text of signs.map((each) => each.repeat(times))) {
        const runs = runsOf(text, [0, text.length]);
        expect(runs.every((run, at) => run.start >= (runs[at - 1]?.end ?? 0))).toBe(true);
        lineOf(text, false);
      }
    };
    const quarterMs = cpuMs(read(5_000));
    expect(cpuMs(read(20_000))).toBeLessThan(mostOfFourTimes(quarterMs));
  });
});

test("a text for a list is on one line, without signs", () => {
  expect(plainOf("## Plan\n- **Hold** metformin\n\n| K | 6.9 |\n|---|---|\n```\n{\"a\": 1}\n```\n")).toBe('Plan Hold metformin K 6.9 {"a": 1}');
});
