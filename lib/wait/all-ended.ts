/**
 * Results of work that goes on at once, when all of it has ended. Of several failures the first in time is thrown: a
 * transaction that fails must not go on asking for statements behind its end.
 */
export async function allEnded<const T extends readonly Promise<unknown>[]>(
  work: T,
): Promise<{ readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = Promise.all(work);
  await Promise.allSettled(work);
  return results;
}
