import { InvoiceItemType } from '../../records/index.ts';
import { invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import { checkStorable } from '../../values/text/index.ts';
import { checkPeriod, checkTexts, given, type ManualItem } from './manual-items.ts';
import type { NewInvoiceItem } from './new-item.ts';
import { plainItem } from './new-item.ts';

/** An item of an invoice that another system made. Absent and null members are the same. */
export interface MigrationItem extends Omit<ManualItem, 'invoiceId'> {
  /** Required, of any type. */
  readonly itemType?: InvoiceItemType | null | undefined;
  /** Required; of either sign, whatever the type. */
  readonly amount?: ManualItem['amount'];
  readonly usageName?: string | null | undefined;
}

/**
 * Checks the items by themselves (§9 rule 5).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), INVOICE_INVALID_DATE_SEQUENCE (4004).
 */
export function checkMigrationItems(items: readonly MigrationItem[]): void {
  if (items.length === 0) throw invalidField('InvoiceItemJson body should be specified');
  for (const item of items) {
    requireType(item.itemType);
    if (item.amount == null) throw invalidField('InvoiceItemJson amount needs to be set');
    checkStorable('Invoice item usageName', item.usageName);
    checkTexts(item);
    checkPeriod(item);
  }
}

/** The item as it was given; nothing of it can be adjusted or repaired. */
export function migrationItem(id: Uuid, item: MigrationItem & { readonly amount: Decimal }): NewInvoiceItem {
  return plainItem({
    id,
    itemType: requireType(item.itemType),
    amount: item.amount,
    repairable: ZERO,
    bundleId: given(item.bundleId),
    subscriptionId: given(item.subscriptionId),
    linkedItemId: given(item.linkedItemId),
    productName: given(item.productName),
    planName: given(item.planName),
    phaseName: given(item.phaseName),
    usageName: given(item.usageName),
    description: given(item.description),
    startDate: given(item.startDate),
    endDate: given(item.endDate),
    rate: given(item.rate),
    quantity: given(item.quantity),
    itemDetails: given(item.itemDetails),
  });
}

function requireType(itemType: MigrationItem['itemType']): InvoiceItemType {
  if (itemType == null) throw invalidField('InvoiceItemJson itemType needs to be set');
  if (Object.hasOwn(InvoiceItemType, itemType)) return itemType;
  throw invalidField(
    `Invoice item itemType ${itemType} is none of ${Object.keys(InvoiceItemType).join(', ')}`,
  );
}
