import type {
  SettledRequest,
  SettledSubscription,
  UsageArchiveReads,
  UsageSplitRequest,
} from '../../../../lib/ports/storage/index.ts';
import type { UsagePiece } from '../../../../lib/records/index.ts';
import { assertInvariant } from '../../../../lib/values/errors/index.ts';
import { isUuid } from '../../../../lib/values/ids/index.ts';
import { decimal } from '../../../../lib/values/money/index.ts';
import type { LocalDate } from '../../../../lib/values/time/index.ts';
import { type Column, dateOf, numberOf, textOf } from '../../sql/columns.ts';
import { writeDay } from '../../sql/remembered-dates.ts';
import { firstRowsAs, sql } from '../../sql/sql.ts';
import type { TenantScope } from '../../tables/record-access.ts';
import { readRange } from './part-of-day.ts';

const bucketColumns: readonly Column[] = [
  { name: 'request', type: 'bigint', nullable: false },
  { name: 'subscription_record_id', type: 'bigint', nullable: false },
  { name: 'local_date', type: 'date', nullable: false },
  { name: 'unit', type: 'text', nullable: false },
];

export function usageArchiveReads(scope: TenantScope): UsageArchiveReads {
  const { runner, tenantRecordId } = scope;
  return {
    settledSubscriptions: async (request) => settledSubscriptions(scope, request),
    archivedDays: async (subscriptionRecordId, days) => {
      if (days.length === 0) return [];
      const rows = [...new Set(days)].map((day) => [writeDay(day)]);
      const dayColumn: Column = { name: 'local_date', type: 'date', nullable: false };
      return runner.read(
        sql`
        select distinct d.local_date
        from ${firstRowsAs('r', [dayColumn], rows)} cross join bw_usage_days d
        where d.tenant_record_id = ${tenantRecordId} and d.subscription_record_id = ${subscriptionRecordId}
          and d.local_date = r.local_date and d.archived_count is not null
        order by d.local_date`,
        ({ local_date }) => dateOf(local_date, 'local_date'),
      );
    },
  };
}

async function settledSubscriptions(
  { runner, tenantRecordId }: TenantScope,
  { before, settings, after, limit }: SettledRequest,
): Promise<readonly SettledSubscription[]> {
  return runner.read(
    sql`
    select s.record_id, s.id, c.account_record_id
    from bw_subscriptions s cross join bw_invoicing_cursors c
    where s.tenant_record_id = ${tenantRecordId} and s.record_id > ${after}
      and c.tenant_record_id = ${tenantRecordId} and c.subscription_id = s.id
      and c.usage_settings = ${settings} and c.dirty_from is null and c.usage_from is not null
      and exists (
        select 1 from bw_usage_points p
        where p.tenant_record_id = ${tenantRecordId} and p.subscription_record_id = s.record_id
          and p.local_date < ${writeDay(before)} and p.local_date < c.usage_from)
    order by s.record_id limit ${limit}`,
    ({ record_id, id, account_record_id }) => {
      const subscriptionId = textOf(id, 'id');
      assertInvariant(isUuid(subscriptionId), 'A subscription has no id');
      return {
        subscriptionRecordId: numberOf(record_id, 'record_id'),
        subscriptionId,
        accountRecordId: numberOf(account_record_id, 'account_record_id'),
      };
    },
  );
}

/** For each request, the pieces of its day that are archived, as they were archived. */
export async function archivedPieces(
  { runner, tenantRecordId }: TenantScope,
  requests: readonly UsageSplitRequest[],
): Promise<readonly (readonly UsagePiece[])[]> {
  const found: UsagePiece[][] = requests.map(() => []);
  const rows = requests.map(({ subscriptionRecordId, localDate, unit }, request) => [
    request,
    subscriptionRecordId,
    writeDay(localDate as LocalDate),
    unit,
  ]);
  await runner.read(
    sql`
    select r.request, r.unit as name, a.local_date, a.after_ordinal, a.part, a.up_to_ordinal, a.amount_sum, a.amount_max
    from ${firstRowsAs('r', bucketColumns, rows)}
      cross join bw_usage_units unit cross join bw_usage_archived_pieces a
    where unit.tenant_record_id = ${tenantRecordId} and unit.name = r.unit
      and a.tenant_record_id = ${tenantRecordId} and a.subscription_record_id = r.subscription_record_id
      and a.local_date = r.local_date and a.unit_record_id = unit.record_id
    order by r.request, a.after_ordinal, a.part`,
    (row) => {
      const sum = decimal(textOf(row.amount_sum, 'amount_sum'));
      const max = decimal(textOf(row.amount_max, 'amount_max'));
      found[numberOf(row.request, 'request')]?.push({ ...readRange(row), sum, max });
    },
  );
  return found;
}
