import { api, type Invoice, withAccountNames } from '../core/data.ts';
import { parameters } from '../core/location.ts';
import { Page } from '../parts/layout.tsx';
import { accountColumn, Filters, List, type OfAccount } from '../parts/table.tsx';
import { texts } from '../texts.ts';
import { invoiceColumns } from './invoices/data.tsx';
import { type ListedPayment, paymentColumns } from './payments/data.tsx';

const t = texts.invoices;
const [numberColumn, dateColumn, ...others] = invoiceColumns;

export function Invoices() {
  const { invoices } = api();
  const search = (parameters.value.get('search') ?? '').trim();
  const state = parameters.value.get('state') ?? '';
  const ofState = state === 'UNPAID' ? 'balance[gt]=0' : `status[eq]=${encodeURIComponent(state)}`;
  const key = search || (state && `_q=1&${ofState}`);
  return (
    <Page name="invoices">
      <Filters
        of={{
          search: { kind: 'search', placeholder: t.searchHint },
          state: search === '' && { kind: 'select', options: Object.entries(t.filters) },
        }}
      />
      <List<Invoice & OfAccount>
        name="invoices"
        isNewestFirst
        load={(page) => withAccountNames(key === '' ? invoices.page(page) : invoices.search(key, page))}
        columns={[numberColumn, dateColumn, accountColumn, ...others]}
      />
    </Page>
  );
}

export function Payments() {
  const { payments } = api();
  const search = (parameters.value.get('search') ?? '').trim();
  const key = search === '' ? (parameters.value.get('state') ?? '') : searchKey(search);
  const [numberColumn, ...others] = paymentColumns();
  return (
    <Page name="payments">
      <Filters
        of={{
          search: { kind: 'search', placeholder: texts.payments.searchHint },
          state: search === '' && { kind: 'select', options: Object.entries(texts.payments.filters) },
        }}
      />
      <List<ListedPayment & OfAccount>
        name="payments"
        isNewestFirst
        load={(page) => withAccountNames(key === '' ? payments.page(page) : payments.search(key, page))}
        columns={[numberColumn, accountColumn, ...others]}
      />
    </Page>
  );
}

/** Returns the search key for an id or an external key. A search for a part of a key would read all payments. */
function searchKey(text: string): string {
  const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
  return `_q=1&${isId ? 'id' : 'external_key'}[eq]=${encodeURIComponent(isId ? text.toLowerCase() : text)}`;
}
