import { api, parameters, withAccountNames } from '../../core/index.ts';
import { Filter, FilterInput, IdLink, Page, PagedTable } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { paymentColumns } from './payment-table.tsx';

const t = texts.payments;

/** The payments of the tenant, newest first. */
export function Payments() {
  const given = (name: string) => (parameters.value.get(name) ?? '').trim();
  const key = given('search') === '' ? given('state') : searchKey(given('search'));
  const pluginName = given('gateway') === '' ? null : given('gateway');
  const [number, ...others] = paymentColumns();
  return (
    <Page title={t.title}>
      <div class="filters">
        <FilterInput label={texts.invoices.search} name="search" placeholder={t.searchHint} />
        {given('search') === '' && (
          <Filter
            label={t.state}
            name="state"
            options={[
              ['', t.all],
              ['_FAILED', t.failed],
              ['_ERRORED', t.uncertain],
              ['_PENDING', t.pending],
              ['PURCHASE_SUCCESS', t.paidOnes],
              ['REFUND_', t.refunds],
              ['CHARGEBACK_', t.chargebacks],
              ['AUTH_', t.authorizations],
            ]}
          />
        )}
        <FilterInput label={t.gateway} name="gateway" size={10} />
      </div>
      <PagedTable
        caption={t.title}
        load={({ offset, limit, sort }) => {
          const page = { offset, limit: sort === 'number' ? limit : -limit, pluginName };
          const { payments } = api();
          return withAccountNames(key === '' ? payments.page(page) : payments.search(key, page));
        }}
        inputs={[key, pluginName]}
        keyOf={({ id }) => id}
        columns={[
          number,
          {
            title: t.account,
            cell: ({ accountId, accountName }) => (
              <IdLink page="/accounts" id={accountId} label={accountName} />
            ),
          },
          ...others,
        ]}
      />
    </Page>
  );
}

/** Returns the search key for an id or an external key. A search for a part of a key would read all payments. */
function searchKey(text: string): string {
  const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
  return `_q=1&${isId ? 'id' : 'external_key'}[eq]=${encodeURIComponent(isId ? text.toLowerCase() : text)}`;
}
