import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { href, hrefWith, parameters, shortId } from '../core/index.ts';
import { texts } from '../texts.ts';

interface PageProps {
  readonly title: string;
  /** Links to the pages above, from the top. */
  readonly above?: readonly (readonly [label: string, url: string])[];
  readonly subtitle?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page with its heading. The title is also the title of the browser's tab. */
export function Page({ title, above = [], subtitle, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Billwright`;
  }, [title]);
  return (
    <article class="page">
      {above.length > 0 && (
        <nav class="above" aria-label={texts.common.pagesAbove}>
          {above.map(([label, url]) => (
            <a key={url} href={url}>
              {label}
            </a>
          ))}
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

/** A titled part of a page. */
export function Section(props: {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="section">
      <header class="section-header">
        <h2>{props.title}</h2>
        {props.actions !== undefined && <div class="actions">{props.actions}</div>}
      </header>
      {props.children}
    </section>
  );
}

/** Sections side by side where there is room. */
export function Columns(props: { readonly children: ComponentChildren }) {
  return <div class="columns">{props.children}</div>;
}

/** Names with values. Entries with an undefined value are left out. */
export function Facts(props: {
  readonly of: readonly (readonly [name: string, value: ComponentChildren | undefined])[];
}) {
  return (
    <dl class="facts">
      {props.of
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A large number with its name, as on the home page. */
export function Figure(props: {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly tone?: Tone;
  readonly url?: string;
}) {
  const content = (
    <>
      <span class="figure-value">{props.value}</span>
      <span class="figure-name">{props.name}</span>
    </>
  );
  const classes = `figure ${props.tone ?? ''}`;
  return props.url === undefined ? (
    <div class={classes}>{content}</div>
  ) : (
    <a class={classes} href={props.url}>
      {content}
    </a>
  );
}

export type Tone = 'good' | 'bad' | 'warning' | 'quiet';

/** A short state such as `Paid`. Its text carries the meaning; the color repeats it. */
export function Badge(props: { readonly tone?: Tone | undefined; readonly children: ComponentChildren }) {
  return <span class={`badge ${props.tone ?? ''}`}>{props.children}</span>;
}

/** Tabs of a page. The chosen tab is in the URL as `tab`; the first one is the default. */
export function Tabs(props: {
  readonly tabs: readonly {
    readonly name: string;
    readonly title: string;
    readonly content: () => ComponentChildren;
  }[];
}) {
  const chosen = props.tabs.find(({ name }) => name === parameters.value.get('tab')) ?? props.tabs[0];
  return (
    <>
      <nav class="tabs" aria-label={texts.common.partsOfPage}>
        {props.tabs.map(({ name, title }, index) => (
          <a
            key={name}
            href={hrefWith({ tab: index === 0 ? null : name, page: null, sort: null })}
            aria-current={chosen?.name === name ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {chosen?.content()}
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
export function Copyable(props: { readonly text: string; readonly label?: string }) {
  return (
    <span class="copyable">
      <code>{props.label ?? props.text}</code>
      <Copy text={props.text} label={texts.common.copy(props.text)} />
    </span>
  );
}

/** A button that copies text, and says so. Browsers allow copying only for pages from https or this machine. */
export function Copy({ text, label }: { readonly text: string; readonly label?: string }) {
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
        aria-label={isCopied ? texts.common.copied : label}
        onClick={() => void copy()}
        onBlur={() => setCopied(false)}
      >
        <span role="status">{isCopied ? texts.common.copied : texts.common.copyText}</span>
      </button>
    )
  );
}
