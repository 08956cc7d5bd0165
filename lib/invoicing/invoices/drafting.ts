import { noSuchObject } from '../../accounts/index.ts';
import { type AccountEffects, TagEffect } from '../../control-tags/index.ts';
import { type Invoice, type InvoiceItem, InvoiceStatus, ObjectType } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** Which invoice a run writes to (§8.3). */
export interface Drafting {
  /** Whether the run makes a DRAFT: AUTO_INVOICING_DRAFT. */
  readonly isDraft: boolean;
  /** Whether the account's oldest DRAFT takes the items if there is one: AUTO_INVOICING_REUSE_DRAFT. */
  readonly reusesDraft: boolean;
  /** The one DRAFT that takes the items, or null. */
  readonly draftId: Uuid | null;
}

/** A run that makes a COMMITTED invoice. */
export const COMMITTING: Drafting = { isDraft: false, reusesDraft: false, draftId: null };

/** What an account's tags say about drafts. */
export function draftingOf(tags: AccountEffects, accountId: Uuid): Drafting {
  const isDraft = tags.has(accountId, TagEffect.MAKES_DRAFTS);
  const reusesDraft = tags.has(accountId, TagEffect.REUSES_DRAFT);
  return isDraft || reusesDraft ? { isDraft, reusesDraft, draftId: null } : COMMITTING;
}

/** An invoice that is not owed yet, with its items. */
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
      throw new BillingError({
        code: ErrorCode.INVOICE_ALREADY_COMMITTED,
        message: `Cannot add credit or external charge for invoice id ${id} because it is already in COMMITTED status`,
        facts: { invoiceId: id },
      });
    case InvoiceStatus.VOID:
      throw new BillingError({
        code: ErrorCode.INVOICE_INVALID_STATUS,
        message: `Invoice ${id} is void: items can be added to drafts only`,
        facts: { invoiceId: id },
      });
  }
}
