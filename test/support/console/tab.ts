import { setTimeout } from 'node:timers/promises';
import axe from 'axe-core';
import type { BrowserContext, ElementHandle, HTTPRequest, Page } from 'puppeteer-core';
import type { TestBrowser } from './chromium.ts';
import type { ConsoleServer } from './serving.ts';
import { SHOP_KEY, TODAY } from './shop.ts';

/** Width of the window in pixels. */
export const WIDE = 1_280;
const HEIGHT = 900;

export type Scheme = 'light' | 'dark';

const WAIT_MS = 20_000;
const POLL_MS = 20;

/** A tab of the browser that shows the console. Each tab has its own cookies. */
export class Tab {
  readonly page: Page;
  readonly #server: Pick<ConsoleServer, 'url'>;
  readonly #problems: string[] = [];
  #calls: string[] = [];
  readonly #openRequests = new Set<HTTPRequest>();
  /** The request for the next document, until that document replaces the current one. */
  #nextDocument: HTTPRequest | null = null;
  #requestCount = 0;

  private constructor(page: Page, server: Pick<ConsoleServer, 'url'>) {
    this.page = page;
    this.#server = server;
    const { origin } = new URL(server.url);
    page.setDefaultTimeout(WAIT_MS);
    page.on('console', (message) => {
      if (message.type() === 'error') this.#problems.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.#problems.push(`error: ${error}`));
    page.on('requestfinished', (request) => this.#openRequests.delete(request));
    page.on('requestfailed', (request) => {
      this.#openRequests.delete(request);
      if (request === this.#nextDocument) this.#nextDocument = null;
    });
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.#nextDocument = null;
    });
    page.on('request', (request) => {
      // The browser does not report the end of requests that a replaced document leaves open.
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) {
        this.#openRequests.clear();
        this.#nextDocument = request;
      }
      if (this.#nextDocument === null || request === this.#nextDocument) this.#openRequests.add(request);
      this.#requestCount += 1;
      const url = new URL(request.url());
      if (url.pathname.includes('/1.0/kb/')) this.#calls.push(`${request.method()} ${url.pathname}`);
      const isInline = url.protocol === 'data:' || url.protocol === 'blob:' || url.protocol === 'about:';
      if (!isInline && url.origin !== origin) this.#problems.push(`foreign request: ${url.href}`);
    });
  }

  static async create({ browser }: TestBrowser, server: Pick<ConsoleServer, 'url'>): Promise<Tab> {
    return Tab.#openIn(await browser.createBrowserContext(), server);
  }

  static async #openIn(context: BrowserContext, server: Pick<ConsoleServer, 'url'>): Promise<Tab> {
    const page = await context.newPage();
    await page.setViewport({ width: WIDE, height: HEIGHT });
    await page.evaluateOnNewDocument(`(${observe})(${Date.parse(`${TODAY}T10:00:00Z`)})`);
    return new Tab(page, server);
  }

  /** Opens another tab of the same browser, with the same session. */
  sibling(): Promise<Tab> {
    return Tab.#openIn(this.page.browserContext(), this.#server);
  }

  close(): Promise<void> {
    return this.page.browserContext().close();
  }

  /** Errors of scripts, violations of the content security policy, failed calls and requests to other hosts. */
  takeProblems(): readonly string[] {
    return this.#problems.splice(0);
  }

  /** Calls of the API since the last call of this function. */
  takeCalls(): readonly string[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }

  /** Opens a path below `/console` and waits until the page is complete. */
  async goto(path: string): Promise<void> {
    await this.open(`${this.#server.url}${path}`);
  }

  /** Opens a URL of this console. */
  async open(url: string): Promise<void> {
    await this.page.goto(url, { waitUntil: 'load' });
    await this.settled();
  }

  /** Opens a page of the shop. */
  visit(path: string): Promise<void> {
    return this.goto(`/t/${SHOP_KEY}${path}`);
  }

  /** Path below `/console`, with the parameters. */
  path(): string {
    return this.page.url().slice(this.#server.url.length);
  }

  /** Signs in, on the form of the page if there is one. */
  async signIn(username = 'admin', password = 'password'): Promise<void> {
    if ((await this.page.$('.sign-in, .sign-in-again')) === null) await this.goto('/');
    await this.fill('User', username);
    await this.fill('Password', password);
    await this.press('Sign in');
  }

  /** Waits until no call is under way and no part of the page is loading. */
  async settled(): Promise<void> {
    for (;;) {
      await this.#idle();
      const isSettled = 'document.querySelector(".waiting, [aria-busy=true]") === null';
      if (await this.page.evaluate(isSettled).catch(duringNavigation)) return;
    }
  }

  /** Waits until no request is open and none begins for a moment. */
  async #idle(): Promise<void> {
    const untilMs = performance.now() + WAIT_MS;
    let counted = -1;
    while (this.#openRequests.size > 0 || this.#requestCount !== counted) {
      if (performance.now() > untilMs)
        throw new Error(`Still open: ${[...this.#openRequests].map((each) => each.url()).join(', ')}`);
      counted = this.#requestCount;
      await setTimeout(POLL_MS);
    }
  }

  /** Returns the visible text of the page, or of the first match of a selector. */
  async text(selector = 'body'): Promise<string> {
    const text: unknown = await this.page.evaluate(
      `document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`,
    );
    return String(text);
  }

  /** Waits until the page, or the first match of a selector, shows the text. */
  async shows(text: string, selector = 'body'): Promise<void> {
    const found = `document.querySelector(${JSON.stringify(selector)})?.innerText.includes(${JSON.stringify(text)})`;
    try {
      await this.page.waitForFunction(found, { polling: POLL_MS, timeout: WAIT_MS });
    } catch (error) {
      throw new Error(`The page does not show "${text}" but:\n${await this.text(selector)}`, {
        cause: error,
      });
    }
  }

  /** Waits until the page no longer shows the text. */
  async hides(text: string): Promise<void> {
    const isHidden = `!document.body.innerText.includes(${JSON.stringify(text)})`;
    await this.page.waitForFunction(isHidden, { polling: POLL_MS, timeout: WAIT_MS });
  }

  /** Waits until nothing matches the selector. */
  async gone(selector: string): Promise<void> {
    const isGone = `document.querySelector(${JSON.stringify(selector)}) === null`;
    await this.page.waitForFunction(isGone, { polling: POLL_MS, timeout: WAIT_MS });
  }

  /** Returns the name of the control that has the focus: its label or its text. */
  async focused(): Promise<string> {
    const name = `(({ activeElement: at }) =>
      at?.labels?.[0]?.innerText || at?.innerText || at?.getAttribute('aria-label') || '')(document)`;
    return String(await this.page.evaluate(name));
  }

  /** Returns the control with this accessible name, in the open dialog if there is one. */
  async control(name: string, role?: string): Promise<ElementHandle> {
    const dialog = (await this.page.$$('dialog[open]')).at(-1);
    const given = role === undefined ? '' : `[role="${role}"]`;
    const selector = `::-p-aria(${name}${given})`;
    const found = await (dialog ?? this.page).waitForSelector(selector, { timeout: WAIT_MS });
    if (found === null) throw new Error(`There is no ${role ?? 'control'} "${name}"`);
    return found;
  }

  /** Clicks the button or link with this name, and waits until the page is complete. */
  async press(name: string, role = 'button'): Promise<void> {
    const control = await this.control(name, role);
    await control.click();
    await this.settled();
  }

  async follow(name: string): Promise<void> {
    await this.press(name, 'link');
  }

  /** Replaces the text of the field with this label. */
  async fill(label: string, value: string): Promise<void> {
    const field = await this.control(label);
    await field.click({ count: 3 });
    await field.type(value);
  }

  /** Fills a large text into the field with this label at once. */
  async paste(label: string, text: string): Promise<void> {
    const field = await this.control(label);
    await field.focus();
    await this.page.keyboard.sendCharacter(text);
  }

  /** Returns the value of the field with this label. */
  async valueOf(label: string): Promise<string> {
    const field = await this.control(label);
    return field.evaluate((element) => String((element as { readonly value?: unknown }).value));
  }

  /** Presses the button that makes the change of the open dialog, and waits for the outcome. */
  async submit(): Promise<void> {
    const button = await this.page.waitForSelector('dialog[open] footer button[type=submit]:not(:disabled)');
    await button?.click();
    await this.settled();
  }

  /** Chooses an option of the select with this label. */
  async choose(label: string, value: string): Promise<void> {
    const field = await this.control(label, 'combobox');
    await field.select(value);
    await this.settled();
  }

  /** Returns the pixels by which the page is wider than its window. */
  async overflow(): Promise<number> {
    return Number(await this.page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  }

  async paint(scheme: Scheme): Promise<void> {
    await this.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  }

  async resize(width: number): Promise<void> {
    await this.page.setViewport({ width, height: HEIGHT });
    // Charts follow the width of their place in a later frame.
    await this.page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
    );
  }

  /** Returns the serious and critical findings of axe-core. */
  async findings(): Promise<readonly string[]> {
    // DevTools evaluates the source, so the policy of the page does not apply to it.
    await this.page.evaluate(`globalThis.axe || (() => { ${axe.source} })()`);
    const options = { resultTypes: ['violations'], iframes: false };
    const found: unknown = await this.page.evaluate(`axe.run(document, ${JSON.stringify(options)})`);
    const { violations } = found as axe.AxeResults;
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }
}

/** The page may load its document again at any time. Until then it is not settled. */
function duringNavigation(error: Error): false {
  if (error.message.includes('Execution context was destroyed')) return false;
  throw error;
}

/**
 * Runs in each document before its scripts: reports violations of the policy, and starts the clock at the time of the
 * shop.
 */
const observe = `(now) => {
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
    console.error('policy: ' + violatedDirective + ' ' + blockedURI + ' ' + sourceFile);
  });
  const Real = Date;
  const started = Real.now();
  globalThis.Date = class extends Real {
    constructor(...given) {
      if (given.length === 0) super(now + Real.now() - started);
      else super(...given);
    }
    static now() {
      return now + Real.now() - started;
    }
  };
}`;

/**
 * Opens a tab before the tests of the surrounding `describe`, signed in as the administrator. It closes with the
 * browser.
 */
export function tabBefore(browser: TestBrowser, server: ConsoleServer): OpenedTab {
  const { opened, open } = tabToOpen(browser, server);
  before(open);
  return opened;
}

/** Opens a tab for each test of the surrounding `describe`. */
export function tabBeforeEach(browser: TestBrowser, server: ConsoleServer): OpenedTab {
  const { opened, open, close } = tabToOpen(browser, server);
  beforeEach(open);
  afterEach(close);
  return opened;
}

export interface OpenedTab {
  readonly tab: Tab;
}

function tabToOpen(browser: TestBrowser, server: ConsoleServer) {
  const opened = {} as { tab: Tab };
  return {
    opened,
    async open() {
      opened.tab = await Tab.create(browser, server);
      await opened.tab.signIn();
      // Before the sign-in, the page asks for a session and gets 401.
      opened.tab.takeProblems();
      opened.tab.takeCalls();
    },
    close: () => opened.tab?.close(),
  };
}
