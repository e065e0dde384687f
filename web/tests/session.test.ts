import { beforeEach, expect, test, vi } from "vitest";

/** A room that is being joined until the test says how that went; all else of a browser is absent. */
const rooms = vi.hoisted(() => {
  const page = Object.assign(new EventTarget(), { exaim: {} });
  Object.assign(globalThis, { window: page });
  return { all: [] as { joined(): void; failed(): void; left: boolean; tell(body: object): void; sound(): void; commands: string[]; command(seq: number, kind: string): Promise<object> }[] };
});
const api = vi.hoisted(() => ({ token: (): Promise<object> => Promise.resolve({ token: "t", livekit_url: "ws://sfu" }), end: (): Promise<void> => Promise.resolve(), status: "COMPLETED" }));

vi.mock("../src/net/room", () => ({
  VoiceRoom: class {
    left = false;
    joined = (): void => undefined;
    failed = (): void => undefined;
    constructor(_id: string, hears: { state(raw: string): void; voice(track: object): void }) {
      rooms.all.push(this);
      this.sound = () => hears.voice({});
      this.tell = (body) => hears.state(JSON.stringify(body));
    }
    tell: (body: object) => void;
    sound: () => void;
    commands: string[] = [];
    command(_seq: number, kind: string): Promise<object> {
      this.commands.push(kind);
      return Promise.resolve({ ok: true });
    }
    join = (): Promise<void> => new Promise((resolve, reject) => ([this.joined, this.failed] = [resolve, reject]));
    unlock = (): Promise<boolean> => Promise.resolve(true);
    received = (): Promise<null> => Promise.resolve(null);
    leave(): Promise<void> {
      this.left = true;
      this.failed(); // as LiveKit's: a join under way is broken off
      return Promise.resolve();
    }
  },
}));
vi.mock("../src/net/api", async (original) => ({
  ...(await original<object>()),
  endSession: () => api.end(),
  freshToken: () => api.token(),
  standingOf: () => Promise.resolve({ status: api.status, unheard: 0 }),
}));
vi.mock("../src/sound/ear", () => ({ Ear: class { cameAt_ms = 0; attach(): void {} connected(): void {} position(): null { return null; } stop(): void {} } }));
vi.mock("../src/sound/clips", () => ({ Clips: class { load(): void {} play(): void {} stop(): void {} } }));
vi.mock("../src/talker", () => ({
  Talker: class {
    capture = "on";
    muted = false;
    toggleMute(): void {
      this.muted = !this.muted;
    }
    microphone = { ask: () => Promise.resolve(), level: () => 0 };
    join(): void {}
    stop(): void {}
    again(): void {}
  },
}));

const { GRACE_MS, Session } = await import("../src/session");
const { ApiError } = await import("../src/net/api");
const { endedBy } = await import("../src/ui/words");

const SELF = { session_id: "s", client_secret: "c", title: "", command_seq: 0, owner: "" };
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => {
  rooms.all.length = 0;
  api.token = () => Promise.resolve({ token: "t", livekit_url: "ws://sfu" });
  api.end = () => Promise.resolve();
  api.status = "COMPLETED";
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
});

const begun = (): InstanceType<typeof Session> => {
  const session = new Session(SELF, () => undefined, () => undefined);
  void session.start({ token: "t", livekit_url: "ws://sfu" });
  return session;
};

/** A session whose first room could not be joined, and which tries again by hand. */
async function again(): Promise<InstanceType<typeof Session>> {
  const session = begun();
  rooms.all[0]?.failed();
  await settled();
  expect(session.status.connection).toBe("lost");
  session.retry();
  return session;
}

test("who leaves while the room is being joined has left", async () => {
  const session = begun();
  expect(await session.leave()).toBe(true);
  await settled();
  expect(rooms.all[0]?.left).toBe(true);
  expect(session.status).toMatchObject({ connection: "ended", problem: "" });
});

test("who leaves while the page comes back has left, and no other room is joined", async () => {
  const session = await again();
  await settled();
  await session.leave();
  await settled();
  expect(session.status).toMatchObject({ connection: "ended", problem: "", lostAt_ms: null });
  expect(rooms.all.map(({ left }) => left)).toEqual([true, true]);
});

test("a token that comes after the end opens nothing", async () => {
  let give = (_ticket: object): void => undefined;
  api.token = () => new Promise((resolve) => (give = resolve));
  const session = await again();
  await session.leave();
  give({ token: "t", livekit_url: "ws://sfu" });
  await settled();
  expect(session.status.connection).toBe("ended");
  expect(rooms.all.every(({ left }) => left)).toBe(true);
});

test.each([
  ["COMPLETED", "The session has ended."],
  ["ABANDONED", "The session was closed after a long absence."],
])("a session that is gone when the page comes back, and is %s, is told as that", async (status, words) => {
  api.status = status;
  api.token = () => Promise.reject(new ApiError("over", 410, "session_ended"));
  const session = await again();
  await settled();
  expect(session.status.connection).toBe("ended");
  expect(endedBy(session.view.ended, session.status.after)).toBe(words);
});

test.each([
  [{ grace_s: 20 }, 20_000],
  [{}, GRACE_MS],
])("the page counts the grace that the session has: %j", async (told, grace_ms) => {
  vi.useFakeTimers();
  try {
    api.token = () => Promise.reject(new Error("no line"));
    const session = begun();
    rooms.all[0]?.tell({ v: 1, seq: 1, epoch: 1, type: "hello", at_ms: 1, body: { session_id: "s", ...told } });
    rooms.all[0]?.failed();
    await vi.advanceTimersByTimeAsync(0);
    session.retry();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(session.graceLeft_ms).toBe(grace_ms - 1_000);
    await vi.advanceTimersByTimeAsync(grace_ms + 15_000);
    expect([session.graceLeft_ms, session.status.connection]).toEqual([0, "lost"]);
  } finally {
    vi.useRealTimers();
  }
});

