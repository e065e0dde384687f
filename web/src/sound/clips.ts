/** The page's own clips, fetched when a session begins, so that they can be played when the line is lost. */
import { type Clip, CLIPS } from "../state/silence";

const FETCH_MS = 5_000;
const AGAIN_MS = 10_000;
/** Shorter clicks. */
const FADE_S = 0.03;

interface Playing {
  readonly source: AudioBufferSourceNode;
  readonly gain: GainNode;
  fading: boolean;
}

export class Clips {
  private context: AudioContext | null = null;
  private readonly buffers = new Map<Clip, AudioBuffer>();
  private playing: Playing | null = null;
  private stopped = false;

  /** Fetch them all; what can't be had is tried again. Call it from a click if there is one. */
  async load(): Promise<void> {
    this.context ??= new AudioContext({ latencyHint: "interactive" });
    while (!this.stopped && this.buffers.size < CLIPS.length) {
      await Promise.all(CLIPS.map((clip) => this.fetch(clip)));
      if (this.buffers.size < CLIPS.length) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  /** Web Audio may begin only after a click. */
  wake(): void {
    if (this.context?.state === "suspended") void this.context.resume().catch(() => undefined);
  }

  /** Play one now; nothing happens while another plays, or where the browser holds sound back. */
  play(clip: Clip): void {
    const { context } = this;
    const buffer = this.buffers.get(clip);
    if (!context || !buffer || this.playing || context.state !== "running") return;
    const playing: Playing = { source: new AudioBufferSourceNode(context, { buffer }), gain: new GainNode(context), fading: false };
    playing.source.connect(playing.gain).connect(context.destination);
    playing.source.onended = () => (this.playing = null);
    this.playing = playing;
    playing.source.start();
  }

  /** The voice sounds: what plays fades out, so that nobody hears two at once. */
  hush(): void {
    const { context, playing } = this;
    if (!context || !playing || playing.fading) return;
    playing.fading = true;
    playing.gain.gain.setTargetAtTime(0, context.currentTime, FADE_S / 3);
    playing.source.stop(context.currentTime + 2 * FADE_S);
  }

  stop(): void {
    this.stopped = true;
    void this.context?.close().catch(() => undefined);
  }

  private async fetch(clip: Clip): Promise<void> {
    if (!this.context || this.buffers.has(clip)) return;
    try {
      const answer = await fetch(`./clips/${clip}.wav`, { signal: AbortSignal.timeout(FETCH_MS) });
      if (answer.ok) this.buffers.set(clip, await this.context.decodeAudioData(await answer.arrayBuffer()));
    } catch {
      return; // The next round tries again.
    }
  }
}
