import type { Ports } from '../../ports/index.ts';
import type { TenantRef } from '../../records/index.ts';
import { SharedCalls } from '../../runtime/index.ts';
import { type Decimal, decimal, sum, ZERO } from '../../values/money/index.ts';
import { quotaBalance } from '../evaluation/quota-draws.ts';
import { quietLimits } from '../evaluation/quota-thresholds.ts';
import { counterOf } from '../loading/load-features.ts';
import { type Consumed, type Consuming, counterRetentionEnd } from './consume-quota.ts';

/**
 * Maximum total that concurrent calls can take from a counter in one statement. The amount of one call has the same
 * maximum (§4 rule 7).
 */
const MAX_TOTAL = decimal('1e15');

type CounterCall = Pick<Consuming, 'loaded' | 'feature' | 'sources' | 'amount' | 'key'>;

/**
 * Returns a function that draws from one counter in one statement, which concurrent calls for the counter share. The
 * function returns null if the call needs its own transaction. This is the case if the call has a key or runs in a host
 * transaction, if several counters contribute, if the remaining quota is less than the amount, or if a threshold is
 * reached (§4, §5).
 */
export function sharedDraws({ storage, systemClock }: Pick<Ports, 'storage' | 'systemClock'>) {
  const calls = new SharedCalls<Decimal, Decimal | null>(systemClock);

  return async (tenant: TenantRef, call: CounterCall): Promise<Consumed | null> => {
    const { loaded, feature, sources, amount, key } = call;
    const [source, ...others] = sources;
    if (key !== null || tenant.within !== undefined || source === undefined || others.length > 0) return null;
    const counter = counterOf(feature, source);
    const limits = quietLimits(loaded.thresholds, source.amount);
    const { recordId: accountRecordId } = loaded.account;

    /** Returns the state of the counter after each amount, in order. */
    async function drawAll(amounts: readonly Decimal[]): Promise<readonly (Decimal | null)[]> {
      const total = sum(amounts);
      const none = amounts.map(() => null);
      if (source === undefined || total.greaterThan(MAX_TOTAL)) return none;
      // The first limit applies to a counter that does not exist yet.
      if (limits[0]?.upTo.lessThan(total)) return none;
      const keepUntil = counterRetentionEnd(source);
      const drawn = await storage.drawQuota(tenant, {
        ...counter,
        accountRecordId,
        amount: total,
        limits,
        keepUntil,
      });
      if (drawn === null) return none;
      let used = drawn.used.minus(total);
      return amounts.map((each) => {
        used = used.plus(each);
        return used;
      });
    }

    const alike = JSON.stringify([tenant.recordId, counter, limits.at(-1)]);
    const used = await calls.run(alike, amount, drawAll);
    if (used === null) return null;
    return {
      consumption: { allowed: true, ...quotaBalance(sources, () => used), overage: ZERO },
      draws: [{ source, used }],
    };
  };
}
