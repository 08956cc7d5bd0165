import { useEffect, useRef, useState } from 'preact/hooks';
import { isUnauthenticated, revision, session, signIn, useTask } from '../core/data.ts';
import { label } from '../core/format.ts';
import { type Entered, FormFields, valuesOf } from '../parts/form.tsx';
import { Problem } from '../parts/layout.tsx';
import { texts } from '../texts.ts';

const fields = { user: 'required', password: { kind: 'password', isRequired: true } } as const;

/** The sign-in form. */
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
      <SignInForm title={label('signIn')} message={texts.signIn.ended} />
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
        <Problem error={isUnauthenticated(error) ? new Error(texts.signIn.rejected) : error} />
      )}
      <button type="submit" class="primary" disabled={isRunning}>
        {isRunning ? texts.common.working : label('signIn')}
      </button>
    </form>
  );
}
