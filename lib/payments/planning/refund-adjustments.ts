import { adjustedAmount, balanceOf, checkTexts } from '../../invoicing/index.ts';
import type { Invoice, InvoiceItem, InvoiceRefund, RefundedAmount } from '../../records/index.ts';
import { type BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  type AmountStatement,
  type Decimal,
  formatDecimal,
  statedAmount,
  sum,
  ZERO,
} from '../../values/money/index.ts';
import { type PaidRows, refundFor, refundShare } from '../state/invoice-remainder.ts';
import { paymentError } from '../state/payment-errors.ts';

/** An item that a refund is to adjust; without an amount all that remains of it. */
export interface RefundAdjustmentInput {
  readonly invoiceItemId: Uuid;
  readonly amount?: Decimal | null;
  /** Of the adjustment, up to 255 characters; default that of every adjustment (invoicing §1.3). */
  readonly description?: string | null;
}

interface AskedRefund {
  readonly amount: Decimal | null;
  readonly isAdjusted: boolean;
  readonly adjustments: readonly RefundAdjustmentInput[];
}

type AmountForm = Pick<AmountStatement, 'currency' | 'roundsFloatNoise'>;

/** How much is refunded, and what of which items (§9.5 rule 1 a–c). */
export interface AdjustedRefund {
  readonly amount: Decimal;
  readonly adjustments: InvoiceRefund['adjustments'];
}

/**
 * Amount and adjustments of a refund: of a payment in another currency than its invoice the adjustments are compared with
 * the share of the invoice that goes back.
 * @throws BillingError INVOICE_ITEMS_ADJUSTMENT_MISSING (4025), INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID (4020),
 * INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID (4021), PAYMENT_PLUGIN_EXCEPTION (7199) without an amount above 0,
 * INVOICE_REFUND_AMOUNT_DONT_MATCH_ITEMS_TO_ADJUST (4907) for less than is adjusted, MISSING_OR_INVALID_FIELD (60003) for
 * an adjustment that is finer than the currency and for a description that cannot be stored.
 */
export function adjustedRefund(
  asked: AskedRefund,
  {
    items,
    of,
    ...form
  }: AmountForm & {
    readonly items: readonly InvoiceItem[];
    /** What is given back of; null = the invoice's own currency. */
    readonly of: PaidRows | null;
  },
): AdjustedRefund {
  const adjustments = asked.isAdjusted ? adjustmentsOf(asked.adjustments, items, form) : [];
  const adjusted = sum(adjustments.map(({ amount }) => amount));
  const amount = asked.amount ?? (adjustments.length > 0 ? amountFor(adjusted, of) : null);
  if (amount === null || amount.lessThanOrEqualTo(0)) {
    throw paymentError(
      ErrorCode.PAYMENT_PLUGIN_EXCEPTION,
      'A refund needs an amount above 0, or items to adjust',
      { amount: amount === null ? null : formatDecimal(amount) },
    );
  }
  const share = of === null ? amount : refundShare(amount, of);
  if (share.greaterThanOrEqualTo(adjusted)) return { amount, adjustments };
  throw paymentError(
    ErrorCode.INVOICE_REFUND_AMOUNT_DONT_MATCH_ITEMS_TO_ADJUST,
    `A refund that takes ${formatDecimal(share)} off the invoice is less than the ${formatDecimal(adjusted)} that its items are adjusted by`,
    { amount: formatDecimal(amount), adjusted: formatDecimal(adjusted) },
  );
}

function amountFor(adjusted: Decimal, of: PaidRows | null): Decimal {
  return of === null ? adjusted : refundFor(adjusted, of);
}

/** One for each item: named twice, it is adjusted by the sum, with the first description that is given. */
function adjustmentsOf(
  asked: readonly RefundAdjustmentInput[],
  items: readonly InvoiceItem[],
  form: AmountForm,
): InvoiceRefund['adjustments'] {
  if (asked.length === 0) {
    throw paymentError(
      ErrorCode.INVOICE_ITEMS_ADJUSTMENT_MISSING,
      'A refund that adjusts the invoice needs the items to adjust',
    );
  }
  const remaining = new Map(items.map((item) => [item.id, item]));
  const taken = new Map<Uuid, RefundedAmount>();
  for (const { invoiceItemId, amount: stated, description = null } of asked) {
    checkTexts({ description });
    const item = remaining.get(invoiceItemId);
    if (!item) throw notOnInvoice(invoiceItemId);
    const given = stated == null ? null : statedAmount(stated, { ...form, rest: item.repairable });
    if (given?.lessThanOrEqualTo(0)) throw notPositive(invoiceItemId);
    const amount = adjustedAmount(item, given);
    if (amount.isZero()) throw notPositive(invoiceItemId);
    remaining.set(invoiceItemId, { ...item, repairable: item.repairable.minus(amount) });
    const before = taken.get(invoiceItemId);
    const described = before?.description ?? (description || undefined);
    taken.set(invoiceItemId, {
      invoiceItemId,
      amount: amount.plus(before?.amount ?? ZERO),
      ...(described === undefined ? {} : { description: described }),
    });
  }
  return [...taken.values()];
}

function notOnInvoice(invoiceItemId: Uuid): BillingError {
  return paymentError(
    ErrorCode.INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID,
    `Invoice item ${invoiceItemId} is not on the invoice that was paid`,
    { invoiceItemId },
  );
}

function notPositive(invoiceItemId: Uuid): BillingError {
  return paymentError(
    ErrorCode.INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID,
    `The adjustment of invoice item ${invoiceItemId} must be more than 0`,
    { invoiceItemId },
  );
}

export interface Share {
  readonly invoice: Invoice;
  readonly amount: Decimal;
}

/** The oldest first, each at most its balance (§9.6 rule 2). */
export function sharesOf(due: readonly Invoice[], amount: Decimal | null): readonly Share[] {
  const shares: Share[] = [];
  let rest = amount;
  for (const invoice of due) {
    const balance = balanceOf(invoice);
    const share = rest === null || rest.greaterThan(balance) ? balance : rest;
    if (share.lessThanOrEqualTo(0)) break;
    shares.push({ invoice, amount: share });
    rest = rest === null ? null : rest.minus(share);
  }
  return shares;
}
