import { type CatalogProvider, type CatalogSource, catalogsOfBatch } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  ActingComponent,
  QueueName,
  type TenantRef,
  type ToldThreshold,
} from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, inParallel, type QueueHandler } from '../../runtime/index.ts';
import { inDryRun, readThresholdLook, type UsageSources } from '../../usage/index.ts';
import { MAX_CONCURRENT_USAGE_CALLS, QUEUE_PURGE_SIZE } from '../../values/limits.ts';
import { addMilliseconds, type Instant, localDateOf } from '../../values/time/index.ts';
import { DryRunType } from '../dry-run/dry-run-request.ts';
import type { AccountBilling } from '../evaluation/evaluate-account.ts';
import type { SubscriptionBilling } from '../evaluation/evaluate-subscription.ts';
import { questionOf, withSupply } from '../evaluation/source-usage.ts';
import {
  lastRunningDate,
  type ThresholdReached,
  thresholdEvent,
  thresholdsReached,
  toldThreshold,
} from '../evaluation/thresholds.ts';
import { initialState } from '../invoices/invoice-amounts.ts';
import { invoicingCurrency } from '../invoices/new-invoice.ts';
import { loadBillingState } from '../loading/load-billing-state.ts';
import type { InvoicingConfig, InvoicingConfigOf } from '../proposals/invoicing-config.ts';

/** How soon a subscription is looked at again that something was recorded for meanwhile. */
const THRESHOLD_LOOK_PAUSE_MS = 1_000;

/** A subscription for which something was recorded. */
interface Look {
  readonly entry: ClaimedEntry;
  readonly subscriptionRecordId: number;
  /** How often it was marked before its usage was read. */
  readonly mark: number | null;
  /** null = it charges nothing. */
  readonly billing: AccountBilling | null;
}

interface Looked extends Look {
  readonly account: Account;
  readonly subscription: SubscriptionBilling;
  readonly reached: readonly ThresholdReached[];
}

/**
 * Tells of thresholds that recorded usage has reached (usage §12.1), each once for each period. Looks without the account's
 * lock, as a dry run does. An entry ends only if nothing was recorded meanwhile: who records marks the subscription, then
 * asks for an entry, and finds either this one ended or its mark seen.
 */
export class ThresholdHandler implements QueueHandler {
  readonly name = 'usage-service:thresholds';
  readonly topics = [QueueName.USAGE_THRESHOLDS];
  readonly #ports: Pick<Ports, 'storage' | 'clock'>;
  readonly #catalogs: CatalogProvider;
  readonly #configOf: InvoicingConfigOf;
  readonly #sources: UsageSources;

  constructor(
    ports: Pick<Ports, 'storage' | 'clock'>,
    catalogs: CatalogProvider,
    { configOf, sources }: { readonly configOf: InvoicingConfigOf; readonly sources: UsageSources },
  ) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#configOf = configOf;
    this.#sources = sources;
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const { storage, clock } = this.#ports;
    const { tenant, entries } = batch;
    const now = clock.now();
    const catalogsOf = await catalogsOfBatch(this.#catalogs, batch, now);
    if (catalogsOf === null) return;
    const { config, looks } = await storage.read(tenant, (session) =>
      this.#load(session, { batch, now, catalogsOf }),
    );
    const looked = (
      await inParallel(looks, MAX_CONCURRENT_USAGE_CALLS, async (look) => {
        try {
          return await this.#looked(look, { tenant, now, config });
        } catch (error) {
          batch.failed(look.entry, error);
          return look;
        }
      })
    ).filter((look): look is Looked => 'reached' in look);
    const ended = looks.filter(({ billing }) => billing === null).map(({ entry }) => entry);
    const authorship = batchAuthorship(entries, ActingComponent.USAGE, now);
    const changed = await storage.write(tenant, authorship, async (session) => {
      const { seen, changed: again } = await tell(session, looked, now);
      await batch.finish(session, [...ended, ...seen]);
      return again;
    });
    if (changed.length > 0) batch.busy(changed, THRESHOLD_LOOK_PAUSE_MS);
  }

