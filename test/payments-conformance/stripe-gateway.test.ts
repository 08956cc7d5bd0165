import { expect } from 'chai';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import { stripeGateway } from '../../adapters/stripe/index.ts';
import { checkPaymentGateway } from '../../adapters/testing/index.ts';
import { API_KEY, StripeDouble, WEBHOOK_SECRET } from '../support/stripe/stripe-double.ts';

describe('Stripe gateway', () => {
  const double = new StripeDouble();
  before(() => double.start());
  after(() => double.stop());

  it('passes all gateway checks (payments §2.1)', async () => {
    const gateway = stripeGateway({
      credentials: { apiKey: API_KEY, webhookSecret: WEBHOOK_SECRET },
      client: double.client,
    });
    double.books.emit('customer.created', double.books.newObject('cus', 'customer', {}));
    const { findings, notes, called } = await checkPaymentGateway(gateway, {
      storage: () => sqlite(':memory:'),
      paymentMethod: { externalPaymentMethodId: 'pm_card_visa' },
      effectsOf: (transactionId) => double.effectsOf(transactionId),
      outcomes: {
        declined: {
          arrange: () => {
            double.bank = 'DECLINES';
          },
          restore: () => {
            double.bank = 'BY_METHOD';
          },
        },
        unreachable: { arrange: () => double.stop(), restore: () => double.start() },
        pending: {
          arrange: () => {
            double.bank = 'IS_SLOW';
          },
          restore: () => {
            double.bank = 'BY_METHOD';
          },
          settle: (transactionId) => double.settle(transactionId),
        },
      },
      notification: double.notification('customer.created'),
    });
    expect(findings).to.eql([]);
    expect(notes).to.eql([]);
    const members = Object.entries(gateway).flatMap(([name, value]) =>
      typeof value === 'function' ? [name] : [],
    );
    expect(called).to.have.members(members);
  });
});
