import {
  LockWait,
  type LockWaitOf,
  type ReadSession,
  type SkippedEventsOf,
  type WriteSession,
} from '../../lib/ports/storage/index.ts';
import type { TenantRef } from '../../lib/records/index.ts';
import { type Authorship, ProcessingState } from '../../lib/records/index.ts';
import { accountReads, accountWrites, lockAccounts, tryLockAccounts } from './accounts-store.ts';
import { auditReads } from './audit-store.ts';
import type { WriteScope } from './audited-writes.ts';
import { catalogEntryReads, catalogEntryWrites } from './catalog-entry-store.ts';
import { catalogReads, catalogWrites } from './catalog-store.ts';
import { ChangeLog } from './change-log.ts';
import { checkReads } from './check-store.ts';
import type { Runner } from './connection.ts';
import { customFieldReads, customFieldWrites } from './custom-field-store.ts';
import { exportReads } from './export-store.ts';
import { invoiceReads, invoiceWrites } from './invoice-store.ts';
import { keyValueReads, keyValueWrites } from './key-value-store.ts';
import { notificationReads } from './notification-store.ts';
import { type Dispatch, Outbox } from './outbox.ts';
import { paymentReads, paymentWrites } from './payment-store.ts';
import { endEntries, markEntriesDone } from './queue-completion.ts';
import type { TenantScope } from './record-access.ts';
import { signingSecretReads, signingSecretWrites } from './signing-secret-store.ts';
import { subscriptionReads, subscriptionWrites } from './subscription-store.ts';
import { tagReads, tagWrites } from './tag-store.ts';
import { RevisionsOfSession } from './tenant-revisions.ts';

/** A session that reads, over a transaction whose beginning and end are its caller's. */
export function readSession(runner: Runner, tenant: TenantRef, countThreshold: number): ReadSession {
  const scope: TenantScope = { runner, tenantRecordId: tenant.recordId, countThreshold };
  return reads(scope, tenant, new RevisionsOfSession(scope));
}

function reads(scope: TenantScope, tenant: TenantRef, revisions: RevisionsOfSession): ReadSession {
  return {
    tenant,
    revisions: () => revisions.read(),
    keyValues: keyValueReads(scope),
    signingSecrets: signingSecretReads(scope),
    accounts: accountReads(scope),
    catalogs: catalogReads(scope, revisions),
    catalogEntries: catalogEntryReads(scope),
    subscriptions: subscriptionReads(scope),
    invoices: invoiceReads(scope),
    payments: paymentReads(scope),
    tags: tagReads(scope),
    customFields: customFieldReads(scope),
    audit: auditReads(scope),
    exports: exportReads(scope),
    notifications: notificationReads(scope),
    checks: checkReads(scope),
  };
}

export interface OpenWriteSession {
  readonly session: WriteSession;
  /** Leaves the audit rows and the outbox to the commit; true if something is due now. The last thing before it. */
  flush(): Promise<boolean>;
}

export function writeSession(input: {
  readonly runner: Runner;
  readonly tenant: TenantRef;
  readonly authorship: Authorship;
  readonly dispatch: Dispatch;
  readonly lockWaitOf: LockWaitOf;
  readonly skippedEventsOf: SkippedEventsOf;
  readonly countThreshold: number;
}): OpenWriteSession {
  const { runner, tenant, authorship, dispatch, lockWaitOf, skippedEventsOf, countThreshold } = input;
  const changes = new ChangeLog();
  const outbox = new Outbox(authorship, dispatch);
  const tenantRecordId = tenant.recordId;
  const scope: WriteScope = { runner, tenantRecordId, countThreshold, changes, authorship };
  const revisions = new RevisionsOfSession(scope);
  const readable = reads(scope, tenant, revisions);
  const session: WriteSession = {
    ...readable,
    authorship,
    keyValues: { ...readable.keyValues, ...keyValueWrites(scope, revisions) },
    signingSecrets: { ...readable.signingSecrets, ...signingSecretWrites(scope) },
    accounts: { ...readable.accounts, ...accountWrites(scope) },
    catalogs: { ...readable.catalogs, ...catalogWrites(scope, revisions) },
    catalogEntries: { ...readable.catalogEntries, ...catalogEntryWrites(scope, revisions) },
    subscriptions: { ...readable.subscriptions, ...subscriptionWrites(scope) },
    invoices: { ...readable.invoices, ...invoiceWrites(scope) },
    payments: { ...readable.payments, ...paymentWrites(scope) },
    tags: { ...readable.tags, ...tagWrites(scope) },
    customFields: { ...readable.customFields, ...customFieldWrites(scope) },
    lockAccounts: async (accountIds, options = { wait: LockWait.INVOICE }) =>
      lockAccounts(scope, accountIds, async () =>
        'waitMs' in options ? options.waitMs : lockWaitOf(session, options.wait),
      ),
    tryLockAccounts: async (recordIds) => tryLockAccounts(scope, recordIds),
    publish: (events) => outbox.publish(events),
    schedule: (notifications) => outbox.schedule(notifications),
    unschedule: async (uniqueKeys) => outbox.unschedule(scope, uniqueKeys),
    unscheduleFuture: async (accountRecordId, after) =>
      outbox.unscheduleFuture(scope, accountRecordId, after),
    finish: async (entries) => endEntries(runner, entries, ProcessingState.PROCESSED),
    markDone: async (entries, handler) => markEntriesDone(runner, entries, handler),
  };
  return {
    session,
    flush: async () => {
      runner.leaveToCommit(changes.flush(scope, authorship));
      return outbox.flush(scope, () => skippedEventsOf(session));
    },
  };
}
