/** "A case of your own": pasted or dropped, or a scripted one; a team and a model for it, and straight to the room. */
import { ApiError, draftPaper, type NewSession } from "../net/api";
import { listTeams, startTeam, type Teams, type Wanted } from "../net/teams";
import { button, h, setText } from "./dom";
import { PaperDraftPanel } from "./paperDraft";

/** The server takes bodies of 64 KiB; a case has at most 40,000 characters as its agents read it. */
export const MOST_BYTES = 60_000;
const OWN = "";
const NAMES: Readonly<Record<string, string>> = { cdss: "Specialists and an orchestrator", doctors: "Doctors and a supervisor", mdagents: "MDAgents" };

export class OwnCase {
  private readonly text = h("textarea", { rows: 7, placeholder: "Paste the case here, or drop a file: plain text, a case paper, or a FHIR R4 Bundle.", "aria-label": "The case", "data-testid": "own-text", spellcheck: "false" });
  private readonly which = h("select", { "data-testid": "own-which" });
  private readonly team = h("select", { "data-testid": "own-team" });
  private readonly model = h("select", { "data-testid": "own-model" });
  private readonly stays = h("input", { type: "checkbox", "data-testid": "own-stays" });
  private readonly one = h("input", { type: "checkbox", "data-testid": "own-one" });
  private readonly oneRow = h("label", { class: "own-stays", hidden: true, "data-testid": "own-one-row" }, this.one, h("span", {}, "All of it is about one patient", h("span", { class: "case-facts" }, "Read the two places first: a team reasons about one")));
  private readonly hint = h("p", { class: "hint", "data-testid": "own-hint" });
  private readonly error = h("p", { class: "error", role: "alert", hidden: true, "data-testid": "own-error" });
  private readonly start: HTMLButtonElement = button("Start the team", "primary", () => void this.begin(), "own-start");
  private readonly make: HTMLButtonElement = button("Make a paper first", "quiet", () => void this.drafted(), "own-draft");
  private readonly paper = new PaperDraftPanel();
  /** The text that the drafted paper is of: another text has none. */
  private paperOf = "";
  /** What is asked for, and has not been answered: it is not asked for twice. */
  private drafting = false;
  private starting = false;
  private readonly modelRow = h("label", {}, "Model", this.model);
  private readonly body = h("div", { class: "own-body" });
  readonly element = h(
    "details",
    { class: "own", "data-testid": "own-case" },
    h("summary", {}, h("span", { class: "own-title" }, "A case of your own"), h("span", { class: "case-facts" }, "Paste it, choose a team, and hear it debated")),
    this.body,
  );
  private teams: Teams | null = null;

  /** `started`: a session is there, and its title. */
  constructor(private readonly started: (session: NewSession, title: string) => void) {
    this.element.addEventListener("toggle", () => void (this.element.open && !this.teams && this.load()));
    this.text.addEventListener("dragover", (event) => event.preventDefault());
    this.text.addEventListener("drop", (event) => void this.dropped(event));
    this.team.addEventListener("change", () => this.offer());
    for (const each of [this.which, this.model, this.stays]) each.addEventListener("change", () => this.draw());
    this.text.addEventListener("input", () => {
      this.askOne(false);
      this.draw();
    });
  }

  async load(): Promise<void> {
    this.body.replaceChildren(h("p", { class: "hint" }, "Looking for teams…"));
    try {
      this.teams = await listTeams();
    } catch (error) {
      this.body.replaceChildren(h("p", { class: "error", role: "alert" }, messageOf(error)), button("Look again", "quiet", () => void this.load()));
      return;
    }
    const { teams, models } = this.teams;
    this.team.replaceChildren(...teams.map((each) => h("option", { value: each.name, title: each.about }, NAMES[each.name] ?? each.name)));
    this.model.replaceChildren(...models.map((each) => h("option", { value: each.name, disabled: each.problem !== null }, `${each.name} (${each.stays_here ? "this machine" : each.host})`)));
    this.body.replaceChildren(
      h("label", {}, "Case", this.which),
      this.text,
      h("div", { class: "own-row" }, h("label", {}, "Team", this.team), this.modelRow),
      h("label", { class: "own-stays" }, this.stays, h("span", {}, "Stays here", h("span", { class: "case-facts" }, "Refused unless models, voice, recogniser, SFU, store and database are on this machine"))),
      this.hint,
      this.error,
      this.oneRow,
      this.paper.element,
      h("div", { class: "go" }, this.start, this.make),
    );
    this.offer();
  }

  /** The cases that the chosen team can take: one of the reader's own, and the scripts in which it has lines. */
  private offer(): void {
    const was = this.which.value;
    const scripts = (this.teams?.scripted ?? []).filter((each) => each.teams.includes(this.team.value));
    this.which.replaceChildren(h("option", { value: OWN }, "The case below"), ...scripts.map((each) => h("option", { value: each.name }, each.title)));
    this.which.value = scripts.some((each) => each.name === was) ? was : OWN; // there is a field to paste into
    this.draw();
  }

