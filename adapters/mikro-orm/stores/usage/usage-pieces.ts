import type {
  UsageArchiveReads,
  UsageDaysRequest,
  UsageSplitRequest,
} from '../../../../lib/ports/storage/index.ts';
import type { DayUsage, PartOfDay, PointRange, UsagePiece } from '../../../../lib/records/index.ts';
import { assertInvariant } from '../../../../lib/values/errors/index.ts';
import { isUuid } from '../../../../lib/values/ids/index.ts';
import { MIN_YEAR } from '../../../../lib/values/limits.ts';
import { decimal } from '../../../../lib/values/money/index.ts';
import { instant, type LocalDate, localDate } from '../../../../lib/values/time/index.ts';
import {
  type Cell,
  type CellRows,
  dateIn,
  dateOf,
  inputColumns,
  numberIn,
  numberOf,
  type Row,
  textIn,
  textOf,
  writeDay,
} from '../../sql/columns.ts';
import { firstRowsAs, orderedText, raw, type Sql, sql } from '../../sql/sql.ts';
import type { TenantScope } from '../../tables/record-access.ts';

const requestColumns = inputColumns({ request: 'bigint', subscription_record_id: 'bigint' });
const rangeColumns = [
  ...requestColumns,
  ...inputColumns({ first_day: 'date' }),
  // This column limits the range to one day. If the value is null, the range contains all days from `first_day` on.
  ...inputColumns({ only_day: 'date' }),
];
/** Columns of a point range within a day. Null values match any value. */
export const pointRangeColumns = inputColumns({
  local_date: 'date',
  unit: 'text',
  after_ordinal: 'bigint',
  up_to_ordinal: 'bigint',
  of_day: 'boolean',
  start_at: 'bigint',
  end_at: 'bigint',
});

const pieceColumns = [
  ...inputColumns({ piece: 'bigint', subscription_record_id: 'bigint' }),
  ...pointRangeColumns,
];

const firstDay = localDate(MIN_YEAR, 1, 1);

export async function usageDays(
  { runner, tenantRecordId }: TenantScope,
  requests: readonly UsageDaysRequest[],
): Promise<readonly (readonly DayUsage[])[]> {
  const found: DayUsage[][] = requests.map(() => []);
  if (requests.length === 0) return found;
  await runner.read(
    sql`
    select r.request, d.local_date, unit.name, d.amount_sum, d.amount_max, d.point_count, d.version
    from ${firstRowsAs('r', rangeColumns, rangeRows(requests))} cross join bw_usage_days d
      join bw_usage_units unit on unit.record_id = d.unit_record_id
    where d.tenant_record_id = ${tenantRecordId} and d.subscription_record_id = r.subscription_record_id
      and d.local_date >= r.first_day and (r.only_day is null or d.local_date = r.only_day)
      and unit.tenant_record_id = ${tenantRecordId}
    order by r.request, d.local_date, ${orderedText('unit.name')}`,
    ({ request, local_date, name, amount_sum, amount_max, point_count, version }) => {
      found[numberOf(request, 'request')]?.push({
        unit: textOf(name, 'name'),
        localDate: dateOf(local_date, 'local_date'),
        count: numberOf(point_count, 'point_count'),
        version: numberOf(version, 'version'),
        sum: decimal(textOf(amount_sum, 'amount_sum')),
        max: amount_max === null ? null : decimal(textOf(amount_max, 'amount_max')),
      });
    },
  );
  return found;
}

/** Returns the rows of the ranges. Omits single days that the range starting at `from` already includes. */
function rangeRows(requests: readonly UsageDaysRequest[]): CellRows {
  return requests.flatMap(({ subscriptionRecordId, from, dates }, index) => {
    const own = [index, subscriptionRecordId];
    const all = [[...own, writeDay(from ?? firstDay), null]];
    if (from === null) return all;
    const before = [...new Set(dates)].filter((date) => date < from).map(writeDay);
    return [...all, ...before.map((date) => [...own, date, date])];
  });
}

type WantedPiece = Omit<UsagePiece, 'sum' | 'max' | 'upTo'> & {
  readonly request: number;
  readonly subscriptionRecordId: number;
  /** Last point of the range. Null means the last point of the day. */
  readonly upTo: number | null;
};

export async function usagePieces(
  scope: TenantScope,
  requests: readonly UsageSplitRequest[],
): Promise<readonly (readonly UsagePiece[])[]> {
  const wanted = requests.flatMap(wantedPieces);
  if (wanted.length === 0) return requests.map(() => []);
  // Archived pieces keep their boundaries, because the remaining points were added later.
  const found = (await archivedPieces(scope, requests)).map((pieces) => [...pieces]);
  const { runner, tenantRecordId } = scope;
  const { dialect } = runner;
  await runner.read(
    sql`
    select r.piece, ${raw(dialect.aggregate('sum', 'p.amount'))} as amount_sum,
      ${raw(dialect.aggregate('max', 'p.amount'))} as amount_max, max(d.point_count) as point_count,
      max(d.archived_count) as archived_count
    from ${firstRowsAs('r', pieceColumns, wanted.map(cellsOf))}
      cross join bw_usage_units unit cross join bw_usage_days d cross join bw_usage_points p
    where unit.tenant_record_id = ${tenantRecordId} and unit.name = r.unit
      and d.tenant_record_id = ${tenantRecordId} and d.subscription_record_id = r.subscription_record_id
      and d.local_date = r.local_date and d.unit_record_id = unit.record_id
      and p.tenant_record_id = ${tenantRecordId} and p.subscription_record_id = r.subscription_record_id
      and p.local_date = r.local_date and p.unit_record_id = unit.record_id
      and p.ordinal > r.after_ordinal and p.ordinal <= coalesce(r.up_to_ordinal, d.point_count)
      and (r.of_day is null or p.is_date_only = r.of_day)
      and (r.start_at is null or (p.recorded_for >= r.start_at and p.recorded_for < r.end_at))
      and not ${isVoided('p', tenantRecordId)}
    group by r.piece order by r.piece`,
    ({ piece, amount_sum, amount_max, point_count, archived_count }) => {
      const one = wanted[numberOf(piece, 'piece')];
      const [sum, max] = [dialect.decimalOf(amount_sum), dialect.decimalOf(amount_max)];
      assertInvariant(one && sum !== null && max !== null, 'A usage piece of a day has no sum');
      const { request, subscriptionRecordId: _, upTo, ...range } = one;
      const archived = archived_count === null ? 0 : numberOf(archived_count, 'archived_count');
      const after = Math.max(range.after, archived);
      found[request]?.push({ ...range, after, upTo: upTo ?? numberOf(point_count, 'point_count'), sum, max });
    },
  );
  return found;
}

