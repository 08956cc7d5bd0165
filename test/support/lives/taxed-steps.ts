import fc from 'fast-check';
import { defineCatalog } from '../../../adapters/node/billwright.ts';
import type { Buyer } from '../../../examples/tax-plugin.ts';
import { isLongRun } from '../long-run.ts';

type Prices = Readonly<Record<TaxedCurrency, `${number}`>>;

/** Currencies with two, no and three decimals. */
export type TaxedCurrency = 'EUR' | 'JPY' | 'KWD';

const monthly = (price: Prices) => ({ billingPeriod: 'MONTHLY', price }) as const;
const plan = <P extends string>(product: P, price: Prices) => ({
  product,
  finalPhase: { type: 'EVERGREEN', recurring: monthly(price) } as const,
});

/** Desks with a standard rate, books with a lower one, a desk that is cheaper at first, and calls in two tiers. */
export const taxedCatalog = defineCatalog({
  name: 'Taxed',
  effectiveDate: '2024-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['EUR', 'JPY', 'KWD'],
  units: { calls: {} },
  products: { Desk: { category: 'BASE' }, Book: { category: 'BASE' } },
  plans: {
    chair: plan('Desk', { EUR: '0.13', JPY: '13', KWD: '0.013' }),
    desk: plan('Desk', { EUR: '99.97', JPY: '9997', KWD: '99.997' }),
    leaflet: plan('Book', { EUR: '0.07', JPY: '7', KWD: '0.007' }),
    book: plan('Book', { EUR: '49.99', JPY: '4999', KWD: '49.999' }),
    welcome: {
      product: 'Desk',
      initialPhases: [
        {
          type: 'DISCOUNT',
          duration: { unit: 'MONTHS', number: 1 },
          fixed: { EUR: '3.33', JPY: '333', KWD: '3.333' },
          recurring: monthly({ EUR: '11.11', JPY: '1111', KWD: '11.111' }),
        },
      ],
      finalPhase: {
        type: 'EVERGREEN',
        recurring: monthly({ EUR: '99.97', JPY: '9997', KWD: '99.997' }),
      },
    },
    meter: {
      product: 'Desk',
      finalPhase: {
        type: 'EVERGREEN',
        recurring: monthly({ EUR: '9.99', JPY: '999', KWD: '9.999' }),
        usages: {
          'meter-calls': {
            billingMode: 'IN_ARREAR',
            usageType: 'CONSUMABLE',
            billingPeriod: 'MONTHLY',
            tiers: [
              {
                blocks: [
                  { unit: 'calls', size: '1', max: '10', prices: { EUR: '0.37', JPY: '37', KWD: '0.037' } },
                ],
              },
              { blocks: [{ unit: 'calls', size: '10', prices: { EUR: '1.11', JPY: '111', KWD: '1.111' } }] },
            ],
          },
        },
      },
    },
  },
  priceLists: { DEFAULT: ['chair', 'desk', 'leaflet', 'book', 'welcome', 'meter'] },
  rules: { changePolicy: [{ policy: 'IMMEDIATE' }], cancelPolicy: [{ policy: 'IMMEDIATE' }] },
});

/** Usage terms: three free calls, and 7 % off the rest. */
export const taxedTerms = { 'meter-calls': { freeQuantity: { calls: 3 }, percentOff: '7' } };

const planName = fc.constantFrom('chair', 'desk', 'leaflet', 'book', 'welcome', 'meter', 'meter');
const pick = fc.nat(99);
const percent = fc.constantFrom(1, 10, 33, 50, 100);

const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('start' as const),
      planName,
      quantity: fc.constantFrom(1, 3),
      pick,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const), planName, pick }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('quantity' as const),
      quantity: fc.integer({ min: 1, max: 4 }),
      pick,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('use' as const),
      calls: fc.integer({ min: 1, max: 40 }),
      daysAgo: fc.constantFrom(0, 0, 0, 5, 20),
      pick,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('charge' as const),
      units: fc.integer({ min: 1, max: 2_000 }),
      pick,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('credit' as const),
      units: fc.integer({ min: 1, max: 2_000 }),
      pick,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('adjust' as const), pick, percent }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refund' as const), pick, percent }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('void' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('write-off' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drafts' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('commit' as const), pick }) },
);
export type TaxedStep = typeof step extends fc.Arbitrary<infer S> ? S : never;
export type TaxedStepOf<K extends TaxedStep['kind']> = Extract<TaxedStep, { kind: K }>;

const buyer: fc.Arbitrary<Buyer> = fc.constantFrom<Buyer>(
  { country: 'DE' },
  { country: 'FR' },
  { country: 'FR', taxId: 'FR83404833048' },
  { country: 'US' },
);

/** Buyers, payers, and the steps of a history, each with the days before it. */
export const taxedScript = fc.record({
  buyer,
  currency: fc.constantFrom<TaxedCurrency>('EUR', 'EUR', 'JPY', 'KWD'),
  /** The invoices are paid by the account, by its parent or not at all. */
  payer: fc.constantFrom('itself', 'itself', 'parent', 'nobody'),
  /** The plan of the first day. */
  firstPlan: fc.constantFrom('meter', 'meter', 'desk'),
  steps: fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), step), {
    minLength: 8,
    maxLength: isLongRun ? 40 : 16,
  }),
});
export type TaxedScript = typeof taxedScript extends fc.Arbitrary<infer S> ? S : never;
