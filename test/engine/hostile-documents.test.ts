import { deflateSync } from 'node:zlib';
import { pdfRenderer } from '../../adapters/pdf/index.ts';
import type { SellerLogo } from '../../lib/index.ts';
import { BUILT_IN_TEMPLATE } from '../../lib/invoicing/documents/built-in-template.ts';
import { invoiceData } from '../../lib/invoicing/documents/invoice-data.ts';
import { printableInvoice } from '../../lib/invoicing/documents/printable-invoice.ts';
import { type RenderedInvoice, renderedInvoice } from '../../lib/invoicing/documents/rendered-invoice.ts';
import { parseTemplate, renderingTemplate } from '../../lib/invoicing/documents/template.ts';
import { atOnce } from '../../lib/runtime/index.ts';
import type { Instant } from '../../lib/values/time/index.ts';
import { seller, taxOf, toRender, usageOf, viewedItem } from '../support/invoicing/documents.ts';
import { sampled } from '../support/long-run.ts';
import { pageTags, readPdf, textBoxes } from '../support/pdf/pdf-text.ts';
import { decimal, expect } from '../support/unit.ts';

/** Creates an invoice with `text` in every field that people can fill. */
function invoiceOf(
  text: string,
  { logo = null }: { readonly logo?: SellerLogo | null } = {},
): RenderedInvoice {
  const plan = viewedItem('RECURRING', '100', { prettyPlanName: text });
  const usage = usageOf('12400');
  const [unit] = usage.usage;
  const hostileUsage = { ...usage, usage: unit === undefined ? [] : [{ ...unit, unit: text, name: text }] };
  const charge = viewedItem('EXTERNAL_CHARGE', '5', { description: text, quantity: decimal(2) });
  const exempt = { taxCategory: 'E', taxRate: null, taxExemption: text, description: text } as const;
  return renderedInvoice(
    toRender([plan, hostileUsage, charge, taxOf(plan, '19'), taxOf(charge, '0', exempt)], {
      seller: seller({
        name: text,
        legalName: `${text} `,
        address1: text,
        address2: text,
        city: text,
        state: text,
        postalCode: text,
        country: text,
        taxId: text,
        registrationNumber: text,
        email: text,
        phone: text,
        bankName: text,
        iban: text,
        bic: text,
        notes: { '*': text },
        logo,
      }),
      isManualPay: true,
      of: {
        locale: 'en_US',
        company: text,
        legalName: `${text}.`,
        name: `${text}!`,
        taxId: text,
        city: text,
      },
      invoice: { note: text },
    }),
  );
}

const template = parseTemplate(BUILT_IN_TEMPLATE);
const htmlOf = (view: RenderedInvoice) => atOnce(renderingTemplate(template, invoiceData(view)));
const pdfOf = (view: RenderedInvoice) => pdfRenderer().pdf(printableInvoice(view, 0 as Instant));

/** Returns the markup of a page without its texts. */
const markupOf = (html: string) => html.replaceAll(/>[^<]*</g, '><').replaceAll(/\b(?:alt|src)="[^"]*"/g, '');

const hostile = [
  ['markup', '</bdi></style><script>alert("x")</script><img src=x onerror=\'alert(1)\'>`&amp;'],
  ['template tags', '{{text.invoiceTitle}}{{{account.email}}}{{#invoice}}{{>x}}{{/invoice}}'],
  ['100,000 characters without a space', 'W'.repeat(100_000)],
  ['100,000 characters in lines', 'long words \n'.repeat(9_000)],
  ['control characters', 'a\u0001\u0007\u0008\u000b\u001b[31m\u007f\u0085\u2028\u2029\u200b\ufeffz'],
  ['right-to-left overrides', '\u202e\u202dabc\u2066\u2067\u202b123'],
  ['emoji', '👩‍👩‍👧‍👦🏳️‍🌈🇩🇪 tea 🍵'],
  ['half of a surrogate pair', 'a\ud800b'],
  ['many marks on a letter', `a${'\u0301'.repeat(250)}`],
  ['both directions', 'שלום abc مرحبا 123 (x)'],
] as const;

