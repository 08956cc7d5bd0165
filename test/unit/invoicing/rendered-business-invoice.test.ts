import { accentOf } from '../../../lib/invoicing/documents/accent.ts';
import type { Locale } from '../../../lib/invoicing/documents/locale.ts';
import { printableInvoice } from '../../../lib/invoicing/documents/printable-invoice.ts';
import { type RenderedInvoice, renderedInvoice } from '../../../lib/invoicing/documents/rendered-invoice.ts';
import type { InvoiceItemView } from '../../../lib/invoicing/invoices/invoice-view.ts';
import {
  discountedItem,
  seller,
  taxedItems,
  taxOf,
  toRender,
  usageOf,
  viewedItem,
} from '../../support/invoicing/documents.ts';
import { invoice } from '../../support/payments/payment-records.ts';
import { decimal, expect } from '../../support/unit.ts';

const plain = (text: string) =>
  text.replaceAll(/[\u00a0\u202f\u2009]/g, ' ').replaceAll(/[\u200e\u200f\u061c]/g, '');
const shown = (facts: RenderedInvoice['totals']) =>
  facts.map(({ label, value, details = [] }) => plain([label, value, ...details].join(' | ')));
const inEuro = (items: readonly InvoiceItemView[]) =>
  items.map((item) => ({ ...item, currency: 'EUR' as const }));
const germanInvoice = (items: readonly InvoiceItemView[], given: Parameters<typeof toRender>[1] = {}) =>
  renderedInvoice(
    toRender(inEuro(items), {
      seller: seller(),
      ...given,
      of: { locale: 'de_DE', country: 'DE', ...given.of },
      invoice: { currency: 'EUR', ...given.invoice },
    }),
  );

