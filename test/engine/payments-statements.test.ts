import type { Account, Uuid } from '../../lib/index.ts';
import { automaticPaymentHandler, PaymentMachine, paymentConfig } from '../../lib/payments/index.ts';
import type { ClaimedEntry } from '../../lib/ports/storage/index.ts';
import { BusEventType } from '../../lib/records/index.ts';
import type { HandlerBatch } from '../../lib/runtime/index.ts';
import { DEFAULT_TENANT_SETTINGS, settingsInForce } from '../../lib/tenants/index.ts';
import type { OpenDatabase } from '../support/databases.ts';
import { eachDatabase, engineBefore, expect, migrated, storageOf } from '../support/index.ts';
import { PaymentStage } from '../support/payments/payment-stage.ts';

const MINUTE_MS = 60_000;

eachDatabase.describe('SQL statements of a payment batch', define);

function define(open: OpenDatabase): void {
  let statements: string[] = [];
  let stage: PaymentStage;

  before(async () => {
    stage = await PaymentStage.open(
      storageOf(await open(migrated), (text) => statements.push(text)),
      '2012-05-31T00:03:42Z',
    );
  });
  after(() => stage.stop());

  it('are equal in number for 2 and for 50 invoices', async () => {
    const few = await payAll(2);
    const many = await payAll(50);
    expect(many.filter(isQuery)).to.have.length(few.filter(isQuery).length);
    expect(many.filter(isQuery).length).to.be.lessThan(40);
  });

  async function payAll(count: number): Promise<readonly string[]> {
    const accounts: Account[] = [];
    for (let index = 0; index < count; index += 1) accounts.push(await stage.account());
    const invoices = await stage.invoices(accounts, '10');
    const entries = await stage.storage.queue.claim({
      node: 'test',
      claimId: stage.ids.next(),
      limit: count,
      topics: [BusEventType.INVOICE_CREATION],
      businessNow: stage.clock.now(),
      systemNowMs: stage.timers.nowMs(),
      leaseEndsAtMs: stage.timers.nowMs() + MINUTE_MS,
    });
    expect(entries).to.have.length(count);
    const { storage, clock, timers: systemClock, ids, logger, gateways } = stage;
    const paymentControls = new Map();
    const settingsOf = settingsInForce(logger, DEFAULT_TENANT_SETTINGS);
    const machine = new PaymentMachine(
      { storage, clock, systemClock, ids, logger, gateways, paymentControls },
      async (session) => paymentConfig(await settingsOf(session)),
    );
    const handler = automaticPaymentHandler(machine);
    statements = [];
    await handler.handle(batchOf(entries));
    const sent = statements;
    statements = [];
    for (const invoiceId of invoices) expect(await stage.balance(invoiceId)).to.equal('0');
    return sent;
  }

  function batchOf(entries: readonly ClaimedEntry[]): HandlerBatch {
    return {
      tenant: stage.tenant,
      entries,
      finish: (session, finished) => session.finish(finished),
      busy: (busy) => expect(busy).to.eql([]),
      failed: (_entry, error) => {
        throw error;
      },
    };
  }
}

const isQuery = (text: string): boolean => !/^(begin|commit)/i.test(text);

/**
 * Excludes begin and commit. SQLite uses one statement per transaction to take its lock, one to count queue entries,
 * and two to move an entry.
 */
const expected = {
  sqlite: { purchase: 23, capture: 25, refund: 25 },
  postgresql: { purchase: 18, capture: 20, refund: 20 },
};

eachDatabase.describe('SQL statements of payment operations', (open, kind) => {
  let accountId: Uuid;

  const engine = engineBefore(open, { now: '2012-05-01T10:00:00Z', catalog: null });
  before(async () => {
    ({ id: accountId } = await engine.payingAccount({ currency: 'USD' }));
  });

  const isQuery = (text: string): boolean => !/^\s*(begin|commit|savepoint|release|set )/i.test(text);
  const countOf = async (work: () => Promise<unknown>) =>
    (await engine.statementsOf(work)).filter(isQuery).length;
  const payments = () => engine.acme.payments;
  const operations = {
    purchase: async () => () => payments().purchase({ accountId, amount: '10' }),
    capture: async () => {
      const { payment } = await payments().authorize({ accountId, amount: '10' });
      return () => payments().capture({ paymentId: payment.id, amount: '4' });
    },
    refund: async () => {
      const { payment } = await payments().purchase({ accountId, amount: '10' });
      return () => payments().refund({ paymentId: payment.id, amount: '4' });
    },
  };

  for (const name of ['purchase', 'capture', 'refund'] as const) {
    const count = expected[kind][name];
    it(`are ${count} in number for a ${name}, even on an account with many payments`, async () => {
      await countOf(await operations[name]());
      const few = await countOf(await operations[name]());
      for (let more = 0; more < 10; more += 1) await (await operations[name]())();
      expect([few, await countOf(await operations[name]())]).to.eql([count, count]);
    });
  }

  it('read no state machine for a tenant without one', async () => {
    const statements = await engine.statementsOf(() => payments().purchase({ accountId, amount: '10' }));
    // The read of the tenant's row includes the ids of its settings' values.
    const values = statements.filter((sql) => sql.includes('bw_tenant_kvs') && !sql.includes('bw_tenants'));
    expect(statements).to.not.be.empty;
    expect(values).to.eql([]);
  });
});
