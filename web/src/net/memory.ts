/**
 * What a reload, or a new tab, needs to return to a session: kept in this browser under a key per session, so that none
 * overwrites another. Deleted when the session is over, or after a month.
 *
 * All tabs see it, so `owner` names the tab that has the session; another tab does not take it without being asked.
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

/** Where the caption stood, so that it stands there again after a reload: a sample of the agent's clock, within its epoch. */
export interface Place {
  readonly epoch: number;
  readonly sample: number;
}

const WAY = "exaim.session.";
const PLACE = "exaim.place.";
const MUTED = "exaim.muted.";
const OPEN = "exaim.open.";
const DEVICE = "exaim.device";
const KEYS_OFF = "exaim.keys-off";
const HERE = "exaim.here";
/** docs/records.md: by default a report can be read for so long. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** Storage may be forbidden or full; the page then works, and can't be returned to. */
function tried<T>(use: () => T, without: T): T {
  try {
    return use();
  } catch {
    return without;
  }
}

/** A way back as it was written; null: there is none, or it can't be read. */
function read(raw: string | null): (Remembered & { readonly at_ms: number }) | null {
  const value = JSON.parse(raw ?? "null") as (Partial<Remembered> & { at_ms?: unknown }) | null;
  if (typeof value?.session_id !== "string" || typeof value.client_secret !== "string") return null;
  return {
    session_id: value.session_id,
    client_secret: value.client_secret,
    title: typeof value.title === "string" ? value.title : "",
    command_seq: Number.isInteger(value.command_seq) ? (value.command_seq as number) : 0,
    owner: typeof value.owner === "string" ? value.owner : "",
    at_ms: typeof value.at_ms === "number" ? value.at_ms : 0,
  };
}

export const recall = (session_id: string): Remembered | null => tried(() => read(localStorage.getItem(WAY + session_id)), null);

/** All ways back that this browser has, the newest first. */
export function ways(now_ms = Date.now()): readonly Remembered[] {
  const keys = tried(() => Object.keys(localStorage).filter((key) => key.startsWith(WAY)), []);
  const found = keys.flatMap((key) => tried(() => read(localStorage.getItem(key)), null) ?? []);
  for (const { session_id, at_ms } of found) if (now_ms - at_ms > KEPT_MS) forget(session_id);
  return found.filter(({ at_ms }) => now_ms - at_ms <= KEPT_MS).sort((a, b) => b.at_ms - a.at_ms);
}

export function remember(session: Remembered): void {
  tried(() => localStorage.setItem(WAY + session.session_id, JSON.stringify({ ...session, at_ms: Date.now() })), undefined);
}

/** Forget this session, and no other. */
export function forget(session_id: string): void {
  for (const key of [WAY, PLACE, MUTED, OPEN]) tried(() => localStorage.removeItem(key + session_id), undefined);
  notHere(session_id);
}

/** The session that this tab has: a reload goes on with it. Another tab, or another person at this browser, is asked. */
export const here = (): string | null => tried(() => sessionStorage.getItem(HERE), null);

export function nowHere(session_id: string): void {
  tried(() => sessionStorage.setItem(HERE, session_id), undefined);
}

/** The reader left this session: a reload of this tab does not return to it unasked. */
export function notHere(session_id: string): void {
  if (here() === session_id) tried(() => sessionStorage.removeItem(HERE), undefined);
}

let unkept = "";

/** This browser's permanent random name, by which its return is recognised; without storage, this page's. */
export function device(): string {
  unkept ||= Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const known = tried(() => localStorage.getItem(DEVICE), null);
  if (known && known.length <= 64) return known;
  tried(() => localStorage.setItem(DEVICE, unkept), undefined);
  return unkept;
}

export function rememberPlace(session_id: string, place: Place): void {
  tried(() => localStorage.setItem(PLACE + session_id, JSON.stringify(place)), undefined);
}

export function recallPlace(session_id: string): Place | null {
  const value = tried(() => JSON.parse(localStorage.getItem(PLACE + session_id) ?? "null") as Partial<Place> | null, null);
  if (!Number.isInteger(value?.epoch) || !Number.isInteger(value?.sample)) return null;
  return { epoch: value?.epoch as number, sample: value?.sample as number };
}

/** A muted microphone stays muted after a reload and in other windows. */
export function rememberMuted(session_id: string, muted: boolean): void {
  tried(() => (muted ? localStorage.setItem(MUTED + session_id, "1") : localStorage.removeItem(MUTED + session_id)), undefined);
}

export const recallMuted = (session_id: string): boolean => tried(() => localStorage.getItem(MUTED + session_id) !== null, false);

/** Keys that were turned off stay off in this browser, whatever the session: who speaks or types by chance needs that. */
export function rememberKeys(on: boolean): void {
  tried(() => (on ? localStorage.removeItem(KEYS_OFF) : localStorage.setItem(KEYS_OFF, "1")), undefined);
}

export const recallKeys = (): boolean => tried(() => localStorage.getItem(KEYS_OFF) === null, true);

/** The number of unacknowledged critical findings when this browser last saw the session; their words are not kept. */
export function rememberOpen(session_id: string, count: number): void {
  tried(() => localStorage.setItem(OPEN + session_id, String(count)), undefined);
}

/** Null: this browser has not seen any of the session yet. */
export function recallOpen(session_id: string): number | null {
  const raw = tried(() => localStorage.getItem(OPEN + session_id), null);
  return raw !== null && /^\d+$/.test(raw) ? Number(raw) : null;
}

/** A window has the session until it lets go or is gone, for whatever reason: a lock of the browser tells. */
export function holdOpen(session_id: string): () => void {
  let letGo = (): void => undefined;
  const promise = new Promise<void>((resolve) => (letGo = resolve));
  tried(() => void navigator.locks.request(WAY + session_id, { mode: "shared" }, () => promise).catch(() => undefined), undefined);
  return () => letGo();
}

/** Whether a window of this browser has the session now; null: this browser can't tell. */
export async function isOpen(session_id: string): Promise<boolean | null> {
  try {
    const { held = [] } = await navigator.locks.query();
    return held.some(({ name }) => name === WAY + session_id);
  } catch {
    return null;
  }
}
