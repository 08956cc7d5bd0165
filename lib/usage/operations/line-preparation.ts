import type { CatalogProvider, CatalogSource } from '../../catalog/index.ts';
import type { Ports, Sha256, SystemClock } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { CallContext, Subscription, TenantRef, UsageSubmission } from '../../records/index.ts';
import type { NextTurn } from '../../runtime/index.ts';
import { loadServiceEnds, noSubscriptionOfKey, noSuchSubscription } from '../../subscriptions/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { BULK_USAGE_POINTS_PER_TURN } from '../../values/limits.ts';
import type { Instant, TimeZone } from '../../values/time/index.ts';
import type { LineFound } from '../recording/line-report.ts';
import type { Reading, ReadLine } from '../recording/read-submission.ts';
import {
  endedFault,
  type RecordingConfig,
  type RecordingFault,
  RecordingFaultCode,
  unknownUnitFault,
} from '../recording/recording-faults.ts';
import { usagePoints, usageSubmission } from '../recording/usage-points.ts';

export type PreparedLine = Omit<LineFound, 'result'> &
  ({ readonly submission: UsageSubmission } | { readonly fault: RecordingFault });

export interface LineRead {
  readonly read: Reading<ReadLine>;
  readonly names: Pick<LineFound, 'subscriptionId' | 'trackingId'>;
}

type LinesRead = readonly LineRead[];

export function pointsOf({ read }: LineRead): number {
  return 'usage' in read ? read.usage.records.length : 0;
}

/** Returns a function that prepares the lines of a chunk. All chunks share one cache of subscriptions. */
export function linePreparation(
  { storage, sha256, systemClock }: Pick<Ports, 'storage' | 'sha256' | 'systemClock'>,
  catalogs: CatalogProvider,
) {
  const cache = new MeteredCache(() => systemClock.nowMs());
  storage.onCommit(() => cache.clear());
  return async (
    { tenant, userName: createdBy, createdDate }: CallContext,
    chunk: LinesRead,
    { config, nextTurn }: { readonly config: RecordingConfig; readonly nextTurn: NextTurn },
  ): Promise<readonly PreparedLine[]> => {
    const now = createdDate;
    const readAtMs = systemClock.nowMs();
    const catalogsOf = await catalogs.open({
      tenant,
      now,
      accounts: async (session) =>
        (await findLines(session, chunk, () => undefined)).subscriptions.map(({ accountId }) => accountId),
    });
    const facts = await storage.read(tenant, async (session): Promise<LineFacts> => {
      const findCachedSubscription = (id: Uuid) => cache.find(tenant, id);
      const { subscriptions, idOf, cached } = await findLines(session, chunk, findCachedSubscription);
      const around = { config, now, catalogsOf, nextTurn: () => systemClock.nextTurn(), cached };
      const { loaded, ...found } = await loadFacts(session, subscriptions, around);
      cache.keep(tenant, loaded, readAtMs);
      return { ...found, idOf, sha256, createdBy, createdDate };
    });
    const prepared: PreparedLine[] = [];
    let points = 0;
    for (const line of chunk) {
      prepared.push(preparedLine(line, facts));
      points += Math.max(1, pointsOf(line));
      if (points < BULK_USAGE_POINTS_PER_TURN) continue;
      points = 0;
      await nextTurn();
    }
    return prepared;
  };
}

/** Returns the subscriptions of the lines, except those already known, and the subscription ids by external key. */
async function findLines(
  session: ReadSession,
  chunk: LinesRead,
  cachedOf: (subscriptionId: Uuid) => MeteredSubscription | undefined,
) {
  const named = chunk.flatMap(({ read }) => ('usage' in read ? [read.usage.subscription] : []));
  const keys = [...new Set(named.flatMap((name) => ('externalKey' in name ? [name.externalKey] : [])))];
  const byKey = keys.length === 0 ? [] : await session.subscriptions.findByKeys(keys);
  const idOfKey = new Map(byKey.map(({ externalKey, id }) => [externalKey, id]));
  const idOf = (name: ReadLine['subscription']): Uuid | undefined =>
    'id' in name ? name.id : idOfKey.get(name.externalKey);
  const ids = [...new Set(named.flatMap((name) => idOf(name) ?? []))];
  const cached = ids.flatMap((id) => cachedOf(id) ?? []);
  const known = new Set(cached.map(({ subscription }) => subscription.id));
  const unknown = ids.filter((id) => !known.has(id));
  const subscriptions = unknown.length === 0 ? [] : await session.subscriptions.findByIds(unknown);
  return { subscriptions, idOf, cached };
}

interface SubmissionFacts {
  readonly unitFaultOf: (points: UsageSubmission['points'], accountId: Uuid) => RecordingFault | null;
  readonly sha256: Sha256;
}

interface LineFacts extends SubmissionFacts, Pick<UsageSubmission, 'createdBy' | 'createdDate'> {
  readonly metered: ReadonlyMap<Uuid, MeteredSubscription>;
  readonly idOf: (name: ReadLine['subscription']) => Uuid | undefined;
}

