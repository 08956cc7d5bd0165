import type { AccountBalance, Invoice } from '../../lib/records/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { textOf } from './columns.ts';
import { ofAccounts, select, selectOrdered, type TenantScope } from './record-access.ts';
import { isIn, nothing, raw, type Sql, sql } from './sql.ts';
import { invoicesTable } from './tables/invoices.ts';

const byAge = 'invoice_date, invoice_number';

/** COMMITTED invoices that owe something; the last condition is the predicate of the index of open invoices. */
function owing({ runner: { dialect } }: TenantScope, accountIds: Sql): Sql {
  return sql`${accountIds} and status = 'COMMITTED' and not is_written_off and not is_migration
    and ${raw(dialect.isPositive('raw_balance'))} and raw_balance <> '0'`;
}

/** Rows of invoices whose parent's invoice is not as `condition` says; those without one are among them. */
function unlessParent(condition: Sql): Sql {
  return sql`not exists (select 1 from bw_invoices p where p.id = bw_invoices.parent_invoice_id
    and p.tenant_record_id = bw_invoices.tenant_record_id and (${condition}))`;
}

/** invoicing.md §1.4 rule 9. */
export async function findUnpaid(
  scope: TenantScope,
  accountIds: readonly Uuid[],
): Promise<readonly Invoice[]> {
  if (accountIds.length === 0) return [];
  return selectOrdered(scope, invoicesTable, {
    condition: sql`${owing(scope, ofAccounts(scope, accountIds))} and ${parentOwes(scope)}`,
    order: byAge,
  });
}

/** Of an invoice that the parent pays: that the parent owes it. */
export function parentOwes({ runner: { dialect } }: TenantScope): Sql {
  return unlessParent(
    sql`p.status <> 'COMMITTED' or p.is_written_off or not (${raw(dialect.isPositive('p.raw_balance'))})`,
  );
}

/** invoicing.md §10 rules 3 and 5: a committed summary keeps its invoices from credit. */
export async function findCreditable(
  scope: TenantScope,
  accountIds: readonly Uuid[],
): Promise<readonly Invoice[]> {
  if (accountIds.length === 0) return [];
  return selectOrdered(scope, invoicesTable, {
    condition: sql`${owing(scope, ofAccounts(scope, accountIds))} and ${unlessParent(sql`p.status <> 'DRAFT'`)}`,
    order: byAge,
  });
}

export async function findOpenSummaries(
  scope: TenantScope,
  accountIds: readonly Uuid[],
): Promise<readonly Invoice[]> {
  if (accountIds.length === 0) return [];
  const condition = sql`${ofAccounts(scope, accountIds)} and status = 'DRAFT' and is_parent_invoice`;
  return select(scope, invoicesTable, condition);
}

export async function findLinked(
  scope: TenantScope,
  parentInvoiceIds: readonly Uuid[],
  childAccountIds?: readonly Uuid[],
): Promise<readonly Invoice[]> {
  if (parentInvoiceIds.length === 0 || childAccountIds?.length === 0) return [];
  const children = childAccountIds === undefined ? nothing : sql`and ${ofAccounts(scope, childAccountIds)}`;
  return select(
    scope,
    invoicesTable,
    sql`${isIn('parent_invoice_id', 'uuid', parentInvoiceIds)} and contributed_amount is not null ${children}`,
  );
}

/**
 * The kept balances, to which an account that its parent pays for has those of its invoices added that count: not linked
 * yet, or to a summary that is owed.
 */
export async function loadBalances(
  scope: TenantScope,
  accountIds: readonly Uuid[],
): Promise<readonly AccountBalance[]> {
  if (accountIds.length === 0) return [];
  const rows = await scope.runner.rows(sql`
    select s.account_id, s.account_balance, s.account_cba, i.raw_balance
    from bw_invoicing_states s
    left join bw_invoices i on i.tenant_record_id = s.tenant_record_id
      and i.account_record_id = s.account_record_id and i.contributed_amount is not null
      and i.status = 'COMMITTED' and not i.is_written_off and i.raw_balance <> '0'
      and not exists (select 1 from bw_invoices p where p.id = i.parent_invoice_id
        and p.tenant_record_id = i.tenant_record_id
        and (p.status <> 'COMMITTED' or p.is_written_off or p.raw_balance = '0'))
    where s.tenant_record_id = ${scope.tenantRecordId} and ${isIn('s.account_id', 'uuid', accountIds)}`);
  const balances = new Map<Uuid, AccountBalance>();
  for (const row of rows) {
    const accountId = textOf(row.account_id, 'account_id') as Uuid;
    const known = balances.get(accountId) ?? {
      accountId,
      accountBalance: decimal(textOf(row.account_balance, 'account_balance')),
      accountCBA: decimal(textOf(row.account_cba, 'account_cba')),
    };
    const owed = row.raw_balance === null ? '0' : textOf(row.raw_balance, 'raw_balance');
    balances.set(accountId, { ...known, accountBalance: known.accountBalance.plus(decimal(owed)) });
  }
  return [...balances.values()];
}
