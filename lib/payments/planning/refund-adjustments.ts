import { adjustedAmount, balanceOf, checkTexts, followingTaxes } from '../../invoicing/index.ts';
import type { Invoice, InvoiceItem, InvoiceRefund, RefundedAmount } from '../../records/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
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

/** An item that a refund adjusts. By default, the item's whole remainder is adjusted. */
export interface RefundAdjustmentInput {
  readonly invoiceItemId: Uuid;
  readonly amount?: Decimal | null;
  /**
   * Description of the adjustment, up to 255 characters. Defaults to the default description of adjustments (invoicing
   * §1.3).
   */
  readonly description?: string | null;
}

interface RefundTerms {
  readonly amount: Decimal | null;
  readonly isAdjusted: boolean;
  readonly adjustments: readonly RefundAdjustmentInput[];
}

type AmountForm = Pick<AmountStatement, 'currency' | 'roundsFloatNoise'>;

/** The amount of a refund and its item adjustments (§9.5 rule 1 a–c). */
export interface AdjustedRefund {
  readonly amount: Decimal;
  readonly adjustments: InvoiceRefund['adjustments'];
}

/**
 * Returns the amount and the adjustments of a refund. If the payment has another currency than its invoice, the
 * adjustments are compared with the refunded share of the invoice.
 * @throws BillingError INVOICE_ITEMS_ADJUSTMENT_MISSING (4025), INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID (4020),
 * INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID (4021), PAYMENT_PLUGIN_EXCEPTION (7199) without an amount above 0,
 * INVOICE_REFUND_AMOUNT_DONT_MATCH_ITEMS_TO_ADJUST (4907) for less than the adjustments, MISSING_OR_INVALID_FIELD
 * (60003) for an adjustment with too many digits or an invalid description.
 */
export function adjustedRefund(
  asked: RefundTerms,
  paid: AmountForm & {
    readonly items: readonly InvoiceItem[];
    /** The refunded payment, or null if the refund is in the invoice's own currency. */
    readonly of: PaidRows | null;
  },
): AdjustedRefund {
  const { items, of, ...form } = paid;
  const adjustments = asked.isAdjusted ? adjustmentsOf(asked.adjustments, items, form) : [];
  const adjusted = sum(adjustments.map(({ amount }) => amount));
  const needed = of === null ? adjusted : refundFor(adjusted, of);
  const amount = asked.amount ?? (adjustments.length > 0 ? needed : null);
  if (amount === null || amount.lessThanOrEqualTo(0)) {
    const message = 'A refund needs an amount above 0, or items to adjust';
    const facts = { amount: amount === null ? null : formatDecimal(amount) };
    throw billingError(ErrorCode.PAYMENT_PLUGIN_EXCEPTION, message, facts);
  }
  const share = of === null ? amount : refundShare(amount, of);
  if (share.greaterThanOrEqualTo(adjusted)) return { amount, adjustments };
  const named = new Set(asked.adjustments.map(({ invoiceItemId }) => invoiceItemId));
  const following = sum(adjustments.flatMap((each) => (named.has(each.invoiceItemId) ? [] : [each.amount])));
  const taxes = following.isZero() ? '' : `, which includes the taxes of ${formatDecimal(following)}`;
  throw billingError(
    ErrorCode.INVOICE_REFUND_AMOUNT_DONT_MATCH_ITEMS_TO_ADJUST,
    `A refund that reduces the invoice by ${formatDecimal(share)} cannot adjust its items by ${formatDecimal(adjusted)}${taxes}`,
    { amount: formatDecimal(amount), adjusted: formatDecimal(adjusted) },
  );
}

/**
 * Returns the adjustments, one per item. If an item is named twice, its adjustment has the sum of the amounts and the
 * first description. Adds the taxes of the adjusted charges, except taxes that are named (invoicing §9 rule 4).
 */
function adjustmentsOf(
  asked: readonly RefundAdjustmentInput[],
  items: readonly InvoiceItem[],
  form: AmountForm,
) {
  if (asked.length === 0) {
    const message = 'A refund that adjusts the invoice needs the items to adjust';
    throw billingError(ErrorCode.INVOICE_ITEMS_ADJUSTMENT_MISSING, message);
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
    const total = amount.plus(before?.amount ?? ZERO);
    taken.set(invoiceItemId, { invoiceItemId, amount: total, ...(described && { description: described }) });
  }
  const charges = [...taken.keys()].flatMap((id) => remaining.get(id) ?? []);
  const following = charges.flatMap((charge) => followingTaxes(charge, items));
  const added = following.filter(({ tax }) => !taken.has(tax.id));
  return [...taken.values(), ...added.map(({ tax, amount }) => ({ invoiceItemId: tax.id, amount }))];
}

function notOnInvoice(invoiceItemId: Uuid) {
  const message = `Invoice item ${invoiceItemId} is not on the invoice that was paid`;
  return billingError(ErrorCode.INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID, message, { invoiceItemId });
}

function notPositive(invoiceItemId: Uuid) {
  const message = `The adjustment of invoice item ${invoiceItemId} must be more than 0`;
  return billingError(ErrorCode.INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID, message, { invoiceItemId });
}

export interface Share {
  readonly invoice: Invoice;
  readonly amount: Decimal;
}

/** Splits the amount among the invoices, oldest first. Each invoice gets at most its balance (§9.6 rule 2). */
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
