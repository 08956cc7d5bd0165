import {
  type AdditionalItem,
  decimal,
  formatDecimal,
  type InvoicePlugin,
  type ManualItem,
  type TenantBilling,
} from '../../lib/index.ts';
import type { HostInput } from '../../lib/values/host-values/index.ts';
import {
  eachDatabaseByTurns,
  expect,
  expectCode,
  messageOf,
  openEngine,
  type TestEngine,
} from '../support/index.ts';

const UNKNOWN_ID = '11111111-1111-4111-8111-111111111119';
const reverseCharge = { taxRate: '0', taxCategory: 'AE', taxExemption: 'Reverse charge' } as const;

interface FactsOfItem {
  readonly taxRate: unknown;
  readonly taxCategory: unknown;
  readonly taxExemption: unknown;
}

const factsOf = ({ taxRate, taxCategory, taxExemption }: FactsOfItem) =>
  `${taxCategory} ${taxRate} ${taxExemption}`;

eachDatabaseByTurns.describe('item tax facts (invoicing §14 rule 9)', (open) => {
  let engine: TestEngine;
  let acme: TenantBilling;
  /** Returns the plugin's items for an invoice with a charge. */
  let answer: (chargeId: string) => readonly AdditionalItem[];

  const plugin: InvoicePlugin = {
    name: 'tax',
    getAdditionalInvoiceItems: async ({ items }) => {
      const charge = items.find(({ itemType }) => itemType === 'RECURRING' || itemType === 'EXTERNAL_CHARGE');
      return charge === undefined ? null : { items: answer(charge.id) };
    },
  };
  const taxing = (...taxes: readonly Partial<AdditionalItem>[]) => {
    answer = (linkedItemId) => taxes.map((tax) => ({ itemType: 'TAX', amount: '0', linkedItemId, ...tax }));
  };

  beforeEach(async () => {
    answer = () => [];
    engine = await openEngine(open, {
      now: '2024-01-01T00:00:00Z',
      invoicePlugins: [plugin],
      configuration: { 'org.service.invoice.creditNotes': 'true' },
    });
    acme = engine.acme;
  });
  afterEach(async () => {
    expect(await engine.breaches()).to.eql([]);
  });

  const newAccount = async () => (await acme.createAccount({ currency: 'USD' })).id;

  async function subscribed() {
    const accountId = await newAccount();
    await acme.createSubscription({ accountId, planName: 'solo-now' });
    await engine.settle();
    const [invoice] = await acme.invoices.ofAccount({ accountId, withItems: true });
    return { accountId, invoice };
  }

  describe('from plugins', () => {
    it('are stored with the charge, even for a tax of 0', async () => {
      taxing({ ...reverseCharge });
      const { invoice } = await subscribed();
      const tax = invoice?.items.find(({ itemType }) => itemType === 'TAX');
      expect(tax && factsOf(tax)).to.equal('AE 0 Reverse charge');
      expect(tax?.linkedItemId).to.equal(invoice?.items.find(({ itemType }) => itemType === 'RECURRING')?.id);
      expect(await acme.invoices.html(invoice?.id ?? '')).to.include('Tax');
    });

    it('appear in dry runs', async () => {
      taxing({ amount: '3.80', taxRate: '19', taxCategory: 'S' });
      const accountId = await newAccount();
      const request = {
        accountId,
        dryRunType: 'SUBSCRIPTION_ACTION',
        dryRunAction: 'START_BILLING',
      } as const;
      const foreseen = await acme.invoices.dryRun({ ...request, planName: 'solo-now' });
      expect(foreseen?.items.filter(({ itemType }) => itemType === 'TAX').map(factsOf)).to.eql(['S 19 null']);
    });

    it('are rejected if a later plugin changes the charge without its tax', async () => {
      const discount: InvoicePlugin = {
        name: 'z-discount',
        getAdditionalInvoiceItems: async ({ items }) => ({
          items: items
            .filter(({ itemType }) => itemType === 'EXTERNAL_CHARGE')
            .map(({ id }) => ({ id, amount: '10' })),
        }),
      };
      await engine.close();
      engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', invoicePlugins: [plugin, discount] });
      acme = engine.acme;
      taxing({ amount: '3.8', taxRate: '19', taxCategory: 'S' });
      const adding = acme.invoices.addCharges({ accountId: await newAccount(), items: [{ amount: '20' }] });
      expect(await messageOf(adding)).to.match(
        /"z-discount".*amount 3\.8 .* on an amount of 10: expected 1\.9/,
      );
    });

    it('can be changed by a later plugin, even on a draft that gets more items', async () => {
      const changing: InvoicePlugin = {
        name: 'tax-later',
        getAdditionalInvoiceItems: async ({ items }) => ({
          items: items
            .filter(({ itemType }) => itemType === 'TAX')
            .map(({ id }) => ({ id, amount: '2', taxRate: '10', taxCategory: 'S', taxExemption: '' })),
        }),
      };
      await engine.close();
      engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', invoicePlugins: [plugin, changing] });
      acme = engine.acme;
      taxing({ ...reverseCharge });
      const accountId = await newAccount();
      const [charge] = await acme.invoices.addCharges({ accountId, items: [{ amount: '20' }] });
      const invoiceId = charge?.invoiceId ?? '';
      const taxes = async () =>
        (await acme.invoices.get(invoiceId)).items
          .filter(({ itemType }) => itemType === 'TAX')
          .map((tax) => `${formatDecimal(tax.amount)} ${factsOf(tax)}`);
      expect(await taxes()).to.eql(['2 S 10 null']);
      taxing();
      const items = [
        { invoiceId, amount: '3.8', taxRate: '19', taxCategory: 'S', linkedItemId: charge?.id },
      ] as const;
      await acme.invoices.addTaxes({ accountId, items });
      expect(await taxes()).to.eql(['2 S 10 null', '2 S 10 null']);
    });

    const wrong: Readonly<Record<string, readonly [Partial<AdditionalItem>, RegExp]>> = {
      'S without a rate': [{ taxCategory: 'S' }, /taxCategory S without a taxRate above 0/],
      'a rate of another category': [
        { taxCategory: 'K', taxRate: '19' },
        /taxRate 19 with the taxCategory K/,
      ],
      'an amount that is not by the rate': [
        { taxCategory: 'S', taxRate: '19', amount: '10' },
        /amount 10 with the taxRate 19 on an amount of 20: expected 3\.8/,
      ],
      'an amount of another category': [
        { taxCategory: 'AE', amount: '5' },
        /amount 5 with the taxCategory AE: only S has an amount other than 0/,
      ],
      'a rate above 100': [{ taxRate: '100.5' }, /taxRate 100.5: a rate is a percentage from 0 to 100/],
      'a rate below 0': [{ taxRate: '-1' }, /taxRate -1/],
      'an unknown category': [
        { taxCategory: 'X' as 'S' },
        /taxCategory that is not one of S, Z, E, AE, K, G, O/,
      ],
      'a long text': [{ taxExemption: 'x'.repeat(256) }, /taxExemption of more than 255 characters/],
      'a text that no database stores': [
        { taxExemption: 'a\u0000b' },
        /taxExemption that is not storable text/,
      ],
      'a charge': [
        { itemType: 'EXTERNAL_CHARGE', taxRate: '19' },
        /is a EXTERNAL_CHARGE and cannot have tax facts/,
      ],
    };
    for (const [name, [tax, message]] of Object.entries(wrong))
      it(`are rejected for ${name}, with an error that names the plugin`, async () => {
        taxing(tax);
        const accountId = await newAccount();
        const adding = acme.invoices.addCharges({ accountId, items: [{ amount: '20' }] });
        const error: Error = await adding.then(
          () => new Error('nothing was rejected'),
          (thrown) => thrown,
        );
        expect(error.message).to.match(message).and.include('"tax"');
        expect(await acme.invoices.ofAccount({ accountId })).to.eql([]);
      });
  });

  describe('of taxes added by users', () => {
    async function charged() {
      const accountId = await newAccount();
      const [charge] = await acme.invoices.addCharges({ accountId, items: [{ amount: '20' }] });
      return { accountId, charge };
    }

    async function add(accountId: string, item: HostInput<ManualItem>) {
      return acme.invoices.addTaxes({ accountId, items: [{ amount: '0', ...item }], autoCommit: true });
    }

    it('are stored with the charge on its draft', async () => {
      const { accountId, charge } = await charged();
      const { invoiceId = '', id: linkedItemId = '' } = charge ?? {};
      const [tax] = await add(accountId, { invoiceId, linkedItemId, ...reverseCharge });
      expect(tax && factsOf(tax)).to.equal('AE 0 Reverse charge');
      expect(tax).to.deep.include({ linkedItemId, invoiceId });
      await acme.invoices.commit(invoiceId);
      expect((await acme.invoices.get(invoiceId)).items.map(({ itemType }) => itemType)).to.eql([
        'EXTERNAL_CHARGE',
        'TAX',
      ]);
    });

    it('are rejected if they are invalid', async () => {
      const { accountId } = await charged();
      for (const facts of [
        { taxCategory: 'S' },
        { taxCategory: 'AE', taxRate: '5' },
        { taxCategory: 'Z', amount: '5' },
        { taxRate: '101' },
        { taxCategory: 'VAT' as 'S' },
        { taxExemption: 'x'.repeat(100_000) },
        { taxExemption: 'a\u0000' },
      ] as const)
        await expectCode(add(accountId, facts), 60003);
      const items = [{ amount: '1', taxRate: '19' }];
      await expectCode(acme.invoices.addCharges({ accountId, items }), 60003);
      await expectCode(acme.invoices.addCredits({ accountId, items }), 60003);
    });

    it('are rejected if the amount does not match the rate of category S', async () => {
      const { accountId, charge } = await charged();
      const tax = { linkedItemId: charge?.id ?? '', taxRate: '19', taxCategory: 'S' } as const;
      expect(await messageOf(add(accountId, { ...tax, amount: '3.82' }))).to.equal(
        'Invoice item has the amount 3.82 with the taxRate 19 on an amount of 20: expected 3.8',
      );
      await add(accountId, { ...tax, amount: '3.81' });
      const { invoiceId = '', id: invoiceItemId = '' } = charge ?? {};
      await acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId, amount: '10' });
      await add(accountId, { ...tax, amount: '1.9' });
      await expectCode(add(accountId, { ...tax, amount: '1.8' }), 60003);
    });

    it('are rejected for an item that is not a charge of the account', async () => {
      const { accountId, charge } = await charged();
      const other = await charged();
      const [credit] = await acme.invoices.addCredits({ accountId, items: [{ amount: '1' }] });
      const [tax] = await add(accountId, { linkedItemId: charge?.id ?? '', amount: '1' });
      await expectCode(add(accountId, { linkedItemId: UNKNOWN_ID }), 'INVOICE_ITEM_NOT_FOUND');
      await expectCode(add(accountId, { linkedItemId: other.charge?.id ?? '' }), 'INVOICE_ITEM_NOT_FOUND');
      for (const { id } of [credit, tax].flatMap((item) => item ?? []))
        await expectCode(add(accountId, { linkedItemId: id }), 60003);
    });

    it('are escaped in documents if they contain hostile text', async () => {
      const { accountId, charge } = await charged();
      const { invoiceId = '', id: linkedItemId = '' } = charge ?? {};
      const taxExemption = '<script>alert(1)</script>{{invoice.amount}}\u202e\u0007🧾';
      const [tax] = await add(accountId, { invoiceId, linkedItemId, taxCategory: 'E', taxExemption });
      expect(tax?.taxExemption).to.equal(taxExemption);
      expect(await acme.invoices.html(invoiceId)).to.not.include('<script>alert');
      expect((await acme.invoices.pdf(invoiceId)).length).to.be.greaterThan(0);
    });
  });

  it('are stored as given on a migrated invoice', async () => {
    const accountId = await newAccount();
    const tax = { itemType: 'TAX', amount: '3.8', taxRate: '19', taxCategory: 'S' } as const;
    const { items } = await acme.invoices.createMigrationInvoice({ accountId, items: [tax] });
    expect(items.map(factsOf)).to.eql(['S 19 null']);
    const wrong = [{ ...tax, taxRate: null }];
    await expectCode(acme.invoices.createMigrationInvoice({ accountId, items: wrong }), 60003);
    const exempt = [{ ...tax, taxRate: null, taxCategory: 'E' }] as const;
    await expectCode(acme.invoices.createMigrationInvoice({ accountId, items: exempt }), 60003);
  });

  it('remain in the history of the item, and apply to the credit note of a void', async () => {
    taxing({ ...reverseCharge });
    const { invoice } = await subscribed();
    await acme.invoices.void(invoice?.id ?? '');
    const [note] = await acme.creditNotes.ofInvoice(invoice?.id ?? '');
    expect(note?.lines).to.have.lengthOf(1);
    expect(note && formatDecimal(note.amount)).to.equal('19.95');
    expect(decimal('19.95').equals(note?.amount ?? 0)).to.equal(true);
  });
});
