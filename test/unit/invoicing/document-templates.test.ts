import { readFile } from 'node:fs/promises';
import { BUILT_IN_TEMPLATE } from '../../../lib/invoicing/documents/built-in-template.ts';
import { invoiceData } from '../../../lib/invoicing/documents/invoice-data.ts';
import { renderedInvoice } from '../../../lib/invoicing/documents/rendered-invoice.ts';
import {
  MAX_TEMPLATE_CHARACTERS,
  parseTemplate,
  renderingTemplate,
  TemplateList,
  TemplateLookup,
  type TemplateObject,
} from '../../../lib/invoicing/documents/template.ts';
import { atOnce } from '../../../lib/runtime/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { seller, taxedItems, toRender, usageOf, viewedItem } from '../../support/invoicing/documents.ts';
import { codeThrownBy, expect } from '../../support/unit.ts';

const fill = (template: string, data: TemplateObject = {}) =>
  atOnce(renderingTemplate(parseTemplate(template), data));
const refusal = (template: string) => codeThrownBy(() => parseTemplate(template));
const list = (...elements: TemplateObject[]) => new TemplateList(elements.length, () => elements);
const rowsOf = (count: number) => new TemplateList(count, () => Array.from({ length: count }, () => ({})));
const pageOf = (...given: Parameters<typeof toRender>) =>
  fill(BUILT_IN_TEMPLATE, invoiceData(renderedInvoice(toRender(...given))));

