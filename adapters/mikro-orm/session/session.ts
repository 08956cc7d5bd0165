import {
  LockWait,
  type ReadSession,
  type StoragePolicy,
  type WriteSession,
} from '../../../lib/ports/storage/index.ts';
import {
  type Authorship,
  BusEventType,
  type NewBusEvent,
  ProcessingState,
  type TenantRef,
} from '../../../lib/records/index.ts';
import { MAX_COUNTED_RECORDS, QUEUE_POLL_MS } from '../../../lib/values/limits.ts';
import { auditReads } from '../audit/audit-store.ts';
import { WriteScope } from '../audit/audited-writes.ts';
import { eventReads } from '../queue/event-store.ts';
import { Outbox } from '../queue/outbox.ts';
import { pushReads, pushWrites } from '../queue/push-store.ts';
import { notificationReads, queuePages } from '../queue/queue-reads.ts';
import { endEntries, markEntriesDone } from '../queue/queue-store.ts';
import type { Runner } from '../sql/runner.ts';
import { sql } from '../sql/sql.ts';
import {
  accountReads,
  accountWrites,
  lockAccounts,
  tryLockAccounts,
  tryLockAccountsById,
} from '../stores/account-store.ts';
import { catalogEntryReads, catalogEntryWrites } from '../stores/catalog-entry-store.ts';
import { catalogReads, catalogWrites } from '../stores/catalog-store.ts';
import { checkReads } from '../stores/check-store.ts';
import { couponReads, couponWrites } from '../stores/coupon-store.ts';
import {
  creditNoteReads,
  creditNoteWrites,
  overdueReads,
  overdueWrites,
} from '../stores/credit-note-store.ts';
import { eInvoiceDeliveryReads, eInvoiceDeliveryWrites } from '../stores/e-invoice-store.ts';
import { exportReads } from '../stores/export-store.ts';
import { featureReads, featureWrites } from '../stores/feature-store.ts';
import { invoiceReads, invoiceWrites } from '../stores/invoice-store.ts';
import { paymentReads, paymentWrites } from '../stores/payment-store.ts';
import { reportReads, reportWrites } from '../stores/report-store.ts';
import { sellerReads, sellerWrites } from '../stores/seller-store.ts';
import { subscriptionReads, subscriptionWrites } from '../stores/subscription-store.ts';
import { customFieldReads, customFieldWrites, tagReads, tagWrites } from '../stores/tag-store.ts';
import {
  keyValueReads,
  keyValueWrites,
  RevisionsOfSession,
  signingSecretReads,
  signingSecretWrites,
} from '../stores/tenant-settings.ts';
import { usageReads, usageWrites } from '../stores/usage/usage-store.ts';
import { broadcastsTable, pluginSwitchesTable } from '../tables/monitoring.ts';
import { TenantScope } from '../tables/record-access.ts';

type Reads = Omit<ReadSession, 'tenant' | 'revisions'>;
type Source<S extends TenantScope> = readonly [scope: S, revisions: RevisionsOfSession];

const reads: Makers<Source<TenantScope>, Reads> = {
  keyValues: keyValueReads,
  signingSecrets: signingSecretReads,
  sellers: sellerReads,
  accounts: accountReads,
  catalogs: catalogReads,
  catalogEntries: catalogEntryReads,
  subscriptions: subscriptionReads,
  coupons: couponReads,
  features: featureReads,
  invoices: invoiceReads,
  creditNotes: creditNoteReads,
  eInvoiceDeliveries: eInvoiceDeliveryReads,
  payments: paymentReads,
  overdue: overdueReads,
  usage: usageReads,
  tags: tagReads,
  customFields: customFieldReads,
  audit: auditReads,
  exports: exportReads,
  notifications: notificationReads,
  deliveries: pushReads,
  queue: queuePages,
  events: eventReads,
  checks: checkReads,
  reports: reportReads,
};

interface WriteHooks {
  readonly areCreditNotesWritten: () => Promise<boolean>;
  readonly onPushRequested: () => void;
}

type WriteSource = readonly [...Source<WriteScope>, hooks: WriteHooks];

