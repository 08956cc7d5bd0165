import type { Amount, AnyVersionDefinition, CatalogDefinition } from '../../../lib/index.ts';
import { catalogXml, lists, plan, product } from './catalog-document.ts';

/** A version with one plan of product `Heat`: one EVERGREEN phase, monthly in USD by default. */
export interface PricedVersion {
  readonly effectiveDate: string;
  readonly price: string;
  readonly forExisting?: string;
  readonly planName?: string;
  readonly period?: string;
  readonly initialPhases?: string;
  /** Retires the plan in this version. The catalog then has only another plan. */
  readonly isRetired?: boolean;
}

export function pricedCatalog(version: PricedVersion): string {
  const { effectiveDate, price, forExisting, initialPhases = '', period = 'MONTHLY' } = version;
  const planName = version.isRetired ? 'other-monthly' : (version.planName ?? 'heat-monthly');
  const more =
    forExisting === undefined
      ? ''
      : `<effectiveDateForExistingSubscriptions>${forExisting}</effectiveDateForExistingSubscriptions>`;
  return catalogXml({
    effectiveDate,
    catalogName: 'Priced',
    products: product('Heat'),
    plans: plan(planName, 'Heat', { price, period, initialPhases, more }),
    priceLists: lists({ DEFAULT: [planName] }),
  });
}

type Plans = AnyVersionDefinition['plans'];

/** A plan of product `Boat`, monthly in USD. */
export function boatPlan(name: string, price: Amount, changes: Partial<Plans[string]> = {}): Plans {
  const finalPhase = {
    type: 'EVERGREEN',
    recurring: { billingPeriod: 'MONTHLY', price: { USD: price } },
  } as const;
  return { [name]: { product: 'Boat', finalPhase, ...changes } };
}

/** A catalog as a catalog plugin returns it. */
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
