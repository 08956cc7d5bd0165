import type { InvoicePlugin, Uuid } from '../../lib/index.ts';
import { ErrorCode, formatDecimal, SystemTag } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { TestEngine } from '../support/index.ts';
import { codeOf, expect, expectCode, hostedEngine, itemLines, openEngine } from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';
import { rejection } from '../support/storage/opened-storage.ts';

eachDatabaseByTurns.describe('invoice plugins in user operations (invoicing §13 rule 7)', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  async function begin(...plugins: readonly InvoicePlugin[]): Promise<void> {
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', invoicePlugins: plugins });
    accountId = (await engine.acme.createAccount({ currency: 'USD' })).id;
  }

  async function invoicesOf(id: Uuid = accountId): Promise<readonly InvoiceView[]> {
    const all = await engine.acme.invoices.ofAccount({
      accountId: id,
      withItems: true,
      includeVoided: true,
      withMigration: true,
    });
    return all.toSorted((a, b) => a.invoiceNumber - b.invoiceNumber);
  }

  /** Returns the types and amounts of the items, and the balance. */
  async function lines(id: Uuid = accountId): Promise<readonly string[]> {
    return (await invoicesOf(id)).map(({ items, status, balance }) => {
      const shown = items.map(({ itemType, amount }) => `${itemType} ${formatDecimal(amount)}`);
      return `${status} ${shown.join(', ')} owes ${formatDecimal(balance)}`;
    });
  }

  async function charge(amount = '10', autoCommit = true): Promise<{ invoiceId: Uuid; id: Uuid }> {
    const [item] = await engine.acme.invoices.addCharges({ accountId, items: [{ amount }], autoCommit });
    if (item === undefined) throw new Error('a charge has an item');
    return item;
  }

  const sound = async () => expect(await engine.breaches()).to.eql([]);

  it("are called with the caller's properties before each operation, and once per invoice after the operation", async () => {
    const calls: string[] = [];
    await begin({
      name: 'watcher',
      priorCall: async (...[{ targetDate, invoice, userName, reasonCode, dryRun, rescheduled }, given]) => {
        const properties = given.map(({ key, value }) => `${key}=${value}`).join(' ');
        expect([targetDate, userName, reasonCode]).to.eql([null, 'me', 'audit']);
        expect([dryRun, rescheduled]).to.eql([false, false]);
        calls.push(`before ${invoice?.status ?? 'nothing'} ${properties}`);
        return null;
      },
      getAdditionalInvoiceItems: async ({ items }) => {
        calls.push(`items ${items.map(({ itemType }) => itemType).join()}`);
        return null;
      },
      onSuccessCall: async ({ invoice, targetDate }) => {
        expect(targetDate).to.equal(null);
        calls.push(`done ${invoice?.status ?? 'nothing'} ${invoice?.items.length ?? ''}`);
        return null;
      },
    });
    const { id: childId } = await engine.acme.createAccount({ currency: 'USD', parentAccountId: accountId });
    const pluginProperties = [{ key: 'a', value: 'b' }];
    const me = engine.billing.as({ tenant: engine.tenant, user: 'me', reason: 'audit', pluginProperties });
    const takeCalls = () => calls.splice(0);
    const items = [{ amount: '10' }];
    const [charged] = await me.invoices.addCharges({ accountId, items });
    expect(takeCalls()).to.eql(['before nothing a=b', 'items EXTERNAL_CHARGE', 'done DRAFT 1']);
    const invoiceId = charged?.invoiceId ?? '';
    await me.invoices.addTaxes({ accountId, items: [{ amount: '1', invoiceId }] });
    expect(takeCalls()).to.eql(['before DRAFT a=b', 'items EXTERNAL_CHARGE,TAX', 'done DRAFT 2']);
    await me.invoices.commit(invoiceId);
    expect(takeCalls()).to.eql(['before DRAFT a=b INVOICE_OPERATION=commit', 'done COMMITTED 2']);
    await me.invoices.adjustItem({ accountId, invoiceId, invoiceItemId: charged?.id ?? '', amount: '3' });
    expect(takeCalls()).to.eql([
      'before COMMITTED a=b',
      'items EXTERNAL_CHARGE,TAX,ITEM_ADJ',
      'done COMMITTED 3',
    ]);
    await me.invoices.void(invoiceId);
    expect(takeCalls()).to.eql(['before COMMITTED a=b INVOICE_OPERATION=void', 'done VOID 3']);
    const [credit] = await me.invoices.addCredits({ accountId: childId, items, autoCommit: true });
    expect(takeCalls()).to.eql(['before nothing a=b', 'items CREDIT_ADJ', 'done COMMITTED 2']);
    await me.accounts.rebalanceCredit(childId);
    expect(takeCalls()).to.eql(['before nothing a=b', 'done nothing ']);
    await me.accounts.transferCreditToParent(childId);
    const both = ['before nothing a=b', 'done COMMITTED 2'].flatMap((call) => [call, call]);
    expect(takeCalls()).to.eql(both);
    await me.invoices.createMigrationInvoice({ accountId, items: [{ itemType: 'TAX', amount: '3' }] });
    expect(takeCalls()).to.eql(['before nothing a=b', 'done COMMITTED 1']);
    expect(credit?.itemType).to.equal('CREDIT_ADJ');
    const given = (await invoicesOf()).find(({ items: [first] }) => first?.itemType === 'CREDIT_ADJ');
    const invoiceItemId = given?.items.find(({ itemType }) => itemType === 'CBA_ADJ')?.id ?? '';
    await me.invoices.deleteCredit({ accountId, invoiceId: given?.id ?? '', invoiceItemId });
    expect(takeCalls()).to.eql(['before COMMITTED a=b', 'done COMMITTED 2']);
    await sound();
  });

  for (const answer of [{ aborted: true }, { rescheduleDate: new Date('2024-05-01T00:00:00Z') }]) {
    const what = 'aborted' in answer ? 'aborts' : 'postpones';
    it(`leave everything unchanged if one plugin ${what} credit deletions, rebalancing, transfers and migration`, async () => {
      let isRequested = false;
      await begin({ name: 'gate', priorCall: async () => (isRequested ? answer : null) });
      const { acme } = engine;
      const { id: childId } = await acme.createAccount({ currency: 'USD', parentAccountId: accountId });
      const given = { accountId: childId, items: [{ amount: '5' }], autoCommit: true };
      const [credit] = await acme.invoices.addCredits(given);
      const invoiceId = credit?.invoiceId ?? '';
      const [, cba] = (await acme.getInvoice(invoiceId)).items;
      isRequested = true;
      const deletion = { accountId: childId, invoiceId, invoiceItemId: cba?.id ?? '' };
      const migration = { accountId, items: [{ itemType: 'TAX', amount: '3' }] } as const;
      expect([
        await codeOf(acme.invoices.deleteCredit(deletion)),
        await codeOf(acme.accounts.rebalanceCredit(childId)),
        await codeOf(acme.accounts.transferCreditToParent(childId)),
        await codeOf(acme.invoices.createMigrationInvoice(migration)),
      ]).to.eql(Array(4).fill(ErrorCode.INVOICE_PLUGIN_API_ABORTED));
      expect(await lines(childId)).to.eql(['COMMITTED CREDIT_ADJ -5, CBA_ADJ 5 owes 0']);
      expect(await lines()).to.eql([]);
    });
  }

  it('can rewrite items and add items to several drafts, not only to the draft for which they are called', async () => {
    let isTaxing = false;
    await begin({
      name: 'tax',
      getAdditionalInvoiceItems: async ({ id, items, invoiceNumber }) => {
        if (!isTaxing) return null;
        const [first] = items;
        const known = items.find(({ itemType }) => itemType === 'TAX');
        const other = (await invoicesOf()).find((each) => each.id !== id);
        if (invoiceNumber === 1) {
          return {
            items: [
              { id: known?.id ?? null, amount: '4', description: 'new rate' },
              { itemType: 'ITEM_ADJ', amount: '-1', linkedItemId: first?.id ?? null },
              { itemType: 'TAX', amount: '0.5', invoiceId: other?.id ?? null },
              { itemType: 'ITEM_ADJ', amount: '-2', linkedItemId: other?.items[0]?.id ?? null },
            ],
          };
        }
        return { items: [{ itemType: 'TAX', amount: '7' }] };
      },
    });
    const one = await charge('10', false);
    await engine.acme.invoices.addTaxes({ accountId, items: [{ amount: '1', invoiceId: one.invoiceId }] });
    const two = await charge('20', false);
    isTaxing = true;
    const items = [one, two].map(({ invoiceId }, index) => ({ amount: `${index + 1}`, invoiceId }));
    const added = await engine.acme.invoices.addCharges({ accountId, items });
    expect(added.map(({ amount }) => formatDecimal(amount))).to.eql(['1', '2']);
    isTaxing = false;
    expect(await lines()).to.eql([
      'DRAFT EXTERNAL_CHARGE 10, TAX 4, EXTERNAL_CHARGE 1, ITEM_ADJ -1 owes 0',
      'DRAFT EXTERNAL_CHARGE 20, EXTERNAL_CHARGE 2, TAX 7, TAX 0.5, ITEM_ADJ -2 owes 0',
    ]);
    expect((await invoicesOf()).map(({ amount }) => formatDecimal(amount))).to.eql(['14', '27.5']);
    const adjust = ({ invoiceId, id: invoiceItemId }: { invoiceId: Uuid; id: Uuid }, amount: string) =>
      engine.acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId, amount });
    await expectCode(adjust(one, '9.01'), 4020);
    await expectCode(adjust(two, '18.01'), 4020);
    await adjust(one, '9');
    await adjust(two, '18');
    await engine.acme.invoices.commit(one.invoiceId);
    await engine.acme.invoices.commit(two.invoiceId);
    expect((await invoicesOf()).map(({ balance }) => formatDecimal(balance))).to.eql(['5', '9.5']);
    await sound();
  });

  it('change only the adjustments of a committed invoice, so that the difference becomes credit', async () => {
    let more: InvoicePlugin['getAdditionalInvoiceItems'];
    await begin({ name: 'tax', getAdditionalInvoiceItems: async (...given) => more?.(...given) });
    const { id: invoiceItemId, invoiceId } = await charge();
    more = async ({ items }) => ({
      items: [
        ...items.map(({ id, itemType }) => ({ id, amount: itemType === 'ITEM_ADJ' ? '-6' : '1' })),
        { itemType: 'CREDIT_ADJ', amount: '-7' },
      ],
    });
    await engine.acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId, amount: '2' });
    expect(await lines()).to.eql([
      'COMMITTED EXTERNAL_CHARGE 10, ITEM_ADJ -6, CREDIT_ADJ -7, CBA_ADJ 3 owes 0',
    ]);
    const [charged, adjusted, credited] = (await invoicesOf())[0]?.items ?? [];
    const explained = await Promise.all(
      [charged, adjusted, credited].map((item) => engine.acme.invoices.explain(item?.id ?? '')),
    );
    expect(explained.map(({ text, pluginName }) => [pluginName, text])).to.eql([
      [null, 'External charge of 10.00 USD, the requested amount.'],
      [
        'tax',
        'Adjustment of -2.00 USD of the 10.00 USD charged for External charge, the requested amount or all that was left. The amount was changed to -6.00 USD by the invoice plugin "tax": Invoice item adjustment.',
      ],
      ['tax', '-7.00 USD, added by the invoice plugin "tax": Invoice adjustment.'],
    ]);
    const adjusting = { accountId, invoiceId, invoiceItemId, amount: '4' };
    more = async () => ({ items: [{ itemType: 'ITEM_ADJ', amount: '-0.01', linkedItemId: invoiceItemId }] });
    await expectCode(engine.acme.invoices.adjustItem(adjusting), 4020);
    more = async () => null;
    await engine.acme.invoices.adjustItem(adjusting);
    await sound();
  });

  it('are called again, at most five times, if a draft changes before the operation', async () => {
    let attempts = 0;
    let changes = 0;
    const outcomes: string[] = [];
    let isNested = false;
    await begin({
      name: 'slow',
      priorCall: async ({ invoice }) => {
        if (isNested) return null;
        attempts += 1;
        if (attempts > changes || invoice === null) return null;
        isNested = true;
        const items = [{ amount: '1', invoiceId: invoice.id }];
        await engine.acme.invoices.addCharges({ accountId, items });
        isNested = false;
        return null;
      },
      onSuccessCall: async ({ invoice }) => {
        if (!isNested) outcomes.push(`done ${invoice?.items.length}`);
        return null;
      },
      onFailureCall: async () => {
        outcomes.push('failed');
        return null;
      },
    });
    const { invoiceId } = await charge('10', false);
    outcomes.length = 0;
    attempts = 0;
    changes = 2;
    await engine.acme.invoices.commit(invoiceId);
    expect([attempts, outcomes, await lines()]).to.eql([
      3,
      ['done 3'],
      ['COMMITTED EXTERNAL_CHARGE 10, EXTERNAL_CHARGE 1, EXTERNAL_CHARGE 1 owes 12'],
    ]);
    const second = await charge('10', false);
    outcomes.length = 0;
    attempts = 0;
    changes = 100;
    await expectCode(engine.acme.invoices.commit(second.invoiceId), 'BUSY');
    expect([attempts, outcomes, (await lines())[1]?.slice(0, 5)]).to.eql([5, [], 'DRAFT']);
  });

  it('see the changes in a host transaction, and add items that are committed or rolled back with that transaction', async () => {
    await begin();
    const seen: number[] = [];
    const plugin: InvoicePlugin = {
      name: 'tax',
      getAdditionalInvoiceItems: async (...[, , , { existingInvoices }]) => {
        seen.push((await Array.fromAsync(existingInvoices())).length);
        return { items: [{ itemType: 'TAX', amount: '1' }] };
      },
      priorCall: async (_context, given) => ({ aborted: given.length > 0 }),
    };
    const { inside } = await hostedEngine(engine, { invoicePlugins: [plugin] });
    const items = [{ amount: '10' }];
    const request = { accountId, items, autoCommit: true };
    await inside(async ({ invoices }) => {
      await invoices.addCharges(request);
      await invoices.addCharges(request);
    });
    expect(seen).to.eql([0, 1]);
    const both = Array(2).fill('COMMITTED EXTERNAL_CHARGE 10, TAX 1 owes 11');
    expect(await lines()).to.eql(both);
    const undone = inside(async ({ invoices }) => {
      await invoices.addCharges(request);
      throw new Error('undone');
    });
    expect(String(await undone.catch((error: unknown) => error))).to.contain('undone');
    const [first] = await invoicesOf();
    const voided = inside(async ({ invoices }) => codeOf(invoices.void(first?.id ?? '')), {
      pluginProperties: [{ key: 'no', value: 'yes' }],
    });
    expect(await voided).to.equal(4029);
    expect(await lines()).to.eql(both);
  });

  it('can rewrite an adjustment on a draft within the remaining amount of the adjusted item', async () => {
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
    const { invoiceId } = await charge('10', false);
    const more = () => engine.acme.invoices.addCharges({ accountId, items: [{ amount: '1', invoiceId }] });
    amount = '-10.01';
    await expectCode(more(), 'INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID');
    amount = '-3';
    await more();
    const [draft] = await invoicesOf();
    expect(draft?.items.map(({ repairable }) => formatDecimal(repairable))).to.eql(['7', '0', '1']);
    expect(await lines()).to.eql(['DRAFT EXTERNAL_CHARGE 10, ITEM_ADJ -3, EXTERNAL_CHARGE 1 owes 0']);
    await sound();
  });

  it('can assign an unused number to a charge, but no number in use', async () => {
    let number = '500';
    await begin({
      name: 'numbers',
      priorCall: async () => ({ properties: [{ key: 'INVOICE_SEQUENCE_NUMBER', value: number }] }),
    });
    await charge();
    await expectCode(charge(), 'INVOICE_INVALID_NUMBER');
    number = '7';
    await charge();
    expect((await invoicesOf()).map(({ invoiceNumber }) => invoiceNumber)).to.eql([7, 500]);
  });

  it('cause the operation to fail with an error that names the plugin if a getter of their result throws (rule 0)', async () => {
    const throwing = () => {
      throw new Error('gotcha');
    };
    const answers: readonly (() => object)[] = [
      () => Object.defineProperty({}, 'items', { get: throwing }),
      () => ({ items: [Object.defineProperty({ itemType: 'TAX' }, 'amount', { get: throwing })] }),
      () => ({ items: [new Proxy({}, { get: throwing })] }),
    ];
    let answer: () => object = () => ({});
    await begin({ name: 'odd', getAdditionalInvoiceItems: async () => answer() });
    for (answer of answers) {
      const error = await rejection(charge());
      expect(error.code).to.equal(ErrorCode.UNEXPECTED);
      expect(error.message).to.contain('"odd" returned an unreadable answer (getAdditionalInvoiceItems)');
      expect((error.cause as Error).message).to.equal('gotcha');
    }
    expect(await invoicesOf()).to.have.length(0);
  });

  it('are not called if the tenant does not use them', async () => {
    let attempts = 0;
    await begin({
      name: 'other',
      priorCall: async () => {
        attempts += 1;
        return { aborted: true };
      },
    });
    const settings = JSON.stringify({ 'org.service.invoice.plugin': 'none' });
    await engine.acme.keyValues.add('PER_TENANT_CONFIG', settings);
    await charge();
    const found = await engine.acme.invoices.dryRun({ accountId });
    expect([attempts, found, await lines()]).to.eql([0, null, ['COMMITTED EXTERNAL_CHARGE 10 owes 10']]);
  });

  describe('plugins in dry runs (invoicing §11 rule 5)', () => {
    const subscribe = () => engine.subscribe({ accountId, planName: 'solo-now' });

    it('are called in each dry-run step, and leave the items of an aborted or postponed step to the next step', async () => {
      const calls: string[] = [];
      let stopped: string | null = null;
      let isAborting = true;
      await begin({
        name: 'watcher',
        priorCall: async (...[{ targetDate, dryRun, invoice }, given]) => {
          if (!dryRun) return null;
          const of = (name: string) => given.find(({ key }) => key === name)?.value;
          calls.push(`${targetDate ?? ''} ${of('DRY_RUN_CUR_DATE')} ${of('DRY_RUN_TARGET_DATE')} ${invoice}`);
          if (of('DRY_RUN_CUR_DATE') !== stopped) return null;
          return isAborting ? { aborted: true } : { rescheduleDate: new Date('2024-06-01T00:00:00Z') };
        },
        getAdditionalInvoiceItems: async (...[{ items, invoiceNumber }, dryRun]) => {
          if (dryRun) calls.push(`sees ${items.length} of ${invoiceNumber}`);
          return { items: dryRun ? [{ itemType: 'TAX', amount: '1' }] : [] };
        },
        onSuccessCall: async ({ dryRun }) => {
          calls.push(`success ${dryRun}`);
          return null;
        },
      });
      await subscribe();
      calls.length = 0;
      const dryRun = async (dates: object) => {
        const found = await engine.acme.invoices.dryRun({ accountId, ...dates });
        return found === null ? [] : itemLines(found);
      };
      const targetDate = '2024-03-01';
      const march = ['RECURRING 2024-03-01..2024-04-01 19.95', 'TAX 2024-03-01 1'];
      expect(await dryRun({ targetDate })).to.eql(march);
      expect(calls.splice(0)).to.eql([
        '2024-02-01 2024-02-01 2024-03-01 null',
        'sees 1 of 0',
        '2024-03-01 2024-03-01 2024-03-01 null',
        'sees 1 of 0',
      ]);
      stopped = '2024-02-01';
      for (const each of [true, false]) {
        isAborting = each;
        expect(await dryRun({ targetDate })).to.eql(['RECURRING 2024-02-01..2024-03-01 19.95', ...march]);
      }
      calls.length = 0;
      stopped = null;
      expect(await dryRun({ dryRunType: 'UPCOMING_INVOICE' })).to.eql([
        'RECURRING 2024-02-01..2024-03-01 19.95',
        'TAX 2024-02-01 1',
      ]);
      expect(calls).to.eql(['2024-02-01 2024-02-01 null null', 'sees 1 of 0']);
      expect(await lines()).to.eql(['COMMITTED RECURRING 19.95 owes 19.95']);
    });

    it('can add credit that pays unpaid invoices of earlier steps, as in actual runs', async () => {
      await begin({
        name: 'credits',
        getAdditionalInvoiceItems: async (...[, , , { targetDate }]) => ({
          items: targetDate === '2024-03-01' ? [{ itemType: 'CREDIT_ADJ', amount: '-50' }] : [],
        }),
      });
      await subscribe();
      const foreseen = async (targetDate: string) => {
        const found = await engine.acme.invoices.dryRun({ accountId, targetDate });
        return found === null ? [] : itemLines(found);
      };
      expect(await foreseen('2024-04-01')).to.eql(['RECURRING 2024-04-01..2024-05-01 19.95']);
      await engine.runTo('2024-04-01T00:00:00Z');
      expect((await lines()).at(-1)).to.equal('COMMITTED RECURRING 19.95 owes 19.95');
    });

    it('change items, add items to earlier invoices and rewrite drafts in a dry run exactly as in the next run', async () => {
      await begin({
        name: 'history',
        getAdditionalInvoiceItems: async ({ items }, ...[, , { existingInvoices, targetDate }]) => {
          if (targetDate === null) return null;
          const [earlier] = await Array.fromAsync(existingInvoices());
          const old = earlier?.items[0];
          const discounts = items
            .filter(({ itemType }) => itemType === 'RECURRING')
            .map(({ id }) => ({ id, amount: '15' }));
          const known = items.find(({ itemType }) => itemType === 'TAX');
          return {
            items: [
              ...discounts,
              { ...(known ? { id: known.id } : { itemType: 'TAX' as const }), amount: `${items.length}` },
              ...(old?.itemType === 'RECURRING' && earlier?.status === 'COMMITTED'
                ? [{ itemType: 'ITEM_ADJ' as const, amount: '-3.5', linkedItemId: old.id }]
                : []),
            ],
          };
        },
      });
      accountId = (await engine.payingAccount({ currency: 'USD' })).id;
      await subscribe();
      for (const tags of [[], [SystemTag.AUTO_INVOICING_DRAFT, SystemTag.AUTO_INVOICING_REUSE_DRAFT]]) {
        if (tags.length > 0) await engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, tags);
        for (let times = 0; times < 2; times += 1) {
          const found = await engine.acme.invoices.dryRun({ accountId, dryRunType: 'UPCOMING_INVOICE' });
          const date = found?.targetDate ?? null;
          if (found === null || date === null) throw new Error('there is another invoice');
          await engine.runTo(`${date}T00:00:00Z`);
          const made = (await invoicesOf()).at(-1);
          const sorted = (view: InvoiceView | undefined) => [
            ...(view ? itemLines(view).toSorted() : []),
            view && formatDecimal(view.amount),
          ];
          expect(sorted(found)).to.eql(sorted(made));
        }
      }
      expect((await lines()).length).to.equal(4);
      await sound();
    });

    it('can reduce an invoice that the parent has paid, so that the difference becomes credit of the child', async () => {
      let taken: string | null = null;
      await begin({
        name: 'history',
        getAdditionalInvoiceItems: async (...[, , , { accountId: of, existingInvoices, targetDate }]) => {
          if (targetDate === null || taken === null || of !== accountId) return null;
          const [earlier] = await Array.fromAsync(existingInvoices());
          const linkedItemId = earlier?.items[0]?.id ?? null;
          return { items: [{ itemType: 'ITEM_ADJ', amount: taken, linkedItemId }] };
        },
      });
      const { id: parentAccountId } = await engine.payingAccount({ currency: 'USD' });
      const child = { currency: 'USD', parentAccountId, isPaymentDelegatedToParent: true };
      accountId = (await engine.acme.createAccount(child)).id;
      await subscribe();
      // The summary is committed at the end of its day, and paid.
      await engine.runTo('2024-01-02T00:00:00Z');
      taken = '-4';
      const found = await engine.acme.invoices.dryRun({ accountId, dryRunType: 'UPCOMING_INVOICE' });
      await engine.runTo('2024-02-01T00:00:00Z');
      const made = (await invoicesOf()).at(-1);
      expect(found && itemLines(found)).to.eql([
        'RECURRING 2024-02-01..2024-03-01 19.95',
        'CBA_ADJ 2024-02-01..2024-02-01 -4',
      ]);
      expect(made && itemLines(made)).to.eql(found && itemLines(found));
      await sound();
    });

    it('cannot reduce a charge by more than the amount left after its repair, exactly as in the actual run', async () => {
      const april = '2024-04-01';
      let taken = '0';
      let annual: { readonly id: Uuid } | undefined;
      await begin({
        name: 'generous',
        getAdditionalInvoiceItems: async (...[, , , { targetDate }]) =>
          targetDate === april && annual !== undefined
            ? { items: [{ itemType: 'ITEM_ADJ', amount: taken, linkedItemId: annual.id }] }
            : null,
      });
      await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
      const { subscriptionId } = await engine.acme.createSubscription({ accountId, planName: 'pro-annual' });
      await engine.runTo('2024-03-02T00:00:00Z');
      annual = (await invoicesOf())
        .flatMap(({ items }) => items)
        .find(({ amount }) => amount.greaterThan('2000'));
      const options = { requestedDate: { date: april }, useRequestedDateForBilling: true };
      await engine.acme.subscriptions.cancel(subscriptionId, options);
      await engine.settle();
      const dryRun = () => engine.acme.invoices.dryRun({ accountId, targetDate: april });
      const run = () => engine.acme.generateInvoice({ accountId, targetDate: april });
      taken = '-400.00';
      expect([await codeOf(dryRun()), await codeOf(run())]).to.eql([4020, 4020]);
      taken = '-399.99';
      engine.clock.set('2024-04-01T00:00:00Z');
      const found = await dryRun();
      const made = await run();
      expect(found && itemLines(found)).to.eql(itemLines(made));
      expect(itemLines(made)[1]).to.equal('REPAIR_ADJ 2024-04-01..2025-01-31 -1999.96');
      await sound();
    });
  });
});
