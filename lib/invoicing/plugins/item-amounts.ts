import { InvoiceItemType } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { type Decimal, formatDecimal, ZERO } from '../../values/money/index.ts';

/** The types of items that plugins may add (§13 rule 3). */
export function isAddable(itemType: InvoiceItemType): boolean {
  return ADDABLE.has(itemType);
}

const ADDABLE: ReadonlySet<InvoiceItemType> = new Set([
  InvoiceItemType.EXTERNAL_CHARGE,
  InvoiceItemType.TAX,
  InvoiceItemType.CREDIT_ADJ,
  InvoiceItemType.ITEM_ADJ,
]);

/**
 * The amount of an item, with the sign that its type has (§1.3).
 * @throws BillingError INVOICE_CREDIT_AMOUNT_INVALID (4009) for a CREDIT_ADJ,
 * INVOICE_ITEM_ADJUSTMENT_AMOUNT_SHOULD_BE_POSITIVE (4010) for what is taken off, else
 * INVOICE_EXTERNAL_CHARGE_AMOUNT_INVALID (4015).
 */
export function checkedAmount(itemType: InvoiceItemType, amount: Decimal | null): Decimal {
  const problem = amount === null ? 'needs an amount' : signProblem(itemType, amount);
  if (amount !== null && problem === null) return amount.isZero() ? ZERO : amount;
  const shown = amount === null ? '' : ` of ${formatDecimal(amount)}`;
  throw new BillingError({
    code: codeOf(itemType),
    message: `An item of type ${itemType}${shown} ${problem}`,
    facts: { itemType, amount: amount && formatDecimal(amount) },
  });
}

function signProblem(itemType: InvoiceItemType, amount: Decimal): string | null {
  switch (itemType) {
    case InvoiceItemType.ITEM_ADJ:
      return amount.lessThan(0) ? null : 'cannot be: its amount has to be less than 0';
    case InvoiceItemType.CREDIT_ADJ:
    case InvoiceItemType.REPAIR_ADJ:
      return amount.greaterThan(0) ? 'cannot be: its amount has to be at most 0' : null;
    case InvoiceItemType.CBA_ADJ:
    case InvoiceItemType.PARENT_SUMMARY:
      return null;
    case InvoiceItemType.EXTERNAL_CHARGE:
    case InvoiceItemType.FIXED:
    case InvoiceItemType.RECURRING:
    case InvoiceItemType.USAGE:
    case InvoiceItemType.TAX:
      return amount.lessThan(0) ? 'cannot be: its amount has to be at least 0' : null;
  }
}

function codeOf(itemType: InvoiceItemType): ErrorCode {
  switch (itemType) {
    case InvoiceItemType.CREDIT_ADJ:
      return ErrorCode.INVOICE_CREDIT_AMOUNT_INVALID;
    case InvoiceItemType.ITEM_ADJ:
    case InvoiceItemType.REPAIR_ADJ:
      return ErrorCode.INVOICE_ITEM_ADJUSTMENT_AMOUNT_SHOULD_BE_POSITIVE;
    default:
      return ErrorCode.INVOICE_EXTERNAL_CHARGE_AMOUNT_INVALID;
  }
}
