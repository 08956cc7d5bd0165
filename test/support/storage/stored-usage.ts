import type {
  RecordingOutcome,
  StoredUsageInterval,
  UsagePoint,
  UsageSubmission,
} from '../../../lib/records/index.ts';
import { type Storing, storeSubmissions } from '../../../lib/usage/operations/store-submissions.ts';
import { decimal, formatDecimal, sum } from '../../../lib/values/money/index.ts';
import { addDays, instant, type LocalDate, localDate } from '../../../lib/values/time/index.ts';
import type { TestDatabase } from '../databases.ts';
import { rowsOf } from '../queue-rows.ts';
import { author, newId } from './stored-records.ts';

/** In UTC. */
export const firstDay = localDate(2026, 4, 1);
export const dayMs = 24 * 3_600_000;
const firstMs = Date.UTC(2026, 3, 1);

export const dayAt = (index: number): LocalDate => addDays(firstDay, index);
export const instantAt = (day: number, hour = 0) => instant(firstMs + day * dayMs + hour * 3_600_000);

export function point(unit: string, amount: string, ...[day = 0, hour = 0]: readonly number[]): UsagePoint {
  return {
    unit,
    instant: instantAt(day, hour),
    localDate: dayAt(day),
    isDateOnly: hour === 0,
    amount: decimal(amount),
  };
}

/** The fingerprint differs by content, like a real one. */
export function submission(
  trackingId: string,
  points: readonly UsagePoint[],
  { subscriptionRecordId = 1, accountRecordId = 7 } = {},
): UsageSubmission {
  const fingerprint = points
    .map((each) => `${each.unit} ${each.instant} ${formatDecimal(each.amount)}`)
    .sort()
    .join('; ');
  const { userName: createdBy, createdDate } = author();
  return {
    accountRecordId,
    subscriptionRecordId,
    trackingId,
    fingerprint,
    points,
    createdBy,
    createdDate,
  };
}

export function recordSubmissions(
  { storage, tenant }: Pick<Storing, 'storage' | 'tenant'>,
  submissions: readonly UsageSubmission[],
): Promise<readonly RecordingOutcome[]> {
  return storeSubmissions({ storage, tenant, authorship: author(), mayPassThresholds: false }, submissions);
}

/** An interval of one month from the first day, on no invoice. */
export function usageInterval(changes: Partial<StoredUsageInterval> = {}): StoredUsageInterval {
  return {
    accountRecordId: 7,
    subscriptionId: newId(),
    usageName: 'sms-usage',
    versionDate: instantAt(0),
    priceIdentity: '1 2.5',
    start: { at: instantAt(0), date: dayAt(0) },
    end: { at: instantAt(30), date: dayAt(30) },
    invoiceId: null,
    itemIds: [],
    consumed: [{ unit: 'sms', localDate: dayAt(0), part: 'ALL', after: 0, upTo: 3 }],
    createdDate: instantAt(30),
    supplied: null,
    ...changes,
  };
}

export interface StoredPoint {
  readonly bucket: string;
  readonly ordinal: number;
  readonly at: number;
  readonly amount: string;
  readonly isVoided: boolean;
}

export async function storedPoints(database: TestDatabase): Promise<readonly StoredPoint[]> {
  const rows = await rowsOf(
    database,
    `select p.tenant_record_id as tenant, p.subscription_record_id as subscription, p.local_date as day, u.name as unit, p.ordinal as ordinal,
       p.recorded_for as at, cast(p.amount as text) as amount, k.voided_date as voided
     from bw_usage_points p join bw_usage_units u on u.record_id = p.unit_record_id
       join bw_usage_keys k on k.record_id = p.key_record_id
     order by p.tenant_record_id, p.subscription_record_id, p.local_date, u.name, p.ordinal`,
  );
  return rows.map((row) => ({
    bucket: bucketOf(row),
    ordinal: Number(row.ordinal),
    at: Number(row.at),
    amount: String(row.amount),
    isVoided: row.voided !== null,
  }));
}

export async function storedDays(database: TestDatabase): Promise<ReadonlyMap<string, unknown>> {
  const rows = await rowsOf(
    database,
    `select d.tenant_record_id as tenant, d.subscription_record_id as subscription, d.local_date as day, u.name as unit,
       cast(amount_sum as text) as amount_sum, cast(amount_max as text) as amount_max,
       cast(amount_min as text) as amount_min, last_recorded_for, cast(last_amount as text) as last_amount, point_count
     from bw_usage_days d join bw_usage_units u on u.record_id = d.unit_record_id`,
  );
  return new Map(
    rows.map((row) => [
      bucketOf(row),
      {
        sum: plain(row.amount_sum),
        max: plain(row.amount_max),
        min: plain(row.amount_min),
        last: row.last_recorded_for === null ? null : [Number(row.last_recorded_for), plain(row.last_amount)],
        count: Number(row.point_count),
      },
    ]),
  );
}

/** The day rows expected for these points. */
export function daysOfPoints(points: readonly StoredPoint[]): ReadonlyMap<string, unknown> {
  const buckets = Map.groupBy(points, ({ bucket }) => bucket);
  return new Map(
    [...buckets].map(([bucket, all]) => {
      const left = all
        .filter(({ isVoided }) => !isVoided)
        .toSorted((a, b) => a.at - b.at || a.ordinal - b.ordinal);
      const amounts = left.map(({ amount }) => decimal(amount)).toSorted((a, b) => a.cmp(b));
      const last = left.at(-1);
      const totals = {
        sum: formatDecimal(sum(amounts)),
        max: plain(amounts.at(-1)?.toFixed() ?? null),
        min: plain(amounts.at(0)?.toFixed() ?? null),
        last: last === undefined ? null : [last.at, plain(last.amount)],
        count: all.length,
      };
      return [bucket, totals];
    }),
  );
}

/** Returns true if the points of each bucket are numbered from 1 without gaps. */
export function areNumberedWithoutGaps(points: readonly StoredPoint[]): boolean {
  const buckets = Map.groupBy(points, ({ bucket }) => bucket);
  return [...buckets.values()].every((all) => all.every(({ ordinal }, index) => ordinal === index + 1));
}

function plain(amount: unknown): string | null {
  return amount === null ? null : formatDecimal(decimal(String(amount)));
}

function bucketOf({ tenant, subscription, day, unit }: Readonly<Record<string, unknown>>): string {
  const date = day instanceof Date ? day.toLocaleDateString('sv') : String(day);
  return `${tenant}: ${subscription} ${date} ${unit}`;
}
