// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from "vitest";
import { forget, here, nowHere, recall, recallMuted, recallPlace, remember, rememberMuted, rememberPlace, ways } from "../src/net/memory";

const way = (session_id: string) => ({ session_id, client_secret: `c-${session_id}`, title: "", command_seq: 3, owner: "" });

beforeEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  localStorage.clear();
  sessionStorage.clear();
});

test("no way back is written over another, and the newest comes first", () => {
  vi.useFakeTimers({ now: 1_000 });
  remember(way("one"));
  vi.setSystemTime(2_000);
  remember(way("two"));
  expect(ways().map(({ session_id }) => session_id)).toEqual(["two", "one"]);
  expect(recall("one")).toMatchObject(way("one"));
});

test("what is forgotten of one session is kept of the others", () => {
  for (const id of ["one", "two"]) {
    remember(way(id));
    rememberMuted(id, true);
    rememberPlace(id, { epoch: 1, sample: 7 });
  }
  nowHere("two");
  forget("one");
  expect([recall("one"), recallMuted("one"), recallPlace("one")]).toEqual([null, false, null]);
  expect([recall("two"), recallMuted("two"), recallPlace("two"), here()]).toMatchObject([way("two"), true, { epoch: 1, sample: 7 }, "two"]);
});

test("a way back is kept for a month; what can't be read is none", () => {
  vi.useFakeTimers({ now: 0 });
  remember(way("old"));
  localStorage.setItem("exaim.session.broken", "{");
  localStorage.setItem("exaim.session.other", '{"client_secret": 7}');
  expect(ways(30 * 86_400_000).map(({ session_id }) => session_id)).toEqual(["old"]);
  expect(ways(30 * 86_400_000 + 1)).toEqual([]);
  expect(recall("old")).toBeNull();
});

test("a browser that refuses storage keeps nothing, and nothing fails", () => {
  const refuses = new Proxy({}, { get: () => () => { throw new DOMException("no", "SecurityError"); }, ownKeys: () => { throw new Error("no"); } });
  vi.stubGlobal("localStorage", refuses);
  vi.stubGlobal("sessionStorage", refuses);
  remember(way("one"));
  nowHere("one");
  forget("one");
  expect([ways(), recall("one"), here(), recallMuted("one"), recallPlace("one")]).toEqual([[], null, null, false, null]);
});
