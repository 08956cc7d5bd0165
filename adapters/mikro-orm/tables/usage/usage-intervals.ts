import type {
  PointRange,
  StoredUsageInterval,
  SuppliedDigest,
  UsageReading,
} from '../../../../lib/records/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { Decimal, formatDecimal } from '../../../../lib/values/money/index.ts';
import type { Instant } from '../../../../lib/values/time/index.ts';
import {
  bigint,
  bigintOrNull,
  datedInstant,
  dateOrNull,
  type Field,
  fieldsOf,
  instantAt,
  json,
  text,
  textOrNull,
  uuid,
  uuidOrNull,
} from '../../sql/columns.ts';
import { RecordTable } from '../record-table.ts';
import { readConsumed, writeConsumed } from './consumed-text.ts';

const fields = {
  ...fieldsOf({
    accountRecordId: bigint,
    subscriptionId: uuid,
    usageName: text,
    versionDate: instantAt,
    priceIdentity: text,
  }),
  start: datedInstant('starts_at'),
  end: datedInstant('ends_at'),
  ...fieldsOf({
    invoiceId: uuidOrNull,
    itemIds: json<readonly Uuid[]>,
    consumed: consumedPoints,
    createdDate: instantAt,
    supplied: suppliedOrNull,
  }),
};

/** Intervals of usage sections that a run has billed completely or in part. */
export const usageIntervalsTable = new RecordTable<StoredUsageInterval>('usage_intervals', fields, {
  indexes: {
    subscription: 'tenant_record_id, subscription_id, ends_at_local',
    invoice: 'tenant_record_id, invoice_id',
  },
});

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

/** Returns a field for the state of usage reading. It is stored only for subscriptions that charge usage. */
export function usageReadingOrNull(): Field<UsageReading | null> {
  const from = dateOrNull('usage_from');
  const settings = textOrNull('usage_settings');
  const through = dateOrNull('usage_through');
  const mark = bigintOrNull('usage_mark');
  return {
    columns: [from, settings, through, mark].flatMap(({ columns }) => columns),
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

interface StoredDigest {
  readonly amounts: readonly (readonly [unit: string, start: Instant, end: Instant, quantity: string])[];
  readonly ids: readonly string[];
}

export function writeSupplied({ amounts, trackingIds }: SuppliedDigest): string {
  const stored: StoredDigest = {
    amounts: amounts.map(({ unit, start, end, quantity }) => [unit, start, end, formatDecimal(quantity)]),
    ids: trackingIds,
  };
  return JSON.stringify(stored);
}

export function readSupplied(text: string): SuppliedDigest {
  const { amounts, ids }: StoredDigest = JSON.parse(text);
  return {
    amounts: amounts.map(([unit, start, end, quantity]) => ({
      unit,
      start,
      end,
      quantity: new Decimal(quantity),
    })),
    trackingIds: ids,
  };
}
