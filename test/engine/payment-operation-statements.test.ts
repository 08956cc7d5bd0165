import type { Uuid } from '../../lib/index.ts';
import { eachDatabase, engineBefore, expect } from '../support/index.ts';

/**
 * Without beginnings and commits. SQLite takes its lock by a statement in each of the two transactions, counts queue
 * entries by another, and moves an entry by two.
 */
const expected = {
  sqlite: { purchase: 23, capture: 25, refund: 25 },
  postgresql: { purchase: 18, capture: 20, refund: 20 },
};

eachDatabase('statements of operations on payments', (open, kind) => {
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
    it(`a ${name} takes ${count} statements, on an account with few payments and on one with many`, async () => {
      await countOf(await operations[name]());
      const few = await countOf(await operations[name]());
      for (let more = 0; more < 10; more += 1) await (await operations[name]())();
      expect([few, await countOf(await operations[name]())]).to.eql([count, count]);
    });
  }

  it('the engine reads no state machine of a tenant that has none', async () => {
    const statements = await engine.statementsOf(() => payments().purchase({ accountId, amount: '10' }));
    // The tenant's row is read with the ids of its settings' values.
    const values = statements.filter(
      (text) => text.includes('bw_tenant_kvs') && !text.includes('bw_tenants'),
    );
    expect(statements).to.not.be.empty;
    expect(values).to.eql([]);
  });
});
