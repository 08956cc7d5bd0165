import { once } from 'node:events';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { stripeGateway } from '../../adapters/stripe/index.ts';
import { fakeClock, plainHasher } from '../../adapters/testing/index.ts';
import { openApp } from '../../examples/saas/app.ts';
import { eachDatabase } from '../support/databases.ts';
import { newMethod } from '../support/stripe/payment-intents.ts';
import { API_KEY, StripeDouble, WEBHOOK_SECRET } from '../support/stripe/stripe-double.ts';
import { blocksOf } from './readme-examples.ts';

const GUIDE = 'examples/saas/README.md';
const directory = new URL('../../examples/saas/', import.meta.url);

describe('examples/saas application', () => {
  it('has a guide that quotes only code from the application', async () => {
    const files = globSync('**/*.{ts,js}', { cwd: directory });
    const texts = await Promise.all(files.map((file) => readFile(new URL(file, directory), 'utf8')));
    const code = texts.map(unindented);
    const blocks = (await Promise.all(['ts', 'js'].map((language) => blocksOf(GUIDE, language)))).flat();
    expect(blocks.length).to.be.greaterThan(10);
    for (const block of blocks)
      expect(
        code.some((text) => text.includes(unindented(block))),
        block,
      ).to.equal(true);
  });
});

const unindented = (text: string): string => text.replaceAll(/^ +/gm, '');

eachDatabase.describe('examples/saas application with Stripe', (open) => {
  it('saves and charges the card of a SetupIntent', async () => {
    const double = new StripeDouble();
    await double.start();
    const database = await open();
    const clock = fakeClock('2024-01-01T09:00:00Z');
    const credentials = { apiKey: API_KEY, webhookSecret: WEBHOOK_SECRET };
    const app = await openApp({
      place: database.kind === 'sqlite' ? database.path : database.url,
      gateway: stripeGateway({ credentials, client: double.client }),
      publishableKey: 'pk_test_herald',
      options: { clock, hasher: plainHasher() },
    });
    const listener = app.server.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const post = (path: string, fields: Record<string, string>, cookie = '') =>
      fetch(origin + path, {
        method: 'POST',
        headers: { cookie },
        body: new URLSearchParams(fields),
        redirect: 'manual',
      });
    try {
      const form = { email: 'ada@example.com', password: 'correct horse', company: 'Ada' };
      const entered = await post('/sign-up', { ...form, plan: 'team-monthly', seats: '3' });
      const [cookie = ''] = entered.headers.getSetCookie()[0]?.split(';') ?? [];
      const page = await (await fetch(`${origin}/card`, { headers: { cookie } })).text();
      expect(page).to.include('pk_test_herald').and.to.include('data-client-secret="seti_secret"');
      expect(page).not.to.include(API_KEY);

      const [customer] = double.books.customers.values();
      const card = newMethod(double.books, 'succeeds', customer?.id ?? null); // like Stripe's form
      double.books.methods.set(card.id, card);
      await post('/card', {}, cookie);
      await app.billing.settleThrough(clock, '2024-01-16');
      expect([...double.books.intents.values()].map(({ amount, status }) => [amount, status])).to.eql([
        [2400, 'succeeded'],
      ]);
      expect(await app.db('billing_events').where({ type: 'INVOICE_PAYMENT_SUCCESS' })).to.have.length(1);
    } finally {
      listener.close();
      listener.closeAllConnections();
      await app.close();
      await double.stop();
    }
  });
});
