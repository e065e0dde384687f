import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Clips } from "../src/sound/clips";

/** Web Audio as far as a clip needs it: what was started and stopped, in seconds of its one clock. */
class Context {
  static now_s = 0;
  readonly state = "running";
  readonly destination = "the ear";
  get currentTime(): number {
    return Context.now_s;
  }
  decodeAudioData(): Promise<object> {
    return Promise.resolve({});
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}
class Source {
  static readonly made: Source[] = [];
  onended: () => void = () => undefined;
  stopsAt_s: number | null = null;
  constructor() {
    Source.made.push(this);
  }
  connect(gain: Gain): Gain {
    return gain;
  }
  start(): void {}
  stop(at_s: number): void {
    this.stopsAt_s = at_s;
  }
}
class Gain {
  readonly gain = { setTargetAtTime: (): void => undefined };
  connect(): void {}
}

beforeEach(() => {
  [Context.now_s, Source.made.length] = [0, 0];
  vi.stubGlobal("AudioContext", Context);
  vi.stubGlobal("AudioBufferSourceNode", Source);
  vi.stubGlobal("GainNode", Gain);
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("sound")));
});
afterEach(() => vi.unstubAllGlobals());

describe("the page's own clips", () => {
  test("fade out when the voice sounds, and may be played again after", async () => {
    const clips = new Clips();
    await clips.load();
    clips.hush(); // nothing plays
    clips.play("line-lost");
    clips.play("back"); // one at a time
    expect(Source.made).toHaveLength(1);
    Context.now_s = 0.4;
    clips.hush();
    Context.now_s = 0.42;
    clips.hush(); // the voice goes on sounding
    expect(Source.made[0]?.stopsAt_s).toBeCloseTo(0.46);
    Source.made[0]?.onended();
    clips.play("back");
    expect(Source.made).toHaveLength(2);
    expect(Source.made[1]?.stopsAt_s).toBeNull();
  });
});
