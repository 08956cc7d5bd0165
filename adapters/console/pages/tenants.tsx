import { useEffect } from 'preact/hooks';
import { callServer, headerText, refusedTenant, session, sessionTenants } from '../core/data.ts';
import { hrefIn, navigate } from '../core/location.ts';
import { Action } from '../parts/action.tsx';
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
    <Page title={texts.tenants.choose} actions={<NewTenant />}>
      <List
        name="tenants"
        load={sessionTenants}
        empty={texts.tenants.none}
        columns={[['apiKey', ({ apiKey }) => <a href={hrefIn(apiKey, '/')}>{apiKey}</a>], 'externalKey']}
      />
    </Page>
  );
}

/** Creates a tenant, and opens it. */
function NewTenant() {
  return (
    <Action
      name="newTenant"
      needs="tenant:create"
      fields={{
        apiKey: 'required',
        apiSecret: { kind: 'new-password', isRequired: true },
        externalKey: 'text',
      }}
      run={async ({ apiKey, apiSecret, externalKey }) => {
        await callServer('POST /tenants', {
          body: { apiKey, apiSecret, ...(externalKey !== null && { externalKey }) },
          headers: { 'X-Service-CreatedBy': headerText(session.value?.username ?? '') },
        });
        return apiKey;
      }}
      after={(apiKey) => navigate(hrefIn(apiKey, '/'))}
      isPrimary
    />
  );
}
