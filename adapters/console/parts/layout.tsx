import { type ComponentChildren, type ComponentType, isValidElement } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { BillingError } from '../../client/index.ts';
import { isUnauthenticated, type Loaded, useLoad, useTask } from '../core/data.ts';
import { label, shortId, valueText, words } from '../core/format.ts';
import { href, hrefWith, parameters } from '../core/location.ts';
import { explanations, texts } from '../texts.ts';

interface PageProps {
  /** Default: the label of the name. */
  readonly title?: string;
  readonly name?: string;
  /** Links to the pages above, from the top: names of pages in the menu, and labels with URLs. */
  readonly above?: readonly (string | readonly [label: string, url: string])[];
  readonly subtitle?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page with its heading. The title is also the title of the browser's tab. */
export function Page({ name = '', title = label(name), above = [], subtitle, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Billwright`;
  }, [title]);
  return (
    <article class="page">
      {above.length > 0 && (
        <nav class="above" aria-label={texts.common.pagesAbove}>
          {above.map((each) => {
            const [text, url] = typeof each === 'string' ? [label(each), href(`/${each}`)] : each;
            return (
              <a key={url} href={url}>
                {text}
              </a>
            );
          })}
        </nav>
      )}
      <header class="page-header">
        <div>
          <h1>{title}</h1>
          {subtitle !== undefined && <div class="subtitle">{subtitle}</div>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
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
  /** True to show the explanation of the name. */
  readonly isExplained?: boolean;
  readonly children: ComponentChildren;
}

/** A titled part of a page. */
export function Section({ name, title = label(name), actions, isExplained, children }: SectionProps) {
  return (
    <section class="section">
      <header class="section-header">
        <h2>{title}</h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {isExplained && <p class="quiet-text">{explanations[name]}</p>}
      {children}
    </section>
  );
}

/** Values by the names of their labels. Absent values are left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, unknown>> }) {
  const given = Object.entries(of).filter(([, value]) => value !== undefined && value !== null);
  return (
    <dl class="facts">
      {given.map(([name, value]) => (
        <div key={name}>
          <dt>{label(name)}</dt>
          <dd>{shown(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Returns an element as it is, and any other value as text. */
export function shown(value: unknown): ComponentChildren {
  return isValidElement(value) ? value : valueText(value);
}

/** Sentences as a list. */
export function Sentences({ of }: { readonly of: readonly ComponentChildren[] }) {
  return (
    <ul class="sentences">
      {of.map((sentence, index) => (
        <li key={index.toString()}>{sentence}</li>
      ))}
    </ul>
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
        {isRunning ? texts.common.working : label(name)}
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

interface FigureProps {
  readonly name?: string;
  /** Default: the label of the name. */
  readonly title?: string;
  readonly value: ComponentChildren;
  readonly tone?: Tone | undefined;
  readonly url?: string;
}

/** A large number with its name, as on the home page. It can be a link. */
export function Figure({ name = '', title = label(name), value, tone = 'quiet', url }: FigureProps) {
  return (
    <a class={`figure ${tone}`} {...(url !== undefined && { href: url })}>
      <span class="figure-value">{value}</span>
      <span class="figure-name">{title}</span>
    </a>
  );
}

export type Tone = 'good' | 'bad' | 'warning' | 'quiet';

/** A short state such as `Paid`. Its text carries the meaning; the color repeats it. */
export function Badge(props: { readonly tone?: Tone | undefined; readonly children: ComponentChildren }) {
  return <span class={`badge ${props.tone ?? ''}`}>{props.children}</span>;
}

/** The contents of the tabs of a page by their names. */
type TabContents = Readonly<Record<string, () => ComponentChildren>>;

/** Tabs of a page. The chosen tab is in the URL as `tab`; the first one is the default. */
export function Tabs({ of }: { readonly of: TabContents }) {
  const names = Object.keys(of);
  const chosen = names.find((name) => name === parameters.value.get('tab')) ?? names[0];
  return (
    <>
      <nav class="tabs" aria-label={texts.common.partsOfPage}>
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

/** An id that links to its page. */
export function IdLink(props: { readonly page: string; readonly id: string; readonly label?: string }) {
  return (
    <a href={href(props.page, props.id)} title={props.id}>
      {props.label ?? shortId(props.id)}
    </a>
  );
}

/** Text in the layout of code, with a button that copies it. */
export function Copyable({ text }: { readonly text: string }) {
  return (
    <span class="copyable">
      <code>{text}</code>
      <Copy text={text} name={texts.common.copy(text)} />
    </span>
  );
}

/** A button that copies text, and says so. Browsers allow copying only for pages from https or this machine. */
export function Copy({ text, name }: { readonly text: string; readonly name: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    'clipboard' in navigator && (
      <button
        type="button"
        class="quiet copy"
        aria-label={isCopied ? label('copied') : name}
        onClick={() => void copy()}
        onBlur={() => setCopied(false)}
      >
        <span role="status">{label(isCopied ? 'copied' : 'copy')}</span>
      </button>
    )
  );
}

const pages: Readonly<Record<string, string>> = {
  ACCOUNT: '/accounts',
  INVOICE: '/invoices',
  PAYMENT: '/payments',
  SUBSCRIPTION: '/subscriptions',
};

/** The kind of an object, with a link to its page if it has one. */
export function ObjectLink(props: { readonly objectType: string; readonly objectId: string | null }) {
  const { objectType, objectId } = props;
  const page = pages[objectType];
  if (objectId === null) return <>{words(objectType)}</>;
  const text = `${words(objectType)} ${shortId(objectId)}`;
  if (page === undefined) return <span title={objectId}>{text}</span>;
  return <IdLink page={page} id={objectId} label={text} />;
}

interface NamedAccount {
  readonly id: string;
  readonly name: string | null;
  readonly externalKey: string;
}

export function AccountLink({ id, name, externalKey }: NamedAccount) {
  return <IdLink page="/accounts" id={id} label={name ?? externalKey} />;
}

/** Data of an object as JSON, folded until the user opens it. */
export function Json({ value }: { readonly value: unknown }) {
  return (
    <details>
      <summary>{label('data')}</summary>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}

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

/** Loads data again when one of the inputs changes, and shows the children with them. */
export function Load<T>(props: {
  readonly from: () => Promise<T>;
  readonly inputs?: readonly unknown[];
  readonly keepsData?: boolean;
  readonly children: (data: T) => ComponentChildren;
}) {
  return <Show of={useLoad(props.from, props.inputs, props.keepsData)}>{props.children}</Show>;
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
  if (isUnauthenticated(error)) return texts.common.signedOut;
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) return texts.common.unreachable;
  if (error.name === 'TimeoutError') return texts.common.timedOut;
  return error.message;
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
        <button type="button" class="quiet" aria-label={texts.common.close} onClick={close}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}