const writes: Makers<WriteSource, Pick<WriteSession, keyof Reads>> = {
  ...reads,
  ...withReads({
    keyValues: keyValueWrites,
    signingSecrets: signingSecretWrites,
    sellers: sellerWrites,
    accounts: accountWrites,
    catalogs: catalogWrites,
    catalogEntries: catalogEntryWrites,
    subscriptions: subscriptionWrites,
    coupons: couponWrites,
    features: featureWrites,
    invoices: invoiceWrites,
    creditNotes: (scope, _revisions, hooks) => creditNoteWrites(scope, hooks.areCreditNotesWritten),
    eInvoiceDeliveries: eInvoiceDeliveryWrites,
    payments: paymentWrites,
    overdue: overdueWrites,
    usage: usageWrites,
    tags: tagWrites,
    customFields: customFieldWrites,
    deliveries: (scope, _revisions, hooks) => pushWrites(scope, hooks.onPushRequested),
    reports: reportWrites,
  }),
};

function withReads<W extends { readonly [K in keyof Reads]?: object }>(writers: Makers<WriteSource, W>) {
  const makers = Object.entries<(...source: WriteSource) => unknown>(writers).map(([name, write]) => {
    const read: (...source: WriteSource) => object = reads[name as keyof Reads];
    return [name, (...source: WriteSource) => Object.assign(read(...source), write(...source))];
  });
  return Object.fromEntries(makers) as {
    [K in keyof W & keyof Reads]: (...source: WriteSource) => Reads[K] & W[K];
  };
}

const readRepositories = onDemand(reads);
const writeRepositories = onDemand(writes);

export function readSession(runner: Runner, tenant: TenantRef, countThreshold: number): ReadSession {
  const scope = new TenantScope(runner, tenant.recordId, countThreshold);
  const revisions = new RevisionsOfSession(scope);
  return Object.assign(readRepositories(scope, revisions), { tenant, revisions: () => revisions.read() });
}

export interface Flushed {
  /** True if a queue entry becomes due before the next poll of the dispatchers. */
  readonly dueNow: boolean;
  /** True if a push for the tenant's callback was stored. */
  readonly hasPushes: boolean;
  /** The bus events, including those that the tenant skips. */
  readonly published: readonly NewBusEvent[];
  readonly tells: boolean;
  /**
   * The changed accounts, or null if the configuration of the tenant has changed. The set is complete only after the
   * commit.
   */
  readonly touched: ReadonlySet<number> | null;
}

const configurationChanges: ReadonlySet<NewBusEvent['type']> = new Set([
  BusEventType.TENANT_CONFIG_CHANGE,
  BusEventType.TENANT_CONFIG_DELETION,
]);

/**
 * Opens a write session. `flush` must be the last call before the commit. It passes the audit rows and the outbox to
 * the commit.
 */
