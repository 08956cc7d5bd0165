import type { Leading } from '../records/index.ts';
import type { Given } from '../values/given/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** What closing an account does besides stopping invoicing and new subscriptions; all default to false. */
export interface CloseOptions {
  /** Ends the service of every subscription at once and its billing at the end of what is invoiced. */
  readonly cancelAllSubscriptions?: boolean | undefined;
  /** Wins over `itemAdjustUnpaidInvoices`. */
  readonly writeOffUnpaidInvoices?: boolean | undefined;
  readonly itemAdjustUnpaidInvoices?: boolean | undefined;
  /**
   * Removes the account's planned work from all queues, but not the ends of subscriptions that the same call plans;
   * pushes that are due already still arrive.
   */
  readonly removeFutureNotifications?: boolean | undefined;
}

/** The closing of accounts. */
export interface AccountClosingOperations<C extends Leading = []> {
  /**
   * Closes the account. First its due work is done, in the order of the queue, such as the invoice of a cancellation just
   * made and its payment (ruling R41). Then, in one transaction, automatic invoicing stops, the account takes no more
   * subscriptions, and its unpaid invoices are treated as requested. Nothing is deleted; closing again changes nothing
   * more.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018): also if due work of the account does not end
   * within the time that calls wait for a busy account, or if there is any inside a transaction of the host.
   */
  close(...given: [...C, accountId: Uuid | string, options?: Given<CloseOptions>]): Promise<void>;
}
