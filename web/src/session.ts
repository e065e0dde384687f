/**
 * One listening session, from a ticket to its end: joins, says `ready`, keeps the view, comes back after a loss.
 *
 * It owns the room and the ear; what it knows it tells through `changed`, at most once an event. Everything it awaits
 * has a deadline in net/.
 */
import { noteAudible, noteReceived, noteState } from "./debug";
import { ApiError, endSession, freshToken, messageOf, reopenSession, reportOf, standingOf, type Ticket } from "./net/api";
import { endTeam } from "./net/teams";
import { device, forget, holdOpen, notHere, nowHere, recall, recallMuted, remember, type Remembered, rememberMuted } from "./net/memory";
import { type Lost, VoiceRoom } from "./net/room";
import { parseEnvelope } from "./parse";
import type { CommandKind } from "./protocol";
import { audioLocked } from "./sound/autoplay";
import { Clips } from "./sound/clips";
import { Ear } from "./sound/ear";
import { type After, afterOf, afterRefusal, NOTHING_KNOWN } from "./state/after";
import { type Ordered, Reorder } from "./state/order";
import { isSpeaking } from "./state/reading";
import { type Mic, micOf } from "./state/mic";
import { type Clip, look, QUIET } from "./state/silence";
import { EMPTY, reduce, type View, withoutNotice } from "./state/view";
import { isMeantToBeSilent } from "./state/voice";
import { Talker } from "./talker";
import type { Chip } from "./sound/microphone";

export type Connection = "connecting" | "connected" | "reconnecting" | "lost" | "ended";

export interface Status {
  readonly connection: Connection;
  /** The agent has answered `ready`: the voice knows that we listen. */
  readonly listening: boolean;
  readonly voice: boolean;
  readonly sound: boolean;
  /** For the reader; empty: nothing to say. */
  readonly problem: string;
  /** Another window has taken the session: this one waits for the reader. */
  readonly elsewhere: boolean;
  /** This page's monotonic clock when the line was lost; null: it is there. */
  readonly lostAt_ms: number | null;
  /** No sound comes any more, against the reader's will: what the page has said of it; null: it comes. */
  readonly silent: Clip | null;
  /** What was asked by hand was not taken; empty: all was. */
  readonly refused: string;
  /** What can still be done once it has ended; null: that is being asked for, or it has not ended. */
  readonly after: After | null;
  /** Another protocol version than this page's, if the agent speaks one. */
  readonly version: number | null;
}

/** Waits between attempts to come back after the line was lost; then the last one again and again, until the grace is over. */
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000];
const RETRY_LATER_MS = 15_000;
const READY_RETRY_MS = 1_000;
/** How long a session is kept after the last beat, until its `hello` says how long (docs/protocol.md). */
export const GRACE_MS = 300_000;
const REFUSED_MS = 6_000;
/** LiveKit notices a lost line after 10 to 30 s. */
const NOTICED_WITHIN_MS = 30_000;
/** A gap asks for a snapshot; not more often than this, and then once this is over. */
const RESYNC_MS = 2_000;
/** The agent's goodbye is here before the end is noted in the store. */
const STANDING_RETRY_MS = 1_000;
const STANDING_TRIES = 20;
/** How often the page looks whether it is silent against its reader's will. */
const SILENCE_LOOK_MS = 500;
/** The jitter buffer's share of the last words, when the agent says that the session has ended. */
const TAIL_MS = 1_500;
/** A page that has let go of its session. */
const SILENCED = { connection: "ended", listening: false, voice: false, problem: "", refused: "", lostAt_ms: null, silent: null } as const;

