import {
  LockWait,
  type ReadSession,
  type StoragePolicy,
  type WriteSession,
} from '../../../lib/ports/storage/index.ts';
import {
  type Authorship,
  type NewBusEvent,
  ProcessingState,
  type TenantRef,
} from '../../../lib/records/index.ts';
import { MAX_COUNTED_RECORDS, QUEUE_POLL_MS } from '../../../lib/values/limits.ts';
import { auditReads } from '../audit/audit-store.ts';
import type { WriteScope } from '../audit/audited-writes.ts';
import { ChangeLog } from '../audit/change-log.ts';
import { eventReads } from '../queue/event-store.ts';
import { Outbox } from '../queue/outbox.ts';
import { pushReads, pushWrites } from '../queue/push-store.ts';
import { notificationReads, queuePages } from '../queue/queue-reads.ts';
import { endEntries, markEntriesDone } from '../queue/queue-store.ts';
import type { Runner } from '../sql/runner.ts';
import { sql } from '../sql/sql.ts';
import { accountReads, accountWrites, lockAccounts, tryLockAccounts } from '../stores/account-store.ts';
import { catalogEntryReads, catalogEntryWrites } from '../stores/catalog-entry-store.ts';
import { catalogReads, catalogWrites } from '../stores/catalog-store.ts';
import { checkReads } from '../stores/check-store.ts';
import {
  creditNoteReads,
  creditNoteWrites,
  overdueReads,
  overdueWrites,
} from '../stores/credit-note-store.ts';
import { exportReads } from '../stores/export-store.ts';
import { invoiceReads, invoiceWrites } from '../stores/invoice-store.ts';
import { paymentReads, paymentWrites } from '../stores/payment-store.ts';
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
import { broadcastsTable, pluginSwitchesTable } from '../tables/nodes.ts';
import { insertInto, type TenantScope } from '../tables/record-access.ts';

/** What the repositories of a session are made of. */
interface Source<S extends TenantScope> {
  readonly scope: S;
  readonly revisions: RevisionsOfSession;
}

type Reads = Omit<ReadSession, 'tenant' | 'revisions'>;

const reads: Makers<Source<TenantScope>, Reads> = {
  keyValues: ({ scope }) => keyValueReads(scope),
  signingSecrets: ({ scope }) => signingSecretReads(scope),
  accounts: ({ scope }) => accountReads(scope),
  catalogs: ({ scope, revisions }) => catalogReads(scope, revisions),
  catalogEntries: ({ scope }) => catalogEntryReads(scope),
  subscriptions: ({ scope }) => subscriptionReads(scope),
  invoices: ({ scope }) => invoiceReads(scope),
  creditNotes: ({ scope }) => creditNoteReads(scope),
  payments: ({ scope }) => paymentReads(scope),
  overdue: ({ scope }) => overdueReads(scope),
  usage: ({ scope }) => usageReads(scope),
  tags: ({ scope }) => tagReads(scope),
  customFields: ({ scope }) => customFieldReads(scope),
  audit: ({ scope }) => auditReads(scope),
  exports: ({ scope }) => exportReads(scope),
  notifications: ({ scope }) => notificationReads(scope),
  deliveries: ({ scope }) => pushReads(scope),
  queue: ({ scope }) => queuePages(scope),
  events: ({ scope }) => eventReads(scope),
  checks: ({ scope }) => checkReads(scope),
};

interface WriteSource extends Source<WriteScope> {
  readonly areCreditNotesWritten: () => Promise<boolean>;
  readonly onPushAsked: () => void;
}

const writes: Makers<WriteSource, Pick<WriteSession, keyof Reads>> = {
  ...reads,
  keyValues: (source) => ({ ...reads.keyValues(source), ...keyValueWrites(source.scope, source.revisions) }),
  signingSecrets: (source) => ({ ...reads.signingSecrets(source), ...signingSecretWrites(source.scope) }),
  accounts: (source) => ({ ...reads.accounts(source), ...accountWrites(source.scope) }),
  catalogs: (source) => ({ ...reads.catalogs(source), ...catalogWrites(source.scope, source.revisions) }),
  catalogEntries: (source) => ({
    ...reads.catalogEntries(source),
    ...catalogEntryWrites(source.scope, source.revisions),
  }),
  subscriptions: (source) => ({ ...reads.subscriptions(source), ...subscriptionWrites(source.scope) }),
  invoices: (source) => ({ ...reads.invoices(source), ...invoiceWrites(source.scope) }),
  creditNotes: (source) => ({
    ...reads.creditNotes(source),
    ...creditNoteWrites(source.scope, source.areCreditNotesWritten),
  }),
  payments: (source) => ({ ...reads.payments(source), ...paymentWrites(source.scope) }),
  overdue: (source) => ({ ...reads.overdue(source), ...overdueWrites(source.scope) }),
  usage: (source) => ({ ...reads.usage(source), ...usageWrites(source.scope) }),
  tags: (source) => ({ ...reads.tags(source), ...tagWrites(source.scope) }),
  customFields: (source) => ({ ...reads.customFields(source), ...customFieldWrites(source.scope) }),
  deliveries: (source) => ({ ...reads.deliveries(source), ...pushWrites(source.scope, source.onPushAsked) }),
};

const readRepositories = onDemand(reads);
const writeRepositories = onDemand(writes);

