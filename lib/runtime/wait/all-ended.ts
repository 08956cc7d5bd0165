/**
 * Results of work that goes on at once, when all of it has ended. Of several failures the first in time is thrown. Without
 * waiting for the others, a transaction that fails would go on asking for statements behind its end.
 */
export async function allEnded<const T extends readonly Promise<unknown>[]>(
  work: T,
): Promise<{ readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = Promise.all(work);
  // Until the last has ended nobody asks how they went; Node would take a failure for one that nobody handles.
  results.catch(() => undefined);
  await Promise.allSettled(work);
  return results;
}
