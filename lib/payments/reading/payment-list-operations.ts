import type { Leading, Page, PageRequest } from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { PaymentView } from '../views/payment-view.ts';
import type { PaymentReadOptions } from './payment-read-operations.ts';

/** Which window, and what is shown of each payment. */
export interface PaymentListRequest extends PageRequest, PaymentReadOptions {
  /** Payments of this gateway only; default: of all. */
  readonly pluginName?: string | null;
}

/** Lists of the tenant's payments. A page takes a constant number of queries, with attempts too. */
export interface PaymentListOperations<C extends Leading = []> {
  /**
   * A window of the tenant's payments in creation order, with the counts that pagination headers show.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028).
   */
  page(...given: [...C, request: Given<PaymentListRequest>]): Promise<Page<PaymentView>>;

  /**
   * A window of the payments that have the key as their id, their account's or their method's, or in their external key;
   * of those in a state whose name contains it, such as `_FAILED`; or of those that meet the clauses of a key in operator
   * form (http-api §8). With `pluginName` that gateway searches its own books, and what it finds and we do not know is
   * left out; one without a search of its own is searched in our payments of it.
   * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read,
   * PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_SEARCH_PAYMENTS (7105) when the gateway's search fails.
   */
  search(...given: [...C, key: string, request: Given<PaymentListRequest>]): Promise<Page<PaymentView>>;
}
