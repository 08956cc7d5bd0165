import { existsSync } from 'node:fs';
import { pdfRenderer } from '../../../adapters/pdf/index.ts';
import { BUILT_IN_TEMPLATE } from '../../../lib/invoicing/documents/built-in-template.ts';
import { invoiceData } from '../../../lib/invoicing/documents/invoice-data.ts';
import { printableInvoice } from '../../../lib/invoicing/documents/printable-invoice.ts';
import { type RenderedInvoice, renderedInvoice } from '../../../lib/invoicing/documents/rendered-invoice.ts';
import { parseTemplate, renderingTemplate } from '../../../lib/invoicing/documents/template.ts';
import { atOnce } from '../../../lib/runtime/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import {
  discountedItem,
  seller,
  taxOf,
  toRender,
  usageOf,
  viewedItem,
} from '../../support/invoicing/documents.ts';
import { readPdf } from '../../support/pdf/pdf-text.ts';
import { decimal, expect } from '../../support/unit.ts';

const FONTS = process.env.BILLWRIGHT_TEST_FONTS ?? '/usr/share/fonts/truetype/noto';

const fontFile = (script: string, weight: string) => `${FONTS}/NotoSans${script}-${weight}.ttf`;

/** Ids with digits and signs, which a wrong direction would reorder. */
const ids = [
  'DE136695976',
  'HRB 12345 B',
  '+49 30 123456',
  '123-456-789',
  'DE89 3704 0044 0532 0130 00',
  'COBADEFFXXX',
  'PO 4711-22/A',
  'A-1/B-2',
  '(v2.0)',
] as const;

const languages = [
  {
    locale: 'ar_EG',
    script: 'Arabic',
    buyer: 'شركة النيل',
    rows: [
      '١٠٠٫٠٠ | ١٩٪ | Gold, monthly',
      '٢٠٫٠٠ | × | ٥',
      '١١٥٫٠٠ | ٧٪ | Gold, monthly',
      '١٬٢٣٤٫٥٦ | ٧٪ | (v2.0)',
      '١٬٤٤٩٫٥٦',
      '١٩٫٠٠ | ١٩٪',
      '٩٤٫٤٧ | ٧٪',
      '١٬٣٤٩٫٥٦',
      '١٬٥٦٣٫٠٣',
    ],
    calls: '١٢٬٤٠٠ API calls',
    due: '٢٠٢٦ | ١٢ | ٠٧',
  },
  {
    locale: 'he_IL',
    script: 'Hebrew',
    buyer: 'חברת הירדן',
    rows: [
      '100.00 | 19% | Gold, monthly',
      '20.00 | × | 5',
      '115.00 | 7% | Gold, monthly',
      '1,234.56 | 7% | (v2.0)',
      '1,449.56',
      '19.00 | 19%',
      '94.47 | 7%',
      '1,349.56',
      '1,563.03',
    ],
    calls: '12,400 API calls',
    due: '2026 | 7',
  },
] as const;

function invoiceIn({ locale, buyer }: (typeof languages)[number]): RenderedInvoice {
  const plan = viewedItem('RECURRING', '100', {
    quantity: decimal(5),
    rate: decimal(100),
    unitPrice: decimal(20),
  });
  const usage = usageOf('12400');
  const work = viewedItem('EXTERNAL_CHARGE', '1234.56', { description: `${buyer} (v2.0)` });
  return renderedInvoice(
    toRender([plan, usage, work, taxOf(plan, '19'), taxOf(usage, '7'), taxOf(work, '7')], {
      seller: seller({ name: buyer, legalName: `${buyer} 7`, notes: { '*': `${buyer} A-1/B-2` } }),
      of: { locale, country: 'DE', name: buyer, taxId: '123-456-789' },
      invoice: { note: 'PO 4711-22/A' },
    }),
  );
}

const template = parseTemplate(BUILT_IN_TEMPLATE);
const unescaped = (html: string) => html.replaceAll('&#x2F;', '/').replaceAll('&#x3D;', '=');
const visible = (text: string) => text.replaceAll(/[\u200e\u200f\u061c\u2066-\u2069]/g, '');

describe('right-to-left documents (invoicing §14 rules 3, 6 and 11)', () => {
  for (const language of languages) {
    const { locale, script, rows, calls, due } = language;
    const view = invoiceIn(language);

    it(`have a right-to-left ${script} page with every id and line in logical order`, () => {
      const html = unescaped(atOnce(renderingTemplate(template, invoiceData(view))));
      expect(html).to.include(`<html lang="${locale.replace('_', '-')}" dir="rtl">`);
      const text = visible(html);
      for (const id of ids) expect(text).to.include(id);
      for (const { name, notes, formattedAmount } of view.pageLines)
        for (const part of [name, formattedAmount, ...notes]) expect(text).to.include(visible(part));
      for (const { label, value, details = [] } of [...view.totals, ...view.paymentDetails])
        for (const part of [label, value, ...details]) expect(text).to.include(visible(part));
      // Label and id can have different directions.
      for (const id of ['DE136695976', 'HRB 12345 B', '123-456-789'])
        expect(html).to.match(new RegExp(`<bdi>[^<]*: \u2068${id}\u2069</bdi>`));
    });

    it(`have a ${script} PDF with every id and line and with the first column on the right`, async function () {
      const [regular, bold] = [fontFile(script, 'Regular'), fontFile(script, 'Bold')];
      if (![regular, bold].every((file) => existsSync(file))) {
        process.stderr.write(
          `    SKIPPED: ${regular} is missing (apt-get install fonts-noto-core, or BILLWRIGHT_TEST_FONTS=/path)\n`,
        );
        return this.skip();
      }
      const renderer = pdfRenderer({ fonts: [{ regular, bold }] });
      const { bytes, missingCharacters } = await renderer.pdf(printableInvoice(view, 0 as Instant));
      expect(missingCharacters).to.equal('');
      const { pages, language: read } = await readPdf(bytes);
      const lines = pages.flat();
      expect(read).to.equal(locale.replace('_', '-'));
      for (const id of ids) expect(lines.join('\n')).to.include(id);
      expect(lines).to.include(calls);
      // From left to right: amount, rate, period, name.
      for (const row of rows)
        expect(
          lines.filter((line) => hasInOrder(line, row)),
          row,
        ).to.not.eql([]);
      expect(lines.filter((line) => hasInOrder(line, due))).to.have.length.of.at.least(2);
      expect(pages.map((page) => page.at(-1))).to.eql(['1 / 1']);
    });
  }

  it('isolate the names of coupons from amounts', () => {
    const item = discountedItem(
      '14',
      [
        ['Spring', '6'],
        ['Ten', '10'],
      ],
      { rate: 14 },
    );
    const [line] = renderedInvoice(toRender([item], { of: { locale: 'he_IL' } })).lines;
    const amount = '\u2068[^\u2069]+\u2069';
    const pattern = `^[^:]+: ${amount} · \u2068Spring\u2069: ${amount} · \u2068Ten\u2069: ${amount}$`;
    expect(line?.notes).to.have.length(1);
    expect(line?.notes[0]).to.match(new RegExp(pattern));
  });
});

/** True if the line contains the parts of the row from left to right. */
function hasInOrder(line: string, row: string): boolean {
  let from = 0;
  return row.split(' | ').every((part) => {
    const place = line.indexOf(part, from);
    from = place + part.length;
    return place >= 0;
  });
}
