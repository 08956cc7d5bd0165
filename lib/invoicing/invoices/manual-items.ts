import { type CallContext, InvoiceItemType, itemTypes, type ManualItemType } from '../../records/index.ts';
import { billingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, formatDecimal, statedAmount, ZERO } from '../../values/money/index.ts';
import { checkStorable } from '../../values/text/index.ts';
import { formatLocalDate, type LocalDate } from '../../values/time/index.ts';
import { defaultDescription, type NewInvoiceItem, plainItem } from './new-item.ts';
import { checkTaxFacts, type TaxFacts, taxFactNames } from './tax-facts.ts';

/** Maximum size of the free text of an invoice item, in bytes of UTF-8 (invoicing §1.2). */
const MAX_ITEM_DETAILS_BYTES = 65_536;

/** An external charge, tax or credit to add. Absent and null members are equivalent. */
export interface ManualItem extends TaxFacts {
  /** Id of the account's DRAFT that receives the item. By default, the item is added to a new invoice. */
  readonly invoiceId?: Uuid | null | undefined;
  /** Amount in the account's currency, at least 0. */
  readonly amount?: Decimal | null | undefined;
  /** Rate of the item. The rate and the quantity are stored as given and do not affect the amount. */
  readonly rate?: Decimal | null | undefined;
  /** Currency of the item. If given, it must equal the account's currency. */
  readonly currency?: string | null | undefined;
  /**
   * The bundle that the item concerns, for information only. The id is stored without a check (ruling R21). The
   * subscription of a tax is not stored.
   */
  readonly bundleId?: Uuid | null | undefined;
  readonly subscriptionId?: Uuid | null | undefined;
  /**
   * For a tax, the id of the taxed charge, which must be a charge of the account (§9 rule 1). For other items, the id
   * of any item, which is not checked.
   */
  readonly linkedItemId?: Uuid | null | undefined;
  readonly productName?: string | null | undefined;
  readonly planName?: string | null | undefined;
  readonly phaseName?: string | null | undefined;
  /** Description of up to 255 characters. */
  readonly description?: string | null | undefined;
  /** Start date. The start and end dates are local dates of the account. */
  readonly startDate?: LocalDate | null | undefined;
  readonly endDate?: LocalDate | null | undefined;
  readonly quantity?: Decimal | null | undefined;
  /** Free text of up to 64 kB, by convention JSON. */
  readonly itemDetails?: string | null | undefined;
}

export const MAX_DESCRIPTION_LENGTH = 255;

/**
 * Checks items without reading stored data (§9 rule 1).
 * @throws BillingError INVOICE_EXTERNAL_CHARGE_AMOUNT_INVALID (4015), for credits INVOICE_CREDIT_AMOUNT_INVALID (4009);
 * INVOICE_INVALID_DATE_SEQUENCE (4004), MISSING_OR_INVALID_FIELD (60003).
 */
export function checkManualItems(type: ManualItemType, items: readonly ManualItem[]): void {
  if (items.length === 0) throw invalidField('InvoiceItemJson body should be specified');
  for (const item of items) {
    checkAmount(type, item.amount);
    checkTexts(item);
    checkTaxFacts(type, item);
    checkPeriod(item);
  }
}

/** Checks the texts of an item. @throws BillingError MISSING_OR_INVALID_FIELD (60003). */
export function checkTexts(
  item: Pick<ManualItem, 'description' | 'itemDetails' | 'productName' | 'planName' | 'phaseName'>,
): void {
  const { description, itemDetails } = item;
  for (const name of ['description', 'itemDetails', 'productName', 'planName', 'phaseName'] as const) {
    checkStorable(`Invoice item ${name}`, item[name]);
  }
  if ((description ?? '').length > MAX_DESCRIPTION_LENGTH) {
    throw invalidField(`Invoice item description is longer than ${MAX_DESCRIPTION_LENGTH} characters`);
  }
  if (new TextEncoder().encode(itemDetails ?? '').length > MAX_ITEM_DETAILS_BYTES) {
    throw invalidField(`Invoice item itemDetails is longer than ${MAX_ITEM_DETAILS_BYTES} bytes`);
  }
}

/**
 * Returns the given amount of an item, 0 by default (§2 rule 6).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an amount finer than the currency's minor unit.
 */
export function statedItemAmount(
  { amount }: Pick<ManualItem, 'amount'>,
  currency: Currency,
  { roundsFloatNoise }: Pick<CallContext, 'roundsFloatNoise'>,
): Decimal {
  return amount == null ? ZERO : statedAmount(amount, { currency, roundsFloatNoise });
}

/** Returns the item to store (§1.3). @param requestedDate local date of the call. */
export function manualItem(
  type: ManualItemType,
  item: ManualItem & { readonly amount: Decimal },
  { id, requestedDate }: { readonly id: Uuid; readonly requestedDate: LocalDate },
): NewInvoiceItem {
  const { amount } = item;
  const isCredit = itemTypes[type].kind === 'CREDIT';
  return plainItem({
    id,
    itemType: type,
    amount: isCredit ? ZERO.minus(amount) : amount,
    repairable: isCredit ? ZERO : amount,
    description: nullIfEmpty(item.description) ?? defaultDescription(type, nullIfEmpty(item.planName)),
    startDate: isCredit ? requestedDate : (item.startDate ?? requestedDate),
    endDate: isCredit ? requestedDate : null,
    ...pickMembers(item, ['bundleId', 'rate', 'quantity', 'itemDetails', ...itemMembers[type]]),
  });
}

