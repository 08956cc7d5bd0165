import { SystemTag } from '../control-tags/index.ts';
import type { Ports } from '../ports/index.ts';
import type { AccessLine } from '../ports/storage/index.ts';
import {
  LIVE,
  oldestFirst,
  ownAndSystem,
  type QueueEntryView,
  seenEntries,
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

/** The last entries of the server, among which the recent ones of a tenant are looked for. */
const MAX_RECENT_ENTRIES = 50_000;

/** Accounts that the health report shows as parked. */
const MAX_SHOWN_PARKED = 50;

/** Time range and lines of the access log in the health report. */
const MAX_SHOWN_ACCESS_MS = 2 * DAY_MS;
const MAX_SHOWN_ACCESS_LINES = 1_000;

type HealthDataPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock'>;

interface HealthDataInput {
  readonly lateThresholdMs: number;
  readonly nodes: () => Promise<readonly NodeInfo[]>;
  /** Stores what this node has still in memory of the access log. */
  readonly storeRequests: () => Promise<void>;
}

/** Gathers the health report by a constant number of bounded statements (platform §12.1). */
export class HealthDataService implements HealthDataOperations<WithContext> {
  readonly #ports: HealthDataPorts;
  readonly #input: HealthDataInput;

  constructor(ports: HealthDataPorts, input: HealthDataInput) {
    this.#ports = ports;
    this.#input = input;
  }

  async data(context: CallContext): Promise<HealthData> {
    const { clock, systemClock } = this.#ports;
    const [nodes, parkedAccounts, late, recent, recentRequests] = await Promise.all([
      this.#input.nodes(),
      this.#parked(context),
      this.#late(context),
      this.#recent(context),
      this.#requests(context),
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
  }

  async #parked({ tenant }: CallContext): Promise<readonly ParkedAccountView[]> {
    return this.#ports.storage.read(tenant, async ({ tags, accounts }) => {
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

  async #late(context: CallContext) {
    const { entries } = this.#ports.storage;
    const before = addMilliseconds(context.createdDate, -this.#input.lateThresholdMs);
    const of = { tenants: ownAndSystem(context), before, limit: MAX_SHOWN_ENTRIES };
    const look = { ...of, parts: LIVE, accountId: null, from: null };
    const [bus, notifications, pushes] = await Promise.all([
      seenEntries(entries, { ...look, kinds: [QueueKind.BUS] }),
      seenEntries(entries, { ...look, kinds: [QueueKind.NOTIFICATION] }),
      entries.lateDeliveries(of),
    ]);
    const lateNotifications = [...notifications.map(viewOfEntry), ...pushes.map(viewOfDelivery)]
      .sort(oldestFirst)
      .slice(0, MAX_SHOWN_ENTRIES);
    return { lateBusEvents: bus.map(viewOfEntry), lateNotifications };
  }

  async #recent(context: CallContext) {
    const { entries } = this.#ports.storage;
    const of = { tenants: ownAndSystem(context), limit: MAX_SHOWN_ENTRIES, among: MAX_RECENT_ENTRIES };
    const [bus, notifications, pushes] = await Promise.all([
      entries.recent({ ...of, kind: QueueKind.BUS }),
      entries.recent({ ...of, kind: QueueKind.NOTIFICATION }),
      entries.recentDeliveries(of),
    ]);
    return {
      recentBusEvents: bus.map(viewOfEntry),
      recentNotifications: newestFirst(notifications.map(viewOfEntry), pushes.map(viewOfDelivery)),
    };
  }

  async #requests(context: CallContext): Promise<readonly AccessLine[]> {
    await this.#input.storeRequests();
    return this.#ports.storage.monitoring.access({
      tenants: ownAndSystem(context),
      sinceMs: this.#ports.systemClock.nowMs() - MAX_SHOWN_ACCESS_MS,
      limit: MAX_SHOWN_ACCESS_LINES,
    });
  }
}

/** Both lists come with their newest first; what was due later is taken first, so that neither list hides the other. */
function newestFirst(
  entries: readonly QueueEntryView[],
  pushes: readonly QueueEntryView[],
): readonly QueueEntryView[] {
  return [...entries, ...pushes].sort((one, other) => oldestFirst(other, one)).slice(0, MAX_SHOWN_ENTRIES);
}

/** An account that automatic runs pass over, since it could not be invoiced. */
export interface ParkedAccountView {
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly externalKey: string;
  readonly parkedDate: Instant;
}

/** How the deployment fares (platform §12.1): nodes, and what of the tenant and of the system is late, done or asked for. */
export interface HealthData {
  /** System time of the answer. */
  readonly at: Instant;
  /** The business clock. */
  readonly businessNow: Instant;
  /** Those with a sign of life in the last five minutes. */
  readonly nodes: readonly NodeInfo[];
  /** At most 50, the oldest first. */
  readonly parkedAccounts: readonly ParkedAccountView[];
  /** Late by more than `health.lateThreshold` and not done, at most 100, the oldest first. */
  readonly lateBusEvents: readonly QueueEntryView[];
  /** Pushes are among them. */
  readonly lateNotifications: readonly QueueEntryView[];
  /** Finished, at most 100, the newest first. */
  readonly recentBusEvents: readonly QueueEntryView[];
  readonly recentNotifications: readonly QueueEntryView[];
  /** At most two days and 1,000 requests, the newest last. */
  readonly recentRequests: readonly AccessLine[];
}

export interface HealthDataOperations<C extends Leading = []> {
  /** How the deployment fares, as the tenant may see it. */
  data(...given: C): Promise<HealthData>;
}
