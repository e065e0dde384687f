/**
 * One block of an agent's words, rendered as it grows: whole lines once, the last one again while it grows. Words are put
 * on the page as text nodes only, so nothing in them can do anything.
 */
import { type Line, lineOf, type Range, type Run, runsOf } from "../state/markdown";
import { h } from "./dom";

interface Shown {
  readonly start: number;
  readonly end: number;
  readonly line: Line;
  /** Whether a fence was open above it. */
  readonly inCode: boolean;
  readonly element: HTMLElement | null;
  /** The ranges of the block that are marked in it, as they were drawn. */
  marked: string;
}

/** What lines of a kind stand in, side by side with their like. */
const HOLDERS: Partial<Record<Line["kind"], () => HTMLElement>> = {
  item: () => h("ul", { class: "listed" }),
  row: () => h("div", { class: "wide" }, h("table", {}, h("tbody", {}))),
  code: () => h("pre", {}, h("code", {})),
  quote: () => h("blockquote", {}),
};

export class Prose {
  readonly element = h("div", { class: "prose" });
  private text = "";
  private lines: Shown[] = [];
  private marks: readonly Range[] = [];

  /** Show `text`: what was shown before and more, or something else. */
  show(text: string): void {
    if (text === this.text) return;
    if (!text.startsWith(this.text)) this.clear();
    const last = this.lines.at(-1);
    const begun = last && this.text[last.end] !== "\n" ? this.lines.pop() : undefined;
    begun?.element && this.remove(begun.element);
    this.text = text;
    let start = begun?.start ?? (last ? last.end + 1 : 0);
    let inCode = begun?.inCode ?? after(last);
    while (start < text.length) {
      const newline = text.indexOf("\n", start);
      const end = newline < 0 ? text.length : newline;
      inCode = this.add(start, end, inCode);
      start = end + 1;
    }
  }

  /** Mark these ranges of the block's text and no others. */
  mark(ranges: readonly Range[]): void {
    this.marks = ranges;
    for (const shown of this.lines) this.fill(shown);
  }

  /** The first marked element in the lines of these ranges. */
  markAt([range]: readonly Range[]): HTMLElement | null {
    if (!range) return null;
    const [from, to] = range;
    for (const { start, end, element } of this.lines) {
      const mark = from < end && to > start ? element?.querySelector("mark") : null;
      if (mark) return mark;
    }
    return null;
  }

  private clear(): void {
    this.text = "";
    this.lines = [];
    this.element.replaceChildren();
  }

  /** Add a line; returns whether a fence is open behind it. */
  private add(start: number, end: number, inCode: boolean): boolean {
    const line = lineOf(this.text.slice(start, end), inCode);
    const shown: Shown = { start, end, line, inCode, element: this.place(line), marked: "-" };
    this.lines.push(shown);
    if (line.kind === "ruling") this.head();
    this.fill(shown);
    return after(shown);
  }

  private place(line: Line): HTMLElement | null {
    const element = elementOf(line);
    if (!element) return null;
    const holder = HOLDERS[line.kind];
    if (!holder) {
      this.element.append(element);
      return element;
    }
    const before = this.lines.at(-1);
    const inside = before?.line.kind === line.kind || (line.kind === "row" && before?.line.kind === "ruling");
    const last = inside && this.element.lastElementChild instanceof HTMLElement ? this.element.lastElementChild : null;
    const box = last ?? holder();
    if (!last) this.element.append(box);
    (box.querySelector("tbody, code") ?? box).append(element);
    return element;
  }

  private remove(element: HTMLElement): void {
    const box = [...this.element.children].at(-1);
    element.remove();
    if (box && box !== element && !box.querySelector("li, tr, span, p")) box.remove();
  }

  /** The row above a ruling heads its table. */
  private head(): void {
    const row = this.lines.at(-2);
    if (row?.line.kind !== "row" || !row.element) return;
    row.element.dataset["head"] = "true";
    row.marked = "-";
    this.fill(row);
  }

  /** Draw the words of a line, unless they stand as they should. */
  private fill(shown: Shown): void {
    const { element, start, end, line } = shown;
    if (!element) return;
    const marks = this.marks.filter(([from, to]) => from < end && to > start).map(([from, to]): Range => [from - start, to - start]);
    const marked = JSON.stringify(marks);
    if (shown.marked === marked) return;
    shown.marked = marked;
    const text = this.text.slice(start, end);
    const words = (part: Range): Node[] =>
      (line.kind === "code" ? [{ start: part[0], end: part[1], bold: false, slanted: false, code: false, breaks: false }] : runsOf(text, part)).flatMap(
        (run) => drawn(text, run, marks),
      );
    if (line.kind === "row") {
      const head = element.dataset["head"] === "true";
      element.replaceChildren(...line.parts.map((part) => h(head ? "th" : "td", head ? { scope: "col" } : {}, ...words(part))));
    } else {
      const marker = line.kind === "item" ? [h("span", { class: "marker" }, line.marker), " "] : [];
      const newline = line.kind === "code" ? ["\n"] : [];
      element.replaceChildren(...marker, ...line.parts.flatMap(words), ...newline);
    }
  }
}

const after = (shown: Shown | undefined): boolean => (shown ? (shown.line.kind === "fence" ? !shown.inCode : shown.inCode) : false);

function elementOf({ kind, level }: Line): HTMLElement | null {
  switch (kind) {
    case "heading":
      return h(level <= 1 ? "h4" : level === 2 ? "h5" : "h6", {});
    case "item":
      return h("li", { "data-level": level });
    case "row":
      return h("tr", {});
    case "rule":
      return h("hr", {});
    case "code":
      return h("span", {});
    case "quote":
    case "text":
      return h("p", {});
    case "blank":
    case "ruling":
    case "fence":
      return null;
  }
}

/** The nodes of a run, cut where a mark begins or ends. */
function drawn(text: string, run: Run, marks: readonly Range[]): Node[] {
  if (run.breaks) return [h("br", {})];
  const cuts = new Set([run.start, run.end]);
  for (const [from, to] of marks) for (const at of [from, to]) if (at > run.start && at < run.end) cuts.add(at);
  const bounds = [...cuts].sort((a, b) => a - b);
  return bounds.slice(1).map((to, at) => {
    const from = bounds[at] ?? run.start;
    const marked = marks.some(([start, end]) => start <= from && to <= end);
    let node: Node = document.createTextNode(text.slice(from, to));
    if (run.code) node = h("code", {}, node);
    if (run.slanted) node = h("em", {}, node);
    if (run.bold) node = h("strong", {}, node);
    return marked ? h("mark", { "data-testid": "evidence-mark" }, node) : node;
  });
}
