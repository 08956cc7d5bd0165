import { api, withAccountNames } from '../../core/data.ts';
import { parameters } from '../../core/location.ts';
import { Page } from '../../parts/layout.tsx';
import { accountColumn, Filter, FilterInput, List, type OfAccount } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { type ListedPayment, paymentColumns } from './data.tsx';

const t = texts.payments;

/** The payments of the tenant, newest first. */
export function Payments() {
  const given = (name: string) => (parameters.value.get(name) ?? '').trim();
  const key = given('search') === '' ? given('state') : searchKey(given('search'));
  const pluginName = given('gateway') || null;
  const [numberColumn, ...others] = paymentColumns();
  return (
    <Page name="payments">
      <div class="filters">
        <FilterInput name="search" placeholder={t.searchHint} />
        {given('search') === '' && <Filter name="state" options={Object.entries(t.filters)} />}
        <FilterInput name="gateway" size={10} />
      </div>
      <List<ListedPayment & OfAccount>
        name="payments"
        load={({ offset, limit, sort }) => {
          const page = { offset, limit: sort === 'number' ? limit : -limit, pluginName };
          const { payments } = api();
          return withAccountNames(key === '' ? payments.page(page) : payments.search(key, page));
        }}
        inputs={[key, pluginName]}
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
