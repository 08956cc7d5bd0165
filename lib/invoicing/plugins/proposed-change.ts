import type { SeenInvoice } from '../../ports/index.ts';
import {
  type Account,
  type Invoice,
  type InvoiceItem,
  InvoiceStatus,
  type New,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { sum } from '../../values/money/index.ts';
import { type ChangedInvoice, withItems, withMoreItems } from '../credit/changed-invoice.ts';
import { amountsAfterItems } from '../invoices/invoice-amounts.ts';
import { itemOf } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { AskedInvoice } from './additional-items.ts';
import { isSame, isSameItem } from './proposal.ts';
import { seenInvoice } from './seen-invoice.ts';

/** An invoice that an operation makes or is about, before any plugin and credit. */
export interface ProposedInvoice {
  /** As it is stored; null = it is new. */
  readonly before: Invoice | null;
  /** As it is without the new items. */
  readonly invoice: New<Invoice>;
  /** What is stored of it, as the operation leaves it; null: nobody needs to see it, so it was not read. */
  readonly existing: readonly InvoiceItem[] | null;
  readonly newItems: readonly NewInvoiceItem[];
  /** What the operation leaves of stored items. */
  readonly remains?: readonly Pick<InvoiceItem, 'id' | 'repairable'>[];
}

/** What an operation of people would change: plugins are asked about it, and only it may be stored then (§13 rule 7). */
export interface ProposedChange {
  /** The accounts that it concerns, each of which the plugins are asked about. */
  readonly accounts: readonly Account[];
  readonly invoices: readonly ProposedInvoice[];
}

/** What plugins are asked to add items to. Items of an invoice that is committed stay as they are (§1.6 rule 6). */
export function askedOf({ before, invoice, existing, newItems }: ProposedInvoice): AskedInvoice {
  return {
    invoiceId: invoice.id,
    currency: invoice.currency,
    items: newItems,
    existing: existing ?? [],
    isFixed: before !== null && before.status !== InvoiceStatus.DRAFT,
    creditIds: new Set(),
    elsewhere: [],
    chosenIds: [],
  };
}

/** The invoice as plugins see it, with what they have made of it so far. */
export function seenProposed(
  proposed: ProposedInvoice,
  asked: Pick<AskedInvoice, 'items' | 'existing'> = askedOf(proposed),
): SeenInvoice {
  const { invoice } = proposed;
  const isTouched = asked.items.length > 0 || asked.existing !== proposed.existing;
  const after = isTouched && !invoice.isMigration ? changeOf(proposed, asked).after : invoice;
  const added = asked.items.map((item) => itemOf(invoice, item, invoice.createdDate));
  return seenInvoice(after, [...asked.existing, ...added]);
}

/** The invoice with its new items, as it is to be stored; plugins may have rewritten items of a draft. */
export function changeOf(
  { before, invoice, existing: stored }: ProposedInvoice,
  { items, existing }: Pick<AskedInvoice, 'items' | 'existing'>,
): ChangedInvoice {
  if (before === null) return withItems(invoice, items);
  if (stored === null || before.status !== InvoiceStatus.DRAFT) {
    return { before, after: { ...before, ...amountsAfterItems(before, items) }, newItems: items };
  }
  const difference = sum(existing.map(({ amount }, index) => amount.minus(stored[index]?.amount ?? amount)));
  const rewritten = { ...before, rawBalance: before.rawBalance.plus(difference) };
  return { ...withMoreItems({ invoice: rewritten, items: existing }, items), before };
}

/** True if what plugins have said about the one holds for the other. */
export function isSameChange(seen: ProposedChange, now: ProposedChange): boolean {
  return (
    isSame(seen.accounts, now.accounts, isSameId) &&
    isSame(seen.invoices, now.invoices, isSameProposedInvoice)
  );
}

function isSameProposedInvoice(seen: ProposedInvoice, now: ProposedInvoice): boolean {
  return (
    isSameId(seen.invoice, now.invoice) &&
    seen.invoice.status === now.invoice.status &&
    isSame(seen.existing ?? [], now.existing ?? [], isSameItem) &&
    isSame(seen.newItems, now.newItems, isSameItem)
  );
}

function isSameId(one: { readonly id: Uuid }, other: { readonly id: Uuid }): boolean {
  return one.id === other.id;
}
