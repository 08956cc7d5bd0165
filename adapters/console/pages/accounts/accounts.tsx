import { type Account, api } from '../../core/data.ts';
import { href, navigate, parameters } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { Page } from '../../parts/layout.tsx';
import { Filters, List } from '../../parts/table.tsx';
import { AccountLink } from '../../parts/values.tsx';
import { texts } from '../../texts.ts';

const t = texts.account;

/** All accounts, newest first, or those that match the search text. */
export function Accounts() {
  const search = parameters.value.get('search');
  return (
    <Page name="accounts" actions={<NewAccount />}>
      <search>
        <Filters of={{ search: { kind: 'search', label: t.search } }} />
      </search>
      <List
        name="accounts"
        isNewestFirst
        load={(page) => (search ? api().accounts.search(search, page) : api().accounts.page(page))}
        columns={[
          ['name', (account) => <AccountLink {...account} />],
          'externalKey',
          'email',
          'currency',
          'timeZone',
        ]}
      />
    </Page>
  );
}

/** Fields that can be changed after the account was created. */
const changeable = {
  name: 'text',
  company: 'text',
  legalName: 'text',
  email: 'email',
  phone: 'text',
  address1: 'text',
  address2: 'text',
  postalCode: 'text',
  city: 'text',
  state: 'text',
  country: 'text',
  taxId: 'text',
  locale: 'text',
  notes: 'area',
} as const;

/** Returns the values of the fields that can be changed; null for each empty one. */
export function changeableOf(account: Account) {
  const names = Object.keys(changeable) as (keyof typeof changeable)[];
  return Object.fromEntries(names.map((name) => [name, account[name] ?? null]));
}

function NewAccount() {
  return (
    <Action
      name="newAccount"
      needs="account:create"
      isPrimary
      fields={{
        externalKey: { help: t.keyHelp },
        currency: { isRequired: true, placeholder: 'EUR', help: t.fixedHelp },
        timeZone: { placeholder: 'Europe/Berlin', help: t.zoneHelp },
        parentAccountId: 'text',
        isPaymentDelegatedToParent: 'checkbox',
        ...changeable,
      }}
      run={(values) => api().accounts.create(values)}
      after={({ id }) => navigate(href('/accounts', id))}
    />
  );
}

export function EditAccount({ account }: { readonly account: Account }) {
  const before = changeableOf(account);
  return (
    <Action
      name="edit"
      needs="account:update"
      fields={changeable}
      initial={before}
      run={(values) => {
        // Null resets a field that the user emptied.
        const changes = Object.entries(values).filter(([name, value]) => value !== before[name]);
        const request = { changes: Object.fromEntries(changes), treatNullAsReset: true };
        return api().accounts.update(account.id, request);
      }}
    />
  );
}
