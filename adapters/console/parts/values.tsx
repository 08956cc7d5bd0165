import { type ComponentChildren, isValidElement } from 'preact';
import { useState } from 'preact/hooks';
import type { Account } from '../core/data.ts';
import { label, shortId, valueText, words } from '../core/format.ts';
import { href } from '../core/location.ts';
import { texts } from '../texts.ts';

/** Values by the names of their labels: elements as they are, and others as text. Absent values are left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, unknown>> }) {
  const given = Object.entries(of).filter(([, value]) => value !== undefined && value !== null);
  return (
    <dl class="facts">
      {given.map(([name, value]) => (
        <div key={name}>
          <dt>{label(name)}</dt>
          <dd>{isValidElement(value) ? value : valueText(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Sentences({ of }: { readonly of: readonly ComponentChildren[] }) {
  return (
    <ul class="sentences">
      {of.map((sentence, index) => (
        <li key={index.toString()}>{sentence}</li>
      ))}
    </ul>
  );
}

export type Tone = 'good' | 'bad' | 'warning' | 'quiet';

/** A large number: its title, its value, its tone and the page of the details. */
type Figure = readonly [title: string, value: ComponentChildren, tone?: Tone | undefined, url?: string];

export function Figures({ of }: { readonly of: readonly Figure[] }) {
  return (
    <div class="figures">
      {of.map(([title, value, tone = 'quiet', url]) => (
        <a key={title} class={`figure ${tone}`} {...(url !== undefined && { href: url })}>
          <span class="figure-value">{value}</span>
          <small>{title}</small>
        </a>
      ))}
    </div>
  );
}

/** A short state such as `Paid`. Its text carries the meaning; the color repeats it. */
export function Badge(props: { readonly tone?: Tone | undefined; readonly children: ComponentChildren }) {
  return <span class={`badge ${props.tone ?? ''}`}>{props.children}</span>;
}

/** An id that links to its page. */
export function IdLink(props: { readonly page: string; readonly id: string; readonly label?: string }) {
  return (
    <a href={href(props.page, props.id)} title={props.id}>
      {props.label ?? shortId(props.id)}
    </a>
  );
}

export function AccountLink({ id, name, externalKey }: Pick<Account, 'id' | 'name' | 'externalKey'>) {
  return <IdLink page="/accounts" id={id} label={name ?? externalKey} />;
}

/** The pages of objects by their kinds. */
const pages: Readonly<Record<string, string>> = {
  ACCOUNT: '/accounts',
  INVOICE: '/invoices',
  PAYMENT: '/payments',
  SUBSCRIPTION: '/subscriptions',
};

/** The kind of an object, with a link to its page if it has one. */
export function ObjectLink(props: { readonly objectType: string; readonly objectId: string | null }) {
  const { objectType, objectId: id } = props;
  const page = pages[objectType];
  if (id === null) return <>{words(objectType)}</>;
  const text = `${words(objectType)} ${shortId(id)}`;
  return page === undefined ? <span title={id}>{text}</span> : <IdLink page={page} id={id} label={text} />;
}

/** Text in the layout of code, with a button that copies it. */
export function Copyable({ text }: { readonly text: string }) {
  return (
    <span>
      <code>{text}</code>
      <Copy text={text} name={texts.common.copy(text)} />
    </span>
  );
}

/** A button that copies text, and shows whether this succeeded. Browsers allow copying only for pages from https or this machine. */
export function Copy({ text, name }: { readonly text: string; readonly name: string }) {
  const [state, setState] = useState<'copy' | 'copied' | 'notCopied'>('copy');
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('notCopied'),
    );
  return (
    'clipboard' in navigator && (
      <button
        type="button"
        class="quiet"
        aria-label={state === 'copy' ? name : label(state)}
        onClick={copy}
        onBlur={() => setState('copy')}
      >
        <span role="status">{label(state)}</span>
      </button>
    )
  );
}
