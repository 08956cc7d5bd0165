import {
  type AmountOff,
  type Coupon,
  couponFields,
  type New,
  redemptionFields,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { jsonReadOrNull, searchOnly, text } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/** A coupon with its code in lowercase. JavaScript converts it, so that both databases find the same codes. */
export type StoredCoupon = New<Coupon> & { readonly foldedCode?: string };

const amountOff = jsonReadOrNull('amount_off', (stored: Readonly<Record<string, string>>): AmountOff => {
  const amounts = Object.entries(stored).map(([currency, amount]) => [currency, decimal(amount)]);
  return Object.fromEntries(amounts);
});

export const couponsTable = new RecordTable<StoredCoupon>(
  'coupons',
  { ...columnsOf(couponFields), amountOff, ...searchOnly({ foldedCode: text }) },
  {
    uniques: { id: 'id', code: 'tenant_record_id, folded_code' },
    violations: {
      code: {
        code: ErrorCode.COUPON_ALREADY_EXISTS,
        column: 'code',
        message: (code) => `A coupon with ${code} already exists; choose a different code`,
      },
    },
    indexes: { page: 'tenant_record_id, record_id' },
  },
);

export const redemptionsTable = new RecordTable(
  'coupon_redemptions',
  { ...columnsOf(redemptionFields), amountOff },
  { uniques: { id: 'id' }, indexes: { account: 'tenant_record_id, account_record_id, record_id' } },
);