export function writeSession(input: {
  readonly runner: Runner;
  readonly tenant: TenantRef;
  readonly authorship: Authorship;
  readonly policy: SessionPolicy;
}): { readonly session: WriteSession; flush(): Promise<Flushed> } {
  const { runner, tenant, authorship, policy } = input;
  const { countThreshold, lockWaitOf, skippedEventsOf, jobsOfEvents, writesCreditNotesOf } = policy;
  const outbox = new Outbox(authorship, policy);
  const scope = new WriteScope(runner, tenant.recordId, { authorship, countThreshold });
  const { changes } = scope;
  const revisions = new RevisionsOfSession(scope);
  const ownCalls: Omit<WriteSession, keyof Reads> = {
    tenant,
    revisions: () => revisions.read(),
    authorship,
    lockAccounts: async (accountIds, options = { wait: LockWait.INVOICE }) => {
      const locking = lockAccounts(scope, accountIds, async () => {
        const waitMs = 'waitMs' in options ? options.waitMs : await lockWaitOf(session, options.wait);
        // The tenant may change while this transaction waits.
        revisions.forget();
        return waitMs;
      });
      revisions.readAhead();
      return locking;
    },
    tryLockAccounts: async (recordIds) => {
      const locking = tryLockAccounts(scope, recordIds);
      revisions.readAhead();
      return locking;
    },
    tryLockAccountsById: async (accountIds) => {
      const locking = tryLockAccountsById(scope, accountIds);
      revisions.readAhead();
      return locking;
    },
    touch: (accountRecordId) => changes.touched.add(accountRecordId),
    publish: (events) => outbox.publish(events),
    broadcast: (told) => runner.leaveToCommit(runner.run(scope.insertInto(broadcastsTable, [told]))),
    switchPlugin: async (pluginName, state) => {
      await runner.run(sql`delete from bw_plugin_switches where plugin_name = ${pluginName}`);
      if (state !== null) await runner.run(scope.insertInto(pluginSwitchesTable, [{ pluginName, state }]));
    },
    schedule: (notifications) => outbox.schedule(notifications),
    unschedule: async (uniqueKeys) => outbox.unschedule(scope, uniqueKeys),
    unscheduleFuture: async (accountRecordId, after) =>
      outbox.unscheduleFuture(scope, accountRecordId, after),
    finish: async (entries) => endEntries(runner, entries, ProcessingState.PROCESSED),
    markDone: async (entries, handler) => markEntriesDone(runner, entries, handler),
  };
  let isPushRequested = false;
  const session: WriteSession = Object.assign(
    writeRepositories(scope, revisions, {
      areCreditNotesWritten: () => writesCreditNotesOf(session),
      onPushRequested: () => {
        isPushRequested = true;
      },
    }),
    ownCalls,
  );
  return {
    session,
    flush: async () => {
      if (changes.isLong) await changes.flushLong(scope, authorship);
      runner.leaveToCommit(changes.flush(scope, authorship));
      const { dueNow, tells, published } = await outbox.flush(scope, {
        skipped: () => skippedEventsOf(session),
        followUpWork: (events) => jobsOfEvents(session, events),
      });
      const touched = published.some(({ type }) => configurationChanges.has(type)) ? null : changes.touched;
      const flushed = { dueNow, tells, published, touched };
      if (!tells) return { ...flushed, hasPushes: isPushRequested };
      const { callback } = await session.revisions();
      return { ...flushed, hasPushes: isPushRequested || callback !== null };
    },
  };
}

type Makers<S extends readonly unknown[], T> = { readonly [K in keyof T]: (...source: S) => T[K] };

/**
 * Adds properties that are created on first use. They are getters on the prototype, because getters on each object
 * would cost more than they save.
 */
function onDemand<S extends readonly unknown[], T extends object>(makers: Makers<S, T>): (...source: S) => T {
  class OnDemand {
    readonly #source: S;
    readonly #made: unknown[] = [];

    constructor(source: S) {
      this.#source = source;
    }

    static {
      for (const [index, [name, make]] of Object.entries<(...source: S) => unknown>(makers).entries()) {
        Object.defineProperty(OnDemand.prototype, name, {
          get(this: OnDemand) {
            this.#made[index] ??= make(...this.#source);
            return this.#made[index];
          },
        });
      }
    }
  }
  return (...source) => new OnDemand(source) as T;
}

/** Default time that a call waits for a busy account, in milliseconds. */
const ACCOUNT_LOCK_WAIT_MS = 5_000;

type OptionalPolicy = 'isConsumed' | 'traceParentOf' | 'aroundWrite';

/** The policy of sessions. If `isConsumed` is missing, every event is assumed to cause work. */
export type SessionPolicy = Required<Omit<StoragePolicy, OptionalPolicy>> &
  Pick<StoragePolicy, OptionalPolicy>;

/** The policy that applies until an engine sets its own. */
export const defaultPolicy: SessionPolicy = {
  countThreshold: MAX_COUNTED_RECORDS,
  lockWaitOf: async () => ACCOUNT_LOCK_WAIT_MS,
  skippedEventsOf: async () => ({ notStored: [], notDispatched: [] }),
  jobsOfEvents: async () => [],
  eventIdOf: () => null,
  onEvents: () => undefined,
  writesCreditNotesOf: async () => false,
  pollMs: QUEUE_POLL_MS,
};