describe('document template engine', () => {
  describe('Mustache renderer', () => {
    const rows = list({ name: 'one', last: false }, { name: 'two', last: true });
    for (const [what, template, filled] of [
      ['values', 'Hello {{name}}!', 'Hello &lt;Ann&gt;!'],
      ['values with a dotted name', '{{person.name}}', 'Bea'],
      ['missing values', '[{{unknown}}{{person.unknown}}{{name.first}}]', '[]'],
      ['a list', '{{#rows}}{{name}};{{/rows}}', 'one;two;'],
      ['values of the outer scope', '{{#rows}}{{outer}}{{/rows}}', 'xx'],
      ['an inner value that hides the outer one', '{{#person}}{{name}}{{/person}}', 'Bea'],
      ['a dotted name in the nearest scope with its first part', '{{#nested}}{{person.name}}{{/nested}}', ''],
      ['an empty list', '{{#none}}some{{/none}}{{^none}}none{{/none}}', 'none'],
      ['inverted sections of a list', '{{^rows}}none{{/rows}}', ''],
      ['flags', '{{#rows}}{{name}}{{^last}}, {{/last}}{{/rows}}', 'one, two'],
      ['a text as a section', '{{#person.name}}<{{.}}>{{/person.name}}', '<Bea>'],
      ['an empty text', '{{#empty}}x{{/empty}}{{^empty}}y{{/empty}}', 'y'],
      ['comments', 'a{{! nothing {here} }}b', 'ab'],
      ['sections on separate lines', 'a\n{{#rows}}\n- {{name}}\n{{/rows}}\nb\n', 'a\n- one\n- two\nb\n'],
      ['lookups with dots', '{{text.a.b}}/{{#text.a}}{{text.c}}{{/text.a}}', 'A.B/C'],
      ['lists, objects and lookups as values', '[{{rows}}{{person}}{{text}}]', '[]'],
      ['a flag as a value', '{{yes}}', 'true'],
    ] as const)
      it(`supports ${what}`, () => {
        const data = {
          name: '<Ann>',
          person: { name: 'Bea' },
          nested: { person: {} },
          outer: 'x',
          rows,
          none: list(),
          empty: '',
          yes: true,
          text: new TemplateLookup((key) => key.toUpperCase()),
        };
        expect(fill(template, data)).to.equal(filled);
      });

    it('escapes values in every tag style (invoicing §14 rule 5)', () => {
      const name = `<script>alert("x")</script>'\`&amp;`;
      const safe = /^[^<>"'`]*$/;
      for (const tag of [
        '{{name}}',
        '{{{name}}}',
        '{{&name}}',
        '{{& name }}',
        '{{#name}}{{.}}{{/name}}',
        '{{#name}}{{{.}}}{{/name}}',
      ]) {
        expect(fill(tag, { name }), tag)
          .to.match(safe)
          .and.contain('&lt;script&gt;')
          .and.contain('&amp;amp;');
      }
    });

    it('does not interpret a value as a template (invoicing §14 rule 5)', () =>
      expect(fill('{{a}}', { a: '{{b}}', b: 'no' })).to.equal('{{b}}'));

    it('gives a template access only to its data (invoicing §14 rule 5)', () => {
      const data = invoiceData(renderedInvoice(toRender([viewedItem('RECURRING', '1')])));
      for (const name of [
        'constructor',
        'constructor.name',
        '__proto__',
        '__proto__.constructor.name',
        'toString',
        'hasOwnProperty',
        'invoice.constructor',
        'invoice.__proto__.constructor.name',
        'invoice.invoiceNumber.length',
        'invoice.invoiceNumber.constructor.constructor',
        'text.textOf',
        'invoice.invoiceItems.size',
        'invoice.invoiceItems.elements',
        'process.env.PATH',
        'globalThis',
      ]) {
        const shown = fill(`[{{${name}}}{{#${name}}}seen{{/${name}}}]`, data);
        // A missing text is shown as its key.
        expect(shown, name).to.equal(name.startsWith('text.') ? '[textOfseen]' : '[]');
      }
    });
  });

  describe('template validation', () => {
    const nested = (depth: number) => `${'{{#a}}'.repeat(depth)}x${'{{/a}}'.repeat(depth)}`;
    for (const [what, template] of [
      ['a section without an end', '{{#a}}'],
      ['a section without a start', '{{/a}}'],
      ['overlapping sections', '{{#a}}{{#b}}{{/a}}{{/b}}'],
      ['a tag without an end', 'a {{b'],
      ['a raw value without an end', '{{{a}}'],
      ['a partial', '{{> header}}'],
      ['a partial with a path', '{{>../../etc/passwd}}'],
      ['custom delimiters', '{{=<% %>=}}<% a %>'],
      ['custom delimiters after blanks', '{{   =<% %>=}}'],
      ['a value without a name', 'a {{}}'],
      ['a name with an empty part', '{{a..b}}'],
      ['a name that begins with a dot', '{{.a}}'],
      ['deeply nested sections', nested(17)],
      ['very deeply nested sections', nested(2_400)],
      ['too many characters', 'x\n'.repeat(MAX_TEMPLATE_CHARACTERS / 2 + 1)],
      ['a template of 10 MB', '<p>{{name}}</p>'.repeat(700_000)],
      ['too many tags', '{{a}}'.repeat(5_001)],
      ['too many blanks in a row', `{{a${' '.repeat(201)}}}`],
      ['too much text without markup', `{{a}}${'x'.repeat(10_001)}`],
      ['a name with too many parts', `{{a${'.a'.repeat(16)}}}`],
      ['a section with too many parts', `{{^text${'.a'.repeat(4_000)}}}{{/text${'.a'.repeat(4_000)}}}`],
    ] as const)
      it(`rejects ${what} (invoicing §14 rule 5)`, () => expect(refusal(template)).to.equal(60_003));

    it('accepts a template exactly at the limits (invoicing §14 rule 5)', () => {
      expect(fill(nested(16), { a: 'y' })).to.equal('x');
      expect(fill('{{a}}'.repeat(5_000), { a: 'y' })).to.have.length(5_000);
      const text = new TemplateLookup((key) => key);
      expect(fill(`{{text${'.a'.repeat(15)}}}`, { text })).to.equal(`a${'.a'.repeat(14)}`);
    });

    it('quotes only the beginning of the template in an error (invoicing §14 rule 5)', () =>
      expect(() => parseTemplate(`{{#${'long'.repeat(1_000)}}}`))
        .to.throw(/Unclosed section/)
        .with.property('message')
        .with.length.below(300));

    it('stops deeply nested lists before memory runs out (invoicing §14 rule 5)', () => {
      const data = { a: new TemplateList(10_000, () => Array.from({ length: 10_000 }, () => ({}))) };
      expect(codeThrownBy(() => fill('{{#a}}{{#a}}{{#a}}{{/a}}{{/a}}{{/a}}', data))).to.equal(60_020);
      expect(codeThrownBy(() => fill(`{{#a}}${'<p>filler text</p>'.repeat(1_000)}{{/a}}`, data))).to.equal(
        60_020,
      );
      expect(codeThrownBy(() => fill(`{{#a}}${'{{b}}'.repeat(4_000)}{{/a}}`, data))).to.equal(60_020);
    });

    it('counts one step for each part of a name (invoicing §14 rule 5)', () => {
      const filled = (name: string) =>
        codeThrownBy(() => fill(`{{#a}}${`{{${name}}}`.repeat(7)}{{/a}}`, { a: rowsOf(9_000) }));
      expect(filled('b')).to.equal('no error');
      expect(filled(`b${'.b'.repeat(15)}`)).to.equal(60_020);
    });

    it('yields to other work within a single element and within a long text (invoicing §14 rule 5)', () => {
      const turnsOf = (template: string, data: TemplateObject) => {
        const steps = renderingTemplate(parseTemplate(template), data);
        let turns = 0;
        while (!steps.next().done) turns += 1;
        return turns;
      };
      expect(turnsOf('{{b}}'.repeat(5_000), { b: 'x' })).to.be.at.least(4);
      expect(turnsOf(`{{#a}}${'{{b}}'.repeat(4_990)}{{/a}}`, { a: rowsOf(1), b: 'x' })).to.be.at.least(4);
      expect(turnsOf('{{b}}'.repeat(10), { b: 'x'.repeat(64_000) })).to.be.at.least(9);
    });
  });

  it('uses exactly the names documented on the invoicing page (invoicing §14)', async () => {
    const rules = await readFile(new URL('../../../lib/invoicing/RULES.md', import.meta.url), 'utf8');
    const [, table = ''] = /\n\| In templates \|.*\n\|---\|---\|\n((?:\|.*\n)+)/.exec(rules) ?? [];
    const documented = new Map<string, string[]>();
    for (const row of table.trim().split('\n')) {
      const [, of = '', names = ''] = /^\| (?:one of )?`?([^|,`]+)[^|]*\| (.*) \|$/.exec(row) ?? [];
      const list = [...names.matchAll(/`(\w+)[^`]*`/g)].map(([, name = '']) => name);
      documented.set(of.trim(), [...(documented.get(of.trim()) ?? []), ...list]);
    }
    const discounts = [{ code: 'SPRING', name: 'Spring sale', amount: decimal('6') }];
    const first = { ...usageOf('12400'), listRate: decimal('30'), discounts };
    const data = invoiceData(renderedInvoice(toRender([first, ...taxedItems()], { seller: seller() })));
    const { account, invoice, seller: issuer } = data as Record<string, TemplateObject>;
    const firstOf = (object: TemplateObject | undefined, name: string) => {
      const { [name]: list } = object ?? {};
      const [first] = (list as TemplateList).elements();
      return first as TemplateObject;
    };
    const usage = firstOf(firstOf(invoice, 'items'), 'usage');
    const found = {
      anywhere: data,
      account,
      seller: issuer,
      invoice,
      'a line': firstOf(invoice, 'items'),
      discounts: firstOf(firstOf(invoice, 'items'), 'discounts'),
      usage,
      tiers: firstOf(usage, 'tiers'),
      taxes: firstOf(invoice, 'taxes'),
      facts: firstOf(invoice, 'facts'),
    };
    expect([...documented.keys()].sort()).to.eql(Object.keys(found).sort());
    for (const [of, object] of Object.entries(found))
      expect([...(documented.get(of) ?? [])].sort(), of).to.eql(Object.keys(object ?? {}).sort());
  });

  describe('built-in page', () => {
    it('includes everything that a reader needs, without scripts or external resources', () => {
      const page = pageOf(
        [viewedItem('RECURRING', '20', { prettyPlanName: 'Gold & more' }), viewedItem('CBA_ADJ', '-5')],
        {
          of: { name: '<b>Zoë</b>', company: 'ACME', city: 'Paris', postalCode: '75001', country: 'FR' },
          invoice: { paid: '10' },
        },
      );
      expect(page).to.match(/^<!DOCTYPE html>\n<html lang="en-US" dir="ltr">/);
      for (const part of [
        'Invoice',
        '17',
        'Nov 23, 2026',
        '&lt;b&gt;Zoë',
        'ACME',
        '75001 Paris',
        'France',
        'Gold &amp; more',
        'Nov 1 – 30, 2026',
        '$20.00',
        'Account credit used',
        '-$5.00',
        'Paid',
        '$10.00',
        'Amount due',
        '$5.00',
      ])
        expect(page.replaceAll('\u2009', ' '), part).to.contain(part);
      expect(page).to.not.match(/<script|<link|<img|<iframe|@import|url\(|https?:|javascript:| on\w+=/i);
      expect(page).to.not.match(/\{\{|undefined|null|NaN|\[object/);
    });

    it('renders Arabic from right to left', () => {
      const page = pageOf([viewedItem('RECURRING', '20')], { of: { locale: 'ar_EG' } });
      expect(page).to.contain('<html lang="ar-EG" dir="rtl">').and.contain('فاتورة');
      expect(page).to.not.match(/[\s;{](?:margin|padding|border)-(?:left|right)|text-align: (?:left|right)/);
    });

    it('omits an unknown customer, company and footer', () => {
      const page = pageOf([viewedItem('RECURRING', '20')]);
      expect(page).to.not.contain('Bill to').and.not.contain('<footer').and.not.contain('class="company"');
      expect(pageOf([])).to.contain('No charges');
    });

    it('explains how to pay only if the invoice is unpaid and the customer pays manually', () => {
      const translations = new Map([['en', new Map([['invoicePaymentInstructions', 'IBAN 17']])]]) as never;
      const shown = (given: Parameters<typeof toRender>[1]) =>
        pageOf([viewedItem('RECURRING', '20')], { translations, ...given }).includes('IBAN 17');
      expect(shown({ isManualPay: true })).to.equal(true);
      expect(shown({ isManualPay: true, invoice: { paid: '20' } })).to.equal(false);
      expect(shown({})).to.equal(false);
    });

    for (const [status, word, sum] of [
      ['DRAFT', 'Draft', false],
      ['VOID', 'Void', false],
      ['COMMITTED', null, true],
    ] as const)
      it(`shows the status of a ${status} invoice, and the amount due only if the invoice is committed`, () => {
        const page = pageOf([viewedItem('RECURRING', '20')], { invoice: { status } });
        if (word !== null) expect(page).to.contain(`>${word}<`);
        expect(page.includes('Amount due')).to.equal(sum);
      });
  });
});
