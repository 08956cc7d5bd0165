import { computed, signal } from '@preact/signals';

/** Path prefix of the server, such as `/billing`; empty without a prefix. The server writes it into the page. */
export const serverBase = document.querySelector('meta[name=billwright-base]')?.getAttribute('content') ?? '';

const ROOT = `${serverBase}/console`;

const current = signal(new URL(location.href));

/** Segments of the path below `/console`, decoded. */
export const segments = computed(() =>
  current.value.pathname
    .slice(ROOT.length)
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodedSegment),
);

/** Parameters of the URL: filters, sort order and page of each table, so that a link shows the same rows. */
export const parameters = computed(() => current.value.searchParams);

/** API key of the tenant on the page: the segment after `/t`; null outside of a tenant. */
export const tenantKey = computed(() => (segments.value[0] === 't' ? (segments.value[1] ?? null) : null));

/** Path of the page within the tenant, such as `/accounts/…`. */
export const pagePath = computed(
  () => `/${segments.value.slice(tenantKey.value === null ? 0 : 2).join('/')}`,
);

function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A hand-written URL with an invalid escape shows the page for unknown paths.
    return segment;
  }
}

export type Query = Readonly<Record<string, string | number | null | undefined>>;

/** Returns the URL of a page of the current tenant, such as `href('/accounts', id)`. */
export function href(page: string, ...rest: readonly string[]): string {
  return hrefIn(tenantKey.value, page, ...rest);
}

/** Returns the URL of a page of any tenant, or of a page that belongs to no tenant. */
export function hrefIn(tenant: string | null, page: string, ...rest: readonly string[]): string {
  const prefix = tenant === null ? ROOT : `${ROOT}/t/${encodeURIComponent(tenant)}`;
  return `${prefix}${page}${rest.map((segment) => `/${encodeURIComponent(segment)}`).join('')}`;
}

/** Returns the URL of the current page with changed parameters. Null and empty text remove a parameter. */
export function hrefWith(changes: Query): string {
  const search = new URLSearchParams(parameters.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === '') search.delete(name);
    else search.set(name, String(value));
  }
  const text = search.toString();
  return `${current.value.pathname}${text === '' ? '' : `?${text}`}`;
}

export function navigate(url: string, options: { readonly replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  const before = current.value.pathname;
  current.value = new URL(location.href);
  if (current.value.pathname !== before) window.scrollTo(0, 0);
}

/** Handles the links of the console and the back and forward buttons without reloading the page. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    current.value = new URL(location.href);
  });
  document.addEventListener('click', (event) => {
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!isPlain || link === null || event.defaultPrevented) return;
    const target = link.getAttribute('href') ?? '';
    if (target.startsWith('#')) {
      // The browser would resolve the link against the base URL of the page and show the list of tenants.
      event.preventDefault();
      document.querySelector<HTMLElement>(target)?.focus();
      return;
    }
    const isOurs = link.origin === location.origin && `${link.pathname}/`.startsWith(`${ROOT}/`);
    if (!isOurs || link.target !== '' || link.hasAttribute('download')) return;
    event.preventDefault();
    navigate(link.href);
  });
}
