/**
 * The level of the voice's track, by Web Audio: a receiver's own `audioLevel` is there only if the sender stamps its
 * packets with it, which LiveKit's native clients do not.
 */
import { SAMPLE_RATE_HZ } from "../protocol";
import { lookAt, type Look } from "./onset";

/** 85 ms at 48 kHz: more than two looks of a visible page. */
const WINDOW = 4_096;

export class Meter {
  private context: AudioContext | null = null;
  private source: MediaStreamAudioSourceNode | null = null;
  private analyser: AnalyserNode | null = null;
  private readonly samples = new Float32Array(WINDOW);
  private lookedAt_s: number | null = null;

  listen(track: MediaStreamTrack | null): void {
    this.source?.disconnect();
    this.source = null;
    this.lookedAt_s = null;
    if (!track) return;
    this.context ??= new AudioContext({ sampleRate: SAMPLE_RATE_HZ, latencyHint: "interactive" });
    this.analyser ??= new AnalyserNode(this.context, { fftSize: WINDOW });
    this.source = this.context.createMediaStreamSource(new MediaStream([track]));
    this.source.connect(this.analyser);
    this.wake();
  }

  /** Web Audio may begin only after a click. */
  wake(): void {
    if (this.context?.state === "suspended") void this.context.resume().catch(() => undefined);
  }

  /** What came since the look before, or null while nothing can be seen. */
  look(): Look | null {
    if (!this.analyser || !this.source || this.context?.state !== "running") {
      this.lookedAt_s = null;
      return null;
    }
    const now_s = this.context.currentTime;
    const since = this.lookedAt_s === null ? Infinity : Math.round((now_s - this.lookedAt_s) * SAMPLE_RATE_HZ);
    this.lookedAt_s = now_s;
    this.analyser.getFloatTimeDomainData(this.samples);
    return lookAt(this.samples, since <= WINDOW ? since : null);
  }

  stop(): void {
    this.listen(null);
    void this.context?.close();
    this.context = null;
    this.analyser = null;
  }
}
