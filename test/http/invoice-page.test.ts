import { expect } from 'chai';
import type { CreditNoteView } from '../../lib/index.ts';
import { BUILT_IN_TEMPLATE } from '../../lib/invoicing/documents/built-in-template.ts';
import { invoiceData } from '../../lib/invoicing/documents/invoice-data.ts';
import type { InvoiceToRender, RenderedInvoice } from '../../lib/invoicing/documents/rendered-invoice.ts';
import { renderedInvoice, renderingCreditNote } from '../../lib/invoicing/documents/rendered-invoice.ts';
import { parseTemplate, renderingTemplate } from '../../lib/invoicing/documents/template.ts';
import { atOnce } from '../../lib/runtime/index.ts';
import { domOf, installedBrowser, printed } from '../support/browser.ts';
import { toRender, viewedItem } from '../support/invoicing/documents.ts';

const template = parseTemplate(BUILT_IN_TEMPLATE);
const company = new Map([
  ['companyName', 'Orchard Software, Inc.'],
  ['companyAddress', '1200 Market Street, Suite 400'],
  ['companyCityProvincePostalCode', 'San Francisco, CA 94103'],
  ['companyCountry', 'United States'],
  ['invoiceFooter', 'Questions? billing@orchard.example'],
]);

const customers = {
  en_US: { company: 'Acme Widgets LLC', name: 'Jane Doe', city: 'Cambridge', state: 'MA', country: 'US' },
  de_DE: {
    company: 'Donaudampfschifffahrtsgesellschaftskapitänsverein e. V.',
    city: 'Passau',
    country: 'DE',
  },
  ar_EG: { company: 'شركة النيل للبرمجيات', name: 'أحمد عبد الله', city: 'القاهرة', country: 'EG' },
} as const;
const currencies = { en_US: 'USD', de_DE: 'EUR', ar_EG: 'EGP' } as const;

type Language = keyof typeof customers;
const languages = Object.keys(customers) as readonly Language[];

/** Returns an invoice with this many lines, some of them long, and with credit. */
function invoiceOf(locale: Language, lines: number): InvoiceToRender {
  const items = Array.from({ length: lines }, (_, index) =>
    index % 7 === 3
      ? viewedItem('EXTERNAL_CHARGE', '1234567.5', {
          description:
            'Consulting: migration of the legacy inventory system, two days on site, travel included',
        })
      : viewedItem('RECURRING', '29.95'),
  );
  return toRender([...items, viewedItem('CBA_ADJ', '-5')], {
    of: { locale, ...customers[locale] },
    invoice: { currency: currencies[locale] },
    translations: new Map([['en', company]]) as never,
  });
}

function pageOf(locale: Language, lines: number): string {
  return htmlOf(renderedInvoice(invoiceOf(locale, lines)));
}

function notePageOf(locale: Language, lines: number): string {
  const given = invoiceOf(locale, lines);
  const items = given.invoice.items.filter(({ itemType }) => itemType !== 'CBA_ADJ');
  const invoice = { ...given.invoice, items };
  const { id, accountId, currency, invoiceDate: creditNoteDate, createdDate } = invoice;
  const note: CreditNoteView = {
    recordId: 1,
    id,
    accountId,
    accountRecordId: 1,
    invoiceId: id,
    creditNoteNumber: 7,
    formattedNumber: null,
    reason: 'VOID',
    creditNoteDate,
    amount: invoice.amount,
    currency,
    lines: items.map(({ id: itemId, amount }) => ({ itemId, amount })),
    createdDate,
  };
  return htmlOf(atOnce(renderingCreditNote({ ...given, invoice, note })));
}

function htmlOf(view: RenderedInvoice): string {
  return atOnce(renderingTemplate(template, invoiceData(view)));
}

interface Seen {
  readonly direction: string;
  readonly overflow: number;
  readonly rows: number;
  readonly smallestText: number;
  readonly contrast: number;
  /** Amounts that do not end at the edge of the table, and texts that overlap. */
  readonly misplaced: readonly string[];
  readonly resources: number;
}

