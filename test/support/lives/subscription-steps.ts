import fc from 'fast-check';
import type { BcdTransfer } from '../../../lib/ports/index.ts';
import type { BlockingStateType } from '../../../lib/records/index.ts';
import type { Generated } from '../for-all.ts';
import { historySize } from '../long-run.ts';
import { shelves } from './subscription-shelf.ts';

/** A date in a request, in days from today, with or without a time of day; null = no date. */
export type RequestDay = { readonly days: number; readonly second: number | null } | null;

export type SubscriptionCall = Extract<
  LifeStep,
  { do: 'CHANGE' | 'CANCEL' | 'UNCANCEL' | 'UNDO' | 'BILL_CYCLE_DAY' | 'QUANTITY' }
>;
export type AddOnCall = Generated<typeof addOns>;
export type TransferCall = Generated<typeof transfers>;
export type LifeCall = SubscriptionCall | AddOnCall | TransferCall;
export type BlockStep = Generated<typeof blocks>;
export type AccountStep = Extract<LifeStep, { do: 'ACCOUNT_DAY' | 'ADJUST' | 'VOID' | 'RUN' }>;
export type LifeStep = Generated<typeof steps>;
export type LifeScript = Generated<typeof lifeScripts>;

const monthDays = fc.integer({ min: 1, max: 31 });
const quantities = fc.integer({ min: 1, max: 9 });
const daySeconds = fc.integer({ min: 0, max: 86_399 });

function requestDayWithin(days: number): fc.Arbitrary<RequestDay> {
  return fc.option(
    fc.record({ days: fc.integer({ min: -days, max: days }), second: fc.option(daySeconds, { freq: 2 }) }),
    { freq: 2 },
  );
}

const policies = fc.option(fc.constantFrom('IMMEDIATE', 'END_OF_TERM', 'START_OF_TERM'), { freq: 3 });

/** The base as often as all other subscriptions together. */
const subject = fc.oneof(fc.constant(0), fc.nat(11));

/** Steps on a subscription, named by its index in order of creation, modulo their number. */
function ofSubscription<const Name extends string, T>(
  name: Name,
  fields: { [K in keyof T]: fc.Arbitrary<T[K]> },
): fc.Arbitrary<T & { readonly do: Name; readonly subject: number }> {
  return fc.tuple(subject, fc.record(fields)).map(([place, rest]) => ({ ...rest, do: name, subject: place }));
}

/** A change has a policy or a date, never both. */
const changes = ofSubscription('CHANGE', {
  plan: fc.nat(11),
  when: requestDayWithin(60),
  policy: policies,
  phaseType: fc.option(fc.constantFrom('TRIAL', 'DISCOUNT', 'EVERGREEN'), { freq: 1 }),
  billCycleDay: fc.option(monthDays, { freq: 1 }),
  quantity: fc.option(quantities, { freq: 1 }),
}).map((change) => (change.when === null ? change : { ...change, policy: null }));

const cancellations = ofSubscription('CANCEL', {
  when: requestDayWithin(50),
  service: fc.option(fc.constantFrom('IMMEDIATE', 'END_OF_TERM')),
  policy: policies,
  isForBilling: fc.boolean(),
});

/** Billing blocks, many within two days of today so that some last less than a day. */
const blocks = ofSubscription('BLOCK', {
  on: fc.constantFrom<BlockingStateType>('ACCOUNT', 'SUBSCRIPTION_BUNDLE', 'SUBSCRIPTION'),
  service: fc.constantFrom('A', 'B'),
  name: fc.constantFrom('x', 'y'),
  isBlocked: fc.boolean(),
  from: fc.oneof(requestDayWithin(2), requestDayWithin(60)),
});

/** Add-ons for the last bundle. Most start service and billing on the same day. */
const addOns = fc
  .record({
    do: fc.constant('ADD_ON' as const),
    plan: fc.nat(5),
    service: requestDayWithin(50),
    billing: fc.option(requestDayWithin(50), { freq: 1, nil: 'SERVICE' as const }),
    billCycleDay: fc.option(monthDays, { freq: 1 }),
    quantity: fc.option(quantities, { freq: 1 }),
  })
  .map((step) => ({ ...step, billing: step.billing === 'SERVICE' ? step.service : step.billing }));

