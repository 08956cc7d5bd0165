import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { label } from './core/format.ts';
import { asError, useLoad } from './core/load.ts';
import { href, hrefIn, navigate, pagePath, tenantKey } from './core/location.ts';
import { isReachable, refusedTenant, sessionEnded } from './core/server.ts';
import { may, restoreSession, session, signOut } from './core/session.ts';
import { SignIn, SignInAgain, Tenants } from './pages/sign-in.tsx';
import { ClockBar } from './parts/clock-bar.tsx';
import { Page, Problem, Waiting } from './parts/layout.tsx';
import { CallLog, Notices, notify, openCallLog } from './parts/notices.tsx';
import { routes } from './routes.ts';
import { texts } from './texts.ts';

/** The console: the sign-in form, or the menu with the current page. */
export function Shell() {
  if (session.value === undefined) return <Waiting />;
  if (session.value === null) return <SignIn />;
  const isInTenant = tenantKey.value !== null;
  return (
    <>
      <a class="skip" href="#content">
        {texts.shell.skip}
      </a>
      <TopBar />
      {isInTenant && <ClockBar />}
      <div class={isInTenant ? 'body with-menu' : 'body'}>
        {isInTenant && <Menu />}
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
    <Page name="tenantNotFound">
      <p>
        {texts.shell.noTenant(tenantKey.value)} <a href={hrefIn(null, '/')}>{texts.shell.chooseTenant}</a>
      </p>
    </Page>
  );
}

const isMenuOpen = signal(false);

function showMenu(isOpen: boolean): void {
  isMenuOpen.value = isOpen;
}

/** The pages in the menu by the first segments of their paths. The names give the titles. */
const entries = ['home', 'accounts', 'invoices', 'payments', 'catalog', 'overdue', 'operations', 'tenant'];

function Menu() {
  const current = pagePath.value.split('/')[1] || 'home';
  return (
    <nav class={isMenuOpen.value ? 'menu open' : 'menu'} aria-label={texts.shell.menu}>
      {[...entries, ...(may('user:create') ? ['users'] : [])].map((name) => (
        <a
          key={name}
          href={href(name === 'home' ? '/' : `/${name}`)}
          aria-current={current === name ? 'page' : undefined}
          onClick={() => showMenu(false)}
        >
          {label(name)}
        </a>
      ))}
    </nav>
  );
}

function TopBar() {
  const isInTenant = tenantKey.value !== null;
  return (
    <header class="top-bar">
      {isInTenant && (
        <button
          type="button"
          class="menu-button quiet"
          aria-label={texts.shell.menu}
          aria-expanded={isMenuOpen.value}
          onClick={() => showMenu(!isMenuOpen.value)}
        >
          ☰
        </button>
      )}
      <a class="brand" href={isInTenant ? href('/') : hrefIn(null, '/')}>
        Billwright
      </a>
      {isInTenant && <SearchBox />}
      <span class="top-bar-end">
        {isInTenant && <a href={hrefIn(null, '/')}>{tenantKey.value}</a>}
        <span>{session.value?.username}</span>
        <button type="button" class="quiet" onClick={openCallLog}>
          {texts.calls.title}
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
    notify(isReachable.value ? asError(failure).message : texts.common.unreachable);
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
  const name = texts.shell.search;
  return (
    <search>
      <form onSubmit={search}>
        <input ref={input} type="search" aria-label={name} placeholder={name} aria-keyshortcuts="/" />
      </form>
    </search>
  );
}

/** The page of the current path. Its code is loaded on first use. */
function CurrentPage() {
  const matched = matchedPage();
  const { data: Content, error } = useLoad(async () => matched?.load(), [matched?.path]);
  // Browsers keep the failure of a module until the document is loaded again, which needs the server.
  const [failure, setFailure] = useState<Error | null>(null);
  const reload = () =>
    restoreSession()
      .then(() => location.reload())
      .catch((found: unknown) => setFailure(asError(found)));
  if (matched === null) return <Page name="pageNotFound">{texts.shell.notFound}</Page>;
  if (error !== null) return <Problem error={failure ?? error} retry={() => void reload()} />;
  return Content === undefined ? <Waiting /> : <Content key={href(pagePath.value)} id={matched.id} />;
}

/** Returns the page of the current path with the id in the path; null for an unknown path. */
function matchedPage() {
  for (const route of routes) {
    const found = new RegExp(`^${route.path.replace(':id', '([^/]+)')}$`).exec(pagePath.value);
    if (found !== null) return { ...route, id: found[1] ?? '' };
  }
  return null;
}
