/** A board without a room, for a real browser (tests/e2e/test_page_sizes.py): a debate of `experts`, and its decision. */
import "../src/styles/page.css";
import type { Session, Status } from "../src/session";
import { EMPTY, reduce, type View } from "../src/state/view";
import { Board } from "../src/ui/board";
import { message, update, utterance } from "./messages";

const ROLES = ["cardiologist", "nephrologist", "pharmacist", "intensive care physician", "haematologist", "neurologist", "radiologist"];
const VIEWS = ["digoxin poisoning", "complete heart block of another cause, a pacemaker first", "digoxin poisoning by clarithromycin"];

const status: Status = {
  ...{ connection: "connected", listening: true, voice: true, sound: true, problem: "", elsewhere: false, lostAt_ms: null },
  ...{ silent: null, refused: "", after: null, version: null },
};

function* debate(experts: number): Generator<object> {
  const names = ROLES.slice(0, experts).map((role) => `The ${role}`);
  const step = (id: string, kind: string, agents: readonly string[], more: object = {}): object => ({ step_id: id, kind, text: "", detail: "", agents, round: null, share: null, ...more });
  yield step("0", "recruited", names, { text: `${names.join(", ")}.`, detail: names.join("; ") });
  for (const [at, name] of names.entries()) yield step(`o${at}`, "leading", [name], { detail: VIEWS[at % 3] });
  for (const round of [1, 2, 3]) {
    yield step(`r${round}`, "round", names, { round, text: `Round ${round}.` });
    for (const [at, name] of names.entries()) {
      yield step(`m${at}`, "message", [name, names[(at + 1) % experts] ?? name], { round, count: round, text: `${name} has written.` });
      yield step(`h${round}${at}`, "leading", [name], { round, detail: VIEWS[(at + round) % 3] });
    }
  }
  yield step("f", "final", ["The moderator"], { detail: "digoxin poisoning by clarithromycin" });
}

function view(experts: number): View {
  const which_case = "Live, simulated case: man, 80. Scripted: Yellow rings and a pulse of 38.";
  const hello = { session_id: "s", case_id: "c", title: "Scripted: Yellow rings and a pulse of 38", which_case, agents: [], sample_rate_hz: 48_000, track_sid: "t", has_paper: true, reader: null, protocol: 1 };
  const bodies: [string, object][] = [["hello", hello], ["reasoning", { phase: "thinking", detail: "" }]];
  for (const number of [1, 2, 3, 4, 5, 6]) {
    bodies.push(["update", update(number)], ["utterance", utterance(`u-${number}.1`, "spoken", { update_id: `u-${number}` })]);
  }
  for (const step of debate(experts)) bodies.push(["step", step]);
  return bodies.reduce((seen: View, [type, body], at) => reduce(seen, message(at + 1, type, body), 0), EMPTY);
}

const experts = Number(new URLSearchParams(location.hash.slice(1)).get("experts") ?? 3);
const session = { id: "s", title: "Scripted: Yellow rings and a pulse of 38", view: view(experts), status, mic: { state: "muted", words: "Microphone muted", mend: "", retry: false }, level: 0, position: null, graceLeft_ms: null, hears: true };
const board = new Board(() => session as unknown as Session, () => undefined, () => undefined);
document.body.replaceChildren(board.element);
board.changed();
