/**
 * Puts state messages back in order. Each is a text stream of its own, so a long one may finish after its successor.
 *
 * Pure but for its own memory; the time is an argument. Bounded: at `MAX_HELD` waiting messages the hole before them
 * is given up, as it is after `WINDOW_MS`.
 */
import type { Envelope } from "../protocol";

/** How long a hole may stay open: streams overlap by far less, and a lost one is mended by a snapshot. */
export const WINDOW_MS = 800;
export const MAX_HELD = 256;

export interface Ordered {
  /** To be reduced now, in order. */
  readonly ready: readonly Envelope[];
  /** Something was lost for good: ask for a snapshot. */
  readonly gap: boolean;
}

export class Reorder {
  private epoch = -1;
  /** The seq that must come next; null while this epoch's first message is not sure. */
  private next: number | null = null;
  private held = new Map<number, Envelope>();
  private openedAtMs: number | null = null;

  /** Take one message as it arrived; older epochs and repeats are dropped. */
  add(envelope: Envelope, nowMs: number): Ordered {
    if (envelope.epoch < this.epoch) return { ready: [], gap: false };
    if (envelope.epoch > this.epoch) this.begin(envelope.epoch);
    if (this.next !== null && envelope.seq < this.next) return { ready: [], gap: false };
    this.held.set(envelope.seq, envelope);
    const base = this.base(envelope);
    const passed = base === null ? [] : this.startAt(base);
    const { ready, gap } = this.drain(nowMs);
    return { ready: [...passed, ...ready], gap };
  }

  /** Give up holes that have been open for too long. Call it now and then. */
  expire(nowMs: number): Ordered {
    return this.drain(nowMs);
  }

  private begin(epoch: number): void {
    this.epoch = epoch;
    this.next = null;
    this.held.clear();
    this.openedAtMs = null;
  }

  /** A snapshot replaces all before it; seq 1 is the beginning. */
  private base(envelope: Envelope): number | null {
    if (envelope.type === "snapshot") return envelope.seq;
    return this.next === null && envelope.seq === 1 ? 1 : null;
  }

  /** Begin at `seq`; return what of all before it still holds: a `hello` is in no snapshot. */
  private startAt(seq: number): Envelope[] {
    this.next = seq;
    const passed = [...this.held.values()].filter((held) => held.seq < seq);
    for (const { seq: before } of passed) this.held.delete(before);
    return passed.filter(({ type }) => type === "hello");
  }

  private drain(nowMs: number): Ordered {
    const ready = this.run();
    let gap = false;
    if (this.held.size === 0) {
      this.openedAtMs = null;
    } else {
      if (ready.length > 0 || this.openedAtMs === null) this.openedAtMs = nowMs;
      if (nowMs - this.openedAtMs >= WINDOW_MS || this.held.size > MAX_HELD) {
        gap = true;
        this.next = Math.min(...this.held.keys());
        ready.push(...this.run());
        this.openedAtMs = this.held.size > 0 ? nowMs : null;
      }
    }
    return { ready, gap };
  }

  private run(): Envelope[] {
    const ready: Envelope[] = [];
    while (this.next !== null) {
      const envelope = this.held.get(this.next);
      if (!envelope) break;
      this.held.delete(this.next);
      ready.push(envelope);
      this.next += 1;
    }
    return ready;
  }
}
