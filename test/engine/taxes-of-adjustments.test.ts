import {
  type AdditionalItem,
  formatDecimal,
  type InvoicePlugin,
  type TenantBilling,
  type Uuid,
} from '../../lib/index.ts';
import {
  eachDatabaseByTurns,
  expect,
  expectCode,
  messageOf,
  openEngine,
  type TestEngine,
} from '../support/index.ts';

const standard = { taxRate: '19', taxCategory: 'S' } as const;

interface Taxed {
  readonly accountId: Uuid;
  readonly invoiceId: Uuid;
  readonly chargeId: Uuid;
  readonly taxId: Uuid;
}

eachDatabaseByTurns.describe('taxes of adjusted charges (invoicing §9 rule 4)', (open) => {
  let engine: TestEngine;
  let acme: TenantBilling;

  async function begin(...invoicePlugins: readonly InvoicePlugin[]) {
    engine = await openEngine(open, {
      now: '2026-03-01T08:00:00Z',
      invoicePlugins,
      configuration: { 'org.service.invoice.creditNotes': 'true' },
    });
    acme = engine.acme;
  }
  afterEach(async () => {
    expect(await engine.breaches()).to.eql([]);
    await engine.close();
  });

  /** Creates a draft with one charge and its taxes. */
  async function draft(amount: string, ...taxes: readonly Partial<AdditionalItem>[]): Promise<Taxed> {
    const { id: accountId } = await engine.payingAccount({ currency: 'EUR', country: 'DE' });
    const [charge] = await acme.invoices.addCharges({ accountId, items: [{ amount, description: 'Work' }] });
    const { invoiceId, id: chargeId } = charge ?? { invoiceId: accountId, id: accountId };
    const items = taxes.map((tax) => ({
      invoiceId,
      linkedItemId: chargeId,
      amount: '19',
      ...standard,
      ...tax,
    }));
    const [tax] = items.length === 0 ? [] : await acme.invoices.addTaxes({ accountId, items });
    return { accountId, invoiceId, chargeId, taxId: tax?.id ?? chargeId };
  }

  async function committed(amount: string, ...taxes: readonly Partial<AdditionalItem>[]): Promise<Taxed> {
    const taxed = await draft(amount, ...taxes);
    await acme.invoices.commit(taxed.invoiceId);
    await engine.settle();
    return taxed;
  }

  const adjust = ({ accountId, invoiceId, chargeId }: Taxed, amount?: string) =>
    acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId: chargeId, amount });

  async function refund(
    { accountId, chargeId, taxId }: Taxed,
    amounts: readonly string[],
    amount: string | null = null,
  ) {
    const [payment] = await acme.payments.ofAccount(accountId);
    const adjustments = [chargeId, taxId].flatMap((invoiceItemId, index) => {
      const adjusted = amounts[index];
      return adjusted === undefined ? [] : [{ invoiceItemId, amount: adjusted }];
    });
    const paymentId = payment?.id ?? '';
    return acme.invoicePayments.refund({ paymentId, isAdjusted: true, adjustments, amount });
  }

  /** Returns amounts and remaining amounts of the charge and its taxes, such as `100 (50)`. */
  async function leftOf({ invoiceId }: Taxed): Promise<readonly string[]> {
    const { items } = await acme.invoices.get(invoiceId);
    return items
      .filter(({ itemType }) => itemType === 'EXTERNAL_CHARGE' || itemType === 'TAX')
      .map(({ amount, repairable }) => `${formatDecimal(amount)} (${formatDecimal(repairable)})`);
  }

  async function notesOf({ invoiceId }: Taxed): Promise<readonly string[]> {
    const notes = await acme.creditNotes.ofInvoice(invoiceId);
    return notes.map(({ lines }) => lines.map(({ amount }) => formatDecimal(amount)).join(' + '));
  }

  it('are adjusted in proportion, on the same credit note', async () => {
    await begin();
    const taxed = await committed('100', {});
    await adjust(taxed, '50');
    expect(await leftOf(taxed)).to.eql(['100 (50)', '19 (9.5)']);
    expect(await notesOf(taxed)).to.eql(['50 + 9.5']);
    const [note] = await acme.creditNotes.ofInvoice(taxed.invoiceId);
    const html = await acme.creditNotes.html(note?.id ?? '');
    expect(html).to.include('VAT 19%').and.include('59.50').and.not.include('ounding');
    await adjust(taxed);
    expect(await leftOf(taxed)).to.eql(['100 (0)', '19 (0)']);
    expect(await notesOf(taxed)).to.eql(['50 + 9.5', '50 + 9.5']);
    expect((await acme.invoices.get(taxed.invoiceId)).amount.isZero()).to.equal(true);
  });

  it('are reduced to the tax of the remaining charge by each adjustment (invoicing E22 "Tax of an adjusted charge")', async () => {
    await begin();
    const taxed = await committed('100', {});
    await adjust(taxed, '33.33');
    expect(await leftOf(taxed)).to.eql(['100 (66.67)', '19 (12.67)']);
    await adjust(taxed);
    expect(await leftOf(taxed)).to.eql(['100 (0)', '19 (0)']);
    expect(await notesOf(taxed)).to.eql(['33.33 + 6.33', '66.67 + 12.67']);
  });

  it('add up to exactly the tax of the charge over many adjustments and refunds', async () => {
    await begin();
    const taxed = await committed('1', { amount: '0.19' });
    for (let times = 0; times < 5; times += 1) await adjust(taxed, '0.1');
    for (let times = 0; times < 5; times += 1) await refund(taxed, ['0.1']);
    expect(await leftOf(taxed)).to.eql(['1 (0)', '0.19 (0)']);
    expect(await notesOf(taxed)).to.have.lengthOf(10);
  });

  it('are adjusted only if they have a rate and are on the invoice of the charge', async () => {
    await begin();
    const city = { taxCategory: null, taxRate: '2.5', amount: '2.5' };
    const unrated = { taxCategory: null, taxRate: null, amount: '1' };
    const taxed = await draft('100', { ...city, taxRate: '6', amount: '6' }, city, unrated);
    const { accountId, chargeId: linkedItemId } = taxed;
    const elsewhere = [{ linkedItemId, amount: '19', ...standard }];
    const [other] = await acme.invoices.addTaxes({ accountId, items: elsewhere, autoCommit: true });
    await acme.invoices.commit(taxed.invoiceId);
    await adjust(taxed, '10');
    expect(await leftOf(taxed)).to.eql(['100 (90)', '6 (5.4)', '2.5 (2.25)', '1 (1)']);
    expect(await leftOf({ ...taxed, invoiceId: other?.invoiceId ?? accountId })).to.eql(['19 (19)']);
  });

  it('follow the rate even if the tax was added after the draft was reduced', async () => {
    await begin();
    const taxed = await draft('100');
    await adjust(taxed, '10');
    const { accountId, invoiceId, chargeId: linkedItemId } = taxed;
    const items = [{ invoiceId, linkedItemId, amount: '17.1', ...standard }];
    await acme.invoices.addTaxes({ accountId, items });
    await adjust(taxed, '45');
    expect(await leftOf(taxed)).to.eql(['100 (45)', '17.1 (8.55)']);
  });

  it('are not adjusted again if a user has already adjusted them', async () => {
    await begin();
    const taxed = await committed('100', {});
    await adjust({ ...taxed, chargeId: taxed.taxId }, '9.5');
    await adjust(taxed, '50');
    expect(await leftOf(taxed)).to.eql(['100 (50)', '19 (9.5)']);
    expect(await notesOf(taxed)).to.eql(['9.5', '50']);
    const [, note] = await acme.creditNotes.ofInvoice(taxed.invoiceId);
    const html = await acme.creditNotes.html(note?.id ?? '');
    expect(html).to.include('Difference from the tax rate').and.not.include('Rounding of taxes');
  });

  for (const [what, isDraft] of [
    ['adjusts', false],
    ['rewrites', true],
  ] as const)
    it(`are left to a plugin that ${what} the tax in the same call`, async () => {
      let answer: readonly AdditionalItem[] = [];
      await begin({ name: 'tax', getAdditionalInvoiceItems: async () => ({ items: answer }) });
      const taxed = isDraft ? await draft('100', {}) : await committed('100', {});
      answer = isDraft
        ? [{ id: taxed.taxId, amount: '18' }]
        : [{ itemType: 'ITEM_ADJ', linkedItemId: taxed.taxId, amount: '-1' }];
      await adjust(taxed, '50');
      expect(await leftOf(taxed)).to.eql(['100 (50)', isDraft ? '18 (18)' : '19 (18)']);
      answer = [];
      await adjust(taxed, '25');
      expect(await leftOf(taxed)).to.eql(['100 (25)', isDraft ? '18 (4.75)' : '19 (4.75)']);
    });

  it('are refunded with the charge, unless the refund specifies them', async () => {
    await begin();
    const taxed = await committed('100', {});
    const { transaction } = await refund(taxed, ['50']);
    expect(`${transaction.amount}`).to.equal('59.5');
    expect(await leftOf(taxed)).to.eql(['100 (50)', '19 (9.5)']);
    await refund(taxed, ['10', '1']);
    expect(await leftOf(taxed)).to.eql(['100 (40)', '19 (8.5)']);
    expect(await notesOf(taxed)).to.eql(['50 + 9.5', '10 + 1']);
    expect(await engine.balancesOf(taxed.accountId)).to.eql(['0', '0']);
  });

  it('are mentioned in the error if a refund is less than the adjusted charge and its taxes', async () => {
    await begin();
    const taxed = await committed('100', {});
    expect(await messageOf(refund(taxed, ['50'], '50'))).to.equal(
      'A refund that reduces the invoice by 50 cannot adjust its items by 59.5, which includes the taxes of 9.5',
    );
    await expectCode(refund(taxed, ['50'], '59.49'), 4907);
    expect(await leftOf(taxed)).to.eql(['100 (100)', '19 (19)']);
  });
});
