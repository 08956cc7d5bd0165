import { expect } from 'chai';
import fc from 'fast-check';
import { decimal, formatDecimal, SystemTag, sum, type Uuid } from '../../lib/index.ts';
import { anyDatabase, isLongRun, openEngine, propertyRuns, type TestEngine } from '../support/index.ts';

const cents = fc.integer({ min: 1, max: 20_000 }).map((amount) => decimal(amount).div(100));
const autoCommit = fc.integer({ min: 0, max: 5 }).map((drawn) => drawn > 0);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('charge' as const, 'credit' as const),
      amount: cents,
      autoCommit,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('adjust' as const),
      pick: fc.nat(99),
      share: fc.integer({ min: 1, max: 100 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('writeOff' as const, 'writeOn' as const), pick: fc.nat(99) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('pay' as const, 'rebalance' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

anyDatabase.describe('account credit after random operations', (open, kind) => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z' });
  });
  after(() => engine.close());

  const invoicesOf = (accountId: Uuid) => engine.acme.invoices.ofAccount({ accountId, withItems: true });

  /** Rejected and impossible steps change nothing. */
  async function take(accountId: Uuid, each: Step): Promise<void> {
    if (each.do === 'charge' || each.do === 'credit') {
      const { amount, autoCommit } = each;
      const request = { accountId, items: [{ amount }], autoCommit };
      if (each.do === 'charge') await engine.acme.invoices.addCharges(request);
      else await engine.acme.invoices.addCredits(request);
    } else if (each.do === 'adjust') {
      const items = (await invoicesOf(accountId)).flatMap((invoice) => invoice.items);
      const left = items.filter(
        ({ itemType, repairable }) => itemType === 'EXTERNAL_CHARGE' && repairable.greaterThan(0),
      );
      const item = left[each.pick % Math.max(1, left.length)];
      if (!item) return;
      const amount = item.repairable.times(each.share).div(100).toDecimalPlaces(2);
      if (amount.isZero()) return;
      const { id: invoiceItemId, invoiceId } = item;
      await engine.acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId, amount });
    } else if (each.do === 'pay') {
      await engine.settle();
    } else if (each.do === 'rebalance') await engine.acme.accounts.rebalanceCredit(accountId);
    else if ('pick' in each) {
      const isWrittenOff = each.do === 'writeOn';
      const invoices = (await invoicesOf(accountId)).filter(
        (invoice) => invoice.isWrittenOff === isWrittenOff,
      );
      const invoice = invoices[each.pick % Math.max(1, invoices.length)];
      if (!invoice) return;
      const object = { type: 'INVOICE', id: invoice.id } as const;
      if (isWrittenOff) await engine.acme.tags.remove(object, [SystemTag.WRITTEN_OFF]);
      else await engine.acme.tags.add(object, [SystemTag.WRITTEN_OFF]);
    }
  }

  it('is never negative, never remains while an invoice is unpaid, and equals the sum of its items (invoicing §10 rule 6)', async () => {
    const numRuns = Math.ceil(propertyRuns / (isLongRun || kind === 'sqlite' ? 30 : 60));
    let explanations = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
        const { id } = await engine.payingAccount({ currency: 'USD' });
        const explained = new Set<Uuid>();
        for (const each of steps) {
          await take(id, each);
          const invoices = await invoicesOf(id);
          const state = (await engine.acme.accounts.balances([id])).get(id);
          if (!state) throw new Error('no balance');
          const committed = invoices.filter(({ status }) => status === 'COMMITTED');
          const credit = sum(
            committed.flatMap(({ items }) =>
              items.flatMap(({ itemType, amount }) => (itemType === 'CBA_ADJ' ? [amount] : [])),
            ),
          );
          expect(formatDecimal(state.accountCBA)).to.equal(formatDecimal(credit));
          const owed = sum(committed.map(({ balance }) => balance));
          expect(formatDecimal(state.accountBalance)).to.equal(formatDecimal(owed.minus(credit)));
          expect(credit.greaterThanOrEqualTo(0)).to.equal(true);
          if (credit.greaterThan(0)) expect(owed.toFixed()).to.equal('0');
          for (const { id: itemId, amount } of invoices.flatMap(({ items }) => items)) {
            if (explained.has(itemId)) continue;
            explained.add(itemId);
            const { computedAmount } = await engine.acme.invoices.explain(itemId);
            expect(formatDecimal(computedAmount)).to.equal(formatDecimal(amount));
            explanations += 1;
          }
          for (const { rawBalance } of invoices) expect(rawBalance.greaterThanOrEqualTo(0)).to.equal(true);
        }
      }),
      { numRuns },
    );
    expect(explanations).to.be.greaterThan(numRuns);
  }).timeout(0);
});
