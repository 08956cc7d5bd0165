import type { Leading } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/**
 * Credit of accounts. Where the tenant has invoice plugins, they are asked first (§13 rule 7):
 * INVOICE_PLUGIN_API_ABORTED (4029), UNEXPECTED (60000) for one that fails.
 */
export interface AccountCreditOperations<C extends Leading = []> {
  /**
   * Uses the account's credit on its unpaid invoices, the oldest first; nothing to do is fine too.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018).
   */
  rebalanceCredit(...given: [...C, accountId: Uuid | string]): Promise<void>;

  /**
   * Moves all credit of a child account to its parent: a charge on the child, a credit on the parent, in one transaction.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ACCOUNT_DOES_NOT_HAVE_PARENT_ACCOUNT (3009),
   * INVOICE_CHILD_ACCOUNT_MISSING_CREDIT (4027), CURRENCY_INVALID (3) where the parent's currency is another, BUSY (60018).
   */
  transferCreditToParent(...given: [...C, childAccountId: Uuid | string]): Promise<void>;
}
