import { browserBefore } from '../support/console/chromium.ts';
import { consoleBefore } from '../support/console/serving.ts';
import { Tab, tabBeforeEach } from '../support/console/tab.ts';
import { anyDatabase, expect } from '../support/index.ts';

const DAY_MS = 24 * 3_600_000;
const ENDED = 'Your session has ended';

anyDatabase.describe('console session', (open) => {
  const browser = browserBefore();
  const server = consoleBefore(open);
  const current = tabBeforeEach(browser, server);

  it('starts on the page of a deep link and stays there', async () => {
    const tab = await Tab.create(browser, server);
    await tab.visit('/accounts?page=1');
    expect(await tab.text('h1')).to.equal('Billwright');
    await tab.signIn();
    await tab.shows('Accounts', 'h1');
    await tab.shows('Ada Larsen', 'main');
    expect(tab.path()).to.equal('/t/meadow/accounts?page=1');
    await tab.close();
  });

  it('rejects a wrong password', async () => {
    const tab = await Tab.create(browser, server);
    await tab.signIn('admin', 'wrong');
    await tab.shows('The user name or the password is wrong.', '.problem');
    expect(await tab.page.$('.top-bar')).to.equal(null);
    await tab.close();
  });

  it('asks for the password again when it expires, and keeps the open form', async () => {
    const { tab } = current;
    await tab.visit('/accounts');
    await tab.press('New account');
    await tab.fill('Name', 'AUTUMN');
    await tab.fill('Currency', 'EUR');
    server.systemClock.push(DAY_MS);
    await tab.submit();
    await tab.shows(ENDED);
    await tab.signIn();
    await tab.hides(ENDED);
    expect(await tab.valueOf('Name')).to.equal('AUTUMN');
    expect(await tab.valueOf('Currency')).to.equal('EUR');
    await tab.submit();
    await tab.shows('AUTUMN', 'h1');
  });

  it('ends when another tab signs out', async () => {
    const { tab } = current;
    const other = await tab.sibling();
    await other.visit('/accounts');
    await other.shows('Ada Larsen', 'main');
    await tab.visit('/accounts');
    await tab.press('Sign out');
    await other.shows('Sign in');
    expect(await other.text()).not.to.include('Ada Larsen');
  });

  it('ends at sign-out, even for pages reached with the Back button', async () => {
    const { tab } = current;
    await tab.visit('/accounts');
    await tab.press('Sign out');
    await tab.shows('Sign in');
    await tab.page.goBack();
    await tab.settled();
    expect(await tab.text())
      .to.include('Sign in')
      .and.not.to.include('Ada Larsen');
    await tab.visit('/accounts');
    expect(await tab.text())
      .to.include('Sign in')
      .and.not.to.include('Ada Larsen');
  });
});

anyDatabase.describe('console without its server', (open) => {
  const browser = browserBefore();
  const server = consoleBefore(open);
  const current = tabBeforeEach(browser, server);
  afterEach(() => server.proxy.restore());

  it('reports that the server cannot be reached, and recovers', async () => {
    const { tab } = current;
    await tab.visit('/catalog');
    await server.proxy.refuse();
    await tab.follow('Accounts');
    await tab.shows('The server cannot be reached');
    await server.proxy.restore();
    await tab.press('Try again');
    await tab.shows('Ada Larsen');
    expect(await tab.text()).not.to.include('cannot be reached');
  });

  it('keeps the form of an action that did not reach the server', async () => {
    const { tab } = current;
    await tab.visit('/accounts');
    await tab.press('New account');
    await tab.fill('Name', 'WINTER');
    await tab.fill('Currency', 'EUR');
    await server.proxy.refuse();
    await tab.submit();
    await tab.shows('The server cannot be reached', 'dialog');
    await server.proxy.restore();
    await tab.submit();
    await tab.shows('WINTER', 'h1');
  });
});

anyDatabase.describe('console with a base path', (open) => {
  const browser = browserBefore();
  const server = consoleBefore(open, { http: { basePath: '/billing' } });
  const current = tabBeforeEach(browser, server);

  it('opens every page by URL and by link, and saves changes', async () => {
    const { tab } = current;
    await tab.visit('/catalog');
    await tab.shows('Basic, yearly', 'table');
    await tab.follow('Accounts');
    expect(tab.path()).to.equal('/t/meadow/accounts');
    await tab.press('New account');
    await tab.fill('Name', 'SUMMER');
    await tab.fill('Currency', 'EUR');
    await tab.submit();
    await tab.shows('SUMMER', 'h1');
    const calls = tab.takeCalls();
    expect(calls).to.have.length.above(3);
    for (const call of calls) expect(call).to.match(/^\w+ \/billing\/1\.0\/kb\//);
    expect(tab.takeProblems()).to.eql([]);
  });
});
