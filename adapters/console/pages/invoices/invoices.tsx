import { api, type Invoice, withAccountNames } from '../../core/data.ts';
import { parameters } from '../../core/location.ts';
import { Page } from '../../parts/layout.tsx';
import { accountColumn, Filters, List, type OfAccount } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { invoiceColumns } from './data.tsx';

const t = texts.invoices;
const [numberColumn, dateColumn, ...others] = invoiceColumns;

export function Invoices() {
  const search = (parameters.value.get('search') ?? '').trim();
  const state = parameters.value.get('state') ?? '';
  const ofState = state === 'UNPAID' ? 'balance[gt]=0' : `status[eq]=${state}`;
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
        load={(page) => {
          const { invoices } = api();
          return withAccountNames(key === '' ? invoices.page(page) : invoices.search(key, page));
        }}
        columns={[numberColumn, dateColumn, accountColumn, ...others]}
      />
    </Page>
  );
}
