import { browserBefore } from '../support/console/chromium.ts';
import { consoleBefore } from '../support/console/serving.ts';
import { tabBefore } from '../support/console/tab.ts';
import { freshSqlite } from '../support/http/index.ts';
import { expect } from '../support/index.ts';

/** Runs in the page before its scripts. */
const oddBrowser = `
  Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' });
  const { resolvedOptions } = Intl.DateTimeFormat.prototype;
  Intl.DateTimeFormat.prototype.resolvedOptions = function () {
    const options = resolvedOptions.call(this);
    return options.timeZone === 'UTC' ? { ...options, timeZone: 'Not/AZone' } : options;
  };`;

describe('console in a browser with an invalid language and time zone', () => {
  const browser = browserBefore();
  const server = consoleBefore(freshSqlite);
  const current = tabBefore(browser, server);

  it('shows charts and times', async () => {
    const { tab } = current;
    await tab.page.evaluateOnNewDocument(oddBrowser);
    await tab.visit('/');
    await tab.shows('Invoiced and collected', 'main');
    await tab.shows('1 Dec 2026, 08:00', 'main');
    expect(tab.takeProblems()).to.eql([]);
  });
});