/** A session that reads, over a transaction whose beginning and end are its caller's. */
export function readSession(runner: Runner, tenant: TenantRef, countThreshold: number): ReadSession {
  const scope: TenantScope = { runner, tenantRecordId: tenant.recordId, countThreshold };
  const revisions = new RevisionsOfSession(scope);
  return Object.assign(readRepositories({ scope, revisions }), { tenant, revisions: () => revisions.read() });
}

export interface OpenWriteSession {
  readonly session: WriteSession;
  /** Leaves the audit rows and the outbox to the commit. The last call before it. */
  flush(): Promise<Flushed>;
}

/** What the commit of a session brings. */
export interface Flushed {
  /** Whether an entry of the queue is due before dispatchers would look by themselves. */
  readonly dueNow: boolean;
  /** Whether something goes to the tenant's callback. */
  readonly hasPushes: boolean;
  /** Its bus events, those that the tenant leaves out included. */
  readonly published: readonly NewBusEvent[];
  /** Whether the outside is told of something. */
  readonly tells: boolean;
}

export function writeSession(input: {
  readonly runner: Runner;
  readonly tenant: TenantRef;
  readonly authorship: Authorship;
  readonly policy: SessionPolicy;
}): OpenWriteSession {
  const { runner, tenant, authorship, policy } = input;
  const { countThreshold, lockWaitOf, skippedEventsOf, askedByEvents, writesCreditNotesOf } = policy;
  const changes = new ChangeLog();
  const outbox = new Outbox(authorship, policy);
  const tenantRecordId = tenant.recordId;
  const scope: WriteScope = { runner, tenantRecordId, countThreshold, changes, authorship };
  const revisions = new RevisionsOfSession(scope);
  const ownCalls: Omit<WriteSession, keyof Reads> = {
    tenant,
    revisions: () => revisions.read(),
    authorship,
    lockAccounts: async (accountIds, options = { wait: LockWait.INVOICE }) =>
      lockAccounts(scope, accountIds, async () =>
        'waitMs' in options ? options.waitMs : lockWaitOf(session, options.wait),
      ),
    tryLockAccounts: async (recordIds) => tryLockAccounts(scope, recordIds),
    publish: (events) => outbox.publish(events),
    broadcast: (told) => runner.leaveToCommit(runner.run(insertInto(scope, broadcastsTable, [told]))),
    switchPlugin: async (pluginName, state) => {
      await runner.run(sql`delete from bw_plugin_switches where plugin_name = ${pluginName}`);
      if (state !== null) await runner.run(insertInto(scope, pluginSwitchesTable, [{ pluginName, state }]));
    },
    schedule: (notifications) => outbox.schedule(notifications),
    unschedule: async (uniqueKeys) => outbox.unschedule(scope, uniqueKeys),
    unscheduleFuture: async (accountRecordId, after) =>
      outbox.unscheduleFuture(scope, accountRecordId, after),
    finish: async (entries) => endEntries(runner, entries, ProcessingState.PROCESSED),
    markDone: async (entries, handler) => markEntriesDone(runner, entries, handler),
  };
  let isPushAsked = false;
  const session: WriteSession = Object.assign(
    writeRepositories({
      scope,
      revisions,
      areCreditNotesWritten: () => writesCreditNotesOf(session),
      onPushAsked: () => {
        isPushAsked = true;
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
        askedBy: (events) => askedByEvents(session, events),
      });
      if (!tells) return { dueNow, hasPushes: isPushAsked, tells, published };
      const { callback } = await session.revisions();
      return { dueNow, hasPushes: isPushAsked || callback !== null, tells, published };
    },
  };
}

/** How each property is made of a source. */
export type Makers<S, T> = { readonly [K in keyof T]: (source: S) => T[K] };

/**
 * Gives objects whose properties are made when they are first asked for. They are getters of the prototype: own getters
 * of each object would cost ten times what they save.
 */
export function onDemand<S, T extends object>(makers: Makers<S, T>): (source: S) => T {
  class OnDemand {
    readonly #source: S;
    readonly #made: unknown[] = [];

    constructor(source: S) {
      this.#source = source;
    }

    static {
      for (const [index, [name, make]] of Object.entries<(source: S) => unknown>(makers).entries()) {
        Object.defineProperty(OnDemand.prototype, name, {
          get(this: OnDemand) {
            this.#made[index] ??= make(this.#source);
            return this.#made[index];
          },
        });
      }
    }
  }
  return (source) => new OnDemand(source) as T;
}

/** How long a call waits for a busy account when the storage's policy does not specify it. */
const ACCOUNT_LOCK_WAIT_MS = 5_000;

/** The policy that sessions follow; if no topics are named, every event may have a handler. */
export type SessionPolicy = Required<
  Omit<StoragePolicy, 'consumedTopics' | 'traceParentOf' | 'aroundWrite'>
> &
  Pick<StoragePolicy, 'consumedTopics' | 'traceParentOf' | 'aroundWrite'>;

/** In force until an engine sets another. */
export const defaultPolicy: SessionPolicy = {
  countThreshold: MAX_COUNTED_RECORDS,
  lockWaitOf: async () => ACCOUNT_LOCK_WAIT_MS,
  skippedEventsOf: async () => ({ notStored: [], notDispatched: [] }),
  askedByEvents: async () => [],
  eventIdOf: () => null,
  onEvents: () => undefined,
  writesCreditNotesOf: async () => false,
  pollMs: QUEUE_POLL_MS,
};
