import { defineCatalog } from '../../../adapters/node/billwright.ts';

const currencies = ['USD'] as const;

type Amount = `${number}`;

function prices(basic: Amount, existingFrom: string | null) {
  const each = (type: 'EVERGREEN', billingPeriod: 'MONTHLY' | 'ANNUAL', USD: Amount) => ({
    type,
    recurring: { billingPeriod, price: { USD } },
  });
  const usages = {
    calls: {
      billingMode: 'IN_ARREAR',
      usageType: 'CONSUMABLE',
      billingPeriod: 'MONTHLY',
      tiers: [{ blocks: [{ unit: 'call', size: 1, prices: { USD: '0.01' } }] }],
    },
  } as const;
  const features = { sso: false, seats: { amount: '3' }, calls: { amount: '1000', per: 'MONTH' } } as const;
  return {
    'basic-monthly': {
      product: 'Basic',
      prettyName: 'Basic, monthly',
      ...(existingFrom !== null && { effectiveDateForExistingSubscriptions: existingFrom }),
      features,
      finalPhase: { ...each('EVERGREEN', 'MONTHLY', basic), usages },
    },
    'basic-annual': {
      product: 'Basic',
      prettyName: 'Basic, yearly',
      features: { ...features, sso: true },
      finalPhase: each('EVERGREEN', 'ANNUAL', '100'),
    },
    'team-monthly': {
      product: 'Team',
      prettyName: 'Team, monthly',
      initialPhases: [{ type: 'TRIAL', duration: { unit: 'DAYS', number: 14 }, fixed: 0 }],
      finalPhase: each('EVERGREEN', 'MONTHLY', '45.00'),
    },
    'backup-monthly': {
      product: 'Backup',
      prettyName: 'Backup, monthly',
      finalPhase: each('EVERGREEN', 'MONTHLY', '4.00'),
    },
  } as const;
}

/** Returns a catalog with this monthly price of the plan Basic. */
function versionFrom(effectiveDate: string, basic: Amount, existingFrom: string | null = null) {
  return {
    name: 'Meadow',
    effectiveDate,
    recurringBillingMode: 'IN_ADVANCE',
    currencies,
    units: { call: { prettyName: 'API call' } },
    features: { sso: { kind: 'SWITCH' }, seats: { kind: 'NUMBER' }, calls: { kind: 'QUOTA', unit: 'call' } },
    products: {
      Basic: { category: 'BASE', available: ['Backup'] },
      Team: { category: 'BASE', available: ['Backup'] },
      Backup: { category: 'ADD_ON' },
    },
    plans: prices(basic, existingFrom),
    priceLists: { DEFAULT: ['basic-monthly', 'basic-annual', 'team-monthly', 'backup-monthly'] },
    rules: { changePolicy: [{ policy: 'IMMEDIATE' }], cancelPolicy: [{ policy: 'END_OF_TERM' }] },
  } as const;
}

/** Two versions. The second one raises the price of Basic for new subscriptions. */
export function shopCatalog() {
  return defineCatalog(versionFrom('2026-08-01', '10.00')).withVersion(versionFrom('2027-02-01', '11.00'));
}

/** A version after those of `shopCatalog`, with this monthly price of Basic, also for existing subscriptions. */
export function laterCatalog(basic: Amount): string {
  return defineCatalog(versionFrom('2027-03-01', basic, '2027-03-01')).toXml();
}
