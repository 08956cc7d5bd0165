import type { Amount, AnyVersionDefinition, CatalogDefinition } from '../../../lib/index.ts';
import { catalogXml, lists, plan, product } from './catalog-document.ts';

/** A version that sells one plan of product `Heat`, with one EVERGREEN phase, monthly in USD unless said. */
export interface PricedVersion {
  readonly effectiveDate: string;
  readonly price: string;
  /** `effectiveDateForExistingSubscriptions` of the plan. */
  readonly forExisting?: string;
  readonly planName?: string;
  readonly period?: string;
  readonly initialPhases?: string;
  /** Plan of another name only: the one above is retired in this version. */
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