function wantedPieces(
  { subscriptionRecordId, unit, localDate: date, bounds, ordinals }: UsageSplitRequest,
  request: number,
): readonly WantedPiece[] {
  const starts = [0, ...ordinals];
  return partsOf(bounds).flatMap((part) =>
    starts.map((after, index) => ({
      request,
      subscriptionRecordId,
      unit,
      localDate: date,
      part,
      after,
      upTo: starts[index + 1] ?? null,
    })),
  );
}

function partsOf(bounds: UsageSplitRequest['bounds']): readonly PartOfDay[] {
  if (bounds.length === 0) return ['ALL'];
  const parts = bounds.flatMap((from, index): readonly PartOfDay[] => {
    const to = bounds[index + 1];
    return to === undefined ? [] : [{ from, to }];
  });
  return ['DAY_POINTS', ...parts];
}

function cellsOf(piece: WantedPiece, index: number): readonly Cell[] {
  return [index, piece.subscriptionRecordId, ...rangeCells(piece)];
}

/**
 * Returns the condition for points of a voided submission. There are few such submissions, and they have their own
 * index.
 */
export function isVoided(point: string, tenantRecordId: number): Sql {
  return sql`exists (
    select 1 from bw_usage_keys k where k.tenant_record_id = ${tenantRecordId}
      and k.subscription_record_id = ${raw(point)}.subscription_record_id
      and k.record_id = ${raw(point)}.key_record_id and k.voided_date is not null)`;
}

const bucketColumns = inputColumns({
  request: 'bigint',
  subscription_record_id: 'bigint',
  local_date: 'date',
  unit: 'text',
});

export function usageArchiveReads(scope: TenantScope): UsageArchiveReads {
  const { runner, tenantRecordId } = scope;
  return {
    settledSubscriptions: async ({ before, settings, after, limit }) => {
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
    },
    archivedDays: async (subscriptionRecordId, days) => {
      if (days.length === 0) return [];
      const rows = [...new Set(days)].map((day) => [writeDay(day)]);
      return runner.read(
        sql`
        select distinct d.local_date
        from ${firstRowsAs('r', inputColumns({ local_date: 'date' }), rows)} cross join bw_usage_days d
        where d.tenant_record_id = ${tenantRecordId} and d.subscription_record_id = ${subscriptionRecordId}
          and d.local_date = r.local_date and d.archived_count is not null
        order by d.local_date`,
        ({ local_date }) => dateOf(local_date, 'local_date'),
      );
    },
  };
}

/** Returns the archived pieces for the day of each request. */
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
      const sum = decimal(textIn(row, 'amount_sum'));
      const max = decimal(textIn(row, 'amount_max'));
      found[numberIn(row, 'request')]?.push({ ...readRange(row), sum, max });
    },
  );
  return found;
}

export type OpenPointRange = Omit<PointRange, 'upTo'> & { readonly upTo: number | null };

export function rangeCells({ unit, localDate, part, after, upTo }: OpenPointRange): readonly Cell[] {
  const range = typeof part === 'object' ? [part.from, part.to] : [null, null];
  const ofDay = part === 'ALL' ? null : Number(part === 'DAY_POINTS');
  return [writeDay(localDate), unit, after, upTo, ofDay, ...range];
}

/** Condition for a point `p` in a range `r` of the same bucket. */
export const isInRange = `p.ordinal > r.after_ordinal and p.ordinal <= r.up_to_ordinal
  and (r.of_day is null or p.is_date_only = r.of_day)
  and (r.start_at is null or (p.recorded_for >= r.start_at and p.recorded_for < r.end_at))`;

export function writePart(part: PartOfDay): string {
  return typeof part === 'string' ? part : `${part.from} ${part.to}`;
}

function readPart(stored: string): PartOfDay {
  if (stored === 'ALL' || stored === 'DAY_POINTS') return stored;
  const [from = '', to = ''] = stored.split(' ');
  return { from: instant(Number(from)), to: instant(Number(to)) };
}

export function readRange(row: Row): PointRange {
  return {
    unit: textIn(row, 'name'),
    localDate: dateIn(row, 'local_date'),
    part: readPart(textIn(row, 'part')),
    after: numberIn(row, 'after_ordinal'),
    upTo: numberIn(row, 'up_to_ordinal'),
  };
}
