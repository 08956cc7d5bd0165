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
    await tab.visit('/coupons?page=1');
    expect(await tab.text('h1')).to.equal('Billwright');
    await tab.signIn();
    await tab.shows('Coupons', 'h1');
    await tab.shows('SPRING', 'main');
    expect(tab.path()).to.equal('/t/meadow/coupons?page=1');
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
    await tab.visit('/coupons');
    await tab.press('New coupon');
    await tab.fill('Code', 'AUTUMN');
    await tab.fill('Percent off', '15');
    server.systemClock.push(DAY_MS);
    await tab.submit();
    await tab.shows(ENDED);
    await tab.signIn();
    await tab.hides(ENDED);
    expect(await tab.valueOf('Code')).to.equal('AUTUMN');
    expect(await tab.valueOf('Percent off')).to.equal('15');
    await tab.submit();
    await tab.shows('AUTUMN', 'table');
    await tab.shows('15 % off', 'table');
  });

  it('ends with the sign-out of another tab', async () => {
    const { tab } = current;
    const other = await tab.sibling();
    await other.visit('/accounts');
    await other.shows('Ada Larsen', 'main');
    await tab.visit('/coupons');
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
    await tab.visit('/coupons');
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
    await tab.visit('/coupons');
    await tab.press('New coupon');
    await tab.fill('Code', 'WINTER');
    await tab.fill('Percent off', '25');
    await server.proxy.refuse();
    await tab.submit();
    await tab.shows('The server cannot be reached', 'dialog');
    await server.proxy.restore();
    await tab.submit();
    await tab.shows('WINTER', 'table');
  });
});

anyDatabase.describe('console under a base path', (open) => {
  const browser = browserBefore();
  const server = consoleBefore(open, { http: { basePath: '/billing' } });
  const current = tabBeforeEach(browser, server);

  it('opens pages by URL and by link, and makes changes', async () => {
    const { tab } = current;
    await tab.visit('/accounts');
    await tab.shows('Ada Larsen', 'table');
    await tab.follow('Coupons');
    expect(tab.path()).to.equal('/t/meadow/coupons');
    await tab.press('New coupon');
    await tab.fill('Code', 'SUMMER');
    await tab.fill('Percent off', '5');
    await tab.submit();
    await tab.shows('SUMMER', 'table');
    const calls = tab.takeCalls();
    expect(calls).to.have.length.above(3);
    for (const call of calls) expect(call).to.match(/^\w+ \/billing\/1\.0\/kb\//);
    expect(tab.takeProblems()).to.eql([]);
  });
});
