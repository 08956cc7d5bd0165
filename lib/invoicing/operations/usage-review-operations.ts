import type { Leading } from '../../records/index.ts';
import type { UnbilledUsage } from '../../usage/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate, RequestedDate } from '../../values/time/index.ts';
import type { InvoiceItemView } from '../invoices/invoice-view.ts';

export interface RatedUsageRequest {
  /** Local date in the account's zone; default: the ends of the periods that are running. */
  readonly targetDate?: LocalDate | null | undefined;
}

export interface UnbilledUsageRequest {
  readonly startDate: RequestedDate | string;
  /** Exclusive; not before `startDate`. */
  readonly endDate: RequestedDate | string;
}

/** What usage costs, and what of it is on no invoice. Nothing is stored, and no lock is taken. */
export interface UsageReviewOperations<C extends Leading = []> {
  /**
   * The USAGE items of the subscription that the invoice of a dry run at the target date has, to the cent. Without a target
   * date it is what the running periods cost up to now, whatever their lengths.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), CURRENCY_INVALID (3),
   * INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005), and what invoice plugins fail with.
   */
  rated(
    ...given: [...C, subscriptionId: Uuid | string, request?: Given<RatedUsageRequest>]
  ): Promise<readonly InvoiceItemView[]>;

  /**
   * What was recorded from one date to another and is on no invoice, by day, unit and reason, and what no tier of the
   * periods takes that are billed. Usage that two sections charge is told for each that has not billed it.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), CURRENCY_INVALID (3), INVALID_PARAMETER (60002) for an
   * end before the start.
   */
  unbilled(
    ...given: [...C, subscriptionId: Uuid | string, request: UnbilledUsageRequest]
  ): Promise<readonly UnbilledUsage[]>;
}
