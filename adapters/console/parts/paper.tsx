import { useEffect, useRef } from 'preact/hooks';

const EMPTY = '<!doctype html><html lang="en"><title>Document</title><body></body></html>';

/**
 * Shows a document of a tenant, such as the HTML of an invoice. The document comes from templates that a tenant may
 * write, so it is shown in a frame without scripts, forms and navigation. Its styles are attached as constructed style
 * sheets, because the page's policy forbids inline styles.
 */
export function Paper(props: { readonly title: string; readonly html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const show = () => {
    const target = frame.current?.contentDocument;
    const view = frame.current?.contentWindow as (Window & typeof globalThis) | null | undefined;
    if (!target || !view) return;
    const { body, styles } = parseHtml(props.html);
    target.adoptedStyleSheets = styles.map((text) => {
      const sheet = new view.CSSStyleSheet();
      sheet.replaceSync(text);
      return sheet;
    });
    target.body.replaceChildren(...[...body.childNodes].map((node) => target.adoptNode(node)));
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

const STYLE_ELEMENT = /<style\b[^>]*>([\s\S]*?)<\/style\s*>/gi;
const STYLE_ATTRIBUTE = /(<[a-z][^<>]*?\s)style=/gi;
const REMOVED = 'script, style, link, meta, base, iframe, object, embed';

/**
 * Parses a document without active elements. Its styles are taken out before it is parsed, because the page's policy
 * applies to the parser too.
 */
function parseHtml(html: string): { readonly body: HTMLElement; readonly styles: string[] } {
  const styles = [...html.matchAll(STYLE_ELEMENT)].map(([, text]) => text ?? '');
  const text = html.replaceAll(STYLE_ELEMENT, '').replaceAll(STYLE_ATTRIBUTE, '$1data-style=');
  const { body } = new DOMParser().parseFromString(text, 'text/html');
  for (const element of body.querySelectorAll(REMOVED)) element.remove();
  for (const element of body.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = element.getAttribute('data-style') ?? '';
    element.removeAttribute('data-style');
  }
  return { body, styles };
}
