import { type Replacement, Span, textCopies, v7Copies } from './copies.ts';
import type { Rows, Table, Value } from './rows.ts';

/** A point in the history of a database. Newer rows have higher record ids. */
export interface Mark {
  readonly lastRecordIds: ReadonlyMap<string, number>;
  readonly knownIds: ReadonlySet<string>;
}

const accounts = 'bw_accounts';
const liveQueue = 'bw_queue_entries';
const queueHistory = 'bw_queue_history';
/** Not copied, because its rows do not belong to accounts. */
const counters = 'bw_counters';
/** Columns that reference a row of another table by its record id. */
const pointers: ReadonlyMap<string, string> = new Map([
  ['account_record_id', accounts],
  ['ongoing_event_record_id', 'bw_subscription_events'],
]);
/** Numbers counted per tenant: their column, their counter, and their pattern in documents. */
const counted = [
  { column: 'invoice_number', table: 'bw_invoices', inDocument: /(?<="invoiceNumber": ?)\d+/g },
  { column: 'payment_number', table: 'bw_payments', inDocument: /(?<="paymentNumber": ?")\d+/g },
] as const;
const uuidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Unique keys of runs and overdue checks contain the record id of the account. */
const accountKeyPattern = /(?<=^(?:invoice-run|overdue-check):)\d+/g;
const copiesPerTransaction = 20_000;

export async function markNow(rows: Rows): Promise<Mark> {
  const knownIds = new Set<string>();
  for (const table of await recordTables(rows)) {
    for (const row of await rows.read(table, 0)) for (const id of idsIn(row)) knownIds.add(id);
  }
  return { lastRecordIds: await lastRecordIds(rows), knownIds };
}

export async function lastRecordIds(rows: Rows): Promise<ReadonlyMap<string, number>> {
  const last = new Map<string, number>();
  for (const { name } of await recordTables(rows)) {
    const [row] = await rows.query(`select coalesce(max(record_id), 0) as last from ${name}`);
    last.set(name, Number(row?.last));
  }
  return last;
}

/** Copies the rows since the mark `copies` times with new ids, each after its original. Returns the number of rows. */
export async function multiply(rows: Rows, mark: Mark, copies: number): Promise<number> {
  const originals: Original[] = [];
  for (const table of await recordTables(rows)) {
    if (table.name === counters) continue;
    const made = await rows.read(table, mark.lastRecordIds.get(table.name) ?? 0);
    if (made.length > 0) originals.push({ table, rows: made });
  }
  const numbering = await numberingOf(rows, originals, copies);
  const copier = copierOf(mark, originals, numbering);
  let written = 0;
  for (const { table, rows: made } of originals) {
    written += await insertCopies(rows, { table, made, copies, copier });
  }
  for (const [table, { end }] of numbering.recordIds) await rows.continueRecordIds(table, end);
  for (const [name, { end }] of numbering.numbers) {
    await rows.query(`update ${counters} set value = ${end} where name = '${name}'`);
  }
  await rows.rest();
  return written;
}

/** Returns the tables with a `record_id`, which the migrations table does not have. */
async function recordTables(rows: Rows): Promise<readonly Table[]> {
  return (await rows.tables()).filter((table) => indexOf(table, 'record_id') >= 0);
}

interface Original {
  readonly table: Table;
  readonly rows: readonly (readonly Value[])[];
}

interface Copier {
  of(table: Table, row: readonly Value[]): (copy: number) => Value[];
}

async function insertCopies(
  rows: Rows,
  input: {
    readonly table: Table;
    readonly made: Original['rows'];
    readonly copies: number;
    readonly copier: Copier;
  },
): Promise<number> {
  const { table, made, copies, copier } = input;
  let waiting: Value[][] = [];
  const write = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) await rows.transaction(() => rows.insert(table, batch));
  };
  for (const row of made) {
    const copyOf = copier.of(table, row);
    for (let copy = 1; copy <= copies; copy += 1) {
      waiting.push(copyOf(copy));
      if (waiting.length === copiesPerTransaction) await write();
    }
  }
  await write();
  return made.length * copies;
}

interface Numbering {
  readonly recordIds: ReadonlyMap<string, Span>;
  readonly numbers: ReadonlyMap<string, Span>;
}

async function numberingOf(rows: Rows, originals: readonly Original[], copies: number): Promise<Numbering> {
  const last = await lastRecordIds(rows);
  const recordIds = new Map<string, Span>();
  for (const original of originals) {
    const { name } = original.table;
    recordIds.set(name, new Span(last.get(name) ?? 0, column(original, 'record_id'), copies));
  }
  // The live queue and its history share one numbering.
  const queues = originals.filter(({ table }) => table.name === liveQueue || table.name === queueHistory);
  const entries = queues
    .flatMap((queue) => column(queue, 'record_id'))
    .sort((first, second) => first - second);
  const queued = new Span(Math.max(last.get(liveQueue) ?? 0, last.get(queueHistory) ?? 0), entries, copies);
  recordIds.set(liveQueue, queued).set(queueHistory, queued);
  const numbers = new Map<string, Span>();
  for (const { column: name, table } of counted) {
    const original = originals.find((candidate) => candidate.table.name === table);
    const [row] = await rows.query(
      `select coalesce(max(value), 0) as last from ${counters} where name = '${name}'`,
    );
    numbers.set(name, new Span(Number(row?.last), original ? column(original, name) : [], copies));
  }
  return { recordIds, numbers };
}

function copierOf(mark: Mark, originals: readonly Original[], numbering: Numbering): Copier {
  const { recordIds, numbers } = numbering;
  const targets = new Map<string, Span>();
  for (const original of originals) {
    const span = recordIds.get(original.table.name);
    const place = indexOf(original.table, 'id');
    if (place < 0 || !span) continue;
    for (const row of original.rows) targets.set(String(row[place]), span);
  }
  const spanOf = (table: Table, row: readonly Value[], name: string): Span | undefined => {
    if (name === 'record_id') return recordIds.get(table.name);
    const pointed = pointers.get(name);
    if (pointed !== undefined) return recordIds.get(pointed);
    if (name === 'target_record_id') return targets.get(String(row[indexOf(table, 'target_id')]));
    return numbers.get(name);
  };
  const replaced: readonly Replacement[] = [
    { pattern: uuidPattern, copyOf: (id) => (mark.knownIds.has(id) ? () => id : v7Copies(id)) },
    { pattern: accountKeyPattern, copyOf: (recordId) => numberCopies(recordIds.get(accounts), recordId) },
    ...counted.map(({ column: name, inDocument }) => ({
      pattern: inDocument,
      copyOf: (number: string) => numberCopies(numbers.get(name), number),
    })),
  ];
  return {
    of(table, row) {
      const makers = table.columns.map(({ name }, index): ((copy: number) => Value) => {
        const value = row[index] ?? null;
        if (value === null) return () => null;
        const span = spanOf(table, row, name);
        return span ? numberCopies(span, value) : textCopies(value, replaced);
      });
      return (copy) => makers.map((make) => make(copy));
    },
  };
}

function numberCopies(span: Span | undefined, original: string): (copy: number) => string {
  return (copy) => String(span?.of(Number(original), copy) ?? original);
}

function idsIn(row: readonly Value[]): readonly string[] {
  return row.flatMap((value) => value?.match(uuidPattern) ?? []);
}

function column({ table, rows }: Original, name: string): readonly number[] {
  const index = indexOf(table, name);
  return rows.map((row) => Number(row[index]));
}

function indexOf(table: Table, name: string): number {
  return table.columns.findIndex((candidate) => candidate.name === name);
}
