import { type InvoicePlugin, SystemTag, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, itemLines, openEngine, type TestEngine } from '../support/index.ts';

eachDatabaseByTurns('several invoice plugins', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  async function begin(...invoicePlugins: readonly InvoicePlugin[]): Promise<void> {
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', invoicePlugins });
    accountId = (await engine.acme.createAccount({ currency: 'USD' })).id;
  }

  async function subscribe(): Promise<void> {
    await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
  }

  const lines = async () =>
    (await engine.acme.invoices.ofAccount({ accountId, withItems: true })).map((each) => itemLines(each));

  it('invoicing §13 rule 2: plugins get copies; what one does to them neither others see nor the books', async () => {
    const refused: string[] = [];
    const seen: number[] = [];
    const tried = (what: string, work: () => unknown): void => {
      try {
        work();
      } catch {
        refused.push(what);
      }
    };
    await begin(
      {
        name: 'a',
        async getAdditionalInvoiceItems(invoice) {
          const [item] = invoice.items;
          tried('remove', () => Reflect.apply(Array.prototype.pop, invoice.items, []));
          tried('change', () => Object.assign(item ?? {}, { amount: '0' }));
          tried('void', () => Object.assign(invoice, { status: 'VOID', items: [] }));
          return { items: [] };
        },
      },
      {
        name: 'b',
        async getAdditionalInvoiceItems({ items }) {
          seen.push(items.length);
          return null;
        },
      },
    );
    await engine.settle(subscribe());
    expect(refused).to.eql(['remove', 'change', 'void']);
    expect(seen).to.eql([1]);
    expect(await lines()).to.eql([['RECURRING 2024-01-01..2024-02-01 19.95']]);
  });

  it('invoicing §13 rule 2: the first that groups the items decides, and no other is asked', async () => {
    const asked: string[] = [];
    const grouping = (name: string, isApart: boolean | null): InvoicePlugin => ({
      name,
      async getInvoiceGrouping({ items }) {
        asked.push(name);
        if (isApart === null) return { groups: [] };
        const ids = items.map(({ id }) => id);
        return { groups: isApart ? ids.map((id) => ({ itemIds: [id] })) : [{ itemIds: ids }] };
      },
    });
    await begin(grouping('a', null), grouping('b', true), grouping('c', false));
    await subscribe();
    await subscribe();
    expect(await engine.acme.invoices.generateGroup({ accountId })).to.have.length(2);
    expect(asked).to.eql(['a', 'b']);
  });

  it('invoicing §8.2 step 12: of a draft that is used again nobody asks how to split it', async () => {
    const asked: string[] = [];
    await begin({
      name: 'groups',
      async getInvoiceGrouping({ items }) {
        asked.push(`${items.length}`);
        return { groups: items.map(({ id }) => ({ itemIds: [id] })) };
      },
    });
    await engine.acme.invoices.addCharges({ accountId, items: [{ amount: '5' }] });
    await engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, [SystemTag.AUTO_INVOICING_REUSE_DRAFT]);
    await engine.settle(subscribe());
    expect(asked).to.eql([]);
    expect((await lines()).map((items) => items.length)).to.eql([2]);
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(asked, 'there is no draft any more').to.eql(['1']);
  });
});
