import { useEffect } from 'preact/hooks';
import { refusedTenant, sessionTenants } from '../core/data.ts';
import { hrefIn } from '../core/location.ts';
import { Page } from '../parts/layout.tsx';
import { List } from '../parts/table.tsx';
import { texts } from '../texts.ts';

/** The tenants that the user may work on. */
export function Tenants() {
  // A tenant that was refused may have been created or granted since.
  useEffect(() => {
    refusedTenant.value = null;
  }, []);
  return (
    <Page title={texts.tenants.choose}>
      <List
        name="tenants"
        load={sessionTenants}
        empty={texts.tenants.none}
        columns={[['apiKey', ({ apiKey }) => <a href={hrefIn(apiKey, '/')}>{apiKey}</a>], 'externalKey']}
      />
    </Page>
  );
}
