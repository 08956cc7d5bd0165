import { texts } from '../../adapters/console/texts.ts';
import { browserBefore } from '../support/console/chromium.ts';
import { ACCOUNTS, customerName, manyAccounts } from '../support/console/many-accounts.ts';
import { consoleBefore } from '../support/console/serving.ts';
import { tabBeforeEach } from '../support/console/tab.ts';
import { freshSqlite } from '../support/http/index.ts';
import { expect } from '../support/index.ts';

describe('console with many accounts', () => {
  const browser = browserBefore();
  const server = consoleBefore(freshSqlite, { template: manyAccounts });
  const current = tabBeforeEach(browser, server);
  const total = ACCOUNTS + 4;

  it('shows accounts in pages, even after back, forward and reload', async () => {
    const { tab } = current;
    await tab.visit('/accounts');
    await tab.shows(texts.common.range(1, 25, total), '.pages');
    await tab.shows(customerName(ACCOUNTS), 'table');
    await tab.follow(texts.common.next);
    await tab.shows(texts.common.range(26, 50, total), '.pages');
    const second = await tab.text('table');
    expect(second)
      .to.include(customerName(ACCOUNTS - 25))
      .and.not.to.include(customerName(ACCOUNTS));
    await tab.page.goBack();
    await tab.shows(texts.common.range(1, 25, total), '.pages');
    await tab.page.goForward();
    await tab.shows(texts.common.range(26, 50, total), '.pages');
    await tab.page.reload();
    await tab.shows(texts.common.range(26, 50, total), '.pages');
    expect(await tab.text('table')).to.equal(second);
    expect(tab.path()).to.equal('/t/meadow/accounts?page=2');
  });

  it('finds one account, and keeps the search when the user returns', async () => {
    const { tab } = current;
    await tab.visit('/accounts');
    await tab.fill(texts.account.search, customerName(7_777));
    await tab.page.keyboard.press('Enter');
    await tab.shows('customer-7777@example.com', 'table');
    expect(await tab.text('table')).not.to.include(customerName(7_776));
    await tab.follow(customerName(7_777));
    await tab.shows(customerName(7_777), 'h1');
    await tab.page.goBack();
    await tab.shows('customer-7777@example.com', 'table');
    expect(await tab.valueOf(texts.account.search)).to.equal(customerName(7_777));
  });

  it('opens an account by its email address from the search field of every page', async () => {
    const { tab } = current;
    await tab.visit('/catalog');
    await tab.fill(texts.shell.search, 'customer-4321@example.com');
    await tab.page.keyboard.press('Enter');
    await tab.settled();
    await tab.shows(customerName(4_321), 'main');
  });

  it('keeps the filter of a list in the page URL', async () => {
    const { tab } = current;
    await tab.visit('/payments');
    await tab.shows('$12.43', 'table');
    await tab.choose('State', '_FAILED');
    const filtered = tab.path();
    const failed = await tab.text('table');
    expect(filtered).to.include('state=_FAILED');
    expect(failed).to.include('$10.00').and.not.to.include('$12.43');
    await tab.follow('Catalog');
    await tab.shows('Basic, yearly', 'table');
    await tab.page.goBack();
    await tab.settled();
    expect(tab.path()).to.equal(filtered);
    expect(await tab.text('table')).to.equal(failed);
  });
});
