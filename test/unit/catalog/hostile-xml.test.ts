import type { ChildRule, ElementRule } from '../../../lib/catalog/formats/xml/element.ts';
import { MAX_XML_BYTES, XmlSource } from '../../../lib/catalog/formats/xml/element.ts';
import { xmlSteps } from '../../../lib/catalog/formats/xml/reader.ts';
import { readCatalogXml } from '../../../lib/catalog/index.ts';
import { atOnce } from '../../../lib/runtime/wait/turns.ts';
import { catalogXml, parse } from '../../support/catalogs/catalog-document.ts';
import { ErrorCode, errorOf, expect, isLongRun } from '../../support/property.ts';

/** Large enough that quadratic time would not finish. */
const HUGE = isLongRun ? 2_000_000 : 150_000;

function fault(document: string): string {
  const { code, problems } = errorOf(() => readCatalogXml(document));
  expect(code).to.equal(ErrorCode.CATALOG_INVALID_FOR_TENANT);
  expect(problems, 'exactly one error').to.have.length(1);
  const [problem] = problems ?? [];
  return `${problem?.line}:${problem?.column} ${problem?.message}`;
}

const NO_DOCTYPE = 'A document type declaration (<!DOCTYPE) is not accepted; remove it';

describe('hostile catalog documents', () => {
  describe('in the worked example catalog W15 "Hostile documents"', () => {
    it('are rejected at a document type declaration', () =>
      expect(fault('<!DOCTYPE c [<!ENTITY a "x">]><catalog>&a;</catalog>')).to.equal(`1:1 ${NO_DOCTYPE}`));

    it('are rejected at the first unknown element of 25 nested elements', () =>
      expect(fault('<a>'.repeat(25) + '</a>'.repeat(25))).to.equal(
        '1:1 Unknown root element "a"; expected "catalog" or "catalogs"',
      ));

    it('are rejected if they contain an HTML entity', () =>
      expect(fault('<catalog><catalogName>a&nbsp;b</catalogName></catalog>')).to.equal(
        '1:24 undefined entity.',
      ));

    it('are rejected before parsing if they are larger than 10 MiB', () => {
      for (const document of [new Uint8Array(12 * 1024 * 1024), ' '.repeat(12 * 1024 * 1024)]) {
        const error = errorOf(() => readCatalogXml(document));
        expect(error.code).to.equal(ErrorCode.TOO_LARGE);
        expect(error.facts).to.eql({ size: 12 * 1024 * 1024, limit: MAX_XML_BYTES });
      }
    });

    it('are accepted above 10 MiB if the limit is raised', () => {
      const document = `${catalogXml()}${' '.repeat(MAX_XML_BYTES)}`;
      expect(readCatalogXml(document, document.length).versions).to.have.length(1);
      expect(errorOf(() => readCatalogXml(document, document.length - 1)).code).to.equal(ErrorCode.TOO_LARGE);
    });

    it('are rejected if they declare a default namespace', () =>
      expect(fault('<catalog xmlns="urn:x">')).to.match(/^1:1 A default namespace is not accepted/));

    it('are rejected with exactly one error even if they have two errors and a later unknown tag', () => {
      const document =
        '<catalog><plans><plan name="p"><finalPhase type="TRIAL"><duration><duration></duration></duration><x/>';
      expect(fault(document)).to.equal('1:67 Unknown element "duration" in "duration"');
    });
  });

  const laughs = Array.from(
    { length: 20 },
    (_, level) => `<!ENTITY l${level + 1} "&l${level};&l${level};">`,
  ).join('');
  for (const [title, [document, place]] of Object.entries({
    'after a prolog': [
      '<?xml version="1.0"?>\n<!-- a <!DOCTYPE b> --><?p <!DOCTYPE c>?>\n <!DOCTYPE catalog>',
      '3:2',
    ],
    'with expanding entities': [`<!DOCTYPE c [<!ENTITY l0 "lol">${laughs}]><catalog>&l20;</catalog>`, '1:1'],
    'with an external entity': [
      '<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><catalog>&x;</catalog>',
      '1:1',
    ],
    'with an external subset': ['<!DOCTYPE c SYSTEM "http://127.0.0.1:9/x.dtd"><catalog/>', '1:1'],
    'that never ends': ['<!DOCTYPE c [', '1:1'],
  } as const))
    it(`are rejected for a document type ${title}`, () =>
      expect(fault(document)).to.equal(`${place} ${NO_DOCTYPE}`));

  it('are rejected for a misplaced document type', () => {
    expect(fault('<catalog><!DOCTYPE c></catalog>')).to.include(
      'inappropriately located doctype declaration.',
    );
    expect(fault(`${catalogXml()}<!DOCTYPE c>`)).to.include('inappropriately located doctype declaration.');
  });

  it('are rejected if an element has too many attributes', () => {
    const attributes = Array.from({ length: 17 }, (_, index) => `xmlns:n${index}="urn:n"`).join(' ');
    expect(fault(`<catalog ${attributes}>`)).to.equal('1:1 An element has more than 16 attributes');
  });

  it('are rejected if a name is too long', () => {
    const long = 'n'.repeat(256);
    expect(fault(`<catalog><${long}/></catalog>`)).to.equal(
      '1:10 An element name is longer than 255 characters',
    );
    expect(fault(`<catalog ${long}="1"/>`)).to.equal('1:1 An attribute name is longer than 255 characters');
    expect(fault(`<catalog><units><unit name="${long}"/></units></catalog>`)).to.match(
      /^1:17 Attribute "name" of "unit": "n+\.\.\." is not a name of at most 255 characters$/,
    );
  });

  it('are quoted in messages only up to a limited length', () => {
    const long = 'n'.repeat(100_000);
    const hostile = [
      `<catalog></${long}>`,
      `</${long}>`,
      `<catalog>&${long};`,
      `<catalog ${'n'.repeat(200)}:a="1">`,
    ];
    for (const document of hostile) expect(fault(document)).to.have.length.lessThan(500);
  });

  it('are rejected if a text is too long, not counting surrounding white space', () => {
    const text = (length: number) => `<catalogName>${' '.repeat(9_000)}${'x'.repeat(length)}</catalogName>`;
    const document = (length: number) => catalogXml().replace(/<catalogName>.*<\/catalogName>/, text(length));
    expect(parse(document(4_096)).content.catalogName).to.have.length(4_096);
    expect(fault(document(4_097))).to.include('The text of "catalogName" is longer than 4096 characters');
    expect(fault(`<catalog a="${'x'.repeat(4_097)}"/>`)).to.include('is longer than 4096 characters');
  });

  describe('beyond the limits of the grammar', () => {
    /** A rule that nests and repeats without end. */
    const endless: ElementRule<null> = {
      attributes: new Map(),
      children: new Map(),
      isLeaf: false,
      isNillable: false,
      finish: () => null,
    };
    const repeated: ChildRule = { occurs: 'many', element: endless };
    const roots = new Map([['a', { ...endless, children: new Map([['a', repeated]]) }]]);
    const nested = new Map<string, ElementRule<null>>();
    const nesting = { ...endless, children: new Map<string, ChildRule>() };
    nesting.children.set('a', { occurs: 'many', element: nesting });
    nested.set('a', nesting);

    it('are rejected if they are nested too deeply', () => {
      const document = (depth: number): XmlSource =>
        new XmlSource({ text: '<a>'.repeat(depth) + '</a>'.repeat(depth), encoding: 'decoded' });
      expect(atOnce(xmlSteps(document(24), nested)).value).to.equal(null);
      expect(errorOf(() => atOnce(xmlSteps(document(25), nested))).problems).to.eql([
        { message: 'Elements are nested deeper than 24', line: 1, column: 73 },
      ]);
    });

    it('are rejected if they have too many elements', () => {
      const source = new XmlSource({ text: `<a>${'<a/>'.repeat(1_000_000)}</a>`, encoding: 'decoded' });
      expect(errorOf(() => atOnce(xmlSteps(source, roots))).problems).to.eql([
        { message: 'The document has more than 1000000 elements', line: 1, column: 4_000_000 },
      ]);
    });
  });

  it('never cause a lookup of the resources that they reference', () => {
    const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
    const pointed = `<?xml-stylesheet href="http://127.0.0.1:9/x.xsl"?>${catalogXml().replace(
      '<catalog>',
      `<catalog ${xsi} xsi:noNamespaceSchemaLocation="http://127.0.0.1:9/x.xsd">`,
    )}`;
    expect(parse(pointed).content).to.eql(parse(catalogXml()).content);
    expect(
      fault('<catalog xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="/etc/passwd"/></catalog>'),
    ).to.match(/Element "xi:include" is in a namespace/);
  });

  for (const [title, document] of [
    ['white space inside a text', `<catalog><catalogName>a${' '.repeat(HUGE)}b</catalogName>`],
    ['white space around a text', `<catalog><catalogName>${' '.repeat(HUGE)}b</catalogName>`],
    ['a comment full of dashes', `<!--${'- '.repeat(HUGE / 2)}--><catalog>`],
    ['an unclosed comment', `<!--${'<!--'.repeat(HUGE / 2)}`],
    ['unclosed instructions', '<?a'.repeat(HUGE / 2)],
    ['an endless entity', `<catalog>&${'a'.repeat(HUGE)}`],
    ['an endless name', `<${'a'.repeat(HUGE)}`],
    ['many closing brackets', `<catalog><catalogName><![CDATA[${']'.repeat(HUGE)}`],
    ['many line breaks', '\r\n'.repeat(HUGE / 2)],
    ['many digits', catalogXml({ effectiveDate: '1'.repeat(HUGE) })],
  ] as const)
    it(`are rejected quickly despite ${title}`, () => expect(fault(document)).to.be.a('string'));
});
