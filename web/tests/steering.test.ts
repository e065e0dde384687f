import { describe, expect, test } from "vitest";
import model from "../../realtime/interruption/model.py?raw";
import type { Envelope, Turn } from "../src/protocol";
import { actOf, type Press } from "../src/state/keys";
import { type Capture, micOf } from "../src/state/mic";
import { EFFECT_WORDS, lineOf, toldOf, WHY_WORDS } from "../src/state/verdict";
import { EMPTY, reduce, type View } from "../src/state/view";
import { asksForTeam, caseStep, heldAsAsked, heldForWhat, isMeantToBeSilent, isStopped, toAcknowledge, voiceState } from "../src/state/voice";
import { caseWords, dialWords, voiceWords } from "../src/ui/words";
import { message, turn, update, utterance } from "./messages";

const after = (...bodies: [string, object][]): View =>
  bodies.map(([type, body], at): Envelope => message(at + 1, type, body)).reduce((view, envelope) => reduce(view, envelope, 0), EMPTY);

const mode = (name: string, waiting = 0): [string, object] => ["mode", { mode: name, waiting }];

/** The codes of one enumeration of the agent's, as they are written there. */
const codesOf = (name: string): string[] => {
  const body = model.split(`class ${name}(StrEnum):`)[1]?.split("\nclass ")[0] ?? "";
  return [...body.matchAll(/^ {4}[A-Z_]+ = "(\w+)"/gm)].map((found) => found[1] ?? "");
};

describe("a verdict in plain words", () => {
  const decided = (more: object): Turn => {
    const envelope = message(1, "turn", turn("t", "decided", more));
    if (envelope.type !== "turn") throw new Error(envelope.type);
    return envelope.body;
  };

  test("every effect and every reason of the agent's has its words, and none has words for nothing", () => {
    expect(codesOf("Why").length).toBeGreaterThan(20);
    expect(Object.keys(WHY_WORDS).toSorted()).toEqual(codesOf("Why").toSorted());
    expect(Object.keys(EFFECT_WORDS).toSorted()).toEqual(codesOf("Effect").toSorted());
  });

  test("says what was heard, what the voice does, and why", () => {
    expect(lineOf(decided({ text: "mm-hm", effect: "go_on", why: "ack_words" }))).toBe("“mm-hm” — goes on: only a sign of listening");
  });

  test("a code that this page has not is shown as it is", () => {
    expect(toldOf(decided({ text: "x", effect: "sing", why: "high_spirits" }))).toMatchObject({ effect: "sing", why: "high_spirits" });
  });

  test("a button says that it was pressed, a typed question needs no reason, a sound without words is a sound", () => {
    expect(lineOf(decided({ via: "button", effect: "resume", why: "addressed" }))).toBe("Go on pressed");
    expect(lineOf(decided({ via: "text", text: "Any allergies?", effect: "answer", why: "addressed" }))).toBe("“Any allergies?” — answers");
    expect(toldOf(decided({ effect: "go_on", why: "no_words" })).heard).toBe("A sound");
    const nobody = { via: "text", text: "Ask the team: is it sepsis?", effect: "ask_team", reply: "There is no team to ask." };
    expect(lineOf(decided(nobody))).toBe("“Ask the team: is it sepsis?” — says: “There is no team to ask.”");
  });

  test("an order that was not acted on stands out, a sign of listening stays faint", () => {
    expect(toldOf(decided({ text: "Give calcium.", effect: "not_acted_on", why: "order_to_people" })).weight).toBe("warn");
    expect(toldOf(decided({ text: "okay", effect: "go_on", why: "ack_words" })).weight).toBe("faint");
    expect(toldOf(decided({ text: "stop", effect: "quiet", why: "stop_words" })).weight).toBe("plain");
  });
});

describe("how the reader has set the voice", () => {
  test.each([
    [{}, ""],
    [{ rate: 0.9 }, "Slower"],
    [{ rate: 1.2, volume_db: -3 }, "Faster, softer"],
    [{ volume_db: 6 }, "Louder"],
    [{ rate: "fast", volume_db: null }, ""],
  ])("%j is told as %j", (dial, words) => {
    expect(dialWords(after(["mode", { mode: "free", waiting: 0, ...dial }]).mode)).toBe(words);
  });
});

