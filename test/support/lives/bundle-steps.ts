import fc from 'fast-check';

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

/** Days from the day of the call, at the reference time or at a second of that day; null = none is asked for. */
const asked = fc.option(
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
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('PASS'), days: fc.integer({ min: 0, max: 40 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('ADD'), plan: fc.constantFrom(...addOns), when: asked }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('CHANGE'),
      subject: baseFirst,
      base: fc.constantFrom(...bases),
      addOn: fc.constantFrom(...addOns),
      when: asked,
      policy: policies,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('CANCEL'),
      subject: baseFirst,
      when: asked,
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
      when: asked,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('QUANTITY'),
      subject,
      quantity: fc.integer({ min: 1, max: 3 }),
      when: asked,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('PAUSE', 'RESUME'), bundle: fc.nat({ max: 1 }), when: asked }),
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
      when: asked,
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

/** What happens to a bundle, from the subscription to its base on. */
export const scripts = fc.record({
  base: fc.constantFrom(...bases),
  billCycleDay: fc.constantFrom(0, 1, 15, 31),
  steps: fc.array(steps as fc.Arbitrary<Step>, { minLength: 3, maxLength: 12 }),
});

export interface AskedDay {
  readonly days: number;
  readonly second: number | null;
}

type Policy = 'IMMEDIATE' | 'END_OF_TERM';

/** Something that happens to the subscriptions of a bundle; each is named by its place among all of them. */
export type Step =
  | { readonly do: 'PASS'; readonly days: number }
  | { readonly do: 'ADD'; readonly plan: string; readonly when: AskedDay | null }
  | {
      readonly do: 'CHANGE';
      readonly subject: number;
      readonly base: string;
      readonly addOn: string;
      readonly when: AskedDay | null;
      readonly policy: Policy | 'START_OF_TERM' | null;
    }
  | {
      readonly do: 'CANCEL';
      readonly subject: number;
      readonly when: AskedDay | null;
      readonly service: Policy | null;
      readonly policy: Policy | 'START_OF_TERM' | null;
      readonly isForBilling: boolean;
    }
  | { readonly do: 'UNCANCEL' | 'UNDO'; readonly subject: number }
  | {
      readonly do: 'BILL_CYCLE_DAY';
      readonly subject: number;
      readonly day: number;
      readonly when: AskedDay | null;
    }
  | {
      readonly do: 'QUANTITY';
      readonly subject: number;
      readonly quantity: number;
      readonly when: AskedDay | null;
    }
  | { readonly do: 'PAUSE' | 'RESUME'; readonly bundle: number; readonly when: AskedDay | null }
  /** A service says of an object of the last account whether it is billed and served. */
  | {
      readonly do: 'BLOCK';
      readonly on: 'ACCOUNT' | 'SUBSCRIPTION_BUNDLE' | 'SUBSCRIPTION';
      readonly subject: number;
      readonly service: string;
      readonly name: string;
      readonly isBlockBilling: boolean;
      readonly isBlockEntitlement: boolean;
      readonly when: AskedDay | null;
    }
  | {
      readonly do: 'TRANSFER';
      readonly when: number | null;
      readonly policy: Policy;
      readonly bcd: 'USE_EXISTING' | 'ALIGN_WITH_EFF_DT' | 'NONE';
    };

export interface Script {
  readonly base: string;
  readonly billCycleDay: number;
  readonly steps: readonly Step[];
}
