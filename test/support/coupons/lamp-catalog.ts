import { defineCatalog } from '../../../lib/index.ts';

const monthly = (price: `${number}`) =>
  ({ type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price: { USD: price } } }) as const;

/** A catalog with monthly plans of USD 30 and 62, and plans with a trial, a setup fee and a year. */
export const lampCatalog = defineCatalog({
  name: 'Lamps',
  effectiveDate: '2025-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['USD'],
  products: { Lamp: { category: 'BASE' }, Sun: { category: 'BASE' } },
  plans: {
    lamp: { product: 'Lamp', finalPhase: monthly('30') },
    sun: { product: 'Sun', finalPhase: monthly('62') },
    'lamp-trial': {
      product: 'Lamp',
      initialPhases: [{ type: 'TRIAL', duration: { unit: 'DAYS', number: 14 }, fixed: 0 }],
      finalPhase: monthly('30'),
    },
    'lamp-setup': { product: 'Lamp', finalPhase: { ...monthly('30'), fixed: { USD: '100' } } },
    'lamp-annual': {
      product: 'Lamp',
      finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'ANNUAL', price: { USD: '300' } } },
    },
  },
  priceLists: { DEFAULT: ['lamp', 'sun', 'lamp-trial', 'lamp-setup', 'lamp-annual'] },
  rules: { changePolicy: [{ policy: 'IMMEDIATE' }], cancelPolicy: [{ policy: 'END_OF_TERM' }] },
});
