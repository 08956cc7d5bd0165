import {
  ConcurrentChangeError,
  type InvoiceReads,
  type InvoiceSelection,
  type InvoiceWrites,
} from '../../../lib/ports/storage/index.ts';
import {
  type BalancedInvoice,
  type CoverageRow,
  type CursorToSave,
  type Invoice,
  type InvoiceStatus,
  itemTypesWith,
  type StoredCursor,
} from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { isStorable } from '../../../lib/values/text/index.ts';
import { formatLocalDate } from '../../../lib/values/time/index.ts';
import { invoiceAudit, invoiceItemAudit } from '../audit/audited-records.ts';
import type { WriteScope } from '../audit/audited-writes.ts';
import {
  amount,
  boolean,
  dateIn,
  idIn,
  inputColumns,
  numberIn,
  oneOfOrNull,
  type Row,
  textIn,
  textOf,
} from '../sql/columns.ts';
import {
  type Condition,
  firstRowsAs,
  isIn,
  literals,
  narrowCondition,
  nothing,
  raw,
  type Sql,
  sql,
} from '../sql/sql.ts';
import {
  coverageTable,
  cursorsTable,
  dayOfInstant,
  invoiceAnnouncementsTable,
  invoiceItemsTable,
  invoicesTable,
  invoicingStatesTable,
} from '../tables/invoices.ts';
import { eachOf, type TenantScope } from '../tables/record-access.ts';
import { coverageReads, deleteCoverageOfItems } from './coverage.ts';
import { searchInvoices } from './invoice-search.ts';
import { lockNumbers, skipNumbers, takeNumbers } from './tenant-settings.ts';

// SQLite keeps the order of a cross join, which starts from the given rows.
const dueColumns = inputColumns({
  account_id: 'uuid',
  target_date: 'date',
  catalog_revision: 'integer',
  usage_settings: 'text',
});

