import type { CreditNote, InvoicePlugin, Plain, TenantBilling, Uuid } from '../../lib/index.ts';
import { formatDecimal, SystemTag } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, hostedEngine, openEngine, type TestEngine } from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';

const configuration = { 'org.service.invoice.creditNotes': 'true' };

/** Formats a credit note as one line: `REPAIR 2024-01-16 10.3 (10.3)`. */
function lineOf({ reason, creditNoteDate, amount, lines }: Plain<CreditNote>): string {
  const parts = lines.map((line) => formatDecimal(line.amount)).join(' + ');
  return `${reason} ${creditNoteDate} ${formatDecimal(amount)} (${parts})`;
}

eachDatabaseByTurns.describe('credit notes for changes to invoices (invoicing §21 rule 2)', (open) => {
  let engine: TestEngine;
  let acme: TenantBilling;
  let trace: string[];

  async function begin(
    options: { readonly invoicePlugins?: readonly InvoicePlugin[]; readonly isOff?: boolean } = {},
  ): Promise<void> {
    trace = [];
    engine = await openEngine(open, {
      now: '2024-01-01T00:00:00Z',
      invoicePlugins: options.invoicePlugins ?? [],
      configuration: options.isOff === true ? {} : configuration,
      trace: (statement) => trace.push(statement),
    });
    acme = engine.acme;
  }
  afterEach(async () => {
    expect(await engine.breaches()).to.eql([]);
  });

  const newAccount = async (input = {}) => (await acme.createAccount({ currency: 'USD', ...input })).id;

  async function charge(accountId: Uuid, ...amounts: readonly string[]): Promise<InvoiceView> {
    const items = amounts.map((amount) => ({ amount }));
    const [item] = await acme.invoices.addCharges({ accountId, items, autoCommit: true });
    return acme.invoices.get(item?.invoiceId ?? '');
  }

  async function subscribe(accountId: Uuid): Promise<Uuid> {
    const { subscriptionId } = await acme.createSubscription({ accountId, planName: 'solo-now' });
    await engine.settle();
    return subscriptionId;
  }

  const cancel = (subscriptionId: Uuid) =>
    engine.settle(acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' }));

  const tag = (id: Uuid, definition: Uuid) => acme.tags.add({ type: 'ACCOUNT', id }, [definition]);
  const invoicesOf = (accountId: Uuid) => acme.invoices.ofAccount({ accountId, withItems: true });
  const notesOf = async (invoiceId: string | undefined) =>
    (await acme.creditNotes.ofInvoice(invoiceId ?? '')).map(lineOf);
  const numbersOf = async (accountId: Uuid) =>
    (await acme.creditNotes.pageOfAccount(accountId, { offset: 0, limit: 100 })).rows.map(
      ({ creditNoteNumber }) => creditNoteNumber,
    );

  it('are not issued when an invoice that contains only a credit is voided', async () => {
    await begin();
    const accountId = await newAccount();
    const items = [{ amount: '10' }, { amount: '5' }];
    const [item] = await acme.invoices.addCredits({ accountId, items, autoCommit: true });
    await acme.invoices.void(item?.invoiceId ?? '');
    expect(await notesOf(item?.invoiceId)).to.eql([]);
  });

  it('contain the charged amount of a voided invoice, less the credit on that invoice', async () => {
    await begin();
    const accountId = await newAccount();
    const [item] = await acme.invoices.addCharges({ accountId, items: [{ amount: '10' }] });
    const invoiceId = item?.invoiceId ?? '';
    await acme.invoices.addCredits({ accountId, items: [{ amount: '4', invoiceId }] });
    await acme.invoices.commit(invoiceId);
    await acme.invoices.void(invoiceId);
    expect(await notesOf(invoiceId)).to.eql(['VOID 2024-01-01 6 (10 + -4)']);
  });

  it('contain a repair on a draft only after a call or a later run commits the draft', async () => {
    await begin();
    for (const isReused of [false, true]) {
      const accountId = await newAccount();
      const subscriptionId = await subscribe(accountId);
      const [billed] = await invoicesOf(accountId);
      await tag(accountId, SystemTag.AUTO_INVOICING_DRAFT);
      engine.clock.set(isReused ? '2024-02-16T00:00:00Z' : '2024-01-16T00:00:00Z');
      await cancel(subscriptionId);
      const draft = (await invoicesOf(accountId)).find(({ status }) => status === 'DRAFT');
      expect(await notesOf(billed?.id)).to.eql([]);
      if (isReused) {
        await acme.tags.remove({ type: 'ACCOUNT', id: accountId }, [SystemTag.AUTO_INVOICING_DRAFT]);
        await tag(accountId, SystemTag.AUTO_INVOICING_REUSE_DRAFT);
        await subscribe(accountId);
      } else await acme.invoices.commit(draft?.id ?? '');
      expect((await acme.invoices.get(draft?.id ?? '')).status).to.equal('COMMITTED');
      expect(await notesOf(billed?.id)).to.eql([
        isReused ? 'REPAIR 2024-02-16 9.63 (9.63)' : 'REPAIR 2024-01-16 10.3 (10.3)',
      ]);
      if (!isReused) engine.clock.set('2024-02-01T00:00:00Z');
    }
  });

  it('are separate for a repair and for each older invoice that a plugin reduces in a run', async () => {
    let adjusted: InvoiceView | null = null;
    const discount: InvoicePlugin = {
      name: 'discount',
      async getAdditionalInvoiceItems() {
        const linkedItemId = adjusted?.items[0]?.id;
        if (linkedItemId === undefined) return null;
        return { items: [{ itemType: 'ITEM_ADJ', linkedItemId, amount: '-2' }] };
      },
      getInvoiceGrouping: async ({ items }) => ({
        groups: items.filter(({ itemType }) => itemType !== 'ITEM_ADJ').map(({ id }) => ({ itemIds: [id] })),
      }),
    };
    await begin({ invoicePlugins: [discount] });
    const accountId = await newAccount();
    const subscriptionId = await subscribe(accountId);
    const [billed] = await invoicesOf(accountId);
    const older = await charge(accountId, '10');
    engine.clock.set('2024-01-16T00:00:00Z');
    adjusted = older;
    await cancel(subscriptionId);
    expect(await notesOf(billed?.id)).to.eql(['REPAIR 2024-01-16 10.3 (10.3)']);
    expect(await notesOf(older.id)).to.eql(['ADJUSTMENT 2024-01-16 2 (2)']);
    expect(await numbersOf(accountId)).to.eql([1, 2]);
  });

  it('are written once per invoice when an account is closed, with all items of the invoice', async () => {
    await begin();
    const accountId = await newAccount();
    const [one, two] = [await charge(accountId, '10', '20'), await charge(accountId, '5')];
    await acme.accounts.close(accountId, { itemAdjustUnpaidInvoices: true });
    expect(await notesOf(one?.id)).to.eql(['ADJUSTMENT 2024-01-01 30 (10 + 20)']);
    expect(await notesOf(two?.id)).to.eql(['ADJUSTMENT 2024-01-01 5 (5)']);
  });

  it('are written for an adjusted invoice of a child and for the committed summary of its parent', async () => {
    await begin();
    const parentAccountId = await newAccount();
    const child = await newAccount({ parentAccountId, isPaymentDelegatedToParent: true });
    const invoice = await engine.settle(charge(child, '10'));
    const [summary] = await invoicesOf(parentAccountId);
    await acme.invoices.adjustItem({
      accountId: child,
      invoiceId: invoice.id,
      invoiceItemId: invoice.items[0]?.id ?? '',
      amount: '1',
    });
    await engine.settle();
    expect(await notesOf(summary?.id), 'of a draft').to.eql([]);
    await engine.runTo('2024-01-02T00:00:00Z');
    await acme.invoices.adjustItem({
      accountId: child,
      invoiceId: invoice.id,
      invoiceItemId: invoice.items[0]?.id ?? '',
      amount: '2',
    });
    await engine.settle();
    expect(await notesOf(invoice.id)).to.eql(['ADJUSTMENT 2024-01-01 1 (1)', 'ADJUSTMENT 2024-01-02 2 (2)']);
    expect(await notesOf(summary?.id)).to.eql(['ADJUSTMENT 2024-01-02 2 (2)']);
    expect([await numbersOf(child), await numbersOf(parentAccountId)]).to.eql([[1, 2], [3]]);
  });

  it('are rolled back with a host transaction, including their numbers', async () => {
    await begin();
    const accountId = await newAccount();
    const invoice = await charge(accountId, '10');
    const { inside } = await hostedEngine(engine, { configuration });
    const adjust = (isUndone: boolean) =>
      inside(async ({ invoices, creditNotes }) => {
        const invoiceItemId = invoice.items[0]?.id ?? '';
        await invoices.adjustItem({ accountId, invoiceId: invoice.id, invoiceItemId, amount: '1' });
        expect(await creditNotes.ofInvoice(invoice.id)).to.have.length(1);
        if (isUndone) throw new Error('undone');
      });
    await adjust(true).catch((error: Error) => expect(error.message).to.equal('undone'));
    expect(await notesOf(invoice.id)).to.eql([]);
    await adjust(false);
    expect(await numbersOf(accountId)).to.eql([1]);
  });

  it('have exact amounts of any size', async () => {
    await begin();
    const invoice = await charge(await newAccount(), '123456789012345.67', '0.01');
    await acme.invoices.void(invoice.id);
    expect(await notesOf(invoice.id)).to.eql([
      'VOID 2024-01-01 123456789012345.68 (123456789012345.67 + 0.01)',
    ]);
  });

  it('are part of the export of an account', async () => {
    await begin();
    const accountId = await newAccount();
    await acme.invoices.void((await charge(accountId, '10')).id);
    const text = (await Array.fromAsync(await acme.accounts.export(accountId))).join('');
    expect(text).to.match(/^-- credit_notes record_id\|[^\n]*\n[^\n]*\|VOID\|[^\n]*$/m);
  });

  it('require no SQL statement if the tenant has disabled them', async () => {
    await begin({ isOff: true });
    const accountId = await newAccount();
    const subscriptionId = await subscribe(accountId);
    const invoice = await charge(accountId, '10');
    trace.length = 0;
    engine.clock.set('2024-01-16T00:00:00Z');
    await cancel(subscriptionId);
    await acme.invoices.void(invoice.id);
    expect(trace.filter((statement) => /credit_note/i.test(statement))).to.eql([]);
  });
});
