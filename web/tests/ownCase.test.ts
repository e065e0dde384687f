// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from "vitest";

const api = vi.hoisted(() => ({ teams: {} as object, asked: [] as object[], refusal: null as Error | null, until: null as Promise<void> | null }));
vi.mock("../src/net/teams", () => ({
  listTeams: () => Promise.resolve(api.teams),
  startTeam: async (wanted: object) => {
    api.asked.push(wanted);
    await api.until;
    if (api.refusal) throw api.refusal;
    return { session_id: "s-1", client_secret: "c", token: "t", livekit_url: "ws://x" };
  },
}));

vi.mock("../src/net/api", async (original) => ({
  ...(await original<object>()),
  draftPaper: async (asked: object) => {
    api.asked.push(asked);
    await api.until;
    return { paper: { case_id: "draft", age: 40, allergies: [{ substance: "phenytoin" }] }, sources: [{ field: "age", words: "A man of 40" }], left_out: [], unread: ["He smokes."] };
  },
}));

const { ApiError } = await import("../src/net/api");
const { MOST_BYTES, OwnCase } = await import("../src/ui/ownCase");

const TEAMS = [{ name: "cdss", about: "" }, { name: "doctors", about: "" }];
const HOME = { name: "at-home", host: "127.0.0.1:11434", stays_here: true, problem: null };
const FAR = { name: "far", host: "api.groq.com", stays_here: false, problem: null };
const SCRIPTED = [
  { name: "low-sodium", title: "Scripted: A fit", teams: ["cdss", "doctors"] },
  { name: "bee-sting", title: "Scripted: A sting", teams: [] },
];
const started: unknown[] = [];
let own: InstanceType<typeof OwnCase>;

const part = <T extends HTMLElement>(id: string): T => own.element.querySelector<T>(`[data-testid="own-${id}"]`)!;
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const choose = (id: string, value: string): void => {
  const select = part<HTMLSelectElement>(id);
  select.value = value;
  select.dispatchEvent(new Event("change"));
};
const write = (text: string): void => {
  part<HTMLTextAreaElement>("text").value = text;
  part("text").dispatchEvent(new Event("input"));
};
async function shown(models: object[], leaves: string[] = []): Promise<void> {
  api.teams = { teams: TEAMS, models, scripted: SCRIPTED, leaves };
  own = new OwnCase((session, title) => void started.push([session, title]));
  document.body.replaceChildren(own.element);
  await own.load();
}
async function press(): Promise<void> {
  part("start").click();
  await settled();
}

beforeEach(() => {
  started.length = api.asked.length = 0;
  api.refusal = api.until = null;
});

test("a case, a team, a model and the tick are asked for, and the session is entered", async () => {
  await shown([HOME, FAR]);
  expect(part<HTMLButtonElement>("start").disabled).toBe(true);
  write("A man of 40 with a cough.");
  expect(part("hint").textContent).toBe("Nothing of the case leaves this machine.");
  choose("team", "doctors");
  choose("model", "far");
  expect(part("hint").textContent).toBe("What the case says goes to api.groq.com.");
  part("stays").click();
  await press();
  expect(api.asked).toEqual([{ team: "doctors", case: "A man of 40 with a cough.", model: "far", stays_here: true }]);
  expect(started).toMatchObject([[{ session_id: "s-1" }, ""]]);
});

test("without a model the scripted cases are offered, and a case of one's own says what to set", async () => {
  await shown([]);
  expect([part("text").hidden, part<HTMLSelectElement>("which").value]).toEqual([false, ""]);
  choose("which", "low-sodium");
  expect(part("hint").textContent).toContain("Scripted");
  await press();
  expect(api.asked).toEqual([{ team: "cdss", scripted: "low-sodium", stays_here: false }]);
  choose("which", "");
  write("A man of 40.");
  expect([part<HTMLButtonElement>("start").disabled, part("hint").textContent?.includes("EXAIM_MODELS")]).toEqual([true, true]);
});

test("a paper is made of the text on request, corrected, and given to the team in its place", async () => {
  await shown([HOME]);
  write("A man of 40. He smokes.");
  part("draft").click();
  await settled();
  expect(api.asked).toEqual([{ text: "A man of 40. He smokes.", model: "at-home", stays_here: false }]);
  const age = own.element.querySelector<HTMLInputElement>('[aria-label="Age"]')!;
  age.value = "41";
  age.dispatchEvent(new Event("input"));
  await press();
  expect(api.asked[1]).toMatchObject({ case: { case_id: "draft", age: 41, allergies: [{ substance: "phenytoin" }] }, model: "at-home" });
});

