import { texts } from '../../adapters/console/texts.ts';
import type { Uuid } from '../../lib/index.ts';
import { laterCatalog } from '../support/console/catalog.ts';
import { browserBefore } from '../support/console/chromium.ts';
import { consoleBefore } from '../support/console/serving.ts';
import { DECLINED, TODAY } from '../support/console/shop.ts';
import { tabBeforeEach } from '../support/console/tab.ts';
import { anyDatabase, expect } from '../support/index.ts';

anyDatabase.describe('console', (open) => {
  const browser = browserBefore();
  const server = consoleBefore(open);
  const current = tabBeforeEach(browser, server);
  const idOf = async (key: string): Promise<Uuid> => (await server.acme.accounts.getByKey(key)).id;

  it('explains an invoice total of 12.43', async () => {
    const { tab } = current;
    await tab.visit(`/accounts/${await idOf('ada')}`);
    await tab.shows('$12.43', 'main');
    const [invoice] = (await server.acme.invoices.ofAccount({ accountId: await idOf('ada') })).slice(-1);
    await tab.visit(`/invoices/${invoice?.id}`);
    await tab.shows('$2.43', '.lines');
    const lines = await tab.page.$$('.lines summary');
    for (const line of lines) {
      await line.click();
      await tab.settled();
    }
    await tab.shows('243', '.lines');
    const explained = await tab.text('.lines');
    expect(explained).to.include('0.01').and.to.include('243').and.to.include('$10.00');
  });

  it("shows the date and the amount of a customer's next charge", async () => {
    const { tab } = current;
    await tab.visit(`/accounts/${await idOf('chiyo')}`);
    await tab.shows(texts.account.nextOn('1 Jan 2027'), '.figures');
    await tab.shows(texts.account.charged('1 Jan 2027', '$48.00'), 'main');
  });

  it('shows the cost of a move to the yearly plan before and after the change', async () => {
    const { tab } = current;
    await tab.visit(`/subscriptions/${await subscriptionOf('ada')}`);
    await tab.press('Change plan');
    await tab.choose('Plan', 'basic-annual');
    await tab.shows(texts.preview.toPay, 'dialog .preview');
    const preview = await tab.text('dialog .preview');
    const [, toPay = ''] = new RegExp(`${texts.preview.toPay}\\s+(\\$[\\d.]+)`).exec(preview) ?? [];
    expect(toPay, preview).to.match(/^\$\d+\.\d\d$/);
    await tab.submit();
    await tab.gone('dialog');
    await tab.shows('basic-annual', 'h1');
    await server.billing.settle();
    const [invoice] = (await server.acme.invoices.ofAccount({ accountId: await idOf('ada') })).slice(-1);
    expect(`$${invoice?.amount.toFixed(2)}`).to.equal(toPay);
    await tab.visit(`/accounts/${await idOf('ada')}`);
    await tab.shows(toPay, 'main');
  });

  it('explains why a payment failed, and shows the next attempt', async () => {
    const { tab } = current;
    await tab.visit(`/accounts/${await idOf('bruno')}`);
    await tab.shows(texts.account.overdueState('Warned'), '.page-header');
    await tab.shows('22 Dec 2026', '.sentences');
    const [invoice] = (await server.acme.invoices.ofAccount({ accountId: await idOf('bruno') })).slice(-1);
    await tab.visit(`/invoices/${invoice?.id}`);
    await tab.shows(texts.unpaid.title, 'main');
    await tab.shows(DECLINED, '.sentences');
    await tab.shows('9 Dec 2026', '.sentences');
  });

  it('refunds 10 to the card', async () => {
    const { tab } = current;
    const accountId = await idOf('chiyo');
    const [invoice] = (await server.acme.invoices.ofAccount({ accountId })).slice(-1);
    await tab.visit(`/accounts/${accountId}`);
    await tab.press('Refund or credit');
    await tab.shows(texts.giveBack.kind, 'dialog');
    await tab.fill(texts.common.amountIn('USD'), '1000');
    await tab.shows('can be reduced by at most', 'dialog .preview');
    await tab.fill(texts.common.amountIn('USD'), '10');
    await tab.shows(texts.giveBack.staysSettled, 'dialog .preview');
    await tab.submit();
    await tab.gone('dialog');
    const payments = await server.acme.payments.ofAccount(accountId);
    expect(payments.map(({ totals }) => String(totals.refundedAmount))).to.include('10');
    expect((await server.acme.invoices.get(invoice?.id ?? '')).balance.isZero()).to.equal(true);
  });

  it('refunds 10 as account credit', async () => {
    const { tab } = current;
    await tab.visit(`/accounts/${await idOf('chiyo')}`);
    await tab.press('Refund or credit');
    await tab.choose(texts.giveBack.kind, 'credit');
    await tab.fill(texts.common.amountIn('USD'), '10');
    await tab.shows(texts.giveBack.creditRises('$1.00', '$11.00'), 'dialog .preview');
    await tab.submit();
    await tab.gone('dialog');
    await tab.shows('$11.00', '.figures');
    const balances = await server.acme.accounts.balances([await idOf('chiyo')]);
    expect(String(balances.get(await idOf('chiyo'))?.accountCBA)).to.equal('11');
  });

  it('explains why an account gets no invoices', async () => {
    const { tab } = current;
    const accountId = await idOf('ada');
    await server.acme.invoices.park(accountId, { reason: 'Disputed terms' });
    await tab.visit(`/accounts/${accountId}`);
    await tab.shows(texts.account.parkedAccount('Disputed terms'), 'main');
    await tab.visit('/operations?tab=parkedAccounts');
    await tab.shows('Disputed terms', 'table');
    await server.acme.invoices.unpark(accountId);
  });

  it("shows recorded usage by day in the account's time zone", async () => {
    const { tab } = current;
    const { id } = await server.acme.createAccount({ currency: 'USD', timeZone: 'Asia/Tokyo' });
    const { subscriptionId } = await server.acme.createSubscription({
      accountId: id,
      planName: 'basic-monthly',
    });
    const usageRecords = [{ recordDate: TODAY, amount: '7' }];
    await server.acme.usage.record({
      subscriptionId,
      trackingId: 'tokyo',
      unitUsageRecords: [{ unitType: 'call', usageRecords }],
    });
    await tab.visit(`/subscriptions/${subscriptionId}?tab=usage`);
    await tab.shows('12-07: call 7', '.chart');
  });

  it('lists the invoice lines that a parent pays for its child', async () => {
    const { tab } = current;
    const { acme, billing } = server;
    const parentAccountId = await idOf('ada');
    const child = await acme.createAccount({
      currency: 'USD',
      parentAccountId,
      isPaymentDelegatedToParent: true,
    });
    const items = [{ amount: '5', description: 'Workshop' }];
    await acme.invoices.addCharges({ accountId: child.id, autoCommit: true, items });
    await billing.settle();
    const [invoice] = (await acme.invoices.ofAccount({ accountId: parentAccountId })).slice(-1);
    await tab.visit(`/invoices/${invoice?.id}`);
    await tab.page.click('.line summary');
    await tab.shows('Workshop', '.line-content');
  });

  it('stops the delivery of events', async () => {
    const { tab } = current;
    await tab.visit('/operations?tab=deliveries');
    await tab.press('Set callback');
    await tab.fill('URL', 'https://example.com/billing');
    await tab.submit();
    await tab.shows('https://example.com/billing', '.section');
    await tab.press('Set callback');
    await tab.fill('URL', ' ');
    await tab.submit();
    await tab.shows(texts.tenant.noCallback, '.section');
    expect((await server.acme.keyValues.get('PUSH_NOTIFICATION_CB')).values).to.eql([]);
  });

  it('shows who changed an address', async () => {
    const { tab } = current;
    await tab.visit(`/accounts/${await idOf('ada')}?tab=history`);
    await tab.shows('7 Harbour Road', 'table');
    const history = await tab.text('main');
    expect(history).to.include('maria').and.to.include('Ticket 4711').and.to.include('1 Main Street');
  });

  it('shows who would pay more under another catalog before its upload', async () => {
    const { tab } = current;
    await tab.visit('/catalog?tab=upload');
    await tab.paste('Document', laterCatalog('13.00'));
    await tab.press('Check');
    await tab.shows('Bruno Keller', 'table');
    const report = await tab.text('table');
    expect(report).to.include('$10.00').and.to.include('$13.00').and.to.include('$3.00');
    expect(report).not.to.include('Chiyo Arai');
    expect((await server.acme.catalogs.current()).versions).to.have.length(2);
    await tab.press('Upload this catalog');
    await tab.submit();
    await tab.gone('dialog');
    expect((await server.acme.catalogs.current()).versions).to.have.length(3);
  });

  async function subscriptionOf(key: string): Promise<Uuid> {
    const [bundle] = await server.acme.subscriptions.bundlesOfAccount(await idOf(key));
    const [subscription] = bundle?.subscriptions ?? [];
    if (subscription === undefined) throw new Error(`${key} has no subscription`);
    return subscription.subscriptionId;
  }
});
