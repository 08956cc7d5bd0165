/**
 * Runs `work` and measures the turns of the event loop.
 * @returns its result, and the longest turn in milliseconds of processor time, which excludes other processes on the
 * machine.
 */
export async function withLongestTurn<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly longestMs: number }> {
  const msNow = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let [last, longestMs] = [msNow(), 0];
  const look = (): void => {
    const now = msNow();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  try {
    const result = await work();
    look();
    return { result, longestMs };
  } finally {
    clearInterval(timer);
  }
}