test("a wrong number keeps the paper, and another text has no paper", async () => {
  await shown([HOME]);
  write("A man of 40. He smokes.");
  part("draft").click();
  await settled();
  const age = own.element.querySelector<HTMLInputElement>('[aria-label="Age"]')!;
  age.value = "old";
  age.dispatchEvent(new Event("input"));
  await press();
  expect([api.asked.length, part("error").textContent]).toEqual([1, "The paper wants a number: age."]);
  write("Another.");
  await press();
  expect(api.asked[1]).toMatchObject({ case: "Another." });
  write('{"resourceType": "Bundle"}');
  expect(part("draft").hidden).toBe(true);
});

test("only the scripts in which the chosen team has lines are offered", async () => {
  await shown([]);
  const offered = (): string[] => [...part<HTMLSelectElement>("which").options].map((each) => each.value);
  expect(offered()).toEqual(["", "low-sodium"]);
  choose("which", "low-sodium");
  choose("team", "doctors");
  expect([offered(), part<HTMLSelectElement>("which").value]).toEqual([["", "low-sodium"], "low-sodium"]);
});

test("a refusal is a sentence, what was written stays, and one may try again", async () => {
  await shown([FAR], ["the voice (google)"]);
  write("A man of 40.");
  api.refusal = new ApiError("the case is to stay on this machine, and would leave it by the voice (google)", 409, "leaves_machine");
  await press();
  expect(part("error").textContent).toBe("The case is to stay on this machine, and would leave it by the voice (google)");
  expect([started.length, part<HTMLTextAreaElement>("text").value, part<HTMLButtonElement>("start").disabled]).toEqual([0, "A man of 40.", false]);
  api.refusal = null;
  await press();
  expect([started.length, part("error").hidden]).toEqual([1, true]);
});

test("a file is dropped in, one that is too large is refused, and so is a text that is", async () => {
  await shown([HOME]);
  const drop = async (file: File): Promise<void> => {
    const event = new Event("drop") as Event & { dataTransfer?: object };
    Object.defineProperty(event, "dataTransfer", { value: { files: [file], getData: () => "" } });
    part("text").dispatchEvent(event);
    await settled();
    await settled();
  };
  await drop(new File(['{"resourceType": "Bundle"}'], "bundle.json"));
  expect(part<HTMLTextAreaElement>("text").value).toBe('{"resourceType": "Bundle"}');
  await drop(new File(["x".repeat(MOST_BYTES + 1)], "long.txt"));
  expect(part("error").textContent).toContain("long.txt is too large");
  write("é".repeat(MOST_BYTES / 2 + 1));
  await press();
  expect([api.asked.length, part("error").textContent?.includes("too long")]).toEqual([0, true]);
});

test("a text that seems to tell of two patients is started once the reader says that it is one", async () => {
  await shown([HOME]);
  write("A man of 60. A woman of 40.");
  const row = part("one-row");
  expect(row.hidden).toBe(true);
  api.refusal = new ApiError("the text seems to tell of two patients", 422, "two_patients");
  await press();
  expect(row.hidden).toBe(false);
  api.refusal = null;
  part<HTMLInputElement>("one").checked = true;
  await press();
  expect(api.asked.at(-1)).toMatchObject({ one_patient: true });
  write("A man of 60. A woman of 41.");
  expect(row.hidden).toBe(true);
  await press();
  expect(api.asked.at(-1)).not.toHaveProperty("one_patient");
});

/** What is asked for from now on is answered when this is called. */
function held(): () => void {
  let answer = (): void => undefined;
  api.until = new Promise((resolve) => (answer = resolve));
  return answer;
}

test("a paper is asked for once at a time, and one of a text that was changed meanwhile is not shown", async () => {
  await shown([HOME]);
  write("A man of 40 with a cough.");
  const answer = held();
  part("draft").click();
  write("A man of 41 with a cough.");
  part("draft").click();
  expect(api.asked).toHaveLength(1);
  answer();
  await settled();
  expect(own.element.querySelector<HTMLElement>('[data-testid="paper-draft"]')?.hidden).toBe(true);
  expect([part("error").textContent, part<HTMLButtonElement>("draft").disabled]).toEqual(["The text was changed while its paper was made. Make a paper of it as it is now.", false]);
  part("draft").click();
  await settled();
  expect(own.element.querySelector<HTMLElement>('[data-testid="paper-draft"]')?.hidden).toBe(false);
});

test("typing while a team is started starts no second one", async () => {
  await shown([HOME]);
  write("A man of 40 with a cough.");
  const answer = held();
  part("start").click();
  write("A man of 41 with a cough.");
  part("start").click();
  expect(api.asked).toHaveLength(1);
  answer();
  await settled();
  expect(started).toHaveLength(1);
});
