import fc from 'fast-check';
import type { Generated } from '../for-all.ts';

const planNames = [
  'solo-monthly',
  'pro-monthly',
  'pro-annual',
  'elite-monthly',
  'club-monthly',
  'solo-now',
  'team-now',
  'term-3m',
] as const;
const addOnNames = ['backup-monthly', 'archive-monthly', 'support-monthly', 'support-6m'] as const;

const planName = fc.constantFrom(...planNames);
const addOnName = fc.constantFrom(...addOnNames);
const policy = fc.constantFrom('IMMEDIATE', 'END_OF_TERM', 'START_OF_TERM');
const quantity = fc.integer({ min: 1, max: 4 });
/** Days from the day of the change; null = now. */
const days = fc.option(fc.integer({ min: -25, max: 45 }), { freq: 1 });
/** The subscription or bundle to change, by place. */
const of = fc.nat(3);
const terms = {
  quantity: fc.option(quantity, { freq: 1 }),
  price: fc.option(fc.integer({ min: 1, max: 99 }), { freq: 1 }),
};

const change = fc.oneof(
  fc.record({ change: fc.constant('CREATE' as const), planName, days, ...terms }),
  fc.record({ change: fc.constant('CREATE' as const), planName: addOnName, of, days, ...terms }),
  fc.record({
    change: fc.constant('CHANGE_PLAN' as const),
    of,
    planName: fc.oneof({ weight: 3, arbitrary: planName }, { weight: 1, arbitrary: addOnName }),
    days,
    policy: fc.option(policy),
    ...terms,
  }),
  fc.record({ change: fc.constant('CHANGE_QUANTITY' as const), of, quantity, days }),
  fc.record({
    change: fc.constant('CHANGE_BILL_CYCLE_DAY' as const),
    of,
    day: fc.integer({ min: 1, max: 31 }),
    days,
  }),
  fc.record({
    change: fc.constantFrom('UNCANCEL' as const, 'UNDO_CHANGE_PLAN' as const),
    of,
    days: fc.constant(null),
  }),
  fc.record({
    change: fc.constant('CANCEL' as const),
    of,
    days,
    policy: fc.option(policy),
    entitlementPolicy: fc.option(fc.constantFrom('IMMEDIATE', 'END_OF_TERM'), { freq: 1 }),
    isBillingRequested: fc.boolean(),
  }),
  fc.record({ change: fc.constantFrom('PAUSE' as const, 'RESUME' as const), of, days }),
);
export type LifeChange = Generated<typeof change>;

export const previewLives = fc.record({
  /** 0 = none yet. */
  billCycleDay: fc.integer({ min: 0, max: 31 }),
  timeZone: fc.constantFrom('UTC', 'UTC', 'Pacific/Auckland', 'America/Los_Angeles'),
  payer: fc.constantFrom('CARD', 'CARD', 'NOBODY', 'PARENT'),
  /** A control tag of the account. */
  tag: fc.constantFrom(null, null, null, null, 'AUTO_INVOICING_DRAFT', 'AUTO_INVOICING_REUSE_DRAFT'),
  /** Account credit in cents before the first change. */
  credit: fc.option(fc.integer({ min: 1, max: 60_000 }), { freq: 1 }),
  /** The plan of the first subscription. */
  planName,
  /** The changes after it. */
  changes: fc.array(
    fc.record({
      /** Days since the change before. */
      later: fc.nat(40),
      change,
      /** Whether invoicing is off during the change. */
      isOff: fc.nat(9).map((number) => number === 5),
      /** Whether nothing else happens until the next invoice. */
      awaitsNext: fc.boolean(),
    }),
    { minLength: 2, maxLength: 6 },
  ),
});
export type PreviewLife = Generated<typeof previewLives>;
