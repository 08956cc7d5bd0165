import type { AdditionalItem, InvoiceForPlugins, InvoicePlugin, Uuid } from '../../lib/index.ts';
import { formatDecimal, SystemTag } from '../../lib/index.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, expect, expectCode, itemLines, openEngine } from '../support/index.ts';

eachDatabaseByTurns.describe('invoice plugins in runs (invoicing §13)', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  async function begin(...plugins: readonly InvoicePlugin[]): Promise<void> {
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', invoicePlugins: plugins });
    accountId = (await engine.payingAccount({ currency: 'USD' })).id;
  }

  const subscribe = async (planName = 'solo-now') =>
    (await engine.subscribe({ accountId, planName })).subscriptionId;

  const invoices = async () =>
    (await engine.invoicesOf(accountId)).toSorted((a, b) => a.invoiceNumber - b.invoiceNumber);

  const lines = async () =>
    (await invoices()).map((each) => `${itemLines(each).join(', ')} owes ${formatDecimal(each.balance)}`);

  const taxOf = ({ items }: InvoiceForPlugins, rate = '0.1'): readonly AdditionalItem[] =>
    items
      .filter(({ itemType }) => itemType === 'RECURRING')
      .map(({ id, amount }) => ({ itemType: 'TAX', linkedItemId: id, amount: amount.times(rate) }));

  const tax = (rate = '0.1'): InvoicePlugin => ({
    name: 'tax',
    getAdditionalInvoiceItems: async (invoice) => ({ items: taxOf(invoice, rate) }),
  });

  const splitting: InvoicePlugin = {
    name: 'groups',
    getInvoiceGrouping: async ({ items }) => ({ groups: items.map(({ id }) => ({ itemIds: [id] })) }),
  };

  const parkReason = async (): Promise<string> => {
    const tags = await engine.acme.tags.ofObject({ type: 'ACCOUNT', id: accountId });
    const mark = tags.find(({ tagDefinitionName }) => tagDefinitionName === '__PARK__');
    if (mark === undefined) return 'not parked';
    const rows = await engine.acme.audit.history({ type: 'TAG', id: mark.id });
    return rows.map(({ comments }) => comments).join();
  };

  it('can add to every run a tax that is paid with the invoice and does not disturb later repairs and taxes', async () => {
    await begin(tax());
    await subscribe();
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(await lines()).to.eql([
      'RECURRING 2024-01-01..2024-02-01 19.95, TAX 2024-01-01 2 owes 0',
      'RECURRING 2024-02-01..2024-03-01 19.95, TAX 2024-02-01 2 owes 0',
    ]);
    expect(engine.ledger.all().map(({ amount }) => String(amount))).to.eql(['21.95', '21.95']);
  });

  it('can add items to a requested run, and receive the properties of the run', async () => {
    const properties: string[] = [];
    await begin({
      ...tax(),
      priorCall: async (_context, given) => {
        properties.push(given.map(({ key, value }) => `${key}=${value}`).join());
        return { properties: [{ key: 'seen', value: 'yes' }] };
      },
      onSuccessCall: async ({ invoice }, given) => {
        properties.push(
          `${given.map(({ key }) => key).join()} ${invoice?.items.length} ${invoice?.invoiceNumber}`,
        );
        return null;
      },
    });
    await subscribe();
    const targetDate = '2024-02-01';
    const pluginProperties = [{ key: 'a', value: 'b' }];
    const caller = engine.billing.as({ tenant: engine.tenant, user: 'me', pluginProperties });
    expect(itemLines(await caller.generateInvoice({ accountId, targetDate }))).to.eql([
      'RECURRING 2024-02-01..2024-03-01 19.95',
      'TAX 2024-01-01 2',
    ]);
    expect(properties).to.eql(['', 'seen 2 1', 'a=b', 'seen 2 2']);
    await expectCode(engine.acme.generateInvoice({ accountId, targetDate }), 4007);
  });

  it('are called in the configured order (by default by name), and see the additions of previous plugins', async () => {
    const seen: string[] = [];
    const named = (name: string): InvoicePlugin => ({
      name,
      getAdditionalInvoiceItems: async ({ items }) => {
        seen.push(`${name} sees ${items.length}`);
        return { items: [{ itemType: 'EXTERNAL_CHARGE', amount: '1', description: name }] };
      },
    });
    await begin(named('b'), named('a'), named('c'));
    await subscribe();
    expect(seen).to.eql(['a sees 1', 'b sees 2', 'c sees 3']);
    const settings = JSON.stringify({ 'org.service.invoice.plugin': 'c,none,a' });
    await engine.acme.keyValues.add('PER_TENANT_CONFIG', settings);
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(seen.slice(3)).to.eql(['c sees 1', 'a sees 2']);
  });

  it('cannot change the input of later plugins or of other accounts', async () => {
    let isOn = false;
    const others: string[] = [];
    const tries: unknown[] = [];
    const attempt = (change: () => unknown): void => {
      try {
        tries.push(change());
      } catch (error) {
        tries.push(error instanceof TypeError);
      }
    };
    const greedy: InvoicePlugin = {
      name: 'greedy',
      priorCall: async (context, properties) => {
        const given = properties as { key: string; value: string }[];
        attempt(() => isOn && given.push({ key: 'INVOICE_SEQUENCE_NUMBER', value: '4' }));
        attempt(() => isOn && Object.assign(given[0] ?? Object.freeze({}), { value: 'changed' }));
        attempt(() => isOn && Object.assign(context, { accountId: 'another' }));
        return null;
      },
    };
    const watcher: InvoicePlugin = {
      name: 'watcher',
      priorCall: async ({ accountId: id }, given) => {
        if (isOn) others.push(`${id} ${given.map(({ key, value }) => `${key}=${value}`).join()}`);
        return null;
      },
    };
    await begin(greedy, watcher);
    const ids = [accountId, (await engine.payingAccount({ currency: 'USD' })).id];
    for (const id of ids) await engine.acme.createSubscription({ accountId: id, planName: 'solo-now' });
    isOn = true;
    await engine.settle();
    expect(others.toSorted()).to.eql(ids.map((id) => `${id} `).toSorted());
    const pluginProperties = [{ key: 'a', value: 'b' }];
    const caller = engine.billing.as({ tenant: engine.tenant, user: 'me', pluginProperties });
    await caller.invoices.addCharges({ accountId, items: [{ amount: '1' }], autoCommit: true });
    expect(others.at(-1)).to.equal(`${accountId} a=b`);
    expect(pluginProperties).to.eql([{ key: 'a', value: 'b' }]);
    expect(tries.slice(-9)).to.eql(Array(9).fill(true));
    expect((await invoices()).map(({ invoiceNumber }) => invoiceNumber)).to.have.length(2);
  });

  it('can abort a run without effects or events, so that the next run catches up', async () => {
    let isAborting = true;
    const outcomes: string[] = [];
    await begin({
      name: 'gate',
      priorCall: async () => ({ aborted: isAborting }),
      onSuccessCall: async () => {
        outcomes.push('success');
        return null;
      },
      onFailureCall: async () => {
        outcomes.push('failure');
        return null;
      },
    });
    await subscribe();
    expect([await lines(), outcomes, await parkReason()]).to.eql([[], [], 'not parked']);
    await expectCode(engine.acme.generateInvoice({ accountId }), 4007);
    isAborting = false;
    await engine.acme.generateInvoice({ accountId });
    expect(await lines()).to.eql(['RECURRING 2024-01-01..2024-02-01 19.95 owes 19.95']);
    expect(outcomes).to.eql(['success']);
  });

  it('can postpone a run to an instant, and are informed of the delay', async () => {
    const calls: string[] = [];
    await begin({
      name: 'later',
      priorCall: async ({ rescheduled, targetDate }) => {
        calls.push(`${rescheduled} ${targetDate ?? ''}`);
        return rescheduled ? null : { rescheduleDate: new Date('2024-01-03T10:00:00Z') };
      },
    });
    await subscribe();
    expect(await lines()).to.eql([]);
    await engine.runTo('2024-01-03T09:59:00Z');
    expect(await lines()).to.eql([]);
    await engine.runTo('2024-01-03T10:00:00Z');
    expect(await lines()).to.eql(['RECURRING 2024-01-01..2024-02-01 19.95 owes 0']);
    expect(calls).to.eql(['false 2024-01-01', 'true 2024-01-03']);
  });

  it('can split the items of one run into a group of invoices that are paid separately', async () => {
    await begin(splitting);
    await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
    await engine.subscribe({ accountId, planName: 'solo-now' });
    await engine.runTo('2024-02-01T00:00:00Z');
    const february = (await invoices()).slice(-2);
    expect(february.map((each) => itemLines(each).join())).to.eql([
      'RECURRING 2024-02-01..2024-03-01 19.95',
      'RECURRING 2024-02-01..2024-03-01 19.95',
    ]);
    const [first, second] = february;
    expect([first?.groupId, second?.groupId]).to.eql([first?.id, first?.id]);
    expect(february.map(({ balance }) => formatDecimal(balance))).to.eql(['0', '0']);
    const group = await engine.acme.invoices.listGroup({ accountId, groupId: first?.id ?? '' });
    expect(group.map(({ id }) => id)).to.eql([first?.id, second?.id]);
  });

  it('can split automatic runs, but can split requested runs only if the caller accepts a group of invoices', async () => {
    await begin(splitting);
    const date = '2024-01-01';
    const dates = { billingDate: date, entitlementDate: date };
    for (const planName of ['solo-now', 'solo-now'])
      await engine.acme.createSubscription({ accountId, planName }, dates);
    expect((await engine.acme.generateInvoice({ accountId })).items).to.have.length(2);
    const targetDate = '2024-02-01';
    const group = await engine.acme.invoices.generateGroup({ accountId, targetDate });
    expect(group.map(({ items }) => items.length)).to.eql([1, 1]);
  });

  it('can form a group of invoices, to which credit is applied in order', async () => {
    await begin({
      name: 'groups',
      getInvoiceGrouping: async ({ items }) => ({
        groups: items.filter(({ itemType }) => itemType !== 'CBA_ADJ').map(({ id }) => ({ itemIds: [id] })),
      }),
    });
    await engine.acme.invoices.addCredits({ accountId, items: [{ amount: '25' }], autoCommit: true });
    await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
    await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
    const group = await engine.acme.invoices.generateGroup({ accountId });
    expect(group.map((each) => `${itemLines(each).join(', ')} owes ${formatDecimal(each.balance)}`)).to.eql([
      'RECURRING 2024-01-01..2024-02-01 19.95, CBA_ADJ 2024-01-01..2024-01-01 -19.95 owes 0',
      'RECURRING 2024-01-01..2024-02-01 19.95, CBA_ADJ 2024-01-01..2024-01-01 -5.05 owes 14.9',
    ]);
  });

  it('can assign an unused invoice number, from which the counter continues, but no used number', async () => {
    let number: string | null = '1000';
    await begin({
      name: 'numbers',
      priorCall: async () =>
        number === null ? null : { properties: [{ key: 'INVOICE_SEQUENCE_NUMBER', value: number }] },
    });
    await subscribe();
    expect((await invoices()).map(({ invoiceNumber }) => invoiceNumber)).to.eql([1000]);
    const targetDate = '2024-02-01';
    await expectCode(engine.acme.generateInvoice({ accountId, targetDate }), 'INVOICE_INVALID_NUMBER');
    number = '7';
    await engine.acme.generateInvoice({ accountId, targetDate });
    number = null;
    await engine.charge(accountId, '1');
    expect((await invoices()).map(({ invoiceNumber }) => invoiceNumber)).to.eql([7, 1000, 1001]);
  });

  it('can add taxes and adjustments to existing invoices, so that the adjusted amount becomes credit', async () => {
    let more: (earlier: InvoiceForPlugins) => readonly AdditionalItem[] = () => [];
    await begin({
      name: 'history',
      getAdditionalInvoiceItems: async (...seen) => {
        const { existingInvoices } = seen[3];
        for await (const earlier of existingInvoices()) return { items: more(earlier) };
        return null;
      },
    });
    await subscribe();
    more = ({ id, items }) => [
      { itemType: 'TAX', invoiceId: id, amount: '1' },
      { itemType: 'ITEM_ADJ', amount: '-5', linkedItemId: items[0]?.id ?? null },
    ];
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(await lines()).to.eql([
      'RECURRING 2024-01-01..2024-02-01 19.95, TAX 2024-02-01 1, ITEM_ADJ 2024-02-01..2024-02-01 -5, CBA_ADJ 2024-02-01..2024-02-01 4 owes 0',
      'RECURRING 2024-02-01..2024-03-01 19.95, CBA_ADJ 2024-02-01..2024-02-01 -4 owes 0',
    ]);
    more = ({ items }) => [{ itemType: 'ITEM_ADJ', amount: '-15', linkedItemId: items[0]?.id ?? null }];
    await engine.runTo('2024-03-01T00:00:00Z');
    expect(await parkReason()).to.contain('that remains of invoice item');
    expect(await lines()).to.have.length(2);
  });

  it('can change an amount that is then billed, repaired and credited', async () => {
    await begin({
      name: 'discount',
      getAdditionalInvoiceItems: async ({ items }) => ({
        items: items
          .filter(({ itemType }) => itemType === 'RECURRING')
          .map(({ id }) => ({ id, amount: '15.5', description: 'loyal' })),
      }),
    });
    const id = await subscribe();
    expect(await lines()).to.eql(['RECURRING 2024-01-01..2024-02-01 15.5 owes 0']);
    const [item] = (await invoices())[0]?.items ?? [];
    const { text, pluginName } = await engine.acme.invoices.explain(item?.id ?? '');
    expect(pluginName).to.equal('discount');
    expect(text, text).to.contain('changed to 15.50 USD by the invoice plugin "discount": loyal');
    engine.clock.set('2024-01-16T00:00:00Z');
    await engine.settle(engine.acme.subscriptions.cancel(id, { billingPolicy: 'IMMEDIATE' }));
    expect((await lines())[1]).to.equal(
      'REPAIR_ADJ 2024-01-16..2024-02-01 -8, CBA_ADJ 2024-01-16..2024-01-16 8 owes 0',
    );
    expect(await engine.breaches()).to.eql([]);
  });

  const changedTo = (amount: string, type = 'RECURRING'): InvoicePlugin => ({
    name: 'changed',
    getAdditionalInvoiceItems: async ({ items }) => ({
      items: items.filter(({ itemType }) => itemType === type).map(({ id }) => ({ id, amount })),
    }),
  });
  const reuseDrafts = () => {
    const tags = [SystemTag.AUTO_INVOICING_DRAFT, SystemTag.AUTO_INVOICING_REUSE_DRAFT];
    return engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, tags);
  };
  const cancelOn = async (id: Uuid, instant: string): Promise<void> => {
    await engine.runTo(instant);
    await engine.settle(engine.acme.subscriptions.cancel(id, { billingPolicy: 'IMMEDIATE' }));
  };
  const wrong = async () => [
    ...(await Array.fromAsync(engine.billing.checks.breaches())),
    ...(await engine.acme.invoices.verifyCoverage(accountId)),
  ];

  it('can make days free, so that a repair of 0 shortens the free days and its void restores them', async () => {
    await begin(changedTo('0'));
    await cancelOn(await subscribe(), '2024-02-05T00:00:00Z');
    const made = [
      'RECURRING 2024-01-01..2024-02-01 0 owes 0',
      'RECURRING 2024-02-01..2024-03-01 0 owes 0',
      'REPAIR_ADJ 2024-02-05..2024-03-01 0 owes 0',
    ];
    expect(await lines()).to.eql(made);
    expect(await wrong()).to.eql([]);
    await engine.acme.invoices.void((await invoices()).at(-1)?.id ?? '');
    await engine.acme.generateInvoice({ accountId });
    expect(await lines()).to.eql([...made, made[2]]);
    expect(await wrong()).to.eql([]);
  });

  it('can charge free days at a price that is billed once and repaired in proportion', async () => {
    await begin(changedTo('7'));
    const { subscriptionId } = await engine.subscribe({
      accountId,
      planName: 'solo-now',
      priceOverrides: [{ phaseName: 'solo-now-evergreen', recurringPrice: '0' }],
    });
    const made = ['RECURRING 2024-01-01..2024-02-01 7 owes 0'];
    expect(await lines()).to.eql(made);
    await cancelOn(subscriptionId, '2024-01-16T00:00:00Z');
    const repair = 'REPAIR_ADJ 2024-01-16..2024-02-01 -3.61, CBA_ADJ 2024-01-16..2024-01-16 3.61 owes 0';
    expect(await lines()).to.eql([...made, repair]);
    expect(await wrong()).to.eql([]);
    await engine.acme.invoices.void((await invoices()).at(-1)?.id ?? '');
    await engine.acme.generateInvoice({ accountId });
    expect(await lines()).to.eql([...made, repair, repair]);
    expect(await wrong()).to.eql([]);
  });

  for (const [item, billCycleDayLocal, amount, repair] of [
    ['the amount of a whole period', 1, '39.9', 'REPAIR_ADJ 2024-01-11..2024-02-01 -26.6'],
    ['the amount of a short period', 16, '8', 'REPAIR_ADJ 2024-01-11..2024-01-16 -2.67'],
    ['the full rate for a short period', 16, '19.95', 'REPAIR_ADJ 2024-01-11..2024-01-16 -6.65'],
  ] as const)
    it(`can change an amount despite fixed proration days, with repairs in proportion to ${item}`, async () => {
      const configuration = { 'org.service.invoice.proration.fixed.days': '30' };
      const options = { now: '2024-01-01T00:00:00Z', invoicePlugins: [changedTo(amount)], configuration };
      engine = await openEngine(open, options);
      accountId = (await engine.payingAccount({ currency: 'USD', billCycleDayLocal })).id;
      const subscriptionId = await subscribe();
      engine.clock.set('2024-01-11T00:00:00Z');
      await engine.cancelNow(subscriptionId);
      const [, repairing] = await invoices();
      expect(repairing && itemLines(repairing)).to.include(repair);
      expect(await wrong()).to.eql([]);
    });

  it('can change a one-time price without charging the price again', async () => {
    await begin(changedTo('0.5', 'FIXED'));
    const id = await subscribe('solo-monthly');
    await engine.settle(engine.acme.subscriptions.changeQuantity(id, { quantity: 2 }));
    const fixed = (await engine.linesOf(accountId)).filter((line) => line.startsWith('FIXED'));
    expect(fixed.map((line) => line.split(' ').at(-1))).to.eql(['0.5']);
    expect(await engine.breaches()).to.eql([]);
  });

  it('can lower a repair, so that the rest remains with the repaired item', async () => {
    await begin(changedTo('-4', 'REPAIR_ADJ'));
    await cancelOn(await subscribe(), '2024-01-16T00:00:00Z');
    const [charge, repair] = await invoices();
    expect(repair && itemLines(repair)[0]).to.equal('REPAIR_ADJ 2024-01-16..2024-02-01 -4');
    const [item] = charge?.items ?? [];
    expect(item && formatDecimal(item.repairable)).to.equal('15.95');
    expect(await engine.breaches()).to.eql([]);
  });

  it('see all items of a reused draft, and can rewrite their own items', async () => {
    const seen: string[] = [];
    await begin({
      name: 'tax',
      getAdditionalInvoiceItems: async ({ items }) => {
        seen.push(items.map(({ itemType }) => itemType).join());
        const total = items.filter(({ itemType }) => itemType === 'RECURRING').length;
        const known = items.find(({ itemType }) => itemType === 'TAX');
        return {
          items: [{ ...(known ? { id: known.id } : { itemType: 'TAX' as const }), amount: `${total}` }],
        };
      },
    });
    await reuseDrafts();
    await subscribe();
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(seen).to.eql(['RECURRING', 'RECURRING,TAX,RECURRING']);
    const [draft] = await invoices();
    expect(draft && itemLines(draft)).to.eql([
      'RECURRING 2024-01-01..2024-02-01 19.95',
      'TAX 2024-01-01 2',
      'RECURRING 2024-02-01..2024-03-01 19.95',
    ]);
    expect(String(draft?.amount)).to.equal('41.9');
  });

  it('can rewrite an adjustment on a reused draft within the remaining amount of the adjusted item', async () => {
    let amount = '-5';
    await begin({
      name: 'discount',
      getAdditionalInvoiceItems: async ({ items }) => {
        const known = items.find(({ itemType }) => itemType === 'ITEM_ADJ');
        const linkedItemId = items[0]?.id ?? null;
        return {
          items: [known ? { id: known.id, amount } : { itemType: 'ITEM_ADJ' as const, linkedItemId, amount }],
        };
      },
    });
    await reuseDrafts();
    await subscribe();
    const left = async () => {
      const [draft] = await invoices();
      return draft?.items.map((each) => `${each.itemType} left ${formatDecimal(each.repairable)}`);
    };
    amount = '-10';
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(await left()).to.eql(['RECURRING left 9.95', 'ITEM_ADJ left 0', 'RECURRING left 19.95']);
    amount = '-19.96';
    await engine.runTo('2024-03-01T00:00:00Z');
    expect(await parkReason()).to.contain('that remains of invoice item');
    expect(await left()).to.have.length(3);
    expect(await engine.breaches()).to.eql([]);
  });

  it('are called again if an account changes during an automatic run, which is repeated later if changes continue', async () => {
    let pluginCalls = 0;
    let changes = 1;
    await begin({
      name: 'slow',
      getAdditionalInvoiceItems: async () => {
        pluginCalls += 1;
        if (pluginCalls <= changes) await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
        return null;
      },
    });
    await subscribe();
    expect(pluginCalls).to.be.greaterThan(1);
    expect((await invoices()).flatMap(({ items }) => items)).to.have.length(2);
    const before = pluginCalls;
    changes = before + 7;
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(pluginCalls, 'five times, and again when it comes back').to.be.greaterThan(before + 7);
    expect(await parkReason()).to.equal('not parked');
    const february = (await engine.linesOf(accountId)).filter((line) => line.includes(' 2024-02-01..'));
    expect(february).to.have.length(9);
  });

  it('are called at most five times if an account keeps changing before their answers are applied', async () => {
    let pluginCalls = 0;
    let changes = 2;
    await begin({
      name: 'slow',
      getAdditionalInvoiceItems: async () => {
        pluginCalls += 1;
        if (pluginCalls <= changes)
          await engine.acme.subscriptions.create({ accountId, planName: 'solo-now' });
        return null;
      },
    });
    await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
    const { items } = await engine.acme.generateInvoice({ accountId });
    expect([pluginCalls, items.length]).to.eql([3, 3]);
    changes = 100;
    const targetDate = '2024-02-01';
    await expectCode(engine.acme.generateInvoice({ accountId, targetDate }), 'BUSY');
    expect(pluginCalls).to.equal(8);
    expect(await lines()).to.have.length(1);
  });
});
