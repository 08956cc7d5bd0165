import { loadAccount } from '../accounts/index.ts';
import { auditedTable } from '../audit/index.ts';
import type { Ports } from '../ports/index.ts';
import type { ExportedTable, ReadSession } from '../ports/storage/index.ts';
import type { AuditRow, CallContext, Leading, WithContext } from '../records/index.ts';
import { type NextTurn, turnsOf } from '../runtime/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { stringifyExactJson } from '../values/money/index.ts';
import { SECRET_MASK } from '../values/text/index.ts';
import { formatInstant, type Instant } from '../values/time/index.ts';

type Write = (text: string) => Promise<void>;

/** One part of an export: the lines of one table, live or of its history. */
interface Section {
  readonly name: string;
  write(write: Write): Promise<void>;
}

/** Everything that is kept of one account, as text (accounts §16). */
export class ExportService implements AccountExportOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>;

  constructor(ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>) {
    this.#ports = ports;
  }

  async export(context: CallContext, accountId: Uuid): Promise<AsyncIterable<string>> {
    return this.#ports.storage.readText(context.tenant, async (session, write) => {
      const account = await loadAccount(session, accountId);
      const nextTurn = turnsOf(this.#ports);
      const writeInTurn = async (text: string): Promise<void> => {
        await write(text);
        await nextTurn();
      };
      for (const section of await sectionsOf(session, account.recordId, nextTurn))
        await section.write(writeInTurn);
    });
  }
}

async function sectionsOf(
  session: ReadSession,
  accountRecordId: number,
  nextTurn: NextTurn,
): Promise<readonly Section[]> {
  const known: HistoryColumns = new Map();
  for await (const rows of session.exports.auditOfAccount(accountRecordId)) {
    noteColumns(known, rows);
    // No statement is made here that would give others their turn.
    await nextTurn();
  }
  const histories = [...known].map(([tableName, members]) =>
    historySection(session, { accountRecordId, tableName, members: [...members] }),
  );
  const live = session.exports.tablesOfAccount(accountRecordId).map(liveSection);
  return [...live, ...histories].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function liveSection({ name, columns, rows }: ExportedTable): Section {
  const header = headerLine(
    name,
    columns.map((column) => column.name),
  );
  return {
    name,
    async write(write) {
      let isFirst = true;
      for await (const batch of rows()) {
        const lines = batch.map((row) =>
          rowLine(row.map((value, index) => exportedValue(columns[index], value))),
        );
        if (lines.length === 0) continue;
        await write((isFirst ? header : '') + lines.join(''));
        isFirst = false;
      }
    },
  };
}

function exportedValue(column: ExportedTable['columns'][number] | undefined, value: unknown): unknown {
  if (column?.isInstant) return timeText(value);
  return column?.name === 'plugin_properties' ? maskedPluginProperties(value) : value;
}

/** Plugin properties are masked whatever their name: any of them may be a secret (platform §6.3 rule 3). */
function maskedPluginProperties(value: unknown): unknown {
  const properties: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  if (!Array.isArray(properties)) return value;
  return properties.map((property: object) => ({ ...property, value: SECRET_MASK }));
}

function historySection(
  session: ReadSession,
  of: { readonly accountRecordId: number; readonly tableName: string; readonly members: readonly string[] },
): Section {
  const { accountRecordId, tableName, members } = of;
  const name = historyNameOf(tableName) ?? tableName.toLowerCase();
  return {
    name,
    async write(write) {
      await write(headerLine(name, [...historyHead, ...members.map(columnName)]));
      for await (const rows of session.exports.auditOfAccount(accountRecordId, tableName)) {
        const lines = rows
          .filter(({ snapshot }) => snapshot !== null)
          .map((row) => rowLine(historyValues(row, members)));
        await write(lines.join(''));
      }
    },
  };
}

/** Everything that is stored about an account. */
export interface AccountExportOperations<C extends Leading = []> {
  /**
   * The account, all that belongs to it, its history, audit and queue entries, from one snapshot: for each table that has
   * rows a header line `-- <table> <column>|…` and one line per row. Memory does not grow with the account, and the
   * snapshot has ended before the first piece is given. The caller reads to the end or calls the iterator's `return`.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), before anything is given.
   */
  export(...given: [...C, accountId: Uuid | string]): Promise<AsyncIterable<string>>;
}

/** The header of a table's section (accounts §16 rule 1). */
export function headerLine(table: string, columns: readonly string[]): string {
  return `-- ${table} ${columns.join('|')}\n`;
}

/** One row: null is empty; anything but text, number and boolean is JSON. */
export function rowLine(values: readonly unknown[]): string {
  return `${values.map(cellText).join('|')}\n`;
}

/** `yyyy-mm-ddThh:mm:ss.sss+00:00`; empty for none. */
function timeText(value: unknown): string {
  return value === null ? '' : withOffset(formatInstant(Number(value) as Instant));
}

/** The wire form of an instant as the export writes it. */
function withOffset(text: string): string {
  return text.replace(/Z$/, '+00:00');
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return escaped(typeof value === 'string' ? value : stringifyExactJson(value));
}

/** Characters that would end a value or a line are escaped; nothing is quoted (accounts §16 rule 2). */
function escaped(text: string): string {
  return text.replaceAll('\n', '\\N{LINE FEED}').replaceAll('|', '\\N{VERTICAL LINE}');
}

/** The first columns of every history row: its audit row, and the record. */
const historyHead = [
  'record_id',
  'id',
  'target_record_id',
  'account_record_id',
  'change_type',
  'change_date',
] as const;

/** Members of snapshots that hold an instant in its wire form; a date of the same name stays as it is. */
const instantMembers: ReadonlySet<string> = new Set([
  'referenceTime',
  'effectiveDate',
  'effectiveDateForExistingSubscriptions',
  'catalogEffectiveDate',
  'lastSysUpdateDate',
  'originalCreatedDate',
  'startDate',
  'bundleStartDate',
  'chargedThroughDate',
  'paymentDate',
]);

/** The members of the snapshots of each audited table, in the order in which they first occur. */
type HistoryColumns = Map<string, Set<string>>;

/** Adds the tables and members that occur in these rows. */
function noteColumns(known: HistoryColumns, rows: readonly AuditRow[]): void {
  for (const { tableName, snapshot } of rows) {
    if (snapshot === null || historyNameOf(tableName) === null) continue;
    const members = known.get(tableName) ?? new Set();
    for (const member of Object.keys(snapshot)) members.add(member);
    known.set(tableName, members);
  }
}

/** Name of the history of an audited table; null if it has none. */
function historyNameOf(tableName: string): string | null {
  return auditedTable(tableName).historyTableName?.toLowerCase() ?? null;
}

/** A member of a snapshot as the name of a column. */
export function columnName(member: string): string {
  return member.replace(/[A-Z]+/g, (capitals) => `_${capitals.toLowerCase()}`);
}

/** The record after one change, under `historyHead` and these members. */
function historyValues(row: AuditRow, members: readonly string[]): readonly unknown[] {
  const { recordId, targetId, targetRecordId, accountRecordId, changeType, changeDate, snapshot } = row;
  const head = [recordId, targetId, targetRecordId, accountRecordId, changeType, timeText(changeDate)];
  return [...head, ...members.map((member) => historyValue(member, snapshot?.[member] ?? null))];
}

function historyValue(member: string, value: unknown): unknown {
  return typeof value === 'string' && instantMembers.has(member) ? withOffset(value) : value;
}
