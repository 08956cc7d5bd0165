import { invoiceItemAudit, subscriptionAudit } from './audited-records.ts';
import { invoiceItemsTable } from './tables/invoices.ts';
import type { TableSpec } from './tables/record-table.ts';
import { subscriptionsTable } from './tables/subscriptions.ts';

/**
 * Records of one statement from which on those that lie side by side share an audit row. Below, what a series saves in
 * writing is not worth that its history takes more than one row to read.
 */
export const SERIES_FROM = 500;

/** The tables whose changes may be audited in series. */
export const seriesTables: readonly { readonly tableName: string; readonly table: TableSpec }[] = [
  { tableName: invoiceItemAudit.tableName, table: invoiceItemsTable },
  { tableName: subscriptionAudit.tableName, table: subscriptionsTable },
];

interface Numbered {
  readonly recordId: number;
  readonly accountRecordId?: number | null;
}

/** The records in series: side by side by record id, of one account, and alike by `likeness`. */
export function seriesOf<R extends Numbered>(
  records: readonly R[],
  likeness: (record: R) => string | number | null = () => null,
): readonly (readonly [first: R, ...more: R[]])[] {
  const series: [R, ...R[]][] = [];
  let last: { readonly record: R; readonly likeness: string | number | null } | undefined;
  for (const record of records.toSorted((one, other) => one.recordId - other.recordId)) {
    const own = likeness(record);
    const continues =
      last !== undefined &&
      record.recordId === last.record.recordId + 1 &&
      record.accountRecordId === last.record.accountRecordId &&
      own === last.likeness;
    if (continues) series.at(-1)?.push(record);
    else series.push([record]);
    last = { record, likeness: own };
  }
  return series;
}
