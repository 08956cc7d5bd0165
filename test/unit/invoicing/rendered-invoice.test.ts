import { builtInTexts } from '../../../lib/invoicing/documents/built-in-texts.ts';
import type { Locale } from '../../../lib/invoicing/documents/locale.ts';
import { fromMostSpecific, languageTag, parseLocale } from '../../../lib/invoicing/documents/locale.ts';
import { type RenderedInvoice, renderedInvoice } from '../../../lib/invoicing/documents/rendered-invoice.ts';
import { InvoiceItemType } from '../../../lib/records/index.ts';
import { toRender, viewedItem } from '../../support/invoicing/documents.ts';
import { invoice } from '../../support/payments/payment-records.ts';
import { type Currency, currencyCodes, decimal, expect, localDate } from '../../support/unit.ts';

const month = (amount: string, members = {}) => viewedItem('RECURRING', amount, members);

const linesOf = ({ lines }: RenderedInvoice) =>
  lines.map(({ name, detail, formattedAmount }) =>
    plain([name, detail, formattedAmount].filter((each) => each !== null).join(' | ')),
  );
const plain = (text: string) =>
  text.replaceAll(/[\u00a0\u202f\u2009]/g, ' ').replaceAll(/[\u200e\u200f\u061c]/g, '');
const texts = (entries: Record<string, Record<string, string>>) =>
  new Map(Object.entries(entries).map(([locale, of]) => [locale as Locale, new Map(Object.entries(of))]));

