import type { Uuid } from '../values/ids/index.ts';
import type { Currency, Decimal } from '../values/money/index.ts';
import type { Instant, LocalDate } from '../values/time/index.ts';
import type { ItemBasis } from './item-basis.ts';

/** Item types in output order for equal start dates (invoicing §1.3). */
export const InvoiceItemType = {
  EXTERNAL_CHARGE: 'EXTERNAL_CHARGE',
  FIXED: 'FIXED',
  RECURRING: 'RECURRING',
  REPAIR_ADJ: 'REPAIR_ADJ',
  CBA_ADJ: 'CBA_ADJ',
  CREDIT_ADJ: 'CREDIT_ADJ',
  ITEM_ADJ: 'ITEM_ADJ',
  USAGE: 'USAGE',
  TAX: 'TAX',
  PARENT_SUMMARY: 'PARENT_SUMMARY',
} as const;
export type InvoiceItemType = (typeof InvoiceItemType)[keyof typeof InvoiceItemType];

export interface InvoiceItem {
  readonly recordId: number;
  readonly id: Uuid;
  readonly invoiceId: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly itemType: InvoiceItemType;
  readonly childAccountId: Uuid | null;
  readonly bundleId: Uuid | null;
  readonly subscriptionId: Uuid | null;
  readonly productName: string | null;
  readonly planName: string | null;
  readonly phaseName: string | null;
  readonly usageName: string | null;
  readonly description: string | null;
  readonly startDate: LocalDate | null;
  readonly endDate: LocalDate | null;
  readonly amount: Decimal;
  readonly rate: Decimal | null;
  readonly currency: Currency;
  readonly quantity: Decimal | null;
  readonly linkedItemId: Uuid | null;
  readonly itemDetails: string | null;
  readonly catalogEffectiveDate: Instant | null;
  /** amount − Σ|ITEM_ADJ| − Σ|REPAIR_ADJ| on this item (BilledItemState of invoicing §1.5). */
  readonly repairable: Decimal;
  readonly createdDate: Instant;
}

/** A new item to be stored. */
export interface AddedItem extends Omit<InvoiceItem, 'recordId'> {
  /** The facts behind the amount, where it is computed. */
  readonly basis?: ItemBasis | undefined;
}
