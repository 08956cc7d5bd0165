import type { TenantRef } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { MeteredSubscription } from './metered-subscriptions.ts';

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