export class Session {
  view: View = EMPTY;
  status: Status = {
    connection: "connecting",
    listening: false,
    voice: false,
    sound: true,
    problem: "",
    elsewhere: false,
    lostAt_ms: null,
    silent: null,
    refused: "",
    after: null,
    version: null,
  };
  private readonly talker = new Talker(() => this.changed());
  private readonly order = new Reorder();
  private readonly clips = new Clips();
  private line = { received: 0, cameAt_ms: 0 };
  private silence = QUIET;
  private readonly silenceTimer = setInterval(() => void this.lookAtSilence(), SILENCE_LOOK_MS);
  private readonly ear: Ear;
  private room: VoiceRoom | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private refusedTimer: ReturnType<typeof setTimeout> | undefined;
  private resyncTimer: ReturnType<typeof setTimeout> | undefined;
  private readySent = -Infinity;
  private leaving = false;
  private closed = false;
  private self: Remembered;
  private readonly letGo: () => void;

  /** `returned`: the page came back by itself, without a click. */
  constructor(
    self: Remembered,
    private readonly redraw: () => void,
    private readonly looked: () => void,
    readonly returned = false,
  ) {
    this.self = { ...self, owner: Math.random().toString(36).slice(2) };
    this.ear = new Ear({
      beat: (beat) => this.room?.beat(beat),
      speaking: () => isSpeaking(this.view),
      locked: () => !this.status.sound,
      looked: () => {
        this.take(this.order.expire(performance.now()));
        this.looked();
      },
      audible: () => {
        noteAudible();
        this.clips.hush();
      },
    });
    remember(this.self);
    nowHere(this.id);
    this.letGo = holdOpen(this.id);
    this.talker.muted = recallMuted(this.id);
    window.addEventListener("online", this.online);
  }

  get id(): string {
    return this.self.session_id;
  }

  get title(): string {
    return this.view.hello?.title || this.self.title;
  }

  get position(): number | null {
    return this.ear.position();
  }

  get mic(): Mic {
    return micOf(this.talker.capture, this.talker.muted, this.view.ears);
  }

  /** How loud the microphone is, 0 to 1. */
  get level(): number {
    return this.talker.microphone.level();
  }

  /** Sound, or its silence, has come within the last two seconds. */
  get hears(): boolean {
    return performance.now() - this.ear.cameAt_ms < 2_000;
  }

  /** What is left of the grace, in ms; null while the line is there. */
  get graceLeft_ms(): number | null {
    const { lostAt_ms } = this.status;
    return lostAt_ms === null ? null : Math.max(0, lostAt_ms + this.grace_ms - performance.now());
  }

  private get grace_ms(): number {
    const grace_s = this.view.hello?.grace_s ?? null;
    return grace_s === null ? GRACE_MS : grace_s * 1_000;
  }

  /** Join with this ticket: from a click, so that the browser lets sound out, or by itself after a reload. */
  async start(ticket: Ticket): Promise<void> {
    void this.clips.load();
    if (this.returned) return this.startAlone(ticket);
    void this.talker.microphone.ask();
    const room = this.newRoom();
    const unlocking = room.unlock();
    await this.join(room, ticket);
    this.set({ sound: await unlocking });
    if (this.status.connection === "connected") void this.ready();
  }

  /** As `start`, but nobody clicked: if the browser then holds sound back, the voice waits for a click. */
  private async startAlone(ticket: Ticket): Promise<void> {
    await this.talker.microphone.askQuietly();
    this.set({ sound: !(await audioLocked()) });
    await this.join(this.newRoom(), ticket);
    if (this.status.connection === "connected") void this.ready();
  }

  /** The browser held the sound back: try again, from a click. */
  async unlock(): Promise<void> {
    if (!this.room) return;
    this.ear.wake();
    this.clips.wake();
    void this.talker.microphone.wake();
    this.set({ sound: await this.room.unlock() });
    void this.ready();
  }

  /** The reader asks to come back after the line was lost. */
  retry(): void {
    if (this.status.connection !== "lost") return;
    remember(this.self);
    this.set({ elsewhere: false });
    this.talker.again();
    void this.comeBack(0);
  }

