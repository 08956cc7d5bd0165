import { type CatalogProvider, type CatalogSource, catalogsOfBatch } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  ActingComponent,
  BusEventType,
  type NewBusEvent,
  type NewNotification,
  QueueName,
} from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, type QueueHandler } from '../../runtime/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { changedFeatures, valuesOf } from '../evaluation/changed-features.ts';
import { featuresAt } from '../evaluation/features-at.ts';
import { loadFactsOfAccounts } from '../loading/load-features.ts';
import { featureChangeEvent } from '../storing/feature-events.ts';

/** Events that cause a check of the account's features. */
const causes: ReadonlySet<BusEventType> = new Set([
  BusEventType.SUBSCRIPTION_CREATION,
  BusEventType.SUBSCRIPTION_CHANGE,
  BusEventType.SUBSCRIPTION_PHASE,
  BusEventType.SUBSCRIPTION_CANCEL,
  BusEventType.SUBSCRIPTION_UNCANCEL,
  BusEventType.SUBSCRIPTION_EXPIRED,
  BusEventType.SUBSCRIPTION_QUANTITY,
  BusEventType.ENTITLEMENT_CREATION,
  BusEventType.ENTITLEMENT_CANCEL,
  BusEventType.BUNDLE_PAUSE,
  BusEventType.BUNDLE_RESUME,
  BusEventType.BLOCKING_STATE,
]);

/** Returns the checks that the events of a transaction require, one per account. */
export function featureChecks(events: readonly NewBusEvent[], now: Instant): readonly NewNotification[] {
  const accounts = new Set(
    events.flatMap(({ type, accountRecordId }) => (causes.has(type) ? (accountRecordId ?? []) : [])),
  );
  return [...accounts].map((accountRecordId) => featureCheck(accountRecordId, now));
}

/** Returns the check of an account's features at an instant. The queue contains at most one such check per instant. */
export function featureCheck(accountRecordId: number, at: Instant): NewNotification {
  return {
    queueName: QueueName.FEATURE_CHANGES,
    accountRecordId,
    effectiveDate: at,
    payload: {},
    uniqueKey: `feature-change:${accountRecordId}:${at}`,
  };
}

/**
 * Publishes FEATURE_CHANGE for the features that have changed since the last check (§5). Each event has its own
 * instant.
 */
export function featureChangeHandler(
  ports: Pick<Ports, 'storage' | 'clock'>,
  catalogs: CatalogProvider,
): QueueHandler {
  return {
    name: 'feature-changes',
    topics: [QueueName.FEATURE_CHANGES],
    async handle(batch) {
      const now = ports.clock.now();
      const catalogsOf = await catalogsOfBatch(catalogs, batch, now);
      if (catalogsOf === null) return;
      const authorship = batchAuthorship(batch.entries, ActingComponent.FEATURES, now);
      const busy = await ports.storage.write(batch.tenant, authorship, (session) =>
        check(session, batch, catalogsOf),
      );
      batch.busy(busy);
    },
  };
}

/**
 * Checks the accounts that are not locked. Returns the queue entries of the accounts that another transaction has
 * locked.
 */
async function check(session: WriteSession, batch: HandlerBatch, catalogsOf: CatalogSource) {
  const recordIds = batch.entries.flatMap(({ accountRecordId }) => accountRecordId ?? []);
  const accounts = await session.tryLockAccounts(recordIds);
  const locked = new Map(accounts.map((account) => [account.recordId, account]));
  const entryOf = new Map(batch.entries.map((entry) => [entry.accountRecordId, entry]));
  await announce(
    session,
    accounts.flatMap((account) => {
      const entry = entryOf.get(account.recordId);
      return entry === undefined ? [] : [{ account, at: entry.effectiveDate }];
    }),
    catalogsOf,
  );
  const isLocked = ({ accountRecordId }: (typeof batch.entries)[number]): boolean =>
    accountRecordId !== null && locked.has(accountRecordId);
  await batch.finish(session, batch.entries.filter(isLocked));
  return batch.entries.filter((entry) => !isLocked(entry));
}

interface Checked {
  readonly account: Account;
  readonly at: Instant;
}

async function announce(session: WriteSession, checked: readonly Checked[], catalogsOf: CatalogSource) {
  if (checked.length === 0) return;
  const accounts = checked.map(({ account }) => account);
  const facts = await loadFactsOfAccounts(session, accounts, catalogsOf);
  const states = await session.features.states(accounts.map(({ recordId }) => recordId));
  const before = new Map(states.map(({ accountRecordId, values }) => [accountRecordId, values]));
  const found = checked.map(({ account, at }, index) => {
    const own = facts[index];
    const features = own && featuresAt(own, at);
    const changes =
      features === undefined ? [] : changedFeatures(before.get(account.recordId) ?? {}, features);
    return { account, features, changes };
  });
  session.publish(
    found.flatMap(({ account, changes }) => changes.map((change) => featureChangeEvent(account, change))),
  );
  await session.features.saveStates(
    found.flatMap(({ account: { recordId: accountRecordId }, features, changes }) =>
      features === undefined || changes.length === 0 ? [] : [{ accountRecordId, values: valuesOf(features) }],
    ),
  );
  session.schedule(
    found.flatMap(({ account, features }) =>
      features === undefined || features.features.size === 0 || features.valuesUntil === null
        ? []
        : [featureCheck(account.recordId, features.valuesUntil)],
    ),
  );
}
