import {
  nextUsageDates,
  type SourceQuestion,
  type SuppliedBySubscription,
  sourceQuestion,
} from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type LocalDate, maxDate } from '../../values/time/index.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';
import type { AccountBilling } from './evaluate-account.ts';
import type { SubscriptionBilling } from './evaluate-subscription.ts';

/**
 * The usage that sources supply for an account before its run (usage §9), and the question that the sources answered.
 */
export type UsageSupply =
  /**
   * The usage that a source reported, or null if no source knows the account, in which case recorded usage is billed.
   */
  | { readonly kind: 'TOLD'; readonly question: string; readonly usages: SuppliedBySubscription | null }
  | { readonly kind: 'FAILED'; readonly error: unknown };

/** The supplied usage by account id. Contains only accounts that need a source. */
export type UsageSupplies = ReadonlyMap<Uuid, UsageSupply>;

/** The source of an account's usage. OPEN means that the source is not known yet, so recorded usage is not read. */
type UsageOrigin = 'RECORDED' | 'OPEN' | SuppliedBySubscription;

export function originOf(supplies: UsageSupplies | 'OPEN' | null, accountId: Uuid): UsageOrigin {
  if (supplies === 'OPEN') return supplies;
  const supply = supplies?.get(accountId);
  if (supply === undefined) return 'RECORDED';
  return supply.kind === 'FAILED' ? 'OPEN' : (supply.usages ?? 'RECORDED');
}

/** Returns the question to usage sources for the run of an account, or null if no source needs to be called. */
export function questionOf(
  { account, targetDate, subscriptions }: Pick<AccountBilling, 'account' | 'targetDate' | 'subscriptions'>,
  config: InvoicingConfig,
): SourceQuestion | null {
  const metered = subscriptions.flatMap(({ subscriptionId, events, usage = null }) =>
    usage === null ? [] : [{ subscriptionId, events, billed: usage.billed, from: usage.from ?? null }],
  );
  if (metered.length === 0) return null;
  return sourceQuestion({ subscriptions: metered, targetDate, zone: account.timeZone, config: config.usage });
}

type SupplyStanding =
  | { readonly kind: 'READY' }
  /** The account has changed since the sources were called. */
  | { readonly kind: 'CHANGED' }
  | { readonly kind: 'FAILED'; readonly error: unknown };

/**
 * Returns READY if the run can use the results of the sources. Otherwise returns the reason why the run cannot use
 * them. @param supplies Null if there are no usage sources.
 */
export function supplyStanding(
  billing: Pick<AccountBilling, 'account' | 'targetDate' | 'subscriptions'>,
  supplies: UsageSupplies | null,
  config: InvoicingConfig,
): SupplyStanding {
  const question = supplies === null ? null : questionOf(billing, config);
  if (supplies === null || question === null) return { kind: 'READY' };
  const supply = supplies.get(billing.account.id);
  if (supply === undefined) return { kind: 'CHANGED' };
  if (supply.kind === 'FAILED') return supply;
  return { kind: supply.question === question.text ? 'READY' : 'CHANGED' };
}

/**
 * Returns the date on which all unbilled usage of `date` has been billed. Returns `date` itself if there is no unbilled
 * usage.
 */
export function lastUsageDate({ subscriptions }: Pick<AccountBilling, 'subscriptions'>, date: LocalDate) {
  const next = subscriptions.flatMap(({ events }) => nextUsageDates(events, date));
  return next.reduce((last, each) => maxDate(last, each), date);
}

/** Adds the usage from sources to the subscriptions. If the sources do not mention a subscription, it has no usage. */
export function withSupply(
  subscriptions: readonly SubscriptionBilling[],
  usages: SuppliedBySubscription,
): readonly SubscriptionBilling[] {
  return subscriptions.map((subscription) => {
    const { usage = null, subscriptionId } = subscription;
    if (usage === null) return subscription;
    const supplied = usages.get(subscriptionId) ?? { kind: 'RECORDS', pieces: [] };
    // The source's next result is always read, because nothing indicates whether it has changed.
    return { ...subscription, usage: { ...usage, marks: null, supplied } };
  });
}
