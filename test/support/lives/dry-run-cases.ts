import fc from 'fast-check';
import type { Generated } from '../for-all.ts';

const PLANS = [
  'solo-monthly',
  'pro-monthly',
  'pro-annual',
  'elite-monthly',
  'club-monthly',
  'solo-now',
  'team-now',
  'term-3m',
] as const;
const ADD_ONS = ['backup-monthly', 'archive-monthly', 'support-monthly', 'support-6m'] as const;
const POLICIES = ['IMMEDIATE', 'END_OF_TERM', 'START_OF_TERM'] as const;

const planName = fc.constantFrom(...PLANS);
const addOnName = fc.constantFrom(...ADD_ONS);
const monthDays = fc.integer({ min: 1, max: 31 });
const quantities = fc.integer({ min: 1, max: 4 });
const when = fc.oneof(
  fc.constant({ kind: 'RULE' as const }),
  fc.record({ kind: fc.constant('POLICY' as const), policy: fc.constantFrom(...POLICIES) }),
  fc.record({ kind: fc.constant('DATE' as const), days: fc.integer({ min: -25, max: 45 }) }),
);

const NO_TAGS = { first: '', now: '' };

/** An account with a history, and the dry run to try on it. */
export const dryRunCases = fc.record({
  billCycleDay: fc.integer({ min: 0, max: 31 }),
  /** The payer of its invoices. */
  payer: fc.constantFrom('CARD', 'CARD', 'NOBODY', 'PARENT'),
  /** Its control tags on the first day and on the day of the dry run. */
  drafting: fc.constantFrom(
    ...[NO_TAGS, NO_TAGS, NO_TAGS, NO_TAGS],
    { first: 'DRAFT', now: 'DRAFT' },
    { first: 'DRAFT', now: 'REUSE' },
    { first: 'DRAFT', now: 'DRAFT REUSE' },
    { first: 'DRAFT REUSE', now: 'DRAFT REUSE' },
    { first: 'REUSE', now: 'REUSE' },
    { first: '', now: 'DRAFT REUSE' },
  ),
  /** Plans, each with the days from the start to its subscription. */
  subscribed: fc.array(fc.record({ planName, day: fc.nat(50) }), { minLength: 1, maxLength: 3 }),
  /** Bill cycle day and quantity of the last subscription. */
  own: fc.record({ billCycleDay: fc.option(monthDays, { freq: 1 }), quantity: fc.option(quantities) }),
  /** Add-ons of the last subscription that its product offers, each with the days after it. */
  addOns: fc.array(fc.record({ planName: addOnName, days: fc.nat(20) }), { maxLength: 2 }),
  /** Days from the last subscription to the dry run. */
  later: fc.integer({ min: 0, max: 75 }),
  /** Past or future changes, in days from the dry run. */
  dayChange: fc.option(fc.record({ day: monthDays, from: fc.integer({ min: -20, max: 40 }) }), { freq: 1 }),
  quantityChange: fc.option(fc.record({ quantity: quantities, from: fc.integer({ min: -20, max: 40 }) }), {
    freq: 1,
  }),
  block: fc.option(
    fc.record({
      on: fc.constantFrom('ACCOUNT', 'SUBSCRIPTION_BUNDLE', 'SUBSCRIPTION'),
      from: fc.integer({ min: -20, max: 40 }),
      days: fc.option(fc.nat(30)),
    }),
    { freq: 1 },
  ),
  credit: fc.option(fc.integer({ min: 1, max: 60_000 }), { freq: 1 }),
  /** An external charge on a DRAFT, which later runs may reuse. */
  draftCharge: fc.option(fc.integer({ min: 1, max: 9_000 }), { freq: 1 }),
  action: fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom('UPCOMING', 'TARGET_DATE') },
    { weight: 1, arbitrary: fc.constant('START_BILLING' as const) },
    { weight: 2, arbitrary: fc.constant('CHANGE' as const) },
    { weight: 2, arbitrary: fc.constant('STOP_BILLING' as const) },
  ),
  /** The subscriptions whose dates an upcoming invoice covers. */
  watched: fc.constantFrom('ALL', 'BUNDLE', 'SUBSCRIPTION'),
  /** The add-on that START_BILLING adds to the last bundle; null = a base in its own bundle. */
  addOn: fc.option(addOnName, { freq: 1 }),
  /** Whether the action changes or stops an add-on, and the new plan. */
  isOfAddOn: fc.boolean(),
  toAddOn: addOnName,
  planName,
  when,
  price: fc.option(fc.integer({ min: 1, max: 99 })),
  /** Days from the dry run to its target date; null for an action without one. */
  target: fc.option(fc.nat(70), { freq: 3 }),
});
export type DryRunCase = Generated<typeof dryRunCases>;
