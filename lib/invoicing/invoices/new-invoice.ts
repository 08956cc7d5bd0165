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

/** Returns the target date of a reused draft. The date never decreases (§8.3). */
export function raisedTargetDate(
  { targetDate: before }: Pick<Invoice, 'targetDate'>,
  targetDate: LocalDate,
): LocalDate {
  return before === null ? targetDate : maxDate(before, targetDate);
}

/** Returns a new invoice dated today. It has no items and no number yet. */
export function emptyInvoice({
  id,
  account,
  targetDate,
  status,
  now,
}: {
  readonly id: Uuid;
  readonly account: Account;
  readonly targetDate: LocalDate | null;
  readonly status: typeof InvoiceStatus.COMMITTED | typeof InvoiceStatus.DRAFT;
  readonly now: Instant;
}): New<Invoice> {
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
    issuedDate: status === InvoiceStatus.COMMITTED ? now : null,
    note: null,
    status,
    isMigration: false,
    isWrittenOff: false,
    isParentInvoice: false,
    parentInvoiceId: null,
    ...payerOf(account, status),
    groupId: id,
  };
}

/**
 * Returns the payer of an invoice in this status. After the commit, the parent pays if the account delegates payment.
 */
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
 * Returns the account's currency, which invoicing requires. An account without a currency cannot get one later
 * (accounts §4).
 * @throws BillingError CURRENCY_INVALID (3) if the account has no currency.
 */
export function invoicingCurrency(account: Account) {
  if (account.currency !== null) return account.currency;
  const message = `Account ${account.id} has no currency, so it cannot be invoiced; create an account with one`;
  throw billingError(ErrorCode.CURRENCY_INVALID, message, { accountId: account.id });
}

/** The target invoice of a run (§8.3). */
export interface Drafting {
  /** If true, the run creates a DRAFT (AUTO_INVOICING_DRAFT). */
  readonly isDraft: boolean;
  /** If true, the oldest existing DRAFT of the account gets the items (AUTO_INVOICING_REUSE_DRAFT). */
  readonly reusesDraft: boolean;
  readonly draftId: Uuid | null;
}

export const COMMITTING: Drafting = { isDraft: false, reusesDraft: false, draftId: null };

export function decideDrafting(tags: AccountEffects, accountId: Uuid): Drafting {
  const isDraft = tags.has(accountId, TagEffect.MAKES_DRAFTS);
  const reusesDraft = tags.has(accountId, TagEffect.REUSES_DRAFT);
  return isDraft || reusesDraft ? { isDraft, reusesDraft, draftId: null } : COMMITTING;
}

export interface Draft {
  readonly invoice: Invoice;
  readonly items: readonly InvoiceItem[];
}

/**
 * Returns the invoice if it is a DRAFT of the account and can therefore receive items.
 * @throws BillingError INVOICE_NOT_FOUND (4006), INVOICE_ALREADY_COMMITTED (4024), INVOICE_INVALID_STATUS (4023).
 */
export function draftOf(
  invoice: Invoice | undefined,
  { id, accountId }: { readonly id: Uuid; readonly accountId: Uuid },
): Invoice {
  if (invoice?.accountId !== accountId) throw noSuchObject({ type: ObjectType.INVOICE, id });
  if (invoice.status === InvoiceStatus.DRAFT) return invoice;
  if (invoice.status === InvoiceStatus.VOID) {
    const message = `Invoice ${id} is void: items can be added only to drafts`;
    throw billingError(ErrorCode.INVOICE_INVALID_STATUS, message, { invoiceId: id });
  }
  const message = `Cannot add credit or external charge for invoice id ${id} because it is already in COMMITTED status`;
  throw billingError(ErrorCode.INVOICE_ALREADY_COMMITTED, message, { invoiceId: id });
}

type ReportedInvoice = Pick<Invoice, 'id' | 'accountId' | 'accountRecordId' | 'contributedAmount'>;

/** Returns the INVOICE_CREATION event (§16). */
export function invoiceCreationEvents(
  invoice: ReportedInvoice & Pick<Invoice, 'rawBalance' | 'currency'>,
): readonly NewBusEvent[] {
  const { id: invoiceId, accountId, accountRecordId, rawBalance: amountOwed, currency } = invoice;
  const payload = { accountId, invoiceId, metaData: null, amountOwed, currency };
  const event = { type: BusEventType.INVOICE_CREATION, accountRecordId, payload };
  return [event, ...childInvoiceEvents(invoice, true)];
}

/**
 * Returns one INVOICE_ADJUSTMENT event per adjusted invoice and transaction. Closing an account creates several events.
 */
export function invoiceAdjustmentEvents(invoice: ReportedInvoice, times = 1): readonly NewBusEvent[] {
  const event = {
    type: BusEventType.INVOICE_ADJUSTMENT,
    accountRecordId: invoice.accountRecordId,
    payload: { accountId: invoice.accountId, invoiceId: invoice.id, metaData: null },
  };
  return [...Array.from({ length: times }, () => event), ...childInvoiceEvents(invoice, false)];
}

function childInvoiceEvents(invoice: ReportedInvoice, isNew: boolean) {
  if (invoice.contributedAmount === null) return [];
  const payload = { accountId: invoice.accountId, invoiceId: invoice.id, isNew };
  return [{ type: BusEventType.CHILD_INVOICE_CHANGE, accountRecordId: invoice.accountRecordId, payload }];
}
