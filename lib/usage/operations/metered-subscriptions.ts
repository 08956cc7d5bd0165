import type { CatalogSource } from '../../catalog/index.ts';
import type { SystemClock } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Subscription, TenantRef } from '../../records/index.ts';
import { loadServiceEnds } from '../../subscriptions/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
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

/** How long what recording knows of a subscription counts, and of how many it is known (usage §2.5). */
const METERED_SUBSCRIPTION_MS = 1_000;
const MAX_METERED_SUBSCRIPTIONS = 100_000;

/**
 * What is known of subscriptions for a second, or until anything is committed by this process that asks for work, such as
 * the end of a subscription (§2.5).
 */
export class MeteredCache {
  readonly #nowMs: () => number;
  readonly #known = new Map<string, { readonly metered: MeteredSubscription; readonly untilMs: number }>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  find(tenant: TenantRef, subscriptionId: Uuid): MeteredSubscription | undefined {
    // What is read in a host's transaction may be rolled back.
    if (tenant.within !== undefined) return undefined;
    const found = this.#known.get(keyOf(tenant, subscriptionId));
    return found !== undefined && found.untilMs > this.#nowMs() ? found.metered : undefined;
  }

  keep(tenant: TenantRef, read: readonly MeteredSubscription[], readAtMs: number): void {
    if (tenant.within !== undefined) return;
    if (this.#known.size + read.length > MAX_METERED_SUBSCRIPTIONS) this.#known.clear();
    const untilMs = readAtMs + METERED_SUBSCRIPTION_MS;
    for (const metered of read) {
      this.#known.set(keyOf(tenant, metered.subscription.id), { metered, untilMs });
    }
  }

  clear(): void {
    this.#known.clear();
  }
}

function keyOf({ recordId }: TenantRef, subscriptionId: Uuid): string {
  return `${recordId} ${subscriptionId}`;
}
