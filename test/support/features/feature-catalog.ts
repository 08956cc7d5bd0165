import { defineCatalog } from '../../../lib/index.ts';

/** The catalog of the worked examples (features §6). */
export const featureCatalog = defineCatalog({
  name: 'Features',
  effectiveDate: '2020-01-01T00:00:00Z',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['USD'],
  units: { call: {} },
  features: {
    sso: { kind: 'SWITCH' },
    seats: { kind: 'NUMBER' },
    support: { kind: 'TEXT' },
    calls: { kind: 'QUOTA', unit: 'call' },
    daily: { kind: 'QUOTA' },
  },
  products: {
    Pro: { category: 'BASE', available: ['Extra'] },
    Max: { category: 'BASE', available: ['Extra'] },
    Daily: { category: 'STANDALONE' },
    Extra: { category: 'ADD_ON' },
  },
  plans: {
    pro: {
      product: 'Pro',
      features: {
        sso: true,
        seats: { amount: '5', perQuantity: true },
        support: 'email',
        calls: { amount: '1000', per: 'MONTH', overage: 'BLOCK' },
      },
      initialPhases: [
        {
          type: 'TRIAL',
          duration: { unit: 'DAYS', number: 14 },
          fixed: {},
          features: { calls: { amount: '100', per: 'MONTH' } },
        },
      ],
      finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price: { USD: '20.00' } } },
    },
    max: {
      product: 'Max',
      features: {
        sso: true,
        seats: '20',
        support: 'phone',
        calls: { amount: '5000', per: 'MONTH', overage: 'BILL' },
      },
      finalPhase: {
        type: 'EVERGREEN',
        recurring: { billingPeriod: 'MONTHLY', price: { USD: '50.00' } },
        usages: {
          calls: {
            usageType: 'CONSUMABLE',
            billingMode: 'IN_ARREAR',
            billingPeriod: 'MONTHLY',
            tiers: [{ blocks: [{ unit: 'call', size: '1', prices: { USD: '0.01' }, max: '1000000000' }] }],
          },
        },
      },
    },
    extra: {
      product: 'Extra',
      features: { seats: '3', calls: { amount: '500', per: 'MONTH' } },
      finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price: { USD: '5.00' } } },
    },
    daily: {
      product: 'Daily',
      features: { daily: { amount: '10', per: 'DAY' } },
      finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price: { USD: '1.00' } } },
    },
    yearly: {
      product: 'Daily',
      finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'ANNUAL', price: { USD: '10.00' } } },
    },
  },
});
