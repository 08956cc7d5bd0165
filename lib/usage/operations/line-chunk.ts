/**
 * Points of such a transaction, where lines have many; one line may have more. SQLite stores these in 70 ms, for which all
 * others wait.
 */
const BULK_USAGE_CHUNK_POINTS = 5_000;

/** The lines in their order, at most so many at a time, and so many points. */
export async function* chunksOf<T>(
  lines: AsyncIterable<T> | Iterable<T>,
  { chunkSize, sizeOf }: { readonly chunkSize: number; readonly sizeOf: (line: T) => number },
): AsyncGenerator<readonly T[]> {
  let chunk: T[] = [];
  let size = 0;
  for await (const line of lines) {
    const own = sizeOf(line);
    if (chunk.length > 0 && size + own > BULK_USAGE_CHUNK_POINTS) {
      yield chunk;
      [chunk, size] = [[], 0];
    }
    chunk.push(line);
    size += own;
    if (chunk.length < chunkSize) continue;
    yield chunk;
    [chunk, size] = [[], 0];
  }
  if (chunk.length > 0) yield chunk;
}
