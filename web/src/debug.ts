/** What the tests may look at: counts and times, no clinical text. Bounded. */
import { idOf, type Envelope } from "./protocol";
import type { View } from "./state/view";

const MAX_RECEIVED = 2_000;

interface Received {
  readonly type: string;
  readonly seq: number;
  readonly id: string;
  /** Wall clock of this page, ms since the epoch, with fractions. */
  readonly t_ms: number;
}
interface Turned {
  readonly turn_id: string;
  readonly phase: string;
  readonly via: string;
  readonly kind: string;
  readonly effect: string;
  readonly why: string;
}
interface Debug {
  /** The agent's word for how the voice stands, and how many utterances wait. */
  mode: string;
  waiting: number;
  turns: readonly Turned[];
  /** What the page shows of the microphone. */
  microphone: string;
  received: Received[];
  firstAudibleAt_ms: number | null;
}
declare global {
  interface Window {
    exaim: Debug;
  }
}

const debug: Debug = { received: [], firstAudibleAt_ms: null, mode: "free", waiting: 0, turns: [], microphone: "off" };
window.exaim = debug;

const wallMs = (): number => performance.timeOrigin + performance.now();

export function noteReceived(envelope: Envelope): void {
  const type = envelope.type === "unknown" ? envelope.name : envelope.type;
  debug.received.push({ type, seq: envelope.seq, id: idOf(envelope), t_ms: wallMs() });
  if (debug.received.length > MAX_RECEIVED) debug.received.splice(0, debug.received.length - MAX_RECEIVED);
}

export function noteAudible(): void {
  debug.firstAudibleAt_ms ??= wallMs();
}

export function noteState(view: View, microphone: string): void {
  debug.mode = view.mode.mode;
  debug.waiting = view.mode.waiting;
  debug.turns = view.turns.map(({ turn_id, phase, via, kind, effect, why }) => ({ turn_id, phase, via, kind, effect, why }));
  debug.microphone = microphone;
}
