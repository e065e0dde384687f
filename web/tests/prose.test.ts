// @vitest-environment happy-dom
import { describe, expect, test } from "vitest";
import { Prose } from "../src/ui/prose";
import { cpuMs, mostOfFourTimes } from "./cost";

const TEXT = `## Most likely
**Acute kidney injury** with *hyperkalaemia*:
- Potassium **6.9** mmol/L
  1. repeat it
| Test | Value |
|---|---|
| K | 6.9 |

\`\`\`json
{"plan": "dialysis"}
\`\`\`
> said before
The end.`;

const whole = (text: string): Prose => {
  const prose = new Prose();
  prose.show(text);
  return prose;
};
const html = (prose: Prose): string => prose.element.innerHTML;
const marked = (prose: Prose): string[] => [...prose.element.querySelectorAll("mark")].map(({ textContent }) => textContent ?? "");

describe("an agent's words", () => {
  test("are rendered: headings, bold, lists, tables, code", () => {
    const { element } = whole(TEXT);
    const all = (selector: string): (string | null)[] => [...element.querySelectorAll(selector)].map(({ textContent }) => textContent);
    expect(all("h5")).toEqual(["Most likely"]);
    expect(all("strong")).toEqual(["Acute kidney injury", "6.9"]);
    expect(all("em")).toEqual(["hyperkalaemia"]);
    expect(all("li")).toEqual(["• Potassium 6.9 mmol/L", "1. repeat it"]);
    expect([all("th"), all("td")]).toEqual([["Test", "Value"], ["K", "6.9"]]);
    expect(all("pre")).toEqual(['{"plan": "dialysis"}\n']);
    expect(all("blockquote")).toEqual(["said before"]);
    expect(element.textContent).not.toMatch(/\*\*|##|```|---/);
  });

  test("come out the same in pieces of any size as in one", () => {
    for (const size of [1, 2, 3, 7, 40]) {
      const prose = new Prose();
      for (let at = size; at < TEXT.length + size; at += size) prose.show(TEXT.slice(0, at));
      expect(html(prose)).toBe(html(whole(TEXT)));
    }
  });

  test("a line that is whole is not drawn again while more comes", () => {
    const prose = whole("First line.\nSecond");
    const [first] = prose.element.children;
    prose.show("First line.\nSecond line, and\nmore");
    expect(prose.element.children[0]).toBe(first);
    expect([...prose.element.children].map(({ textContent }) => textContent)).toEqual(["First line.", "Second line, and", "more"]);
  });

  test("a text that was put before what is shown is drawn anew", () => {
    const prose = whole("b1\nb2");
    prose.show("a1\na2\nb1\nb2");
    expect([...prose.element.children].map(({ textContent }) => textContent)).toEqual(["a1", "a2", "b1", "b2"]);
    prose.show("a1\na2\nc1\nc2");
    expect(prose.element.lastElementChild?.textContent).toBe("c2");
  });

  test("a text that is another one is drawn anew", () => {
    const prose = whole("One.\nTwo.");
    prose.show("One.");
    expect(prose.element.textContent).toBe("One.");
  });

  test("hostile Markdown is text: no link, no picture, no script, nothing deep", () => {
    const hostile = [
      "[press](javascript:alert(1)) ![x](x) <img src=x onerror=alert(1)> <script>alert(1)</script> <a href=x>y</a>",
      `${"> ".repeat(3_000)}deep`,
      `${"  ".repeat(3_000)}- deep`,
      "*_".repeat(3_000),
      "| ".repeat(3_000),
    ].join("\n");
    const { element } = whole(hostile);
    expect(element.querySelectorAll("a, img, script, iframe, style, object, [href], [src], [onerror]")).toHaveLength(0);
    expect(element.textContent).toContain("<script>alert(1)</script>");
    let deepest = 0;
    for (const each of element.querySelectorAll("*")) {
      let depth = 0;
      for (let up: Element | null = each; up && up !== element; up = up.parentElement) depth += 1;
      deepest = Math.max(deepest, depth);
    }
    expect(deepest).toBeLessThanOrEqual(9);
  });

  test("what grows piece by piece costs about its length", () => {
    const grown = (lines: number): Prose => {
      const text = "The potassium is **6.9** mmol/L and the ECG is wide.\n".repeat(lines);
      const prose = new Prose();
      for (let at = 0; at <= text.length; at += 40) prose.show(text.slice(0, at));
      return prose;
    };
    const quarterMs = cpuMs(() => grown(100));
    expect(cpuMs(() => expect(grown(400).element.children).toHaveLength(400))).toBeLessThan(mostOfFourTimes(quarterMs));
  });
});

describe("marks", () => {
  test("stand at their words, through styles and lines, and go", () => {
    const prose = whole(TEXT);
    const at = (words: string): [number, number] => [TEXT.indexOf(words), TEXT.indexOf(words) + words.length];
    prose.mark([at("- Potassium **6.9** mmol/L")]);
    expect(marked(prose).join("")).toBe("Potassium 6.9 mmol/L");
    prose.mark([at("| K | 6.9 |"), at("dialysis")]);
    expect(marked(prose)).toEqual(["K", "6.9", "dialysis"]);
    expect(prose.markAt([at("dialysis")])?.textContent).toBe("dialysis");
    expect(prose.markAt([at("The end.")])).toBeNull();
    prose.mark([]);
    expect(html(prose)).toBe(html(whole(TEXT)));
  });

  test("stay while the words grow", () => {
    const prose = whole("One. Two");
    prose.mark([[5, 14]]);
    prose.show("One. Two words and more.");
    expect(marked(prose)).toEqual(["Two words"]);
  });
});
