import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { BillingError } from '../../client/index.ts';
import { isUnauthenticated, type Loaded, useLoad, useTask } from '../core/data.ts';
import { label } from '../core/format.ts';
import { hrefWith, parameters } from '../core/location.ts';
import { explanations, texts } from '../texts.ts';
import { Sentences } from './values.tsx';

const t = texts.common;

interface PageProps {
  readonly name?: string;
  /** Default: the label of the name. */
  readonly title?: string;
  readonly subtitle?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page with its heading. The title is also the title of the browser's tab. */
export function Page({ name = '', title = label(name), subtitle, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Billwright`;
  }, [title]);
  return (
    <article class="page">
      <header class="page-header">
        <div>
          <h1>{title}</h1>
          <div class="subtitle">{subtitle}</div>
        </div>
        <div class="actions">{actions}</div>
      </header>
      {children}
    </article>
  );
}

interface SectionProps {
  readonly name: string;
  /** Default: the label of the name. */
  readonly title?: string | undefined;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  /** True to show the explanation of the name. */
  readonly isExplained?: boolean;
}

export function Section({ name, title = label(name), actions, isExplained, children }: SectionProps) {
  return (
    <section class="section">
      <header class="section-header">
        <h2>{title}</h2>
        <div class="actions">{actions}</div>
      </header>
      {isExplained && <p class="quiet-text">{explanations[name]}</p>}
      {children}
    </section>
  );
}

interface DownloadProps {
  readonly name: string;
  readonly file: string;
  readonly load: () => Promise<Uint8Array>;
}

/** A button that loads a file from the API and saves it. */
export function Download({ name, file, load }: DownloadProps) {
  const { isRunning, error, start } = useTask(async () => saveFile(await load(), file));
  return (
    <>
      <button type="button" disabled={isRunning} onClick={start}>
        {isRunning ? t.working : label(name)}
      </button>
      {error !== null && <Problem error={error} />}
    </>
  );
}

/** Lets the browser save bytes as a file with this name. */
export function saveFile(bytes: Uint8Array, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>]));
  link.download = name;
  link.click();
  // Some browsers read the file only after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Tabs of a page by their names. The chosen tab is in the URL as `tab`; the first one is the default. */
export function Tabs({ of }: { readonly of: Readonly<Record<string, () => ComponentChildren>> }) {
  const names = Object.keys(of);
  const chosen = names.find((name) => name === parameters.value.get('tab')) ?? names[0];
  return (
    <>
      <nav class="tabs" aria-label={t.partsOfPage}>
        {names.map((name, index) => (
          <a
            key={name}
            href={hrefWith({ tab: index === 0 ? null : name, page: null, sort: null })}
            aria-current={name === chosen ? 'page' : undefined}
          >
            {label(name)}
          </a>
        ))}
      </nav>
      {of[chosen ?? '']?.()}
    </>
  );
}

interface ShowProps<T> {
  readonly of: Loaded<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** Shows the children once the data are loaded, and the error of the API otherwise. */
export function Show<T>({ of: { data, error, isLoading, reload }, children }: ShowProps<T>) {
  if (error !== null && !isLoading) return <Problem error={error} retry={reload} />;
  if (data === undefined) return <Waiting />;
  return (
    <div class="loaded" aria-busy={isLoading}>
      {children(data)}
    </div>
  );
}

interface LoadProps<T> extends Pick<ShowProps<T>, 'children'> {
  readonly from: () => Promise<T>;
  readonly inputs?: readonly unknown[];
  readonly keepsData?: boolean;
}

/** Loads data again when one of the inputs changes, and shows the children with them. */
export function Load<T>({ from, inputs, keepsData, children }: LoadProps<T>) {
  return <Show of={useLoad(from, inputs, keepsData)}>{children}</Show>;
}

/** Returns a page that loads its data by the id in its path. */
export function pageOf<T extends object>(load: (id: string) => Promise<T>, Content: ComponentType<T>) {
  return ({ id }: { readonly id: string }) => (
    <Load from={() => load(id)}>{(data) => <Content {...data} />}</Load>
  );
}

export function Waiting() {
  return (
    <p class="waiting" role="status">
      {t.loading}
    </p>
  );
}

/** The product's own sentence about an error, with its code. */
export function Problem({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const problems = error instanceof BillingError ? (error.problems ?? []) : [];
  return (
    <div class="problem" role="alert">
      <p>{messageOf(error)}</p>
      <Sentences of={problems.map(t.atLine)} />
      {error instanceof BillingError && <small>{t.code(error.code)}</small>}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          {t.retry}
        </button>
      )}
    </div>
  );
}

function messageOf(error: Error): string {
  if (isUnauthenticated(error)) return t.signedOut;
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) return t.unreachable;
  return error.name === 'TimeoutError' ? t.timedOut : error.message;
}

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

/** A modal dialog. Escape closes it, and the focus returns to the button that opened it. */
export function Dialog({ title, close, isWide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={id} class={isWide ? 'wide' : undefined} onClose={close}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet" aria-label={t.close} onClick={close}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}
