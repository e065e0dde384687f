import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Microphone } from "../src/sound/microphone";
import { Talker } from "../src/talker";

/** A browser that is still asking its reader. */
let answer: { readonly allow: (stream: object) => void; readonly refuse: (why: Error) => void };
let asked = 0;

beforeEach(() => {
  asked = 0;
  const getUserMedia = (): Promise<object> => {
    asked += 1;
    return new Promise((allow, refuse) => (answer = { allow, refuse }));
  };
  vi.stubGlobal("navigator", { mediaDevices: { getUserMedia }, permissions: { query: () => Promise.resolve({ state: "granted" }) } });
});
afterEach(() => vi.unstubAllGlobals());

const streamOf = (track: { stopped: boolean }): object => ({ getTracks: () => [{ stop: () => (track.stopped = true) }] });

test.each(["stop", "free"] as const)("a microphone that is allowed only after %s is let go at once", async (end) => {
  const microphone = new Microphone(() => undefined);
  const asking = microphone.ask();
  expect(microphone.capture).toBe("asking");
  microphone[end]();
  const track = { stopped: false };
  answer.allow(streamOf(track));
  await asking;
  expect(track.stopped).toBe(true);
  expect(microphone.capture).toBe("off");
});

test("a refusal that comes after the end changes nothing", async () => {
  const microphone = new Microphone(() => undefined);
  const asking = microphone.ask();
  microphone.free();
  answer.refuse(new DOMException("", "NotAllowedError"));
  await asking;
  expect(microphone.capture).toBe("off");
});

test("after the end it is not asked for any more", async () => {
  const microphone = new Microphone(() => undefined);
  const asking = microphone.askQuietly();
  microphone.stop();
  await asking;
  expect(asked).toBe(0);
});

test("what another window broke off is asked for again when the session comes back", () => {
  const talker = new Talker(() => undefined);
  void talker.microphone.ask();
  talker.free();
  talker.again();
  expect(asked).toBe(2);
});