/** The fields that an item copies from the request, by item type, in addition to the fields that all items copy. */
const itemMembers = {
  EXTERNAL_CHARGE: ['subscriptionId', 'linkedItemId', 'productName', 'planName', 'phaseName', 'endDate'],
  TAX: ['linkedItemId', ...taxFactNames],
  CREDIT_ADJ: ['subscriptionId', 'linkedItemId'],
} as const satisfies Readonly<Record<ManualItemType, readonly (keyof ManualItem)[]>>;

/** Returns the fields that an item copies from the request. Absent and empty fields become null. */
function pickMembers<I extends object, K extends keyof I>(item: I, names: readonly K[]) {
  return Object.fromEntries(names.map((name) => [name, nullIfEmpty(item[name])])) as {
    readonly [N in K]: NonNullable<I[N]> | null;
  };
}

/** Returns the value, or null if it is absent, null or an empty string. */
function nullIfEmpty<T>(value: T | null | undefined): T | null {
  return value === undefined || value === '' ? null : value;
}

/** Checks the currency. @throws BillingError CURRENCY_INVALID (3) if it is not the account's currency. */
export function checkCurrency(given: string | null | undefined, currency: Currency): void {
  if (given == null || given === currency) return;
  const message = `Currency ${given} is not the currency of the account, ${currency}`;
  throw billingError(ErrorCode.CURRENCY_INVALID, message, { currency: given, accountCurrency: currency });
}

function checkAmount(type: ManualItemType, amount: Decimal | null | undefined): void {
  if (amount != null && !amount.isNegative()) return;
  if (amount?.isZero()) return;
  const isCredit = itemTypes[type].kind === 'CREDIT';
  throw billingError(
    isCredit ? ErrorCode.INVOICE_CREDIT_AMOUNT_INVALID : ErrorCode.INVOICE_EXTERNAL_CHARGE_AMOUNT_INVALID,
    amount == null
      ? `The amount of a ${nouns[type]} needs to be set`
      : `The amount of a ${nouns[type]} cannot be ${formatDecimal(amount)}: it must be at least 0`,
  );
}

const nouns: Readonly<Record<ManualItemType, string>> = {
  EXTERNAL_CHARGE: 'charge',
  TAX: 'tax',
  CREDIT_ADJ: 'credit',
};

/** Checks the period. @throws BillingError INVOICE_INVALID_DATE_SEQUENCE (4004) for an end before its start. */
export function checkPeriod({ startDate, endDate }: Pick<ManualItem, 'startDate' | 'endDate'>): void {
  if (startDate == null || endDate == null || startDate <= endDate) return;
  throw billingError(
    ErrorCode.INVOICE_INVALID_DATE_SEQUENCE,
    `Invoice item ends on ${formatLocalDate(endDate)}, before it starts on ${formatLocalDate(startDate)}`,
  );
}

/** An item of an invoice from another system. Absent and null members are equivalent. */
export interface MigrationItem extends Omit<ManualItem, 'invoiceId'> {
  /** Item type of any kind. Required. */
  readonly itemType?: InvoiceItemType | null | undefined;
  /** Required amount. It may have either sign, regardless of the item type. */
  readonly amount?: ManualItem['amount'];
  readonly usageName?: string | null | undefined;
}

/**
 * Checks items without reading stored data (§9 rule 5).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), INVOICE_INVALID_DATE_SEQUENCE (4004).
 */
export function checkMigrationItems(items: readonly MigrationItem[]): void {
  if (items.length === 0) throw invalidField('InvoiceItemJson body should be specified');
  for (const item of items) {
    checkTaxFacts(requireType(item.itemType), item);
    if (item.amount == null) throw invalidField('InvoiceItemJson amount needs to be set');
    checkStorable('Invoice item usageName', item.usageName);
    checkTexts(item);
    checkPeriod(item);
  }
}

/** Returns an item with the given values. Such an item cannot be adjusted or repaired. */
export function migrationItem(id: Uuid, item: MigrationItem & { readonly amount: Decimal }): NewInvoiceItem {
  return plainItem({
    id,
    itemType: requireType(item.itemType),
    amount: item.amount,
    repairable: ZERO,
    ...pickMembers(item, migratedFields),
  });
}

const migratedFields = [
  'bundleId',
  'subscriptionId',
  'linkedItemId',
  'productName',
  'planName',
  'phaseName',
  'usageName',
  'description',
  'startDate',
  'endDate',
  'rate',
  'quantity',
  'itemDetails',
  ...taxFactNames,
] as const satisfies readonly (keyof MigrationItem)[];

function requireType(itemType: MigrationItem['itemType']): InvoiceItemType {
  if (itemType == null) throw invalidField('InvoiceItemJson itemType needs to be set');
  if (Object.hasOwn(InvoiceItemType, itemType)) return itemType;
  throw invalidField(
    `Invoice item itemType ${itemType} is not one of ${Object.keys(InvoiceItemType).join(', ')}`,
  );
}
