import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { Authorship, CallContext } from '../../records/index.ts';
import { authorshipOf, FairTurns, SharedPlaces } from '../../runtime/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { assertInvariant, type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import { BULK_USAGE_POINTS_PER_TURN } from '../../values/limits.ts';
import { LineReport, lineNames } from '../recording/line-report.ts';
import { readLine, type SubmittedLine } from '../recording/read-submission.ts';
import type { RecordingConfig } from '../recording/recording-faults.ts';
import { type LineRead, linePreparation, type PreparedLine, pointsOf } from './line-preparation.ts';
import { recordingConfigOf } from './recording-config.ts';
import { addTo, NO_CHUNK, type StoredChunk, storeChunk } from './store-submissions.ts';
import type { RecordAllOptions } from './usage-operations.ts';

/** Maximum number of concurrent bulk calls. Further calls are rejected before their input is read. */
export const MAX_BULK_USAGE_CALLS = 16;
const MAX_BULK_USAGE_CALLS_OF_ALL = 64;

/**
 * Number of points above which a bulk call counts as large. If too many large calls are running, a call that reaches
 * this number is rejected with a retry time. The node needs 10 s for 700,000 points, so more concurrent calls would all
 * exceed the request time.
 */
const LARGE_CALL_POINTS = 50_000;
const MAX_LARGE_CALLS = 2;
const MAX_LARGE_CALLS_OF_ALL = 4;
const LARGE_CALL_RETRY_SECONDS = 10;

/**
 * Maximum number of points that all bulk calls together store at the same time. On SQLite, all other work waits while
 * points are stored.
 */
const BULK_USAGE_POINTS_STORED_AT_ONCE = 5_000;

type Lines = AsyncIterable<SubmittedLine> | Iterable<SubmittedLine>;

/** Operations that record many submissions in one call (§2.5). */
export function bulkOperations(
  ports: Pick<Ports, 'storage' | 'sha256' | 'systemClock'>,
  catalogs: CatalogProvider,
  { settingsOf, chunkSize }: { readonly settingsOf: SettingsOf; readonly chunkSize: number },
) {
  const { storage, systemClock } = ports;
  const prepare = linePreparation(ports, catalogs);
  const configOf = recordingConfigOf(settingsOf);
  const places = new SharedPlaces({ all: MAX_BULK_USAGE_CALLS_OF_ALL, each: MAX_BULK_USAGE_CALLS });
  const largePlaces = new SharedPlaces({ all: MAX_LARGE_CALLS_OF_ALL, each: MAX_LARGE_CALLS });
  /**
   * Distributes processing time among bulk calls. Together, the calls take one step per turn of the event loop, so
   * other requests wait for only one step.
   */
  const turns = new FairTurns(1);
  const storing = new FairTurns(BULK_USAGE_POINTS_STORED_AT_ONCE);
  /** Number of points that are being stored or have been stored since the last turn of the event loop. */
  let pointsOfTurn = 0;

  async function record(
    context: CallContext,
    {
      lines,
      authorship,
      options,
    }: { readonly lines: Lines; readonly authorship: Authorship; readonly options: RecordAllOptions },
    report: LineReport,
  ) {
    const { tenant } = context;
    const nextTurn = () => turns.run(tenant.id, 1, () => systemClock.nextTurn());
    let config: RecordingConfig | undefined;
    let pointsRead = 0;
    let isLarge = false;
    const countPoints = (read: LineRead) => {
      pointsRead += pointsOf(read);
      if (isLarge || pointsRead <= LARGE_CALL_POINTS) return;
      if (!largePlaces.take(tenant.id)) throw busyWithLarge();
      isLarge = true;
    };
    const readAllLines = async function* (): AsyncGenerator<LineRead> {
      let points = 0;
      for await (const line of lines) {
        config ??= await storage.read(tenant, (session) => configOf(session, options));
        const read = { read: readLine(line, config), names: lineNames(line) };
        countPoints(read);
        points += Math.max(1, pointsOf(read));
        if (points >= BULK_USAGE_POINTS_PER_TURN) {
          points = 0;
          await nextTurn();
        }
        yield read;
      }
    };
    // A chunk is read while the previous chunk is stored, except on the one connection of a host's transaction.
    let before: Promise<StoredChunk> = Promise.resolve(NO_CHUNK);
    try {
      for await (const chunk of chunksOf(readAllLines(), chunkSize)) {
        assertInvariant(config, 'Lines were read before the recording settings were loaded');
        const prepared = await prepare(context, chunk, { config, nextTurn });
        addTo(report, await before);
        const { mayPassThresholds } = config;
        const store = () => storeChunk({ storage, tenant, authorship, mayPassThresholds }, prepared);
        const size = sizeOf(prepared);
        // SQLite stores a chunk without a pause.
        // Waiting requests therefore run before each large chunk or group of small chunks.
        const storeInTurn = async () => {
          pointsOfTurn += size;
          if (pointsOfTurn >= BULK_USAGE_POINTS_PER_TURN) {
            pointsOfTurn = 0;
            await nextTurn();
          }
          return store();
        };
        // Other calls may wait for a lock of the host's transaction.
        before = tenant.within === undefined ? storing.run(tenant.id, size, storeInTurn) : store();
        if (tenant.within !== undefined) await before;
      }
      addTo(report, await before);
    } finally {
      if (isLarge) largePlaces.leave(tenant.id);
      await before;
    }
  }

  return {
    async recordAll(context: CallContext, lines: Lines, options: RecordAllOptions = {}) {
      const authorship = authorshipOf(context);
      const { id } = context.tenant;
      if (!places.take(id)) throw busy();
      const report = new LineReport({ isFull: options.listsAll ?? false });
      try {
        await record(context, { lines, authorship, options }, report);
      } finally {
        places.leave(id);
      }
      return report.report;
    },
  };
}

function sizeOf(prepared: readonly PreparedLine[]): number {
  return prepared.reduce(
    (size, line) => size + ('submission' in line ? line.submission.points.length : 0),
    0,
  );
}

function busy(): BillingError {
  return billingError(
    ErrorCode.TOO_MANY_REQUESTS,
    `Too many bulk calls are being recorded (at most ${MAX_BULK_USAGE_CALLS} per tenant). Nothing of this call was read; send it again later`,
    { retryAfterSeconds: 1 },
  );
}

/**
 * Returns the error for a node that is busy with large calls. Without this error, too many large calls would all exceed
 * the request time.
 */
function busyWithLarge(): BillingError {
  return billingError(
    ErrorCode.TOO_MANY_REQUESTS,
    `Too many bulk calls with more than ${LARGE_CALL_POINTS} points are being recorded (at most ${MAX_LARGE_CALLS} per tenant). The stored lines of this call stay; send all of it again later`,
    { retryAfterSeconds: LARGE_CALL_RETRY_SECONDS },
  );
}

/**
 * Maximum number of points per transaction of a bulk call, unless a single line has more. SQLite stores this many
 * points in 70 ms, during which all other work waits.
 */
const BULK_USAGE_CHUNK_POINTS = 5_000;

/** Yields the lines in order, in chunks. A chunk has a maximum number of lines and points. */
async function* chunksOf(lines: AsyncIterable<LineRead>, chunkSize: number) {
  let chunk: LineRead[] = [];
  let size = 0;
  for await (const line of lines) {
    const own = pointsOf(line);
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
