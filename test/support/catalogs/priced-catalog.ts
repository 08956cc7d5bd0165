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
