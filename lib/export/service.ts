import { loadAccount } from '../accounts/index.ts';
import type { Ports } from '../ports/index.ts';
import type { ExportedTable, ReadSession } from '../ports/storage/index.ts';
import type { CallContext, WithContext } from '../records/index.ts';
import { type NextTurn, turnsOf } from '../runtime/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { SECRET_MASK } from '../values/text/index.ts';
import type { AccountExportOperations } from './account-export-operations.ts';
import { headerLine, rowLine, timeText } from './export-line.ts';
import {
  columnName,
  type HistoryColumns,
  historyHead,
  historyNameOf,
  historyValues,
  noteColumns,
} from './history-columns.ts';

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