export function invoiceReads(scope: TenantScope): InvoiceReads {
  const { dialect } = scope.runner;
  return {
    findByIds: async (ids) => scope.selectByIds(invoicesTable, ids),
    findByNumbers: async (numbers) => scope.selectBy(invoicesTable, 'invoiceNumber', numbers),
    findItems: async (of) => scope.select(invoiceItemsTable, areOf(scope, 'invoice_id', of)),
    pageItems: async (invoiceIds, { afterRecordId, limit }) =>
      scope.selectOrdered(invoiceItemsTable, {
        condition: narrowCondition(
          isIn('invoice_id', 'uuid', invoiceIds),
          sql`and +record_id > ${afterRecordId}`,
        ),
        order: '+record_id',
        limit,
      }),
    countItems: async (invoiceId, atMost) => {
      return (
        (await scope.runner.firstAs((row) => numberIn(row, 'found'))`
        select count(*) as found from (
          select 1 from bw_invoice_items
          where ${scope.ofTenant} and ${isIn('invoice_id', 'uuid', [invoiceId])}
          limit ${atMost}) counted`) ?? 0
      );
    },
    findGroup: async (groupId) => {
      const [first] = await scope.selectByIds(invoicesTable, [groupId]);
      if (first === undefined) return [];
      // The invoices of a run are stored together, so earlier invoices of the account are skipped.
      return scope.selectOrdered(invoicesTable, {
        condition: sql`account_record_id = ${first.accountRecordId} and record_id >= ${first.recordId}
          and ${isIn('group_id', 'uuid', [groupId])}`,
        order: 'record_id',
      });
    },
    findItemBases: async (itemIds) => {
      if (itemIds.length === 0) return new Map();
      const { id, basis } = invoiceItemsTable.fields;
      const rows = await scope.runner.rows(
        sql`select id, basis from bw_invoice_items where ${scope.haveIds(itemIds)} and basis is not null`,
      );
      return new Map(
        rows.flatMap((row) => {
          const kept = basis.read(row);
          return kept === undefined ? [] : [[id.read(row), kept] as const];
        }),
      );
    },
    findItemsByIds: async (itemIds) => scope.selectByIds(invoiceItemsTable, itemIds),
    listOfAccounts: async (accountIds, filter) =>
      scope.selectOrdered(invoicesTable, {
        condition: areListed(scope, { accountIds, filter }),
        order: 'coalesce(target_date, invoice_date), invoice_number',
      }),
    ...linkedInvoiceReads(scope),
    findDrafts: async (accountIds) => {
      const isDraft = sql`and status = 'DRAFT' and not is_parent_invoice`;
      return scope.select(invoicesTable, narrowCondition(scope.ofAccounts(accountIds), isDraft));
    },
    findItemsLinkedTo: async (itemIds) => scope.selectBy(invoiceItemsTable, 'linkedItemId', itemIds),
    findUsedCredit: async ({ accountId, beforeRecordId, limit }) =>
      scope.runner.readAs(invoiceItemsTable)`
        select ${scope.columns(invoiceItemsTable)} from bw_invoice_items
        where ${scope.ofTenant} and ${scope.ofAccount(accountId)}
          ${beforeRecordId === null ? nothing : sql`and record_id < ${beforeRecordId}`}
          and item_type = 'CBA_ADJ' and amount <> '0' and not ${raw(dialect.isPositive('amount'))}
          and exists (select 1 from bw_invoices v
            where v.tenant_record_id = ${scope.tenantRecordId} and v.id = bw_invoice_items.invoice_id
              and v.status = 'COMMITTED' and not v.is_migration
              and (v.contributed_amount is null or not exists (select 1 from bw_invoices p
                where p.tenant_record_id = v.tenant_record_id and p.id = v.parent_invoice_id
                  and p.status <> 'DRAFT')))
        order by record_id desc limit ${limit}`,
    maxTargetDate: async (accountId) => {
      // The query reads the account's invoices, latest first, until it finds an invoice with a recurring item.
      return scope.runner.firstAs((row) => dateIn(row, 'target_date'))`
        select target_date from bw_invoices
        where ${scope.ofTenant} and ${scope.ofAccount(accountId)}
          and status <> 'VOID' and not is_migration and target_date is not null
          and exists (select 1 from bw_invoice_items i
            where i.tenant_record_id = ${scope.tenantRecordId} and i.invoice_id = bw_invoices.id
              and i.item_type in ${literals(itemTypesWith('recurs'))})
        order by target_date desc limit 1`;
    },
    page: async (request) => scope.page(invoicesTable, { request }),
    search: async (search, request) => searchInvoices(scope, search, request),
    pageOfAccount: async (accountId, request) =>
      scope.page(invoicesTable, { request, within: sql`and ${scope.ofAccount(accountId)}` }),
    loadStates: async (accountIds) => scope.selectBy(invoicingStatesTable, 'accountId', accountIds),
    dueCursors: async (due) => {
      if (due.length === 0) return [];
      const cells = due.map(({ accountId, targetDate, catalogRevision, usageSettings }) => [
        accountId,
        formatLocalDate(targetDate),
        catalogRevision,
        usageSettings,
      ]);
      return scope.runner.readAs(cursorsTable)`
        select ${scope.columns(cursorsTable, 'c')}
        from ${firstRowsAs('r', dueColumns, cells)}
        cross join bw_accounts a
        cross join bw_invoicing_cursors c
        where a.id = r.account_id and a.tenant_record_id = ${scope.tenantRecordId}
          and c.tenant_record_id = ${scope.tenantRecordId} and c.account_record_id = a.record_id
          and (c.settled_through is null or c.dirty_from is not null or c.next_due_date <= r.target_date
            or c.catalog_revision is null or c.catalog_revision <> r.catalog_revision
            or c.usage_settings <> r.usage_settings
            or (c.usage_settings is not null and (c.usage_mark is null or c.usage_mark <> ${usageMark})))
        order by c.record_id`;
    },
    accountsBehind: async ({ catalogRevision, afterRecordId, limit }) => {
      return scope.runner.readAs((row) => numberIn(row, 'account_record_id'))`
        select distinct account_record_id from bw_invoicing_cursors
        where ${scope.ofTenant} and account_record_id > ${afterRecordId}
          and (catalog_revision is null or catalog_revision <> ${catalogRevision})
        order by account_record_id limit ${limit}`;
    },
    accountsOnPlans: async ({ planNames, afterRecordId, limit }) => {
      const parents = planNames.filter(isStorable);
      if (parents.length === 0) return [];
      // Use two statements, because PostgreSQL would read both tables completely for a join.
      const overriding = await scope.runner.rows(sql`
        select plan_name from bw_override_plans
        where ${scope.ofTenant} and ${isIn('parent_plan_name', 'text', parents)}`);
      const names = [...parents, ...overriding.map((row) => textIn(row, 'plan_name'))];
      return scope.runner.readAs((row) => numberIn(row, 'account_record_id'))`
        select distinct account_record_id from bw_subscription_events
        where ${scope.ofTenant} and ${isIn('plan_name', 'text', names)}
          and account_record_id > ${afterRecordId}
        order by account_record_id limit ${limit}`;
    },
    cursorsOfAccounts: async (accountIds) => scope.select(cursorsTable, scope.ofAccounts(accountIds)),
    findCursors: async (subscriptionIds) => scope.selectBy(cursorsTable, 'subscriptionId', subscriptionIds),
    ...coverageReads(scope),
  };
}

