/**
 * The reader's side of the sound, as Web Audio: one track into which the microphone (if any) and the chips' sounds flow.
 * Knows no room: who publishes the track is told when there is something in it.
 */
import type { Capture } from "../state/mic";

export const CHIPS = ["mm-hm", "stop", "why", "go-on"] as const;
export type Chip = (typeof CHIPS)[number];

const WANTED: MediaTrackConstraints = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
/** A chip is heard here too, softly: the reader knows what was said for them. */
const HERE = 0.25;
const FETCH_MS = 5_000;
const METER_WINDOW = 1_024;
/** The meter's range: −60 dBFS is empty, −10 dBFS is full. */
const METER_DB = { empty: -60, full: -10 };

interface Graph {
  readonly context: AudioContext;
  readonly out: MediaStreamAudioDestinationNode;
  readonly gate: GainNode;
  readonly here: GainNode;
  readonly analyser: AnalyserNode;
}

export class Microphone {
  capture: Capture = "off";
  private made: Graph | null = null;
  private source: MediaStreamAudioSourceNode | null = null;
  private stream: MediaStream | null = null;
  private open = true;
  private stopped = false;
  private readonly clips = new Map<Chip, Promise<AudioBuffer>>();
  private readonly samples = new Float32Array(METER_WINDOW);

  constructor(private readonly changed: () => void) {}

  private get asking(): boolean {
    return this.capture === "asking";
  }

  /** Ask for the microphone. Never raises: what came of it is in `capture`. */
  async ask(): Promise<void> {
    if (this.stopped || this.asking || this.capture === "on") return;
    this.set("asking");
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: WANTED });
      if (this.asking) this.connect(stream);
      else stopAll(stream); // the answer came after the end, or after another window took the session
    } catch (error) {
      if (this.asking) this.set(refusalOf(error));
    }
  }

  /** Open the microphone only if the browser asks the reader nothing, as the page was not clicked. */
  async askQuietly(): Promise<void> {
    try {
      const permission = await navigator.permissions.query({ name: "microphone" as PermissionName });
      if (permission.state === "granted") await this.ask();
      else if (permission.state === "denied") this.set("denied");
    } catch {
      return; // A browser that can't tell: the button asks.
    }
  }

  /** A fresh end of the one stream: a room stops the one that it was given when it is left. */
  track(): MediaStreamTrack | null {
    return this.graph().out.stream.getAudioTracks()[0]?.clone() ?? null;
  }

  /** Let the microphone's own sound through, or only the chips'. */
  gate(open: boolean): void {
    this.open = open;
    if (this.made) this.made.gate.gain.value = open ? 1 : 0;
  }

  /** Web Audio may begin only after a click. */
  async wake(): Promise<void> {
    if (this.made?.context.state === "suspended") await this.made.context.resume().catch(() => undefined);
  }

  /** How loud the microphone is, 0 to 1. */
  level(): number {
    if (!this.made || this.capture !== "on" || !this.open) return 0;
    this.made.analyser.getFloatTimeDomainData(this.samples);
    let sum = 0;
    for (const sample of this.samples) sum += sample * sample;
    const db = 10 * Math.log10(sum / METER_WINDOW + 1e-12);
    return Math.min(1, Math.max(0, (db - METER_DB.empty) / (METER_DB.full - METER_DB.empty)));
  }

  /** Play a chip into the track. Resolves when it is over. Raises if its sound can't be had. */
  async play(chip: Chip): Promise<void> {
    const graph = this.graph();
    const buffer = await this.clip(graph.context, chip);
    const source = new AudioBufferSourceNode(graph.context, { buffer });
    source.connect(graph.out);
    source.connect(graph.here);
    await new Promise<void>((resolve) => {
      source.onended = () => resolve();
      setTimeout(resolve, buffer.duration * 1_000 + 1_000); // a context that stands still ends nothing
      source.start();
    });
  }

  /** Let the device go; it can be asked for again. */
  free(): void {
    this.release();
    this.set("off");
  }

  stop(): void {
    this.stopped = true;
    this.release();
    void this.made?.context.close();
    this.made = null;
    this.capture = "off";
  }

  private graph(): Graph {
    if (this.made) return this.made;
    const context = new AudioContext({ latencyHint: "interactive" });
    const out = new MediaStreamAudioDestinationNode(context, { channelCount: 1 });
    const gate = new GainNode(context, { gain: this.open ? 1 : 0 });
    const here = new GainNode(context, { gain: HERE });
    const analyser = new AnalyserNode(context, { fftSize: METER_WINDOW });
    gate.connect(out);
    here.connect(context.destination);
    this.made = { context, out, gate, here, analyser };
    return this.made;
  }

  private connect(stream: MediaStream): void {
    const graph = this.graph();
    this.release();
    this.stream = stream;
    this.source = new MediaStreamAudioSourceNode(graph.context, { mediaStream: stream });
    this.source.connect(graph.gate);
    this.source.connect(graph.analyser);
    const track = stream.getAudioTracks()[0];
    track?.addEventListener("ended", () => {
      if (this.stream !== stream) return;
      this.release();
      this.set("lost");
    });
    void this.wake();
    this.set(track?.readyState === "live" ? "on" : "lost");
  }

  private release(): void {
    this.source?.disconnect();
    this.source = null;
    if (this.stream) stopAll(this.stream);
    this.stream = null;
  }

  private clip(context: AudioContext, chip: Chip): Promise<AudioBuffer> {
    const known = this.clips.get(chip);
    if (known) return known;
    const made = fetchClip(context, chip);
    this.clips.set(chip, made);
    made.catch(() => this.clips.delete(chip));
    return made;
  }

  private set(capture: Capture): void {
    this.capture = capture;
    this.changed();
  }
}

function stopAll(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

async function fetchClip(context: AudioContext, chip: Chip): Promise<AudioBuffer> {
  const answer = await fetch(`./chips/${chip}.wav`, { signal: AbortSignal.timeout(FETCH_MS) });
  if (!answer.ok) throw new Error(`chip ${chip}: ${answer.status}`);
  return context.decodeAudioData(await answer.arrayBuffer());
}

/** NotFoundError: no device; NotReadableError: another program has it; all others count as refused. */
function refusalOf(error: unknown): Capture {
  const name = error instanceof DOMException ? error.name : "";
  if (["NotFoundError", "OverconstrainedError"].includes(name)) return "none";
  if (["NotReadableError", "AbortError"].includes(name)) return "lost";
  // Without https or localhost there is no mediaDevices at all (a TypeError).
  return name === "" ? "none" : "denied";
}
