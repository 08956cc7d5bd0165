import { isPaidByParent, noSuchObject } from '../../accounts/index.ts';
import { type AccountEffects, TagEffect } from '../../control-tags/index.ts';
import {
  type Account,
  type AddedItem,
  BusEventType,
  type Invoice,
  type InvoiceItem,
  InvoiceStatus,
  type New,
  type NewBusEvent,
  ObjectType,
} from '../../records/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
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

interface EmptyInvoiceInput {
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

/** The payer of an invoice in this status: after its commit the parent, if the account delegates payment. */
export function payerOf(
  account: Account,
  status: Invoice['status'],
): Pick<Invoice, 'parentAccountId' | 'contributedAmount'> {
  return status === InvoiceStatus.COMMITTED && isPaidByParent(account)
    ? { parentAccountId: account.parentAccountId, contributedAmount: ZERO }
    : { parentAccountId: null, contributedAmount: null };
}

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
  throw billingError(
    ErrorCode.CURRENCY_INVALID,
    `Account ${account.id} has no currency, so it cannot be invoiced; create an account with one`,
    { accountId: account.id },
  );
}

/** The target invoice of a run (§8.3). */
export interface Drafting {
  /** Whether the run makes a DRAFT: AUTO_INVOICING_DRAFT. */
  readonly isDraft: boolean;
  /** Whether the account's oldest DRAFT, if any, gets the items: AUTO_INVOICING_REUSE_DRAFT. */
  readonly reusesDraft: boolean;
  readonly draftId: Uuid | null;
}

export const COMMITTING: Drafting = { isDraft: false, reusesDraft: false, draftId: null };

export function draftingOf(tags: AccountEffects, accountId: Uuid): Drafting {
  const isDraft = tags.has(accountId, TagEffect.MAKES_DRAFTS);
  const reusesDraft = tags.has(accountId, TagEffect.REUSES_DRAFT);
  return isDraft || reusesDraft ? { isDraft, reusesDraft, draftId: null } : COMMITTING;
}

export interface Draft {
  readonly invoice: Invoice;
  readonly items: readonly InvoiceItem[];
}

/**
 * The invoice if items may be added to it: a DRAFT of the account.
 * @throws BillingError INVOICE_NOT_FOUND (4006), INVOICE_ALREADY_COMMITTED (4024), INVOICE_INVALID_STATUS (4023).
 */
export function draftOf(
  invoice: Invoice | undefined,
  { id, accountId }: { readonly id: Uuid; readonly accountId: Uuid },
): Invoice {
  if (invoice?.accountId !== accountId) throw noSuchObject({ type: ObjectType.INVOICE, id });
  switch (invoice.status) {
    case InvoiceStatus.DRAFT:
      return invoice;
    case InvoiceStatus.COMMITTED:
      throw billingError(
        ErrorCode.INVOICE_ALREADY_COMMITTED,
        `Cannot add credit or external charge for invoice id ${id} because it is already in COMMITTED status`,
        { invoiceId: id },
      );
    case InvoiceStatus.VOID:
      throw billingError(
        ErrorCode.INVOICE_INVALID_STATUS,
        `Invoice ${id} is void: items can be added to drafts only`,
        { invoiceId: id },
      );
  }
}

type Told = Pick<Invoice, 'id' | 'accountId' | 'accountRecordId' | 'contributedAmount'>;

/** INVOICE_CREATION: what its consumers need besides the ids (§16). */
export function invoiceCreationEvents(
  invoice: Told & Pick<Invoice, 'rawBalance' | 'currency'>,
): readonly NewBusEvent[] {
  const event = {
    type: BusEventType.INVOICE_CREATION,
    accountRecordId: invoice.accountRecordId,
    payload: {
      accountId: invoice.accountId,
      invoiceId: invoice.id,
      metaData: null,
      amountOwed: invoice.rawBalance,
      currency: invoice.currency,
    },
  };
  return [event, ...childInvoiceEvents(invoice, true)];
}

/** INVOICE_ADJUSTMENT: one per invoice and transaction; more only where an account is closed. */
export function invoiceAdjustmentEvents(invoice: Told, times = 1): readonly NewBusEvent[] {
  const event = {
    type: BusEventType.INVOICE_ADJUSTMENT,
    accountRecordId: invoice.accountRecordId,
    payload: { accountId: invoice.accountId, invoiceId: invoice.id, metaData: null },
  };
  return [...Array.from({ length: times }, () => event), ...childInvoiceEvents(invoice, false)];
}

function childInvoiceEvents(invoice: Told, isNew: boolean): readonly NewBusEvent[] {
  if (invoice.contributedAmount === null) return [];
  const payload = { accountId: invoice.accountId, invoiceId: invoice.id, isNew };
  return [{ type: BusEventType.CHILD_INVOICE_CHANGE, accountRecordId: invoice.accountRecordId, payload }];
}
