import { formatDecimal, type InvoicePlugin, RetryLater, type Uuid } from '../../lib/index.ts';
import type { TestEngine } from '../support/index.ts';
import { anyDatabase, eachDatabase, example, expect, itemLines, openEngine } from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';

const splitter: InvoicePlugin = {
  name: 'splitter',
  getInvoiceGrouping: async ({ items }) => ({ groups: items.map(({ id }) => ({ itemIds: [id] })) }),
};

anyDatabase.describe('runs with invoice plugins', (open) => {
  let engine: TestEngine;

  async function begin(plugin: InvoicePlugin): Promise<void> {
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', invoicePlugins: [plugin] });
  }

  async function invoicesOf(accountId: Uuid): Promise<readonly InvoiceView[]> {
    const all = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    return all.toSorted((a, b) => a.invoiceNumber - b.invoiceNumber);
  }

  const isParked = async (id: Uuid): Promise<boolean> => {
    const tags = await engine.acme.tags.ofObject({ type: 'ACCOUNT', id });
    return tags.some(({ tagDefinitionName }) => tagDefinitionName === '__PARK__');
  };

  it("link each invoice of a child's group to the parent's summary (invoicing §12)", async () => {
    await begin(splitter);
    const parent = await engine.payingAccount({ currency: 'USD' });
    const input = { currency: 'USD', parentAccountId: parent.id, isPaymentDelegatedToParent: true } as const;
    const { id: childId } = await engine.acme.createAccount(input);
    await engine.acme.subscriptions.createBundles([
      [{ accountId: childId, planName: 'solo-now' }],
      [{ accountId: childId, planName: 'solo-now' }],
    ]);
    expect(await engine.acme.invoices.generateGroup({ accountId: childId })).to.have.length(2);
    await engine.settle();
    const [summary] = await invoicesOf(parent.id);
    expect(summary && itemLines(summary)).to.eql(['PARENT_SUMMARY 39.9']);
    const linked = (await invoicesOf(childId)).map(({ parentInvoiceId }) => parentInvoiceId);
    expect(linked).to.eql([summary?.id, summary?.id]);
  });

  it('create invoices that move charged-through dates separately and can be voided separately', async () => {
    await begin(splitter);
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    const bundles = await engine.acme.subscriptions.createBundles([
      [{ accountId, planName: 'solo-now' }],
      [{ accountId, planName: 'solo-now' }],
    ]);
    const group = await engine.acme.invoices.generateGroup({ accountId });
    const ids = bundles.flatMap(({ subscriptionIds }) => subscriptionIds);
    const through = async () =>
      Promise.all(
        ids.map(async (id) => (await engine.acme.getSubscription(id)).chargedThrough?.date ?? null),
      );
    const dates = await through();
    expect(dates[0]).to.not.equal(null);
    expect(dates[1]).to.equal(dates[0]);
    await engine.acme.invoices.void(group[1]?.id ?? '');
    expect((await through())[1]).to.equal(null);
    const again = await engine.acme.generateInvoice({ accountId });
    expect(itemLines(again)).to.eql(['RECURRING 2024-01-01..2024-02-01 19.95']);
    expect(await Array.fromAsync(engine.billing.checks.breaches())).to.eql([]);
  });

  it('call the plugins before the invoices are stored, even if the first attempt failed before the call', async () => {
    const bound = 'org.service.invoice.maxDailyNumberOfItemsSafetyBound';
    engine = await openEngine(open, {
      now: '2024-06-01T00:00:00Z',
      catalog: example('catalogs/meadow.xml'),
      configuration: { [bound]: 1 },
      invoicePlugins: [
        {
          name: 'tax',
          getAdditionalInvoiceItems: async () => {
            // From now on, the other account of the batch can be invoiced as well.
            await engine.acme.keyValues.add('PER_TENANT_CONFIG', JSON.stringify({ [bound]: -1 }));
            return { items: [{ itemType: 'TAX', amount: '1' }] };
          },
        },
      ],
    });
    const ids: Uuid[] = [];
    for (const planName of ['canopy-monthly', 'sprout-monthly-direct']) {
      const { id } = await engine.acme.createAccount({ currency: 'USD' });
      await engine.acme.createSubscription({ accountId: id, planName });
      ids.push(id);
    }
    await engine.settle();
    for (const id of ids) {
      const types = (await invoicesOf(id)).flatMap(({ items }) => items.map(({ itemType }) => itemType));
      expect([await isParked(id), types.includes('TAX')], types.join()).to.eql([false, true]);
    }
  });

  it('can be postponed for one account while other accounts are billed (invoicing §8.6)', async () => {
    let left = 2;
    let waiting: Uuid | undefined;
    await begin({
      name: 'slow',
      getAdditionalInvoiceItems: async ({ accountId }) => {
        if (accountId !== waiting || left === 0) return null;
        left -= 1;
        throw new RetryLater(60_000);
      },
    });
    for (const name of ['a', 'b']) {
      const { id } = await engine.acme.createAccount({ name, currency: 'USD' });
      await engine.acme.createSubscription({ accountId: id, planName: 'solo-now' });
      waiting ??= id;
    }
    const accountId = waiting as Uuid;
    for (let round = 0; round < 2; round += 1) {
      while (left > 1 - round) await engine.billing.settle({ timeoutMs: 100 });
      expect([await isParked(accountId), (await invoicesOf(accountId)).length]).to.eql([false, 0]);
      engine.systemClock.push(60_000);
    }
    await engine.settle();
    expect((await invoicesOf(accountId)).map(({ amount }) => formatDecimal(amount))).to.eql(['19.95']);
  });

  it('are retried after a plugin error if the tenant does not park accounts on errors (invoicing §8.6)', async () => {
    let left = 1;
    engine = await openEngine(open, {
      now: '2024-01-01T00:00:00Z',
      configuration: { 'org.service.invoice.parkAccountsOnAllExceptions': 'false' },
      invoicePlugins: [
        {
          name: 'shaky',
          priorCall: async () => {
            left -= 1;
            if (left >= 0) throw new Error('no connection');
            return null;
          },
        },
      ],
    });
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    await engine.subscribe({ accountId, planName: 'solo-now' });
    expect([await isParked(accountId), (await invoicesOf(accountId)).length]).to.eql([false, 1]);
  });
});

eachDatabase.describe('many runs with an invoice plugin', (open) => {
  it('need as many SQL statements for many accounts and split invoices as for one account and invoice', async () => {
    const engine = await openEngine(open, {
      now: '2024-01-01T00:00:00Z',
      invoicePlugins: [
        {
          ...splitter,
          getAdditionalInvoiceItems: async () => ({ items: [{ itemType: 'TAX', amount: '1' }] }),
        },
      ],
    });
    const counts: number[] = [];
    for (const subscriptions of [2, 12]) {
      const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
      const bundle = [{ accountId, planName: 'solo-now' }];
      await engine.acme.subscriptions.createBundles(Array.from({ length: subscriptions }, () => bundle));
      const statements = await engine.statementsOf(() => engine.acme.invoices.generateGroup({ accountId }));
      counts.push(statements.length);
      expect(await engine.acme.invoices.ofAccount({ accountId })).to.have.length(subscriptions + 1);
    }
    expect(counts[1]).to.equal(counts[0]);
  });
});