export function invoiceWrites(scope: WriteScope): InvoiceWrites {
  const insertCoverage: InvoiceWrites['insertCoverage'] = async (rows, accountRecordIdOf) => {
    if (rows.length === 0) return;
    await scope.runner.run(scope.insertInto(coverageTable, withAccounts(rows, accountRecordIdOf)));
  };
  return {
    takeInvoiceNumbers: async (count) => takeNumbers(scope, 'invoice_number', count),
    findUsedNumbers: async (numbers) => {
      await lockNumbers(scope, 'invoice_number');
      const taken = await scope.selectBy(invoicesTable, 'invoiceNumber', numbers);
      return taken.map(({ invoiceNumber }) => invoiceNumber);
    },
    passNumber: async (last) => skipNumbers(scope, 'invoice_number', last),
    insertInvoices: async (invoices) => {
      const createdBy = scope.authorship.userName;
      const stored = invoices.map((invoice) => ({
        ...invoice,
        createdBy,
        createdDay: dayOfInstant(invoice.createdDate),
      }));
      await scope.insertAudited(invoiceAudit, stored);
    },
    insertItems: async (items) => scope.insertAudited(invoiceItemAudit, items),
    setStanding: async (records) =>
      scope.updateAudited(invoiceAudit, {
        properties: ['status', 'commitDate', 'issuedDate', 'targetDate', 'note'],
        records,
      }),
    setLinks: async (records) =>
      scope.update(invoicesTable, {
        properties: ['parentInvoiceId', 'parentAccountId', 'contributedAmount'],
        records,
      }),
    setItemAmounts: async (records) =>
      scope.updateAudited(invoiceItemAudit, { properties: ['amount', 'repairable'], records }),
    rewriteItems: async (records) =>
      scope.updateAudited(invoiceItemAudit, {
        properties: [
          ...(['amount', 'repairable', 'description', 'rate', 'quantity', 'itemDetails'] as const),
          ...(['listRate', 'discounts', 'taxRate', 'taxCategory', 'taxExemption'] as const),
        ],
        records,
      }),
    setCredits: async (records) =>
      scope.updateAudited(invoiceItemAudit, {
        properties: ['amount', 'repairable', 'description'],
        records,
      }),
    setAmounts: async (changes) =>
      scope.update(invoicesTable, {
        properties: ['amount', 'creditAdj', 'refundAdj', 'rawBalance'],
        records: changes.map(({ invoiceId, ...amounts }) => ({ id: invoiceId, ...amounts })),
      }),
    setWrittenOff: async (records) => scope.update(invoicesTable, { properties: ['isWrittenOff'], records }),
    setRepairable: async (records) =>
      scope.update(invoiceItemsTable, { properties: ['repairable'], records }),
    insertCoverage,
    replaceCoverage: async (itemIds, rows, accountRecordIdOf) => {
      await deleteCoverageOfItems(scope, itemIds);
      await insertCoverage(rows, accountRecordIdOf);
    },
    saveCursors: async (cursors) => saveCursors(scope, cursors),
    saveStates: async (states) => {
      const fresh = states.filter(({ version }) => version === 0);
      const known = states.filter(({ version }) => version > 0);
      let written = 0;
      if (fresh.length > 0) {
        const rows = fresh.map((state) => ({ ...state, version: 1 }));
        written += (
          await scope.runner.run(sql`${scope.insertInto(invoicingStatesTable, rows)}
            on conflict (tenant_record_id, account_id) do nothing`)
        ).affected;
      }
      if (known.length > 0) {
        written += (
          await scope.runner.run(sql`
            ${scope.updateOf(invoicingStatesTable, {
              key: 'accountId',
              properties: ['maxTargetDate', 'accountCBA', 'accountBalance', 'version'],
              records: known.map((state) => ({ ...state, version: state.version + 1 })),
            })} and bw_invoicing_states.version = r.version - 1`)
        ).affected;
      }
      if (written !== states.length) {
        throw new ConcurrentChangeError('Another operation invoiced the same account at the same time', {
          accountIds: states.map(({ accountId }) => accountId),
        });
      }
    },
    announceInvoices: async (told) => {
      if (told.length === 0) return [];
      return scope.runner.readAs(invoiceAnnouncementsTable)`
    ${scope.insertInto(invoiceAnnouncementsTable, told)} on conflict do nothing
        returning ${scope.columns(invoiceAnnouncementsTable)}`;
    },
  };
}