/** Transfers of the last bundle to the other account. */
const transfers = fc.record({
  do: fc.constant('TRANSFER' as const),
  when: fc.option(fc.record({ days: fc.integer({ min: -40, max: 60 }), second: fc.constant(null) })),
  policy: fc.constantFrom('IMMEDIATE' as const, 'END_OF_TERM' as const),
  bcd: fc.constantFrom<BcdTransfer>('USE_EXISTING', 'ALIGN_WITH_EFF_DT', 'NONE'),
});

const steps = fc.oneof(
  { weight: 5, arbitrary: changes },
  { weight: 2, arbitrary: cancellations },
  { weight: 2, arbitrary: ofSubscription('UNCANCEL', {}) },
  { weight: 2, arbitrary: ofSubscription('UNDO', {}) },
  {
    weight: 4,
    arbitrary: ofSubscription('BILL_CYCLE_DAY', {
      day: monthDays,
      from: requestDayWithin(60),
      isForced: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: ofSubscription('QUANTITY', {
      quantity: quantities,
      from: requestDayWithin(60),
      isForced: fc.boolean(),
    }),
  },
  { weight: 7, arbitrary: blocks },
  { weight: 5, arbitrary: addOns },
  { weight: 1, arbitrary: transfers },
  // 0 removes the account's bill cycle day.
  { weight: 1, arbitrary: ofSubscription('ACCOUNT_DAY', { day: fc.integer({ min: 0, max: 31 }) }) },
  {
    // Adjusts the n-th charge by a percentage of its remaining amount.
    weight: 2,
    arbitrary: ofSubscription('ADJUST', { index: fc.nat(20), percent: fc.integer({ min: 1, max: 100 }) }),
  },
  { weight: 2, arbitrary: ofSubscription('VOID', { index: fc.nat(20) }) },
  // Whether the queue runs invoices from now on.
  { weight: 1, arbitrary: fc.record({ do: fc.constant('AUTOMATIC' as const), isOn: fc.boolean() }) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('PASS' as const),
      days: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 35 }), fc.integer({ min: 0, max: 150 })),
      seconds: daySeconds,
    }),
  },
  { weight: 2, arbitrary: ofSubscription('RUN', { daysAhead: fc.integer({ min: 0, max: 100 }) }) },
);

const pauses = fc.record({
  do: fc.constant('PASS' as const),
  days: fc.integer({ min: 0, max: 20 }),
  seconds: daySeconds,
});

/**
 * Steps and sequences that single steps rarely produce: an undone cancellation or change, an add-on after a base
 * change.
 */
const turns: fc.Arbitrary<readonly LifeStep[]> = fc.oneof(
  { weight: 12, arbitrary: steps.map((step) => [step]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(cancellations, pauses)
      .map(([cancel, pass]): readonly LifeStep[] => [
        cancel,
        pass,
        { do: 'UNCANCEL', subject: cancel.subject },
      ]),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(pauses, changes, pauses, addOns)
      .map(([pass, change, later, addOn]): readonly LifeStep[] => [
        pass,
        { ...change, subject: 0 },
        later,
        addOn,
      ]),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(changes, pauses)
      .map(([change, pass]): readonly LifeStep[] => [change, pass, { do: 'UNDO', subject: change.subject }]),
  },
);

const zones = fc.constantFrom('UTC', 'UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Auckland');

/** Random histories of a base and its add-ons over about two years, on one account or, after a transfer, on two. */
export const lifeScripts = fc.record({
  shelf: shelves,
  zone: zones,
  /** Of the account that bundles are transferred to. */
  otherZone: zones,
  /** Seconds after 2024-01-01T00:00:00Z. */
  referenceSecond: fc.integer({ min: 0, max: 30 * 86_400 }),
  accountDay: fc.oneof(fc.constant(0), monthDays),
  otherDay: fc.oneof(fc.constant(0), monthDays),
  isGreedy: fc.boolean(),
  fixedDays: fc.constantFrom(0, 0, 30),
  alignsPriceChanges: fc.boolean(),
  plan: fc.nat(3),
  billing: requestDayWithin(70),
  billCycleDay: fc.option(monthDays, { freq: 1 }),
  quantity: fc.option(quantities, { freq: 1 }),
  steps: fc.array(turns, { minLength: 2, maxLength: 20, size: historySize }).map((all) => all.flat()),
});
