import type { Uuid } from '../../lib/index.ts';
import { browserBefore } from '../support/console/chromium.ts';
import { type ConsoleServer, consoleBefore } from '../support/console/serving.ts';
import { DECLINED } from '../support/console/shop.ts';
import { type Scheme, type Tab, tabBefore, WIDE } from '../support/console/tab.ts';
import { eachDatabase, expect } from '../support/index.ts';

const { routes } = (await import(new URL('../../adapters/console/routes.ts', import.meta.url).href)) as {
  readonly routes: readonly { readonly path: string }[];
};

/** More calls than any page needs. */
const MAX_CALLS = 10;

/** A page repeats this call while the server counts. */
const POLLED = /\/reports\/(months|subscriptions)$/;
const NARROW = 400;

/** Objects of the shop that the pages show. */
interface Shown {
  readonly ada: Uuid;
  readonly adaSubscription: Uuid;
  readonly chiyo: Uuid;
  readonly invoice: Uuid;
  readonly payment: Uuid;
}

/** A page with its heading and known data. */
interface Walk {
  readonly heading: string;
  readonly data: readonly string[];
  /** Default: the path of the route. */
  readonly at?: (shown: Shown) => string;
  /** Known data of the other tabs, by their labels. */
  readonly tabs?: Readonly<Record<string, readonly string[]>>;
}

const walks: Readonly<Record<string, Walk>> = {
  '/': { heading: 'Home', data: [] },
  '/search': { heading: 'Search: Larsen', data: ['Ada Larsen'], at: () => '/search?text=Larsen' },
  '/accounts': { heading: 'Accounts', data: ['Ada Larsen', 'Bruno Keller', 'chiyo@example.com'] },
  '/accounts/:id': {
    heading: 'Ada Larsen',
    data: ['ada@example.com', '$10.00'],
    at: ({ ada }) => `/accounts/${ada}`,
    tabs: {
      Payments: ['sandbox', '$12.43'],
      Features: ['sso', 'seats'],
      Details: ['Bergen', 'Partner', 'Ada Larsen Norway'],
    },
  },
  '/subscriptions/:id': {
    heading: 'basic-monthly',
    data: ['Ada Larsen', '$10.00'],
    at: ({ adaSubscription }) => `/subscriptions/${adaSubscription}`,
    tabs: { Usage: ['call'] },
  },
  '/invoices': { heading: 'Invoices', data: ['$12.43', '$10.00'] },
  '/invoices/:id': {
    heading: 'Invoice',
    data: ['Ada Larsen', '$12.43', '$2.43'],
    at: ({ invoice }) => `/invoices/${invoice}`,
  },
  '/payments': { heading: 'Payments', data: ['$12.43'] },
  '/payments/:id': {
    heading: 'Payment',
    data: ['Bruno Keller', '$10.00', DECLINED],
    at: ({ payment }) => `/payments/${payment}`,
  },
  '/catalog': { heading: 'Catalog', data: ['Basic, yearly', '$100.00', '$45.00'] },
  '/overdue': { heading: 'Overdue', data: ['WARNED', 'SUSPENDED', 'Bruno Keller'] },
  '/operations': { heading: 'Operations', data: [] },
  '/tenant': { heading: 'Tenant', data: [] },
  '/users': { heading: 'Users', data: ['clerk'] },
};

eachDatabase.describe('console pages', (open, kind) => {
  const browser = browserBefore();
  const server = consoleBefore(open);
  const current = tabBefore(browser, server);
  /** The layout does not depend on the database. */
  const looksAtLayout = kind === 'sqlite';
  const layout = looksAtLayout ? `, accessibly, in both color schemes and at ${NARROW} px` : '';
  let shown: Shown;

  before(async () => {
    shown = await shownObjects(server);
  });

  for (const { path } of routes) {
    const walk = walks[path];
    it(`show the data of ${path}${layout}`, async () => {
      if (walk === undefined) throw new Error(`Add the page ${path} to the walks of this file`);
      const { tab } = current;
      tab.takeCalls();
      await tab.visit(walk.at?.(shown) ?? path);
      const calls = tab
        .takeCalls()
        .filter((call, index, all) => !POLLED.test(call) || all.indexOf(call) === index);
      expect(calls.length, calls.join('\n')).to.be.at.most(MAX_CALLS);
      await tab.shows(walk.heading, 'h1');
      for (const text of walk.data) await tab.shows(text, 'main');
      await look(tab, looksAtLayout ? ['light', 'dark'] : []);
      const others = await tab.page.$$('.tabs a:not([aria-current])');
      for (const [index, link] of others.entries()) {
        await link.click();
        await tab.settled();
        for (const text of walk.tabs?.[await tab.text('.tabs [aria-current]')] ?? [])
          await tab.shows(text, 'main');
        await look(tab, looksAtLayout ? [index % 2 === 0 ? 'dark' : 'light'] : []);
      }
    });
  }
});

/** Checks what the tab shows, for layout in these color schemes. */
async function look(tab: Tab, schemes: readonly Scheme[]): Promise<void> {
  const at = tab.path();
  expect(await tab.text('.problem'), at).to.equal('');
  for (const scheme of schemes) {
    await tab.paint(scheme);
    expect(await tab.findings(), `${at}, ${scheme}`).to.eql([]);
    await tab.resize(NARROW);
    expect(await tab.overflow(), `${at} at ${NARROW} px`).to.be.at.most(0);
    await tab.resize(WIDE);
  }
  expect(tab.takeProblems(), at).to.eql([]);
}

async function shownObjects({ acme }: ConsoleServer): Promise<Shown> {
  const [ada, bruno, chiyo] = await Promise.all(
    ['ada', 'bruno', 'chiyo'].map((key) => acme.accounts.getByKey(key)),
  );
  if (ada === undefined || bruno === undefined || chiyo === undefined) throw new Error('The shop is empty');
  const [bundle] = await acme.subscriptions.bundlesOfAccount(ada.id);
  const invoices = await acme.invoices.ofAccount({ accountId: ada.id });
  const [payment] = (await acme.payments.ofAccount(bruno.id)).slice(-1);
  const [invoice] = invoices.slice(-1);
  const [subscription] = bundle?.subscriptions ?? [];
  if (!subscription || !invoice || !payment) throw new Error('The shop lacks an object');
  return {
    ada: ada.id,
    adaSubscription: subscription.subscriptionId,
    chiyo: chiyo.id,
    invoice: invoice.id,
    payment: payment.id,
  };
}
