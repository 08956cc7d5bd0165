import type { Principal } from '../../../../lib/records/index.ts';
import { checkPermission } from '../../auth/credentials.ts';
import type { ErrorName } from '../../routing/route.ts';

/** The additional permission for operations that redeem coupons with a subscription (coupons §6). */
export const couponPermission = { 'with `coupons`': 'coupon:redeem' } as const;

/** The errors for a coupon that cannot be redeemed (coupons §2). */
export const redemptionErrors: readonly ErrorName[] = [
  'COUPON_NOT_FOUND',
  'COUPON_INACTIVE',
  'COUPON_EXPIRED',
  'COUPON_USED_UP',
  'COUPON_ALREADY_REDEEMED',
  'COUPON_NOT_APPLICABLE',
  'COUPON_WITHOUT_CURRENCY',
];

/**
 * Checks that the user may redeem the coupons in these requests.
 * @throws BillingError 40000 if the permission is missing.
 */
export function checkCoupons(
  user: Principal | null,
  requests: readonly ({ readonly coupons?: readonly string[] | null | undefined } | null)[],
): void {
  if (requests.some((request) => (request?.coupons ?? []).length > 0)) checkPermission(user, 'coupon:redeem');
}
