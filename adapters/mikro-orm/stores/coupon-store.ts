import type { CouponReads, CouponWrites } from '../../../lib/ports/storage/index.ts';
import type { Coupon } from '../../../lib/records/index.ts';
import { couponAudit, redemptionAudit } from '../audit/audited-records.ts';
import type { WriteScope } from '../audit/audited-writes.ts';
import { sql } from '../sql/sql.ts';
import { couponsTable, redemptionsTable, type StoredCoupon } from '../tables/coupons.ts';
import type { TenantScope } from '../tables/record-access.ts';

export function couponReads(scope: TenantScope): CouponReads {
  return {
    findByCodes: async (codes) =>
      scope.selectBy(
        couponsTable,
        'foldedCode',
        codes.map((code) => code.toLowerCase()),
      ),
    page: async (request) => scope.page(couponsTable, { request }),
    findRedemptions: async (ids) => scope.selectByIds(redemptionsTable, ids),
    redemptionsOfAccounts: async (accountIds) => scope.select(redemptionsTable, scope.ofAccounts(accountIds)),
  };
}

export function couponWrites(scope: WriteScope): CouponWrites {
  return {
    insert: async (coupons) => scope.insertAudited(couponAudit, coupons.map(storedOf)),
    update: async (coupons) =>
      scope.updateAudited(couponAudit, {
        properties: ['name', 'redeemBy', 'maxRedemptions', 'isActive', 'updatedDate'],
        records: coupons,
      }),
    countRedemption: async (couponId) => {
      const { affected } = await scope.runner.run(sql`
        update bw_coupons set redeemed_count = redeemed_count + 1
        where ${scope.haveIds([couponId])}
          and (max_redemptions is null or redeemed_count < max_redemptions)`);
      return affected === 1;
    },
    insertRedemptions: async (redemptions) => {
      await scope.insertAudited(redemptionAudit, redemptions);
      return scope.selectByIds(
        redemptionsTable,
        redemptions.map(({ id }) => id),
      );
    },
    endRedemptions: async (redemptions) =>
      scope.updateAudited(redemptionAudit, { properties: ['ended', 'updatedDate'], records: redemptions }),
  };
}

function storedOf<C extends Omit<Coupon, 'recordId'>>(coupon: C): C & StoredCoupon {
  return { ...coupon, foldedCode: coupon.code.toLowerCase() };
}
