/** Whether the browser would hold sound back now, because nobody has clicked yet. */

const SETTLE_MS = 300;

/** Asks by trying: an audio context that does not run after 300 ms is held back. */
export async function audioLocked(): Promise<boolean> {
  const probe = new AudioContext();
  try {
    await Promise.race([probe.resume(), new Promise((resolve) => setTimeout(resolve, SETTLE_MS))]);
    return probe.state !== "running";
  } catch {
    return true;
  } finally {
    void probe.close();
  }
}
