import { api } from '../../core/data.ts';
import { href, navigate, parameters } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { Page } from '../../parts/layout.tsx';
import { FilterInput, List } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { newAccountFields, newAccountOf } from './account-form.ts';

const t = texts.accounts;

/** All accounts, newest first, or those that match the search text. */
export function Accounts() {
  const search = parameters.value.get('search') ?? '';
  const create = (
    <Action
      name="newAccount"
      needs="account:create"
      isPrimary
      fields={newAccountFields}
      run={(values) => api().accounts.create(newAccountOf(values))}
      after={({ id }) => navigate(href('/accounts', id))}
    />
  );
  return (
    <Page name="accounts" actions={create}>
      <search class="filters">
        <FilterInput name="search" label={t.search} />
      </search>
      <List
        name="accounts"
        load={({ offset, limit }) => {
          const page = { offset, limit: -limit };
          return search === '' ? api().accounts.page(page) : api().accounts.search(search, page);
        }}
        inputs={[search]}
        columns={[
          ['name', ({ id, name, externalKey }) => <a href={href('/accounts', id)}>{name ?? externalKey}</a>],
          'externalKey',
          'email',
          'currency',
          'timeZone',
        ]}
      />
    </Page>
  );
}
