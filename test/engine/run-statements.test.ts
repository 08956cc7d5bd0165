import { expect } from 'chai';
import { eachDatabase } from '../support/databases.ts';
import { openEngine, type TestEngine } from '../support/engine.ts';

const FEW = 3;
const MANY = 300;

// performance.md: one account with very many subscriptions
eachDatabase((kind, open) => {
  describe(`statements of an invoice run on ${kind}`, () => {
    let statements: string[] = [];
    let engine: TestEngine;
    before(async () => {
      engine = await openEngine(open, {
        now: '2024-01-01T00:00:00Z',
        trace: (statement) => statements.push(statement),
      });
    });
    after(() => engine.close());

    it(`are as many for ${MANY} subscriptions of an account as for ${FEW}`, async () => {
      const counts: number[] = [];
      for (const count of [FEW, MANY]) {
        const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
        const bundle = [{ accountId, planName: 'solo-now' }];
        await engine.acme.subscriptions.createBundles(Array.from({ length: count }, () => bundle));
        statements = [];
        const invoice = await engine.acme.generateInvoice({ accountId });
        counts.push(statements.length);
        expect(invoice.items).to.have.length(count);
      }
      expect(counts[1]).to.equal(counts[0]);
    }).timeout(60_000);
  });
});
