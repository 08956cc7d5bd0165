import { api } from '../../core/data.ts';
import { parameters } from '../../core/location.ts';
import { AccountLink, Page } from '../../parts/layout.tsx';
import { Filters, List } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { NewAccount } from './account-actions.tsx';

/** All accounts, newest first, or those that match the search text. */
export function Accounts() {
  const search = parameters.value.get('search');
  return (
    <Page name="accounts" actions={<NewAccount />}>
      <search class="filters">
        <Filters of={{ search: { kind: 'search', label: texts.accounts.search } }} />
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
