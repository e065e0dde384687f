/**
 * What a reload, or a tab opened anew, needs to come back: kept in this browser, gone when the session is over.
 *
 * All tabs see it, so `owner` names the one that has the session: another does not take it away by itself.
 */

export interface Remembered {
  readonly session_id: string;
  readonly client_secret: string;
  readonly title: string;
  /** Commands are counted over reloads: the agent answers a repeated `seq` without doing it again. */
  readonly command_seq: number;
  /** A random name of the tab that has the session now. */
  readonly owner: string;
}

const KEY = "exaim.session";

export function recall(): Remembered | null {
  try {
    const value = JSON.parse(localStorage.getItem(KEY) ?? "null") as Partial<Remembered> | null;
    if (typeof value?.session_id !== "string" || typeof value.client_secret !== "string") return null;
    return {
      session_id: value.session_id,
      client_secret: value.client_secret,
      title: typeof value.title === "string" ? value.title : "",
      command_seq: Number.isInteger(value.command_seq) ? (value.command_seq as number) : 0,
      owner: typeof value.owner === "string" ? value.owner : "",
    };
  } catch {
    return null;
  }
}

/** Storage may be forbidden or full; the session then works but can't be returned to. */
export function remember(session: Remembered): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(session));
  } catch {
    return;
  }
}

/** Forget this session; another one that was opened since is kept. */
export function forget(session_id: string): void {
  try {
    if (recall()?.session_id === session_id) [KEY, PLACE, MUTED].forEach((key) => localStorage.removeItem(key));
  } catch {
    return;
  }
}

const DEVICE = "exaim.device";
let unkept = "";

/** This browser's own name, at random and for good: a return from it is known as one. Without storage, this page's. */
export function device(): string {
  unkept ||= Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  try {
    const known = localStorage.getItem(DEVICE);
    if (known && known.length <= 64) return known;
    localStorage.setItem(DEVICE, unkept);
  } catch {
    return unkept;
  }
  return unkept;
}

/** Where the caption stood, so that it stands there again after a reload: a sample of the agent's clock, within its epoch. */
export interface Place {
  readonly epoch: number;
  readonly sample: number;
}

const PLACE = "exaim.place";

export function rememberPlace(session_id: string, place: Place): void {
  try {
    localStorage.setItem(PLACE, JSON.stringify({ session_id, ...place }));
  } catch {
    return;
  }
}

export function recallPlace(session_id: string): Place | null {
  try {
    const value = JSON.parse(localStorage.getItem(PLACE) ?? "null") as (Partial<Place> & { session_id?: unknown }) | null;
    if (value?.session_id !== session_id || !Number.isInteger(value.epoch) || !Number.isInteger(value.sample)) return null;
    return { epoch: value.epoch as number, sample: value.sample as number };
  } catch {
    return null;
  }
}

const MUTED = "exaim.muted";

/** Whoever muted the microphone is not heard after a reload, or in another window, without having said so. */
export function rememberMuted(session_id: string, muted: boolean): void {
  try {
    if (muted) localStorage.setItem(MUTED, session_id);
    else localStorage.removeItem(MUTED);
  } catch {
    return;
  }
}

export function recallMuted(session_id: string): boolean {
  try {
    return localStorage.getItem(MUTED) === session_id;
  } catch {
    return false;
  }
}
