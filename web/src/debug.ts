/** What the tests may look at: counts and times, no clinical text. Bounded. */
import { idOf, type Envelope } from "./protocol";

const MAX_RECEIVED = 2_000;

interface Received {
  readonly type: string;
  readonly seq: number;
  readonly id: string;
  /** Wall clock of this page, ms since the epoch, with fractions. */
  readonly t_ms: number;
}
interface Debug {
  received: Received[];
  firstAudibleAt_ms: number | null;
}
declare global {
  interface Window {
    exaim: Debug;
  }
}

const debug: Debug = { received: [], firstAudibleAt_ms: null };
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
