import { expect } from 'chai';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import { uuidGenerator } from '../../adapters/node/this-process.ts';
import { checkPaymentGateway } from '../../adapters/testing/index.ts';
import { ledgerGateway, payThroughLedger } from '../../examples/payment-gateway.ts';

describe('payment gateway example', () => {
  it('processes, refunds or declines a payment, or leaves it pending, as its processor does', async () =>
    expect(await payThroughLedger()).to.eql([
      'captured: SUCCESS 30',
      'refunded: SUCCESS 5',
      'beyond the limit: PAYMENT_FAILURE 0',
      'transfer: PENDING 0',
      'transfer: SUCCESS 12',
    ]));

  it('satisfies the gateway contract in all supported operations', async () => {
    const gateway = ledgerGateway({ signingKey: 'key' });
    const waiting = { key: 'mode', value: 'bank-transfer', isUpdatable: false };
    const { findings, notes, called } = await checkPaymentGateway(gateway, {
      storage: () => sqlite(':memory:'),
      effectsOf: gateway.effectsOf,
      outcomes: {
        unreachable: {
          arrange: () => gateway.setReachable(false),
          restore: () => gateway.setReachable(true),
        },
        pending: {
          properties: [waiting],
          settle: async (transactionId) => {
            const body = gateway.notificationOf(transactionId).rawBody;
            await gateway.processNotification?.({ body, properties: [] }, CONTEXT);
          },
        },
      },
      notification: gateway.notificationOf(CONTEXT.tenantId),
    });
    expect(findings).to.eql([]);
    expect(notes).to.eql([]);
    const members = Object.entries(gateway).flatMap(([name, value]) =>
      typeof value === 'function' && !OWN.has(name) ? [name] : [],
    );
    expect(called).to.have.members(members);
  });
});

const ids = uuidGenerator();
const CONTEXT = {
  tenantId: ids.next(),
  userName: 'test',
  userToken: ids.next(),
  now: new Date('2024-01-10'),
};

/** Members of the example that the port does not have. */
const OWN: ReadonlySet<string> = new Set(['effectsOf', 'notificationOf', 'setReachable']);
