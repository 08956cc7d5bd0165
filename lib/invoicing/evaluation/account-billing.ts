import type { StoredCursor } from '../../records/index.ts';
import { invoicingCurrency } from '../invoices/new-invoice.ts';
import type { InvoicingConfig } from '../periods/invoicing-config.ts';
import type { AccountStream, BillingRequest } from './account-streams.ts';
import type { AccountRunInput } from './evaluate-account.ts';
import type { SubscriptionBilling } from './evaluate-subscription.ts';

/** Everything that the evaluation of one account reads. */
export interface AccountBilling
  extends BillingRequest,
    Pick<AccountStream<BillingRequest>, 'skipped' | 'billedAlone'> {
  /** The subscriptions that are due. */
  readonly subscriptions: readonly SubscriptionBilling[];
  /** Bill cycle day that this run gives the account, or null when it has one or needs none (§4 rule 4). */
  readonly newBillCycleDay: number | null;
  /** Cursors of due subscriptions that were last evaluated under an earlier catalog. */
  readonly behind: readonly StoredCursor[];
  /** Revision of the catalog that the events come from. */
  readonly catalogRevision: number;
}

/** What `evaluateAccount` reads of a loaded account. */
export function runInput(billing: AccountBilling, config: InvoicingConfig): AccountRunInput {
  return {
    subscriptions: billing.subscriptions,
    state: billing.state,
    targetDate: billing.targetDate,
    currency: invoicingCurrency(billing.account),
    config,
  };
}