  /** Ask the voice for something by hand. What was not taken is said in `status.refused`. */
  async act(kind: CommandKind, args: object = {}): Promise<boolean> {
    void this.talker.microphone.wake();
    const taken = this.status.listening && (await this.command(kind, args));
    if (!taken && !this.closed) this.refuse("The voice did not take that. Try again.");
    return taken;
  }

  toggleMute(): void {
    this.talker.toggleMute();
    rememberMuted(this.id, this.talker.muted);
  }

  askForMicrophone(): void {
    void this.talker.microphone.ask();
  }

  /** Say a chip into the room. */
  async say(chip: Chip): Promise<void> {
    const said = this.status.connection === "connected" && (await this.talker.say(chip));
    if (!said && !this.closed) this.refuse("That could not be said. The buttons do the same.");
  }

  private refuse(refused: string): void {
    clearTimeout(this.refusedTimer);
    this.set({ refused });
    this.refusedTimer = setTimeout(() => this.set({ refused: "" }), REFUSED_MS);
  }

  dismiss(noticeKey: number): void {
    this.view = withoutNotice(this.view, noticeKey);
    this.changed();
  }

  /** Have the team stop; the session goes on with what was said. Returns why that was not taken; empty: it was. */
  async endTeam(): Promise<string> {
    try {
      await endTeam(this.self.session_id, this.self.client_secret);
    } catch (error) {
      return messageOf(error) || "That was not taken. Try again.";
    }
    return "";
  }

  /** End the session for good. Returns false (and says why) if neither the API nor the agent took it. */
  async leave(): Promise<boolean> {
    this.leaving = true;
    try {
      await endSession(this.self.session_id, this.self.client_secret);
    } catch (error) {
      const gone = error instanceof ApiError && error.gone;
      // The agent's goodbye may have come before the answer, or instead of it.
      if (this.closed) return true;
      if (!gone && !(await this.command("end"))) {
        if (this.closed) return true;
        this.leaving = false;
        this.set({ problem: `The session could not be ended. ${messageOf(error)}` });
        return false;
      }
    }
    this.close("ended_by_clinician");
    return true;
  }

  /** Leave in order to come back: the session is kept as after a lost line, and so is the way back. */
  away(): void {
    if (this.closed) return;
    remember(this.self);
    notHere(this.self.session_id);
    this.stop(0);
    this.set(SILENCED);
  }

  /** The report of the session, once it is over, as Markdown. Waits while it is being made. */
  report(): Promise<string> {
    return reportOf(this.self.session_id, this.self.client_secret);
  }

  /** Have the session go on after its room has ended. Null: it does not, and `status.after` says why. */
  async reopen(): Promise<{ readonly self: Remembered; readonly ticket: Ticket } | null> {
    try {
      return { self: this.self, ticket: await reopenSession(this.self.session_id, this.self.client_secret) };
    } catch (error) {
      const code = error instanceof ApiError ? error.code : "";
      const after = afterRefusal(this.status.after ?? NOTHING_KNOWN, code, messageOf(error));
      if (!after.goesOn && code !== "secret_expired") forget(this.self.session_id);
      this.set({ after });
      return null;
    }
  }

  /** Stop everything here; the session itself goes on unless it was ended. */
  private close(reason: string): void {
    if (this.closed) return;
    if (reason === "ended_by_clinician") forget(this.self.session_id);
    // What was said last is still on its way to the ear.
    this.stop(reason === "ended_by_clinician" ? 0 : TAIL_MS);
    void this.lookBack();
    const ended = this.view.ended ?? reason;
    this.view = { ...this.view, ended: ended === "ended_by_clinician" && !this.leaving ? "ended_elsewhere" : ended };
    this.set(SILENCED);
  }

  private stop(roomAfter_ms: number): void {
    this.closed = true;
    this.letGo();
    clearTimeout(this.timer);
    clearTimeout(this.refusedTimer);
    clearTimeout(this.resyncTimer);
    clearInterval(this.silenceTimer);
    this.clips.stop();
    this.ear.stop();
    this.talker.stop();
    window.removeEventListener("online", this.online);
    const room = this.room;
    this.room = null;
    setTimeout(() => void room?.leave(), roomAfter_ms);
  }

