/**
 * What the agents' Markdown means, line by line and by place: nothing of a text is made anew, so that evidence finds its
 * words. Pure, and each line costs its own length.
 *
 * Headings, lists, quotations, tables, code, bold and slanted words. Links, pictures, HTML and all else stay the text
 * that they are.
 */

export type Range = readonly [start: number, end: number];

export type LineKind = "blank" | "heading" | "item" | "row" | "ruling" | "rule" | "quote" | "fence" | "code" | "text";

export interface Line {
  readonly kind: LineKind;
  /** Of a heading 1 to 6; of a list's item how deep it stands, 0 to `DEEPEST`. */
  readonly level: number;
  /** Of a list's item: its number, or a bullet. */
  readonly marker: string;
  /** Where in the line what is to be read stands: a row's cells, else one range. */
  readonly parts: readonly Range[];
}

/** Words in one style, by their place. `breaks`: a new line, and no words. */
export interface Run {
  readonly start: number;
  readonly end: number;
  readonly bold: boolean;
  readonly slanted: boolean;
  readonly code: boolean;
  readonly breaks: boolean;
}

export const DEEPEST = 5;
const ITEM = /^[ \t]{0,40}(?:[-*+•]|(\d{1,4}[.)]))[ \t]/;
const HEADING = /^ {0,3}(#{1,6})[ \t]/;
const FENCE = /^[ \t]{0,40}(?:```|~~~)/;
const RULING = /^:?-+:?$/;
const BREAK = /^<br[ \t]{0,3}\/?>/i;
const WORD = /[\p{L}\p{N}]/u;

/** What a line is. `inCode`: a fence was opened above it and not closed. */
export function lineOf(text: string, inCode: boolean): Line {
  if (FENCE.test(text)) return line("fence", []);
  if (inCode) return line("code", [[0, text.length]]);
  if (text.trim() === "") return line("blank", []);
  const heading = HEADING.exec(text);
  if (heading) return line("heading", [headingWords(text, heading[0].length)], heading[1]?.length ?? 1);
  if (isRule(text)) return line("rule", []);
  const item = ITEM.exec(text);
  if (item) {
    const indent = text.slice(0, item[0].length).replaceAll("\t", "    ").search(/\S/);
    return line("item", [trimmed(text, item[0].length, text.length)], Math.min(DEEPEST, indent >> 1), item[1] ?? "•");
  }
  const cells = cellsOf(text);
  if (cells.length) return line(cells.every(([start, end]) => RULING.test(text.slice(start, end))) ? "ruling" : "row", cells);
  const start = text.search(/\S/);
  if (text[start] === ">") return line("quote", [trimmed(text, start + 1, text.length)]);
  return line("text", [[0, trimmed(text, 0, text.length)[1]]]); // its indent may be that of JSON
}

const line = (kind: LineKind, parts: readonly Range[], level = 0, marker = ""): Line => ({ kind, level, marker, parts });

function trimmed(text: string, start: number, end: number): Range {
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return [start, end];
}

const isBlank = (char: string | undefined): boolean => char === undefined || char.trim() === "";

function headingWords(text: string, from: number): Range {
  const [start, end] = trimmed(text, from, text.length);
  let last = end;
  while (last > start && text[last - 1] === "#") last -= 1;
  return last < end && isBlank(text[last - 1]) ? trimmed(text, start, last) : [start, end];
}

/** Three dashes, stars or underscores and nothing else. */
function isRule(text: string): boolean {
  const marks = text.replaceAll(/[ \t]/g, "");
  return marks.length >= 3 && "-*_".includes(marks.charAt(0)) && marks === marks.charAt(0).repeat(marks.length);
}

/** The cells of a table's line; none: it is not one. */
function cellsOf(text: string): Range[] {
  const [start, end] = trimmed(text, 0, text.length);
  if (text[start] !== "|" || end - start < 3) return [];
  const cells: Range[] = [];
  let from = start + 1;
  for (let at = from; at < end; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "|") {
      cells.push(trimmed(text, from, at));
      from = at + 1;
    }
  }
  if (cells.length === 0) return [];
  if (from < end) cells.push(trimmed(text, from, end));
  return cells;
}

interface Mark {
  /** "*", "**", "_" or "__". */
  readonly sign: string;
  readonly at: number;
  readonly opens: boolean;
  readonly closes: boolean;
}

/** The words of `text` from `start` to `end` in their styles, without the signs of these. */
export function runsOf(text: string, [start, end]: Range): Run[] {
  const gone: Range[] = []; // signs, with what they do behind them
  const styles: { readonly at: number; readonly style: "bold" | "slanted" | "code"; readonly on: boolean }[] = [];
  const breaks = new Set<number>();
  const open = new Map<string, Mark[]>();
  const unclosed = new Set<string>(); // a search for the end of code that found none finds none further on
  for (let at = start; at < end; ) {
    const char = text[at] ?? "";
    if (char === "\\" && at + 1 < end && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "")) {
      gone.push([at, at + 1]);
      at += 2;
    } else if (char === "`") {
      const length = runLength(text, at, end);
      const sign = "`".repeat(length);
      const close = unclosed.has(sign) ? -1 : closing(text, sign, at + length, end);
      if (close < 0) {
        unclosed.add(sign);
        at += length;
        continue;
      }
      gone.push([at, at + length], [close, close + length]);
      styles.push({ at, style: "code", on: true }, { at: close, style: "code", on: false });
      at = close + length;
    } else if (char === "*" || char === "_") {
      const length = runLength(text, at, end);
      for (const mark of marksOf(text, at, length, [start, end])) pair(mark, open, gone, styles);
      at += length;
    } else if (char === "<" && BREAK.test(text.slice(at, at + 8))) {
      const length = text.indexOf(">", at) + 1 - at;
      gone.push([at, at + length]);
      breaks.add(at);
      at += length;
    } else at += 1;
  }
  return assemble([start, end], gone, styles, breaks);
}

