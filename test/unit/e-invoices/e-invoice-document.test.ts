import { expect } from 'chai';
import { decimal } from '../../../lib/values/money/index.ts';
import { localDate } from '../../../lib/values/time/index.ts';
import { buyer, eInvoiceOf, seller, taxed } from '../../support/e-invoices/e-invoice-documents.ts';
import { discountedItem, viewedItem } from '../../support/invoicing/documents.ts';

describe('e-invoice document (invoicing §22)', () => {
  it('contains the parties, dates and payment means of the seller and the account', () => {
    const document = eInvoiceOf(taxed(viewedItem('RECURRING', '100'), { tax: '19' }));
    expect(document).to.include({
      typeCode: '380',
      number: '17',
      issueDate: '2026-11-23',
      dueDate: '2026-12-07',
      currency: 'EUR',
      buyerReference: null,
    });
    expect(document.seller).to.deep.include({
      name: 'ACME Software GmbH',
      tradingName: 'ACME',
      vatId: 'DE136695976',
      endpoint: { scheme: '9930', value: 'DE136695976' },
      registration: { scheme: null, value: 'HRB 12345' },
    });
    expect(document.buyer).to.deep.include({
      name: 'Exemple SARL',
      tradingName: 'Exemple',
      vatId: 'FR40303265045',
      endpoint: { scheme: '9957', value: 'FR40303265045' },
    });
    expect(document.period).to.eql({ start: '2026-11-01', end: '2026-11-30' });
    expect(document.paymentMeans).to.eql({
      code: '58',
      reference: '17',
      iban: 'DE89370400440532013000',
      bic: 'COBADEFFXXX',
      accountName: 'ACME Software GmbH',
    });
  });

  it('is due on the issue date if there are no payment terms', () => {
    const items = taxed(viewedItem('RECURRING', '100'), { tax: '19' });
    expect(eInvoiceOf(items, { seller: seller({ paymentTermsDays: null }) }).dueDate).to.equal('2026-11-23');
  });

  it('has no due date if the invoice is paid', () => {
    const document = eInvoiceOf(taxed(viewedItem('RECURRING', '100'), { tax: '19' }), {
      invoice: { paid: '119' },
    });
    expect([document.dueDate, document.totals.payable, document.totals.prepaid]).to.eql([
      null,
      '0.00',
      '119.00',
    ]);
  });

  it('shows the amount due without a bank account or due date if the parent pays the invoice', () => {
    for (const profile of ['EN16931', 'XRECHNUNG', 'PEPPOL_BIS3'] as const) {
      const document = eInvoiceOf(taxed(viewedItem('RECURRING', '100'), { tax: '19' }), {
        profile,
        seller: seller({ iban: null }),
        isPaidByParent: true,
      });
      expect(document.totals).to.deep.include({ payable: '119.00', prepaid: '0.00' });
      expect(document.dueDate).to.equal(null);
      expect(document.paymentMeans).to.eql({
        code: '1',
        reference: null,
        iban: null,
        bic: null,
        accountName: null,
      });
    }
  });

  it('contains the list price of a line and an allowance for each coupon (coupons §4)', () => {
    const linesOf = (item: ReturnType<typeof discountedItem>, tax: string) =>
      eInvoiceOf(taxed(item, { tax })).lines.map(({ quantity, price, amount, allowances }) => {
        const taken = allowances.map(({ amount: off, share, reason }) => {
          return share === null
            ? `${reason} ${off}`
            : `${reason} ${share.percent} % of ${share.base} = ${off}`;
        });
        return [`${quantity} × ${price}`, ...taken, amount].join(', ');
      });
    expect(
      linesOf(
        discountedItem(
          '14',
          [
            ['Spring', '6'],
            ['Ten', '10'],
          ],
          { rate: 14 },
        ),
        '2.66',
      ),
    ).to.eql(['1 × 30, Spring 20 % of 30.00 = 6.00, Ten 41.67 % of 24.00 = 10.00, 14.00']);
    expect(linesOf(discountedItem('120', [['Spring', '30']], { quantity: 5 }), '22.8')).to.eql([
      '5 × 30, Spring 20 % of 150.00 = 30.00, 120.00',
    ]);
    expect(linesOf(discountedItem('12.39', [['Spring', '3.09']]), '2.35')).to.eql([
      '1 × 15.48, Spring 19.96 % of 15.48 = 3.09, 12.39',
    ]);
    const dear = discountedItem(
      '89990',
      [
        ['One', '0'],
        ['Ten', '10'],
      ],
      { quantity: 3_000, rate: 29 },
    );
    expect(linesOf(dear, '17098.1')).to.eql(['3000 × 30, Ten 10.00, 89990.00']);
  });

  it('has line amounts that equal quantity times price', () => {
    const seats = { quantity: decimal(5), rate: decimal(100) };
    const lines = eInvoiceOf([
      ...taxed(viewedItem('RECURRING', '100', seats), { tax: '19' }),
      ...taxed(viewedItem('RECURRING', '33.33', seats), { tax: '6.33' }),
      ...taxed(viewedItem('EXTERNAL_CHARGE', '12.50'), { tax: '2.38' }),
      ...taxed(viewedItem('ITEM_ADJ', '-10'), { tax: '-1.90' }),
    ]).lines.map(({ quantity, price, amount }) => [quantity, price, amount]);
    expect(lines).to.eql([
      ['5', '20', '100.00'],
      ['5', '6.666', '33.33'],
      ['1', '12.5', '12.50'],
      ['-1', '10', '-10.00'],
    ]);
  });

  it('contains the period of the charges, or their last date as the delivery date', () => {
    const monthly = taxed(viewedItem('RECURRING', '100'), { tax: '19' });
    const once = (day: number) =>
      taxed(viewedItem('EXTERNAL_CHARGE', '10', { startDate: localDate(2026, 11, day) }), { tax: '1.9' });
    const datesOf = (items: Parameters<typeof eInvoiceOf>[0]) => {
      const { period, delivery, issueDate } = eInvoiceOf(items);
      return [period, delivery.date, issueDate];
    };
    const period = { start: '2026-11-01', end: '2026-11-30' };
    expect(datesOf([...monthly, ...once(5)])).to.eql([period, null, '2026-11-23']);
    expect(datesOf([...once(9), ...once(5)])).to.eql([null, '2026-11-09', '2026-11-23']);
    const undated = taxed(viewedItem('EXTERNAL_CHARGE', '10', { startDate: null }), { tax: '1.9' });
    expect(datesOf(undated)).to.eql([null, '2026-11-23', '2026-11-23']);
  });

  it('computes each tax from its net amount and shows the difference as rounding', () => {
    const lines = [1, 2, 3].flatMap(() => taxed(viewedItem('RECURRING', '0.99'), { tax: '0.19' }));
    const { taxes, totals } = eInvoiceOf([
      ...lines,
      ...taxed(viewedItem('FIXED', '10'), { tax: '0.70', rate: '7' }),
    ]);
    expect(taxes.map(({ rate, net, tax }) => [rate, net, tax])).to.eql([
      ['19', '2.97', '0.56'],
      ['7', '10.00', '0.70'],
    ]);
    expect(totals).to.eql({
      net: '12.97',
      tax: '1.26',
      gross: '14.23',
      prepaid: '0.00',
      rounding: '0.01',
      payable: '14.24',
    });
  });

  it('counts payments, used account credit and credits without taxes as prepaid', () => {
    const items = [
      ...taxed(viewedItem('RECURRING', '100'), { tax: '19' }),
      viewedItem('CREDIT_ADJ', '-9'),
      viewedItem('CBA_ADJ', '-20'),
    ];
    const { totals, lines } = eInvoiceOf(items, { invoice: { currency: 'EUR', paid: '40' } });
    expect(lines).to.have.length(1);
    expect(totals).to.include({ gross: '119.00', prepaid: '69.00', payable: '50.00' });
  });

  it('contains the reasons for taxes that are not charged', () => {
    const none = (category: 'AE' | 'K' | 'G' | 'E' | 'O' | 'Z', exemption: string | null = null) =>
      eInvoiceOf(taxed(viewedItem('RECURRING', '100'), { tax: '0', rate: '0', category, exemption }));
    const reasonOf = (document: ReturnType<typeof none>) => document.taxes[0]?.exemption ?? null;
    expect(reasonOf(none('AE'))).to.eql({ code: 'VATEX-EU-AE', text: 'Reverse charge' });
    expect(reasonOf(none('AE', 'Autoliquidation'))).to.eql({ code: 'VATEX-EU-AE', text: 'Autoliquidation' });
    expect(reasonOf(none('K'))).to.eql({ code: 'VATEX-EU-IC', text: 'Intra-Community supply' });
    expect(reasonOf(none('G'))).to.eql({ code: 'VATEX-EU-G', text: 'Export outside the EU' });
    expect(reasonOf(none('E', 'VATEX-EU-132 Education'))).to.eql({
      code: 'VATEX-EU-132',
      text: 'VATEX-EU-132 Education',
    });
    expect(reasonOf(none('Z'))).to.equal(null);
    const outside = none('O');
    expect(outside.seller).to.include({ vatId: null, identifier: null });
    expect(outside.lines[0]?.tax.rate).to.equal(null);
  });

  it('keeps the tax numbers of other countries as identifiers', () => {
    const items = taxed(viewedItem('RECURRING', '100'), { tax: '0', rate: '0', category: 'G' });
    const document = eInvoiceOf(items, { buyer: buyer({ country: 'US', taxId: '12-3456789' }) });
    expect(document.buyer).to.deep.include({
      vatId: null,
      identifier: '12-3456789',
      endpoint: { scheme: 'EM', value: 'compta@exemple.example' },
    });
  });

  it('contains the buyer reference, electronic address and registration number from the custom fields of the account', () => {
    const document = eInvoiceOf(taxed(viewedItem('RECURRING', '100'), { tax: '19' }), {
      profile: 'XRECHNUNG',
      customFields: {
        buyerReference: '04011000-12345-03',
        electronicAddress: '0204:04011000-12345-03',
        registrationNumber: '303265045',
      },
    });
    expect(document.buyerReference).to.equal('04011000-12345-03');
    expect(document.buyer).to.deep.include({
      endpoint: { scheme: '0204', value: '04011000-12345-03' },
      registration: { scheme: '0002', value: '303265045' },
    });
  });

  it('names the credited invoice if it is a credit note', () => {
    const note = {
      creditNoteNumber: 3,
      formattedNumber: 'C-3',
      creditNoteDate: localDate(2026, 11, 25),
      currency: 'EUR',
    };
    const document = eInvoiceOf(taxed(viewedItem('RECURRING', '100'), { tax: '19' }), {
      note: note as never,
    });
    expect(document).to.include({ typeCode: '381', number: 'C-3', issueDate: '2026-11-25', dueDate: null });
    expect(document.precedingInvoice).to.eql({ number: '17', issueDate: '2026-11-23' });
    expect(document.totals).to.include({ gross: '119.00', prepaid: '0.00', payable: '119.00' });
  });

  it('contains the periods of the repairs if it is a credit note', () => {
    const repair = viewedItem('REPAIR_ADJ', '50', {
      startDate: localDate(2026, 11, 11),
      endDate: localDate(2026, 12, 1),
    });
    const note = { creditNoteNumber: 3, creditNoteDate: localDate(2026, 11, 25), currency: 'EUR' };
    const document = eInvoiceOf(taxed(repair, { tax: '9.5' }), { note: note as never });
    const period = { start: '2026-11-11', end: '2026-11-30' };
    expect([document.period, document.lines[0]?.period]).to.eql([period, period]);
  });

  it('removes characters that XML does not allow, and keeps all other characters', () => {
    const item = viewedItem('EXTERNAL_CHARGE', '100');
    const hostile = '\u0000\u0007<b>&"\u202Etxet\uFFFE 🎉 \ud800';
    const document = eInvoiceOf(taxed(item, { tax: '19' }), {
      names: new Map([[item.id, { name: hostile, detail: `a\r\n${hostile}`, notes: [] }]]),
      buyer: buyer({ legalName: hostile }),
      invoice: { currency: 'EUR', note: hostile },
    });
    expect(document.lines[0]).to.include({
      name: '<b>&"\u202Etxet 🎉 \uFFFD',
      description: 'a\n<b>&"\u202Etxet 🎉 \uFFFD',
    });
    expect(document.buyer.name).to.equal('<b>&"\u202Etxet 🎉 \uFFFD');
    expect(document.note).to.equal('<b>&"\u202Etxet 🎉 \uFFFD');
  });
});
