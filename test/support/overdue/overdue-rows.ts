import type { Uuid } from '../../../lib/index.ts';
import type { TestDatabase } from '../databases.ts';
import { rowsOf } from '../queue-rows.ts';

/** What nobody outside the engine is told. */
const INTERNAL = ['NULL_INVOICE', 'CHILD_INVOICE_CHANGE'];

export interface AccountEvent {
  readonly topic: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Every bus event of an account that the database holds, finished or not, in the order in which they were stored. */
export async function eventsOfAccount(
  database: TestDatabase,
  accountId: Uuid,
): Promise<readonly AccountEvent[]> {
  const all = ['bw_queue_entries', 'bw_queue_history'].map(
    (table) =>
      `select topic, payload, record_id from ${table} where kind = 'BUS' and account_record_id =
       (select record_id from bw_accounts where id = '${accountId}')`,
  );
  const rows = await rowsOf(database, `${all.join(' union all ')} order by record_id`);
  return rows
    .map(({ topic, payload }) => ({ topic: String(topic), payload: objectOf(payload) }))
    .filter(({ topic }) => !INTERNAL.includes(topic));
}

/** Dates of the account's checks that wait, in ISO form. */
export async function pendingChecks(database: TestDatabase, accountId: Uuid): Promise<readonly string[]> {
  return waiting(database, accountId, 'overdue-service:overdue-check-queue');
}

/** Entries of both queues of overdue that wait, by the instant from which they are due. */
export async function pendingRefreshes(database: TestDatabase, accountId: Uuid): Promise<readonly string[]> {
  return waiting(database, accountId, 'overdue-service:overdue-async-bus-queue');
}

/** Another one after every change of anything that is audited or queued. */
export async function lastWritten(database: TestDatabase): Promise<string> {
  const last = (table: string) => `(select coalesce(max(record_id), 0) from bw_${table})`;
  const counted = '(select count(*) from bw_queue_entries)';
  const [row] = await rowsOf(
    database,
    `select ${last('audit_log')} as audited, ${last('queue_entries')} as queued, ${last('queue_history')} as done,
     ${counted} as live`,
  );
  return JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** Topics of all entries of overdue for the account, finished ones included. */
export async function overdueEntries(database: TestDatabase, accountId: Uuid): Promise<readonly string[]> {
  const all = ['bw_queue_entries', 'bw_queue_history'].map(
    (table) =>
      `select topic, record_id from ${table} where topic like 'overdue-service:%' and account_record_id =
       (select record_id from bw_accounts where id = '${accountId}')`,
  );
  const rows = await rowsOf(database, `${all.join(' union all ')} order by record_id`);
  return rows.map(({ topic }) => String(topic));
}

async function waiting(
  database: TestDatabase,
  accountId: Uuid,
  queueName: string,
): Promise<readonly string[]> {
  const rows = await rowsOf(
    database,
    `select effective_date from bw_queue_entries where topic = '${queueName}' and processing_state = 'AVAILABLE'
     and account_record_id = (select record_id from bw_accounts where id = '${accountId}') order by record_id`,
  );
  return rows.map(({ effective_date: at }) => new Date(Number(at)).toISOString());
}

function objectOf(payload: unknown): Readonly<Record<string, unknown>> {
  return (typeof payload === 'string' ? JSON.parse(payload) : payload) as Readonly<Record<string, unknown>>;
}
