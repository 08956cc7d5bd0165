import fc from 'fast-check';
import type { BcdTransfer } from '../../../lib/ports/index.ts';
import type { BlockingStateType } from '../../../lib/records/index.ts';
import { historySize } from '../long-run.ts';
import { type Shelf, shelves } from './subscription-shelf.ts';

/** A date that a call names: days from today, with or without a time of day; null = none. */
export type AskedDay = { readonly days: number; readonly second: number | null } | null;

/** Subscriptions are named by their place in the order of their creation, modulo their number. */
interface OfSubscription {
  readonly subject: number;
}

/** What is asked of the rules for one subscription, which may refuse it. */
export type SubscriptionCall =
  | (OfSubscription & {
      readonly do: 'CHANGE';
      readonly plan: number;
      readonly when: AskedDay;
      readonly policy: 'IMMEDIATE' | 'END_OF_TERM' | 'START_OF_TERM' | null;
      readonly phaseType: 'TRIAL' | 'DISCOUNT' | 'EVERGREEN' | null;
      readonly billCycleDay: number | null;
      readonly quantity: number | null;
    })
  | (OfSubscription & {
      readonly do: 'CANCEL';
      readonly when: AskedDay;
      readonly service: 'IMMEDIATE' | 'END_OF_TERM' | null;
      readonly policy: 'IMMEDIATE' | 'END_OF_TERM' | 'START_OF_TERM' | null;
      readonly isForBilling: boolean;
    })
  | (OfSubscription & { readonly do: 'UNCANCEL' })
  | (OfSubscription & { readonly do: 'UNDO' })
  | (OfSubscription & {
      readonly do: 'BILL_CYCLE_DAY';
      readonly day: number;
      readonly from: AskedDay;
      readonly isForced: boolean;
    })
  | (OfSubscription & {
      readonly do: 'QUANTITY';
      readonly quantity: number;
      readonly from: AskedDay;
      readonly isForced: boolean;
    });

/** Another subscription in the bundle of the last one. */
export interface AddOnCall {
  readonly do: 'ADD_ON';
  readonly plan: number;
  readonly service: AskedDay;
  readonly billing: AskedDay;
  readonly billCycleDay: number | null;
  readonly quantity: number | null;
}

/** The bundle of the last subscription goes to the other account. */
export interface TransferCall {
  readonly do: 'TRANSFER';
  readonly when: AskedDay;
  readonly policy: 'IMMEDIATE' | 'END_OF_TERM';
  readonly bcd: BcdTransfer;
}

export type LifeCall = SubscriptionCall | AddOnCall | TransferCall;

/** What is done to the account of a subscription, or to the subscription's invoices. */
export type AccountStep =
  /** Moves the account's day; 0 takes it back. */
  | (OfSubscription & { readonly do: 'ACCOUNT_DAY'; readonly day: number })
  /** Adjusts the n-th charge by a share in percent of what is left of it. */
  | (OfSubscription & { readonly do: 'ADJUST'; readonly index: number; readonly percent: number })
  /** Voids the n-th invoice that stands. */
  | (OfSubscription & { readonly do: 'VOID'; readonly index: number })
  /** A run that is asked for, that many days ahead of today. */
  | (OfSubscription & { readonly do: 'RUN'; readonly daysAhead: number });

/** A service says from a day on whether billing of a subscription, of its bundle or its account is blocked. */
export interface BlockStep extends OfSubscription {
  readonly do: 'BLOCK';
  readonly on: BlockingStateType;
  readonly service: string;
  readonly name: string;
  readonly isBlocked: boolean;
  readonly from: AskedDay;
}

export type LifeStep =
  | LifeCall
  | AccountStep
  | BlockStep
  /** Whether the queue runs invoices by itself from here on. */
  | { readonly do: 'AUTOMATIC'; readonly isOn: boolean }
  | { readonly do: 'PASS'; readonly days: number; readonly seconds: number };

export interface LifeScript {
  readonly shelf: Shelf;
  readonly zone: string;
  /** Of the account that bundles are transferred to. */
  readonly otherZone: string;
  /** Seconds after 2024-01-01T00:00:00Z. */
  readonly referenceSecond: number;
  readonly accountDay: number;
  readonly otherDay: number;
  readonly isGreedy: boolean;
  readonly fixedDays: number;
  readonly alignsPriceChanges: boolean;
  readonly plan: number;
  readonly billing: AskedDay;
  readonly billCycleDay: number | null;
  readonly quantity: number | null;
  readonly steps: readonly LifeStep[];
}

const monthDays = fc.integer({ min: 1, max: 31 });
const quantities = fc.integer({ min: 1, max: 9 });
const daySeconds = fc.integer({ min: 0, max: 86_399 });

function askedWithin(days: number): fc.Arbitrary<AskedDay> {
  return fc.option(
    fc.record({ days: fc.integer({ min: -days, max: days }), second: fc.option(daySeconds, { freq: 2 }) }),
    { freq: 2 },
  );
}

const policies = fc.option(fc.constantFrom('IMMEDIATE', 'END_OF_TERM', 'START_OF_TERM'), { freq: 3 });

