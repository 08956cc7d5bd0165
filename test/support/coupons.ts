import type { Redemption } from '../../lib/records/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { type Instant, parseLocalDate } from '../../lib/values/time/index.ts';

/** Terms of a redemption. By default, it takes 20 % off all recurring prices, without an end. */
export interface RedemptionTerms
  extends Partial<Omit<Redemption, 'percentOff' | 'amountOff' | 'redeemed' | 'ended' | 'recordId' | 'id'>> {
  readonly percentOff?: string | null;
  readonly amountOff?: Readonly<Record<string, string>> | null;
  readonly redeemed: string;
  readonly ended?: string;
}

let last = 0;

function dated(date: string) {
  const day = parseLocalDate(date);
  return { date: day, at: (day * 86_400_000) as Instant };
}

/** Returns a redemption of the coupon SPRING on an account, in UTC. */
export function redemption({
  percentOff = '20',
  amountOff = null,
  redeemed,
  ended,
  ...terms
}: RedemptionTerms): Redemption {
  last += 1;
  const numbered = String(last).padStart(12, '0');
  return {
    recordId: last,
    id: `00000000-0000-7000-a000-${numbered}` as Uuid,
    couponId: `00000000-0000-7000-b000-${numbered}` as Uuid,
    code: 'SPRING',
    name: 'Spring sale',
    accountId: '00000000-0000-7000-8000-00000000000e' as Uuid,
    accountRecordId: 1,
    subscriptionId: null,
    percentOff: percentOff === null ? null : decimal(percentOff),
    amountOff:
      amountOff &&
      Object.fromEntries(Object.entries(amountOff).map(([currency, amount]) => [currency, decimal(amount)])),
    perQuantity: false,
    duration: 'FOREVER',
    plans: null,
    products: null,
    appliesTo: 'RECURRING',
    redeemed: dated(redeemed),
    isOfPlanChange: false,
    ended: ended === undefined ? null : dated(ended),
    isOver: false,
    createdDate: 0 as Instant,
    updatedDate: 0 as Instant,
    ...terms,
  };
}