describe("how the voice stands", () => {
  const speaking: [string, object] = ["utterance", utterance("a", "speaking")];
  const heldBy = (cause: string): [string, object] => ["utterance", utterance("a", "held", { cause })];

  test.each([
    ["nothing is said", [], "idle"],
    ["something is read", [speaking], "speaking"],
    ["somebody speaks", [heldBy("voice")], "held_voice"],
    ["somebody speaks while it is held for another reason", [heldBy("user"), ["turn", turn("t", "listening")]], "held_voice"],
    ["an answer is looked up", [heldBy("user")], "paused"],
    ["it was stopped", [heldBy("user"), mode("quiet", 4)], "quiet"],
    ["a critical finding is read after a stop", [heldBy("user"), ["utterance", utterance("c", "speaking")], mode("quiet", 4)], "speaking"],
    ["it waits", [heldBy("user"), mode("waiting", 1)], "waiting"],
    ["it asks, aloud", [speaking, mode("asking", 1)], "asking"],
    ["the room is noisy, and it reads on", [speaking, mode("noisy")], "noisy"],
    ["the case is the wrong one, though something was under way", [speaking, mode("wrong_case", 2)], "wrong_case"],
    ["nobody listens", [heldBy("listener"), mode("away", 2)], "away"],
  ] as [string, [string, object][], string][])("when %s", (_when, bodies, state) => {
    expect(voiceState(after(...bodies), 0)).toBe(state);
  });

  test("after a stop by voice what is held is held because it was asked for", () => {
    const view = after(["utterance", utterance("a", "held", { cause: "voice" })], mode("quiet", 2));
    expect(voiceState(view, 0)).toBe("quiet");
    expect(heldAsAsked(view).utterances.get("a")?.cause).toBe("user");
    const free = after(["utterance", utterance("a", "held", { cause: "voice" })]);
    expect(heldAsAsked(free)).toBe(free);
  });

  test("go on has something to undo after a stop, a wait or our question only", () => {
    const stopped = ["free", "quiet", "waiting", "asking", "noisy", "away"].filter((name) => isStopped(after(mode(name))));
    expect(stopped).toEqual(["quiet", "waiting", "asking"]);
  });

  test("the wrong case wants two presses, and then one to go on", () => {
    const step = (...bodies: [string, object][]): string => caseWords(caseStep(after(...bodies).mode));
    expect(step()).toBe("Wrong patient");
    expect(step(["mode", { mode: "asking", question: "Stop, or go on?", asks: "stop_or_go_on" }])).toBe("Wrong patient");
    expect(step(["mode", { mode: "asking", question: "Wrong case? Say: confirm.", asks: "wrong_case" }])).toBe("Confirm: wrong patient");
    expect(step(mode("wrong_case"))).toBe("This is the right patient");
    expect(voiceWords("wrong_case", after(mode("wrong_case", 3)).mode).rest).toContain("critical findings neither");
  });

  test("words for the team go by a yes of their own, and only while the voice asks", () => {
    const asks = (name: string): boolean => asksForTeam(after(["mode", { mode: "asking", question: "Ask the team: why? Say yes.", asks: name }]).mode);
    expect(["", "ready", "wrong_case", "to_team", "approval"].map(asks)).toEqual([false, false, false, true, true]);
    expect(asksForTeam(EMPTY.mode)).toBe(false);
  });

  test("words that are gone were said all the same", () => {
    const gone = message(1, "turn", turn("t", "decided", { text: "", effect: "go_on", why: "side_talk" }));
    if (gone.type !== "turn") throw new Error(gone.type);
    expect(toldOf(gone.body).heard).toBe("Something was said");
  });

  test("a case that is confirmed to be the wrong one is meant to be silent", () => {
    const silent = (name: string): boolean => isMeantToBeSilent(after(["mode", { mode: name }]));
    expect(["quiet", "waiting", "asking", "wrong_case"].map(silent)).toEqual([true, true, true, true]);
    expect(["free", "noisy"].map(silent)).toEqual([false, false]);
  });

  test("got it is about the newest critical finding that nobody took note of", () => {
    const critical = (id: string, number: number): [string, object] => ["update", update(number, [{ item_id: id, text: id, urgency: "critical" }])];
    const told = (id: string, acknowledged: boolean): [string, object] =>
      ["utterance", utterance(id, "spoken", { item_id: id, kind: "critical", critical_key: `key-${id}`, acknowledged })];
    expect(toAcknowledge(EMPTY)).toBeNull();
    expect(toAcknowledge(after(critical("a", 1), critical("b", 2), told("a", false), told("b", false)))).toBe("key-b");
    expect(toAcknowledge(after(critical("a", 1), critical("b", 2), told("a", false), told("b", true)))).toBe("key-a");
    const withdrawn = ["utterance", utterance("b", "cancelled", { kind: "critical", critical_key: "key-b", reason: "withdrawn" })] as const;
    expect(toAcknowledge(after(critical("a", 1), critical("b", 2), told("a", false), [...withdrawn]))).toBe("key-a");
    expect(toAcknowledge(after(critical("a", 1), told("a", true)))).toBeNull();
  });
});

