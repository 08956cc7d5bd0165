import type { JSX } from 'preact';
import { hrefIn } from '../core/location.ts';
import { sessionTenants } from '../core/session.ts';
import { Page } from '../parts/layout.tsx';
import { PagedTable } from '../parts/table.tsx';
import { texts } from '../texts.ts';

/** The tenants that the user may work on. */
export function Tenants(): JSX.Element {
  return (
    <Page title={texts.tenants.choose}>
      <PagedTable
        caption={texts.tenants.title}
        load={sessionTenants}
        keyOf={({ tenantId }) => tenantId}
        empty={texts.tenants.none}
        columns={[
          { title: texts.tenants.key, cell: ({ apiKey }) => <a href={hrefIn(apiKey, '/')}>{apiKey}</a> },
          { title: texts.tenants.externalKey, cell: ({ externalKey }) => externalKey },
        ]}
      />
    </Page>
  );
}