  /** Ask what can still be done; what can't go on is not remembered. */
  private async lookBack(): Promise<void> {
    for (let tries = 1; tries <= STANDING_TRIES; tries++) {
      try {
        const after = afterOf(await standingOf(this.self.session_id, this.self.client_secret));
        if (after && !after.goesOn) forget(this.self.session_id);
        if (after) return this.set({ after });
      } catch (error) {
        if (error instanceof ApiError && error.gone) {
          if (error.worthless) forget(this.self.session_id);
          return this.set({ after: NOTHING_KNOWN });
        }
      }
      await new Promise((resolve) => setTimeout(resolve, STANDING_RETRY_MS));
    }
    this.set({ after: NOTHING_KNOWN });
  }

  /** Say why nothing is heard, if that is not what the reader wants. */
  private async lookAtSilence(): Promise<void> {
    await this.lookAtLine();
    const { status, view } = this;
    if (this.closed || status.elsewhere || !status.sound) return;
    const [silence, clip] = look(this.silence, {
      now: performance.now(),
      connected: status.connection === "connected",
      voice: status.voice,
      cameAt: this.ear.cameAt_ms,
      lineAt: this.line.cameAt_ms,
      speaking: isSpeaking(view),
      asked: !status.listening || isMeantToBeSilent(view),
      reasoning: view.reasoning.phase,
      waiting: view.mode.waiting,
      microphone: this.talker.capture === "on",
    });
    this.silence = silence;
    if (clip) this.clips.play(clip);
    const silent = silence.lost?.clip ?? null;
    if (silent !== status.silent) this.set({ silent });
  }

  private async lookAtLine(): Promise<void> {
    const received = await this.room?.received();
    if (typeof received === "number" && received !== this.line.received) this.line = { received, cameAt_ms: performance.now() };
  }

  private newRoom(): VoiceRoom {
    const room: VoiceRoom = new VoiceRoom(this.self.session_id, {
      state: (raw) => this.receive(raw),
      voice: (track) => {
        this.ear.attach(track);
        this.set({ voice: track !== null, listening: track !== null && this.status.listening });
        if (track) void this.ready();
      },
      reconnecting: () => this.set({ connection: "reconnecting", lostAt_ms: this.lostSince() }),
      reconnected: () => {
        this.set({ connection: "connected", lostAt_ms: null });
        void this.ready();
      },
      lost: (why) => this.lost(room, why),
      sound: (unlocked) => {
        const opened = unlocked && !this.status.sound;
        this.set({ sound: unlocked });
        if (opened) void this.ready();
      },
    });
    this.room = room;
    return room;
  }

  private async join(room: VoiceRoom, ticket: Ticket): Promise<void> {
    try {
      if (!this.closed) await room.join(ticket.livekit_url, ticket.token);
    } catch {
      void room.leave();
      if (room === this.room) this.set({ connection: "lost", problem: `The audio room at ${ticket.livekit_url} can't be joined.` });
      return;
    }
    if (this.closed) return void room.leave();
    if (room !== this.room) return;
    this.ear.connected();
    this.talker.join(room);
    this.set({ connection: "connected", problem: "", elsewhere: false, lostAt_ms: null });
  }

  private lost(room: VoiceRoom, why: Lost): void {
    if (this.closed || room !== this.room) return;
    this.room = null;
    this.talker.join(null);
    if (why === "ended" || this.view.ended) return this.close(this.leaving ? "ended_by_clinician" : "completed");
    if (why === "elsewhere") return this.yield();
    this.set({ connection: "lost", listening: false, lostAt_ms: this.lostSince() });
    void this.comeBack(0);
  }

  /** Another window has the session: be silent until the reader wants it here. */
  private yield(): void {
    clearTimeout(this.timer);
    this.talker.free();
    this.set({ connection: "lost", listening: false, elsewhere: true, lostAt_ms: null, problem: "" });
  }

