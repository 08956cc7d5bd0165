import { addDays, type Instant, type LocalDate, parseLocalDate, type Uuid } from '../../../lib/index.ts';
import type { InvoiceView, SubscriptionView } from '../plain-views.ts';

// What the presented rows of a subscription and the items of its invoices say by themselves.

type Told = Pick<SubscriptionView, 'events' | 'state'>;

/** The states that the rows up to `now` leave possible; an expiry and a cancellation end billing by the same row. */
export function stateToldBy({ events }: Told, now: Instant): readonly string[] {
  const past = events
    .filter(({ effective }) => effective.at.getTime() <= now)
    .map(({ eventType }) => eventType);
  if (past.includes('STOP_ENTITLEMENT')) return ['CANCELLED', 'EXPIRED'];
  const starts = past.includes('START_ENTITLEMENT');
  const last = past.findLast((type) => type === 'PAUSE_ENTITLEMENT' || type === 'RESUME_ENTITLEMENT');
  const served = last === 'PAUSE_ENTITLEMENT' ? 'BLOCKED' : 'ACTIVE';
  const mayExpire =
    past.includes('STOP_BILLING') && !events.some(({ eventType }) => eventType === 'STOP_ENTITLEMENT');
  if (mayExpire) return ['EXPIRED'];
  return [starts ? served : 'PENDING'];
}

/** Blocks of several services that last less than a day each do not count, also where together they last longer. */
const CERTAIN_DAYS = 5;

/** The stretches of local dates, some days long, in which billing pauses; those that are still to begin are left out. */
export function pausesToldBy(
  { events }: Told,
  now: Instant,
): readonly (readonly [from: LocalDate, until: number])[] {
  const pauses: (readonly [LocalDate, number])[] = [];
  let from: LocalDate | null = null;
  for (const { eventType, effective } of events) {
    if (eventType === 'PAUSE_BILLING' && effective.at.getTime() <= now)
      from ??= parseLocalDate(effective.date);
    if (from === null || (eventType !== 'RESUME_BILLING' && eventType !== 'STOP_BILLING')) continue;
    pauses.push([from, parseLocalDate(effective.date)]);
    from = null;
  }
  if (from !== null) pauses.push([from, Number.POSITIVE_INFINITY]);
  return pauses.filter(([begin, until]) => until - begin >= CERTAIN_DAYS);
}

/** By subscription the days that recurring items charge and no repair takes back. */
export function chargedDays(invoices: readonly InvoiceView[]): ReadonlyMap<Uuid, readonly LocalDate[]> {
  const items = invoices.flatMap((invoice) => invoice.items);
  const ofItem = new Map(items.map((item) => [item.id, item.subscriptionId]));
  const counts = new Map<Uuid, Map<LocalDate, number>>();
  for (const { itemType, subscriptionId, linkedItemId, startDate, endDate, amount } of items) {
    const of = subscriptionId ?? (linkedItemId && ofItem.get(linkedItemId));
    const isCharge = itemType === 'RECURRING' && !amount.isZero();
    if ((!isCharge && itemType !== 'REPAIR_ADJ') || !of || startDate === null || endDate === null) continue;
    const days = counts.get(of) ?? new Map<LocalDate, number>();
    counts.set(of, days);
    for (let day = parseLocalDate(startDate); day < parseLocalDate(endDate); day = addDays(day, 1)) {
      days.set(day, (days.get(day) ?? 0) + (isCharge ? 1 : -1));
    }
  }
  return new Map(
    [...counts].map(([of, days]) => [of, [...days].filter(([, count]) => count > 0).map(([day]) => day)]),
  );
}