test("once the grace is over the reader can try again and again", async () => {
  vi.useFakeTimers();
  try {
    api.token = () => Promise.reject(new Error("no line"));
    const session = begun();
    rooms.all[0]?.failed();
    await vi.advanceTimersByTimeAsync(0);
    session.retry();
    await vi.advanceTimersByTimeAsync(GRACE_MS + 15_000);
    for (const _ of [1, 2]) {
      expect(session.status.connection).toBe("lost");
      expect(session.graceLeft_ms).toBe(0);
      session.retry();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(session.status.connection).toBe("lost");
    api.token = () => Promise.resolve({ token: "t", livekit_url: "ws://sfu" });
    session.retry();
    await vi.advanceTimersByTimeAsync(0);
    rooms.all.at(-1)?.joined();
    await vi.advanceTimersByTimeAsync(0);
    expect(session.status).toMatchObject({ connection: "connected", lostAt_ms: null });
    session.away();
  } finally {
    vi.useRealTimers();
  }
});

test("a gap right after a ready asks for a snapshot a little later, and once", async () => {
  vi.useFakeTimers();
  try {
    const session = begun();
    const [room] = rooms.all;
    room?.joined();
    await vi.advanceTimersByTimeAsync(0);
    room?.sound();
    await vi.advanceTimersByTimeAsync(0);
    expect(room?.commands).toEqual(["ready"]);
    const notice = (seq: number): void => room?.tell({ v: 1, seq, epoch: 1, type: "notice", at_ms: 1, body: { code: "c", text: "t" } });
    notice(1);
    notice(3);
    await vi.advanceTimersByTimeAsync(1_000);
    notice(4); // what was missing is given up
    expect(room?.commands).toEqual(["ready"]);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(room?.commands).toEqual(["ready", "ready"]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(room?.commands).toHaveLength(2);
    session.away();
  } finally {
    vi.useRealTimers();
  }
});

test("a microphone that was muted is so after a reload, in this session only", () => {
  const first = begun();
  expect(first.mic.state).toBe("on");
  first.toggleMute();
  const reloaded = begun();
  expect(reloaded.mic.state).toBe("muted");
  const other = new Session({ ...SELF, session_id: "other" }, () => undefined, () => undefined);
  expect(other.mic.state).toBe("on");
  reloaded.toggleMute();
  expect(begun().mic.state).toBe("on");
});

const REFUSED = new ApiError("The service did not answer.", 503, "unavailable");
const GOODBYE = { v: 1, seq: 1, epoch: 1, type: "ended", at_ms: 1, body: { reason: "ended_by_clinician" } };

test("a session that has ended is not said to go on, whether the API answers or not", async () => {
  const session = begun();
  rooms.all[0]?.joined();
  await settled();
  let refuse = (_why: Error): void => undefined;
  api.end = () => new Promise((_, reject) => (refuse = reject));
  const leaving = session.leave();
  rooms.all[0]?.tell(GOODBYE);
  refuse(REFUSED);
  expect(await leaving).toBe(true);
  expect(session.status.problem).toBe("");
  expect(endedBy(session.view.ended, null)).toBe("You ended the session.");
});

test("an agent that takes no command since the session is over has ended it", async () => {
  const session = begun();
  rooms.all[0]?.joined();
  await settled();
  api.end = () => Promise.reject(REFUSED);
  rooms.all[0]!.command = () => Promise.resolve({ ok: false, code: "too_late" });
  expect(await session.leave()).toBe(true);
  expect(session.status).toMatchObject({ connection: "ended", problem: "" });
});

test("a session that neither API nor agent ended goes on, and says so", async () => {
  const session = begun();
  rooms.all[0]?.joined();
  await settled();
  api.end = () => Promise.reject(REFUSED);
  rooms.all[0]!.command = () => Promise.reject(new Error("no answer"));
  expect(await session.leave()).toBe(false);
  expect(session.status).toMatchObject({ connection: "connected", problem: expect.stringContaining("could not be ended") });
});

test("the end of a session for good ends what was remembered of it", async () => {
  const session = begun();
  session.toggleMute();
  await session.leave();
  await settled();
  expect(begun().mic.state).toBe("on");
});

test("who goes away ends nothing, and can come back", async () => {
  const session = begun();
  rooms.all[0]?.joined();
  await settled();
  session.away();
  await settled();
  expect(rooms.all[0]?.left).toBe(true);
  expect(session.status).toMatchObject({ connection: "ended", after: null });
  expect(session.view.ended).toBeNull();
  expect(JSON.parse(localStorage.getItem("exaim.session.s") ?? "null")).toMatchObject({ client_secret: "c" });
});

test.each([
  [false, "ended_by_clinician", "The session was ended from another window."],
  [true, "ended_by_clinician", "You ended the session."],
  [false, "abandoned", "The session was closed after a long absence."],
  [false, "failed", "The session ended because of a fault."],
])("an end (by this page: %s, %s) is told as whose it is", async (ours, reason, words) => {
  const session = begun();
  rooms.all[0]?.joined();
  await settled();
  const leaving = ours ? session.leave() : null;
  rooms.all[0]?.tell({ v: 1, seq: 1, epoch: 1, type: "ended", at_ms: 1, body: { reason } });
  await leaving;
  await settled();
  expect(endedBy(session.view.ended, null)).toBe(words);
});
