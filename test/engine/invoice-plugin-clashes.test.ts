import type {
  AdditionalItem,
  InvoiceForPlugins,
  InvoicePlugin,
  PluginProperty,
  Uuid,
} from '../../lib/index.ts';
import { ErrorCode, SystemTag } from '../../lib/index.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, expect, expectCode, itemLines, openEngine } from '../support/index.ts';

const chosenId = '22222222-2222-4222-8222-222222222222';

eachDatabaseByTurns.describe('conflicting plugin answers (invoicing §13 rules 3 and 6)', (open) => {
  let engine: TestEngine;

  async function begin(...plugins: readonly InvoicePlugin[]): Promise<void> {
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', invoicePlugins: plugins });
  }

  const newAccount = async (): Promise<Uuid> => (await engine.payingAccount({ currency: 'USD' })).id;

  async function subscribe(...accountIds: readonly Uuid[]): Promise<void> {
    for (const accountId of accountIds)
      await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
  }

  const charge = (accountId: Uuid, invoiceId: Uuid | null = null) =>
    engine.acme.invoices.addCharges({ accountId, items: [{ amount: '1', invoiceId }], autoCommit: true });

  async function lines(accountId: Uuid): Promise<readonly string[]> {
    const all = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    return all
      .toSorted((a, b) => a.invoiceNumber - b.invoiceNumber)
      .map((each) => `${each.invoiceNumber}: ${itemLines(each).join(', ')}`);
  }

  async function numbers(...accountIds: readonly Uuid[]): Promise<readonly number[]> {
    const all = await Promise.all(
      accountIds.map((accountId) => engine.acme.invoices.ofAccount({ accountId })),
    );
    return all
      .flat()
      .map(({ invoiceNumber }) => invoiceNumber)
      .toSorted((a, b) => a - b);
  }

  async function parkReason(accountId: Uuid): Promise<string> {
    const tags = await engine.acme.tags.ofObject({ type: 'ACCOUNT', id: accountId });
    const mark = tags.find(({ tagDefinitionName }) => tagDefinitionName === '__PARK__');
    if (mark === undefined) return 'not parked';
    const rows = await engine.acme.audit.history({ type: 'TAG', id: mark.id });
    return rows.map(({ comments }) => comments).join();
  }

  const sound = async () => expect(await engine.breaches()).to.eql([]);

  const groupsOf = ({ items }: InvoiceForPlugins) =>
    items.filter(({ itemType }) => itemType !== 'CBA_ADJ').map(({ id }) => ({ itemIds: [id] }));

  const imposing = (...values: readonly string[]): readonly PluginProperty[] =>
    values.map((value) => ({ key: 'INVOICE_SEQUENCE_NUMBER', value }));

  it('leave no gap in the invoice numbers after a rejected run, regardless of who requested the run', async () => {
    let refused: Uuid | null = null;
    await begin({
      name: 'numbers',
      getInvoiceGrouping: async (invoice, ...[, , { accountId }]) => ({
        groups: groupsOf(invoice),
        properties: accountId === refused ? imposing('5000', '1') : [],
      }),
    });
    const [first, second] = [await newAccount(), await newAccount()];
    await charge(first);
    refused = second;
    await engine.settle(subscribe(second, second));
    expect(await parkReason(second)).to.contain('"1" from a plugin is already used by another invoice');
    await charge(first);
    await expectCode(engine.acme.invoices.generateGroup({ accountId: second }), 'INVOICE_INVALID_NUMBER');
    await charge(first);
    expect(await numbers(first, second)).to.eql([1, 2, 3]);
    await sound();
  });

  it('let only one account in a batch use a number that plugins assign twice, and continue the counter after that number', async () => {
    const given = new Map<Uuid, readonly string[]>();
    await begin({
      name: 'numbers',
      getInvoiceGrouping: async (invoice, ...[, , { accountId }]) => ({
        groups: groupsOf(invoice),
        properties: imposing(...(given.get(accountId) ?? [])),
      }),
    });
    const [first, second, third] = [await newAccount(), await newAccount(), await newAccount()];
    for (const accountId of [first, second, second, third]) await subscribe(accountId);
    given.set(first, ['4']).set(second, ['90', '4']).set(third, ['90']);
    await engine.settle();
    expect([await numbers(first), await numbers(second), await numbers(third)]).to.eql([[4], [], [90]]);
    expect(await parkReason(second)).to.contain('from a plugin is already used by another invoice');
    await charge(first);
    expect(await numbers(first)).to.eql([4, 91]);
    await sound();
  });

  const adding = (name: string, itemsFor: (seen: InvoiceForPlugins) => readonly AdditionalItem[]) => ({
    name,
    getAdditionalInvoiceItems: async (invoice: InvoiceForPlugins) => ({ items: itemsFor(invoice) }),
  });

  it('cause an error that names the plugin if two new items have the same id, and park the account in an automatic run', async () => {
    let earlier: Uuid | null = null;
    const tax = () =>
      earlier === null ? [] : [{ id: chosenId, itemType: 'TAX' as const, amount: '1', invoiceId: earlier }];
    await begin(adding('one', tax), adding('other', tax));
    const accountId = await newAccount();
    earlier = (await charge(accountId))[0]?.invoiceId ?? null;
    await expectCode(charge(accountId), 'INVOICE_ITEM_NOT_FOUND');
    await engine.settle(subscribe(accountId));
    expect(await parkReason(accountId)).to.contain(`"other" is invalid: A new item`);
    expect(await lines(accountId)).to.eql(['1: EXTERNAL_CHARGE 2024-01-01 1']);
    await sound();
  });

  it('cause an error that names the plugin if an operation uses the same id on two invoices', async () => {
    let isOn = false;
    const once = () => (isOn ? [{ id: chosenId, itemType: 'TAX' as const, amount: '1' }] : []);
    await begin(adding('one', once));
    const accountId = await newAccount();
    const draft = async () => {
      const items = [{ amount: '5' }];
      return (await engine.acme.invoices.addCharges({ accountId, items }))[0]?.invoiceId ?? null;
    };
    const items = [
      { amount: '1', invoiceId: await draft() },
      { amount: '1', invoiceId: await draft() },
    ];
    isOn = true;
    const refusal = await engine.acme.invoices
      .addCharges({ accountId, items })
      .catch((error: unknown) => error);
    expect(refusal).to.include({ code: ErrorCode.INVOICE_ITEM_NOT_FOUND });
    expect(String(refusal)).to.contain('"one" is invalid: A new item');
    await sound();
  });

  it('let only one account in a batch use a shared item id, and park the other accounts', async () => {
    await begin(adding('one', () => [{ id: chosenId, itemType: 'TAX', amount: '1' }]));
    const last = await newAccount();
    const accountIds = [await newAccount(), await newAccount(), last];
    await engine.settle(subscribe(...accountIds));
    const all = await Promise.all(accountIds.map(lines));
    expect(all).to.eql([['1: RECURRING 2024-01-01..2024-02-01 19.95, TAX 2024-01-01 1'], [], []]);
    expect(await parkReason(last)).to.contain('"one" is invalid');
    await sound();
  });

  it('park the account if another tenant already uses the item id, while other accounts are billed', async () => {
    const marked: Uuid[] = [];
    const failures: string[] = [];
    await begin({
      name: 'one',
      getAdditionalInvoiceItems: async (...[, , , { accountId }]) =>
        marked.includes(accountId) ? { items: [{ id: chosenId, itemType: 'TAX', amount: '1' }] } : null,
      onFailureCall: async ({ accountId }) => {
        failures.push(accountId);
        return null;
      },
    });
    const input = { apiKey: 'eve', apiSecret: 'secret', cell: engine.cell };
    const { id: tenant } = await engine.billing.tenants.create({ userName: 'test' }, input);
    const eve = engine.billing.as({ tenant, user: 'eve' });
    const { id: hers } = await eve.createAccount({ currency: 'USD' });
    marked.push(hers);
    await eve.invoices.addCharges({ accountId: hers, items: [{ amount: '1' }], autoCommit: true });
    const [first, second, third] = [await newAccount(), await newAccount(), await newAccount()];
    marked.push(second);
    await expectCode(charge(second), 'INVOICE_ITEM_NOT_FOUND');
    await engine.settle(subscribe(first, second, third));
    expect(await parkReason(second)).to.match(
      /plugin gave a new item (id ".+"|this id), which an existing item already has/,
    );
    expect(failures).to.eql([second, second]);
    expect(await numbers(first, second, third)).to.eql([1, 2]);
    marked.pop();
    await engine.acme.generateInvoice({ accountId: second });
    expect(await parkReason(second)).to.equal('not parked');
    await sound();
  });

  it('do not arise if a split run adds to a draft of an earlier group and returns that group', async () => {
    await begin({ name: 'groups', getInvoiceGrouping: async (invoice) => ({ groups: groupsOf(invoice) }) });
    const accountId = await newAccount();
    const { AUTO_INVOICING_OFF, AUTO_INVOICING_DRAFT, AUTO_INVOICING_REUSE_DRAFT } = SystemTag;
    const tag = (...ids: readonly Uuid[]) => engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, ids);
    await tag(AUTO_INVOICING_OFF, AUTO_INVOICING_DRAFT);
    await subscribe(accountId, accountId);
    const [first, second] = await engine.acme.invoices.generateGroup({ accountId });
    await engine.acme.invoices.commit(first?.id ?? '');
    await tag(AUTO_INVOICING_REUSE_DRAFT);
    const targetDate = '2024-02-01';
    const group = await engine.acme.invoices.generateGroup({ accountId, targetDate });
    expect(group.map(({ id, groupId, items }) => [id, groupId, items.length])).to.eql([
      [first?.id, first?.id, 1],
      [second?.id, first?.id, 3],
    ]);
  });
});

