// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from "vitest";

const api = vi.hoisted(() => ({ standing: (_id: string): Promise<object> => Promise.resolve({}), tokens: 0 }));
vi.mock("../src/net/api", async (original) => ({
  ...(await original<object>()),
  listCases: () => Promise.resolve([]),
  standingOf: (id: string) => api.standing(id),
  freshToken: () => Promise.resolve({ token: String(++api.tokens), livekit_url: "" }),
}));

const { ApiError } = await import("../src/net/api");
const { recall, remember } = await import("../src/net/memory");
const { Chooser } = await import("../src/ui/chooser");

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const entered: unknown[] = [];

beforeEach(() => {
  localStorage.clear();
  entered.length = api.tokens = 0;
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