describe('business invoice views', () => {
  describe('sums', () => {
    it('contain the net amount, each tax with its net amount, and the amount due with its date (invoicing §14 rule 11)', () =>
      expect(shown(germanInvoice(taxedItems()).totals)).to.eql([
        'Nettobetrag | 140,00 €',
        'USt. 19 % | 19,00 € | Netto: 100,00 €',
        'USt. 7 % | 2,80 € | Netto: 40,00 €',
        'Gesamtbetrag | 161,80 €',
        'Offener Betrag | 161,80 € | Fällig am: 07.12.2026',
      ]));

    it('omit the net amount of a single tax, and the due date of a paid invoice (invoicing §14 rule 11)', () => {
      const charge = viewedItem('RECURRING', '100');
      const view = germanInvoice([charge, taxOf(charge, '19')], { invoice: { paid: '119' } });
      expect(shown(view.totals)).to.eql([
        'Nettobetrag | 100,00 €',
        'USt. 19 % | 19,00 €',
        'Gesamtbetrag | 119,00 €',
        'Bezahlt | 119,00 €',
        'Offener Betrag | 0,00 €',
      ]);
    });

    it('show the rounding of taxes on a separate line (invoicing §14 rule 9)', () => {
      const items = ['0.10', '0.10', '0.10'].flatMap((amount) => {
        const charge = viewedItem('EXTERNAL_CHARGE', amount);
        return [charge, taxOf(charge, '19')];
      });
      expect(shown(germanInvoice(items).totals).slice(0, 4)).to.eql([
        'Nettobetrag | 0,30 €',
        'USt. 19 % | 0,06 €',
        'Gesamtbetrag | 0,36 €',
        'Offener Betrag | 0,36 € | Fällig am: 07.12.2026',
      ]);
      const uneven = ['0.13', '0.13'].flatMap((amount) => {
        const charge = viewedItem('EXTERNAL_CHARGE', amount);
        return [charge, taxOf(charge, '19')];
      });
      expect(shown(germanInvoice(uneven).totals).slice(1, 4)).to.eql([
        'USt. 19 % | 0,05 €',
        'Rundungsdifferenz der Steuer | -0,01 €',
        'Gesamtbetrag | 0,30 €',
      ]);
    });

    for (const [category, locale, name] of [
      ['AE', 'fr_FR', 'TVA – Autoliquidation'],
      ['AE', 'de_DE', 'USt. – Steuerschuldnerschaft des Leistungsempfängers'],
      ['K', 'es_ES', 'IVA – Entrega intracomunitaria'],
      ['G', 'en_GB', 'VAT – Export'],
      ['E', 'he_IL', 'מע״מ – פטור'],
      ['O', 'ar_EG', 'ضريبة القيمة المضافة – خارج نطاق الضريبة'],
      ['Z', 'ja_JP', '付加価値税 – ゼロ税率'],
    ] as const)
      it(`keep a zero tax of category ${category} in ${locale}, with its text (invoicing §14 rule 9)`, () => {
        const charge = viewedItem('RECURRING', '100');
        const facts = { taxRate: null, taxCategory: category, taxExemption: 'Art. 196' } as const;
        const view = germanInvoice([charge, taxOf(charge, '0', facts)], { of: { locale } });
        expect(view.totals[1]).to.deep.include({ label: name, details: ['Art. 196'] });
      });

    it('print an exemption text only once if the text equals the category name (invoicing §14 rule 11)', () => {
      const charge = viewedItem('RECURRING', '100');
      const detailsOf = (taxExemption: string) => {
        const facts = { taxRate: null, taxCategory: 'AE', taxExemption } as const;
        const items = [charge, taxOf(charge, '0', facts)];
        return germanInvoice(items, { of: { locale: 'fr_FR' } }).totals[1]?.details;
      };
      expect(detailsOf(' autoliquidation')).to.eql([]);
      expect(detailsOf('Autoliquidation, art. 283-2 CGI')).to.eql(['Autoliquidation, art. 283-2 CGI']);
    });

    for (const [country, name] of [
      ['US', 'Sales tax 8%'],
      ['AU', 'GST 8%'],
      ['JP', 'Consumption tax 8%'],
      ['FR', 'VAT 8%'],
      [null, 'Tax 8%'],
    ] as const)
      it(`show the tax of a seller in ${country ?? 'no country'} as "${name}" (invoicing §14 rule 11)`, () => {
        const charge = viewedItem('RECURRING', '100');
        const of = { locale: 'en_US', country: null };
        const view = germanInvoice([charge, taxOf(charge, '8')], { of, seller: seller({ country }) });
        expect(view.taxes.map((tax) => tax.name)).to.eql([name]);
      });

    it('leave a document without tax facts unchanged (invoicing §14 rule 9)', () => {
      const view = renderedInvoice(toRender([viewedItem('RECURRING', '20'), viewedItem('TAX', '2')]));
      expect(shown(view.totals)).to.eql(['Total | $22.00', 'Amount due | $22.00']);
      expect([view.pageLines.length, view.taxes, view.headFacts.length, view.paymentDetails]).to.eql([
        2,
        [],
        2,
        [],
      ]);
    });
  });

  describe('lines', () => {
    const notes = (item: InvoiceItemView) =>
      renderedInvoice(toRender([item])).lines.map((line) => line.notes.map(plain));

    it('show quantity × unit price, and the part of a period (invoicing §14 rule 12)', () => {
      const [quantity, rate, unitPrice] = [decimal(5), decimal(125), decimal(25)];
      expect(notes(viewedItem('RECURRING', '125', { quantity, rate, unitPrice }))).to.eql([['5 × $25.00']]);
      expect(notes(viewedItem('RECURRING', '62.5', { quantity, rate, unitPrice }))).to.eql([
        ['5 × $25.00 (prorated)'],
      ]);
      const one = { quantity: decimal(1), unitPrice: decimal(20) };
      expect(notes(viewedItem('RECURRING', '20', one))).to.eql([[]]);
      expect(notes(viewedItem('RECURRING', '8', one))).to.eql([['1 × $20.00 (prorated)']]);
      const fine = { quantity: decimal('12400'), rate: decimal('0.0025'), unitPrice: decimal('0.0025') };
      expect(notes(viewedItem('EXTERNAL_CHARGE', '31', fine))).to.eql([['12,400 × $0.0025']]);
    });

    it('show the used amount and each tier of a USAGE line (invoicing §14 rule 12)', () =>
      expect(notes(usageOf('12400'))).to.eql([
        ['12,400 API calls', '10,000 × $0.01 = $100.00', '3 × $5.00 / 1,000 API calls = $15.00'],
      ]));

    it('show only the price of a CAPACITY tier (invoicing §14 rule 12)', () => {
      const tier = { tier: 2, price: decimal(50), blockSize: null, quantity: decimal(12), amount: null };
      const usage = [{ unit: 'Mbit/s', name: 'bandwidth', quantity: decimal(12), tiers: [tier] }];
      expect(notes(viewedItem('USAGE', '50', { usage }))).to.eql([['12 Mbit/s', '$50.00']]);
    });

    it('show the list price and the discount of each coupon (coupons §4 rule 1)', () => {
      const spring = ['Spring sale', '6'] as const;
      expect(notes(discountedItem('24', [spring]))).to.eql([['List price: $30.00 · Spring sale: -$6.00']]);
      expect(notes(discountedItem('14', [spring, ['Ten', '10']]))).to.eql([
        ['List price: $30.00 · Spring sale: -$6.00 · Ten: -$10.00'],
      ]);
      expect(notes(discountedItem('120', [['Spring sale', '30']], { quantity: 5 }))).to.eql([
        ['List price: 5 × $30.00 · Spring sale: -$30.00'],
      ]);
      expect(notes(discountedItem('12', [['Spring sale', '3']]))).to.eql([
        ['List price: 1 × $30.00 (prorated) · Spring sale: -$3.00'],
      ]);
    });

    it('have a rate column if the invoice has several kinds of tax (invoicing §14 rule 11)', () => {
      const { taxColumn, pageLines } = germanInvoice(taxedItems());
      expect([taxColumn, ...pageLines.map((line) => plain(line.formattedTaxRate ?? ''))]).to.eql([
        'USt.',
        '19 %',
        '7 %',
      ]);
    });
  });

  describe('parties', () => {
    it('show each name of the buyer once, and label the VAT id (invoicing §14 rule 11)', () => {
      const buyer = (of: object) => {
        const { addressee, formattedTaxId } = germanInvoice([], { of: { country: null, ...of } });
        return [...addressee, formattedTaxId];
      };
      expect(buyer({ company: 'Acme', name: 'Acme', legalName: 'Acme ' })).to.eql(['Acme', null]);
      expect(buyer({ company: 'Acme', name: 'Zoë', legalName: 'Acme SARL', taxId: 'FR40303265045' })).to.eql([
        'Acme',
        'Acme SARL',
        'Zoë',
        'USt-IdNr.: FR40303265045',
      ]);
      expect(buyer({ name: ' ', taxId: '12/345/67890' })).to.eql(['Steuernummer: 12/345/67890']);
    });

    it('keep the digits of a tax id in order within Arabic text (invoicing §14 rule 11)', () => {
      const { formattedTaxId } = germanInvoice([], { of: { locale: 'ar_EG', taxId: '123-456-789' } });
      expect(formattedTaxId).to.equal('الرقم الضريبي: \u2068123-456-789\u2069');
    });

    it('show a Japanese address from the largest to the smallest unit, except in Latin letters (invoicing §14 rule 11)', () => {
      const tokyo = { country: 'JP', postalCode: '100-0005', address1: '丸の内1-2-3' };
      const addressee = (of: object) => germanInvoice([], { of: { locale: 'ja_JP', ...of } }).addressee;
      expect(addressee({ ...tokyo, state: '東京都', city: '千代田区' })).to.eql([
        '100-0005',
        '東京都千代田区',
        '丸の内1-2-3',
        '日本',
      ]);
      expect(addressee({ ...tokyo, city: 'Tokyo' })).to.eql(['丸の内1-2-3', '100-0005 Tokyo', '日本']);
    });

    it('show the seller data instead of the company texts (invoicing §14 rule 11)', () => {
      const translations = new Map([['en' as Locale, new Map([['companyName', 'Old name']])]]);
      const view = germanInvoice(taxedItems(), { translations, of: { locale: 'fr_FR' } });
      expect(view.seller?.lines.map(plain)).to.eql([
        'Obstgarten Software GmbH',
        'Am Hang 1',
        '10115 Berlin',
        'Allemagne',
        'N° de TVA : DE136695976',
        'N° d’immatriculation : HRB 12345 B',
        'rechnung@obst.example',
        '+49 30 123456',
      ]);
    });

    it('show a bank transfer only while an amount is due (invoicing §14 rule 11)', () => {
      const details = (given: Parameters<typeof toRender>[1]) =>
        shown(germanInvoice(taxedItems(), given).paymentDetails);
      expect(details({})).to.eql([
        'Zahlungsempfänger | Obstgarten Software GmbH',
        'Bank | Musterbank',
        'IBAN | DE89 3704 0044 0532 0130 00',
        'BIC | COBADEFFXXX',
        'Verwendungszweck | 17',
      ]);
      expect(details({ invoice: { paid: '161.8' } })).to.eql([]);
      expect(details({ seller: seller({ bankName: null, iban: null, bic: null }) })).to.eql([]);
    });

    it('do not request payment of an invoice that the parent pays (invoicing §14 rule 11)', () => {
      const summary = invoice({ rawBalance: decimal('100') });
      const view = germanInvoice([viewedItem('RECURRING', '100')], { summary, isManualPay: true });
      expect(view.isPaidByParent).to.equal(true);
      expect(view.paymentDetails).to.eql([]);
      expect(view.headFacts.map(({ label }) => label)).to.not.include('Fällig am');
      expect(shown(view.totals).at(-1)).to.equal('Offener Betrag | 100,00 €');
      const { payment, notes } = printableInvoice(view, summary.createdDate);
      expect(payment).to.equal(null);
      expect(notes[0]).to.match(/^Dieser Betrag steht auf der Rechnung des übergeordneten Kontos\./);
      const paid = germanInvoice([viewedItem('RECURRING', '100')], { summary, invoice: { paid: '100' } });
      expect(paid.isPaidByParent).to.equal(false);
    });

    for (const [locale, label] of [
      ['de_DE', 'Ausgebucht'],
      ['en_GB', 'Written off'],
      ['fr_FR', 'Passé en perte'],
      ['es_ES', 'Dado de baja'],
      ['ar_EG', 'مشطوب'],
      ['he_IL', 'נמחק'],
      ['ja_JP', '貸倒償却'],
    ] as const)
      it(`show a write-off on the line above the amount due in ${locale} (invoicing §14 rule 11)`, () => {
        const members = { paid: '40', isWrittenOff: true };
        const view = germanInvoice([viewedItem('RECURRING', '100')], { of: { locale }, invoice: members });
        expect(view.totals).to.have.length(4);
        const value = view.formats.amount(decimal('-60'), 'EUR');
        expect(view.totals[2]).to.deep.include({ label, value });
      });

    it('show the write-off of a summary on the invoices that it contains (invoicing §14 rule 11)', () => {
      const items = [viewedItem('RECURRING', '100')];
      const summary = invoice({ rawBalance: decimal('100'), isWrittenOff: true });
      const writtenOff = germanInvoice(items, { summary });
      expect(shown(writtenOff.totals)).to.include('Ausgebucht | -100,00 €');
      expect(germanInvoice(items).formattedWrittenOffAmount).to.equal(null);
    });

    it('show no period for an adjustment, because it has a single date (invoicing §14 rule 4)', () => {
      const charge = viewedItem('RECURRING', '100');
      const dates = { startDate: charge.startDate, endDate: charge.startDate, linkedItemId: charge.id };
      const repaired = { ...dates, endDate: charge.endDate };
      const items = [charge, viewedItem('ITEM_ADJ', '-10', dates), viewedItem('REPAIR_ADJ', '-5', repaired)];
      const periods = germanInvoice(items).lines.map((line) => line.formattedPeriod);
      expect(periods.map((period) => plain(period ?? ''))).to.eql(['01.–30.11.2026', '', '01.–30.11.2026']);
    });

    it('show the service period with its last day included (invoicing §14 rule 11)', () => {
      const [...facts] = germanInvoice([viewedItem('RECURRING', '100')]).headFacts;
      const period = facts.find(({ label }) => label === 'Leistungszeitraum');
      expect(plain(period?.value ?? '')).to.equal('01.–30.11.2026');
    });

    it('darken an accent color until headings are readable (invoicing §14 rule 11)', () => {
      expect(accentOf('#0A5CFF')).to.eql({ rule: '#0a5cff', heading: '#0a5cff' });
      expect(accentOf('#ffee00')?.heading)
        .to.match(/^#[0-9a-f]{4}00$/)
        .and.not.equal('#ffee00');
      for (const color of [null, '', 'red', '#fff', '#0a5cff;} body{', 'url(x)'])
        expect(accentOf(color)).to.equal(null);
    });
  });
});
