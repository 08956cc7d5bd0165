import type {
  CountPart,
  CountPosition,
  ReportReads,
  ReportWrites,
} from '../../../lib/ports/storage/index.ts';
import {
  InvoicePaymentType,
  type InvoiceStatus,
  type TransactionStatus,
  type TransactionType,
} from '../../../lib/records/index.ts';
import { type Currency, ZERO } from '../../../lib/values/money/index.ts';
import type { Instant, LocalDate } from '../../../lib/values/time/index.ts';
import { dateIn, idIn, numberIn, orNullIn, type Row, textIn, writeDay } from '../sql/columns.ts';
import { isIn, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { FAILED_PAYMENTS, paymentTransactionsTable } from '../tables/payments.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { storedFiguresTable } from '../tables/reports.ts';

/**
 * The rows that are counted. They are in the order of an index, which starts with one column and ends with the record
 * id.
 */
interface Counted {
  readonly table: string;
  readonly column: string;
  /** SQL condition for the counted rows, preceded by `and`. */
  readonly within: Sql;
  readonly readOrder: (row: Row) => number;
  readonly writeOrder: (order: number) => string | number;
}

export function reportReads(scope: TenantScope): ReportReads {
  const { dialect } = scope.runner;
  const total = raw(dialect.aggregate('sum', 'amount'));
  const totalIn = (row: Row) => dialect.decimalOf(row.total) ?? ZERO;
  return {
    figures: async (names) => scope.select(storedFiguresTable, isIn('name', 'text', names)),

    sumInvoices: async ({ from, to }, part) => {
      const counted: Counted = {
        table: 'bw_invoices',
        column: 'invoice_date',
        within: sql`and invoice_date >= ${writeDay(from)} and invoice_date <= ${writeDay(to)}`,
        readOrder: (row) => dateIn(row, 'position'),
        writeOrder: (order) => writeDay(order as LocalDate),
      };
      const last = await lastOf(scope, counted, part);
      const sums = await scope.runner.read(
        sql`
          select currency, status, is_migration, is_delegated, count(*) as rows_counted, ${total} as total
          from (
            select currency, status, is_migration, amount,
              case when contributed_amount is null then 0 else 1 end as is_delegated
            from bw_invoices where ${scope.ofTenant} ${counted.within} ${between(counted, part.after, last)}) dated
          group by currency, status, is_migration, is_delegated`,
        (row) => ({
          currency: textIn(row, 'currency') as Currency,
          status: textIn(row, 'status') as InvoiceStatus,
          isMigration: Boolean(row.is_migration),
          isDelegated: numberIn(row, 'is_delegated') === 1,
          count: numberIn(row, 'rows_counted'),
          amount: totalIn(row),
        }),
      );
      return { sums, last };
    },

    sumTransactions: async (dates, part) => {
      const counted = transactionsBetween(dates);
      const last = await lastOf(scope, counted, part);
      const sums = await scope.runner.read(
        sql`
          select transaction_type, status, currency, is_recovery, count(*) as rows_counted, ${total} as total
          from (
            select transaction_type, status, currency,
              case when status = 'SUCCESS' and processed_currency = currency then processed_amount else amount end
                as amount,
              case when status = 'SUCCESS' and exists (
                select 1 from bw_payment_transactions earlier
                where earlier.tenant_record_id = ${scope.tenantRecordId}
                  and earlier.payment_id = bw_payment_transactions.payment_id
                  and earlier.record_id < bw_payment_transactions.record_id
                  and earlier.transaction_type = bw_payment_transactions.transaction_type
                  and earlier.status in ('PAYMENT_FAILURE', 'PLUGIN_FAILURE', 'PAYMENT_SYSTEM_OFF'))
                then 1 else 0 end as is_recovery
            from bw_payment_transactions
            where ${scope.ofTenant} ${counted.within} ${between(counted, part.after, last)}) dated
          group by transaction_type, status, currency, is_recovery`,
        (row) => ({
          transactionType: textIn(row, 'transaction_type') as TransactionType,
          status: textIn(row, 'status') as TransactionStatus,
          currency: orNullIn(row, 'currency', textIn) as Currency | null,
          isRecovery: numberIn(row, 'is_recovery') === 1,
          count: numberIn(row, 'rows_counted'),
          amount: totalIn(row),
        }),
      );
      return { sums, last };
    },

    voidsAndChargebacks: async (dates, { after, last }) => {
      const counted = transactionsBetween(dates);
      return scope.runner.readAs((row) => ({
        paymentId: idIn(row, 'payment_id'),
        recordId: numberIn(row, 'record_id'),
      }))`
        select payment_id, record_id from bw_payment_transactions
        where ${scope.ofTenant} ${counted.within} ${between(counted, after, last)}
          and transaction_type in ('VOID', 'CHARGEBACK') and status in ('SUCCESS', 'PAYMENT_FAILURE')`;
    },

    sumSubscriptions: async (at, part) => {
      const counted: Counted = {
        table: 'bw_subscriptions',
        column: 'account_record_id',
        within: nothing,
        readOrder: (row) => numberIn(row, 'position'),
        writeOrder: (order) => order,
      };
      const last = await lastOf(scope, counted, part);
      const sums = await scope.runner.read(
        sql`
          select plan_name, count(*) as rows_counted, sum(quantity) as quantity from (
            select ${latestOf(scope, 'plan_name', at)} as plan_name,
              coalesce(${latestOf(scope, 'quantity', at)}, 1) as quantity
            from bw_subscriptions
            where ${scope.ofTenant} ${between(counted, part.after, last)}
              and (
                select ended.record_id from bw_subscription_events ended
                where ${eventsUpTo(scope, 'ended', at)} and ended.type in ('CANCEL', 'EXPIRED') limit 1) is null) billed
          where plan_name is not null group by plan_name`,
        (row) => ({
          planName: textIn(row, 'plan_name'),
          count: numberIn(row, 'rows_counted'),
          quantity: numberIn(row, 'quantity'),
        }),
      );
      return { sums, last };
    },

    failedPayments: async ({ from, to, limit }) => {
      const read = (row: Row) => ({
        ...paymentTransactionsTable.decode(row),
        accountId: idIn(row, 'account_id'),
        accountKey: textIn(row, 'account_key'),
        accountName: orNullIn(row, 'account_name', textIn),
        invoiceId: orNullIn(row, 'invoice_id', idIn),
        isRecovered: numberIn(row, 'is_recovered') === 1,
      });
      return scope.runner.readAs(read)`
        select ${scope.columns(paymentTransactionsTable, 'failed')}, account.id as account_id,
          account.external_key as account_key, account.name as account_name,
          (select paid.invoice_id from bw_invoice_payments paid
            where paid.tenant_record_id = ${scope.tenantRecordId} and paid.payment_id = failed.payment_id
              and paid.type = ${InvoicePaymentType.ATTEMPT} limit 1) as invoice_id,
          case when exists (
            select 1 from bw_payment_transactions later
            where later.tenant_record_id = ${scope.tenantRecordId} and later.payment_id = failed.payment_id
              and later.record_id > failed.record_id and later.status = 'SUCCESS'
              and later.transaction_type = failed.transaction_type)
            or exists (
              select 1 from bw_invoice_payments paid
              join bw_payment_transactions later on later.tenant_record_id = paid.tenant_record_id
                and later.payment_id = paid.payment_id
              where paid.tenant_record_id = ${scope.tenantRecordId} and paid.type = ${InvoicePaymentType.ATTEMPT}
                and paid.invoice_id = (
                  select own.invoice_id from bw_invoice_payments own
                  where own.tenant_record_id = ${scope.tenantRecordId} and own.payment_id = failed.payment_id
                    and own.type = ${InvoicePaymentType.ATTEMPT} limit 1)
                and later.record_id > failed.record_id and later.status = 'SUCCESS'
                and later.transaction_type = failed.transaction_type) then 1 else 0 end as is_recovered
        from (
          select * from bw_payment_transactions
          where ${scope.ofTenant} and ${raw(FAILED_PAYMENTS)}
            and effective_date >= ${from} and effective_date < ${to}
          order by effective_date desc, record_id desc limit ${limit}) failed
        join bw_accounts account on account.record_id = failed.account_record_id
        order by failed.effective_date desc, failed.record_id desc`;
    },
  };
}

export function reportWrites(scope: TenantScope): ReportWrites {
  return {
    saveFigures: async (figures) =>
      scope.insertAll(
        storedFiguresTable,
        figures,
        sql`on conflict (tenant_record_id, name) do update
          set figures = excluded.figures, counted_at = excluded.counted_at, progress = excluded.progress`,
      ),
  };
}

function transactionsBetween({ from, to }: { readonly from: Instant; readonly to: Instant }): Counted {
  return {
    table: 'bw_payment_transactions',
    column: 'effective_date',
    within: sql`and effective_date >= ${from} and effective_date < ${to}`,
    readOrder: (row) => numberIn(row, 'position'),
    writeOrder: (order) => order,
  };
}

/** Returns the position of the last row of a part, or null if fewer rows remain. Reads only the index. */
async function lastOf(
  scope: TenantScope,
  counted: Counted,
  { after, limit }: CountPart,
): Promise<CountPosition | null> {
  const { table, column, within, readOrder } = counted;
  return scope.runner.firstAs(
    (row): CountPosition => ({ order: readOrder(row), recordId: numberIn(row, 'record_id') }),
  )`
    select ${raw(column)} as position, record_id from ${raw(table)}
    where ${scope.ofTenant} ${within} ${between(counted, after, null)}
    order by ${raw(column)}, record_id limit 1 offset ${limit - 1}`;
}

function between(
  { column, writeOrder }: Counted,
  after: CountPosition | null,
  last: CountPosition | null,
): Sql {
  const place = raw(`(${column}, record_id)`);
  const start =
    after === null ? nothing : sql`and ${place} > (${writeOrder(after.order)}, ${after.recordId})`;
  const end = last === null ? nothing : sql`and ${place} <= (${writeOrder(last.order)}, ${last.recordId})`;
  return sql`${start} ${end}`;
}

/** Returns the latest value of a column in a subscription's events up to an instant. */
function latestOf(scope: TenantScope, column: 'plan_name' | 'quantity', at: Instant): Sql {
  return sql`(
    select event.${raw(column)} from bw_subscription_events event
    where ${eventsUpTo(scope, 'event', at)} and event.${raw(column)} is not null
    order by event.effective desc, event.sequence desc limit 1)`;
}

function eventsUpTo({ tenantRecordId }: TenantScope, alias: string, at: Instant): Sql {
  return sql`${raw(alias)}.tenant_record_id = ${tenantRecordId}
    and ${raw(alias)}.subscription_id = bw_subscriptions.id and ${raw(alias)}.is_active
    and ${raw(alias)}.effective <= ${at}`;
}
