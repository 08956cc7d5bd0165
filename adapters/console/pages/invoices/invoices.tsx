import { api, type Invoice, withAccountNames } from '../../core/data.ts';
import { parameters } from '../../core/location.ts';
import { Page } from '../../parts/layout.tsx';
import { accountColumn, Filter, FilterInput, List, type OfAccount } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { invoiceColumns } from './data.tsx';

const t = texts.invoices;
const [numberColumn, dateColumn, ...others] = invoiceColumns;

/** The invoices of the tenant, newest first. */
export function Invoices() {
  const given = (name: string) => (parameters.value.get(name) ?? '').trim();
  const key = searchKey(given);
  return (
    <Page name="invoices">
      <div class="filters">
        <FilterInput name="search" placeholder={t.searchHint} />
        {given('search') === '' && <Filter name="state" options={Object.entries(t.filters)} />}
        {given('search') === '' && given('state') !== 'UNPAID' && (
          <>
            <FilterInput name="currency" size={4} />
            <FilterInput name="from" isDate />
            <FilterInput name="to" isDate />
          </>
        )}
      </div>
      <List<Invoice & OfAccount>
        name="invoices"
        load={({ offset, limit, sort }) => {
          const page = { offset, limit: sort === 'number' ? limit : -limit };
          const { invoices } = api();
          return withAccountNames(key === '' ? invoices.page(page) : invoices.search(key, page));
        }}
        inputs={[key]}
        columns={[numberColumn, dateColumn, accountColumn, ...others]}
      />
    </Page>
  );
}

/** Returns the search key of the filters in the URL. A search by balance takes no other condition. */
function searchKey(given: (name: string) => string): string {
  if (given('search') !== '') return given('search');
  if (given('state') === 'UNPAID') return '_q=1&balance[gt]=0';
  const clauses = [
    ['status[eq]', given('state')],
    ['currency[eq]', given('currency').toUpperCase()],
    ['invoice_date[gte]', given('from')],
    ['invoice_date[lte]', given('to')],
  ].filter(([, value]) => value !== '');
  if (clauses.length === 0) return '';
  return `_q=1&${clauses.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`).join('&')}`;
}
