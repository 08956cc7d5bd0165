import type { Account } from '../accounts/model.ts';
import type { Uuid } from '../ids/index.ts';
import { accountBalancesAfter, balanceOf } from '../invoicing/invoice-amounts.ts';
import {
  type AccountInvoicingState,
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
} from '../invoicing/model.ts';
import { type Decimal, ZERO } from '../money/index.ts';
import { type Instant, localDateOf } from '../time/index.ts';

export interface SettledInvoice {
  readonly invoice: Invoice;
  readonly state: AccountInvoicingState;
  /** Account credit made of what was paid beyond the balance; 0 = none. */
  readonly excess: Decimal;
}

/**
 * Takes `paid` off an invoice and off its account's balance (invoicing.md §1.4). Where that turns the balance negative,
 * the excess becomes account credit (payments.md §9.4): the account balance is the same either way.
 */
export function settleInvoice(invoice: Invoice, state: AccountInvoicingState, paid: Decimal): SettledInvoice {
  if (invoice.isMigration) return { invoice, state, excess: ZERO }; // its raw balance is 0 by definition
  const owed = { ...invoice, rawBalance: invoice.rawBalance.minus(paid) };
  const balance = balanceOf(owed);
  const excess = balance.isNegative() && paid.greaterThan(ZERO) ? balance.negated() : ZERO;
  const after = {
    ...owed,
    rawBalance: owed.rawBalance.plus(excess),
    creditAdj: owed.creditAdj.plus(excess),
  };
  return { invoice: after, state: accountBalancesAfter(state, { before: invoice, after }), excess };
}

/** State of an account that has none stored yet. */
export function emptyState(accountId: Uuid, accountRecordId: number): AccountInvoicingState {
  return {
    accountId,
    accountRecordId,
    maxTargetDate: null,
    accountCBA: ZERO,
    accountBalance: ZERO,
    version: 0,
  };
}

/** The item that books the excess as account credit (invoicing.md §1.3, CBA_ADJ generated). */
export function excessCreditItem(input: {
  readonly id: Uuid;
  readonly invoice: Invoice;
  readonly account: Pick<Account, 'timeZone'>;
  readonly excess: Decimal;
  readonly now: Instant;
}): Omit<InvoiceItem, 'recordId'> {
  const { invoice, excess, now } = input;
  const today = localDateOf(now, input.account.timeZone);
  return {
    id: input.id,
    invoiceId: invoice.id,
    accountId: invoice.accountId,
    accountRecordId: invoice.accountRecordId,
    itemType: InvoiceItemType.CBA_ADJ,
    childAccountId: null,
    bundleId: null,
    subscriptionId: null,
    productName: null,
    planName: null,
    phaseName: null,
    usageName: null,
    description: 'Adjustment (account credit)',
    startDate: today,
    endDate: today,
    amount: excess,
    rate: null,
    currency: invoice.currency,
    quantity: null,
    linkedItemId: null,
    itemDetails: null,
    catalogEffectiveDate: null,
    repairable: excess,
    createdDate: now,
  };
}