describe("the microphone in words", () => {
  test("what the browser gave goes before what the agent hears: without a microphone it hears silence", () => {
    for (const capture of ["off", "asking", "denied", "none", "lost"] as Capture[]) {
      expect(micOf(capture, false, { state: "silent", text: "" }).state).toBe(capture);
    }
  });

  test("a live one is on, muted, silent or not understood", () => {
    expect(micOf("on", false, null)).toMatchObject({ state: "on", mend: "", retry: false });
    expect(micOf("on", false, { state: "none", text: "" }).state).toBe("on");
    expect(micOf("on", true, { state: "failed", text: "" }).state).toBe("muted");
    expect(micOf("on", false, { state: "silent", text: "" }).state).toBe("silent");
    expect(micOf("on", false, { state: "failed", text: "" }).state).toBe("failed");
  });

  test("whatever is wrong has words for what to do, and all but listening goes on", () => {
    for (const capture of ["off", "denied", "none", "lost"] as Capture[]) {
      expect(micOf(capture, false, null)).toMatchObject({ retry: true, mend: expect.stringMatching(/\w/) });
    }
  });
});

describe("keys", () => {
  const press = (key: string, more: Partial<Press> = {}): Press => ({ key, modified: false, repeated: false, typing: false, onControl: false, stopped: false, characters: true, ...more });

  test.each([["s", "stop"], ["S", "stop"], ["Escape", "stop"], ["g", "go_on"], ["n", "next"], ["r", "repeat"], ["a", "acknowledge"], ["m", "mute"], ["/", "focus_ask"], ["x", null], [" ", null]])(
    "%s does %s",
    (key, act) => expect(actOf(press(key))).toBe(act),
  );

  test("do nothing while typing, with the browser's own keys, or when held down", () => {
    for (const more of [{ typing: true }, { modified: true }, { repeated: true }]) expect(actOf(press("s", more))).toBeNull();
  });

  test("Enter goes on only when stopped, and never instead of the button that it is on", () => {
    expect(actOf(press("Enter"))).toBeNull();
    for (const key of ["a", "S", "/"]) expect(actOf(press(key, { characters: false }))).toBeNull();
    expect(actOf(press("Escape", { characters: false }))).toBe("stop");
    expect(actOf(press("Enter", { stopped: true }))).toBe("go_on");
    expect(actOf(press("Enter", { stopped: true, onControl: true }))).toBeNull();
  });
});

describe("what is held says for what", () => {
  const HELD = { kind: "critical", cause: "user" };
  const seen = (mode: string, ...told: object[]): View =>
    [["mode", { mode, waiting: 1 }] as const, ...told.map((one) => ["utterance", one] as const)].reduce(
      (view: View, [type, body], at) => reduce(view, message(at + 1, type, body), 0),
      EMPTY,
    );
  const alarm = utterance("a", "held", HELD);
  const answer = (phase: string): object => utterance("q", phase, { kind: "answer" });

  test.each([
    ["a question, of which no answer is there yet", seen("free", alarm), "question"],
    ["a question that is being answered", seen("free", alarm, answer("speaking")), "question"],
    ["a question of ours", seen("asking", alarm), "asking"],
    ["a stop", seen("quiet", alarm), "user"],
    ["a wait", seen("waiting", alarm), "user"],
    ["a question into a quiet", seen("quiet", alarm, answer("queued")), "question"],
    ["a stop, after an answer", seen("quiet", alarm, answer("spoken")), "user"],
    ["a stop before a question", seen("quiet", utterance("a", "held", { ...HELD, kind: "finding" }), answer("queued")), "user"],
    ["a voice", seen("free", utterance("a", "held", { ...HELD, cause: "voice" })), "voice"],
    ["an alarm", seen("free", utterance("a", "held", { ...HELD, cause: "critical" })), "critical"],
  ])("%s", (_, view, cause) => {
    expect(heldForWhat(view).utterances.get("a")?.cause).toBe(cause);
  });
});
