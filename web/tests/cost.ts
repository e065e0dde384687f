/** Processor time, which another program on the machine does not lengthen as it does the wall clock's. */
export function cpuMs(work: () => void): number {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}

/** The most that work on four times as much may cost, by what the quarter cost: twice its share, and a moment. */
export const mostOfFourTimes = (quarterMs: number): number => 8 * quarterMs + 100;
