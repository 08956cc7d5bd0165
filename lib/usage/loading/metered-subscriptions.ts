import type { CatalogSource } from '../../catalog/index.ts';
import type { SystemClock } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Subscription } from '../../records/index.ts';
import { loadServiceEnds } from '../../subscriptions/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Instant, TimeZone } from '../../values/time/index.ts';

/** What recording needs to know of a subscription. */
export interface MeteredSubscription {
  readonly subscription: Subscription;
  /** The usage zone (§7.2). */
  readonly zone: TimeZone;
  /** When its service ends or has ended; null while it goes on. */
  readonly end: Instant | null;
}

/** The usage zones and the ends of service of these subscriptions, in any number. */
export async function loadMetered(
  session: ReadSession,
  subscriptions: readonly Subscription[],
  around: {
    readonly now: Instant;
    readonly catalogsOf: CatalogSource;
    readonly nextTurn: SystemClock['nextTurn'];
  },
): Promise<readonly MeteredSubscription[]> {
  if (subscriptions.length === 0) return [];
  const accountIds = [...new Set(subscriptions.map(({ accountId }) => accountId))];
  const accounts = await session.accounts.findByIds(accountIds);
  const zones = new Map(accounts.map(({ id, timeZone }) => [id, timeZone]));
  const ends = await loadServiceEnds(session, { ...around, subscriptions });
  return subscriptions.map((subscription) => {
    const zone = zones.get(subscription.accountId);
    assertInvariant(zone, `Subscription ${subscription.id} has no account`, {
      subscriptionId: subscription.id,
    });
    return { subscription, zone, end: ends.get(subscription.id) ?? null };
  });
}
