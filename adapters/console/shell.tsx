import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  asError,
  href,
  hrefIn,
  isReachable,
  matchedPage,
  may,
  navigate,
  type PageComponent,
  type PathValues,
  pagePath,
  refusedTenant,
  restoreSession,
  session,
  sessionEnded,
  signOut,
  tenantKey,
} from './core/index.ts';
import { SignIn, SignInAgain } from './pages/sign-in.tsx';
import { Tenants } from './pages/tenants.tsx';
import { CallLog, isCallLogOpen } from './parts/call-log.tsx';
import { ClockBar } from './parts/clock-bar.tsx';
import { Page, Problem, Waiting } from './parts/index.ts';
import { Notices, notify } from './parts/notices.tsx';
import { routes } from './routes.ts';
import { texts } from './texts.ts';

/** The console: the sign-in form, or the menu with the current page. */
export function Shell() {
  if (session.value === undefined) return <Waiting />;
  if (session.value === null) return <SignIn />;
  return (
    <>
      <a class="skip" href="#content">
        {texts.shell.skip}
      </a>
      <TopBar />
      {tenantKey.value !== null && <ClockBar />}
      <div class={tenantKey.value === null ? 'body' : 'body with-menu'}>
        {tenantKey.value !== null && <Menu />}
        <main id="content" tabIndex={-1}>
          {!isReachable.value && (
            <p class="banner" role="alert">
              {texts.shell.unreachable}
            </p>
          )}
          <Content />
        </main>
      </div>
      {sessionEnded.value && <SignInAgain />}
      <Notices />
      <CallLog />
    </>
  );
}

function Content() {
  if (tenantKey.value === null) return <Tenants />;
  if (tenantKey.value !== refusedTenant.value) return <CurrentPage />;
  return (
    <Page title={texts.shell.noTenantTitle}>
      <p>
        {texts.shell.noTenant(tenantKey.value)} <a href={hrefIn(null, '/')}>{texts.tenants.choose}</a>
      </p>
    </Page>
  );
}

const isMenuOpen = signal(false);

/** Entries of the menu: the first segment of their pages, and the title. */
const entries = [
  ['/', texts.shell.home],
  ['/accounts', texts.shell.accounts],
  ['/invoices', texts.shell.invoices],
  ['/payments', texts.shell.payments],
  ['/catalog', texts.shell.catalog],
  ['/coupons', texts.shell.coupons],
  ['/overdue', texts.shell.overdue],
  ['/operations', texts.shell.operations],
  ['/tenant', texts.shell.tenant],
  ['/users', texts.shell.users],
] as const;

/** Permissions without which a page shows nothing. */
const needs = { '/users': 'user:create', '/coupons': 'coupon:view' } as const;

function Menu() {
  const current = `/${pagePath.value.split('/')[1] ?? ''}`;
  return (
    <nav class={isMenuOpen.value ? 'menu open' : 'menu'} aria-label={texts.shell.menu}>
      {entries
        .filter(([page]) => !Object.hasOwn(needs, page) || may(needs[page as keyof typeof needs]))
        .map(([page, title]) => (
          <a
            key={page}
            href={href(page)}
            aria-current={current === page ? 'page' : undefined}
            onClick={() => {
              isMenuOpen.value = false;
            }}
          >
            {title}
          </a>
        ))}
    </nav>
  );
}

function TopBar() {
  return (
    <header class="top-bar">
      {tenantKey.value !== null && (
        <button
          type="button"
          class="menu-button quiet"
          aria-label={texts.shell.menu}
          aria-expanded={isMenuOpen.value}
          onClick={() => {
            isMenuOpen.value = !isMenuOpen.value;
          }}
        >
          ☰
        </button>
      )}
      <a class="brand" href={tenantKey.value === null ? hrefIn(null, '/') : href('/')}>
        Billwright
      </a>
      {tenantKey.value !== null && <SearchBox />}
      <span class="top-bar-end">
        {tenantKey.value !== null && <a href={hrefIn(null, '/')}>{tenantKey.value}</a>}
        {tenantKey.value !== null && <a href={href('/users')}>{session.value?.username}</a>}
        <button
          type="button"
          class="quiet"
          onClick={() => {
            isCallLogOpen.value = true;
          }}
        >
          {texts.shell.calls}
        </button>
        <button type="button" class="quiet" onClick={leave}>
          {texts.shell.signOut}
        </button>
      </span>
    </header>
  );
}

function leave(): void {
  signOut().catch((failure: unknown) => {
    const error = asError(failure);
    notify(isReachable.value ? error.message : texts.common.unreachable);
  });
}

/** The search of the whole tenant. `/` moves the focus to it. */
function SearchBox() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  const search = (event: Event) => {
    event.preventDefault();
    const text = input.current?.value.trim() ?? '';
    if (text !== '') navigate(`${href('/search')}?text=${encodeURIComponent(text)}`);
  };
  return (
    <search>
      <form onSubmit={search}>
        <input
          ref={input}
          type="search"
          aria-label={texts.shell.search}
          placeholder={texts.shell.search}
          aria-keyshortcuts="/"
        />
      </form>
    </search>
  );
}

/** The page of the current path. Its code is loaded on first use. */
function CurrentPage() {
  const matched = matchedPage(routes);
  const route = matched?.route ?? null;
  const [loaded, setLoaded] = useState<{ route: typeof route; page: PageComponent } | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setError(null);
    route
      ?.load()
      .then((page) => isCurrent && setLoaded({ route, page }))
      .catch((failure: unknown) => isCurrent && setError(asError(failure)));
    return () => {
      isCurrent = false;
    };
  }, [route]);
  if (matched === null) return <Page title={texts.shell.notFoundTitle}>{texts.shell.notFound}</Page>;
  if (error !== null) {
    // Browsers keep the failure of a module until the document is loaded again, which needs the server.
    const reload = () =>
      restoreSession()
        .then(() => location.reload())
        .catch((failure: unknown) => setError(asError(failure)));
    return <Problem error={error} retry={() => void reload()} />;
  }
  if (loaded === null || loaded.route !== route) return <Waiting />;
  return <LoadedPage key={href(pagePath.value)} page={loaded.page} values={matched.values} />;
}

function LoadedPage(props: { readonly page: PageComponent; readonly values: PathValues }) {
  const Content = props.page;
  return <Content path={props.values} />;
}
