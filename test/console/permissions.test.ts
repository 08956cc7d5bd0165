import { browserBefore } from '../support/console/chromium.ts';
import { consoleBefore } from '../support/console/serving.ts';
import { SHOP_KEY } from '../support/console/shop.ts';
import { Tab, WIDE } from '../support/console/tab.ts';
import { anyDatabase, expect } from '../support/index.ts';

anyDatabase.describe('console for users with different permissions', (open) => {
  const browser = browserBefore();
  const server = consoleBefore(open);
  let tab: Tab;
  beforeEach(async () => {
    tab = await Tab.create(browser, server);
  });
  afterEach(() => tab.close());

  it('shows only the tenants of the user', async () => {
    await tab.signIn('clerk');
    await tab.shows('Choose a tenant');
    await tab.shows(SHOP_KEY, 'main');
    expect(await tab.text('main')).not.to.include('orchard');
    await tab.follow(SHOP_KEY);
    await tab.shows('Home', 'h1');
  });

  it('lets an administrator create a tenant and open it', async () => {
    await tab.signIn();
    await tab.shows('Choose a tenant');
    await tab.press('New tenant');
    await tab.fill('API key', 'harbor');
    await tab.fill('API secret', 'harbor-secret');
    await tab.submit();
    await tab.shows('Home', 'h1');
    expect(tab.path()).to.equal('/t/harbor/');
    expect((await server.billing.tenants.getByApiKey('harbor')).apiKey).to.equal('harbor');
  });

  it('shows instructions to a user without tenants', async () => {
    await tab.signIn('newcomer');
    await tab.shows('No tenant is assigned to you');
    await tab.visit('/accounts');
    await tab.shows('you may not open it', 'main');
    expect(await tab.text())
      .not.to.include('Ada Larsen')
      .and.not.to.include('session has ended');
  });

  it('hides counts of background work that the user may not read', async () => {
    await tab.signIn('clerk');
    await tab.visit('/');
    await tab.shows('Parked accounts', '.figures');
    expect(await tab.text('.figures'))
      .not.to.include('Late work')
      .and.not.to.include('Nodes');
  });

  it('lists each permission beside its checkbox in the role dialog', async () => {
    await tab.signIn();
    await tab.visit('/users?tab=roles');
    await tab.press('New role');
    const misplaced = `[...document.querySelectorAll('fieldset label')].filter((label) => {
      const { firstChild: box, lastChild: text } = label;
      const range = document.createRange();
      range.selectNode(text);
      return range.getClientRects()[0].top >= box.getBoundingClientRect().bottom;
    }).map((label) => label.innerText)`;
    await tab.shows('entitlement:pause_resume', 'dialog');
    for (const width of [WIDE, 400]) {
      await tab.resize(width);
      expect(await tab.page.evaluate(misplaced), `${width} px`).to.eql([]);
    }
    await tab.resize(WIDE);
  });

  it('hides actions that the user may not perform and that the API rejects', async () => {
    const ada = await server.acme.accounts.getByKey('ada');
    await tab.signIn('clerk');
    await tab.visit(`/accounts/${ada.id}`);
    await tab.shows('Refund or credit', '.page-header');
    const actions = await tab.text('.page-header');
    expect(actions).not.to.include('Edit').and.not.to.include('Charge');
    await tab.visit('/accounts');
    await tab.shows('Bruno Keller');
    expect(await tab.text('main'))
      .not.to.include('New account')
      .and.not.to.include('Change');
    expect(tab.takeProblems().filter((problem) => problem.includes('403'))).to.eql([]);

    const change = `fetch('/1.0/kb/accounts/${ada.id}', {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json', 'X-Service-ApiKey': '${SHOP_KEY}', 'X-Service-CreatedBy': 'clerk' },
      body: '{"name":"Changed"}',
    }).then(({ status }) => status)`;
    expect(await tab.page.evaluate(change)).to.equal(403);
    expect((await server.acme.accounts.get(ada.id)).name).to.equal('Ada Larsen');
  });
});
