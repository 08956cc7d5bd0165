import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { api } from '../../core/api.ts';
import { href, hrefWith, navigate, parameters } from '../../core/location.ts';
import { may } from '../../core/session.ts';
import { Action } from '../../parts/action.tsx';
import { Page } from '../../parts/layout.tsx';
import { PagedTable } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { type Account, newAccountFields, newAccountOf } from './account-form.ts';

/** All accounts, newest first, or those that match the search text. */
export function Accounts(): JSX.Element {
  const search = parameters.value.get('search') ?? '';
  return (
    <Page title={texts.accounts.title} actions={may('account:create') && <NewAccount />}>
      <Search text={search} />
      <PagedTable
        caption={texts.accounts.title}
        load={({ offset, limit }) => {
          const page = { offset, limit: -limit };
          return search === '' ? api().accounts.page(page) : api().accounts.search(search, page);
        }}
        inputs={[search]}
        keyOf={({ id }) => id}
        empty={search === '' ? texts.accounts.none : texts.accounts.noMatch}
        columns={[
          {
            title: texts.accounts.name,
            cell: ({ id, name, externalKey }) => <a href={href('/accounts', id)}>{name ?? externalKey}</a>,
          },
          { title: texts.accounts.key, cell: ({ externalKey }) => externalKey },
          { title: texts.accounts.email, cell: ({ email }) => email },
          { title: texts.accounts.currency, cell: ({ currency }) => currency },
          { title: texts.accounts.zone, cell: ({ timeZone }) => timeZone },
        ]}
      />
    </Page>
  );
}

function Search({ text }: { readonly text: string }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const search = (event: Event) => {
    event.preventDefault();
    navigate(hrefWith({ search: input.current?.value.trim() ?? '', page: null }));
  };
  return (
    <search>
      <form class="filters" onSubmit={search}>
        <label class="filter">
          {texts.accounts.search}
          <input key={text} ref={input} type="search" defaultValue={text} />
        </label>
        <button type="submit">{texts.accounts.submit}</button>
      </form>
    </search>
  );
}

function NewAccount(): JSX.Element {
  return (
    <Action
      label={texts.account.create}
      explanation={texts.account.createExplanation}
      isPrimary
      fields={newAccountFields}
      run={(values) => api().accounts.create(newAccountOf(values))}
      after={(account) => navigate(href('/accounts', (account as Account).id))}
    />
  );
}
