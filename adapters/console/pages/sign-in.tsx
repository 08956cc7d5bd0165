import { useEffect, useRef, useState } from 'preact/hooks';
import { label } from '../core/format.ts';
import { useTask } from '../core/load.ts';
import { hrefIn, navigate } from '../core/location.ts';
import { callServer, headerText, isUnauthenticated, refusedTenant, revision } from '../core/server.ts';
import { session, sessionTenants, signIn } from '../core/session.ts';
import { Action } from '../parts/action.tsx';
import { type Entered, FormFields, valuesOf } from '../parts/form.tsx';
import { Page, Problem } from '../parts/layout.tsx';
import { List } from '../parts/table.tsx';
import { texts } from '../texts.ts';

const fields = { user: 'required', password: { kind: 'password', isRequired: true } } as const;

export function SignIn() {
  return (
    <main class="sign-in">
      <SignInForm title="Billwright" />
    </main>
  );
}

/** The sign-in form over the page of a session that has ended. The page stays as it is, with its open dialogs. */
export function SignInAgain() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = () => dialog.current?.showModal();
  useEffect(open, []);
  return (
    <dialog ref={dialog} class="sign-in-again" aria-label={label('signIn')} onClose={open}>
      <SignInForm title={label('signIn')} message={texts.shell.sessionEnded} />
    </dialog>
  );
}

function SignInForm(props: { readonly title: string; readonly message?: string }) {
  const [entered, enter] = useState<Entered>({ user: session.value?.username });
  const { isRunning, error, start } = useTask(async () => {
    const before = session.value?.username;
    const { user, password } = valuesOf(fields, entered);
    await signIn(user, password);
    // The page shows what the other user was allowed to see.
    if (before !== undefined && before !== session.value?.username) location.reload();
    revision.value += 1;
  });
  return (
    <form onSubmit={start}>
      <h1>{props.title}</h1>
      {props.message !== undefined && <p>{props.message}</p>}
      <FormFields fields={fields} entered={entered} change={enter} />
      {error !== null && (
        <Problem error={isUnauthenticated(error) ? new Error(texts.shell.signInRejected) : error} />
      )}
      <button type="submit" class="primary" disabled={isRunning}>
        {isRunning ? texts.common.working : label('signIn')}
      </button>
    </form>
  );
}

export function Tenants() {
  // A tenant that was refused may have been created or granted since.
  useEffect(() => {
    refusedTenant.value = null;
  }, []);
  return (
    <Page title={texts.shell.chooseTenant} actions={<NewTenant />}>
      <List
        name="tenants"
        load={sessionTenants}
        empty={texts.shell.noTenants}
        columns={[['apiKey', ({ apiKey }) => <a href={hrefIn(apiKey, '/')}>{apiKey}</a>], 'externalKey']}
      />
    </Page>
  );
}

/** Creates a tenant and opens its home page. */
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
        const headers = { 'X-Service-CreatedBy': headerText(session.value?.username ?? '') };
        const body = { apiKey, apiSecret, ...(externalKey !== null && { externalKey }) };
        await callServer('POST /tenants', { body, headers });
        return apiKey;
      }}
      after={(apiKey) => navigate(hrefIn(apiKey, '/'))}
      isPrimary
    />
  );
}
