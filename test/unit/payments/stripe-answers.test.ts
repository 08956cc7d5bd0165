import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import Stripe from 'stripe';
import { SentRequests } from '../../../adapters/stripe/stripe-accounts.ts';

describe('Stripe response', () => {
  let server: Server;
  const closed: Promise<void>[] = [];

  before(async () => {
    server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 20);
      closed.push(
        new Promise((resolve) => {
          response.once('close', () => {
            clearInterval(drip);
            resolve();
          });
        }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('is aborted, with its connection, after the request timeout if its body is slow', async () => {
    const { port } = server.address() as AddressInfo;
    const stripe = new Stripe('sk_test_1', {
      httpClient: new SentRequests().client(undefined),
      host: '127.0.0.1',
      port,
      protocol: 'http',
      maxNetworkRetries: 0,
      timeout: 200,
    });
    const outcome = stripe.customers.retrieve('cus_1').then(
      () => 'answered',
      () => 'failed',
    );
    expect(await Promise.race([outcome, setTimeout(5_000, 'waits')])).to.equal('failed');
    await Promise.all(closed);
  });
});
