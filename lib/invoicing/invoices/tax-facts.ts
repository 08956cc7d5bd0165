import { type InvoiceItem, InvoiceItemType, invoiceItemFields, TaxCategory } from '../../records/index.ts';
import { invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  type Currency,
  type Decimal,
  decimal,
  formatDecimal,
  minorUnit,
  roundToCurrency,
  sum,
  ZERO,
} from '../../values/money/index.ts';
import { checkStorable, shortenText } from '../../values/text/index.ts';

/** The tax rate, category and exemption of a TAX item (§14 rule 9). Absent and null fields are equivalent. */
export interface TaxFacts {
  /** Tax rate in percent, from 0 to 100. 19 means 19 %. */
  readonly taxRate?: Decimal | null | undefined;
  /**
   * Tax category of EN 16931. Category S requires a rate above 0. The other categories require the amount 0, and either
   * the rate 0 or no rate.
   */
  readonly taxCategory?: TaxCategory | null | undefined;
  /** The reason for a tax exemption, as shown on documents. Up to 255 characters. */
  readonly taxExemption?: string | null | undefined;
}

export const taxFactNames = ['taxRate', 'taxCategory', 'taxExemption'] as const;

const HIGHEST_RATE = decimal(100);
const MAX_EXEMPTION_LENGTH = invoiceItemFields.taxExemption.maxLength ?? 0;

/** Tax details to check, with the amount of their item. */
interface TaxToCheck extends TaxFacts {
  readonly amount?: Decimal | null | undefined;
}

/**
 * Returns a description of the problem with the tax details of an item, phrased to follow the item's name. Returns null
 * if there is no problem.
 */
export function taxFactsProblem(
  itemType: InvoiceItemType,
  { amount, taxRate, taxCategory, taxExemption }: TaxToCheck,
): string | null {
  const hasText = taxExemption != null && taxExemption !== '';
  if (taxRate == null && taxCategory == null && !hasText) return null;
  if (itemType !== InvoiceItemType.TAX)
    return `is a ${itemType} and cannot have tax facts: only a TAX item has taxRate, taxCategory and taxExemption`;
  if (taxCategory != null && !Object.hasOwn(TaxCategory, taxCategory)) {
    const categories = Object.keys(TaxCategory).join(', ');
    return `has the invalid taxCategory "${shortenText(String(taxCategory))}". Use ${categories}`;
  }
  if (hasText && taxExemption.length > MAX_EXEMPTION_LENGTH)
    return `has a taxExemption of more than ${MAX_EXEMPTION_LENGTH} characters`;
  return (
    rateProblem(taxRate ?? null, taxCategory ?? null) ?? amountProblem(amount ?? null, taxCategory ?? null)
  );
}

function amountProblem(amount: Decimal | null, category: TaxCategory | null): string | null {
  if (amount === null || amount.isZero() || category === null || category === TaxCategory.S) return null;
  return `has the amount ${formatDecimal(amount)} with the taxCategory ${category}: only S has an amount other than 0`;
}

function rateProblem(rate: Decimal | null, category: TaxCategory | null): string | null {
  if (rate !== null && (rate.isNegative() || rate.greaterThan(HIGHEST_RATE)))
    return `has the taxRate ${formatDecimal(rate)}: a rate is a percentage from 0 to 100`;
  const isZero = rate === null || rate.isZero();
  if (category === TaxCategory.S) return isZero ? 'has the taxCategory S without a taxRate above 0' : null;
  if (category === null || isZero) return null;
  return `has the taxRate ${formatDecimal(rate)} with the taxCategory ${category}: only S has a rate above 0`;
}

/** Checks the tax details of an item. @throws BillingError MISSING_OR_INVALID_FIELD (60003) if they are invalid. */
export function checkTaxFacts(itemType: InvoiceItemType, facts: TaxToCheck): void {
  checkStorable('Invoice item taxExemption', facts.taxExemption);
  const problem = taxFactsProblem(itemType, facts);
  if (problem !== null) throw invalidField(`Invoice item ${problem}`);
}

/** Returns true for a TAX item that documents show even if its amount is 0 (§14 rule 9). */
export function hasTaxReason({
  taxCategory,
  taxExemption,
}: Pick<InvoiceItem, 'taxCategory' | 'taxExemption'>): boolean {
  return taxCategory !== null || (taxExemption ?? '') !== '';
}

