import type { Uuid } from '../../../lib/index.ts';
import type { TestDatabase } from '../databases.ts';
import { rowsOf } from '../queue-rows.ts';
import type { AccountFacts, InvoiceFacts, SubscriptionFacts } from './account-facts.ts';

/** Events that are not published. */
const INTERNAL = ['NULL_INVOICE', 'CHILD_INVOICE_CHANGE'];

export interface AccountEvent {
  readonly topic: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Every stored bus event of an account, finished or not, in storage order. */
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

/** Due dates of the account's pending checks, in ISO form. */
export async function pendingChecks(database: TestDatabase, accountId: Uuid): Promise<readonly string[]> {
  return waiting(database, accountId, 'overdue-service:overdue-check-queue');
}

/** Pending entries of both overdue queues with their due instants. */
export async function pendingRefreshes(database: TestDatabase, accountId: Uuid): Promise<readonly string[]> {
  return waiting(database, accountId, 'overdue-service:overdue-async-bus-queue');
}

/** A value that differs after every change of an audited or queued record. */
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

/** Topics of all overdue entries of the account, including finished ones. */
export async function overdueEntries(database: TestDatabase, accountId: Uuid): Promise<readonly string[]> {
  const all = ['bw_queue_entries', 'bw_queue_history'].map(
    (table) =>
      `select topic, record_id from ${table} where topic like 'overdue-service:%' and account_record_id =
       (select record_id from bw_accounts where id = '${accountId}')`,
  );
  const rows = await rowsOf(database, `${all.join(' union all ')} order by record_id`);
  return rows.map(({ topic }) => String(topic));
}

async function waiting(database: TestDatabase, accountId: Uuid, queueName: string) {
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

/** Year of the stories, which the lines omit. */
const YEAR = '2012-';

/**
 * Formats the account as lines, each for one fact and unique, so that changes of the account appear as new lines.
 *
 *     invoice 2 of 06-30: RECURRING 06-30..07-31 249.95
 *     invoice 2 owes 249.95
 *     invoice 2, payment 1: PURCHASE PAYMENT_FAILURE 249.95
 *     OD1 from 06-30T00:03:42: changes
 */
export function linesOf(facts: AccountFacts): readonly string[] {
  const numbers = new Map(facts.invoices.map(({ invoiceId }, index) => [invoiceId, index + 1]));
  return [
    ...facts.invoices.flatMap((invoice, index) => invoiceLines(invoice, index + 1)),
    ...paymentLines(facts, numbers),
    ...facts.blocks.map((block) => {
      const stops = [
        block.isBlockChange ? ['changes'] : [],
        block.isBlockEntitlement ? ['service'] : [],
        block.isBlockBilling ? ['billing'] : [],
      ].flat();
      const what = stops.length === 0 ? 'nothing' : stops.join(', ');
      return `${shownName(block.stateName)} from ${shortDate(block.effectiveDate)} blocks ${what}`;
    }),
    `state ${shownName(facts.state.name)}`,
    facts.tags.length === 0 ? 'no tags' : `tags ${facts.tags.toSorted().join(', ')}`,
    ...facts.subscriptions.flatMap(subscriptionLines),
    `account owes ${facts.balance}, has ${facts.credit}`,
  ];
}

export function shownName(stateName: string): string {
  return stateName === '__KILLBILL__CLEAR__OVERDUE_STATE__' ? 'clear' : stateName;
}

function invoiceLines({ invoiceDate, status, balance, items }: InvoiceFacts, number: number) {
  const states = status === 'COMMITTED' ? '' : ` ${status}`;
  return [
    ...numbered(
      items.map(({ itemType, startDate, endDate, amount }) => {
        const days = [startDate, endDate].map((date) => (date === null ? '' : shortDate(date))).join('..');
        return `invoice ${number} of ${shortDate(invoiceDate)}: ${itemType} ${days} ${amount}`;
      }),
    ),
    `invoice ${number}${states} owes ${balance}`,
  ];
}

function paymentLines(facts: AccountFacts, numbers: ReadonlyMap<string, number>): readonly string[] {
  const counts = new Map<number, number>();
  return facts.payments.flatMap(({ targetInvoiceId, transactions }) => {
    const invoice = numbers.get(targetInvoiceId ?? '') ?? 0;
    return transactions.map(({ transactionType, status, amount }) => {
      const count = (counts.get(invoice) ?? 0) + 1;
      counts.set(invoice, count);
      return `invoice ${invoice}, try ${count}: ${transactionType} ${status} ${amount}`;
    });
  });
}

function subscriptionLines({ planName, state, ...rest }: SubscriptionFacts): readonly string[] {
  const { cancelledDate, billingEndDate, events } = rest;
  const ends = [
    cancelledDate === null ? [] : [`service ends ${shortDate(cancelledDate)}`],
    billingEndDate === null ? [] : [`billing ends ${shortDate(billingEndDate)}`],
  ].flat();
  return [
    [`${planName} ${state}`, ...ends].join(', '),
    ...events
      .filter(({ serviceName }) => serviceName === 'overdue-service')
      .map(
        ({ eventType, effectiveDate, serviceStateName }) =>
          `${planName} ${eventType} ${shortDate(effectiveDate)} by ${shownName(serviceStateName)}`,
      ),
  ];
}

/** Numbers equal lines. */
function numbered(lines: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  return lines.map((line) => {
    const count = (counts.get(line) ?? 0) + 1;
    counts.set(line, count);
    return count === 1 ? line : `${line} (${count})`;
  });
}

/** `06-30`, or with the time of day `06-30T00:03:42`. */
export function shortDate(date: string): string {
  return date.replace(YEAR, '').replace('.000Z', '');
}
