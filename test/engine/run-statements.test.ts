import { eachDatabase, engineBefore, expect, isLookForWork } from '../support/index.ts';

const FEW = 3;
const SEVERAL = 12;
const MANY = 300;

const beginningOf = (statement: string): string => statement.trim().replaceAll(/\s+/g, ' ').slice(0, 80);

eachDatabase.describe('SQL statement count of an invoice run', (open) => {
  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });

  it('does not depend on the number of subscriptions, even if a scheduled run also pays the invoice', async () => {
    const { acme, clock } = engine;
    for (const count of [FEW, SEVERAL]) {
      clock.advance({ days: 1 });
      const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
      const bundle = [{ accountId, planName: 'solo-now' }];
      await engine.settle(acme.subscriptions.createBundles(Array.from({ length: count }, () => bundle)));
    }
    clock.set('2024-02-01T12:00:00Z');
    await engine.settle();
    const sent: string[][] = [];
    for (const _account of [FEW, SEVERAL]) {
      clock.advance({ days: 1 });
      const statements = await engine.statementsOf(() => engine.settle());
      sent.push(statements.filter((text) => !isLookForWork(text)).map(beginningOf));
      expect(statements.filter((text) => text.includes('insert into bw_payments'))).to.have.length(1);
    }
    expect(sent[1]?.sort()).to.eql(sent[0]?.sort());
  });

  it(`is the same for ${FEW} and ${MANY} subscriptions of an account`, async () => {
    const counts: number[] = [];
    for (const count of [FEW, MANY]) {
      const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
      const bundle = [{ accountId, planName: 'solo-now' }];
      await engine.acme.subscriptions.createBundles(Array.from({ length: count }, () => bundle));
      counts.push((await engine.statementsOf(() => engine.acme.generateInvoice({ accountId }))).length);
      expect((await engine.invoicesOf(accountId)).flatMap(({ items }) => items)).to.have.length(count);
    }
    expect(counts[1]).to.equal(counts[0]);
  });
});
