// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from "vitest";

const asked: { path: string; headers: Record<string, string>; credentials: unknown }[] = [];
let answer = (): Response => Response.json({});

beforeEach(() => {
  vi.resetModules();
  vi.unstubAllGlobals();
  sessionStorage.clear();
  localStorage.clear();
  asked.length = 0;
  vi.stubGlobal("fetch", (path: string, { headers, credentials }: { headers: Record<string, string>; credentials: unknown }) => {
    asked.push({ path, headers, credentials });
    return Promise.resolve(answer());
  });
});

const refused = (status: number, code: string): Response => Response.json({ error: { code, message: "told so" } }, { status });

test("a link's code is exchanged for a key, which is this tab's alone and goes as a header, with no cookie", async () => {
  const { openDoor, openSession } = await import("../src/net/api");
  answer = () => Response.json({ key: "key.a.b" });
  await openDoor("link.a.b");
  answer = () => Response.json({ session_id: "s" });
  await openSession("case");
  expect(asked.map(({ path, headers }) => [path, headers["Exaim-Key"]])).toEqual([["/key", undefined], ["/sessions", "key.a.b"]]);
  expect(asked.map(({ credentials }) => credentials)).toEqual(["omit", "omit"]);
  expect(JSON.stringify(localStorage)).not.toContain("key.a.b");
});

test("a browser that refuses storage has its key while the page lasts", async () => {
  vi.stubGlobal("sessionStorage", { getItem: () => { throw new Error("no"); }, setItem: () => { throw new Error("no"); } });
  const { keepKey, key } = await import("../src/net/key");
  expect(key()).toBe("");
  keepKey("key.a.b");
  expect(key()).toBe("key.a.b");
});

test.each([
  ["#open=link.a.b", "link.a.b"],
  ["#session=s&invitation=x", null],
  ["", null],
])("%s holds the code %s", async (hash, code) => {
  const { opening } = await import("../src/net/key");
  expect(opening(hash)).toBe(code);
});

test.each([
  ["", "This tab has no key yet."],
  ["this link was used", "This link was used."],
])("without a key the page says where the link is, and why this one did not do (%s)", async (told, said) => {
  const { Chooser } = await import("../src/ui/chooser");
  answer = () => refused(401, "no_key");
  const chooser = new Chooser(() => undefined, told);
  document.body.replaceChildren(chooser.element);
  await chooser.load();
  const shown = chooser.element.querySelector('[data-testid="no-key"]')?.parentElement?.textContent ?? "";
  expect(shown).toContain(said);
  expect(shown).toContain("exaim link");
  expect(chooser.element.querySelector<HTMLButtonElement>('[data-testid="start"]')?.disabled).toBe(true);
});
