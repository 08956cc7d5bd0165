import {
  type DocumentFacts,
  documentFacts,
  type FactsInput,
} from '../../../lib/invoicing/documents/document-facts.ts';
import type {
  CreditNoteView,
  InvoiceItemView,
  InvoiceView,
} from '../../../lib/invoicing/invoices/invoice-view.ts';
import type { Seller } from '../../../lib/records/index.ts';
import { viewedInvoice, viewedItem } from '../../support/invoicing/documents.ts';
import { account, nextId } from '../../support/subscriptions/example.ts';
import { decimal, expect, localDate } from '../../support/unit.ts';

const month = (amount: string, members: Partial<InvoiceItemView> = {}) =>
  viewedItem('RECURRING', amount, members);

/** Returns a TAX item of another item, by default with 19 %. */
const taxOf = (
  taxed: InvoiceItemView,
  amount: string,
  [rate, category, exemption]: readonly [string, InvoiceItemView['taxCategory'], string?] = ['19', 'S'],
) =>
  viewedItem('TAX', amount, {
    linkedItemId: taxed.id,
    taxRate: decimal(rate),
    taxCategory: category,
    taxExemption: exemption ?? null,
  });

const reduction = (type: 'ITEM_ADJ' | 'REPAIR_ADJ', reduced: InvoiceItemView, amount: string) =>
  viewedItem(type, amount, { linkedItemId: reduced.id });

function factsOf(items: readonly InvoiceItemView[], given: Partial<FactsInput> = {}): DocumentFacts {
  const input = { account: account(), seller: null, linkedItems: [], note: null, ...given };
  return documentFacts({ invoice: viewedInvoice(items), ...input });
}

/** Formats each group as a line: `S 19 %: 100 + 19`, with the difference if there is one. */
const groupsOf = ({ taxes }: DocumentFacts) =>
  taxes.map(({ category, rate, exemption, net, tax, difference }) => {
    const facts = [category, rate && `${rate} %`, exemption].filter((each) => each !== null);
    const off = difference.isZero() ? '' : ` (${difference})`;
    return `${facts.join(' ') || 'none'}: ${net} + ${tax}${off}`;
  });

const totalsOf = ({ net, tax, gross, roundingDifference }: DocumentFacts) =>
  [net, tax, gross, roundingDifference].map(String);

const noteOf = (invoice: InvoiceView): CreditNoteView => ({
  recordId: 1,
  id: nextId(),
  accountId: invoice.accountId,
  accountRecordId: 1,
  invoiceId: invoice.id,
  creditNoteNumber: 3,
  creditNoteDate: localDate(2026, 12, 2),
  reason: 'REPAIR',
  amount: decimal('59.5'),
  currency: 'USD',
  lines: [],
  createdDate: invoice.createdDate,
  formattedNumber: 'CN-3',
});

const seller = (members: Partial<Seller> = {}): Seller => ({
  recordId: 1,
  id: nextId(),
  name: 'Orchard Inc.',
  legalName: null,
  address1: null,
  address2: null,
  city: null,
  state: null,
  postalCode: null,
  country: null,
  taxId: null,
  registrationNumber: null,
  email: null,
  phone: null,
  bankName: null,
  iban: null,
  bic: null,
  paymentTermsDays: null,
  notes: null,
  accentColor: null,
  createdDate: viewedInvoice([]).createdDate,
  logo: null,
  ...members,
});

