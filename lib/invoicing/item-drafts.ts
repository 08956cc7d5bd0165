import type { Uuid } from '../ids/index.ts';
import { type Decimal, ZERO } from '../money/index.ts';
import type { LocalDate } from '../time/index.ts';
import type { BillingEvent } from './billing-event.ts';
import type { FixedProposal } from './fixed-proposals.ts';
import { type InvoiceItem, InvoiceItemType } from './model.ts';
import type { RecurringProposal } from './recurring-proposals.ts';

/** An item as the rules decide it; the run adds id, invoice, account, currency and creation date. */
export type InvoiceItemDraft = Omit<
  InvoiceItem,
  'recordId' | 'id' | 'invoiceId' | 'accountId' | 'accountRecordId' | 'currency' | 'createdDate'
>;

/** An item of a run with its identity; what is missing is the same for every item of the invoice. */
export type NewInvoiceItem = InvoiceItemDraft & Pick<InvoiceItem, 'id'>;

const nothingElse = {
  childAccountId: null,
  bundleId: null,
  subscriptionId: null,
  productName: null,
  planName: null,
  phaseName: null,
  usageName: null,
  rate: null,
  quantity: null,
  linkedItemId: null,
  itemDetails: null,
  catalogEffectiveDate: null,
} as const;

/** The FIXED item of a proposal (invoicing.md §1.3). */
export function fixedItem(proposal: FixedProposal): InvoiceItemDraft {
  const { event, startDate, endDate, amount } = proposal;
  const phaseName = event.phaseName ?? '';
  return {
    ...nothingElse,
    ...originOf(event),
    itemType: InvoiceItemType.FIXED,
    description: amount.isZero() ? phaseName : `${phaseName} (fixed price)`,
    startDate,
    endDate,
    amount,
    repairable: amount,
  };
}

export interface RecurringCharge {
  readonly proposal: RecurringProposal;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  readonly amount: Decimal;
}

/** The RECURRING item of a proposal or of a part of it. */
export function recurringItem({ proposal, startDate, endDate, amount }: RecurringCharge): InvoiceItemDraft {
  const { event, rate } = proposal;
  return {
    ...nothingElse,
    ...originOf(event),
    itemType: InvoiceItemType.RECURRING,
    description: event.phasePrettyName ?? proposal.phaseName,
    startDate,
    endDate,
    amount,
    rate,
    repairable: amount,
  };
}

export interface Repair {
  readonly itemId: Uuid;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /** ≥ 0; the item carries it with the opposite sign. */
  readonly amount: Decimal;
}

/** The REPAIR_ADJ item of a repair. */
export function repairItem({ itemId, startDate, endDate, amount }: Repair): InvoiceItemDraft {
  return {
    ...nothingElse,
    itemType: InvoiceItemType.REPAIR_ADJ,
    description: 'Adjustment (subscription change)',
    startDate,
    endDate,
    amount: amount.isZero() ? ZERO : amount.negated(),
    linkedItemId: itemId,
    repairable: ZERO,
  };
}

function originOf(event: BillingEvent) {
  const { subscriptionId, bundleId, productName, planName, phaseName, catalogEffectiveDate } = event;
  return { subscriptionId, bundleId, productName, planName, phaseName, catalogEffectiveDate };
}

const typeOrder: ReadonlyMap<InvoiceItemType, number> = new Map(
  Object.values(InvoiceItemType).map((type, index) => [type, index]),
);

/** Output order of the items of one subscription: start date, then the order of types (invoicing.md §6 rule 8). */
export function compareDrafts(a: InvoiceItemDraft, b: InvoiceItemDraft): number {
  const byDate = (a.startDate ?? 0) - (b.startDate ?? 0);
  if (byDate !== 0) return byDate;
  return (typeOrder.get(a.itemType) ?? 0) - (typeOrder.get(b.itemType) ?? 0);
}
