import type {
  PointRange,
  StoredUsageInterval,
  SuppliedDigest,
  UsageReading,
} from '../../../../lib/records/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import {
  bigint,
  bigintOrNull,
  dated,
  dateOrNull,
  type Field,
  instantAt,
  json,
  text,
  textOrNull,
  uuid,
  uuidOrNull,
} from '../../sql/columns.ts';
import { RecordTable } from '../record-table.ts';
import { readConsumed, writeConsumed } from './consumed-text.ts';
import { readSupplied, writeSupplied } from './supplied-text.ts';

/** A row for each interval of a usage section that a run has billed some of. */
export const usageIntervalsTable = new RecordTable<StoredUsageInterval>(
  {
    name: 'usage_intervals',
    ofTenant: true,
    indexes: [
      { name: 'subscription', columns: ['tenant_record_id', 'subscription_id', 'ends_at_local'] },
      { name: 'invoice', columns: ['tenant_record_id', 'invoice_id'] },
    ],
  },
  {
    accountRecordId: bigint('account_record_id'),
    subscriptionId: uuid('subscription_id'),
    usageName: text('usage_name'),
    versionDate: instantAt('version_date'),
    priceIdentity: text('price_identity'),
    start: dated('starts_at'),
    end: dated('ends_at'),
    invoiceId: uuidOrNull('invoice_id'),
    itemIds: json<readonly Uuid[]>('item_ids'),
    consumed: consumedPoints('consumed'),
    createdDate: instantAt('created_date'),
    supplied: suppliedOrNull('supplied'),
  },
);

function consumedPoints(name: string): Field<readonly PointRange[]> {
  const stored = text(name);
  return {
    columns: stored.columns,
    write: (ranges, cells) => stored.write(writeConsumed(ranges), cells),
    read: (row) => readConsumed(stored.read(row)),
  };
}

function suppliedOrNull(name: string): Field<SuppliedDigest | null> {
  const stored = textOrNull(name);
  return {
    columns: stored.columns,
    write: (digest, cells) => stored.write(digest && writeSupplied(digest), cells),
    read: (row) => {
      const text = stored.read(row);
      return text === null ? null : readSupplied(text);
    },
  };
}

/** Its settings are there for those that charge usage. */
export function usageReadingOrNull(): Field<UsageReading | null> {
  const from = dateOrNull('usage_from');
  const settings = textOrNull('usage_settings');
  const through = dateOrNull('usage_through');
  const mark = bigintOrNull('usage_mark');
  return {
    columns: [...from.columns, ...settings.columns, ...through.columns, ...mark.columns],
    write: (reading, cells) => {
      from.write(reading?.from ?? null, cells);
      settings.write(reading?.settings ?? null, cells);
      through.write(reading?.looked?.through ?? null, cells);
      mark.write(reading?.looked?.mark ?? null, cells);
    },
    read: (row) => {
      const [settingsRead, throughRead, markRead] = [settings.read(row), through.read(row), mark.read(row)];
      if (settingsRead === null) return null;
      const looked =
        throughRead === null || markRead === null ? null : { through: throughRead, mark: markRead };
      return { from: from.read(row), settings: settingsRead, looked };
    },
  };
}