describe('localized invoice views', () => {
  describe('invoice lines', () => {
    it('combine credits in one line, followed by account credit, and omit zero lines (invoicing §14 rule 4)', () => {
      const view = renderedInvoice(
        toRender([
          viewedItem('CBA_ADJ', '-5'),
          month('0'),
          viewedItem('CREDIT_ADJ', '-1', { description: 'Sorry' }),
          month('20'),
          viewedItem('CREDIT_ADJ', '-2', { description: 'Sorry again' }),
          viewedItem('CBA_ADJ', '-3.5'),
          viewedItem('ITEM_ADJ', '0.004'),
        ]),
      );
      expect(linesOf(view)).to.eql([
        'Gold, monthly | $20.00',
        'Credit | -$3.00',
        'Account credit used | -$8.50',
      ]);
    });

    it('omit a line whose credits add up to zero (invoicing §14 rule 4)', () => {
      const view = renderedInvoice(
        toRender([month('20'), viewedItem('CBA_ADJ', '-5'), viewedItem('CBA_ADJ', '5')]),
      );
      expect(linesOf(view)).to.eql(['Gold, monthly | $20.00']);
    });

    it('show lines, account credit and payments that add up to the balance (invoicing §14 rule 4)', () => {
      const view = renderedInvoice(
        toRender(
          [month('20'), viewedItem('TAX', '3.8', { description: 'VAT' }), viewedItem('CBA_ADJ', '-5')],
          { invoice: { paid: '10' } },
        ),
      );
      const { formattedTotal, accountCredit, formattedPaidAmount, formattedBalance, totalledLines } = view;
      expect(totalledLines.map(({ name }) => name)).to.eql(['Gold, monthly', 'VAT']);
      expect([formattedTotal, accountCredit?.formattedAmount, formattedPaidAmount, formattedBalance]).to.eql([
        '$23.80',
        '-$5.00',
        '$10.00',
        '$8.80',
      ]);
      expect([view.formattedChargedAmount, view.status]).to.eql(['$23.80', null]);
    });

    it('have two totals of 0 if an invoice only converts a credit into account credit (invoicing §14 rule 4)', () => {
      const view = renderedInvoice(
        toRender([viewedItem('CREDIT_ADJ', '-300'), viewedItem('CBA_ADJ', '300')]),
      );
      expect([view.formattedTotal, view.accountCredit, view.totalledLines.length]).to.eql(['$0.00', null, 2]);
    });

    it('show the paid amount minus refunds (invoicing §14 rule 4)', () => {
      const refunded = { refundAdj: decimal('-4'), rawBalance: decimal('14') };
      const view = renderedInvoice(toRender([month('20')], { invoice: refunded }));
      expect([view.formattedPaidAmount, view.formattedRefundedAmount, view.formattedBalance]).to.eql([
        '$6.00',
        '$4.00',
        '$14.00',
      ]);
    });

    for (const [what, members, status] of [
      ['paid', { paid: '20' }, 'PAID'],
      ['partly paid', { paid: '19.99' }, null],
      ['written off', { isWrittenOff: true }, null],
      ['migrated from another system', { isMigration: true }, null],
      ['a draft', { status: 'DRAFT' }, 'DRAFT'],
      ['void', { status: 'VOID', paid: '20' }, 'VOID'],
    ] as const)
      it(`show ${status ?? 'no status'} for an invoice that is ${what} (invoicing §14 rule 4)`, () =>
        expect(renderedInvoice(toRender([month('20')], { invoice: members })).status).to.equal(status));

    for (const [what, members, status] of [
      ['not committed yet', { status: 'DRAFT' }, null],
      ['owed', { rawBalance: decimal('20') }, null],
      ['written off', { rawBalance: decimal('20'), isWrittenOff: true }, null],
      ['void', { status: 'VOID' }, null],
      ['paid', {}, 'PAID'],
    ] as const)
      it(`show ${status ?? 'no status'} for an invoice in a summary that is ${what} (invoicing §14 rule 4)`, () => {
        const summary = invoice({ rawBalance: decimal('0'), ...members });
        expect(renderedInvoice(toRender([month('20')], { summary })).status).to.equal(status);
      });

    it('do not show a zero invoice as paid (invoicing §14 rule 4)', () =>
      expect(renderedInvoice(toRender([month('0')])).status).to.equal(null));

    it('show the payment currency only when it differs from the invoice currency (invoicing §14 rule 4)', () => {
      const processed = (processedCurrency: Currency | null) =>
        renderedInvoice(toRender([month('1')], { processedCurrency })).processedCurrency;
      expect(['USD', 'EUR', null].map((each) => processed(each as Currency | null))).to.eql([
        null,
        'EUR',
        null,
      ]);
    });
  });

  describe('line names', () => {
    it('use the tenant translation of plans, phases and usages, or the catalog name if no translation exists (invoicing §14 rule 3)', () => {
      const catalogTranslations = texts({
        de: { 'gold-monthly': 'Gold monatlich', calls: 'Anrufe', 'gold-monthly-trial': 'Probezeit' },
        en_US: { 'gold-monthly': 'Gold (US)' },
      });
      const items = [
        month('1'),
        month('2', { phaseName: 'gold-monthly-trial', prettyPhaseName: null }),
        viewedItem('USAGE', '3', { usageName: 'calls', prettyUsageName: 'Calls' }),
        month('4', {
          planName: 'tin',
          prettyPlanName: null,
          phaseName: 'tin-discount',
          prettyPhaseName: 'First year',
        }),
      ];
      const of = (locale: string) => {
        const view = renderedInvoice(toRender(items, { of: { locale }, catalogTranslations }));
        return view.lines.map(({ name, detail }) => [name, detail]);
      };
      expect(of('de_AT')).to.eql([
        ['Gold monatlich', null],
        ['Gold monatlich', 'Probezeit'],
        ['Gold monatlich', 'Anrufe'],
        ['tin', 'First year'],
      ]);
      expect(of('fr_FR')).to.eql([
        ['Gold (US)', null],
        ['Gold (US)', null],
        ['Gold (US)', 'Calls'],
        ['tin', 'First year'],
      ]);
    });

    it('use the translation in the planName, phaseName and usageName fields, or the key if no translation exists (invoicing §14 rule 3)', () => {
      const catalogTranslations = texts({ en_US: { 'gold-monthly': 'Gold!' } });
      const [line] = renderedInvoice(toRender([month('1')], { catalogTranslations })).lines;
      expect([line?.planName, line?.phaseName, line?.usageName]).to.eql([
        'Gold!',
        'gold-monthly-evergreen',
        null,
      ]);
    });

    it('use engine descriptions in the reader’s language, and user descriptions unchanged', () => {
      const charge = month('20');
      const view = renderedInvoice(
        toRender(
          [
            charge,
            viewedItem('REPAIR_ADJ', '-1', { description: 'Adjustment (subscription change)' }),
            viewedItem('REPAIR_ADJ', '-8', { description: 'Adjustment (usage)' }),
            viewedItem('ITEM_ADJ', '-2', { description: 'Invoice item adjustment', linkedItemId: charge.id }),
            viewedItem('EXTERNAL_CHARGE', '3', { description: 'External charge' }),
            viewedItem('EXTERNAL_CHARGE', '4', { description: 'Tax' }),
            viewedItem('TAX', '5', { description: 'Tax' }),
            viewedItem('CREDIT_ADJ', '-6', { description: 'Invoice adjustment' }),
            viewedItem('CBA_ADJ', '7'),
          ],
          { of: { locale: 'de' } },
        ),
      );
      expect(linesOf(view)).to.eql([
        'Gold, monthly | 20,00 $',
        'Korrektur wegen Vertragsänderung | -1,00 $',
        'Korrektur der Nutzung | -8,00 $',
        'Korrektur | Gold, monthly | -2,00 $',
        'Leistung | 3,00 $',
        'Tax | 4,00 $',
        'Steuer | 5,00 $',
        'Gutschrift | -6,00 $',
        'Ihrem Guthaben gutgeschrieben | 7,00 $',
      ]);
    });

    it('have a name for every item type without a description', () => {
      for (const type of Object.values(InvoiceItemType)) {
        const [line] = renderedInvoice(
          toRender([viewedItem(type, '1', { planName: null, description: null })]),
        ).lines;
        expect(line?.name, type).to.match(/\S/);
      }
    });
  });

  describe('formats of amounts and days', () => {
    for (const [locale, currency, amount, formatted] of [
      ['en_US', 'USD', '1234567.895', '$1,234,567.90'],
      ['en_US', 'USD', '-0.001', '$0.00'],
      ['de_DE', 'EUR', '-1234.5', '-1.234,50 €'],
      ['fr_FR', 'EUR', '1234.5', '1 234,50 €'],
      ['ja_JP', 'JPY', '1234', '￥1,234'],
      ['en_US', 'KWD', '1.2345', 'KWD 1.235'],
      ['en_US', 'BTC', '0.00000001', 'BTC 0.00000001'],
      ['ar_EG', 'EGP', '1234.5', '١٬٢٣٤٫٥٠ ج.م.'],
      ['he_IL', 'ILS', '1234.5', '1,234.50 ₪'],
      ['en_IN', 'INR', '1234567', '₹12,34,567.00'],
      ['en_US', 'USD', '12345678901234567890.12', '$12,345,678,901,234,567,890.12'],
    ] as const)
      it(`write ${amount} ${currency} in ${locale} as ${formatted} (invoicing §14 rule 4)`, () => {
        const { formats } = renderedInvoice(toRender([], { of: { locale } }));
        expect(plain(formats.amount(decimal(amount), currency))).to.equal(plain(formatted));
      });

    it('format every currency of the table with its number of decimals (invoicing §14 rule 4)', () => {
      const { formats } = renderedInvoice(toRender([]));
      for (const currency of currencyCodes) expect(formats.amount(decimal('1'), currency)).to.match(/1/);
    });

    it('use the Gregorian calendar with the words of the locale (invoicing §14 rule 4)', () => {
      const of = (locale: string) => {
        const [line] = renderedInvoice(toRender([month('1')], { of: { locale } })).lines;
        const { formattedStartDate, formattedEndDate, formattedLastDay, formattedPeriod } = line ?? {};
        return [formattedStartDate, formattedEndDate, formattedLastDay, formattedPeriod].map((each) =>
          plain(each ?? ''),
        );
      };
      expect(of('en_US')).to.eql(['Nov 1, 2026', 'Dec 1, 2026', 'Nov 30, 2026', 'Nov 1 – 30, 2026']);
      expect(of('de_DE')).to.eql(['01.11.2026', '01.12.2026', '30.11.2026', '01.–30.11.2026']);
      expect(of('th_TH')[0]).to.contain('2026');
      expect(of('fa_IR')[0]).to.contain('۲۰۲۶');
    });

    it('include a single date for a one-day item, and no date for an item without dates (invoicing §14 rule 4)', () => {
      const view = renderedInvoice(
        toRender([
          month('1', { endDate: null }),
          month('2', { startDate: null, endDate: null }),
          month('3', { endDate: localDate(2026, 11, 1) }),
          month('4', { endDate: localDate(2026, 11, 2) }),
        ]),
      );
      expect(view.lines.map(({ formattedPeriod }) => formattedPeriod)).to.eql([
        'Nov 1, 2026',
        null,
        'Nov 1, 2026',
        'Nov 1, 2026',
      ]);
    });

    it('use the default locale for an invalid or unknown locale (invoicing §14 rule 3)', () => {
      for (const locale of [
        null,
        '',
        'not a locale',
        'xx_YY',
        'e',
        '-',
        'de-',
        `de_${'x'.repeat(9)}`,
        'en_US; DROP',
      ]) {
        const view = renderedInvoice(toRender([], { of: { locale }, defaultLocale: 'de_DE' as Locale }));
        expect([view.locale, view.language, plain(view.formattedBalance)], `${locale}`).to.eql([
          'de_DE',
          'de-DE',
          '0,00 $',
        ]);
      }
    });

    it('use en_US if the default locale is also unknown (invoicing §14 rule 3)', () => {
      const view = renderedInvoice(toRender([], { of: { locale: 'xx' }, defaultLocale: 'qq_QQ' as Locale }));
      expect([view.locale, view.language, view.text('invoiceTitle')]).to.eql(['en_US', 'en-US', 'Invoice']);
    });
  });

  describe('translated texts', () => {
    it('use the text of the locale, the language or the default locale, with the key as the last resort (invoicing §14 rule 3)', () => {
      const translations = texts({
        de_AT: { invoiceTitle: 'Faktura' },
        de: { invoiceTitle: 'Beleg', invoiceDate: 'Tag' },
        en_US: { companyName: 'ACME', invoiceNumber: 'No.', own: 'mine' },
      });
      const { text } = renderedInvoice(toRender([], { of: { locale: 'de-at' }, translations }));
      expect(
        [
          'invoiceTitle',
          'invoiceDate',
          'invoiceNumber',
          'companyName',
          'own',
          'companyCountry',
          'unknown',
          'toString',
        ].map(text),
      ).to.eql(['Faktura', 'Tag', 'Rechnungsnummer', 'ACME', 'mine', '', 'unknown', 'toString']);
    });

    it('have texts in every built-in language, except for the company texts (invoicing §14 rule 3)', () => {
      const keys = (language: string) => [...(builtInTexts.get(language as Locale)?.keys() ?? [])];
      const company = /^company|^invoiceFooter$|^invoicePaymentInstructions$/;
      const own = keys('en').filter((key) => !company.test(key));
      expect(own).to.have.length.above(20);
      for (const language of builtInTexts.keys()) {
        expect(
          keys(language).filter((key) => !company.test(key)),
          language,
        ).to.eql(own);
        expect(
          [...(builtInTexts.get(language)?.entries() ?? [])].filter(
            ([key, text]) => text === '' && !company.test(key),
          ),
        ).to.eql([]);
      }
    });

    for (const [locale, language, direction] of [
      ['ar_EG', 'ar-EG', 'rtl'],
      ['he', 'he', 'rtl'],
      ['iw_IL', 'he-IL', 'rtl'],
      ['de_CH', 'de-CH', 'ltr'],
      // There are no texts in Urdu, so the document uses English and its direction.
      ['ur_PK', 'en-US', 'ltr'],
    ] as const)
      it(`have the language ${language} and the direction ${direction} for ${locale} (invoicing §14 rule 3)`, () => {
        const view = renderedInvoice(toRender([], { of: { locale } }));
        expect([view.language, view.direction]).to.eql([language, direction]);
      });

    it('can be in a language that is not built in (invoicing §14 rule 3)', () => {
      const translations = texts({ ur: { invoiceTitle: 'رسید' } });
      const view = renderedInvoice(toRender([], { of: { locale: 'ur_PK' }, translations }));
      expect([view.language, view.direction, view.text('invoiceTitle'), view.text('invoiceDate')]).to.eql([
        'ur-PK',
        'rtl',
        'رسید',
        'Date',
      ]);
    });

    it('normalize each locale to one spelling', () => {
      expect(
        ['de-at', 'DE_AT', 'zh_hant_tw', 'iw_IL', ' en_US ', 'de_1901'].map((each) => parseLocale(each)),
      ).to.eql(['de_AT', 'de_AT', 'zh_Hant_TW', 'he_IL', 'en_US', 'de_1901']);
      expect(
        ['', 'e', 'root', 'de_', '_de', '../de', 'de/AT', 'dé', 'x'.repeat(36)].map((each) =>
          parseLocale(each),
        ),
      ).to.eql(Array.from({ length: 9 }));
      const [first = '', ...rest] = fromMostSpecific('zh_Hant_TW' as Locale);
      expect([first, ...rest]).to.eql(['zh_Hant_TW', 'zh_Hant', 'zh']);
      expect(languageTag('zh_Hant_TW' as Locale)).to.equal('zh-Hant-TW');
    });
  });
});
