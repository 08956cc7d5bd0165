import { isPaidByParent } from '../../accounts/index.ts';
import type { Account, New } from '../../records/index.ts';
import { type AddedItem, type Invoice, InvoiceStatus } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { ZERO } from '../../values/money/index.ts';
import { type Instant, type LocalDate, localDateOf, maxDate } from '../../values/time/index.ts';
import { NO_AMOUNTS } from './invoice-amounts.ts';
import type { NewInvoiceItem } from './new-item.ts';

/** The target date of a draft that is reused: it never goes back (§8.3). */
export function raisedTargetDate(
  { targetDate: before }: Pick<Invoice, 'targetDate'>,
  targetDate: LocalDate,
): LocalDate {
  return before === null ? targetDate : maxDate(before, targetDate);
}

export interface EmptyInvoiceInput {
  readonly id: Uuid;
  readonly account: Account;
  readonly targetDate: LocalDate | null;
  readonly status: typeof InvoiceStatus.COMMITTED | typeof InvoiceStatus.DRAFT;
  readonly now: Instant;
}

/** An invoice of today that has no items and no number yet. */
export function emptyInvoice({ id, account, targetDate, status, now }: EmptyInvoiceInput): New<Invoice> {
  const invoiceDate = localDateOf(now, account.timeZone);
  return {
    ...NO_AMOUNTS,
    id,
    accountId: account.id,
    accountRecordId: account.recordId,
    currency: invoicingCurrency(account),
    createdDate: now,
    invoiceNumber: 0,
    invoiceDate,
    targetDate,
    commitDate: status === InvoiceStatus.COMMITTED ? invoiceDate : null,
    status,
    isMigration: false,
    isWrittenOff: false,
    isParentInvoice: false,
    parentInvoiceId: null,
    ...payerOf(account, status),
    groupId: id,
  };
}

/** Who pays an invoice of the account in this status: from its commit on the parent, if the account delegates payment. */
export function payerOf(
  account: Account,
  status: Invoice['status'],
): Pick<Invoice, 'parentAccountId' | 'contributedAmount'> {
  return status === InvoiceStatus.COMMITTED && isPaidByParent(account)
    ? { parentAccountId: account.parentAccountId, contributedAmount: ZERO }
    : { parentAccountId: null, contributedAmount: null };
}

/** A new item of the invoice, to be stored. */
export function itemOf(
  invoice: Pick<Invoice, 'id' | 'accountId' | 'accountRecordId' | 'currency'>,
  item: NewInvoiceItem,
  now: Instant,
): AddedItem {
  const { id: invoiceId, accountId, accountRecordId, currency } = invoice;
  return { ...item, invoiceId, accountId, accountRecordId, currency, createdDate: now };
}

/**
 * The account's currency; invoicing cannot work without one, and it can never be added later (accounts §4).
 * @throws BillingError CURRENCY_INVALID (3).
 */
export function invoicingCurrency(account: Account) {
  if (account.currency !== null) return account.currency;
  throw new BillingError({
    code: ErrorCode.CURRENCY_INVALID,
    message: `Account ${account.id} has no currency, so it cannot be invoiced; create an account with one`,
    facts: { accountId: account.id },
  });
}
