/**
 * The results of concurrent work, once all of it has ended; if several parts fail, the first failure is thrown. A
 * transaction that did not wait for all parts could go on making statements after its end.
 */
export async function allEnded<const T extends readonly Promise<unknown>[]>(
  work: T,
): Promise<{ readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = Promise.all(work);
  // Nobody looks at the results until the last has ended; Node would report a failure as unhandled.
  results.catch(() => undefined);
  await Promise.allSettled(work);
  return results;
}
