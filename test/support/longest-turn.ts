/**
 * Does `work` while the turns of the event loop are watched.
 * @returns what it gives, and the processor time of the longest turn in milliseconds: what other processes of the machine
 * take does not count.
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
