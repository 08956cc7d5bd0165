import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { fakeClock, plainHasher, sandboxGateway } from '../../adapters/testing/index.ts';
import { openApp } from './app.ts';
import { signUp } from './customers.ts';

const ada = { email: 'ada@example.com', company: 'Ada & Sons', password: 'correct horse' };
const form = { ...ada, plan: 'team-monthly', seats: '2' };
const order = { ...ada, planName: 'team-monthly', quantity: 2 };

describe('Herald', () => {
  let herald: Awaited<ReturnType<typeof openHerald>>;

  beforeEach(async () => {
    herald = await openHerald();
  });
  afterEach(() => herald.close());

  it('charges the seats when the trial ends, and offers the invoice as a page and a PDF', async () => {
    await herald.signUp();
    await herald.post('/card');
    await herald.waitUntil('2024-01-16');
    const page = await herald.get('/');
    expect(page).to.include('Ada &#38; Sons').and.to.include('16.00 EUR').and.to.include('PAYMENT_SUCCESS');
    const link = page.match(/\/invoices\/[^"]+(?=\.pdf)/g)?.at(-1) ?? '';
    expect(await herald.get(`${link}.html`)).to.match(/16[.]00/);
    expect(await herald.get(`${link}.pdf`)).to.match(/^%PDF/);
  });

  it('charges open invoices when the customer adds a card after the trial', async () => {
    await herald.signUp();
    await herald.waitUntil('2024-01-16');
    expect(await herald.get('/')).to.include('16.00 EUR open');
    await herald.post('/card');
    expect(await herald.get('/')).not.to.include('16.00 EUR open');
  });

  it('previews more seats, and charges what the preview shows', async () => {
    await herald.signUp();
    await herald.post('/card');
    await herald.waitUntil('2024-01-20');
    const preview = await herald.get('/change?change=CHANGE_QUANTITY&value=5');
    const [due = ''] = /[\d.]+ EUR/.exec(preview) ?? [];
    await herald.post('/change', { change: 'CHANGE_QUANTITY', value: '5' });
    await herald.billing.settle();
    const page = await herald.get('/');
    expect(page).to.include('5 seats').and.to.include(`<td class="number">${due}</td><td>paid`);
  });

  it('applies a larger plan immediately, and a smaller plan when the paid month ends', async () => {
    await herald.signUp();
    await herald.waitUntil('2024-01-20');
    await herald.post('/change', { change: 'CHANGE_PLAN', value: 'business-monthly' });
    expect(await herald.get('/')).to.include('<p class="big">Business');
    expect(await herald.get('/change?change=CHANGE_PLAN&value=team-monthly')).to.include('on 2024-02-15');
    await herald.post('/change', { change: 'CHANGE_PLAN', value: 'team-monthly' });
    expect(await herald.get('/')).to.include('<p class="big">Business');
    await herald.waitUntil('2024-02-16');
    expect(await herald.get('/')).to.include('<p class="big">Team');
  });

  it('ends a canceled subscription with the paid month, unless the customer keeps it', async () => {
    await herald.signUp();
    await herald.waitUntil('2024-01-20');
    await herald.post('/change', { change: 'CANCEL' });
    expect(await herald.get('/')).to.include('Ends on 2024-02-15');
    await herald.post('/keep');
    expect(await herald.get('/')).not.to.include('Ends on');
  });

  it('bills messages beyond the included number with the next month', async () => {
    await herald.signUp();
    await herald.waitUntil('2024-01-20');
    expect(await herald.get('/')).to.include('1000 of 1000 included messages left');
    for (let mailing = 0; mailing < 12; mailing += 1) await herald.post('/messages');
    expect(await herald.get('/')).to.include('2.00 EUR so far');
    await herald.waitUntil('2024-02-16');
    expect(await herald.get('/')).to.include('18.00 EUR');
  });

  it('sends no more messages than the trial includes', async () => {
    await herald.signUp();
    for (const status of [303, 303, 400]) expect((await herald.post('/messages')).status).to.equal(status);
    expect(await herald.get('/')).to.include('0 of 200 included messages left');
  });

  it('exports events on the Business plan only', async () => {
    await herald.signUp();
    expect((await herald.call('/events.csv')).status).to.equal(400);
    await herald.post('/change', { change: 'CHANGE_PLAN', value: 'business-monthly' });
    await herald.billing.settle();
    expect(await herald.get('/events.csv')).to.include('ACCOUNT_CREATION');
  });

  it('discounts the first three months with a coupon, and rejects an unknown code', async () => {
    const unknown = await herald.post('/sign-up', { ...form, coupon: 'NONE' });
    expect(unknown.status).to.equal(400);
    expect(await unknown.text()).to.include('No coupon has the code NONE');
    await herald.post('/sign-up', { ...form, coupon: 'welcome' });
    expect(await herald.get('/')).to.include('WELCOME −8.00 EUR');
    await herald.waitUntil('2024-04-16');
    const { account_id: accountId } = await herald.db('customers').first();
    const amounts = (await herald.acme.invoices.ofAccount({ accountId })).map(({ amount }) =>
      amount.toNumber(),
    );
    expect(amounts).to.eql([8, 8, 8, 16]);
  });

  it('leaves no account in Billwright if its own part of the sign-up fails', async () => {
    const both = [order, order].map((input) => signUp(herald.db, herald.acme, input));
    const outcomes = await Promise.allSettled(both); // the second violates the unique e-mail address
    expect(outcomes.map(({ status }) => status)).to.have.members(['fulfilled', 'rejected']);
    expect((await herald.acme.accounts.page({ offset: 0, limit: 10 })).total).to.equal(1);
  });

  it('keeps customers separate, and rejects forms of other sites', async () => {
    await herald.signUp();
    await herald.waitUntil('2024-01-16');
    const [link = ''] = /\/invoices\/[^"]+[.]pdf/.exec(await herald.get('/')) ?? [];
    const headers = { cookie: herald.cookie(), 'sec-fetch-site': 'cross-site' };
    expect((await herald.call('/change', { method: 'POST', headers })).status).to.equal(403);
    await herald.signUp('eve@example.com');
    expect((await herald.call(link)).status).to.equal(404);
    await herald.post('/log-out');
    expect((await herald.call(link)).status).to.equal(303);
    expect((await herald.post('/log-in', { email: 'eve@example.com', password: 'wrong' })).status).to.equal(
      400,
    );
  });
});

/** The application on a fake clock, and a browser that is logged in after `signUp`. */
async function openHerald() {
  const directory = await mkdtemp(join(tmpdir(), 'herald-'));
  const clock = fakeClock('2024-01-01T09:00:00Z');
  const app = await openApp({
    place: join(directory, 'herald.db'),
    gateway: sandboxGateway(),
    publishableKey: null,
    options: { clock, hasher: plainHasher() },
  });
  const listener = app.server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  let cookie = '';

  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(origin + path, { redirect: 'manual', headers: { cookie }, ...init });
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return response;
  };
  const post = (path: string, fields: Record<string, string> = {}) =>
    call(path, { method: 'POST', body: new URLSearchParams(fields) });

  return {
    ...app,
    call,
    post,
    cookie: () => cookie,
    get: async (path: string) => (await call(path)).text(),
    signUp: (email = ada.email) => post('/sign-up', { ...form, email }),
    waitUntil: (day: string) => app.billing.settleThrough(clock, day),
    async close() {
      listener.close();
      listener.closeAllConnections();
      await app.close();
      await rm(directory, { recursive: true });
    },
  };
}