/** A TAX item whose amount is compared with its rate. */
export interface DeclaredTax extends TaxFacts {
  readonly itemType: InvoiceItemType;
  readonly amount: Decimal;
  /** The item that the TAX item taxes. */
  readonly linkedItemId?: Uuid | null | undefined;
}

/** A charge or repair with taxes. */
export interface TaxedItem {
  readonly amount: Decimal;
  /** The remaining amount after earlier adjustments and repairs. The value is 0 for a repair. */
  readonly left: Decimal;
}

/**
 * Returns the problem with the amounts of the TAX items of category S, as text that follows the name of the item.
 * Null if there is no problem. Each amount, and the sum of the amounts with the same rate, must equal the rate times
 * the taxed amount, with a tolerance of one minor unit for each TAX item with this rate (§14 rule 9).
 * @param taxes the TAX items to check; items of other types are skipped.
 * @param taxedBy returns the item that a TAX item taxes, or undefined if that item is unknown. Taxes of unknown items
 * are not compared.
 * @param others further TAX items of the invoice, whose rounding differences the checked items may contain.
 */
export function declaredTaxProblem(
  taxes: readonly DeclaredTax[],
  taxedBy: (linkedItemId: Uuid) => TaxedItem | undefined,
  { currency, others = [] }: { readonly currency: Currency; readonly others?: readonly DeclaredTax[] },
): string | null {
  const compared = taxes.flatMap((tax) => comparedTax(tax, taxedBy) ?? []);
  const keyOf = ({ rate }: Pick<ComparedTax, 'rate'>) => rate.toFixed();
  for (const group of Map.groupBy(compared, keyOf).values()) {
    const [{ rate } = { rate: ZERO }] = group;
    const count = group.length + others.filter((tax) => declaredRate(tax)?.equals(rate)).length;
    const tolerance = minorUnit(currency).times(count);
    const isOff = (deviation: Decimal) => deviation.abs().greaterThan(tolerance);
    const formatRoundedAmount = (amount: Decimal) => formatDecimal(roundToCurrency(amount, currency));
    const off = group.find(({ deviation }) => isOff(deviation));
    if (off !== undefined)
      return `has the amount ${formatDecimal(off.amount)} with the taxRate ${formatDecimal(rate)} on an amount of ${formatDecimal(off.taxed)}: expected ${formatRoundedAmount(off.amount.minus(off.deviation))}`;
    const deviation = sum(group.map((each) => each.deviation));
    const total = sum(group.map(({ amount }) => amount));
    if (isOff(deviation))
      return `is one of ${group.length} with the taxRate ${formatDecimal(rate)} and the total amount ${formatDecimal(total)}: expected ${formatRoundedAmount(total.minus(deviation))}`;
  }
  return null;
}

interface ComparedTax {
  readonly rate: Decimal;
  readonly amount: Decimal;
  readonly taxed: Decimal;
  /** The amount minus the nearest amount that the rate permits. */
  readonly deviation: Decimal;
}

function comparedTax(
  tax: DeclaredTax,
  taxedBy: (linkedItemId: Uuid) => TaxedItem | undefined,
): ComparedTax | null {
  const rate = declaredRate(tax);
  const item = tax.linkedItemId == null ? undefined : taxedBy(tax.linkedItemId);
  if (rate === null || item === undefined) return null;
  const { amount } = tax;
  const taxOn = (taxed: Decimal) => taxed.times(rate).dividedBy(100);
  const [least = ZERO, most = ZERO] = [item.left, item.amount].map(taxOn).sort((a, b) => a.comparedTo(b));
  const nearest = amount.lessThan(least) ? least : amount.greaterThan(most) ? most : amount;
  return { rate, amount, taxed: item.amount, deviation: amount.minus(nearest) };
}

/** Returns the rate of a TAX item of category S, or null for any other item. */
function declaredRate({ itemType, taxCategory, taxRate }: DeclaredTax): Decimal | null {
  return itemType === InvoiceItemType.TAX && taxCategory === TaxCategory.S ? (taxRate ?? null) : null;
}
