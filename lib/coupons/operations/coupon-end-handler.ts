import { type CatalogProvider, catalogsOfBatch } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  ActingComponent,
  BusEventType,
  CouponDuration,
  type NewNotification,
  QueueName,
  type Redemption,
} from '../../records/index.ts';
import { batchAuthorship, type QueueHandler } from '../../runtime/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import { isUuid } from '../../values/ids/index.ts';
import { addMonths, type Instant, type LocalDate, localDateOf, maxDate } from '../../values/time/index.ts';
import { discountOf, matchesPlan } from '../discounts/with-discounts.ts';
import { redemptionEvent } from '../redeeming/store-redemptions.ts';
import type { AccountBilling, LoadBilling } from './discountable.ts';

/**
 * Emits COUPON_ENDED when the last discount of a redemption ends (§6 rule 1). The event of the redemption queues an
 * entry for the end. If a pause or a change of plan has moved the end by then, the entry is queued again.
 */
export function couponEndHandler(
  { storage, clock }: Pick<Ports, 'storage' | 'clock'>,
  catalogs: CatalogProvider,
  loadBilling: LoadBilling,
): QueueHandler {
  return {
    name: 'coupon-service:ends',
    topics: [BusEventType.COUPON_REDEEMED, QueueName.COUPON_ENDS],
    async handle(batch) {
      const now = clock.now();
      const catalogsOf = await catalogsOfBatch(catalogs, batch, now);
      if (catalogsOf === null) return;
      const authorship = batchAuthorship(batch.entries, ActingComponent.COUPONS, now);
      await storage.write(batch.tenant, authorship, async (session) => {
        const [accounts, redemptions] = await Promise.all([
          session.accounts.findByRecordIds(batch.entries.flatMap((entry) => entry.accountRecordId ?? [])),
          session.coupons.findRedemptions(batch.entries.flatMap(redemptionIdOf)),
        ]);
        const catalogOf = await catalogsOf(
          session,
          accounts.map(({ id }) => id),
        );
        const billingOf = await loadBilling(session, { accounts, catalogOf, now });
        for (const redemption of redemptions.filter(({ ended }) => ended === null)) {
          const account = accounts.find(({ id }) => id === redemption.accountId);
          const billing = billingOf.get(redemption.accountId);
          if (account !== undefined && billing !== undefined)
            announce(session, { redemption, account, billing, now });
        }
        await batch.finish(session, batch.entries);
      });
    },
  };
}

function redemptionIdOf({ payload }: ClaimedEntry) {
  const metaData: unknown = payload.metaData ?? payload;
  const id: unknown = Reflect.get(Object(metaData), 'redemptionId');
  return typeof id === 'string' && isUuid(id) ? [id] : [];
}

interface Announced {
  readonly redemption: Redemption;
  readonly account: Account;
  readonly billing: AccountBilling;
  readonly now: Instant;
}

/** Emits the event if the redemption has ended, otherwise queues the next check. */
function announce(session: WriteSession, { redemption, account, billing, now }: Announced): void {
  const next = nextLook(redemption, { account, billing, now });
  if (next === null) return;
  const { at } = atReferenceTime(next.date, account);
  if (at > now) session.schedule([endNotification(redemption, account, at)]);
  else if (next.isEnd)
    session.publish([redemptionEvent(redemption, account, { type: BusEventType.COUPON_ENDED })]);
}

function endNotification({ id }: Redemption, { recordId }: Account, at: Instant): NewNotification {
  return {
    queueName: QueueName.COUPON_ENDS,
    accountRecordId: recordId,
    effectiveDate: at,
    payload: { redemptionId: id },
    uniqueKey: `coupon-end:${id}:${at}`,
  };
}

/**
 * Returns the end of the last discount. While billing is paused, the end is unknown and is looked up again after a
 * month. Returns null for a redemption that ends only when it is removed, because it has no limit, or because it
 * covers a number of periods of each subscription of an account.
 */
function nextLook(
  redemption: Redemption,
  { account, billing, now }: Omit<Announced, 'redemption'>,
): { readonly date: LocalDate; readonly isEnd: boolean } | null {
  const { subscriptionId: only, duration, durationCount, redeemed } = redemption;
  if (duration === CouponDuration.FOREVER) return null;
  if (only === null && duration !== CouponDuration.MONTHS) return null;
  const least = only === null ? addMonths(redeemed.date, durationCount ?? 1) : redeemed.date;
  const ends = [...billing.eventsOf].flatMap(([id, events]): readonly (LocalDate | null)[] => {
    const applies = (only === null || only === id) && events.some((event) => matchesPlan(redemption, event));
    const discount = applies ? discountOf(redemption, events, account.currency) : null;
    return discount === null ? [] : [discount.until ?? billing.ends.get(id)?.date ?? null];
  });
  const known = ends.filter((date) => date !== null);
  if (known.length === ends.length) return { date: maxDate(least, ...known), isEnd: true };
  const inAMonth = addMonths(localDateOf(now, account.timeZone), 1);
  return { date: maxDate(least, inAMonth, ...known), isEnd: false };
}
