import { defineCatalog } from '../../adapters/node/billwright.ts';

export const CURRENCY = 'EUR';

const trial = { type: 'TRIAL', duration: { unit: 'DAYS', number: 14 }, fixed: 0 } as const;

/** 1,000 messages a month are included; each further one costs a cent. */
const messages = {
  prettyName: 'Messages',
  billingMode: 'IN_ARREAR',
  usageType: 'CONSUMABLE',
  billingPeriod: 'MONTHLY',
  tiers: [
    { blocks: [{ unit: 'message', size: 1, prices: { EUR: '0' }, max: 1000 }] },
    { blocks: [{ unit: 'message', size: 1, prices: { EUR: '0.01' } }] },
  ],
} as const;

/** Prices are per seat: the quantity of a subscription multiplies them. */
export const catalog = defineCatalog({
  name: 'Herald',
  effectiveDate: '2024-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: [CURRENCY],
  units: { message: {} },
  products: { Team: { category: 'BASE' }, Business: { category: 'BASE' } },
  plans: {
    'team-monthly': {
      product: 'Team',
      prettyName: 'Team, monthly',
      initialPhases: [trial],
      finalPhase: {
        type: 'EVERGREEN',
        recurring: { billingPeriod: 'MONTHLY', price: { EUR: '8' } },
        usages: { 'team-messages': messages },
      },
    },
    'business-monthly': {
      product: 'Business',
      prettyName: 'Business, monthly',
      initialPhases: [trial],
      finalPhase: {
        type: 'EVERGREEN',
        recurring: { billingPeriod: 'MONTHLY', price: { EUR: '15' } },
        usages: { 'business-messages': messages },
      },
    },
  },
  priceLists: { DEFAULT: ['team-monthly', 'business-monthly'] },
  rules: {
    changePolicy: [
      { phaseType: 'TRIAL', policy: 'IMMEDIATE' },
      { fromProduct: 'Business', toProduct: 'Team', policy: 'END_OF_TERM' },
      { policy: 'IMMEDIATE' },
    ],
    cancelPolicy: [{ phaseType: 'TRIAL', policy: 'IMMEDIATE' }, { policy: 'END_OF_TERM' }],
  },
});

/** The plans that customers can choose, by name. */
export const OFFERS: Readonly<Record<string, string>> = {
  'team-monthly': 'Team: 8 EUR a seat',
  'business-monthly': 'Business: 15 EUR a seat',
};