  async #load(
    session: ReadSession,
    {
      batch,
      now,
      catalogsOf,
    }: { readonly batch: HandlerBatch; readonly now: Instant; readonly catalogsOf: CatalogSource },
  ): Promise<{ readonly config: InvoicingConfig; readonly looks: readonly Look[] }> {
    const asked = batch.entries.map((entry) => ({
      entry,
      subscriptionRecordId: readThresholdLook(entry.payload),
    }));
    const [config, marks, accounts] = await Promise.all([
      this.#configOf(session),
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
    const looks = asked.flatMap(({ entry, subscriptionRecordId }): readonly Look[] => {
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
    return { config, looks };
  }

  async #looked(
    look: Look,
    {
      tenant,
      now,
      config: all,
    }: { readonly tenant: TenantRef; readonly now: Instant; readonly config: InvoicingConfig },
  ): Promise<Look | Looked> {
    if (look.billing === null) return look;
    const { account } = look.billing;
    const config = inDryRun(all.usage);
    const billing = await this.#supplied(look.billing, { tenant, now, config: { ...all, usage: config } });
    const [subscription] = billing.subscriptions;
    const usage = subscription?.usage ?? null;
    if (subscription === undefined || usage === null) return look;
    const { subscriptionId, events } = subscription;
    const currency = invoicingCurrency(account);
    const since = look.entry.createdDate;
    const reached = thresholdsReached({ subscriptionId, events, usage, currency, config, since, now });
    return { ...look, account, subscription, reached };
  }

  /** With what usage sources tell of the subscription; where none has it, what is recorded counts. */
  async #supplied(
    billing: AccountBilling,
    {
      tenant,
      now,
      config,
    }: { readonly tenant: TenantRef; readonly now: Instant; readonly config: InvoicingConfig },
  ): Promise<AccountBilling> {
    const [subscription] = billing.subscriptions;
    const usage = subscription?.usage ?? null;
    if (this.#sources.isEmpty || subscription === undefined || usage === null) return billing;
    const targetDate = lastRunningDate({ events: subscription.events, usage, now });
    const question = questionOf({ ...billing, targetDate }, config);
    if (question === null) return billing;
    const { id: accountId } = billing.account;
    const { TARGET_DATE: dryRunType } = DryRunType;
    const context = { tenantId: tenant.id, accountId, dryRunType, inputTargetDate: targetDate, now };
    const usages = await this.#sources.ofAccount(question, context, []);
    if (usages === null) return billing;
    return { ...billing, subscriptions: withSupply(billing.subscriptions, usages) };
  }
}

/** Tells of what was not told of before; gives the entries that are done with, and those whose subscription was marked since. */
async function tell(
  session: WriteSession,
  looked: readonly Looked[],
  now: Instant,
): Promise<{ readonly seen: readonly ClaimedEntry[]; readonly changed: readonly ClaimedEntry[] }> {
  const marks = await session.usage.lockMarks(looked.map(({ subscriptionRecordId }) => subscriptionRecordId));
  const reached = looked.flatMap(({ account, subscription, subscriptionRecordId, reached: all }) =>
    all.map((one) => ({
      told: toldThreshold(one, { subscriptionRecordId, now }),
      event: thresholdEvent(one, { account, subscriptionId: subscription.subscriptionId }),
    })),
  );
  const told = await session.usage.tellThresholds(reached.map((one) => one.told));
  const isNew = new Set(told.map(keyOf));
  session.publish(reached.filter((one) => isNew.has(keyOf(one.told))).map(({ event }) => event));
  const isSeen = ({ subscriptionRecordId, mark }: Look): boolean =>
    (marks.get(subscriptionRecordId) ?? null) === mark;
  return {
    seen: looked.filter(isSeen).map(({ entry }) => entry),
    changed: looked.filter((look) => !isSeen(look)).map(({ entry }) => entry),
  };
}

function keyOf({ subscriptionRecordId, usageName, start, measure, measured, bound }: ToldThreshold): string {
  return JSON.stringify([subscriptionRecordId, usageName, start, measure, measured, bound.toString()]);
}

/**
 * Forgets some of the thresholds that were told of in periods which are over for that long: nobody looks at them again
 * (usage §12.1), since what was recorded in them is looked at much sooner.
 */
export async function purgeToldThresholds(
  { storage, clock }: Pick<Ports, 'storage' | 'clock'>,
  retentionMs: number,
): Promise<void> {
  await storage.system.purgeToldThresholds(addMilliseconds(clock.now(), -retentionMs), QUEUE_PURGE_SIZE);
}