/**
 * SQL for the checksum of the usage days that the last run read. Late usage changes it (usage §7.7). It is compared
 * last, because it is the most expensive comparison.
 */
const usageMark = sql`(
  select coalesce(sum(d.point_count + d.version), 0)
  from bw_subscriptions s cross join bw_usage_days d
  where s.tenant_record_id = c.tenant_record_id and s.id = c.subscription_id
    and d.tenant_record_id = c.tenant_record_id and d.subscription_record_id = s.record_id
    and d.local_date >= c.usage_from and d.local_date <= c.usage_through)`;

const standing = [
  'settledThrough',
  'dirtyFrom',
  'nextDueDate',
  'catalogRevision',
  'itemsDate',
  'itemsCount',
  'usage',
] as const satisfies readonly (keyof StoredCursor)[];
const standingAndCharge = [...standing, 'ongoing'] as const;

async function saveCursors(scope: WriteScope, cursors: readonly CursorToSave[]) {
  const known: (CursorToSave & { readonly recordId: number })[] = [];
  const fresh: CursorToSave[] = [];
  for (const cursor of cursors) {
    if (isRead(cursor)) known.push(cursor);
    else fresh.push(cursor);
  }
  if (fresh.length > 0) {
    const assignments = cursorsTable
      .columnsOf(standingAndCharge)
      .map(({ name }) => `${name} = excluded.${name}`);
    await scope.runner.run(sql`
      ${scope.insertInto(cursorsTable, fresh)}
      on conflict (tenant_record_id, subscription_id) do update set ${raw(assignments.join(', '))}`);
  }
  const { kept = [], told = [] } = Object.groupBy(known, ({ keepsOngoing }) =>
    keepsOngoing ? 'kept' : 'told',
  );
  await scope.updateRows(cursorsTable, { properties: standing, records: kept });
  await scope.updateRows(cursorsTable, { properties: standingAndCharge, records: told });
}

function isRead(cursor: CursorToSave): cursor is CursorToSave & { readonly recordId: number } {
  return cursor.recordId !== undefined;
}

function withAccounts(rows: readonly CoverageRow[], accountRecordIdOf: (row: CoverageRow) => number) {
  return eachOf(rows, (row) => ({ ...row, accountRecordId: accountRecordIdOf(row) }));
}

/**
 * Returns the condition for unpaid invoices, except those with a settled or void summary. It contains the condition of
 * the open-invoice index. It lists the other statuses, because without statistics both databases would otherwise read
 * all committed invoices by the index of statuses.
 */
function isOpen({ runner: { dialect } }: TenantScope): Sql {
  return sql`status not in ('DRAFT', 'VOID') and raw_balance <> '0' and ${raw(dialect.isPositive('raw_balance'))}
    and not is_written_off and not is_migration
    and not exists (select 1 from bw_invoices p where p.id = bw_invoices.parent_invoice_id
      and p.tenant_record_id = bw_invoices.tenant_record_id and ${raw(isClosed)})`;
}

/**
 * SQL condition for a settled or void summary. Nobody will pay the invoices linked to it, so reads for children skip
 * them.
 */
const isClosed = `(p.status = 'VOID' or (p.status = 'COMMITTED' and p.raw_balance = '0'))`;

type ListOfAccounts = Exclude<InvoiceSelection, readonly Uuid[]>;

/** Returns the condition for the invoices in the lists of these accounts. */
function areListed(scope: TenantScope, { accountIds, filter }: ListOfAccounts): Sql {
  const when = (applies: boolean, condition: Sql) => (applies ? condition : nothing);
  const { startDate, endDate, ids, statuses } = filter;
  return sql`${scope.ofAccounts(accountIds)}
    ${startDate === undefined ? nothing : sql`and target_date >= ${formatLocalDate(startDate)}`}
    ${endDate === undefined ? nothing : sql`and target_date <= ${formatLocalDate(endDate)}`}
    ${ids === undefined ? nothing : sql`and ${isIn('id', 'uuid', ids)}`}
    ${statuses === undefined ? nothing : sql`and ${isIn('status', 'text', statuses)}`}
    ${when(!filter.withMigration, sql`and not is_migration`)}
    ${when(filter.openOnly, sql`and ${isOpen(scope)}`)}`;
}

