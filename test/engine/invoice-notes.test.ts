import {
  type AdditionalItemsAnswer,
  type InvoicePlugin,
  SystemTag,
  type TenantBilling,
} from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, expectCode, openEngine, type TestEngine } from '../support/index.ts';

eachDatabaseByTurns.describe('invoice notes (invoicing §14 rule 10)', (open) => {
  let engine: TestEngine;
  let acme: TenantBilling;
  let accountId: string;
  /** The responses of the plugins `a` and `b`. */
  let answers: Readonly<Record<string, AdditionalItemsAnswer | null>>;

  const plugin = (name: string): InvoicePlugin => ({
    name,
    getAdditionalInvoiceItems: async () => answers[name],
    getInvoiceGrouping: async ({ items }) => ({ groups: items.map(({ id }) => ({ itemIds: [id] })) }),
  });

  beforeEach(async () => {
    answers = {};
    engine = await openEngine(open, {
      now: '2024-01-01T00:00:00Z',
      invoicePlugins: [plugin('a'), plugin('b')],
    });
    acme = engine.acme;
    accountId = (await acme.createAccount({ currency: 'USD' })).id;
  });
  afterEach(async () => {
    expect(await engine.breaches()).to.eql([]);
  });

  async function draft(): Promise<string> {
    const [item] = await acme.invoices.addCharges({ accountId, items: [{ amount: '20' }] });
    return item?.invoiceId ?? '';
  }
  const noteOf = async (invoiceId: string) => (await acme.invoices.get(invoiceId)).note;

  describe('from users', () => {
    it('can be set and removed while the invoice is a DRAFT, and appear in the invoice history', async () => {
      const invoiceId = await draft();
      const note = 'Purchase order 4711\n<b>مرحبا</b> \u202e🧾';
      await acme.invoices.setNote({ invoiceId, note });
      expect(await noteOf(invoiceId)).to.equal(note);
      const rows = await acme.audit.history({ type: 'INVOICE', id: invoiceId });
      expect(rows.map(({ snapshot }) => snapshot?.note)).to.eql([null, note]);
      await acme.invoices.setNote({ invoiceId, note: '' });
      expect(await noteOf(invoiceId)).to.equal(null);
      await acme.invoices.setNote({ invoiceId, note: 'x'.repeat(2_000) });
      expect(await noteOf(invoiceId)).to.have.lengthOf(2_000);
      await acme.invoices.setNote({ invoiceId });
      expect(await noteOf(invoiceId)).to.equal(null);
    });

    it('are escaped on documents', async () => {
      const invoiceId = await draft();
      await acme.invoices.setNote({
        invoiceId,
        note: '<script>alert(1)</script>{{account.name}}\u202e\u0007🧾',
      });
      const html = await acme.invoices.html(invoiceId);
      expect(html).to.include('alert(1)').and.not.include('<script>');
      expect((await acme.invoices.pdf(invoiceId)).length).to.be.greaterThan(0);
    });

    it('are rejected for a committed or missing invoice, or if they are too long or cannot be stored', async () => {
      const invoiceId = await draft();
      for (const note of ['x'.repeat(2_001), 'x'.repeat(100_000), 'a\u0000'])
        await expectCode(acme.invoices.setNote({ invoiceId, note }), 60003);
      await acme.invoices.setNote({ invoiceId, note: 'kept' });
      await acme.invoices.commit(invoiceId);
      await expectCode(acme.invoices.setNote({ invoiceId, note: 'late' }), 'INVOICE_INVALID_STATUS');
      expect(await noteOf(invoiceId)).to.equal('kept');
      await expectCode(acme.invoices.setNote({ invoiceId: accountId, note: 'x' }), 'INVOICE_NOT_FOUND');
    });
  });

  describe('from plugins', () => {
    it('appear on every invoice of a run as set by the last plugin that returns a note', async () => {
      answers = { a: { note: 'first' }, b: { note: 'second' } };
      await acme.createSubscription({ accountId, planName: 'solo-now' });
      await acme.createSubscription({ accountId, planName: 'solo-now' });
      await engine.settle();
      const notes = async () => (await acme.invoices.ofAccount({ accountId })).map(({ note }) => note);
      expect(new Set(await notes())).to.eql(new Set(['second']));
      answers = { a: { note: 'third' }, b: { items: [] } };
      await engine.runTo('2024-02-01T00:00:00Z');
      expect((await notes()).at(-1)).to.equal('third');
    });

    it('appear in dry runs', async () => {
      answers = { a: { note: 'foreseen' } };
      const request = {
        accountId,
        dryRunType: 'SUBSCRIPTION_ACTION',
        dryRunAction: 'START_BILLING',
      } as const;
      expect((await acme.invoices.dryRun({ ...request, planName: 'solo-now' }))?.note).to.equal('foreseen');
    });

    it('replace user notes on a draft only if a plugin returns them', async () => {
      const invoiceId = await draft();
      await acme.invoices.setNote({ invoiceId, note: 'by hand' });
      await acme.invoices.addCharges({ accountId, items: [{ amount: '1', invoiceId }] });
      expect(await noteOf(invoiceId)).to.equal('by hand');
      answers = { b: { note: 'by plugin' } };
      await acme.invoices.addCharges({ accountId, items: [{ amount: '1', invoiceId }] });
      expect(await noteOf(invoiceId)).to.equal('by plugin');
      answers = { b: { note: '' } };
      await acme.invoices.addCharges({ accountId, items: [{ amount: '1', invoiceId }] });
      expect(await noteOf(invoiceId)).to.equal(null);
    });

    it('appear on a draft that a run extends', async () => {
      await acme.tags.add({ type: 'ACCOUNT', id: accountId }, [
        SystemTag.AUTO_INVOICING_REUSE_DRAFT,
        SystemTag.AUTO_INVOICING_DRAFT,
      ]);
      const invoiceId = await draft();
      answers = { a: { note: 'of the run' } };
      await acme.createSubscription({ accountId, planName: 'solo-now' });
      await engine.settle();
      expect(await noteOf(invoiceId)).to.equal('of the run');
    });

    it('are ignored if a plugin returns them for a committed invoice', async () => {
      const invoiceId = await draft();
      await acme.invoices.commit(invoiceId);
      answers = { a: { note: 'late' } };
      const [item] = (await acme.invoices.get(invoiceId)).items;
      await acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId: item?.id ?? '', amount: '1' });
      expect(await noteOf(invoiceId)).to.equal(null);
      expect(JSON.stringify(engine.logger.lines)).to.include(`note of ${invoiceId}`);
    });

    it('are not reported as ignored if the committed invoice already has the same note', async () => {
      answers = { a: { note: 'Reverse charge' } };
      const invoiceId = await draft();
      await acme.invoices.commit(invoiceId);
      const [item] = (await acme.invoices.get(invoiceId)).items;
      await acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId: item?.id ?? '', amount: '1' });
      expect(await noteOf(invoiceId)).to.equal('Reverse charge');
      expect(JSON.stringify(engine.logger.lines)).to.not.include('note of');
    });

    it('are rejected if they are too long or cannot be stored', async () => {
      for (const note of ['x'.repeat(2_001), 'a\u0000']) {
        answers = { a: { note } };
        await expectCode(draft(), 'UNEXPECTED');
      }
    });
  });
});
