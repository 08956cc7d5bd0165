import fc from 'fast-check';
import type { BlockingStateType } from '../../lib/subscriptions/model.ts';
import { type Shelf, shelves } from './subscription-shelf.ts';

/** A date that a call names: days from today, with or without a time of day; null = none. */
export type AskedDay = { readonly days: number; readonly second: number | null } | null;

export type LifeStep =
  | {
      readonly do: 'CHANGE';
      readonly plan: number;
      readonly when: AskedDay;
      readonly policy: 'IMMEDIATE' | 'END_OF_TERM' | 'START_OF_TERM' | null;
      readonly phaseType: 'TRIAL' | 'DISCOUNT' | 'EVERGREEN' | null;
      readonly billCycleDay: number | null;
      readonly quantity: number | null;
    }
  | {
      readonly do: 'CANCEL';
      readonly when: AskedDay;
      readonly service: 'IMMEDIATE' | 'END_OF_TERM' | null;
      readonly policy: 'IMMEDIATE' | 'END_OF_TERM' | 'START_OF_TERM' | null;
      readonly isForBilling: boolean;
    }
  | { readonly do: 'UNCANCEL' }
  | { readonly do: 'UNDO' }
  | {
      readonly do: 'BILL_CYCLE_DAY';
      readonly day: number;
      readonly from: AskedDay;
      readonly isForced: boolean;
    }
  | {
      readonly do: 'QUANTITY';
      readonly quantity: number;
      readonly from: AskedDay;
      readonly isForced: boolean;
    }
  /** A service says from a day on whether billing of an object is blocked. */
  | {
      readonly do: 'BLOCK';
      readonly on: BlockingStateType;
      readonly service: string;
      readonly name: string;
      readonly isBlocked: boolean;
      readonly from: AskedDay;
    }
  /** 0 takes the account's day back. */
  | { readonly do: 'ACCOUNT_DAY'; readonly day: number }
  | { readonly do: 'ADJUST'; readonly index: number; readonly percent: number }
  /** Voids the n-th invoice that stands. */
  | { readonly do: 'VOID'; readonly index: number }
  /** Whether the queue runs invoices by itself from here on. */
  | { readonly do: 'AUTOMATIC'; readonly isOn: boolean }
  | { readonly do: 'PASS'; readonly days: number; readonly seconds: number }
  /** A run that is asked for, that many days ahead of today. */
  | { readonly do: 'RUN'; readonly daysAhead: number };

export interface LifeScript {
  readonly shelf: Shelf;
  readonly zone: string;
  /** Seconds after 2024-01-01T00:00:00Z. */
  readonly referenceSecond: number;
  readonly accountDay: number;
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
    fc.record({
      days: fc.integer({ min: -days, max: days }),
      second: fc.option(daySeconds, { freq: 2 }),
    }),
    { freq: 2 },
  );
}

const policies = fc.option(fc.constantFrom('IMMEDIATE', 'END_OF_TERM', 'START_OF_TERM'), { freq: 3 });

/** A policy and a date exclude each other on a change. */
const changes = fc
  .record({
    do: fc.constant('CHANGE' as const),
    plan: fc.nat(3),
    when: askedWithin(60),
    policy: policies,
    phaseType: fc.option(fc.constantFrom('TRIAL', 'DISCOUNT', 'EVERGREEN'), { freq: 1 }),
    billCycleDay: fc.option(monthDays, { freq: 1 }),
    quantity: fc.option(quantities, { freq: 1 }),
  })
  .map((change) => (change.when === null ? change : { ...change, policy: null }));

const cancellations = fc.record({
  do: fc.constant('CANCEL' as const),
  when: askedWithin(50),
  service: fc.option(fc.constantFrom('IMMEDIATE', 'END_OF_TERM')),
  policy: policies,
  isForBilling: fc.boolean(),
});

/** Many within two days of today, so that some last less than a day. */
const blocks = fc.record({
  do: fc.constant('BLOCK' as const),
  on: fc.constantFrom<BlockingStateType>('ACCOUNT', 'SUBSCRIPTION_BUNDLE', 'SUBSCRIPTION'),
  service: fc.constantFrom('A', 'B'),
  name: fc.constantFrom('x', 'y'),
  isBlocked: fc.boolean(),
  from: fc.oneof(askedWithin(2), askedWithin(60)),
});

const steps: fc.Arbitrary<LifeStep> = fc.oneof(
  { weight: 5, arbitrary: changes },
  { weight: 2, arbitrary: cancellations },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('UNCANCEL' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('UNDO' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('BILL_CYCLE_DAY' as const),
      day: monthDays,
      from: askedWithin(60),
      isForced: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('QUANTITY' as const),
      quantity: quantities,
      from: askedWithin(60),
      isForced: fc.boolean(),
    }),
  },
  { weight: 7, arbitrary: blocks },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('ACCOUNT_DAY' as const), day: fc.integer({ min: 0, max: 31 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('ADJUST' as const),
      index: fc.nat(20),
      percent: fc.integer({ min: 1, max: 100 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('VOID' as const), index: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('AUTOMATIC' as const), isOn: fc.boolean() }) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('PASS' as const),
      days: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 35 }), fc.integer({ min: 0, max: 150 })),
      seconds: daySeconds,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('RUN' as const), daysAhead: fc.integer({ min: 0, max: 100 }) }),
  },
);

const pauses = fc.record({
  do: fc.constant('PASS' as const),
  days: fc.integer({ min: 0, max: 20 }),
  seconds: daySeconds,
});

/** A step; or a cancellation or change that is soon taken back, which steps of their own seldom are. */
const turns: fc.Arbitrary<readonly LifeStep[]> = fc.oneof(
  { weight: 12, arbitrary: steps.map((step) => [step]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(cancellations, pauses)
      .map(([cancel, pass]): readonly LifeStep[] => [cancel, pass, { do: 'UNCANCEL' }]),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(changes, pauses)
      .map(([change, pass]): readonly LifeStep[] => [change, pass, { do: 'UNDO' }]),
  },
);

/** Random lives of a subscription, from its creation to some two years later, by the calls that there are. */
export const lifeScripts: fc.Arbitrary<LifeScript> = fc.record({
  shelf: shelves,
  zone: fc.constantFrom('UTC', 'UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Auckland'),
  referenceSecond: fc.integer({ min: 0, max: 30 * 86_400 }),
  accountDay: fc.oneof(fc.constant(0), monthDays),
  isGreedy: fc.boolean(),
  fixedDays: fc.constantFrom(0, 0, 30),
  alignsPriceChanges: fc.boolean(),
  plan: fc.nat(3),
  billing: askedWithin(70),
  billCycleDay: fc.option(monthDays, { freq: 1 }),
  quantity: fc.option(quantities, { freq: 1 }),
  steps: fc.array(turns, { minLength: 2, maxLength: 20 }).map((all) => all.flat()),
});
