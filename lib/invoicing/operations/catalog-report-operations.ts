import type { CatalogUpload } from '../../catalog/index.ts';
import type { Leading } from '../../records/index.ts';
import type { Problem } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency } from '../../values/money/index.ts';
import type { PriceDifference } from '../evaluation/price-differences.ts';

/**
 * A part of the report: first what would be refused, then each price that changes and each account that could not be
 * billed any more, at the end how many there were.
 */
export type ChangeReportPart =
  | { readonly kind: 'SUMMARY'; readonly errors: readonly Problem[]; readonly warnings: readonly Problem[] }
  | { readonly kind: 'PRICE_CHANGE'; readonly change: PriceChange }
  | { readonly kind: 'UNBILLABLE'; readonly accountId: Uuid; readonly message: string }
  | ({ readonly kind: 'TOTAL' } & ChangeReportTotals);

export interface ChangeReportTotals {
  /** Live subscriptions that were looked at: those whose bundle is invoiced and whose billing has not ended. */
  readonly subscriptions: number;
  /** Those whose price changes. */
  readonly changedSubscriptions: number;
  readonly unbillableAccounts: number;
}

/** A live subscription that would pay another price. */
export interface PriceChange extends PriceDifference {
  readonly accountId: Uuid;
  readonly currency: Currency | null;
}

/** What changes of the catalog come to. */
export interface CatalogReportOperations<C extends Leading = []> {
  /**
   * Which live subscriptions would change price if this document were uploaded now, from when and by how much, and what
   * would keep it from being stored. The parts are made while they are read, a page of accounts at a time, so that the
   * report takes constant memory however large the tenant is. A document that would be refused changes no prices.
   * Recurring and fixed prices are compared, and what usage costs: each block and tier. A fixed price that is billed
   * already is not listed: it stays as it is.
   * @param document as for `uploadCatalog`.
   * @throws BillingError TOO_LARGE (60012); CATALOG_INVALID_FOR_TENANT (2080) while a catalog plugin serves the tenant.
   */
  changeReport(...given: [...C, document: CatalogUpload]): Promise<AsyncIterable<ChangeReportPart>>;
}
