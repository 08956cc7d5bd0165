import { couponEndHandler, couponOperations } from '../coupons/index.ts';
import { loadAccountBilling } from '../invoicing/index.ts';
import type { Foundation } from './foundation.ts';

/** Returns the operations on coupons. */
export function couponArea({ ports, catalogs, invoicingConfig }: Foundation) {
  const loadBilling = loadAccountBilling(invoicingConfig);
  return {
    handlers: [couponEndHandler(ports, catalogs, loadBilling)],
    operations: { coupons: couponOperations(ports, catalogs, loadBilling) },
  };
}
