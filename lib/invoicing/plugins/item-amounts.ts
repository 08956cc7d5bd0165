import { type InvoiceItemType, itemTypes } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { type Decimal, formatDecimal, ZERO } from '../../values/money/index.ts';

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
  const { sign } = itemTypes[itemType];
  switch (sign) {
    case 'NEGATIVE':
      return amount.lessThan(0) ? null : 'cannot be: its amount has to be less than 0';
    case 'NOT_POSITIVE':
      return amount.greaterThan(0) ? 'cannot be: its amount has to be at most 0' : null;
    case 'NOT_NEGATIVE':
      return amount.lessThan(0) ? 'cannot be: its amount has to be at least 0' : null;
    case 'ANY':
      return null;
  }
}

function codeOf(itemType: InvoiceItemType): ErrorCode {
  switch (itemTypes[itemType].kind) {
    case 'CREDIT':
      return ErrorCode.INVOICE_CREDIT_AMOUNT_INVALID;
    case 'ADJUSTMENT':
      return ErrorCode.INVOICE_ITEM_ADJUSTMENT_AMOUNT_SHOULD_BE_POSITIVE;
    case 'CHARGE':
    case 'ACCOUNT_CREDIT':
      return ErrorCode.INVOICE_EXTERNAL_CHARGE_AMOUNT_INVALID;
  }
}