  private async dropped(event: DragEvent): Promise<void> {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (!file) {
      const text = event.dataTransfer?.getData("text/plain") ?? "";
      if (text) this.text.value = text;
    } else if (file.size > MOST_BYTES) {
      return this.fail(`The file ${file.name} is too large: a case has at most ${MOST_BYTES.toLocaleString("en")} bytes here. “exaim team” takes larger ones.`);
    } else {
      this.text.value = await file.text();
    }
    this.which.value = OWN;
    this.askOne(false);
    this.fail("");
    this.draw();
  }

  /** Whether the reader is asked if all of the text is about one patient; what was said of another text is forgotten. */
  private askOne(asked: boolean): void {
    this.oneRow.hidden = !asked;
    if (!asked) this.one.checked = false;
  }

  private draw(): void {
    const own = this.which.value === OWN;
    const models = this.teams?.models ?? [];
    const model = models.find((each) => each.name === this.model.value);
    this.text.hidden = this.modelRow.hidden = !own;
    const lacks = own && (this.text.value.trim() === "" || !model);
    this.start.disabled = lacks || this.starting;
    this.make.disabled = lacks || this.drafting;
    setText(this.start, this.starting ? "Starting the team…" : "Start the team");
    setText(this.make, this.drafting ? "Making a paper…" : "Make a paper first");
    this.make.hidden = !own || isJson(this.text.value);
    this.paper.element.hidden = !own || this.paperOf === "" || this.paperOf !== this.text.value;
    setText(this.hint, this.told(own, model));
  }

  private told(own: boolean, model: Teams["models"][number] | undefined): string {
    if (!own) return "Scripted: invented, its words are from a script, and no model is asked.";
    if (!model) return "A case of your own wants a model, and none is configured here: name one under “teams” in the file that EXAIM_MODELS names (docs/teams.md). The scripted cases need none.";
    if (model.problem) return `${model.name} can’t be asked: ${model.problem}.`;
    const leaves = [...(model.stays_here ? [] : [model.host]), ...(this.teams?.leaves ?? [])];
    return leaves.length > 0 ? `What the case says goes to ${leaves.join(", ")}.` : "Nothing of the case leaves this machine.";
  }

  /** Have the model copy a case paper out of the text: values and orders are held against it, once it is corrected. */
  private async drafted(): Promise<void> {
    const text = this.text.value;
    this.drafting = true;
    this.draw();
    try {
      const draft = await draftPaper({ text, model: this.model.value, stays_here: this.stays.checked, ...this.said() });
      if (this.text.value !== text) return this.fail("The text was changed while its paper was made. Make a paper of it as it is now.");
      this.paper.show(draft);
      this.paperOf = text;
      this.fail("");
    } catch (error) {
      this.refused(error);
    } finally {
      this.drafting = false;
      this.draw();
    }
  }

  /** What the team reads: the corrected paper, or the text as it stands; null: a field of the paper is wrong. */
  private reads(): string | object | null {
    if (this.paper.element.hidden) return this.text.value;
    return this.paper.corrected;
  }

  private async begin(): Promise<void> {
    const own = this.which.value === OWN;
    if (own && new Blob([this.text.value]).size > MOST_BYTES) return this.fail(`This is too long: a case has at most ${MOST_BYTES.toLocaleString("en")} bytes here.`);
    const common = { team: this.team.value, stays_here: this.stays.checked };
    const reads = own ? this.reads() : "";
    if (reads === null) return this.fail(`The paper wants a number: ${this.paper.wrong.join(", ")}.`);
    const wanted: Wanted = own ? { ...common, case: reads, model: this.model.value, ...this.said() } : { ...common, scripted: this.which.value };
    this.starting = true;
    this.draw();
    try {
      const session = await startTeam(wanted);
      this.fail("");
      this.started(session, own ? "" : (this.which.selectedOptions[0]?.textContent ?? ""));
    } catch (error) {
      this.refused(error);
    } finally {
      this.starting = false;
      this.draw();
    }
  }

  private said(): { one_patient?: true } {
    return this.one.checked ? { one_patient: true } : {};
  }

  private refused(error: unknown): void {
    if (error instanceof ApiError && error.code === "two_patients") this.askOne(true);
    this.fail(messageOf(error));
  }

  private fail(why: string): void {
    this.error.hidden = why === "";
    setText(this.error, sentence(why));
  }
}

const isJson = (text: string): boolean => /^\s*[{[]/.test(text);

const messageOf = (error: unknown): string => (error instanceof ApiError ? error.message : "Something went wrong here. Try again.");

const sentence = (text: string): string => {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return first === "" || /[.!?)]$/.test(first) ? first : `${first}.`;
};
