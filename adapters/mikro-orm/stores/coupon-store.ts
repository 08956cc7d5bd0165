import type { CouponReads, CouponWrites } from '../../../lib/ports/storage/index.ts';
import { ChangeType, type Coupon, couponFields, foldedCode } from '../../../lib/records/index.ts';
import { couponAudit, redemptionAudit } from '../audit/audited-records.ts';
import type { WriteScope } from '../audit/audited-writes.ts';
import { idIn, inputColumns } from '../sql/columns.ts';
import { isIn, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import { couponsTable, redemptionsTable, type StoredCoupon } from '../tables/coupons.ts';
import type { TenantScope } from '../tables/record-access.ts';

/** The properties that an update of a coupon may write. */
const changedProperties = (Object.keys(couponFields) as readonly (keyof Coupon)[]).filter(
  (name) => name !== 'recordId' && name !== 'id' && name !== 'redeemedCount' && name !== 'createdDate',
);
const addedColumns = inputColumns({ added: 'integer' });

export function couponReads(scope: TenantScope): CouponReads {
  return {
    findByCodes: async (codes) => scope.selectBy(couponsTable, 'foldedCode', codes.map(foldedCode)),
    findByIds: async (ids) => scope.selectByIds(couponsTable, ids),
    page: async (request) => scope.page(couponsTable, { request }),
    findRedemptions: async (ids) => scope.selectByIds(redemptionsTable, ids),
    redemptionsOfSubscription: async (subscriptionId) =>
      scope.select(
        redemptionsTable,
        sql`account_record_id = (
            select account_record_id from bw_subscriptions where ${scope.haveIds([subscriptionId])}
          ) and (subscription_id is null or ${isIn('subscription_id', 'uuid', [subscriptionId])})`,
      ),
    redemptionsOf: async (accountRecordIds) =>
      scope.selectBy(redemptionsTable, 'accountRecordId', accountRecordIds),
  };
}

export function couponWrites(scope: WriteScope): CouponWrites {
  const lock = (condition: Sql) =>
    scope.runner.readAs(couponsTable)`
      select ${scope.columns(couponsTable)} from bw_coupons
      where ${condition} order by record_id ${raw(scope.runner.dialect.forUpdate)}`;
  return {
    lockByCodes: async (codes) =>
      lock(sql`${scope.ofTenant} and ${isIn('folded_code', 'text', codes.map(foldedCode))}`),
    lockByIds: async (ids) => lock(scope.haveIds(ids)),
    insert: async (coupons) => scope.insertAudited(couponAudit, coupons.map(addFoldedCode)),
    update: async (coupons) =>
      scope.updateAudited(couponAudit, {
        properties: [...changedProperties, 'foldedCode'],
        records: coupons.map(addFoldedCode),
      }),
    countRedemptions: async (counts) => {
      const given = rowsAs('r', [...couponsTable.columnsOf(['id']), ...addedColumns], [...counts]);
      return scope.runner.readAs((row) => idIn(row, 'id'))`
        update bw_coupons set redeemed_count = redeemed_count + r.added from ${given}
        where +bw_coupons.tenant_record_id = ${scope.tenantRecordId} and bw_coupons.id = r.id
          and (max_redemptions is null or redeemed_count + r.added <= max_redemptions)
        returning bw_coupons.id`;
    },
    insertRedemptions: async (redemptions) => scope.insertAudited(redemptionAudit, redemptions),
    endRedemptions: async (redemptions) =>
      scope.updateAudited(redemptionAudit, {
        properties: ['ended', 'isOver', 'updatedDate'],
        records: redemptions,
      }),
    deleteRedemptions: async (redemptions) => {
      const ids = redemptions.map(({ id }) => id);
      await scope.runner.run(sql`delete from bw_coupon_redemptions where ${scope.haveIds(ids)}`);
      for (const record of redemptions)
        scope.noteChange(redemptionAudit, { record, changeType: ChangeType.DELETE });
    },
  };
}

function addFoldedCode<C extends Omit<Coupon, 'recordId'>>(coupon: C): C & StoredCoupon {
  return { ...coupon, foldedCode: foldedCode(coupon.code) };
}
