import { type CatalogProvider, type CatalogSource, catalogsOfBatch } from '../../catalog/index.ts';
import { effectsOnAccounts, TagEffect } from '../../control-tags/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  ActingComponent,
  CallOrigin,
  type InvoiceAnnouncement,
  QueueName,
  type TenantRef,
  type ThresholdAnnouncement,
} from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, inParallel, type QueueHandler } from '../../runtime/index.ts';
import { inDryRun, readThresholdLook, type UsageSources } from '../../usage/index.ts';
import { DAY_MS, MAX_CONCURRENT_USAGE_CALLS, QUEUE_PURGE_SIZE } from '../../values/limits.ts';
import { addMilliseconds, type Instant, type LocalDate, localDateOf, UTC } from '../../values/time/index.ts';
import { DryRunType } from '../dry-run/dry-run-request.ts';
import type { AccountBilling } from '../evaluation/evaluate-account.ts';
import type { SubscriptionBilling } from '../evaluation/evaluate-subscription.ts';
import { invoiceNotificationEvent, noticedDate } from '../evaluation/run-entries.ts';
import { questionOf, withSupply } from '../evaluation/source-usage.ts';
import {
  lastRunningDate,
  reportedThreshold,
  type ThresholdReached,
  thresholdEvent,
  thresholdsReached,
} from '../evaluation/thresholds.ts';
import { initialState } from '../invoices/invoice-amounts.ts';
import type { InvoiceView } from '../invoices/invoice-view.ts';
import { invoicingCurrency } from '../invoices/new-invoice.ts';
import { loadBillingState } from '../loading/load-billing-state.ts';
import type { InvoicingConfig, InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import type { DryRunService } from './dry-run-service.ts';

interface Ahead {
  readonly entry: ClaimedEntry;
  readonly account: Account;
  readonly targetDate: LocalDate;
}

/**
 * Announces upcoming invoices on which an amount will be owed (§8.1). Computes each invoice in a dry run, once per
 * account and date. Takes no lock.
 */
export function invoiceNoticeHandler(
  { storage, clock }: Pick<Ports, 'storage' | 'clock'>,
  { configOf, dryRuns }: { readonly configOf: InvoicingConfigOf; readonly dryRuns: DryRunService },
): QueueHandler {
  return {
    name: 'invoice-service:notice',
    topics: [QueueName.INVOICE_NOTIFICATIONS],
    handle: async (batch) => {
      const { tenant, entries } = batch;
      const now = clock.now();
      const ahead = await storage.read(tenant, (session) => loadAhead(session, entries, configOf));
      const foreseen = await foresee(ahead, batch, { now, dryRuns });
      const owing = foreseen.filter(({ invoice }) => invoice?.balance.greaterThan(0) === true);
      if (owing.length === 0) return;
      const authorship = batchAuthorship(entries, ActingComponent.NEXT_BILLING_DATE, now);
      await storage.write(tenant, authorship, async (session) => {
        const rows = owing.map((each) => announcedInvoice(each, now));
        const isNew = new Set((await session.invoices.announceInvoices(rows)).map(keyOf));
        const announced = owing.filter((each) => isNew.has(keyOf(announcedInvoice(each, now))));
        session.publish(announced.flatMap(eventsOf));
        const ended = owing.map(({ entry }) => entry);
        await batch.finish(session, ended);
      });
    },
  };
}

/** Returns the upcoming runs, except those of accounts that automatic runs skip. */
async function loadAhead(
  session: ReadSession,
  entries: readonly ClaimedEntry[],
  configOf: InvoicingConfigOf,
) {
  const [{ isAutomatic, noticeLeadMs }, accounts] = await Promise.all([
    configOf(session),
    session.accounts.findByRecordIds(entries.flatMap((entry) => entry.accountRecordId ?? [])),
  ]);
  if (!isAutomatic || noticeLeadMs === 0) return [];
  const ids = accounts.map(({ id }) => id);
  const tags = await effectsOnAccounts(session, ids);
  const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
  return entries.flatMap((entry): readonly Ahead[] => {
    const account = accountOf.get(entry.accountRecordId ?? 0);
    const targetDate = noticedDate(entry.payload);
    if (account === undefined || targetDate === null) return [];
    if (tags.has(account.id, TagEffect.PARKS, TagEffect.STOPS_INVOICING)) return [];
    return [{ entry, account, targetDate }];
  });
}

/** Computes all invoices in one dry run, so that the number of statements does not grow with the number of accounts. */
async function foresee(
  ahead: readonly Ahead[],
  batch: HandlerBatch,
  { now, dryRuns }: { readonly now: Instant; readonly dryRuns: DryRunService },
) {
  const [first] = ahead;
  if (first === undefined) return [];
  const context = {
    tenant: batch.tenant,
    userName: ActingComponent.NEXT_BILLING_DATE,
    principal: null,
    reasonCode: null,
    comments: null,
    userToken: first.entry.userToken,
    callOrigin: CallOrigin.INTERNAL,
    createdDate: now,
  };
  const byAccount = Map.groupBy(ahead, ({ account }) => account.id);
  const asked = [...byAccount].map(([accountId, own]) => ({
    accountId,
    dates: own.map(({ targetDate }) => targetDate),
  }));
  const found = await dryRuns.ofAccounts(context, asked);
  return [...byAccount].flatMap(([accountId, own]) => {
    const answer = found.get(accountId);
    if (answer === undefined) return [];
    if ('views' in answer)
      return own.map((each, index) => ({ ...each, invoice: answer.views[index] ?? null }));
    for (const { entry } of own) batch.failed(entry, answer.error);
    return [];
  });
}

function announcedInvoice({ account, targetDate }: Ahead, now: Instant): InvoiceAnnouncement {
  return { accountRecordId: account.recordId, targetDate, createdDate: now };
}

function keyOf({ accountRecordId, targetDate }: InvoiceAnnouncement): string {
  return `${accountRecordId} ${targetDate}`;
}

function eventsOf({ account, targetDate, invoice }: Ahead & { readonly invoice: InvoiceView | null }) {
  if (invoice === null) return [];
  const { balance: amountOwed, currency } = invoice;
  return [invoiceNotificationEvent(account, { targetDate, amountOwed, currency })];
}

/**
 * Milliseconds for which an announcement is kept after its UTC date. In other time zones, the date may not have ended
 * yet, and the run may be a few hours late (invoicing §8.1).
 */
const TOLD_INVOICE_OVER_MS = 2 * DAY_MS;

/** Deletes announcements that are older than `retentionMs`, because no later run needs them (§8.1). */
export async function purgeInvoiceAnnouncements(
  { storage, clock }: Pick<Ports, 'storage' | 'clock'>,
  retentionMs: number,
): Promise<void> {
  const before = localDateOf(addMilliseconds(clock.now(), -retentionMs - TOLD_INVOICE_OVER_MS), UTC);
  await storage.system.purgeInvoiceAnnouncements(before, QUEUE_PURGE_SIZE);
}

/** Milliseconds until a subscription is evaluated again if usage was recorded in the meantime. */
const THRESHOLD_LOOK_PAUSE_MS = 1_000;

interface Look {
  readonly entry: ClaimedEntry;
  readonly subscriptionRecordId: number;
  /** The subscription's mark before its usage was read, or null if there was no mark. */
  readonly mark: number | null;
  /** Null if there is nothing to bill. */
  readonly billing: AccountBilling | null;
}

interface ExaminedSubscription extends Look {
  readonly account: Account;
  readonly subscription: SubscriptionBilling;
  readonly reached: readonly ThresholdReached[];
}

interface Looking {
  readonly tenant: TenantRef;
  readonly now: Instant;
  readonly config: InvoicingConfig;
  readonly sources: UsageSources;
}

/**
 * Reports usage thresholds that recorded usage has reached, each once per period, without locking the account (usage
 * §12.1). A queue entry ends only if no usage was recorded in the meantime. Recording usage first marks the
 * subscription and then requests an entry. Therefore the current entry either has already ended or does not end,
 * because its handler finds the mark.
 */
export function thresholdHandler(
  { storage, clock }: Pick<Ports, 'storage' | 'clock'>,
  catalogs: CatalogProvider,
  { configOf, sources }: { readonly configOf: InvoicingConfigOf; readonly sources: UsageSources },
): QueueHandler {
  return {
    name: 'usage-service:thresholds',
    topics: [QueueName.USAGE_THRESHOLDS],
    handle: async (batch) => {
      const { tenant, entries } = batch;
      const now = clock.now();
      const catalogsOf = await catalogsOfBatch(catalogs, batch, now);
      if (catalogsOf === null) return;
      const { config, looks } = await storage.read(tenant, async (session) => {
        const known = await configOf(session);
        return { config: known, looks: await loadLooks(session, batch, { now, catalogsOf, config: known }) };
      });
      const looked = await inParallel(looks, MAX_CONCURRENT_USAGE_CALLS, async (each) => {
        try {
          return await look(each, { tenant, now, config, sources });
        } catch (error) {
          batch.failed(each.entry, error);
          return each;
        }
      });
      const ended = looks.filter(({ billing }) => billing === null).map(({ entry }) => entry);
      const authorship = batchAuthorship(entries, ActingComponent.USAGE, now);
      const changed = await storage.write(tenant, authorship, async (session) => {
        const all = looked.filter((each): each is ExaminedSubscription => 'reached' in each);
        const { seen, changed: again } = await reportReached(session, all, now);
        await batch.finish(session, [...ended, ...seen]);
        return again;
      });
      if (changed.length > 0) batch.busy(changed, THRESHOLD_LOOK_PAUSE_MS);
    },
  };
}

async function loadLooks(
  session: ReadSession,
  batch: HandlerBatch,
  {
    now,
    catalogsOf,
    config,
  }: { readonly now: Instant; readonly catalogsOf: CatalogSource; readonly config: InvoicingConfig },
) {
  const asked = batch.entries.map((entry) => ({
    entry,
    subscriptionRecordId: readThresholdLook(entry.payload),
  }));
  const [marks, accounts] = await Promise.all([
    session.usage.marks(asked.map(({ subscriptionRecordId }) => subscriptionRecordId)),
    session.accounts.findByRecordIds(asked.flatMap(({ entry }) => entry.accountRecordId ?? [])),
  ]);
  const ids = accounts.map(({ id }) => id);
  const states = await session.invoices.loadStates(ids);
  const stateOf = new Map(states.map((state) => [state.accountId, state]));
  const requests = accounts.map((account) => {
    const today = localDateOf(now, account.timeZone);
    const state = stateOf.get(account.id) ?? initialState(account);
    return { account, targetDate: today, runDate: today, state };
  });
  const { billings, failures, recordIds } = await loadBillingState(session, {
    requests,
    catalogOf: await catalogsOf(session, ids),
    config,
    choice: 'all',
  });
  const failureOf = new Map(failures.map(({ request, error }) => [request.account.recordId, error]));
  const billingOf = new Map(billings.map((billing) => [billing.account.recordId, billing]));
  return asked.flatMap(({ entry, subscriptionRecordId }): readonly Look[] => {
    const accountRecordId = entry.accountRecordId ?? 0;
    if (failureOf.has(accountRecordId)) {
      batch.failed(entry, failureOf.get(accountRecordId));
      return [];
    }
    const all = billingOf.get(accountRecordId);
    const own = all?.subscriptions.filter(
      ({ subscriptionId, usage = null }) =>
        usage !== null && recordIds.get(subscriptionId) === subscriptionRecordId,
    );
    const billing = all && own && own.length > 0 ? { ...all, subscriptions: own } : null;
    return [{ entry, subscriptionRecordId, mark: marks.get(subscriptionRecordId) ?? null, billing }];
  });
}

async function look(each: Look, looking: Looking) {
  if (each.billing === null) return each;
  const { account } = each.billing;
  const { now } = looking;
  const config = inDryRun(looking.config.usage);
  const billing = await withSourceUsage(each.billing, {
    ...looking,
    config: { ...looking.config, usage: config },
  });
  const [subscription] = billing.subscriptions;
  const usage = subscription?.usage ?? null;
  if (subscription === undefined || usage === null) return each;
  const { subscriptionId, events } = subscription;
  const currency = invoicingCurrency(account);
  const since = each.entry.createdDate;
  const reached = thresholdsReached({ subscriptionId, events, usage, currency, config, since, now });
  return { ...each, account, subscription, reached };
}

/** Adds the usage that sources supply for the subscription. If no source supplies usage, recorded usage is used. */
async function withSourceUsage(billing: AccountBilling, { tenant, now, config, sources }: Looking) {
  const [subscription] = billing.subscriptions;
  const usage = subscription?.usage ?? null;
  if (sources.isEmpty || subscription === undefined || usage === null) return billing;
  const targetDate = lastRunningDate({ events: subscription.events, usage, now });
  const question = questionOf({ ...billing, targetDate }, config);
  if (question === null) return billing;
  const { id: accountId } = billing.account;
  const { TARGET_DATE: dryRunType } = DryRunType;
  const context = { tenantId: tenant.id, accountId, dryRunType, inputTargetDate: targetDate, now };
  const usages = await sources.ofAccount(question, context, []);
  return usages === null ? billing : { ...billing, subscriptions: withSupply(billing.subscriptions, usages) };
}

/**
 * Reports newly reached thresholds. Returns the finished entries, and the entries whose subscription was marked in the
 * meantime.
 */
async function reportReached(session: WriteSession, looked: readonly ExaminedSubscription[], now: Instant) {
  const marks = await session.usage.lockMarks(looked.map(({ subscriptionRecordId }) => subscriptionRecordId));
  const reached = looked.flatMap(({ account, subscription, subscriptionRecordId, reached: all }) =>
    all.map((one) => ({
      told: reportedThreshold(one, { subscriptionRecordId, now }),
      event: thresholdEvent(one, { account, subscriptionId: subscription.subscriptionId }),
    })),
  );
  const told = await session.usage.announceThresholds(reached.map((one) => one.told));
  const isNew = new Set(told.map(thresholdKey));
  session.publish(reached.filter((one) => isNew.has(thresholdKey(one.told))).map(({ event }) => event));
  const isUnchanged = ({ subscriptionRecordId, mark }: Look): boolean =>
    (marks.get(subscriptionRecordId) ?? null) === mark;
  return {
    seen: looked.filter(isUnchanged).map(({ entry }) => entry),
    changed: looked.filter((each) => !isUnchanged(each)).map(({ entry }) => entry),
  };
}

function thresholdKey({
  subscriptionRecordId,
  usageName,
  start,
  measure,
  measured,
  bound,
}: ThresholdAnnouncement) {
  return JSON.stringify([subscriptionRecordId, usageName, start, measure, measured, bound.toString()]);
}

/**
 * Deletes reports of thresholds in periods that ended more than `retentionMs` ago. Such periods are no longer
 * evaluated (usage §12.1).
 */
export async function purgeThresholdAnnouncements(
  { storage, clock }: Pick<Ports, 'storage' | 'clock'>,
  retentionMs: number,
): Promise<void> {
  await storage.system.purgeThresholdAnnouncements(
    addMilliseconds(clock.now(), -retentionMs),
    QUEUE_PURGE_SIZE,
  );
}
