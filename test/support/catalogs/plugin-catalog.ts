import type { PluginCatalog, PluginCatalogVersion, PluginPlan } from '../../../lib/index.ts';

/** A plan that recurs monthly in USD, of product `Boat`. */
export function boatPlan(name: string, price: string): PluginPlan {
  return {
    name,
    product: 'Boat',
    finalPhase: {
      type: 'EVERGREEN',
      recurring: { billingPeriod: 'MONTHLY', price: [{ currency: 'USD', value: price }] },
    },
  };
}

/** What a harbour sells: a catalog as a plugin gives it. */
export function harbour(
  plans: readonly PluginPlan[] = [boatPlan('boat-monthly', '30.00')],
  changes: Partial<PluginCatalogVersion> = {},
): PluginCatalog {
  return {
    catalogName: 'Harbour',
    versions: [
      {
        effectiveDate: new Date('2010-01-01T00:00:00Z'),
        recurringBillingMode: 'IN_ADVANCE',
        currencies: ['USD'],
        products: [{ name: 'Boat', category: 'BASE' }],
        plans,
        ...changes,
      },
    ],
  };
}
