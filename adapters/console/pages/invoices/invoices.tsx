import { api, day, money, parameters, withAccountNames } from '../../core/index.ts';
import { Badge, Filter, FilterInput, IdLink, Page, PagedTable } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { numberOf, stateOf } from './data.ts';

/** The invoices of the tenant, newest first. */
export function Invoices() {
  const t = texts.invoices;
  const given = (name: string) => parameters.value.get(name) ?? '';
  const key = searchKey(given);
  return (
    <Page title={t.title}>
      <div class="filters">
        <FilterInput label={t.search} name="search" placeholder={t.searchHint} />
        {given('search') === '' && (
          <Filter
            label={t.state}
            name="state"
            options={[
              ['', t.all],
              ['UNPAID', t.states.unpaid],
              ['COMMITTED', t.committed],
              ['DRAFT', t.states.draft],
              ['VOID', t.states.void],
            ]}
          />
        )}
        {given('search') === '' && given('state') !== 'UNPAID' && (
          <>
            <FilterInput label={t.currency} name="currency" size={4} />
            <FilterInput label={t.from} name="from" isDate />
            <FilterInput label={t.to} name="to" isDate />
          </>
        )}
      </div>
      <PagedTable
        caption={t.title}
        load={({ offset, limit, sort }) => {
          const page = { offset, limit: sort === 'number' ? limit : -limit };
          const { invoices } = api();
          return withAccountNames(key === '' ? invoices.page(page) : invoices.search(key, page));
        }}
        inputs={[key]}
        keyOf={({ id }) => id}
        columns={[
          {
            title: t.number,
            sort: 'number',
            cell: (row) => <IdLink page="/invoices" id={row.id} label={numberOf(row)} />,
          },
          { title: t.date, cell: ({ invoiceDate }) => day(invoiceDate) },
          {
            title: t.account,
            cell: ({ accountId, accountName }) => (
              <IdLink page="/accounts" id={accountId} label={accountName} />
            ),
          },
          { title: t.state, cell: (row) => <Badge tone={stateOf(row)[1]}>{stateOf(row)[0]}</Badge> },
          { title: t.amount, isNumber: true, cell: ({ amount, currency }) => money(amount, currency) },
          { title: t.balance, isNumber: true, cell: ({ balance, currency }) => money(balance, currency) },
        ]}
      />
    </Page>
  );
}

/** Returns the search key of the filters in the URL. A search by balance takes no other condition. */
function searchKey(given: (name: string) => string): string {
  if (given('search') !== '') return given('search').trim();
  if (given('state') === 'UNPAID') return '_q=1&balance[gt]=0';
  const clauses = [
    ['status[eq]', given('state')],
    ['currency[eq]', given('currency').trim().toUpperCase()],
    ['invoice_date[gte]', given('from')],
    ['invoice_date[lte]', given('to')],
  ].filter(([, value]) => value !== '');
  if (clauses.length === 0) return '';
  return `_q=1&${clauses.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`).join('&')}`;
}
