import type { Amount, AnyVersionDefinition, CatalogDefinition } from '../../../lib/index.ts';

type Plans = AnyVersionDefinition['plans'];

/** A plan that recurs monthly in USD, of product `Boat`, with what is said of it besides. */
export function boatPlan(name: string, price: Amount, changes: Partial<Plans[string]> = {}): Plans {
  const finalPhase = {
    type: 'EVERGREEN',
    recurring: { billingPeriod: 'MONTHLY', price: { USD: price } },
  } as const;
  return { [name]: { product: 'Boat', finalPhase, ...changes } };
}

/** What a harbour sells: a catalog as a plugin gives it. */
export function harbour(
  plans: Plans = boatPlan('boat-monthly', '30.00'),
  changes: Partial<AnyVersionDefinition> = {},
): CatalogDefinition {
  return {
    name: 'Harbour',
    versions: [
      {
        effectiveDate: '2010-01-01',
        recurringBillingMode: 'IN_ADVANCE',
        currencies: ['USD'],
        products: { Boat: { category: 'BASE' } },
        plans,
        ...changes,
      },
    ],
  };
}