describe('document facts and taxes (invoicing §14 rules 7 to 9)', () => {
  describe('taxes', () => {
    it('are summed by category, rate and exemption, with net plus tax equal to gross', () => {
      const [pro, books, export_] = [month('100'), month('50'), month('30')];
      const facts = factsOf([
        pro,
        books,
        export_,
        taxOf(pro, '19'),
        taxOf(books, '3.5', ['7', 'S']),
        taxOf(export_, '0', ['0', 'G', 'Export']),
      ]);
      expect(groupsOf(facts)).to.eql(['S 19 %: 100 + 19', 'S 7 %: 50 + 3.5', 'G 0 % Export: 30 + 0']);
      expect(totalsOf(facts)).to.eql(['180', '22.5', '202.5', '0']);
      expect(facts.lines).to.have.lengthOf(3);
    });

    it('show the rounding difference if the taxes were rounded line by line', () => {
      const [first, second] = [month('0.13'), month('0.13')];
      const facts = factsOf([first, second, taxOf(first, '0.02'), taxOf(second, '0.02')]);
      expect(groupsOf(facts)).to.eql(['S 19 %: 0.26 + 0.04 (-0.01)']);
      expect(totalsOf(facts)).to.eql(['0.26', '0.04', '0.3', '-0.01']);
    });

    it('apply to adjusted charges, with the group total reduced by the tax adjustment', () => {
      const charge = month('100');
      const tax = taxOf(charge, '19');
      const facts = factsOf([
        charge,
        tax,
        reduction('ITEM_ADJ', charge, '-40'),
        reduction('ITEM_ADJ', tax, '-7.6'),
      ]);
      expect(groupsOf(facts)).to.eql(['S 19 %: 60 + 11.4']);
      expect(facts.lines.map(({ net }) => String(net))).to.eql(['100', '-40']);
    });

    it('include the negative TAX item of a repair', () => {
      const [earlier, charge] = [month('100'), month('120')];
      const repair = reduction('REPAIR_ADJ', earlier, '-50');
      const items = [charge, taxOf(charge, '22.8'), repair, taxOf(repair, '-9.5')];
      const facts = factsOf(items, { linkedItems: [earlier, taxOf(earlier, '19')] });
      expect(groupsOf(facts)).to.eql(['S 19 %: 70 + 13.3']);
    });

    it('are copied to a repair that has no TAX item only if the repaired charge was taxed at 0', () => {
      const [taxed, exempt, charge] = [month('100'), month('100'), month('120')];
      const items = [
        charge,
        taxOf(charge, '22.8'),
        reduction('REPAIR_ADJ', taxed, '-50'),
        reduction('REPAIR_ADJ', exempt, '-20'),
      ];
      const linkedItems = [
        taxed,
        exempt,
        taxOf(taxed, '19'),
        taxOf(exempt, '0', ['0', 'AE', 'Reverse charge']),
      ];
      expect(groupsOf(factsOf(items, { linkedItems }))).to.eql([
        'S 19 %: 120 + 22.8',
        'none: -50 + 0',
        'AE 0 % Reverse charge: -20 + 0',
      ]);
    });

    it('are shown as lines if no TAX item has facts', () => {
      const charge = month('100');
      const facts = factsOf([charge, viewedItem('TAX', '19', { linkedItemId: charge.id })]);
      expect(facts.taxes).to.eql([]);
      expect(facts.lines.map(({ item }) => item.itemType)).to.eql(['RECURRING', 'TAX']);
      expect(totalsOf(facts)).to.eql(['119', '0', '119', '0']);
    });

    it('do not count as a rounding difference if the taxed item is not on the document', () => {
      const [charge, elsewhere] = [month('100'), month('50')];
      const tax = taxOf(elsewhere, '9.5');
      const unlinked = viewedItem('TAX', '1.9', { taxRate: decimal('19'), taxCategory: 'S' });
      const facts = factsOf([charge, taxOf(charge, '19.01'), tax, unlinked], { linkedItems: [elsewhere] });
      expect(groupsOf(facts)).to.eql(['S 19 %: 100 + 30.41 (0.01)']);
      expect(facts.taxes.map((group) => String(group.unlinked))).to.eql(['11.4']);
      expect(totalsOf(facts)).to.eql(['100', '30.41', '130.41', '0.01']);
    });

    it('count as a rounding difference if the taxed item is a zero line that the document omits', () => {
      const [charge, nothing] = [month('100'), month('0')];
      const facts = factsOf([charge, nothing, taxOf(charge, '18.99'), taxOf(nothing, '0.02')]);
      expect(facts.lines).to.have.length(1);
      expect(groupsOf(facts)).to.eql(['S 19 %: 100 + 19.01 (0.01)']);
      expect(facts.taxes.map((group) => String(group.unlinked))).to.eql(['0']);
    });

    it('form one group per rate, with the net amount of the group, if a charge has several rates', () => {
      const charge = month('100');
      const facts = factsOf([charge, taxOf(charge, '6.25', ['6.25', 'S']), taxOf(charge, '1', ['1', 'S'])]);
      expect(groupsOf(facts)).to.eql(['S 6.25 %: 100 + 6.25', 'S 1 %: 100 + 1']);
      expect(totalsOf(facts)).to.eql(['100', '7.25', '107.25', '0']);
    });
  });

  it('include the quantity and unit price of plans, even for part of a period', () => {
    const priced = { quantity: decimal('5'), rate: decimal('125') };
    const { lines } = factsOf([
      month('125', priced),
      month('62.5', priced),
      month('25', { rate: decimal('25') }),
    ]);
    expect(lines.map(({ quantity, unitPrice }) => `${quantity} × ${unitPrice}`)).to.eql([
      '5 × 25',
      '5 × 25',
      '1 × 25',
    ]);
  });

  it('contain a due date counted from the commit, and the note for the buyer’s country', () => {
    const invoice = viewedInvoice([month('10')], { commitDate: localDate(2026, 11, 30) });
    const issuer = seller({ paymentTermsDays: 14, notes: { FR: 'Bonjour', '*': 'Hello' } });
    const of = (country: string | null) =>
      factsOf([], { invoice, seller: issuer, account: { ...account(), country } });
    expect([of('fr').sellerNote, of('DE').sellerNote, of(null).sellerNote]).to.eql([
      'Bonjour',
      'Hello',
      'Hello',
    ]);
    expect(of('FR')).to.deep.include({
      issueDate: localDate(2026, 11, 30),
      dueDate: localDate(2026, 12, 14),
    });
    expect(of('FR').servicePeriod).to.eql({ start: localDate(2026, 11, 1), end: localDate(2026, 12, 1) });
  });

  it('have a due date only if the account owes an amount', () => {
    const dueDateOf = (
      members: Parameters<typeof viewedInvoice>[1],
      given: { readonly isPaidByParent?: boolean } = {},
    ) => {
      const invoice = viewedInvoice([month('10')], members);
      return factsOf([], { invoice, seller: seller({ paymentTermsDays: 14 }), ...given }).dueDate;
    };
    const due = localDate(2026, 12, 7);
    expect([dueDateOf({}), dueDateOf({ paid: '4' }), dueDateOf({ status: 'DRAFT' })]).to.eql([due, due, due]);
    expect(dueDateOf({ paid: '10' })).to.equal(null);
    expect(dueDateOf({ status: 'VOID' })).to.equal(null);
    expect(dueDateOf({ isWrittenOff: true })).to.equal(null);
    expect(dueDateOf({}, { isPaidByParent: true })).to.equal(null);
  });

  it('deduct the credit note of a void invoice and keep the invoice lines', () => {
    const charge = month('100');
    const invoice = viewedInvoice([charge, taxOf(charge, '19')], { status: 'VOID' });
    const note = { ...noteOf(invoice), reason: 'VOID' as const, amount: decimal('119') };
    const facts = factsOf([], { invoice, notes: [note] });
    expect(facts.lines).to.have.length(1);
    expect(facts.deductions.map(({ noteNumber, amount }) => `${noteNumber} ${amount}`)).to.eql(['CN-3 -119']);
    const ofAnother = { ...note, invoiceId: charge.id };
    expect(factsOf([], { invoice, notes: [ofAnother] }).deductions).to.eql([]);
  });

  it('deduct credit notes, and credits without tax facts, from the gross amount', () => {
    const [charge, earlier] = [month('100'), month('80')];
    const tax = taxOf(charge, '19');
    const repair = reduction('REPAIR_ADJ', earlier, '-50');
    const returned = taxOf(repair, '-9.5');
    const invoice = viewedInvoice([charge, tax, repair, returned, viewedItem('CREDIT_ADJ', '-10')]);
    const lines = [repair, returned].map(({ id, amount }) => ({ itemId: id, amount: amount.negated() }));
    const facts = factsOf([], {
      invoice,
      linkedItems: [earlier, taxOf(earlier, '15.2')],
      notes: [{ ...noteOf(invoice), lines }],
    });
    expect(groupsOf(facts)).to.eql(['S 19 %: 100 + 19']);
    expect(facts.deductions.map(({ noteNumber, amount }) => `${noteNumber} ${amount}`)).to.eql([
      'CN-3 -59.5',
      'null -10',
    ]);
    const charged = facts.deductions.reduce((left, { amount }) => left.plus(amount), facts.gross);
    expect(String(charged)).to.equal(String(invoice.amount));
  });

  it('contain the number of a credit note, the credited invoice and the taxes of the credited charges', () => {
    const charge = month('100');
    const tax = taxOf(charge, '19');
    const [repair, adjusted] = [reduction('REPAIR_ADJ', charge, '50'), reduction('ITEM_ADJ', tax, '9.5')];
    const invoice = viewedInvoice([repair, adjusted]);
    const note = noteOf(invoice);
    const facts = factsOf([], { invoice, note, linkedItems: [charge, tax] });
    expect(groupsOf(facts)).to.eql(['S 19 %: 50 + 9.5']);
    expect(facts).to.deep.include({ kind: 'CREDIT_NOTE', number: 'CN-3', dueDate: null });
    expect(facts.credited).to.eql({ number: '17', issueDate: invoice.commitDate });
    expect([facts.paid, facts.due].map(String)).to.eql(['0', '0']);
  });
});
