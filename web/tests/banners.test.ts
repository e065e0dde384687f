// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from "vitest";
import type { Session, Status } from "../src/session";
import { micOf } from "../src/state/mic";
import { EMPTY, reduce, type View, withoutNotice } from "../src/state/view";
import { Board } from "../src/ui/board";
import { message } from "./messages";

beforeEach(() => {
  vi.stubGlobal("requestAnimationFrame", (draw: () => void) => draw());
});

const STATUS: Status = { connection: "connected", listening: true, voice: true, sound: true, problem: "", elsewhere: false, lostAt_ms: null, silent: null, refused: "", after: null, version: null };
const from = (...codes: string[]): View =>
  codes.reduce((view, code, at) => reduce(view, message(at + 1, "notice", { code, text: `Of ${code}.` }), 0), EMPTY);

/** A board whose session stands as it is told to. */
function boardOf(view: View, status: Partial<Status> = {}): { element: HTMLElement; found: (testId: string) => HTMLElement; stands: (more: Partial<Status>, view?: View) => void } {
  const session = {
    id: "s", view, status: { ...STATUS, ...status }, title: "A case", position: null, graceLeft_ms: 245_000, mic: micOf("on", false, null), level: 0, hears: true, returned: false,
    retry: () => undefined,
    report: () => new Promise<string>(() => undefined),
    reopen: () => Promise.resolve(null),
    dismiss: (key: number) => stands({}, withoutNotice(session.view, key)),
  };
  const board = new Board(() => session as unknown as Session, () => undefined, () => undefined);
  const stands = (more: Partial<Status>, now: View = session.view): void => {
    session.status = { ...session.status, ...more };
    session.view = now;
    board.changed();
  };
  document.body.replaceChildren(board.element);
  board.changed();
  return { element: board.element, found: (testId) => board.element.querySelector<HTMLElement>(`[data-testid="${testId}"]`) ?? document.body, stands };
}

const words = (element: HTMLElement): (string | null)[] => [...element.querySelectorAll(".banner p")].map(({ textContent }) => textContent);

test("the region in which banners are told is there before the first of them, and is no whole", () => {
  const { element } = boardOf(EMPTY);
  const region = element.querySelector(".banners");
  expect([region?.getAttribute("role"), region?.getAttribute("aria-atomic"), region?.childElementCount]).toEqual(["status", "false", 0]);
});

test("what has the focus keeps it while other banners come and go, and its own words change", () => {
  const { element, found, stands } = boardOf(from("crowded"), { connection: "lost", lostAt_ms: 1 });
  const retry = found("retry");
  retry.focus();
  stands({ version: 2 });
  stands({ connection: "reconnecting" });
  expect(words(element)[1]).toContain("trying to get it back");
  expect([document.activeElement === retry, retry.textContent, retry.getAttribute("aria-disabled")]).toEqual([true, "Connecting…", "true"]);
  stands({ connection: "lost", version: null });
  expect([document.activeElement === retry, retry.textContent, retry.getAttribute("aria-disabled")]).toEqual([true, "Connect again", "false"]);
});

test("whoever dismisses a banner by a key goes on from the banners", () => {
  const { element } = boardOf(from("crowded", "noisy"));
  const [first] = element.querySelectorAll<HTMLButtonElement>(".banner button");
  first?.focus();
  first?.click();
  expect(words(element)).toEqual(["Of noisy."]);
  expect(document.activeElement).toBe(element.querySelector(".banners"));
});

test("a board takes the focus of the view before it at its title, and at its end to what there is to do", () => {
  const { element, found, stands } = boardOf(EMPTY);
  expect([document.activeElement?.tagName, document.activeElement?.textContent]).toEqual(["H1", "A case"]);
  found("leave").focus();
  stands({ connection: "ended" });
  expect(document.activeElement).toBe(element.querySelector(".banners"));
  found("report").focus();
  stands({ after: { goesOn: true, unheard: 0, problem: "" } });
  expect(document.activeElement).toBe(found("report"));
});

test("a report that is being made is told on the button that was pressed, though more is known of the end meanwhile", () => {
  const { found, stands } = boardOf(EMPTY, { connection: "ended" });
  const save = found("report");
  save.focus();
  save.click();
  stands({ after: { goesOn: true, unheard: 2, problem: "" } });
  expect([found("report") === save, document.activeElement === save, save.textContent]).toEqual([true, true, "The report is being made …"]);
  expect(found("go-on-again").hidden).toBe(false);
});

test("what can't go on offers no going on, and a try that fails leaves the focus where it was", async () => {
  const { found, stands } = boardOf(EMPTY, { connection: "ended", after: { goesOn: false, unheard: 0, problem: "" } });
  const again = found("go-on-again");
  expect([again.hidden, found("another").className]).toEqual([true, "primary"]);
  stands({ after: { goesOn: true, unheard: 0, problem: "" } });
  again.focus();
  again.click();
  stands({ after: { goesOn: true, unheard: 0, problem: "The slots are taken." } });
  await Promise.resolve();
  expect([document.activeElement === again, again.textContent, found("another").className]).toEqual([true, "Go on where you were", "quiet"]);
});
