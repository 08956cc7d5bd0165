import type {
  CounterKey,
  DrawLimit,
  DrawnCounter,
  FeatureReads,
  FeatureWrites,
  QuotaDraw,
} from '../../../lib/ports/storage/index.ts';
import { Decimal, decimal } from '../../../lib/values/money/index.ts';
import { featureOverrideAudit } from '../audit/audited-records.ts';
import type { WriteScope } from '../audit/audited-writes.ts';
import { numberIn, type Row, textIn, writeDay } from '../sql/columns.ts';
import { isIn, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import {
  featureOverridesTable,
  featureStatesTable,
  quotaCountersTable,
  quotaUsesTable,
} from '../tables/features.ts';
import type { TenantScope } from '../tables/record-access.ts';

export function featureReads(scope: TenantScope): FeatureReads {
  return {
    overridesOfAccounts: async (accountIds) =>
      scope.select(featureOverridesTable, scope.ofAccounts(accountIds)),
    findOverrides: async (ids) => scope.selectByIds(featureOverridesTable, ids),
    kindsOfOverrides: async (features) => {
      if (features.length === 0) return [];
      return scope.runner.readAs((row) => ({
        feature: textIn(row, 'feature'),
        kind: textIn(row, 'kind'),
      }))`
        select distinct feature, kind from bw_feature_overrides
        where ${scope.ofTenant} and ${isIn('feature', 'text', features)} order by feature, kind`;
    },
    accountsWithOverrides: async ({ features, afterRecordId, limit }) => {
      if (features?.length === 0) return [];
      return scope.runner.readAs((row) => numberIn(row, 'account_record_id'))`
        select distinct account_record_id from bw_feature_overrides
        where ${scope.ofTenant} and ${features === null ? sql`true` : isIn('feature', 'text', features)}
          and account_record_id > ${afterRecordId}
        order by account_record_id limit ${limit}`;
    },
    states: async (accountRecordIds) =>
      scope.selectBy(featureStatesTable, 'accountRecordId', accountRecordIds),
    counters: async (keys) => {
      if (keys.length === 0) return [];
      const columns = quotaCountersTable.columnsOf(['ownerId', 'feature', 'periodStart']);
      const rows = keys.map((key) =>
        quotaCountersTable.encodeOnly(['ownerId', 'feature', 'periodStart'], key),
      );
      const found = await scope.runner.readAs(quotaCountersTable)`
        select ${scope.columns(quotaCountersTable, 'c')} from bw_quota_counters c
        join ${rowsAs('k', columns, rows)}
          on c.owner_id = k.owner_id and c.feature = k.feature and c.period_start = k.period_start
        where c.tenant_record_id = ${scope.tenantRecordId}`;
      return found.map((counter) => ({
        ...counter,
        used: joinAmount(counter.usedWhole, counter.usedFraction),
      }));
    },
    findUse: async ({ accountRecordId, feature, key, since }) => {
      const [use] = await scope.select(
        quotaUsesTable,
        sql`account_record_id = ${accountRecordId} and feature = ${feature} and ${isIn('use_key', 'text', [key])}
          and created_date >= ${since}`,
      );
      return use ?? null;
    },
  };
}

export function featureWrites(scope: WriteScope): FeatureWrites {
  return {
    insertOverrides: async (overrides) => scope.insertAudited(featureOverrideAudit, overrides),
    endOverrides: async (overrides) =>
      scope.updateAudited(featureOverrideAudit, {
        properties: ['until', 'updatedDate'],
        records: overrides,
      }),
    draw: async (draw) => drawQuota(scope, draw),
    giveBack: async ({ amount, ...key }) => {
      const { whole, fraction } = splitAmount(amount);
      await scope.runner.run(sql`
        update bw_quota_counters
        set ${assignUsedAmount(difference(whole, fraction))} where ${hasKey(scope, key)}`);
    },
    announce: async (reached) => {
      if (reached.length === 0) return;
      const rows = reached.map((counter) => quotaCountersTable.encodeOnly(ANNOUNCED, counter));
      await scope.runner.run(sql`
        update bw_quota_counters set announced = k.announced
        from ${rowsAs('k', quotaCountersTable.columnsOf(ANNOUNCED), rows)}
        where bw_quota_counters.tenant_record_id = ${scope.tenantRecordId}
          and bw_quota_counters.owner_id = k.owner_id and bw_quota_counters.feature = k.feature
          and bw_quota_counters.period_start = k.period_start`);
    },
    saveStates: async (states) =>
      scope.insertAll(
        featureStatesTable,
        states,
        sql`on conflict (tenant_record_id, account_record_id) do update set feature_values = excluded.feature_values`,
      ),
    insertUse: async (use, since) => {
      const { affected } = await scope.runner.run(sql`
        ${scope.insertInto(quotaUsesTable, [use])}
        on conflict (tenant_record_id, account_record_id, feature, use_key)
        do update set ${raw(replacedUse)} where bw_quota_uses.created_date < ${since}`);
      return affected === 1;
    },
    releaseUse: async (id) => {
      const { affected } = await scope.runner.run(sql`
        update bw_quota_uses set is_released = ${true} where ${scope.haveIds([id])} and not is_released`);
      return affected === 1;
    },
  };
}

const ANNOUNCED = ['ownerId', 'feature', 'periodStart', 'announced'] as const;

/** Adds an amount to a counter, in one statement. Returns null if the limit does not allow the amount. */
export async function drawQuota(
  scope: TenantScope,
  { amount, limits, ...key }: QuotaDraw,
): Promise<DrawnCounter | null> {
  const { whole, fraction } = splitAmount(amount);
  const counter = { ...key, usedWhole: whole, usedFraction: fraction, announced: 0 };
  const used = sum(whole, fraction);
  const [first = sql`true`, ...others] = (limits ?? []).map((limit) => isWithin(used, limit));
  const [row] = await scope.runner.rows(sql`
    ${scope.insertInto(quotaCountersTable, [counter])}
    on conflict (tenant_record_id, owner_id, feature, period_start)
    do update set ${assignUsedAmount(used)}
    where ${others.reduce((either, other) => sql`${either} or ${other}`, first)}
    returning used_whole, used_fraction, announced`);
  return row === undefined ? null : { used: readUsedAmount(row), announced: numberIn(row, 'announced') };
}

/** Assignments for a use of a quota that replaces an expired use with the same key. */
const replacedUse = quotaUsesTable
  .columnsOf(['id', 'amount', 'outcome', 'isReleased', 'createdDate'])
  .map(({ name }) => `${name} = excluded.${name}`)
  .join(', ');

function hasKey({ ofTenant }: TenantScope, { ownerId, feature, periodStart }: CounterKey): Sql {
  return sql`${ofTenant} and ${isIn('owner_id', 'uuid', [ownerId])} and feature = ${feature}
    and period_start = ${writeDay(periodStart)}`;
}

/** Number of digits after the decimal point of a counter, and the number of smallest fractions that add up to 1. */
const FRACTION_DIGITS = 10;
const UNIT = 10 ** FRACTION_DIGITS;

function splitAmount(amount: Decimal) {
  const whole = amount.floor();
  return { whole: whole.toNumber(), fraction: amount.minus(whole).times(UNIT).toNumber() };
}

function joinAmount(whole: number, fraction: number): Decimal {
  return decimal(whole).plus(decimal(fraction).dividedBy(UNIT));
}

function readUsedAmount(row: Row): Decimal {
  return joinAmount(numberIn(row, 'used_whole'), numberIn(row, 'used_fraction'));
}

interface UsedSql {
  readonly whole: Sql;
  readonly fraction: Sql;
}

const WHOLE = raw('bw_quota_counters.used_whole');
const FRACTION = raw('bw_quota_counters.used_fraction');
const ONE = raw(String(UNIT));

/** The largest used amount that both databases and JavaScript store exactly. */
const MAX_USED = decimal(Number.MAX_SAFE_INTEGER);

/** Returns SQL for the whole part and the fraction of the sum of a counter and an amount. */
function sum(whole: number, fraction: number): UsedSql {
  return {
    whole: sql`${WHOLE} + ${whole} + case when ${FRACTION} + ${fraction} >= ${ONE} then 1 else 0 end`,
    fraction: sql`(${FRACTION} + ${fraction}) % ${ONE}`,
  };
}

function difference(whole: number, fraction: number): UsedSql {
  return {
    whole: sql`${WHOLE} - ${whole} - case when ${FRACTION} < ${fraction} then 1 else 0 end`,
    fraction: sql`(${FRACTION} - ${fraction} + ${ONE}) % ${ONE}`,
  };
}

function assignUsedAmount({ whole, fraction }: UsedSql): Sql {
  return sql`used_whole = ${whole}, used_fraction = ${fraction}`;
}

function isWithin(used: UsedSql, { announced, upTo }: DrawLimit): Sql {
  const { whole, fraction } = splitAmount(Decimal.min(upTo, MAX_USED));
  return sql`(bw_quota_counters.announced >= ${announced}
    and (${used.whole} < ${whole} or (${used.whole} = ${whole} and ${used.fraction} <= ${fraction})))`;
}
