import type { InvoiceSearch } from '../../../lib/ports/storage/index.ts';
import type { Invoice, Page, PageRequest, SearchClause } from '../../../lib/records/index.ts';
import { toSnakeCase } from '../../../lib/values/fields/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { MAX_COUNTED_RECORDS } from '../../../lib/values/limits.ts';
import { formatDecimal } from '../../../lib/values/money/index.ts';
import { numberIn } from '../sql/columns.ts';
import { clauseConditions, comparisons } from '../sql/search-conditions.ts';
import { nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { COUNTED_INVOICES, dayOfInstant, invoicesTable } from '../tables/invoices.ts';
import type { TenantScope } from '../tables/record-access.ts';

/**
 * Returns a page of search results. A search for equal values uses an index that has the order of the page. A search
 * for a range first counts its results, up to the threshold that applies to all counts. If there are few results, they
 * are found by the index of the range and then sorted. If there are many results, the page index is read from the first
 * or last result.
 */
export async function searchInvoices(
  scope: TenantScope,
  search: InvoiceSearch,
  request: PageRequest,
): Promise<Page<Invoice>> {
  const findInvoices = (within: Sql, options: { readonly isSought?: boolean; readonly along?: Sql } = {}) =>
    scope.page(invoicesTable, { request, within, among: nothing, ...options });
  switch (search.kind) {
    case 'all':
      return scope.page(invoicesTable, { request });
    case 'number':
      return findInvoices(sql`and invoice_number = ${search.invoiceNumber}`);
    case 'id':
      return findInvoices(sql`and record_id in (${withIdOrOfAccount(scope, search.id)})`, { isSought: true });
    case 'balance':
      return findInvoices(balanceCondition(scope, search), {
        along: isOfZero(search) ? nothing : scope.runner.dialect.along('bw_invoices_counted_index'),
      });
    case 'clauses': {
      const condition = clausesCondition(scope, search.clauses);
      const range = rangeAlone(search.clauses);
      if (range === null) return findInvoices(condition, soughtBy(search.clauses));
      const bounds = sql`${clauseConditions(range.clauses)} ${createdDays(range.clauses)}`;
      const most = scope.countThreshold ?? MAX_COUNTED_RECORDS;
      const indexed = scope.runner.dialect.along(`bw_invoices_${dayColumns[range.property]}_index`);
      if ((await countUpTo(scope, sql`${indexed} where ${scope.ofTenant} ${bounds}`, most + 1)) <= most) {
        const within = sql`select record_id from bw_invoices ${indexed} where ${scope.ofTenant} ${bounds}`;
        return findInvoices(sql`and record_id in (${within}) ${condition}`, { isSought: true });
      }
      const isDescending = request.limit < 0;
      const end = await endOf(scope, { property: range.property, bounds, indexed, isDescending });
      return findInvoices(sql`and record_id ${raw(isDescending ? '<=' : '>=')} ${end} ${condition}`, {
        along: scope.runner.dialect.along('bw_invoices_page_index'),
      });
    }
  }
}

function withIdOrOfAccount(scope: TenantScope, id: Uuid) {
  return sql`
    select record_id from bw_invoices where ${scope.haveIds([id])}
    union all select record_id from bw_invoices where ${scope.ofTenant} and ${scope.ofAccount(id)}`;
}

/** Returns the condition for the clauses, each preceded by `and`, in a form that can use the indexes. */
function clausesCondition(scope: TenantScope, clauses: readonly SearchClause[]): Sql {
  return clauses.reduce((condition, clause) => {
    const { property, operator, value } = clause;
    const others = sql`${clauseConditions([clause])} ${createdDays([clause])}`;
    if (operator !== 'eq') return sql`${condition} ${others}`;
    switch (property) {
      case 'accountId':
        return sql`${condition} and ${scope.ofAccount(value as Uuid)}`;
      case 'groupId':
        return sql`${condition} and record_id in (
          select record_id from bw_invoices where ${scope.haveIds([value as Uuid])} and group_id = id
          union all
          select record_id from bw_invoices where ${scope.ofTenant} and group_id = ${value} and group_id <> id)`;
      case 'isMigration':
      case 'isParentInvoice':
        // The condition has the same text as in the partial indexes, so that the database can use them.
        return sql`${condition} and ${raw(value === true ? '' : 'not ')} ${raw(toSnakeCase(property))}`;
      default:
        return sql`${condition} ${others}`;
    }
  }, nothing);
}

/**
 * Returns a condition, preceded by `and`, on the days of the searched instants. With this condition, the database can
 * use the index of days.
 */
function createdDays(clauses: readonly SearchClause[]) {
  return clauses.reduce((days, { property, operator, value }) => {
    if (property !== 'createdDate' || operator === 'neq' || operator === 'like') return days;
    const sign = { eq: '=', gt: '>=', gte: '>=', lt: '<=', lte: '<=' }[operator];
    return sql`${days} and created_day ${raw(sign)} ${dayOfInstant(Number(value))}`;
  }, nothing);
}

/**
 * Returns true if an index finds the few rows of the search. In this case, SQLite must not scan all rows of the tenant.
 */
function soughtBy(clauses: readonly SearchClause[]): { readonly isSought: boolean } {
  return {
    isSought: clauses.some(
      ({ property, operator }) => operator === 'eq' && (property === 'id' || property === 'groupId'),
    ),
  };
}

/** Fields whose ranges have an index, and the columns in the names of these indexes. */
const dayColumns = {
  invoiceDate: 'invoice_date',
  targetDate: 'target_date',
  createdDate: 'created_day',
} as const;
type RangedField = keyof typeof dayColumns;

/**
 * Returns the clauses on the first field that has a range. Returns null if the search has equalities, which find the
 * invoices by themselves.
 */
function rangeAlone(clauses: readonly SearchClause[]) {
  if (clauses.some(({ operator }) => operator === 'eq')) return null;
  const isBound = ({ property, operator }: SearchClause) => property in dayColumns && operator !== 'neq';
  const first = clauses.find(isBound);
  if (first === undefined) return null;
  const property = first.property as RangedField;
  return { property, clauses: clauses.filter((clause) => clause.property === property && isBound(clause)) };
}

async function countUpTo(scope: TenantScope, source: Sql, most: number) {
  const [row] = await scope.runner.rows(
    sql`select count(*) as found from (select 1 from bw_invoices ${source} limit ${most}) counted`,
  );
  return numberIn(row, 'found');
}

interface RangeEnd {
  readonly property: RangedField;
  readonly bounds: Sql;
  readonly indexed: Sql;
  readonly isDescending: boolean;
}

/** Returns the first or last record id in the range. */
async function endOf(scope: TenantScope, range: RangeEnd) {
  const { property, bounds, indexed, isDescending } = range;
  const end = raw(isDescending ? 'max' : 'min');
  const day = raw(dayColumns[property]);
  const direction = raw(isDescending ? 'desc' : 'asc');
  const next = (selected: string) => sql`(
    select i.${raw(selected)} from bw_invoices i ${indexed}
    where i.tenant_record_id = ${scope.tenantRecordId} and i.${day} ${raw(isDescending ? '<' : '>')} days.day ${bounds}
    order by i.${day} ${direction}, i.record_id ${direction} limit 1)`;
  // The query skips from day to day in the index, regardless of the number of invoices per day.
  const [row] = await scope.runner.rows(sql`
    with recursive days (day, end_id) as (
      select * from (
        select ${day}, record_id from bw_invoices ${indexed}
        where ${scope.ofTenant} ${bounds}
        order by ${day} ${direction}, record_id ${direction} limit 1) first_day
      union all
      select ${next(dayColumns[property])}, ${next('record_id')} from days where days.day is not null)
    select ${end}(end_id) as bound from days`);
  return numberIn(row, 'bound');
}

/**
 * Returns the comparison of the balance, preceded by `and`. If the balance of a summary is 0, its linked invoices are
 * settled.
 */
function balanceCondition(scope: TenantScope, search: BalanceSearch) {
  const holds = comparison(scope, search.operator, formatDecimal(search.balance));
  const counted = sql`${raw(COUNTED_INVOICES)}
    and (bw_invoices.parent_invoice_id is null or not exists (
      select 1 from bw_invoices p where p.id = bw_invoices.parent_invoice_id
        and p.tenant_record_id = bw_invoices.tenant_record_id and not (${raw(COUNTED_INVOICES)})))`;
  return isOfZero(search) ? sql`and not (${counted} and not (${holds}))` : sql`and ${counted} and ${holds}`;
}

function comparison(scope: TenantScope, operator: BalanceSearch['operator'], value: string) {
  const sign = comparisons[operator];
  if (sign === '=' || sign === '<>') {
    return sql`bw_invoices.raw_balance ${raw(sign)} ${value}`;
  }
  return scope.runner.dialect.comparesWith('bw_invoices.raw_balance', sign, value);
}

type BalanceSearch = Extract<InvoiceSearch, { readonly kind: 'balance' }>;

/** Returns true if invoices with the balance 0 satisfy the search. */
function isOfZero({ operator, balance }: BalanceSearch): boolean {
  const sign = balance.comparedTo(0);
  switch (operator) {
    case 'eq':
      return sign === 0;
    case 'neq':
      return sign !== 0;
    case 'gt':
      return sign < 0;
    case 'gte':
      return sign <= 0;
    case 'lt':
      return sign > 0;
    default:
      return sign >= 0;
  }
}