function preparedLine({ read, names }: LineRead, facts: LineFacts): PreparedLine {
  if ('fault' in read) return { ...names, fault: read.fault };
  const { trackingId, records } = read.usage;
  const subscriptionId = facts.idOf(read.usage.subscription) ?? null;
  const found = subscriptionId === null ? undefined : facts.metered.get(subscriptionId);
  if (subscriptionId === null || found === undefined) {
    return { subscriptionId, trackingId, fault: unknownSubscription(read.usage.subscription) };
  }
  const { createdBy, createdDate } = facts;
  const submission = { trackingId, records, createdBy, createdDate };
  return { subscriptionId, trackingId, ...checkedSubmission(found, submission, facts) };
}

type ReadContent = Pick<UsageSubmission, 'trackingId' | 'createdBy' | 'createdDate'> &
  Pick<ReadLine, 'records'>;

/** Returns the submission or, if a point is invalid, the first fault of the submission (§2.1 checks 5 and 6). */
export function checkedSubmission(
  { subscription, zone, end }: MeteredSubscription,
  { records, ...content }: ReadContent,
  { unitFaultOf, sha256 }: SubmissionFacts,
): { readonly submission: UsageSubmission } | { readonly fault: RecordingFault } {
  const points = usagePoints(records, zone);
  const fault = endedFault(subscription.id, { points, end }) ?? unitFaultOf(points, subscription.accountId);
  if (fault !== null) return { fault };
  return { submission: usageSubmission(subscription, { ...content, points }, sha256) };
}

export function unknownSubscription(name: ReadLine['subscription']): RecordingFault {
  const { message, facts } =
    'id' in name ? noSuchSubscription(name.id) : noSubscriptionOfKey(name.externalKey);
  return { code: RecordingFaultCode.UNKNOWN_SUBSCRIPTION, message, facts };
}

interface MeteredSubscription {
  readonly subscription: Subscription;
  readonly zone: TimeZone;
  /** The end of the subscription's service, or null if the service has no end. */
  readonly end: Instant | null;
}

interface Around {
  readonly now: Instant;
  readonly catalogsOf: CatalogSource;
  readonly nextTurn: SystemClock['nextTurn'];
}

/** Loads the data for the checks of submissions. Data of cached subscriptions is not loaded again. */
export async function loadFacts(
  session: ReadSession,
  subscriptions: readonly Subscription[],
  around: Around & {
    readonly config: Pick<RecordingConfig, 'rejectsUnknownUnits'>;
    readonly cached?: readonly MeteredSubscription[];
  },
) {
  const { cached = [], catalogsOf, config } = around;
  const loaded = await loadMetered(session, subscriptions, around);
  const metered = new Map([...cached, ...loaded].map((each) => [each.subscription.id, each]));
  const accountIds = [...metered.values()].map(({ subscription }) => subscription.accountId);
  const catalogOf = config.rejectsUnknownUnits && (await catalogsOf(session, [...new Set(accountIds)]));
  const unitFaultOf: SubmissionFacts['unitFaultOf'] = (points, accountId) =>
    catalogOf ? unknownUnitFault(points, catalogOf(accountId)) : null;
  return { loaded, metered, unitFaultOf };
}

/** Returns the time zones and service end times of any number of subscriptions. */
async function loadMetered(
  session: ReadSession,
  subscriptions: readonly Subscription[],
  around: Around,
): Promise<readonly MeteredSubscription[]> {
  if (subscriptions.length === 0) return [];
  const accountIds = [...new Set(subscriptions.map(({ accountId }) => accountId))];
  const [accounts, ends] = await Promise.all([
    session.accounts.findByIds(accountIds),
    loadServiceEnds(session, { ...around, subscriptions }),
  ]);
  const zones = new Map(accounts.map(({ id, timeZone }) => [id, timeZone]));
  return subscriptions.map((subscription) => {
    const zone = zones.get(subscription.accountId);
    assertInvariant(zone, `Subscription ${subscription.id} has no account`, {
      subscriptionId: subscription.id,
    });
    return { subscription, zone, end: ends.get(subscription.id) ?? null };
  });
}

/** Maximum age of cached subscriptions in milliseconds (usage §2.5). */
const METERED_SUBSCRIPTION_MS = 1_000;
const MAX_METERED_SUBSCRIPTIONS = 100_000;

/**
 * Caches subscriptions for a second. The cache is cleared earlier if this process commits a change that queues work,
 * such as the end of a subscription (§2.5).
 */
class MeteredCache {
  readonly #nowMs: () => number;
  readonly #known = new Map<string, { readonly metered: MeteredSubscription; readonly untilMs: number }>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  find(tenant: TenantRef, subscriptionId: Uuid): MeteredSubscription | undefined {
    // A host's transaction may contain changes that are rolled back later, so it neither reads nor fills the cache.
    if (tenant.within !== undefined) return undefined;
    const found = this.#known.get(keyOf(tenant, subscriptionId));
    return found !== undefined && found.untilMs > this.#nowMs() ? found.metered : undefined;
  }

  keep(tenant: TenantRef, read: readonly MeteredSubscription[], readAtMs: number): void {
    if (tenant.within !== undefined) return;
    if (this.#known.size + read.length > MAX_METERED_SUBSCRIPTIONS) this.#known.clear();
    const untilMs = readAtMs + METERED_SUBSCRIPTION_MS;
    for (const metered of read) {
      this.#known.set(keyOf(tenant, metered.subscription.id), { metered, untilMs });
    }
  }

  clear(): void {
    this.#known.clear();
  }
}

function keyOf({ recordId }: TenantRef, subscriptionId: Uuid): string {
  return `${recordId} ${subscriptionId}`;
}
