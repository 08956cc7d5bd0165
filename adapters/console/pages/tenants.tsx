import { useEffect } from 'preact/hooks';
import {
  callServer,
  headerText,
  hrefIn,
  may,
  navigate,
  refusedTenant,
  session,
  sessionTenants,
} from '../core/index.ts';
import { Action, Page, PagedTable, textOf } from '../parts/index.ts';
import { texts } from '../texts.ts';

/** The tenants that the user may work on. */
export function Tenants() {
  // A tenant that was refused may have been created or granted since.
  useEffect(() => {
    refusedTenant.value = null;
  }, []);
  return (
    <Page title={texts.tenants.choose} actions={may('tenant:create') && <NewTenant />}>
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

/** Creates a tenant, and opens it. */
function NewTenant() {
  return (
    <Action
      label={texts.tenants.create}
      explanation={texts.tenants.createExplanation}
      fields={[
        { name: 'apiKey', label: texts.tenants.key, isRequired: true },
        { name: 'apiSecret', label: texts.tenants.secret, kind: 'new-password', isRequired: true },
        { name: 'externalKey', label: texts.tenants.externalKey },
      ]}
      run={async (values) => {
        const apiKey = textOf(values, 'apiKey');
        await callServer('POST /tenants', {
          body: { apiKey, apiSecret: values.apiSecret, externalKey: textOf(values, 'externalKey') },
          headers: { 'X-Service-CreatedBy': headerText(session.value?.username ?? '') },
        });
        return apiKey;
      }}
      done={texts.tenants.created}
      after={(apiKey) => navigate(hrefIn(String(apiKey), '/'))}
      isPrimary
    />
  );
}
