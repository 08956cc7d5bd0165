import type { Ports } from '../ports/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { CallContext, New, StoredFigures } from '../records/index.ts';
import { authorshipOf } from '../runtime/index.ts';
import { type Instant, instant } from '../values/time/index.ts';

/** Time in milliseconds after which a call does not start another part of a count. */
const COUNT_TIME_MS = 150;

/**
 * Age in milliseconds at which an unfinished count starts again. The first rows of a count are therefore never much
 * older than its last rows.
 */
const MAX_COUNT_MS = 600_000;

/** Figures that several calls count in limited parts (§1). `P` is the position between two parts. */
export interface Count<F, P> {
  readonly name: string;
  /** Age at which complete figures are stale. */
  readonly maxAgeMs: number;
  readonly start: CountState<F, P>;
  /** Counts the next part and returns the updated figures. The position is null after the last part. */
  countPart(session: ReadSession, state: CountState<F, P>): Promise<CountState<F, P | null>>;
  /** Restores figures from their JSON form. */
  readFigures(stored: unknown): F;
  readPosition(stored: unknown): P;
  /** Returns true if the figures are outdated although they are younger than `maxAgeMs`. */
  isOutdated?(figures: F): boolean;
}

export interface CountState<F, P> {
  readonly figures: F;
  readonly position: P;
}

/** The last complete figures. `isCounting` is true while a count or recount is still in progress. */
export interface Kept<F> {
  readonly figures: F | null;
  readonly countedAt: Instant | null;
  readonly isCounting: boolean;
}

interface StoredProgress {
  readonly figures: unknown;
  readonly position: unknown;
  readonly startedAt: number;
}

/**
 * Counts missing and outdated figures for about 150 ms, in the order of `counts`, and stores the result. Then returns
 * the stored figures in that order.
 */
export async function keepCounts<F, P>(
  { storage, systemClock }: Pick<Ports, 'storage' | 'systemClock'>,
  context: CallContext,
  counts: readonly Count<F, P>[],
): Promise<readonly Kept<F>[]> {
  const startedMs = systemClock.nowMs();
  const isTimeLeft = () => systemClock.nowMs() - startedMs < COUNT_TIME_MS;
  const now = instant(startedMs);
  const changed: New<StoredFigures>[] = [];
  const kept = await storage.read(context.tenant, async (session) => {
    const rows = await session.reports.figures(counts.map(({ name }) => name));
    const byName = new Map(rows.map((row) => [row.name, row]));
    const found: Kept<F>[] = [];
    for (const count of counts) {
      const stored = byName.get(count.name) ?? emptyFigures(count.name);
      const mayCount = changed.length === 0 || isTimeLeft();
      const counted = isStale(count, stored, now) && mayCount;
      const current = counted ? await continueCount(session, { count, stored, now, isTimeLeft }) : stored;
      if (counted) changed.push(current);
      found.push(viewOf(count, current, now));
    }
    return found;
  });
  if (changed.length > 0)
    await storage.write(context.tenant, authorshipOf(context), (session) =>
      session.reports.saveFigures(changed),
    );
  return kept;
}

function emptyFigures(name: string): New<StoredFigures> {
  return { name, figures: null, countedAt: null, progress: null };
}

/** Counts parts until the figures are complete or the time limit is reached. Counts at least one part. */
async function continueCount<F, P>(
  session: ReadSession,
  {
    count,
    stored,
    now,
    isTimeLeft,
  }: {
    readonly count: Count<F, P>;
    readonly stored: New<StoredFigures>;
    readonly now: Instant;
    readonly isTimeLeft: () => boolean;
  },
): Promise<New<StoredFigures>> {
  const { name, figures, countedAt } = stored;
  const progress = progressOf(stored, now);
  const startedAt = instant(progress?.startedAt ?? now);
  let state =
    progress === null
      ? count.start
      : { figures: count.readFigures(progress.figures), position: count.readPosition(progress.position) };
  do {
    const { figures: sums, position } = await count.countPart(session, state);
    if (position === null) return { name, figures: sums, countedAt: startedAt, progress: null };
    state = { figures: sums, position };
  } while (isTimeLeft());
  return { name, figures, countedAt, progress: { ...state, startedAt } };
}

/** Returns the progress of a count if it can be continued. */
function progressOf({ progress }: New<StoredFigures>, now: Instant): StoredProgress | null {
  const stored = progress as StoredProgress | null;
  return stored !== null && Math.abs(now - stored.startedAt) < MAX_COUNT_MS ? stored : null;
}

function isStale<F, P>(
  { maxAgeMs, readFigures, isOutdated }: Count<F, P>,
  { figures, countedAt, progress }: New<StoredFigures>,
  now: Instant,
): boolean {
  if (countedAt === null || progress !== null) return true;
  // Use the absolute difference, because the system clock can be set back.
  return Math.abs(now - countedAt) >= maxAgeMs || isOutdated?.(readFigures(figures)) === true;
}

function viewOf<F, P>(count: Count<F, P>, stored: New<StoredFigures>, now: Instant): Kept<F> {
  const { figures, countedAt } = stored;
  return {
    figures: figures === null ? null : count.readFigures(figures),
    countedAt,
    isCounting: isStale(count, stored, now),
  };
}