/** Returns the condition for rows whose `column` is the id of one of these invoices. */
export function areOf(scope: TenantScope, column: string, of: InvoiceSelection): Condition {
  if (!('accountIds' in of)) return isIn(column, 'uuid', of);
  const listed = sql`select id from bw_invoices where ${scope.ofTenant} and ${areListed(scope, of)}`;
  return scope.runner.dialect.isSelected(column, listed);
}

function linkedInvoiceReads(
  scope: TenantScope,
): Pick<InvoiceReads, 'findOpen' | 'findOpenSummaries' | 'findLinked' | 'findDelegated' | 'loadBalances'> {
  const find = (condition: Condition, further: Sql): Promise<readonly Invoice[]> =>
    scope.select(invoicesTable, narrowCondition(condition, further));
  return {
    findOpen: async (accountIds) => find(scope.ofAccounts(accountIds), sql`and ${isOpen(scope)}`),
    findOpenSummaries: async (accountIds) =>
      find(scope.ofAccounts(accountIds), sql`and status = 'DRAFT' and is_parent_invoice`),
    findLinked: async (parentInvoiceIds, childAccountIds) => {
      if (childAccountIds?.length === 0) return [];
      const children =
        childAccountIds === undefined ? nothing : sql`and ${scope.ofAccounts(childAccountIds)}`;
      const condition = isIn('parent_invoice_id', 'uuid', parentInvoiceIds);
      return find(condition, sql`and contributed_amount is not null ${children}`);
    },
    findDelegated: async (itemIds) => {
      if (itemIds.length === 0) return [];
      // The `+` signs keep SQLite from scanning the tenant's rows.
      return scope.runner.readAs((row) => ({
        itemId: idIn(row, 'id'),
        invoiceId: idIn(row, 'invoice_id'),
      }))`
        select i.id, i.invoice_id from bw_invoice_items i cross join bw_invoices v
        where ${isIn('i.id', 'uuid', itemIds)} and +i.tenant_record_id = ${scope.tenantRecordId}
          and v.id = i.invoice_id and +v.tenant_record_id = ${scope.tenantRecordId}
          and v.status = 'COMMITTED' and v.contributed_amount is not null`;
    },
    loadBalances: async (accountIds) => {
      if (accountIds.length === 0) return [];
      // The condition excludes all statuses other than COMMITTED by name, as `isOpen` does.
      const rows = await scope.runner.rows(sql`
        select s.account_id, s.account_balance, s.account_cba,
          ${raw(balancedColumns('i'))}, ${raw(balancedColumns('p'))}
        from bw_invoicing_states s
        left join bw_invoices i on i.tenant_record_id = s.tenant_record_id
          and i.account_record_id = s.account_record_id and i.contributed_amount is not null
          and i.status not in ('DRAFT', 'VOID') and i.raw_balance <> '0'
          and not exists (select 1 from bw_invoices p where p.id = i.parent_invoice_id
            and p.tenant_record_id = i.tenant_record_id and ${raw(isClosed)})
        left join bw_invoices p on p.id = i.parent_invoice_id and p.tenant_record_id = i.tenant_record_id
        where s.tenant_record_id = ${scope.tenantRecordId} and ${isIn('s.account_id', 'uuid', accountIds)}`);
      const byAccount = Map.groupBy(rows, (row) => idIn(row, 'account_id'));
      return [...byAccount].map(([accountId, own]) => ({
        accountId,
        accountBalance: decimal(textOf(own[0]?.account_balance, 'account_balance')),
        accountCBA: decimal(textOf(own[0]?.account_cba, 'account_cba')),
        delegated: own.flatMap((row) => {
          const invoice = balancedInvoice('i', row);
          return invoice === null ? [] : [{ invoice, summary: balancedInvoice('p', row) }];
        }),
      }));
    },
  };
}

function balancedColumns(alias: string) {
  const columns = ['status', 'is_migration', 'is_written_off', 'raw_balance'];
  return columns.map((name) => `${alias}.${name} as ${alias}_${name}`).join(', ');
}

/** Returns the invoice in a row, or null if the row has no invoice. */
function balancedInvoice(alias: string, row: Row): BalancedInvoice | null {
  const status = oneOfOrNull<InvoiceStatus>(`${alias}_status`).read(row);
  if (status === null) return null;
  return {
    status,
    isMigration: boolean(`${alias}_is_migration`).read(row),
    isWrittenOff: boolean(`${alias}_is_written_off`).read(row),
    rawBalance: amount(`${alias}_raw_balance`).read(row),
  };
}
