import type { CatalogWithOverrides } from '../../catalog/index.ts';
import {
  type CallContext,
  type CreditNote,
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  type ItemBasis,
} from '../../records/index.ts';
import type { NumberField, NumberPattern } from '../../tenants/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import { dayOfMonth, type LocalDate, monthOf, yearOf } from '../../values/time/index.ts';
import { balanceOf } from './invoice-amounts.ts';
import { parentBalanceOf } from './parent-summary.ts';
import { billedQuantity, NO_USAGE, type UsedUnit, unitPriceOf, usedUnits } from './used-units.ts';

/**
 * An item as read operations return it. Pretty names are computed and not stored (§1.2). `quantity` is 1 for a plan
 * charge without a quantity.
 */
export interface InvoiceItemView extends InvoiceItem {
  /**
   * Price of one unit. If the item is prorated, the price is for the whole period (§14 rule 8). The value is null if
   * the item has no unit price.
   */
  readonly unitPrice: Decimal | null;
  /** The used units of a USAGE item and their tiers. The list is empty for other items. */
  readonly usage: readonly UsedUnit[];
  readonly prettyProductName: string | null;
  readonly prettyPlanName: string | null;
  readonly prettyPhaseName: string | null;
  readonly prettyUsageName: string | null;
  /** The items of the child's invoices, if requested for a PARENT_SUMMARY item. */
  readonly childItems: readonly InvoiceItemView[] | null;
}

/** An invoice with its computed members. `items` is empty if a list was requested without items. */
export interface InvoiceView extends Invoice {
  /** The number formatted by the tenant's pattern (§1.7), or null if there is no pattern. */
  readonly formattedNumber: string | null;
  /** The amount owed now (§1.4 rule 6). */
  readonly balance: Decimal;
  readonly items: readonly InvoiceItemView[];
  /**
   * Ids of the usage records that this invoice was the first to bill, up to the tenant's limit. The list is empty if
   * the items were not requested.
   */
  readonly trackingIds: readonly string[];
}

export interface InvoiceReader {
  /** @throws BillingError INVOICE_NOT_FOUND (4006). */
  get(context: CallContext, invoiceId: Uuid): Promise<InvoiceView>;
  /** @throws BillingError INVOICE_NOT_FOUND (4006). */
  listGroup(
    context: CallContext,
    request: { readonly accountId: Uuid; readonly groupId: Uuid },
  ): Promise<readonly InvoiceView[]>;
}

export interface ViewSources {
  readonly catalogOf: ((accountId: Uuid) => CatalogWithOverrides) | null;
  /** The parents' invoices to which the given invoices are linked, by id. */
  readonly parents: ReadonlyMap<Uuid, Invoice>;
  readonly numberPatterns: readonly NumberPattern[];
  readonly trackingIds: ReadonlyMap<Uuid, readonly string[]>;
  /** The facts of USAGE items, by item id. */
  readonly usageBases: ReadonlyMap<Uuid, ItemBasis>;
}

// All these invoices share one list, because most invoices have no tracking ids.
const NO_TRACKING_IDS: readonly string[] = [];

/**
 * Combines invoices with their items, in the same order. Uses the names of the newest catalog version that contains the
 * plan.
 */
export function viewInvoices(
  invoices: readonly Invoice[],
  items: readonly InvoiceItem[],
  { catalogOf, parents, numberPatterns, trackingIds, usageBases }: ViewSources,
): readonly InvoiceView[] {
  const itemsByInvoice = Map.groupBy(items, (item) => item.invoiceId);
  return invoices.map((invoice) => ({
    ...invoice,
    formattedNumber: formattedNumber(invoice.invoiceNumber, invoice.invoiceDate, numberPatterns),
    // Until a parent pays an invoice through a summary, the invoice is shown as the child's own (ruling R52).
    parentAccountId: invoice.parentInvoiceId === null ? null : invoice.parentAccountId,
    balance: balanceOf(invoice, parentBalanceOf(invoice, parents)),
    trackingIds: trackingIds.get(invoice.id) ?? NO_TRACKING_IDS,
    items: (itemsByInvoice.get(invoice.id) ?? []).map((item) =>
      viewItem(item, catalogOf === null ? null : catalogOf(invoice.accountId), usageBases.get(item.id)),
    ),
  }));
}

function viewItem(
  item: InvoiceItem,
  catalog: CatalogWithOverrides | null,
  basis: ItemBasis | undefined,
): InvoiceItemView {
  const plan = item.planName === null ? undefined : catalog?.newestPlan(item.planName);
  const phase = plan?.plan.phases.find((each) => each.name === item.phaseName);
  const usage = phase?.usages.find((each) => each.name === item.usageName);
  return {
    ...item,
    quantity: billedQuantity(item),
    unitPrice: unitPriceOf(item),
    usage: item.itemType === InvoiceItemType.USAGE ? usedUnits(basis, plan) : NO_USAGE,
    prettyProductName: plan?.version.productNamed(plan.plan.product)?.prettyName ?? null,
    prettyPlanName: plan?.plan.prettyName ?? null,
    prettyPhaseName: phase?.prettyName ?? null,
    prettyUsageName: usage?.prettyName ?? null,
    childItems: null,
  };
}

/** Fills `childItems` of each PARENT_SUMMARY item with the items of its child's linked invoices (§12 rule 8). */
export function withChildItems(
  views: readonly InvoiceView[],
  children: readonly InvoiceView[],
): readonly InvoiceView[] {
  const keyOf = (summaryId: Uuid | null, accountId: Uuid | null) => `${summaryId} ${accountId}`;
  const byChild = Map.groupBy(children, (child) => keyOf(child.parentInvoiceId, child.accountId));
  return views.map((view) => ({
    ...view,
    items: view.items.map((item) => {
      if (item.itemType !== InvoiceItemType.PARENT_SUMMARY) return item;
      const own = byChild.get(keyOf(view.id, item.childAccountId)) ?? [];
      return { ...item, childItems: own.flatMap((child) => child.items) };
    }),
  }));
}

export interface CreditNoteView extends CreditNote {
  /** The number formatted by the tenant's pattern (§21 rule 3), or null if there is no pattern. */
  readonly formattedNumber: string | null;
}

export function viewCreditNotes(
  notes: readonly CreditNote[],
  patterns: readonly NumberPattern[],
): readonly CreditNoteView[] {
  return notes.map((note) => {
    const { creditNoteNumber, creditNoteDate } = note;
    return { ...note, formattedNumber: formattedNumber(creditNoteNumber, creditNoteDate, patterns) };
  });
}

/**
 * Returns the number formatted by the pattern that applies on the date (§1.7). Returns null if there is no pattern or
 * if the number is 0.
 */
export function formattedNumber(
  number: number,
  date: LocalDate,
  patterns: readonly NumberPattern[],
): string | null {
  const pattern = patterns.findLast(({ from }) => from === null || from <= date);
  if (pattern === undefined || number === 0) return null;
  const numbered = { number, date };
  const texts = pattern.parts.map((part) =>
    typeof part === 'string' ? part : String(numberFields[part.field](numbered)).padStart(part.digits, '0'),
  );
  return texts.join('');
}

interface Numbered {
  readonly number: number;
  readonly date: LocalDate;
}

const numberFields: Readonly<Record<NumberField, (numbered: Numbered) => number>> = {
  n: ({ number }) => number,
  yyyy: ({ date }) => yearOf(date),
  yy: ({ date }) => yearOf(date) % 100,
  mm: ({ date }) => monthOf(date),
  dd: ({ date }) => dayOfMonth(date),
};
