import type { InvoiceReads } from '../../../lib/ports/storage/index.ts';
import type { BalancedInvoice, Invoice, InvoiceStatus } from '../../../lib/records/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { amount, boolean, idIn, oneOfOrNull, type Row, textOf } from '../sql/columns.ts';
import { type Condition, isIn, narrowed, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { invoicesTable } from '../tables/invoices.ts';
import type { TenantScope } from '../tables/record-access.ts';

/**
 * Returns the condition for open invoices without a settled or void summary. Starts with that of the index of open
 * invoices.
 */
export function isOpen({ runner: { dialect } }: TenantScope): Sql {
  return sql`status = 'COMMITTED' and raw_balance <> '0' and ${raw(dialect.isPositive('raw_balance'))}
    and not is_written_off and not is_migration
    and not exists (select 1 from bw_invoices p where p.id = bw_invoices.parent_invoice_id
      and p.tenant_record_id = bw_invoices.tenant_record_id and ${raw(isClosed)})`;
}

/** A settled or void summary, whose linked invoices nobody will pay. Keeps reads short for children. */
const isClosed = `(p.status = 'VOID' or (p.status = 'COMMITTED' and p.raw_balance = '0'))`;

export function linkedInvoiceReads(
  scope: TenantScope,
): Pick<InvoiceReads, 'findOpen' | 'findOpenSummaries' | 'findLinked' | 'findDelegated' | 'loadBalances'> {
  const find = (condition: Condition, further: Sql): Promise<readonly Invoice[]> =>
    scope.select(invoicesTable, narrowed(condition, further));
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
      // The signs keep SQLite from scanning the tenant's rows.
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
      const rows = await scope.runner.rows(sql`
        select s.account_id, s.account_balance, s.account_cba,
          ${raw(balancedColumns('i'))}, ${raw(balancedColumns('p'))}
        from bw_invoicing_states s
        left join bw_invoices i on i.tenant_record_id = s.tenant_record_id
          and i.account_record_id = s.account_record_id and i.contributed_amount is not null
          and i.status = 'COMMITTED' and i.raw_balance <> '0'
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

/** Returns null if the row has no such invoice. */
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
