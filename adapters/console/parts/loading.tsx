import type { ComponentChildren, ComponentType } from 'preact';
import { BillingError, ErrorCode } from '../../client/index.ts';
import { type Loaded, useLoad } from '../core/index.ts';
import { texts } from '../texts.ts';

/** Shows the children once the data are loaded, and the error of the API otherwise. */
export function Show<T>(props: {
  readonly of: Loaded<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, error, isLoading, reload } = props.of;
  if (error !== null && !isLoading) return <Problem error={error} retry={reload} />;
  if (data === undefined) return <Waiting />;
  return (
    <div class={isLoading ? 'loaded stale' : 'loaded'} aria-busy={isLoading}>
      {props.children(data)}
    </div>
  );
}

/** Returns a page that loads its data by the id in its path. */
export function pageOf<T extends object>(load: (id: string) => Promise<T>, Content: ComponentType<T>) {
  return ({ id }: { readonly id: string }) => (
    <Show of={useLoad(() => load(id))}>{(data) => <Content {...data} />}</Show>
  );
}

export function Waiting() {
  return (
    <p class="waiting" role="status">
      {texts.common.loading}
    </p>
  );
}

/** The product's own sentence about an error, with its code. */
export function Problem(props: { readonly error: Error; readonly retry?: () => void }) {
  const { error, retry } = props;
  const problems = error instanceof BillingError ? (error.problems ?? []) : [];
  return (
    <div class="problem" role="alert">
      <p>{messageOf(error)}</p>
      {problems.length > 0 && (
        <ul>
          {problems.map(({ line, message }) => (
            <li key={`${line} ${message}`}>
              {line === undefined ? message : texts.common.atLine(line, message)}
            </li>
          ))}
        </ul>
      )}
      {error instanceof BillingError && <small>{texts.common.code(error.code)}</small>}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          {texts.common.retry}
        </button>
      )}
    </div>
  );
}

function messageOf(error: Error): string {
  if (error instanceof BillingError && error.code === ErrorCode.UNAUTHENTICATED)
    return texts.common.signedOut;
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) return texts.common.unreachable;
  if (error.name === 'TimeoutError') return texts.common.timedOut;
  return error.message;
}