/** Runs in the browser for the document of each frame. */
const look = `(frame) => {
  const { contentDocument: doc, contentWindow: win } = frame;
  const root = doc.documentElement;
  const rgb = (text) => text.match(/[\\d.]+/g).slice(0, 3).map((each) => {
    const part = each / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const light = (color) => { const [r, g, b] = rgb(color); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const texts = [...doc.querySelectorAll('body *')].filter((each) =>
    [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''));
  const table = doc.querySelector('table').getBoundingClientRect();
  const isRtl = win.getComputedStyle(root).direction === 'rtl';
  const misplaced = [];
  for (const row of doc.querySelectorAll('tbody tr')) {
    const boxes = [...row.cells].map((cell) => {
      const range = doc.createRange();
      range.selectNodeContents(cell);
      return range.getBoundingClientRect();
    });
    const amount = boxes.at(-1);
    const end = isRtl ? amount.left - table.left : table.right - amount.right;
    if (Math.abs(end) > 1.5) misplaced.push('amount ' + row.innerText);
    for (const [index, one] of boxes.entries())
      for (const other of boxes.slice(index + 1))
        if (one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1)
          misplaced.push('overlap ' + row.innerText);
  }
  return {
    direction: win.getComputedStyle(root).direction,
    overflow: root.scrollWidth - root.clientWidth,
    rows: doc.querySelectorAll('tbody tr:not(.sum)').length,
    smallestText: Math.min(...texts.map((each) => parseFloat(win.getComputedStyle(each).fontSize))),
    contrast: Math.min(...texts.map((each) => 1.05 / (light(win.getComputedStyle(each).color) + 0.05))),
    misplaced,
    resources: win.performance.getEntriesByType('resource').length,
  };
}`;

/** Returns one page that shows all pages in frames, inspects each and writes the findings. */
function gallery(pages: readonly { readonly html: string; readonly width: number }[]): string {
  const attribute = (html: string) => html.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const frames = pages.map(
    ({ html, width }) =>
      `<iframe style="width:${width}px;height:900px;border:0" srcdoc="${attribute(html)}"></iframe>`,
  );
  return `<!DOCTYPE html><meta charset="utf-8">${frames.join('')}<pre id="seen"></pre><script>
    addEventListener('load', () => {
      const seen = [...document.querySelectorAll('iframe')].map(${look});
      document.body.innerHTML = '<pre id="seen">' + encodeURIComponent(JSON.stringify(seen)) + '</pre>';
    });
  </script>`;
}

const browser = installedBrowser();

describe('built-in invoice page in a browser', () => {
  before(function () {
    if (browser !== null) return;
    process.stderr.write(
      '    NOT LOOKED AT: no browser is installed, so nobody has looked at the built-in page (apt-get install chromium, or BILLWRIGHT_TEST_BROWSER=/path/to/chromium)\n',
    );
    this.skip();
  });

  for (const { what: title, page, counts } of [
    { what: 'an invoice', page: pageOf, counts: [1, 40, 400] },
    { what: 'a credit note', page: notePageOf, counts: [1, 40] },
  ])
    it(`is readable on screens and phones for ${title} with ${counts.join(', ')} lines, in English, German and Arabic`, async function () {
      this.timeout(180_000);
      const cases = languages.flatMap((language) =>
        counts.flatMap((lines) => [360, 900].map((width) => ({ language, lines, width }))),
      );
      const pages = cases.map(({ language, lines, width }) => ({ html: page(language, lines), width }));
      const dom = await domOf(browser ?? '', gallery(pages));
      const [, found = ''] = /<pre id="seen">([^<]*)<\/pre>/.exec(dom) ?? [];
      const seen = JSON.parse(decodeURIComponent(found)) as readonly Seen[];
      expect(seen).to.have.length(cases.length);
      for (const [index, each] of seen.entries()) {
        const { language, lines, width } = cases[index] ?? { language: 'en_US', lines: 0, width: 0 };
        const what = `${language}, ${lines} lines, ${width} px: ${JSON.stringify(each.misplaced.slice(0, 2))}`;
        expect(each.rows, what).to.equal(lines);
        expect(each.overflow, what).to.be.at.most(0);
        expect(each.misplaced, what).to.eql([]);
        expect(each.direction, what).to.equal(language === 'ar_EG' ? 'rtl' : 'ltr');
        expect(each.smallestText, what).to.be.at.least(13);
        // WCAG 2 AA requires 4.5, AAA 7.
        expect(each.contrast, what).to.be.at.least(4.5);
        expect(each.resources, what).to.equal(0);
      }
    });

  for (const [paper, pages] of [
    ['A4', 16],
    ['letter', 17],
  ] as const)
    it(`prints 400 lines on ${paper} in about ${pages} pages`, async function () {
      this.timeout(180_000);
      const html = pageOf('en_US', 400).replace('@page {', `@page { size: ${paper};`);
      expect(html).to.contain(`size: ${paper}`);
      const pdf = (await printed(browser ?? '', html)).toString('latin1');
      const count = pdf.match(/\/Type\s*\/Page[^s]/g)?.length ?? 0;
      expect(count).to.be.within(pages - 3, pages + 3);
    });
});