eachDatabaseByTurns.describe('conflicts among several invoice plugins', (open) => {
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

  it('cannot arise from changes to the input, because each plugin gets a copy (invoicing §13 rule 2)', async () => {
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

  it('do not arise in splits, because only the first plugin that groups items is called (invoicing §13 rule 2)', async () => {
    const calls: string[] = [];
    const grouping = (name: string, isApart: boolean | null): InvoicePlugin => ({
      name,
      async getInvoiceGrouping({ items }) {
        calls.push(name);
        if (isApart === null) return { groups: [] };
        const ids = items.map(({ id }) => id);
        return { groups: isApart ? ids.map((id) => ({ itemIds: [id] })) : [{ itemIds: ids }] };
      },
    });
    await begin(grouping('a', null), grouping('b', true), grouping('c', false));
    await subscribe();
    await subscribe();
    expect(await engine.acme.invoices.generateGroup({ accountId })).to.have.length(2);
    expect(calls).to.eql(['a', 'b']);
  });

  it('do not arise on a reused draft, because no plugin splits a reused draft (invoicing §8.2 step 12)', async () => {
    const calls: string[] = [];
    await begin({
      name: 'groups',
      async getInvoiceGrouping({ items }) {
        calls.push(`${items.length}`);
        return { groups: items.map(({ id }) => ({ itemIds: [id] })) };
      },
    });
    await engine.acme.invoices.addCharges({ accountId, items: [{ amount: '5' }] });
    await engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, [SystemTag.AUTO_INVOICING_REUSE_DRAFT]);
    await engine.settle(subscribe());
    expect(calls).to.eql([]);
    expect((await lines()).map((items) => items.length)).to.eql([2]);
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(calls, 'there is no draft any more').to.eql(['1']);
  });
});
