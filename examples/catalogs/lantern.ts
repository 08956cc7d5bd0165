// A catalog as code. A name that nothing has, a currency that is not declared, a trial that comes last: none of these
// compiles. From 1 July the monthly plan costs more; existing subscriptions pay that from 1 September on.
import { defineCatalog } from '../../adapters/node/billwright.ts';

const currencies = ['USD', 'EUR'] as const;
const trial = { type: 'TRIAL', duration: { unit: 'DAYS', number: 14 }, fixed: 0 } as const;

const products = {
  Light: { category: 'BASE', prettyName: 'Lantern Light', available: ['Oil'] },
  Beacon: { category: 'BASE', prettyName: 'Lantern Beacon', included: ['Oil'] },
  Oil: { category: 'ADD_ON' },
} as const;

const plans = {
  'light-monthly': {
    product: 'Light',
    initialPhases: [trial],
    finalPhase: {
      type: 'EVERGREEN',
      recurring: { billingPeriod: 'MONTHLY', price: { USD: '9.00', EUR: '8.50' } },
    },
  },
  'beacon-annual': {
    product: 'Beacon',
    initialPhases: [trial],
    finalPhase: {
      type: 'EVERGREEN',
      recurring: { billingPeriod: 'ANNUAL', price: { USD: '190.00', EUR: '180.00' } },
    },
  },
  'oil-metered': {
    product: 'Oil',
    recurringBillingMode: 'IN_ARREAR',
    finalPhase: {
      type: 'EVERGREEN',
      usages: {
        'oil-burnt': {
          billingMode: 'IN_ARREAR',
          usageType: 'CONSUMABLE',
          billingPeriod: 'MONTHLY',
          tiers: [
            { blocks: [{ unit: 'litre', size: 1, prices: { USD: '0.40', EUR: '0.38' }, max: 100 }] },
            { blocks: [{ unit: 'litre', size: 1, prices: { USD: '0.25', EUR: '0.24' } }] },
          ],
        },
      },
    },
  },
} as const;

const shared = {
  recurringBillingMode: 'IN_ADVANCE',
  currencies,
  units: { litre: {} },
  products,
  priceLists: { DEFAULT: ['light-monthly', 'beacon-annual', 'oil-metered'] },
  rules: {
    changePolicy: [
      { phaseType: 'TRIAL', policy: 'IMMEDIATE' },
      { fromProduct: 'Beacon', toProduct: 'Light', policy: 'END_OF_TERM' },
      { policy: 'IMMEDIATE' },
    ],
    cancelPolicy: [{ productCategory: 'ADD_ON', policy: 'IMMEDIATE' }, { policy: 'END_OF_TERM' }],
    billingAlignment: [{ billingPeriod: 'ANNUAL', alignment: 'SUBSCRIPTION' }, { alignment: 'ACCOUNT' }],
  },
} as const;

export const lantern = defineCatalog({
  ...shared,
  name: 'Lantern',
  effectiveDate: '2026-01-01',
  plans,
}).withVersion({
  ...shared,
  effectiveDate: '2026-07-01',
  plans: {
    ...plans,
    'light-monthly': {
      ...plans['light-monthly'],
      effectiveDateForExistingSubscriptions: '2026-09-01',
      finalPhase: {
        type: 'EVERGREEN',
        recurring: { billingPeriod: 'MONTHLY', price: { USD: '10.00', EUR: '9.50' } },
      },
    },
  },
});