  private readonly online = (): void => {
    if (!this.status.elsewhere) this.retry();
  };

  /** A lost line is noticed late: it was there when sound last came. */
  private lostSince(): number {
    const now = performance.now();
    return this.status.lostAt_ms ?? Math.max(this.ear.cameAt_ms, now - NOTICED_WITHIN_MS);
  }

  private async comeBack(attempt: number): Promise<void> {
    clearTimeout(this.timer);
    if (this.closed) return;
    if ((recall(this.id)?.owner ?? this.self.owner) !== this.self.owner) return this.yield();
    this.set({ connection: "reconnecting", problem: "" });
    try {
      const ticket = await freshToken(this.self.session_id, this.self.client_secret);
      const room = this.newRoom();
      await this.join(room, ticket);
      if (this.status.connection === "connected") return void this.ready();
    } catch (error) {
      if (error instanceof ApiError && error.gone) return this.close("gone"); // how it ended is asked then
    }
    if (this.closed) return;
    const wait = RETRY_MS[attempt];
    const lostAt_ms = this.lostSince();
    const over = performance.now() >= lostAt_ms + this.grace_ms; // only the reader tries again then, who needs "lost" for that
    this.set({ connection: wait === undefined || over ? "lost" : "reconnecting", lostAt_ms });
    if (over) return;
    this.timer = setTimeout(() => void this.comeBack(attempt + 1), wait ?? RETRY_LATER_MS);
  }

  /** Send `ready` once the room is joined, the voice attached and sound unlocked; again until the agent answers. */
  private async ready(): Promise<void> {
    const { connection, voice, sound } = this.status;
    if (this.closed || connection !== "connected" || !voice || !sound) return;
    clearTimeout(this.timer);
    clearTimeout(this.resyncTimer);
    this.readySent = performance.now();
    if (await this.command("ready", { device: device() })) this.set({ listening: true });
    else this.timer = setTimeout(() => void this.ready(), READY_RETRY_MS);
  }

  /** One command; without an answer it is asked once more under the same number, which the agent does once. */
  private async command(kind: CommandKind, args: object = {}): Promise<boolean> {
    const { room } = this;
    if (!room) return false;
    const seq = this.self.command_seq + 1;
    this.self = { ...this.self, command_seq: seq };
    remember(this.self);
    for (const last of kind === "ready" ? [true] : [false, true]) {
      try {
        const answer = await room.command(seq, kind, args);
        if (answer.code === "too_late") this.close("completed");
        return answer.ok;
      } catch {
        if (last || room !== this.room) break;
      }
    }
    return false; // No answer: the caller asks again, or says so.
  }

  private receive(raw: string): void {
    const parsed = parseEnvelope(raw);
    if (parsed.ok) {
      noteReceived(parsed.envelope);
      this.take(this.order.add(parsed.envelope, performance.now()));
    } else if (parsed.why === "version") {
      this.set({ version: parsed.version });
    }
  }

  private take({ ready, gap }: Ordered): void {
    const now = performance.now();
    for (const envelope of ready) this.view = reduce(this.view, envelope, now);
    if (gap) this.resync(now);
    if (ready.length === 0) return;
    if (this.view.ended !== null) this.close(this.view.ended);
    else this.changed();
  }

  /** Ask for a snapshot, for something was lost; after the last `ready` not at once, for its snapshot may be older than that. */
  private resync(now: number): void {
    const wait = this.readySent + RESYNC_MS - now;
    if (wait < 0) return void this.ready();
    clearTimeout(this.resyncTimer);
    this.resyncTimer = setTimeout(() => void this.ready(), wait);
  }

  private changed(): void {
    noteState(this.view, this.mic.state);
    this.redraw();
  }

  private set(part: Partial<Status>): void {
    this.status = { ...this.status, ...part };
    this.changed();
  }
}