describe('hostile text and logos in documents', () => {
  const neutral = markupOf(htmlOf(invoiceOf('Text')));

  for (const [what, text] of hostile) {
    it(`cannot change the markup of the HTML page with ${what} (invoicing §14 rule 5)`, () => {
      const html = htmlOf(invoiceOf(text));
      expect(markupOf(html)).to.equal(neutral);
      expect(html)
        .to.not.contain('<script')
        .and.not.match(/<img src=x/);
    });
  }

  for (const [what, text] of sampled(hostile, 2, 1)) {
    it(`cannot leave the margins of the PDF with ${what} (invoicing §14 rule 6)`, async () => {
      const { bytes } = await pdfOf(invoiceOf(text));
      const boxes = await textBoxes(bytes);
      const pages = Math.max(...boxes.map(({ page }) => page));
      expect(pages).to.be.at.most(12);
      for (const { left, right, bottom, text: piece, page } of boxes) {
        const at = `${piece.slice(0, 40)} on page ${page} at ${left}–${right}, ${bottom}`;
        expect(left, at).to.be.at.least(47);
        // A letter as wide as the line leaves no room for the ellipsis.
        expect(right, at).to.be.at.most(595.28 - 48 + 12);
        expect(bottom, at).to.be.within(28, 842 - 48);
      }
      expect(boxes.some((box) => box.text.includes('Amount due'))).to.equal(true);
    });
  }

  it('are escaped in the title and author of a PDF (invoicing §14 rule 6)', async () => {
    const { bytes } = await pdfOf(invoiceOf('A & B <c>\u0001'));
    const { info } = await readPdf(bytes);
    expect(info).to.include({ Author: 'A & B <c>\u0001' });
    const [, metadata = ''] =
      /(<x:xmpmeta[\s\S]*?<\/x:xmpmeta>)/.exec(Buffer.from(bytes).toString('latin1')) ?? [];
    expect(metadata).to.contain('<rdf:li>A &amp; B &lt;c&gt;</rdf:li>');
  });

  it('are drawn in full, even in a row with more tiers than fit on a page (invoicing §14 rule 6)', async () => {
    const [unit] = usageOf('12400').usage;
    const [tier] = unit?.tiers ?? [];
    if (unit === undefined || tier === undefined) throw new Error('no tier');
    const tiers = Array.from({ length: 300 }, (_, index) => ({
      ...tier,
      tier: index,
      price: decimal(index + 1),
    }));
    const view = renderedInvoice(
      toRender([viewedItem('RECURRING', '1'), { ...usageOf('12400'), usage: [{ ...unit, tiers }] }]),
    );
    const { bytes } = await pdfRenderer().pdf(printableInvoice(view, 0 as Instant));
    const { pages } = await readPdf(bytes);
    const prices = pages.flat().flatMap((line) => /^10,000 × \$(\d+)\.00/.exec(line)?.[1] ?? []);
    expect(prices.map(Number)).to.eql(tiers.map((_, index) => index + 1));
    for (const page of pages.slice(1, -1)) expect(page[0]).to.contain('Description');
  });
});

describe('logos in documents', () => {
  const crcless = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type, 'latin1'), data, Buffer.alloc(4)]);
  };

  /** Returns a color PNG with transparency. */
  function png(width: number, height: number, pixels: Buffer): Uint8Array {
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width, 0);
    head.writeUInt32BE(height, 4);
    head.set([8, 6], 8);
    const signature = Buffer.from('89504e470d0a1a0a', 'hex');
    const parts = [crcless('IHDR', head), crcless('IDAT', pixels), crcless('IEND', Buffer.alloc(0))];
    return new Uint8Array(Buffer.concat([signature, ...parts]));
  }

  const row = Buffer.from([0, 255, 0, 0, 255]);
  const problemOf = async (mediaType: SellerLogo['mediaType'], bytes: Uint8Array) => {
    const { logoProblem, bytes: file } = await pdfOf(invoiceOf('Acme', { logo: { mediaType, bytes } }));
    expect((await readPdf(file)).pages.flat().join()).to.contain('Acme');
    return logoProblem ?? null;
  };

  it('are drawn if they are valid PNG images with transparency (invoicing §14 rule 6)', async () =>
    expect(await problemOf('image/png', png(1, 1, deflateSync(row)))).to.equal(null));

  it('are omitted from a PDF without an error if they are SVG images (invoicing §14 rule 6)', async () =>
    expect(await problemOf('image/svg+xml', new TextEncoder().encode('<svg/>'))).to.equal(null));

  it("are tagged with the seller's name, beside tagged headings, paragraphs and tables (invoicing §14 rule 6)", async () => {
    const bytes = png(1, 1, deflateSync(row));
    const { bytes: file } = await pdfOf(invoiceOf('Acme', { logo: { mediaType: 'image/png', bytes } }));
    const [first, second] = [await pageTags(file, 1), await pageTags(file, 2)];
    expect(first.slice(0, 11)).to.eql([
      'Document',
      ' H1',
      ' Figure "Acme"',
      ' P',
      ' P',
      ' P',
      ' Table',
      '  TR',
      '   TH',
      '   TD',
      '  TR',
    ]);
    expect([...first, ...second]).to.include(' H2');
    expect(first.filter((tag) => tag === '   TH')).to.have.length.above(7);
  });

  for (const [what, mediaType, bytes, problem] of [
    ['a PNG that is not compressed', 'image/png', png(1, 1, Buffer.from('no')), /cannot be decompressed/],
    ['a PNG with too few pixels', 'image/png', png(9, 9, deflateSync(row)), /too few/],
    [
      'a PNG that grows',
      'image/png',
      png(9, 9, deflateSync(Buffer.alloc(9_000_000))),
      /cannot be decompressed/,
    ],
    ['a PNG of too many pixels', 'image/png', png(90_000, 90_000, Buffer.alloc(9)), /at most 4000000/],
    [
      'a PNG with an unknown filter',
      'image/png',
      png(1, 1, deflateSync(Buffer.from([9, 1, 1, 1, 1]))),
      /filter/,
    ],
    ['an empty PNG', 'image/png', new Uint8Array(), /no valid header/],
    ['a JPEG that is text', 'image/jpeg', new TextEncoder().encode('JPEG'), /cannot be read/],
    ['a JPEG without a picture', 'image/jpeg', Uint8Array.from([255, 216, 255, 217]), /cannot be read/],
  ] as const)
    it(`are left out for ${what} (invoicing §14 rule 6)`, async () =>
      expect(await problemOf(mediaType, bytes)).to.match(problem));

  it('are embedded in the HTML page only as image data if they are SVG images (invoicing §14 rule 11)', () => {
    const bytes = new TextEncoder().encode('<svg onload="alert(1)"/>');
    const html = htmlOf(invoiceOf('Acme', { logo: { mediaType: 'image/svg+xml', bytes } }));
    expect(html).to.match(
      /<img class="logo" src="data:image&#x2F;svg\+xml;base64,[\w+]+(?:&#x3D;)*" alt="Acme">/,
    );
  });
});