/** The base as often as all others. */
const subject = fc.oneof(fc.constant(0), fc.nat(11));

function ofSubscription<Name extends LifeStep['do'], T>(
  name: Name,
  fields: { [K in keyof T]: fc.Arbitrary<T[K]> },
): fc.Arbitrary<T & { readonly do: Name; readonly subject: number }> {
  return fc.tuple(subject, fc.record(fields)).map(([place, rest]) => ({ ...rest, do: name, subject: place }));
}

/** A policy and a date exclude each other on a change. */
const changes = ofSubscription('CHANGE', {
  plan: fc.nat(11),
  when: askedWithin(60),
  policy: policies,
  phaseType: fc.option(fc.constantFrom('TRIAL', 'DISCOUNT', 'EVERGREEN'), { freq: 1 }),
  billCycleDay: fc.option(monthDays, { freq: 1 }),
  quantity: fc.option(quantities, { freq: 1 }),
}).map((change) => (change.when === null ? change : { ...change, policy: null }));

const cancellations = ofSubscription('CANCEL', {
  when: askedWithin(50),
  service: fc.option(fc.constantFrom('IMMEDIATE', 'END_OF_TERM')),
  policy: policies,
  isForBilling: fc.boolean(),
});

/** Many within two days of today, so that some last less than a day. */
const blocks = ofSubscription('BLOCK', {
  on: fc.constantFrom<BlockingStateType>('ACCOUNT', 'SUBSCRIPTION_BUNDLE', 'SUBSCRIPTION'),
  service: fc.constantFrom('A', 'B'),
  name: fc.constantFrom('x', 'y'),
  isBlocked: fc.boolean(),
  from: fc.oneof(askedWithin(2), askedWithin(60)),
});

/** Most begin service and billing on one day, which lies before today as often as after it. */
const addOns = fc
  .record({
    do: fc.constant('ADD_ON' as const),
    plan: fc.nat(5),
    service: askedWithin(50),
    billing: fc.option(askedWithin(50), { freq: 1, nil: 'SERVICE' as const }),
    billCycleDay: fc.option(monthDays, { freq: 1 }),
    quantity: fc.option(quantities, { freq: 1 }),
  })
  .map((step) => ({ ...step, billing: step.billing === 'SERVICE' ? step.service : step.billing }));

const transfers = fc.record({
  do: fc.constant('TRANSFER' as const),
  when: fc.option(fc.record({ days: fc.integer({ min: -40, max: 60 }), second: fc.constant(null) })),
  policy: fc.constantFrom('IMMEDIATE' as const, 'END_OF_TERM' as const),
  bcd: fc.constantFrom<BcdTransfer>('USE_EXISTING', 'ALIGN_WITH_EFF_DT', 'NONE'),
});

const steps: fc.Arbitrary<LifeStep> = fc.oneof(
  { weight: 5, arbitrary: changes },
  { weight: 2, arbitrary: cancellations },
  { weight: 2, arbitrary: ofSubscription('UNCANCEL', {}) },
  { weight: 2, arbitrary: ofSubscription('UNDO', {}) },
  {
    weight: 4,
    arbitrary: ofSubscription('BILL_CYCLE_DAY', {
      day: monthDays,
      from: askedWithin(60),
      isForced: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: ofSubscription('QUANTITY', {
      quantity: quantities,
      from: askedWithin(60),
      isForced: fc.boolean(),
    }),
  },
  { weight: 7, arbitrary: blocks },
  { weight: 5, arbitrary: addOns },
  { weight: 1, arbitrary: transfers },
  { weight: 1, arbitrary: ofSubscription('ACCOUNT_DAY', { day: fc.integer({ min: 0, max: 31 }) }) },
  {
    weight: 2,
    arbitrary: ofSubscription('ADJUST', { index: fc.nat(20), percent: fc.integer({ min: 1, max: 100 }) }),
  },
  { weight: 2, arbitrary: ofSubscription('VOID', { index: fc.nat(20) }) },
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
 * A step; or a cancellation or change that is soon taken back, or a change of the base that an add-on is dated around, which
 * steps of their own seldom are.
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

/**
 * Random lives of a base with its add-ons, from its creation to some two years later, on one account and, where it is
 * transferred, on another one, by the calls that there are.
 */
export const lifeScripts: fc.Arbitrary<LifeScript> = fc.record({
  shelf: shelves,
  zone: zones,
  otherZone: zones,
  referenceSecond: fc.integer({ min: 0, max: 30 * 86_400 }),
  accountDay: fc.oneof(fc.constant(0), monthDays),
  otherDay: fc.oneof(fc.constant(0), monthDays),
  isGreedy: fc.boolean(),
  fixedDays: fc.constantFrom(0, 0, 30),
  alignsPriceChanges: fc.boolean(),
  plan: fc.nat(3),
  billing: askedWithin(70),
  billCycleDay: fc.option(monthDays, { freq: 1 }),
  quantity: fc.option(quantities, { freq: 1 }),
  steps: fc.array(turns, { minLength: 2, maxLength: 20, size: historySize }).map((all) => all.flat()),
});
