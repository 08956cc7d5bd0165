import { SystemTag } from '../control-tags/index.ts';
import type { Ports } from '../ports/index.ts';
import type { AccessLine } from '../ports/storage/index.ts';
import {
  LIVE,
  listPositionedEntries,
  oldestFirst,
  ownAndSystem,
  type QueueEntryView,
  viewOfDelivery,
  viewOfEntry,
} from '../queues/index.ts';
import {
  type CallContext,
  type Leading,
  type NodeInfo,
  ObjectType,
  QueueKind,
  type WithContext,
} from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { DAY_MS, MAX_SHOWN_ENTRIES } from '../values/limits.ts';
import { addMilliseconds, type Instant, instant } from '../values/time/index.ts';

/**
 * Maximum number of the server's latest queue entries, and of its latest push deliveries, that are searched for those
 * of a tenant.
 */
const MAX_RECENT_ENTRIES = 50_000;

/** Maximum number of parked accounts in the health report. */
const MAX_SHOWN_PARKED = 50;

/** Time range and maximum number of lines of the access log in the health report. */
const MAX_SHOWN_ACCESS_MS = 2 * DAY_MS;
const MAX_SHOWN_ACCESS_LINES = 1_000;

type HealthDataPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock'>;

interface HealthDataInput {
  readonly lateThresholdMs: number;
  readonly nodes: () => Promise<readonly NodeInfo[]>;
  /** Stores the lines of the access log that are still in this node's memory. */
  readonly storeRequests: () => Promise<void>;
}

/**
 * Creates the operation that reads the health report. It executes a constant number of statements with limited cost
 * (platform §12.1).
 */
export function healthDataOperations(
  ports: HealthDataPorts,
  input: HealthDataInput,
): HealthDataOperations<WithContext> {
  async function listParkedAccounts({ tenant }: CallContext): Promise<readonly ParkedAccountView[]> {
    return ports.storage.read(tenant, async ({ tags, accounts }) => {
      const { rows } = await tags.pageCarried(
        { objectType: ObjectType.ACCOUNT, definitionId: SystemTag.PARK },
        { offset: 0, limit: MAX_SHOWN_PARKED },
      );
      const found = await accounts.findByIds(rows.map(({ objectId }) => objectId));
      const byId = new Map(found.map((account) => [account.id, account]));
      return rows.flatMap(({ objectId, createdDate }) => {
        const account = byId.get(objectId);
        if (account === undefined) return [];
        const { id: accountId, recordId: accountRecordId, externalKey } = account;
        return [{ accountId, accountRecordId, externalKey, parkedDate: createdDate }];
      });
    });
  }

  async function lateEntries(context: CallContext) {
    const { entries } = ports.storage;
    const before = addMilliseconds(context.createdDate, -input.lateThresholdMs);
    const of = { tenants: ownAndSystem(context), before, limit: MAX_SHOWN_ENTRIES };
    const look = { ...of, parts: LIVE, accountId: null, from: null };
    const [bus, notifications, pushes] = await Promise.all([
      listPositionedEntries(entries, { ...look, kinds: [QueueKind.BUS] }),
      listPositionedEntries(entries, { ...look, kinds: [QueueKind.NOTIFICATION] }),
      entries.lateDeliveries(of),
    ]);
    const lateNotifications = [...notifications.map(viewOfEntry), ...pushes.map(viewOfDelivery)]
      .sort(oldestFirst)
      .slice(0, MAX_SHOWN_ENTRIES);
    return { lateBusEvents: bus.map(viewOfEntry), lateNotifications };
  }

  async function recentEntries(context: CallContext) {
    const { entries } = ports.storage;
    const of = { tenants: ownAndSystem(context), limit: MAX_SHOWN_ENTRIES, among: MAX_RECENT_ENTRIES };
    const [bus, notifications, pushes] = await Promise.all([
      entries.recent({ ...of, kind: QueueKind.BUS }),
      entries.recent({ ...of, kind: QueueKind.NOTIFICATION }),
      entries.recentDeliveries(of),
    ]);
    // Notifications and pushes are sorted together, so that neither hides the other.
    const recentNotifications = [...notifications.map(viewOfEntry), ...pushes.map(viewOfDelivery)]
      .sort((one, other) => oldestFirst(other, one))
      .slice(0, MAX_SHOWN_ENTRIES);
    return { recentBusEvents: bus.map(viewOfEntry), recentNotifications };
  }

  async function requests(context: CallContext): Promise<readonly AccessLine[]> {
    await input.storeRequests();
    return ports.storage.monitoring.access({
      tenants: ownAndSystem(context),
      sinceMs: ports.systemClock.nowMs() - MAX_SHOWN_ACCESS_MS,
      limit: MAX_SHOWN_ACCESS_LINES,
    });
  }

  return {
    async data(context) {
      const { clock, systemClock } = ports;
      const [nodes, parkedAccounts, late, recent, recentRequests] = await Promise.all([
        input.nodes(),
        listParkedAccounts(context),
        lateEntries(context),
        recentEntries(context),
        requests(context),
      ]);
      return {
        at: instant(systemClock.nowMs()),
        businessNow: clock.now(),
        nodes,
        parkedAccounts,
        ...late,
        ...recent,
        recentRequests,
      };
    },
  };
}

/** An account that automatic runs skip because it could not be invoiced. */
export interface ParkedAccountView {
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly externalKey: string;
  readonly parkedDate: Instant;
}

/**
 * The health of the deployment (platform §12.1). It contains the nodes, and the entries and requests of the tenant and
 * of the system.
 */
export interface HealthData {
  /** System time of the report. */
  readonly at: Instant;
  /** Time of the business clock. */
  readonly businessNow: Instant;
  /** Nodes that were active in the last five minutes. */
  readonly nodes: readonly NodeInfo[];
  /** Parked accounts, oldest first. At most 50 are listed. */
  readonly parkedAccounts: readonly ParkedAccountView[];
  /** Unfinished bus events that are late by more than `health.lateThreshold`, oldest first. At most 100 are listed. */
  readonly lateBusEvents: readonly QueueEntryView[];
  /** Unfinished notifications that are late. Pushes are included. */
  readonly lateNotifications: readonly QueueEntryView[];
  /** Finished bus events, newest first. At most 100 are listed. */
  readonly recentBusEvents: readonly QueueEntryView[];
  readonly recentNotifications: readonly QueueEntryView[];
  /** Requests of the last two days, newest last. At most 1,000 are listed. */
  readonly recentRequests: readonly AccessLine[];
}

export interface HealthDataOperations<C extends Leading = []> {
  /** Returns the health of the deployment, as far as the tenant is allowed to see it. */
  data(...given: C): Promise<HealthData>;
}
