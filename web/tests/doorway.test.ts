// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from "vitest";

const api = vi.hoisted(() => ({
  looked: [] as string[],
  redeemed: [] as string[],
  look: (): Promise<object> => Promise.resolve({}),
  redeem: (): Promise<void> => Promise.resolve(),
}));
vi.mock("../src/net/api", async (original) => ({
  ...(await original<object>()),
  lookAt: (id: string, code: string) => (api.looked.push(`${id} ${code}`), api.look()),
  redeem: (_id: string, _code: string, secret: string) => (api.redeemed.push(secret), api.redeem()),
}));

const { ApiError } = await import("../src/net/api");
const { remember, ways } = await import("../src/net/memory");
const { Doorway } = await import("../src/ui/doorway");

const FOUND = { session_id: "s-new", title: "Cold\u202e hands\u200b", agents: ["Doctor Zero"], created_at: "2026-01-02T03:04:05Z" };
const MINE = { session_id: "s-mine", client_secret: "c", title: "My patient", command_seq: 1, owner: "" };
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const entered: unknown[] = [];
let away = 0;

beforeEach(() => {
  localStorage.clear();
  remember(MINE);
  entered.length = api.looked.length = api.redeemed.length = away = 0;
  api.look = () => Promise.resolve(FOUND);
  api.redeem = () => Promise.resolve();
});

async function at(link = { session_id: "s-new", code: "x" }): Promise<HTMLElement> {
  const doorway = new Doorway(link, async (self) => void entered.push(self), () => void away++);
  document.body.replaceChildren(doorway.element);
  await doorway.look();
  return doorway.element;
}
const pressed = async (element: HTMLElement, testId: string): Promise<void> => {
  element.querySelector<HTMLButtonElement>(`[data-testid="${testId}"]`)?.click();
  await settled();
};

test("a link says whose case it opens, and until the reader has said yes nothing is kept or joined", async () => {
  const element = await at();
  expect(element.textContent).toContain("“Cold hands”");
  expect(element.textContent).toContain("Doctor Zero");
  expect([ways(), api.redeemed, entered]).toMatchObject([[MINE], [], []]);
  await pressed(element, "stay-out");
  expect([ways(), api.redeemed, entered, away]).toMatchObject([[MINE], [], [], 1]);
});

test("who joins has a secret of this browser's own, beside the ways back that there were", async () => {
  await pressed(await at(), "join");
  expect(entered).toMatchObject([{ session_id: "s-new", client_secret: api.redeemed[0] }]);
  expect(ways().map(({ session_id }) => session_id).sort()).toEqual(["s-mine", "s-new"]);
});

test.each([
  ["wrong_invitation", 401],
  ["invitation_used", 410],
  ["invitation_expired", 410],
])("a link that is refused (%s) takes nothing away, and offers no way in", async (code, status) => {
  api.look = () => Promise.reject(new ApiError("told so", status, code));
  const element = await at();
  expect(element.textContent).toContain("told so");
  expect(element.querySelector('[data-testid="join"]')).toBeNull();
  expect(ways()).toMatchObject([MINE]);
});

test("a link with a secret in it, as earlier versions made them, is not even asked about", async () => {
  const element = await at({ session_id: "s-new", code: "" });
  expect(element.textContent).toContain("earlier version");
  expect([api.looked, ways()]).toMatchObject([[], [MINE]]);
});

test("a refusal while joining forgets what it was about, and nothing else", async () => {
  const element = await at();
  api.redeem = () => Promise.reject(new ApiError("somebody was faster", 410, "invitation_used"));
  await pressed(element, "join");
  expect(element.textContent).toContain("somebody was faster");
  expect([ways(), entered]).toMatchObject([[MINE], []]);
});

test("an answer that was lost is asked for again by the same secret, and a reload has the way back", async () => {
  const element = await at();
  api.redeem = () => Promise.reject(new ApiError("away", 0, "unreachable"));
  await pressed(element, "join");
  expect(ways()).toHaveLength(2);
  api.redeem = () => Promise.resolve();
  await pressed(element, "join");
  expect(new Set(api.redeemed).size).toBe(1);
  expect(entered).toHaveLength(1);
});

test("a server that is away is no refusal: the link can be looked at again", async () => {
  api.look = () => Promise.reject(new ApiError("away", 0, "unreachable"));
  const element = await at();
  api.look = () => Promise.resolve(FOUND);
  await pressed(element, "look-again");
  expect(element.querySelector('[data-testid="join"]')).not.toBeNull();
});

test("the link of a session that this browser has goes back to it", async () => {
  const element = await at({ session_id: "s-mine", code: "used" });
  await pressed(element, "join");
  expect([api.looked, api.redeemed, entered]).toMatchObject([[], [], [MINE]]);
});
