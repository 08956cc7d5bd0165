import type { CheckReads, CheckStore, LostReference } from '../../../lib/ports/storage/index.ts';
import { itemTypesWith, ProcessingState } from '../../../lib/records/index.ts';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import {
  accountAudit,
  attemptAudit,
  blockingStateAudit,
  bundleAudit,
  invoiceAudit,
  invoiceItemAudit,
  invoicePaymentAudit,
  lifecycleEventAudit,
  paymentAudit,
  subscriptionAudit,
  transactionAudit,
} from '../audit/audited-records.ts';
import {
  bigint,
  dateIn,
  instantIn,
  numberIn,
  orNullIn,
  type Row,
  rowReader,
  text,
  textIn,
  uuid,
  writeDay,
} from '../sql/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { SystemAccess } from '../sql/runner.ts';
import { isIn, literals, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { accountsTable } from '../tables/accounts.ts';
import {
  coverageTable,
  creditNotesTable,
  cursorsTable,
  eInvoiceDeliveriesTable,
  invoiceItemsTable,
  invoicesTable,
} from '../tables/invoices.ts';
import {
  invoicePaymentsTable,
  paymentMethodsTable,
  paymentsTable,
  paymentTransactionsTable,
} from '../tables/payments.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { TABLE_PREFIX, type TableSpec } from '../tables/record-table.ts';
import {
  bundlesTable,
  formerBundleKeysTable,
  lifecycleEventsTable,
  subscriptionsTable,
} from '../tables/subscriptions.ts';
import { tenantsTable } from '../tables/system.ts';
import { bucketColumns } from '../tables/usage/usage.ts';
import { usageIntervalsTable } from '../tables/usage/usage-intervals.ts';
import { isVoided } from './usage/usage-pieces.ts';

interface Reference {
  readonly from: TableSpec;
  readonly column: string;
  readonly to: TableSpec;
  /** The records `t` that must have a reference. By default, these are all records that have a value in the column. */
  readonly where?: { readonly columns: readonly string[]; readonly condition: Sql };
}

/**
 * Restricts the check to items that the engine created. Manual items contain the references that their caller specified
 * (ruling R21).
 */
const madeByRuns: Reference['where'] = {
  columns: ['item_type', 'invoice_id'],
  condition: sql`t.item_type not in ${literals(itemTypesWith('addedByPeople'))}
    and not exists (select 1 from bw_invoices i where i.id = t.invoice_id and i.is_migration)`,
};

/** References between records of the same account. */
const references: readonly Reference[] = [
  { from: bundlesTable, column: 'account_id', to: accountsTable },
  { from: formerBundleKeysTable, column: 'bundle_id', to: bundlesTable },
  { from: subscriptionsTable, column: 'bundle_id', to: bundlesTable },
  { from: subscriptionsTable, column: 'account_id', to: accountsTable },
  { from: lifecycleEventsTable, column: 'subscription_id', to: subscriptionsTable },
  { from: invoicesTable, column: 'account_id', to: accountsTable },
  { from: invoiceItemsTable, column: 'invoice_id', to: invoicesTable },
  { from: invoiceItemsTable, column: 'subscription_id', to: subscriptionsTable, where: madeByRuns },
  { from: invoiceItemsTable, column: 'bundle_id', to: bundlesTable, where: madeByRuns },
  { from: invoiceItemsTable, column: 'linked_item_id', to: invoiceItemsTable, where: madeByRuns },
  { from: creditNotesTable, column: 'invoice_id', to: invoicesTable },
  { from: eInvoiceDeliveriesTable, column: 'invoice_id', to: invoicesTable },
  { from: eInvoiceDeliveriesTable, column: 'credit_note_id', to: creditNotesTable },
  { from: coverageTable, column: 'item_id', to: invoiceItemsTable },
  { from: coverageTable, column: 'subscription_id', to: subscriptionsTable },
  { from: cursorsTable, column: 'subscription_id', to: subscriptionsTable },
  { from: usageIntervalsTable, column: 'subscription_id', to: subscriptionsTable },
  { from: usageIntervalsTable, column: 'invoice_id', to: invoicesTable },
  { from: paymentsTable, column: 'account_id', to: accountsTable },
  { from: paymentsTable, column: 'payment_method_id', to: paymentMethodsTable },
  { from: paymentTransactionsTable, column: 'payment_id', to: paymentsTable },
  { from: invoicePaymentsTable, column: 'invoice_id', to: invoicesTable },
  { from: invoicePaymentsTable, column: 'payment_id', to: paymentsTable },
];

const auditNames: ReadonlyMap<TableSpec, string> = new Map<TableSpec, string>(
  [
    accountAudit,
    bundleAudit,
    subscriptionAudit,
    lifecycleEventAudit,
    blockingStateAudit,
    invoiceAudit,
    invoiceItemAudit,
    paymentAudit,
    transactionAudit,
    attemptAudit,
    invoicePaymentAudit,
  ].map(({ table, tableName }) => [table, tableName]),
);

const checked: ReadonlyMap<string, TableSpec> = new Map(
  [...new Set([...references.map(({ from }) => from), ...auditNames.keys()])].map((table) => [
    nameOf(table),
    table,
  ]),
);

export function checkReads(scope: TenantScope): CheckReads {
  const { runner, tenantRecordId } = scope;
  return {
    ...usageCheckReads(scope),
    invoicesAfter: async ({ accountRecordIds, afterRecordId, limit }) =>
      scope.selectOrdered(invoicesTable, {
        condition: sql`${isIn('account_record_id', 'bigint', accountRecordIds)} and record_id > ${afterRecordId}`,
        order: `record_id limit ${limit}`,
      }),
    queuedKeys: async (uniqueKeys) => {
      if (uniqueKeys.length === 0) return new Set();
      const rows = await runner.rows(sql`
        select unique_key from bw_queue_entries
        where tenant_record_id = ${tenantRecordId} and unique_key is not null
          and ${isIn('unique_key', 'text', uniqueKeys)}`);
      return new Set(rows.map((row) => textIn(row, 'unique_key')));
    },
    queuedAccounts: async (topics, accountRecordIds) => {
      if (accountRecordIds.length === 0) return new Set();
      // Use separate statements, because each state has its own index.
      const where = sql`tenant_record_id = ${tenantRecordId}
        and ${isIn('account_record_id', 'bigint', accountRecordIds)} and ${isIn('topic', 'text', topics)}`;
      const rows = await runner.rows(sql`
        select account_record_id from bw_queue_entries where processing_state = 'AVAILABLE' and ${where}
        union
        select account_record_id from bw_queue_entries where processing_state = 'IN_PROCESSING' and ${where}`);
      return new Set(rows.map((row) => numberIn(row, 'account_record_id')));
    },
  };
}

export function checkStore(access: SystemAccess): CheckStore {
  const { dialect } = access;
  return {
    tables: [...checked.keys()],
    tenantsAfter: async ({ afterRecordId, limit }) => {
      return access.readAs(tenantsTable)`
        select ${raw(dialect.selectList(tenantsTable))} from ${raw(tenantsTable.name)}
        where record_id > ${afterRecordId} ${dialect.ofWorkingTenants('record_id')}
          and record_id not in (select tenant_record_id from bw_tenant_moves where state = 'GONE')
        order by record_id limit ${limit}`;
    },
    checkRecords: async ({ table: name, ...window }) => {
      const table = checked.get(name);
      assertInvariant(table !== undefined, `The records of ${name} are not checked`);
      const records = recordsOf(dialect, table, window);
      const [last] = await access.rows(sql`select max(record_id) as last from (${records}) t`);
      if (last?.last == null) return { lastRecordId: null, lost: [], unaudited: [] };
      const columns = references.filter(({ from }) => from === table);
      const auditName = auditNames.get(table);
      return {
        lastRecordId: numberIn(last, 'last'),
        lost:
          columns.length === 0 ? [] : (await access.rows(lostAmong(records, columns))).map(readLostReference),
        unaudited:
          auditName === undefined
            ? []
            : (await access.rows(unauditedAmong(records, auditName))).map(unauditedOf),
      };
    },
    latestWork: async () => {
      const [row] = await access.rows(sql`
        select effective_date from bw_queue_history where processing_state = ${ProcessingState.PROCESSED}
        order by effective_date desc, record_id desc limit 1`);
      return row ? instantIn(row, 'effective_date') : null;
    },
    doubledEntries: (limit) =>
      access.readAs(readEntryId)`
        select e.record_id, e.tenant_record_id from bw_queue_entries e
        join bw_queue_history h on h.record_id = e.record_id
        where true ${dialect.ofWorkingTenants('e.tenant_record_id')} order by e.record_id limit ${limit}`,
  };
}

/** Returns the records sorted by primary key. All tables use this order. */
function recordsOf(
  { ofWorkingTenants }: Pick<Dialect, 'ofWorkingTenants'>,
  table: TableSpec,
  window: { readonly tenantRecordId: number | null; readonly afterRecordId: number; readonly limit: number },
): Sql {
  const own = references.filter(({ from }) => from === table);
  const columns = [...new Set(own.flatMap(({ column, where }) => [column, ...(where?.columns ?? [])]))];
  const owner = table === accountsTable ? 'record_id as account_record_id' : 'account_record_id';
  const id = auditNames.has(table) ? ['id'] : [];
  const ofTenant =
    window.tenantRecordId === null
      ? ofWorkingTenants('tenant_record_id')
      : sql`and +tenant_record_id = ${window.tenantRecordId}`;
  return sql`
    select ${raw(['record_id', 'tenant_record_id', owner, ...id, ...columns].join(', '))} from ${raw(table.name)}
    where record_id > ${window.afterRecordId} ${ofTenant} order by record_id limit ${window.limit}`;
}

function lostAmong(records: Sql, columns: readonly Reference[]) {
  return columns
    .map(({ from, column, to, where }): Sql => {
      const target = raw(to === accountsTable ? 'o.record_id' : 'o.account_record_id');
      const reference = raw(`t.${column}`);
      return sql`
        select '${raw(`${nameOf(from)}.${column}`)}' as referring, t.record_id, t.tenant_record_id,
          t.account_record_id, ${reference} as target_id
        from (${records}) t left join ${raw(to.name)} o on o.id = ${reference}
        where ${reference} is not null ${where === undefined ? nothing : sql`and ${where.condition}`}
          and (o.id is null or o.tenant_record_id <> t.tenant_record_id or ${target} <> t.account_record_id)`;
    })
    .reduce((all, next) => sql`${all} union all ${next}`);
}

function unauditedAmong(records: Sql, auditName: string) {
  const owner = raw('t.id, t.tenant_record_id, t.account_record_id');
  return sql`
    select '${raw(auditName)}' as table_name, ${owner}, count(a.record_id) as insertions from (${records}) t
    left join bw_audit_log a on a.tenant_record_id = t.tenant_record_id and a.target_id = t.id
      and a.table_name = '${raw(auditName)}' and a.change_type = 'INSERT'
    group by ${owner} having count(a.record_id) <> 1`;
}

const readEntryId = rowReader({ recordId: bigint, tenantRecordId: bigint });
const owner = { tenantRecordId: bigint, accountRecordId: bigint };
const readLost = rowReader({ ...owner, referring: text, recordId: bigint, targetId: uuid });
const unauditedOf = rowReader({ ...owner, tableName: text, id: uuid, insertions: bigint });

function readLostReference(row: Row): LostReference {
  const { referring, ...lost } = readLost(row);
  return { ...lost, column: referring };
}

function nameOf({ name }: TableSpec) {
  return name.slice(TABLE_PREFIX.length);
}

function usageCheckReads(scope: TenantScope): Pick<CheckReads, 'usageDaysAfter' | 'billedItems'> {
  const { runner, tenantRecordId } = scope;
  return {
    usageDaysAfter: async (request) => usageDaysAfter(scope, request),
    billedItems: async (invoiceIds) => {
      if (invoiceIds.length === 0) return [];
      const { invoiceId, itemIds } = usageIntervalsTable.fields;
      const columns = usageIntervalsTable.columnsOf(['invoiceId', 'itemIds']);
      const rows = await runner.rows(sql`
        select ${raw(runner.dialect.selectList({ columns }))} from bw_usage_intervals
        where tenant_record_id = ${tenantRecordId} and ${isIn('invoice_id', 'uuid', invoiceIds)}`);
      return rows.flatMap((row) => {
        const billing = invoiceId.read(row) as Uuid;
        return itemIds.read(row).map((itemId) => ({ invoiceId: billing, itemId }));
      });
    },
  };
}

const order = 'account_record_id, local_date, subscription_record_id, unit_record_id';
const inBucket = (other: string): string =>
  bucketColumns.map(({ name }) => `${other}.${name} = d.${name}`).join(' and ');
const ofDay = bucketColumns.map(({ name }) => `d.${name}`).join(', ');

async function usageDaysAfter(
  { runner, tenantRecordId }: TenantScope,
  { accountRecordIds, after, limit }: Parameters<CheckReads['usageDaysAfter']>[0],
): ReturnType<CheckReads['usageDaysAfter']> {
  if (accountRecordIds.length === 0) return [];
  const { dialect } = runner;
  const beyond =
    after === null
      ? nothing
      : sql`and (${raw(order)}) > (${after.accountRecordId}, ${writeDay(after.localDate)}, ${after.subscriptionRecordId}, ${after.unitRecordId})`;
  const points = sql`d cross join bw_usage_points p
    where p.tenant_record_id = ${tenantRecordId} and ${raw(inBucket('p'))}`;
  return runner.readAs((row) => ({
    accountRecordId: numberIn(row, 'account_record_id'),
    subscriptionRecordId: numberIn(row, 'subscription_record_id'),
    localDate: dateIn(row, 'local_date'),
    unitRecordId: numberIn(row, 'unit_record_id'),
    unit: textIn(row, 'name'),
    stored: {
      sum: decimal(textIn(row, 'amount_sum')),
      max: row.amount_max === null ? null : decimal(textIn(row, 'amount_max')),
      count: numberIn(row, 'point_count'),
    },
    points: {
      sum: dialect.decimalOf(row.points_sum ?? null),
      max: dialect.decimalOf(row.points_max ?? null),
      count: row.points === null ? 0 : numberIn(row, 'points'),
      first: orNullIn(row, 'first_ordinal', numberIn),
    },
  }))`
    with d as materialized (
      select ${raw(order)}, amount_sum, amount_max, point_count from bw_usage_days
      where tenant_record_id = ${tenantRecordId} and ${isIn('account_record_id', 'bigint', accountRecordIds)} ${beyond}
      order by ${raw(order)} limit ${limit}
    ), stored as (
      select ${raw(ofDay)}, count(*) as points, min(p.ordinal) as first_ordinal from ${points} group by ${raw(ofDay)}
    ), counted as (
      select ${raw(ofDay)}, ${raw(dialect.aggregate('sum', 'p.amount'))} as points_sum,
        ${raw(dialect.aggregate('max', 'p.amount'))} as points_max
      from ${points} and not ${isVoided('p', tenantRecordId)} group by ${raw(ofDay)}
    )
    select ${raw(order.replaceAll(/\w+/g, 'd.$&'))}, unit.name, d.amount_sum, d.amount_max, d.point_count,
      s.points, s.first_ordinal, c.points_sum, c.points_max
    from d join bw_usage_units unit on unit.record_id = d.unit_record_id and unit.tenant_record_id = ${tenantRecordId}
      left join stored s on ${raw(inBucket('s'))} left join counted c on ${raw(inBucket('c'))}
    order by ${raw(order.replaceAll(/\w+/g, 'd.$&'))}`;
}
