import { loadAccount } from '../accounts/index.ts';
import { auditedTable } from '../audit/index.ts';
import type { Ports } from '../ports/index.ts';
import type { ExportedTable, ReadSession } from '../ports/storage/index.ts';
import type { AuditRow, Leading, WithContext } from '../records/index.ts';
import { type NextTurn, turnsOf } from '../runtime/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { stringifyExactJson } from '../values/money/index.ts';
import { SECRET_MASK } from '../values/text/index.ts';
import { formatInstant, type Instant } from '../values/time/index.ts';

type Write = (text: string) => Promise<void>;

/** The lines of one live or history table. */
interface Section {
  readonly name: string;
  write(write: Write): Promise<void>;
}

/** Creates the operation that exports all data of an account as text (accounts §16). */
export function accountExportOperations(
  ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>,
): AccountExportOperations<WithContext> {
  return {
    async export(context, accountId: Uuid) {
      return ports.storage.readText(context.tenant, async (session, write) => {
        const account = await loadAccount(session, accountId);
        const nextTurn = turnsOf(ports);
        const writeInTurn = async (text: string): Promise<void> => {
          await write(text);
          await nextTurn();
        };
        for (const section of await sectionsOf(session, account.recordId, nextTurn))
          await section.write(writeInTurn);
      });
    },
  };
}

async function sectionsOf(
  session: ReadSession,
  accountRecordId: number,
  nextTurn: NextTurn,
): Promise<readonly Section[]> {
  // These are the fields of each table in the snapshot, in order of first occurrence.
  const known = new Map<string, Set<string>>();
  for await (const rows of session.exports.auditOfAccount(accountRecordId)) {
    for (const { tableName, snapshot } of rows) {
      if (snapshot === null || historyNameOf(tableName) === null) continue;
      const members = known.get(tableName) ?? new Set();
      for (const member of Object.keys(snapshot)) members.add(member);
      known.set(tableName, members);
    }
    // Let other work run, because nothing else in this loop pauses.
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

/** Masks the values of all plugin properties, because any of them may be a secret (platform §6.3 rule 3). */
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

/** Operations that export an account's data. */
export interface AccountExportOperations<C extends Leading = []> {
  /**
   * Returns the account, its objects, history, audit and queue entries from one snapshot. Each table with rows has a
   * header line `-- <table> <column>|…` and one line per row. Memory use does not grow with the account. The snapshot
   * ends before the first piece is returned. The caller must read to the end, or call the iterator's `return`.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), before any output.
   */
  export(...given: [...C, accountId: Uuid | string]): Promise<AsyncIterable<string>>;
}

/** Returns the header line of a table (accounts §16 rule 1). */
export function headerLine(table: string, columns: readonly string[]): string {
  return `-- ${table} ${columns.join('|')}\n`;
}

/**
 * Returns the line for a row. Null becomes empty text. Text, numbers and booleans are written as they are, and other
 * values as JSON.
 */
export function rowLine(values: readonly unknown[]): string {
  return `${values.map(cellText).join('|')}\n`;
}

/** Returns a time as `yyyy-mm-ddThh:mm:ss.sss+00:00`, or an empty string for null. */
function timeText(value: unknown): string {
  return value === null ? '' : withOffset(formatInstant(Number(value) as Instant));
}

function withOffset(text: string): string {
  return text.replace(/Z$/, '+00:00');
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  // Values are escaped, not quoted (accounts §16 rule 2).
  const text = typeof value === 'string' ? value : stringifyExactJson(value);
  return text.replaceAll('\n', '\\N{LINE FEED}').replaceAll('|', '\\N{VERTICAL LINE}');
}

/** The first columns of every history row. */
const historyHead = [
  'record_id',
  'id',
  'target_record_id',
  'account_record_id',
  'change_type',
  'change_date',
];

/** Snapshot fields that contain an instant in the format of the API. A date with the same name is not converted. */
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

function historyNameOf(tableName: string): string | null {
  return auditedTable(tableName).historyTableName?.toLowerCase() ?? null;
}

/** Returns the column name for a field of a snapshot. */
export function columnName(member: string): string {
  return member.replace(/[A-Z]+/g, (capitals) => `_${capitals.toLowerCase()}`);
}

function historyValues(row: AuditRow, members: readonly string[]): readonly unknown[] {
  const { recordId, targetId, targetRecordId, accountRecordId, changeType, changeDate, snapshot } = row;
  const values = members.map((member) => {
    const value = snapshot?.[member] ?? null;
    return typeof value === 'string' && instantMembers.has(member) ? withOffset(value) : value;
  });
  return [recordId, targetId, targetRecordId, accountRecordId, changeType, timeText(changeDate), ...values];
}
