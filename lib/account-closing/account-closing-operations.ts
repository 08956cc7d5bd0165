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
   * Removes the account's planned work from all queues, but not the ends of subscriptions that the same call plans; push
   * notifications that are promised still arrive.
   */
  readonly removeFutureNotifications?: boolean | undefined;
}

/** How accounts come to rest. */
export interface AccountClosingOperations<C extends Leading = []> {
  /**
   * Closes the account: what is due of it is done first, in the order of the queue, such as the invoice of a cancellation
   * just made and its payment (ruling R41); then, in one transaction, it is not invoiced by itself any more and takes no
   * subscriptions, its unpaid invoices are dealt with as asked. Nothing is deleted; closing again changes nothing new.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018), also where due work of the account does not
   * end within the time that a busy account is waited for, and inside a transaction of the host while there is any.
   */
  close(...given: [...C, accountId: Uuid | string, options?: Given<CloseOptions>]): Promise<void>;
}
