import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { revision } from '../core/calls.ts';
import { asError } from '../core/load.ts';
import { session, signIn } from '../core/session.ts';
import { type Field, Fields, textOf, type Values } from '../parts/form.tsx';
import { Problem } from '../parts/loading.tsx';
import { texts } from '../texts.ts';

const fields: readonly Field[] = [
  { name: 'username', label: texts.signIn.username, isRequired: true },
  { name: 'password', label: texts.signIn.password, kind: 'password', isRequired: true },
];

/** The sign-in form. With `isAgain` it covers the page of a session that has ended, which stays as it is. */
export function SignIn({ isAgain = false }: { readonly isAgain?: boolean }): JSX.Element {
  const [values, setValues] = useState<Values>({ username: session.value?.username ?? '', password: '' });
  const [error, setError] = useState<Error | null>(null);
  const [isRunning, setRunning] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setRunning(true);
    setError(null);
    try {
      await signIn(textOf(values, 'username') ?? '', String(values.password ?? ''));
      revision.value += 1;
    } catch (failure) {
      setError(asError(failure));
    }
    setRunning(false);
  };
  return (
    <main class={isAgain ? 'sign-in covering' : 'sign-in'}>
      <form onSubmit={(event) => void submit(event)}>
        <h1>Billwright</h1>
        {isAgain && <p>{texts.signIn.ended}</p>}
        <Fields fields={fields} values={values} change={setValues} />
        {error !== null && <Problem error={error} />}
        <button type="submit" class="primary" disabled={isRunning}>
          {isRunning ? texts.common.working : texts.signIn.submit}
        </button>
      </form>
    </main>
  );
}
