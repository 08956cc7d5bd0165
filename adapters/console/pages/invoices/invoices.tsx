import { api, type Invoice, withAccountNames } from '../../core/data.ts';
import { parameters } from '../../core/location.ts';
import { Page } from '../../parts/layout.tsx';
import { accountColumn, Filters, List, type OfAccount } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { invoiceColumns } from './data.tsx';

const t = texts.invoices;
const [numberColumn, dateColumn, ...others] = invoiceColumns;

/** The invoices of the tenant, newest first. */
export function Invoices() {
  const given = (name: string) => (parameters.value.get(name) ?? '').trim();
  const key = searchKey(given);
  const isSearch = given('search') !== '';
  const isUnpaid = given('state') === 'UNPAID';
  return (
    <Page name="invoices">
      <div class="filters">
        <Filters
          of={{
            search: { kind: 'search', placeholder: t.searchHint },
            state: !isSearch && { kind: 'select', options: Object.entries(t.filters) },
            currency: !isSearch && !isUnpaid && { kind: 'search', size: 4 },
            from: !isSearch && !isUnpaid && 'date',
            to: !isSearch && !isUnpaid && 'date',
          }}
        />
      </div>
      <List<Invoice & OfAccount>
        name="invoices"
        isNewestFirst
        load={(page) => {
          const { invoices } = api();
          return withAccountNames(key === '' ? invoices.page(page) : invoices.search(key, page));
        }}
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
