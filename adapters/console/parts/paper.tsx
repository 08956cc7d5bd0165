import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

const EMPTY = '<!doctype html><html lang="en"><title>Document</title><body></body></html>';

/**
 * Shows a document of a tenant, such as the HTML of an invoice. The document comes from templates that a tenant may
 * write, so it is shown in a frame without scripts, forms and navigation. Its styles are attached as constructed style
 * sheets, because the page's policy forbids inline styles.
 */
export function Paper(props: { readonly title: string; readonly html: string }): JSX.Element {
  const frame = useRef<HTMLIFrameElement>(null);
  const show = () => {
    const target = frame.current?.contentDocument;
    const view = frame.current?.contentWindow as (Window & typeof globalThis) | null | undefined;
    if (!target || !view) return;
    const source = new DOMParser().parseFromString(props.html, 'text/html');
    target.adoptedStyleSheets = [...source.querySelectorAll('style')].map((style) => {
      const sheet = new view.CSSStyleSheet();
      sheet.replaceSync(style.textContent ?? '');
      return sheet;
    });
    for (const element of source.querySelectorAll('script, style, link, meta, base, iframe, object, embed'))
      element.remove();
    for (const element of source.querySelectorAll<HTMLElement>('[style]')) {
      const text = element.getAttribute('style') ?? '';
      element.removeAttribute('style');
      element.style.cssText = text;
    }
    target.body.replaceChildren(...[...source.body.childNodes].map((node) => target.adoptNode(node)));
    if (frame.current) frame.current.style.height = `${Math.max(target.body.scrollHeight + 32, 200)}px`;
  };
  useEffect(show, [props.html]);
  return (
    <iframe
      ref={frame}
      class="paper"
      title={props.title}
      sandbox="allow-same-origin"
      srcdoc={EMPTY}
      onLoad={show}
    />
  );
}
