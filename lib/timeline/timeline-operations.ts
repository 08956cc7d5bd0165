import type { InvoiceItemView, InvoiceView } from '../invoicing/index.ts';
import type { InvoicePaymentView } from '../payments/index.ts';
import type { Account, Leading } from '../records/index.ts';
import type { BundleView } from '../subscriptions/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** An account with all that happened on it. */
export interface AccountTimeline {
  readonly account: Account;
  readonly bundles: readonly BundleView[];
  /** All except migrated and voided ones, in creation order, with their items. */
  readonly invoices: readonly TimelineInvoice[];
  readonly payments: readonly InvoicePaymentView[];
  /** The credits that were given on the account: all CREDIT_ADJ items. */
  readonly credits: readonly InvoiceItemView[];
}

export interface TimelineInvoice extends InvoiceView {
  /** External keys of the bundles that its items bill, each once, in the order of the items. */
  readonly bundleKeys: readonly string[];
}

/** What has happened to an account. */
export interface TimelineOperations<C extends Leading = []> {
  /**
   * Everything that happened to the account, from one snapshot.
   * @throws as `outlineOfAccount`.
   */
  timeline(...given: [...C, accountId: Uuid | string]): Promise<AccountTimeline>;
}
