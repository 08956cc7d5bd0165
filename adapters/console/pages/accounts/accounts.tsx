import type { JSX } from 'preact';
import { api } from '../../core/api.ts';
import { href, parameters } from '../../core/location.ts';
import { Page } from '../../parts/layout.tsx';
import { PagedTable } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

/** All accounts, or those that match the search text. */
export function Accounts(): JSX.Element {
  const search = parameters.value.get('search') ?? '';
  return (
    <Page title={texts.accounts.title}>
      <PagedTable
        caption={texts.accounts.title}
        load={(page) => (search === '' ? api().accounts.page(page) : api().accounts.search(search, page))}
        inputs={[search]}
        keyOf={({ id }) => id}
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
