import { isAdjustable } from '../invoicing/index.ts';
import { type Account, type Invoice, type InvoiceItem, InvoiceStatus } from '../records/index.ts';
import { belowMinorUnit, formatDecimal, moneyText } from '../values/money/index.ts';
import type { CountedBalance } from './account-sums.ts';
import { CheckedInvariant, type Finding } from './model.ts';

type Owed = Pick<Invoice, 'id' | 'status' | 'isMigration' | 'isWrittenOff' | 'rawBalance' | 'currency'>;
type Adjusted = Pick<InvoiceItem, 'id' | 'itemType' | 'repairable'>;

/**
 * Finds a balance that no payment in whole minor units can settle, which amounts of older data have left, with the
 * adjustment that ends it.
 */
export function finerBalance(invoice: Owed, items: readonly Adjusted[]): readonly Finding[] {
  const { id, currency, rawBalance } = invoice;
  if (invoice.status !== InvoiceStatus.COMMITTED || invoice.isMigration || invoice.isWrittenOff) return [];
  const rest = belowMinorUnit(rawBalance, currency);
  if (rest.lessThanOrEqualTo(0)) return [];
  const item = items.find((each) => isAdjustable(each) && each.repairable.greaterThanOrEqualTo(rest));
  const remedy =
    item === undefined ? 'Write the invoice off' : `Adjust its item ${item.id} by ${formatDecimal(rest)}`;
  return [
    finding(`invoice ${id} owes ${moneyText(rawBalance, currency)}, finer than its currency. ${remedy}`),
  ];
}

/** Finds account credit that is finer than the currency; the next invoice uses it, and is found for what that leaves. */
export function finerCredit(
  { currency }: Pick<Account, 'currency'>,
  { accountCBA }: Pick<CountedBalance, 'accountCBA'>,
): readonly Finding[] {
  if (currency === null || belowMinorUnit(accountCBA, currency).isZero()) return [];
  const credit = moneyText(accountCBA, currency);
  return [
    finding(
      `account credit is ${credit}, finer than its currency. Check again once an invoice has used it, and adjust that`,
    ),
  ];
}

function finding(message: string): Finding {
  return { invariant: CheckedInvariant.MINOR_UNIT, message };
}
