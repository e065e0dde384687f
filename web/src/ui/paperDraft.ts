/** A case paper that a model drafted, for correction before a team reads it: each entry beside the words that it came from. */
import { button, h } from "./dom";

export interface Draft {
  readonly paper: Readonly<Record<string, unknown>>;
  readonly sources: readonly { readonly field: string; readonly words: string }[];
  readonly left_out: readonly { readonly field: string; readonly words: string; readonly why: string }[];
  readonly unread: readonly string[];
}

type Entry = Readonly<Record<string, unknown>> | string;

const LISTS: Readonly<Record<string, string>> = {
  allergies: "Allergies",
  medication: "Medication",
  labs: "Laboratory",
  observations: "Observations",
  imaging: "Imaging",
  history: "History",
  notes: "Notes",
};
const SINGLE: Readonly<Record<string, string>> = { age: "Age", age_unit: "Age in", sex: "Sex", weight_kg: "Weight, kg", height_cm: "Height, cm", presenting_complaint: "Comes with" };
const HELD = new Set(["case_id", "title"]);

/** One value that can be typed over. A number stays one: what is none is marked, and the paper waits for it. */
class Field {
  readonly input: HTMLInputElement;
  readonly element: HTMLElement;
  constructor(
    readonly name: string,
    label: string,
    private readonly was: unknown,
  ) {
    this.input = h("input", { type: "text", "aria-label": label, maxlength: 4000 });
    this.input.value = String(was);
    this.input.addEventListener("input", () => {
      this.input.setAttribute("aria-invalid", String(this.wrong));
    });
    this.element = h("label", {}, h("span", { class: "hint" }, label), this.input);
  }
  get wrong(): boolean {
    const typed = this.input.value.trim();
    return typeof this.was === "number" && typed !== "" && !Number.isFinite(Number(typed));
  }
  /** undefined: it was emptied, or is no number. */
  get value(): unknown {
    const typed = this.input.value.trim();
    if (typed === "" || this.wrong) return undefined;
    return typeof this.was === "number" ? Number(typed) : typed;
  }
}

/** An entry of a list: left out if it is unticked, or if what it is of was emptied. */
class Row {
  private readonly keep = h("input", { type: "checkbox", checked: true });
  readonly fields: readonly Field[];
  readonly element: HTMLElement;
  constructor(
    private readonly entry: Entry,
    title: string,
    words: string,
  ) {
    const values = typeof entry === "string" ? { [title]: entry } : entry;
    const typed = Object.entries(values).filter(([, value]) => typeof value === "string" || typeof value === "number");
    this.fields = typed.map(([name, value]) => new Field(name, typeof entry === "string" ? title : name.replaceAll("_", " "), value));
    const label = `Keep this entry of ${title.toLowerCase()}`;
    this.keep.setAttribute("aria-label", label);
    this.element = h("li", { "data-testid": "draft-entry" }, this.keep, ...this.fields.map((field) => field.element), words ? h("q", {}, words) : null);
  }
  get kept(): boolean {
    return this.keep.checked && this.fields[0]?.value !== undefined;
  }
  get value(): Entry {
    if (typeof this.entry === "string") return String(this.fields[0]?.value);
    const typed = new Set(this.fields.map((field) => field.name));
    const whole = Object.entries(this.entry).filter(([name]) => !typed.has(name));
    return Object.fromEntries([...whole, ...this.fields.filter((field) => field.value !== undefined).map((field) => [field.name, field.value])]);
  }
}

export class PaperDraftPanel {
  private readonly body = h("div", {});
  private readonly rest = h("div", {});
  readonly element = h(
    "section",
    { class: "panel", "aria-label": "The case paper, to be corrected", "data-testid": "paper-draft", hidden: true },
    h("div", { class: "panel-head" }, h("h2", {}, "The case paper"), h("span", { class: "tag faint" }, "drafted by a model")),
    h("p", { class: "hint" }, "Correct it before the team reads it. Beside each entry stand the words of your text that it came from."),
    this.body,
    this.rest,
  );
  private held: Readonly<Record<string, unknown>> = {};
  private single: readonly Field[] = [];
  private readonly rows = new Map<string, Row[]>();
  private readonly lists = new Map<string, HTMLElement>();

  show(draft: Draft): void {
    const words = new Map(draft.sources.map((each) => [each.field, each.words]));
    this.held = Object.fromEntries(Object.entries(draft.paper).filter(([name]) => HELD.has(name)));
    this.single = Object.entries(SINGLE).filter(([name]) => name in draft.paper).map(([name, label]) => new Field(name, label, draft.paper[name]));
    this.rows.clear();
    this.lists.clear();
    const patient = this.single.map((field) => h("li", {}, field.element, words.has(field.name) ? h("q", {}, words.get(field.name) ?? "") : null));
    this.body.replaceChildren(h("ul", { "data-testid": "draft-patient" }, ...patient), ...Object.entries(LISTS).map(([name, title]) => this.list(name, title, draft, words)));
    this.rest.replaceChildren(...leftOut(draft), ...this.unread(draft));
    this.element.hidden = false;
  }

  /** The fields that hold no number where one belongs. */
  get wrong(): readonly string[] {
    const fields = [...this.single, ...[...this.rows.values()].flat().filter((row) => row.kept).flatMap((row) => row.fields)];
    return fields.filter((field) => field.wrong).map((field) => field.name);
  }

  /** The paper as `POST /sessions` takes it; null while a field is wrong. */
  get corrected(): Record<string, unknown> | null {
    if (this.wrong.length > 0) return null;
    const single = this.single.filter((field) => field.value !== undefined).map((field) => [field.name, field.value] as const);
    const lists = [...this.rows].map(([name, rows]) => [name, rows.filter((row) => row.kept).map((row) => row.value)] as const);
    return { ...this.held, ...Object.fromEntries(single), ...Object.fromEntries(lists.filter(([, entries]) => entries.length > 0)) };
  }

  private list(name: string, title: string, draft: Draft, words: ReadonlyMap<string, string>): HTMLElement {
    const entries = Array.isArray(draft.paper[name]) ? (draft.paper[name] as readonly Entry[]) : [];
    const rows = entries.map((entry, at) => new Row(entry, title, words.get(`${name}.${at}`) ?? ""));
    const list = h("ul", {}, ...rows.map((row) => row.element));
    this.rows.set(name, rows);
    this.lists.set(name, list);
    return h("section", { "data-testid": `draft-${name}` }, h("h3", {}, title), rows.length === 0 ? h("p", { class: "hint" }, "None was found; that is not the same as none.") : null, list);
  }

  private unread({ unread }: Draft): readonly HTMLElement[] {
    if (unread.length === 0) return [];
    const line = (sentence: string): HTMLElement => {
      const add = button("Add as a note", "quiet", () => {
        const row = new Row(sentence, "Notes", "");
        this.rows.get("notes")?.push(row);
        this.lists.get("notes")?.append(row.element);
        add.disabled = true;
      });
      return h("li", {}, h("q", {}, sentence), add);
    };
    return [h("section", { "data-testid": "draft-unread" }, h("h3", {}, "Nothing was taken from"), h("ul", {}, ...unread.map(line)))];
  }
}

function leftOut({ left_out }: Draft): readonly HTMLElement[] {
  if (left_out.length === 0) return [];
  const line = ({ field, words, why }: Draft["left_out"][number]): HTMLElement => h("li", {}, h("q", {}, words), ` (${field.replaceAll("_", " ")}): ${why}`);
  return [h("section", { "data-testid": "draft-left-out" }, h("h3", {}, "Left out"), h("ul", {}, ...left_out.map(line)))];
}
