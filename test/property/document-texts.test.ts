import fc from 'fast-check';
import { parseProperties } from '../../lib/invoicing/documents/document-texts.ts';
import { invoiceData } from '../../lib/invoicing/documents/invoice-data.ts';
import { renderedInvoice } from '../../lib/invoicing/documents/rendered-invoice.ts';
import { parseTemplate, renderingTemplate } from '../../lib/invoicing/documents/template.ts';
import { atOnce } from '../../lib/runtime/index.ts';
import { forRuns } from '../support/for-all.ts';
import { toRender, viewedItem } from '../support/invoicing/documents.ts';
import { isLongRun } from '../support/long-run.ts';
import { BillingError, expect } from '../support/unit.ts';

const numRuns = isLongRun ? 50_000 : 500;

const names = [
  'a',
  '.',
  'text',
  'text.invoiceTitle',
  'invoice',
  'invoice.invoiceItems',
  'name',
  'account.name',
  'constructor',
  '__proto__',
];
const marks = ['{{', '}}', '{{{', '}}}', '{', '}', '#', '^', '/', '&', '>', '=', '!', ' ', '\n', '<b>', '"'];
const tag = fc
  .tuple(fc.constantFrom('#', '^', '/', '&', '', '!', ' '), fc.constantFrom(...names))
  .map(([sign, name]) => `{{${sign}${name}}}`);
const section = fc
  .tuple(fc.constantFrom('#', '^'), fc.constantFrom(...names), fc.array(tag, { maxLength: 3 }))
  .map(
    ([sign, name, inner]) =>
      `{{${sign}${name}}}${inner.filter((each) => !/[#^/]/.test(each)).join('')}{{/${name}}}`,
  );
const hostile = fc
  .array(fc.oneof(tag, section, section, fc.constantFrom(...marks, ...names)), { maxLength: 20 })
  .map((pieces) => pieces.join(''));

/** Contains only characters that templates do not use, so that it can be found in the page. */
const intruder = '<i onload="☠">\'`&☠;';
const view = renderedInvoice(
  toRender([viewedItem('EXTERNAL_CHARGE', '1', { description: intruder }), viewedItem('TAX', '2')], {
    of: { name: intruder },
    translations: new Map([['en', new Map([['invoiceTitle', intruder]])]]) as never,
  }),
);
const data = invoiceData(view);

describe('arbitrary document texts', () => {
  it('are rejected as templates with a reason, or rendered with markup in values escaped (invoicing §14 rule 5)', () => {
    let [rendered, shown] = [0, 0];
    forRuns(numRuns, [hostile], (source) => {
      let page: string;
      try {
        page = atOnce(renderingTemplate(parseTemplate(source), data));
      } catch (error) {
        expect(error).to.be.instanceOf(BillingError).with.property('code', 60_003);
        return;
      }
      rendered += 1;
      if (page.includes('☠')) shown += 1;
      expect(page).to.not.contain('<i').and.not.contain('"☠').and.not.contain("'`").and.not.contain('&☠');
      expect(page).to.not.match(/function|\[object|native code/);
    });
    expect(rendered).to.be.greaterThan(numRuns / 20);
    expect(shown).to.be.greaterThan(0);
  });

  it('are preserved as property keys and values (invoicing §14 rule 3)', () => {
    const text = fc
      .string({ unit: 'grapheme', maxLength: 12 })
      .filter((each) => each.isWellFormed() && !each.includes('\0'));
    const written = (each: string) =>
      [...each]
        .map((character) =>
          /[\\=:#! \t\n\r\f]/.test(character)
            ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
            : character,
        )
        .join('');
    forRuns(numRuns, [fc.dictionary(text, text, { noNullPrototype: true })], (entries) => {
      const source = Object.entries(entries).map(([key, value]) => `  ${written(key)} = ${written(value)}`);
      expect([...parseProperties(source.join('\r\n'))]).to.eql(Object.entries(entries));
    });
  });

  it('are accepted as properties or rejected with a reason (invoicing §14 rule 3)', () => {
    const piece = fc.oneof(
      fc.constantFrom('\\', '\\u', '00e9', '=', ':', '#', '!', '\n', '\r', ' ', '\t', 'key'),
      fc.string({ maxLength: 4 }),
    );
    forRuns(numRuns, [fc.array(piece, { maxLength: 30 })], (pieces) => {
      try {
        for (const [key, value] of parseProperties(pieces.join('')))
          expect(key.isWellFormed() && value.isWellFormed()).to.equal(true);
      } catch (error) {
        expect(error).to.be.instanceOf(BillingError).with.property('code', 60_003);
      }
    });
  });
});
