import { bigint, bigintOrNull, type Field, integer, json, text, textOrNull } from '../sql/columns.ts';
import { RecordTable } from './record-table.ts';

/** A request that was answered (platform §12.1 rule 5); of no tenant: that of the system, 0. */
export interface StoredAccess {
  readonly atMs: number;
  readonly nodeName: string;
  readonly hostName: string;
  readonly method: string;
  readonly uri: string;
  readonly statusCode: number;
  readonly bytesSent: number | null;
  readonly principal: string | null;
  readonly createdBy: string | null;
}

export const accessLogTable = new RecordTable<StoredAccess>(
  {
    name: 'access_log',
    ofTenant: true,
    indexes: [
      { name: 'listed', columns: ['tenant_record_id', 'record_id'] },
      { name: 'age', columns: ['at_ms', 'record_id'] },
    ],
  },
  {
    atMs: bigint('at_ms'),
    nodeName: text('node_name'),
    hostName: text('host_name'),
    method: text('method'),
    uri: text('uri'),
    statusCode: integer('status_code'),
    bytesSent: bigintOrNull('bytes_sent'),
    principal: textOrNull('principal'),
    createdBy: textOrNull('created_by'),
  },
);

/** What was measured at a time in one category: by kind of sample (platform §12.2). */
export interface StoredSample {
  readonly atMs: number;
  /** Empty: of the whole deployment. */
  readonly nodeName: string;
  readonly eventGroup: string;
  readonly eventCategory: string;
  readonly kinds: Readonly<Record<string, number>>;
}

export const samplesTable = new RecordTable<StoredSample>(
  {
    name: 'samples',
    ofTenant: false,
    uniques: [{ name: 'series', columns: ['event_category', 'node_name', 'at_ms'] }],
    indexes: [{ name: 'age', columns: ['at_ms', 'record_id'] }],
  },
  {
    atMs: bigint('at_ms'),
    nodeName: text('node_name'),
    eventGroup: text('event_group'),
    eventCategory: text('event_category'),
    kinds: measuredIn('kinds'),
  },
);

/** What is measured is no money: fractions, which JSON is read with as exact decimals, are plain numbers again. */
function measuredIn(name: string): Field<Readonly<Record<string, number>>> {
  const stored = json<Readonly<Record<string, number>>>(name);
  return { ...stored, read: (row) => plainNumbers(stored.read(row)) };
}

function plainNumbers(kinds: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(kinds).map(([kind, value]) => [kind, Number(value)]));
}
