import { isPaidByParent } from '../../accounts/index.ts';
import type { Account, InvoiceAmounts } from '../../records/index.ts';
import { InvoiceStatus } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { ZERO } from '../../values/money/index.ts';
import { COMMITTING, type Draft, type Drafting, draftOf } from '../invoices/drafting.ts';
import type { AccountedInvoice } from '../invoices/invoice-amounts.ts';

/** The invoice of a run with these amounts, as balances count it. */
export function accountedInvoice(
  { status, draft, isPaidByParent }: RunInvoice,
  { rawBalance, creditAdj }: Pick<InvoiceAmounts, 'rawBalance' | 'creditAdj'>,
): AccountedInvoice {
  const isWrittenOff = draft?.invoice.isWrittenOff ?? false;
  const contributedAmount = isPaidByParent && status === 'COMMITTED' ? ZERO : null;
  return { status, isMigration: false, isWrittenOff, rawBalance, creditAdj, contributedAmount };
}

/** The invoice that a run adds its items to. */
export interface RunInvoice {
  readonly status: typeof InvoiceStatus.DRAFT | typeof InvoiceStatus.COMMITTED;
  /** null = a new one. */
  readonly draft: Draft | null;
  /** Whether the parent of the account pays it. */
  readonly isPaidByParent: boolean;
}

export const NEW_COMMITTED: RunInvoice = {
  status: InvoiceStatus.COMMITTED,
  draft: null,
  isPaidByParent: false,
};

export interface DraftingRequest {
  readonly account: Pick<Account, 'id' | 'parentAccountId' | 'isPaymentDelegatedToParent'>;
  readonly drafting?: Drafting;
}

/**
 * The loaded draft that the run of one account adds to, or a new invoice.
 * @throws BillingError of `draftOf` for a named draft, INVOICE_INVALID_STATUS (4023) where that is a summary of children.
 */
export function runInvoiceOf(
  { account, drafting = COMMITTING }: DraftingRequest,
  drafts: ReadonlyMap<Uuid, readonly Draft[]>,
): RunInvoice {
  const status = drafting.isDraft ? InvoiceStatus.DRAFT : InvoiceStatus.COMMITTED;
  const own = drafts.get(account.id) ?? [];
  if (drafting.draftId === null) {
    const [oldest = null] = drafting.reusesDraft ? own : [];
    return { status, draft: oldest, isPaidByParent: isPaidByParent(account) };
  }
  const draft = own.find(({ invoice }) => invoice.id === drafting.draftId);
  const invoice = draftOf(draft?.invoice, { id: drafting.draftId, accountId: account.id });
  if (invoice.isParentInvoice) throw isSummary(invoice.id);
  return { status, draft: { invoice, items: draft?.items ?? [] }, isPaidByParent: isPaidByParent(account) };
}

function isSummary(invoiceId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.INVOICE_INVALID_STATUS,
    message: `Invoice ${invoiceId} sums up the invoices of child accounts: a run cannot add to it`,
    facts: { invoiceId },
  });
}