function runLength(text: string, at: number, end: number): number {
  let length = 1;
  while (at + length < end && text[at + length] === text[at]) length += 1;
  return length;
}

/** Where a run of exactly `sign` stands next, before `end`; -1: nowhere. */
function closing(text: string, sign: string, from: number, end: number): number {
  for (let at = text.indexOf(sign, from); at >= 0 && at < end; ) {
    const length = runLength(text, at, end);
    if (length === sign.length) return at;
    at = text.indexOf(sign, at + length);
  }
  return -1;
}

/** What a run of stars or underscores may be; four and more are what they are. */
function marksOf(text: string, at: number, length: number, [start, end]: Range): Mark[] {
  if (length > 3) return [];
  const before = at > start ? (text[at - 1] ?? "") : "";
  const after = at + length < end ? (text[at + length] ?? "") : "";
  const inWord = WORD.test(before) && WORD.test(after);
  const digits = /\d/.test(before) && /\d/.test(after); // "2*3*4"
  if (digits || (inWord && text[at] === "_")) return [];
  const [opens, closes] = [!isBlank(after || undefined), !isBlank(before || undefined)];
  const sign = text[at] ?? "";
  const mark = (signs: string, place: number): Mark => ({ sign: signs, at: place, opens, closes });
  if (length < 3) return [mark(sign.repeat(length), at)];
  return closes && !opens ? [mark(sign, at), mark(sign + sign, at + 1)] : [mark(sign + sign, at), mark(sign, at + 2)];
}

function pair(
  mark: Mark,
  open: Map<string, Mark[]>,
  gone: Range[],
  styles: { at: number; style: "bold" | "slanted" | "code"; on: boolean }[],
): void {
  const waiting = open.get(mark.sign) ?? [];
  const begun = mark.closes ? waiting.pop() : undefined;
  if (begun) {
    const style = mark.sign.length === 2 ? "bold" : "slanted";
    gone.push([begun.at, begun.at + mark.sign.length], [mark.at, mark.at + mark.sign.length]);
    styles.push({ at: begun.at, style, on: true }, { at: mark.at, style, on: false });
    for (const others of open.values()) while ((others.at(-1)?.at ?? -1) > begun.at) others.pop();
  } else if (mark.opens) {
    waiting.push(mark);
    open.set(mark.sign, waiting);
  }
}

function assemble(
  [start, end]: Range,
  gone: readonly Range[],
  styles: readonly { readonly at: number; readonly style: "bold" | "slanted" | "code"; readonly on: boolean }[],
  breaks: ReadonlySet<number>,
): Run[] {
  const cuts = [...gone].sort((a, b) => a[0] - b[0]);
  const turns = new Map<number, { style: "bold" | "slanted" | "code"; on: boolean }[]>();
  for (const { at, style, on } of styles) turns.set(at, [...(turns.get(at) ?? []), { style, on }]);
  const runs: Run[] = [];
  const now = { bold: false, slanted: false, code: false };
  let from = start;
  for (const [cut, after] of cuts) {
    if (cut > from) runs.push({ start: from, end: cut, ...now, breaks: false });
    if (breaks.has(cut)) runs.push({ start: cut, end: after, ...now, breaks: true });
    for (const { style, on } of turns.get(cut) ?? []) now[style] = on;
    from = Math.max(from, after);
  }
  if (from < end) runs.push({ start: from, end, ...now, breaks: false });
  return runs;
}

/** `text` as it is read, on one line and without any signs: for a name or a list. */
export function plainOf(text: string): string {
  let inCode = false;
  const read: string[] = [];
  for (const each of text.split("\n")) {
    const { kind, parts } = lineOf(each, inCode);
    if (kind === "fence") inCode = !inCode;
    if (kind === "ruling") continue;
    for (const part of parts) read.push(runsOf(each, part).map((run) => (run.breaks ? " " : each.slice(run.start, run.end))).join(""));
  }
  return read.join(" ").replaceAll(/\s+/g, " ").trim();
}
