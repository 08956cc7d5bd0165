import type { RecordingOutcome } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { LineReport } from '../recording/line-report.ts';
import type { PreparedLine } from './line-preparation.ts';
import { type Share, sharesOf } from './side-by-side.ts';
import { type Storing, storeSubmissions } from './store-submissions.ts';

/** What has become of a chunk. */
export type StoredChunk =
  | { readonly prepared: readonly PreparedLine[]; readonly outcomes: readonly RecordingOutcome[] }
  | { readonly error: unknown };

export const NO_CHUNK: StoredChunk = { prepared: [], outcomes: [] };

/** Never rejects, so that what fails while the next chunk is read is told once it is asked for. */
export async function storeChunk(storing: Storing, prepared: readonly PreparedLine[]): Promise<StoredChunk> {
  const submissions = prepared.flatMap((line) => ('submission' in line ? [line.submission] : []));
  // The connection of a host's transaction does one thing at a time.
  const shares = storing.tenant.within === undefined ? sharesOf(submissions) : [wholeOf(submissions)];
  const outcomes: RecordingOutcome[] = [];
  const store = async ({ submissions: own, places }: Share): Promise<void> => {
    const found = own.length === 0 ? [] : await storeSubmissions(storing, own);
    for (const [index, place] of places.entries()) {
      const outcome = found[index];
      assertInvariant(outcome, `Storage did not tell what has become of ${own[index]?.trackingId}`);
      outcomes[place] = outcome;
    }
  };
  const ends = await Promise.allSettled(shares.map(store));
  const failed = ends.find((end) => end.status === 'rejected');
  return failed === undefined ? { prepared, outcomes } : { error: failed.reason };
}

function wholeOf(submissions: Share['submissions']): Share {
  return { submissions, places: submissions.map((_submission, place) => place) };
}

/** @throws what has kept the chunk from being stored. */
export function addTo(report: LineReport, stored: StoredChunk): void {
  if ('error' in stored) throw stored.error;
  const next = stored.outcomes.values();
  for (const line of stored.prepared) {
    const { subscriptionId, trackingId } = line;
    if ('fault' in line) {
      report.add({ subscriptionId, trackingId, result: { fault: line.fault } });
      continue;
    }
    const { value: outcome } = next.next();
    assertInvariant(outcome, 'A line that was stored has no outcome', { subscriptionId });
    report.add({ subscriptionId, trackingId, result: { outcome } });
  }
}
