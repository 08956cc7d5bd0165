import { useRef } from 'preact/hooks';
import { api, href, hrefWith, may, navigate, parameters } from '../../core/index.ts';
import { Action, Page, PagedTable } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { type Account, newAccountFields, newAccountOf } from './account-form.ts';

const t = texts.accounts;

/** All accounts, newest first, or those that match the search text. */
export function Accounts() {
  const search = parameters.value.get('search') ?? '';
  return (
    <Page title={t.title} actions={may('account:create') && <NewAccount />}>
      <Search text={search} />
      <PagedTable
        caption={t.title}
        load={({ offset, limit }) => {
          const page = { offset, limit: -limit };
          return search === '' ? api().accounts.page(page) : api().accounts.search(search, page);
        }}
        inputs={[search]}
        keyOf={({ id }) => id}
        empty={search === '' ? t.none : t.noMatch}
        columns={[
          {
            title: t.name,
            cell: ({ id, name, externalKey }) => <a href={href('/accounts', id)}>{name ?? externalKey}</a>,
          },
          { title: t.key, cell: ({ externalKey }) => externalKey },
          { title: t.email, cell: ({ email }) => email },
          { title: t.currency, cell: ({ currency }) => currency },
          { title: t.zone, cell: ({ timeZone }) => timeZone },
        ]}
      />
    </Page>
  );
}

function Search({ text }: { readonly text: string }) {
  const input = useRef<HTMLInputElement>(null);
  const search = (event: Event) => {
    event.preventDefault();
    navigate(hrefWith({ search: input.current?.value.trim() ?? '', page: null }));
  };
  return (
    <search>
      <form class="filters" onSubmit={search}>
        <label class="filter">
          {t.search}
          <input key={text} ref={input} type="search" defaultValue={text} />
        </label>
        <button type="submit">{t.submit}</button>
      </form>
    </search>
  );
}

function NewAccount() {
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
