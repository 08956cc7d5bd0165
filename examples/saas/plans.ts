import { defineCatalog } from '../../adapters/node/billwright.ts';

export const CURRENCY = 'EUR';

/** A trial includes 200 messages and no more. */
const trial = {
  type: 'TRIAL',
  duration: { unit: 'DAYS', number: 14 },
  fixed: 0,
  features: { messages: { amount: '200', per: 'MONTH', overage: 'BLOCK' } },
} as const;

/** 1,000 messages a month are included; `beyond` bills each further one. */
const messages = { amount: '1000', per: 'MONTH', overage: 'BILL' } as const;
const seats = { amount: '1', perQuantity: true } as const;

/** Each message beyond the included ones costs a cent. */
const beyond = {
  prettyName: 'Messages',
  billingMode: 'IN_ARREAR',
  usageType: 'CONSUMABLE',
  billingPeriod: 'MONTHLY',
  tiers: [{ blocks: [{ unit: 'message', size: 1, prices: { EUR: '0.01' } }] }],
} as const;

/** Prices are per seat: the quantity of a subscription multiplies them. */
export const catalog = defineCatalog({
  name: 'Herald',
  effectiveDate: '2024-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: [CURRENCY],
  units: { message: {} },
  features: {
    export: { kind: 'SWITCH' },
    seats: { kind: 'NUMBER' },
    messages: { kind: 'QUOTA', unit: 'message' },
  },
  products: { Team: { category: 'BASE' }, Business: { category: 'BASE' } },
  plans: {
    'team-monthly': {
      product: 'Team',
      prettyName: 'Team, monthly',
      features: { export: false, seats, messages },
      initialPhases: [trial],
      finalPhase: {
        type: 'EVERGREEN',
        recurring: { billingPeriod: 'MONTHLY', price: { EUR: '8' } },
        usages: { 'team-messages': beyond },
      },
    },
    'business-monthly': {
      product: 'Business',
      prettyName: 'Business, monthly',
      features: { export: true, seats, messages },
      initialPhases: [trial],
      finalPhase: {
        type: 'EVERGREEN',
        recurring: { billingPeriod: 'MONTHLY', price: { EUR: '15' } },
        usages: { 'business-messages': beyond },
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

/** 50 % off for three months, once for each customer. */
export const WELCOME = { code: 'WELCOME', percentOff: '50', duration: { periods: 3 } } as const;

/** The plans that customers can choose, by name. */
export const OFFERS: Readonly<Record<string, string>> = {
  'team-monthly': 'Team: 8 EUR a seat',
  'business-monthly': 'Business: 15 EUR a seat',
};
