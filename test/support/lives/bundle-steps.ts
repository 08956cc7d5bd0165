import fc from 'fast-check';
import { addDays, type Instant, type LocalDate, parseLocalDate, type Uuid } from '../../../lib/index.ts';
import type { Generated } from '../for-all.ts';
import type { InvoiceView, SubscriptionView } from '../plain-views.ts';

const bases = [
  'solo-monthly',
  'pro-monthly',
  'elite-monthly',
  'club-monthly',
  'pro-annual',
  'solo-now',
  'team-now',
  'term-3m',
] as const;
const addOns = ['backup-monthly', 'archive-monthly', 'support-monthly', 'support-6m'] as const;

/** Days from the day of the call, at the reference time or at a second of that day; null = no date. */
const requestDay = fc.option(
  fc.record({
    days: fc.integer({ min: -20, max: 45 }),
    second: fc.option(fc.constantFrom(0, 28_800, 40_000), { freq: 2 }),
  }),
  { freq: 2 },
);
const policies = fc.option(fc.constantFrom('IMMEDIATE', 'END_OF_TERM', 'START_OF_TERM'));
const subject = fc.nat({ max: 11 });
const baseFirst = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: subject });

const steps = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('PASS'), days: fc.integer({ min: 0, max: 40 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('ADD'), plan: fc.constantFrom(...addOns), when: requestDay }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('CHANGE'),
      subject: baseFirst,
      base: fc.constantFrom(...bases),
      addOn: fc.constantFrom(...addOns),
      when: requestDay,
      policy: policies,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('CANCEL'),
      subject: baseFirst,
      when: requestDay,
      service: fc.option(fc.constantFrom('IMMEDIATE', 'END_OF_TERM')),
      policy: policies,
      isForBilling: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('UNCANCEL'), subject: baseFirst }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('UNDO'), subject: baseFirst }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('BILL_CYCLE_DAY'),
      subject,
      day: fc.integer({ min: 1, max: 31 }),
      when: requestDay,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('QUANTITY'),
      subject,
      quantity: fc.integer({ min: 1, max: 3 }),
      when: requestDay,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('PAUSE', 'RESUME'),
      bundle: fc.nat({ max: 1 }),
      when: requestDay,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('BLOCK'),
      on: fc.constantFrom('ACCOUNT', 'SUBSCRIPTION_BUNDLE', 'SUBSCRIPTION'),
      subject,
      service: fc.constantFrom('A', 'B'),
      name: fc.constantFrom('x', 'y'),
      isBlockBilling: fc.boolean(),
      isBlockEntitlement: fc.boolean(),
      when: requestDay,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('TRANSFER'),
      when: fc.option(fc.integer({ min: -20, max: 40 })),
      policy: fc.constantFrom('IMMEDIATE', 'END_OF_TERM'),
      bcd: fc.constantFrom('USE_EXISTING', 'ALIGN_WITH_EFF_DT', 'NONE'),
    }),
  },
);

export const scripts = fc.record({
  base: fc.constantFrom(...bases),
  billCycleDay: fc.constantFrom(0, 1, 15, 31),
  steps: fc.array(steps, { minLength: 3, maxLength: 12 }),
});

export type RequestDay = NonNullable<Generated<typeof requestDay>>;

/** A step on the subscriptions of a bundle, each named by its index. */
export type Step = Generated<typeof steps>;
export type Script = Generated<typeof scripts>;

// Facts read from the rows of a subscription and the items of its invoices alone.

type ShownSubscription = Pick<SubscriptionView, 'events' | 'state'>;

/** The states that the rows up to `now` allow. An expiry and a cancellation end billing with the same row. */
export function statesAllowedBy({ events }: ShownSubscription, now: Instant): readonly string[] {
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

/** Shorter pauses may be ignored: blocks of several services that each last less than a day do not count. */
const CERTAIN_DAYS = 5;

/** The billing pauses of several days, without those that have not started. */
export function pausesInRows(
  { events }: ShownSubscription,
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

/** The days that each subscription is charged for and that no repair credits. */
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
    for (let day = parseLocalDate(startDate); day < parseLocalDate(endDate); day = addDays(day, 1))
      days.set(day, (days.get(day) ?? 0) + (isCharge ? 1 : -1));
  }
  return new Map(
    [...counts].map(([of, days]) => [of, [...days].filter(([, count]) => count > 0).map(([day]) => day)]),
  );
}
