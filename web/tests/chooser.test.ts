// @vitest-environment happy-dom
import { beforeEach, describe, expect, test, vi } from "vitest";

const api = vi.hoisted(() => ({ ended: [] as string[], standing: (_id: string): Promise<object> => Promise.resolve({}), tokens: 0 }));
vi.mock("../src/net/api", async (original) => ({
  ...(await original<object>()),
  listCases: () => Promise.resolve([]),
  endSession: (id: string) => Promise.resolve(void api.ended.push(id)),
  standingOf: (id: string) => api.standing(id),
  freshToken: () => Promise.resolve({ token: String(++api.tokens), livekit_url: "" }),
}));

const { ApiError } = await import("../src/net/api");
const { recall, remember, rememberOpen } = await import("../src/net/memory");
const { Chooser } = await import("../src/ui/chooser");

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const entered: unknown[] = [];

beforeEach(() => {
  localStorage.clear();
  entered.length = api.tokens = api.ended.length = 0;
  vi.stubGlobal("navigator", { locks: { query: () => Promise.resolve({ held: [] }) } });
  for (const id of ["one", "two"]) remember({ session_id: id, client_secret: `c-${id}`, title: `Case ${id}`, command_seq: 0, owner: "" });
});

async function shown(): Promise<HTMLElement> {
  const chooser = new Chooser((self) => void entered.push(self));
  document.body.replaceChildren(chooser.element);
  await chooser.load();
  await settled();
  return chooser.element;
}
const refused = (status: number, code: string) => (id: string) => (id === "one" ? Promise.reject(new ApiError("no", status, code)) : Promise.resolve({ status: "IN_PROGRESS", unheard: null }));

test("each way back is offered, none wakes its session, and the one that is pressed is taken", async () => {
  api.standing = () => Promise.resolve({ status: "IN_PROGRESS", unheard: null });
  const element = await shown();
  expect([element.textContent?.includes("Case one"), element.textContent?.includes("Case two"), api.tokens]).toEqual([true, true, 0]);
  for (const button of element.querySelectorAll<HTMLButtonElement>('[data-testid="return"]')) if (button.closest("section")?.textContent?.includes("two")) button.click();
  await settled();
  expect(entered).toMatchObject([{ session_id: "two" }]);
});

test("a secret that is worth nothing is forgotten, and no other", async () => {
  api.standing = refused(401, "wrong_secret");
  await shown();
  expect([recall("one"), recall("two")]).toMatchObject([null, { client_secret: "c-two" }]);
});

test.each([[401, "no_key"], [401, "secret_expired"], [403, "foreign_origin"], [404, "not_found"], [429, "too_many"], [503, "store_unavailable"], [0, "unreachable"]])(
  "no other refusal (%i %s) has anything forgotten",
  async (status, code) => {
    api.standing = refused(status, code);
    await shown();
    expect([recall("one"), recall("two")]).toMatchObject([{ client_secret: "c-one" }, { client_secret: "c-two" }]);
  },
);

describe("End it", () => {
  const locked = (name: string): void => {
    vi.stubGlobal("navigator", { locks: { query: () => Promise.resolve({ held: [{ name }] }) } });
  };
  const press = async (element: HTMLElement, id: string): Promise<void> => {
    element.querySelector<HTMLElement>(`[data-testid="${id}"]`)?.click();
    await settled();
  };
  const alone = (): void => localStorage.removeItem("exaim.session.two");

  test.each([
    ["nothing is known", null, "", "The session is not over, and may have critical findings that nobody noted. End it for good?"],
    ["nothing was open", 0, "", "The session is not over. End it for good?"],
    ["one was open", 1, "", "The session is not over, and a critical finding has not been noted. End it for good?"],
    ["three are open in another window", 3, "exaim.session.one", "The session is open in another window, and 3 critical findings have not been noted. End it for good?"],
    ["another session is open elsewhere", 0, "exaim.session.else", "The session is not over. End it for good?"],
  ])("asks where %s, and ends nothing before the answer", async (_, open, held, asks) => {
    alone();
    api.standing = () => Promise.resolve({ status: "IN_PROGRESS", unheard: null });
    if (open !== null) rememberOpen("one", open);
    if (held) locked(held);
    const element = await shown();
    await press(element, "end-former");
    expect(element.querySelector('[data-testid="end-asks"] strong')?.textContent).toBe(asks);
    expect(api.ended).toEqual([]);
    await press(element, "end-keep");
    expect([api.ended, recall("one")?.client_secret, element.querySelector('[data-testid="return"]') !== null]).toEqual([[], "c-one", true]);
    await press(element, "end-former");
    await press(element, "end-for-good");
    expect([api.ended, recall("one")?.client_secret]).toEqual([["one"], "c-one"]);
    expect(element.querySelector('[data-testid="former"] strong')?.textContent).toBe("Your last session is over.");
    expect(element.querySelector('[data-testid="former"] [data-testid="report"]')).not.toBeNull();
    await press(element, "dismiss-former");
    expect(recall("one")).toBeNull();
  });

  test.each([
    ["exaim.session.one", "A session is open in another window.", "Bring it here"],
    ["exaim.session.else", "You were listening to a session.", "Return to the session"],
  ])("a session that another window has (%s) is told as that", async (name, told, label) => {
    alone();
    api.standing = () => Promise.resolve({ status: "IN_PROGRESS", unheard: null });
    locked(name);
    const element = await shown();
    expect(element.querySelector(".return strong")?.textContent).toBe(told);
    expect(element.querySelector('[data-testid="return"]')?.textContent).toBe(label);
  });
});
