import { expect } from 'chai';
import { anyDatabase } from '../support/databases.ts';
import { openEngine, type TestEngine } from '../support/engine.ts';

anyDatabase((_kind, open) => {
  describe('statements of operations on payments', () => {
    let engine: TestEngine;
    let statements: string[] = [];

    before(async () => {
      engine = await openEngine(open, {
        now: '2012-05-01T10:00:00Z',
        catalog: null,
        trace: (text) => statements.push(text),
      });
    });
    after(() => engine.close());

    const isQuery = (text: string): boolean => !/^\s*(begin|commit|savepoint|release|set )/i.test(text);

    it('a purchase takes as many statements on a payment of an account with many as on its first', async () => {
      const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
      const purchase = async (): Promise<readonly string[]> => {
        statements = [];
        await engine.acme.payments.purchase({ accountId, amount: '10' });
        return statements.filter(isQuery);
      };
      await purchase();
      const few = await purchase();
      for (let count = 0; count < 20; count += 1) await purchase();
      const many = await purchase();
      expect(many).to.have.length(few.length);
      expect(many.length).to.be.lessThan(40);
    });
  });
});
