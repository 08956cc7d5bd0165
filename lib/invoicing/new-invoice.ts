import type { Account } from '../accounts/model.ts';
import { BillingError, ErrorCode } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { New } from '../ports/storage/index.ts';
import { type Instant, type LocalDate, localDateOf } from '../time/index.ts';
import type { AccountRun } from './invoice-run.ts';
import { type Invoice, type InvoiceItem, InvoiceStatus } from './model.ts';
import type { NewInvoiceItem } from './new-items.ts';

export interface NewInvoiceInput {
  readonly id: Uuid;
  readonly invoiceNumber: number;
  readonly account: Account;
  readonly targetDate: LocalDate;
  readonly run: AccountRun;
  readonly now: Instant;
}

export interface NewInvoice {
  readonly invoice: New<Invoice>;
  readonly items: readonly New<InvoiceItem>[];
}

/** The COMMITTED invoice of a run that has items, dated in the account's zone (invoicing.md §1.1). */
export function newInvoice({
  id,
  invoiceNumber,
  account,
  targetDate,
  run,
  now,
}: NewInvoiceInput): NewInvoice {
  const currency = invoicingCurrency(account);
  const invoiceDate = localDateOf(now, account.timeZone);
  const owner = { accountId: account.id, accountRecordId: account.recordId, currency, createdDate: now };
  return {
    invoice: {
      ...owner,
      ...run.amounts,
      id,
      invoiceNumber,
      invoiceDate,
      targetDate,
      commitDate: invoiceDate,
      status: InvoiceStatus.COMMITTED,
      isMigration: false,
      isWrittenOff: false,
      isParentInvoice: false,
      parentInvoiceId: null,
      parentAccountId: null,
      groupId: id,
    },
    items: run.items.map((item) => ({ ...item, ...owner, invoiceId: id })),
  };
}

/** A new item of the invoice, to be stored. */
export function itemOf(
  invoice: Pick<Invoice, 'id' | 'accountId' | 'accountRecordId' | 'currency'>,
  item: NewInvoiceItem,
  now: Instant,
): New<InvoiceItem> {
  const { id: invoiceId, accountId, accountRecordId, currency } = invoice;
  return { ...item, invoiceId, accountId, accountRecordId, currency, createdDate: now };
}

/**
 * The account's currency; invoicing cannot work without one, and it can never be added later (accounts.md §4).
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
