import { type InvoiceItem, InvoiceItemType, invoiceItemFields, TaxCategory } from '../../records/index.ts';
import { invalidField } from '../../values/errors/index.ts';
import { type Decimal, decimal, formatDecimal } from '../../values/money/index.ts';
import { checkStorable, shortened } from '../../values/text/index.ts';

/** The tax facts of a TAX item (§14 rule 9). Absent and null members are equivalent. */
export interface TaxFacts {
  /** Percent, 0 to 100: 19 = 19 %. */
  readonly taxRate?: Decimal | null | undefined;
  /** Category of EN 16931. S needs a rate above 0, the others have rate 0 or none and the amount 0. */
  readonly taxCategory?: TaxCategory | null | undefined;
  /** The reason for no tax, as shown on documents: up to 255 characters. */
  readonly taxExemption?: string | null | undefined;
}

export const taxFactNames = ['taxRate', 'taxCategory', 'taxExemption'] as const;

const HIGHEST_RATE = decimal(100);
const MAX_EXEMPTION_LENGTH = invoiceItemFields.taxExemption.maxLength ?? 0;

/** The tax facts with the amount of their item. */
interface TaxToCheck extends TaxFacts {
  readonly amount?: Decimal | null | undefined;
}

/** Returns what is wrong with the tax facts of an item, to follow the name of the item; null if nothing is. */
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
    return `has the invalid taxCategory "${shortened(String(taxCategory))}". Use ${categories}`;
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

/** Checks the tax facts of an item. @throws BillingError MISSING_OR_INVALID_FIELD (60003). */
export function checkTaxFacts(itemType: InvoiceItemType, facts: TaxToCheck): void {
  checkStorable('Invoice item taxExemption', facts.taxExemption);
  const problem = taxFactsProblem(itemType, facts);
  if (problem !== null) throw invalidField(`Invoice item ${problem}`);
}

/** True for a TAX item that documents show even if its amount is 0 (§14 rule 9). */
export function hasTaxReason({
  taxCategory,
  taxExemption,
}: Pick<InvoiceItem, 'taxCategory' | 'taxExemption'>): boolean {
  return taxCategory !== null || (taxExemption ?? '') !== '';
}
