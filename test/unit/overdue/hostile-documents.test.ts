import {
  MAX_OVERDUE_CONFIG_CHARACTERS,
  readOverdueJson,
  readOverdueXml,
} from '../../../lib/overdue/config/read-config.ts';
import { conditionXml, overdueXml, problemsOf } from '../../support/overdue/documents.ts';
import { BillingError, codeThrownBy, ErrorCode, expect, expectBelow } from '../../support/unit.ts';

const NO_DOCTYPE = 'A document type declaration (<!DOCTYPE) is not accepted; remove it';
const MEBIBYTE = 1_024 * 1_024;
/** A length that still fits. */
const MOST = MAX_OVERDUE_CONFIG_CHARACTERS - 1_000;

function faults(document: string | Uint8Array): readonly string[] {
  return problemsOf(() => readOverdueXml(document));
}

describe('hostile overdue documents', () => {
  const laughs = Array.from(
    { length: 9 },
    (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`,
  ).join('');

  for (const [title, { document, problems }] of Object.entries({
    'an entity bomb': {
      document: `<?xml version="1.0"?>\n<!-- x -->\n<!DOCTYPE o [<!ENTITY l0 "lol">${laughs}]><overdueConfig>&l9;</overdueConfig>`,
      problems: [`3:1 ${NO_DOCTYPE}`],
    },
    'an external entity': {
      document: '<!DOCTYPE o [<!ENTITY x SYSTEM "file:///etc/passwd">]><overdueConfig>&x;</overdueConfig>',
      problems: [`1:1 ${NO_DOCTYPE}`],
    },
    'an external document type': {
      document: '<!DOCTYPE overdueConfig SYSTEM "http://127.0.0.1:9/x.dtd"><overdueConfig/>',
      problems: [`1:1 ${NO_DOCTYPE}`],
    },
    'a document type after an element': {
      document: '<overdueConfig><!DOCTYPE o></overdueConfig>',
      problems: ['1:24 inappropriately located doctype declaration.'],
    },
    'an undeclared entity': {
      document: overdueXml(conditionXml('<controlTagInclusion>&x;</controlTagInclusion>')),
      problems: ['1:86 undefined entity.'],
    },
    'deep nesting': {
      document: `<overdueConfig>${'<a>'.repeat(30)}${'</a>'.repeat(30)}</overdueConfig>`,
      problems: ['1:85 Elements are nested deeper than 24'],
    },
    'many attributes': {
      document: `<overdueConfig ${Array.from({ length: 17 }, (_, index) => `a${index}=""`).join(' ')}/>`,
      problems: ['1:1 An element has more than 16 attributes'],
    },
    'a long name': {
      document: `<${'a'.repeat(256)}/>`,
      problems: ['1:1 An element name is longer than 255 characters'],
    },
    'a long text': {
      document: `<overdueConfig>\n<a>${'x'.repeat(4_097)}</a></overdueConfig>`,
      problems: ['2:1 The text of "a" is longer than 4096 characters'],
    },
    'half of a surrogate pair': {
      document: '<overdueConfig>\n\ud800</overdueConfig>',
      problems: ['2:1 Half a surrogate pair is not a character'],
    },
    'a control character': {
      document: '<overdueConfig>&#7;</overdueConfig>',
      problems: ['1:16 malformed character entity.'],
    },
  }))
    it(`are rejected for ${title} (overdue §1.3)`, () => expect(faults(document)).to.eql(problems));

  for (const [title, { bytes, problem }] of Object.entries({
    'invalid UTF-8 bytes': {
      bytes: Buffer.from('<overdueConfig>\xfc</overdueConfig>', 'latin1'),
      problem: '1:1 The document is not valid UTF-8; send UTF-8, or UTF-16 with a byte order mark',
    },
    'half a character of UTF-16': {
      bytes: Buffer.from([0xff, 0xfe, 0x3c]),
      problem: '1:1 The document is not valid UTF-16LE; send UTF-8, or UTF-16 with a byte order mark',
    },
    'a declaration of another encoding': {
      bytes: Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><overdueConfig/>'),
      problem:
        '1:1 The declared encoding "ISO-8859-1" does not match the document; send UTF-8, or UTF-16 with a byte order mark',
    },
    'UTF-16 declared as UTF-8': {
      bytes: Buffer.from('\uFEFF<?xml version="1.0" encoding="UTF-8"?><overdueConfig/>', 'utf16le'),
      problem:
        '1:1 The declared encoding "UTF-8" does not match the document; send UTF-8, or UTF-16 with a byte order mark',
    },
  }))
    it(`are rejected for ${title} (overdue §1.3)`, () => expect(faults(bytes)).to.eql([problem]));

  it('are rejected at the first list or object that is nested too deeply in JSON (overdue §1.3)', () => {
    expect(problemsOf(() => readOverdueJson(`${'['.repeat(100_000)}`))).to.eql([
      '1:65 Not JSON: values are nested deeper than 64',
    ]);
    expect(problemsOf(() => readOverdueJson('{"a":'.repeat(40_000)))).to.eql([
      '1:321 Not JSON: values are nested deeper than 64',
    ]);
  });

  it('are rejected for inherited property names, which are treated as unknown', () => {
    expect(
      problemsOf(() => readOverdueJson('{"overdueStates": [], "__proto__": {}, "constructor": 1}')),
    ).to.eql([
      '1:36 Property "__proto__" is unknown in The configuration',
      '1:55 Property "constructor" is unknown in The configuration',
    ]);
    expect(
      faults('<overdueConfig><accountOverdueStates><toString/></accountOverdueStates></overdueConfig>'),
    ).to.eql(['1:38 Element "toString" is unknown in Element "accountOverdueStates"']);
  });

  for (const [title, document] of [
    ['XML', `<overdueConfig>${'<a/>'.repeat(2.5 * MEBIBYTE)}`],
    ['JSON', `[${'1,'.repeat(5 * MEBIBYTE)}1]`],
    ['bytes', Buffer.alloc(10 * MEBIBYTE, '<a>')],
  ] as const)
    it(`are rejected before parsing, without extra memory, for 10 MB of ${title} (overdue §1.3 rule 6)`, () => {
      const before = process.memoryUsage().heapUsed;
      const started = performance.now();
      const read = () => (title === 'JSON' ? readOverdueJson(document as string) : readOverdueXml(document));
      expect(codeThrownBy(read)).to.equal(ErrorCode.TOO_LARGE);
      expectBelow(MEBIBYTE, process.memoryUsage().heapUsed - before, 'bytes');
      expectBelow(50, performance.now() - started, 'milliseconds');
    });

  for (const [title, document] of [
    ['open elements', '<a>'.repeat(MOST / 3)],
    ['empty elements', overdueXml('<a/>'.repeat(MOST / 4))],
    ['white space in a text', `<overdueConfig><a>a${' '.repeat(MOST)}b</a>`],
    ['a comment of dashes', `<!--${'- '.repeat(MOST / 2)}--><overdueConfig>`],
    ['an open comment', `<!--${'<!--'.repeat(MOST / 4)}`],
    ['open processing instructions', '<?a'.repeat(MOST / 3)],
    ['an endless entity', `<overdueConfig>&${'a'.repeat(MOST)}`],
    ['an endless name', `<${'a'.repeat(MOST)}`],
    ['an endless attribute', `<overdueConfig a="${'a'.repeat(MOST)}`],
    ['closing brackets', `<overdueConfig><a><![CDATA[${']'.repeat(MOST)}`],
    ['line breaks', '\r\n'.repeat(MOST / 2)],
    ['states without names', overdueXml('<state/>'.repeat(MOST / 8))],
    [
      'digits',
      overdueXml(
        conditionXml(
          `<totalUnpaidInvoiceBalanceEqualsOrExceeds>${'1'.repeat(4_000)}</totalUnpaidInvoiceBalanceEqualsOrExceeds>`,
        ),
      ),
    ],
  ] as const)
    it(`are processed quickly if they are XML with ${title}`, () =>
      expect(faults(document)).to.have.length.above(0));

  for (const [title, document] of [
    ['open lists in a list', `[${'[],'.repeat(MOST / 3)}`],
    ['an endless text', `"${'\\"'.repeat(MOST / 2)}`],
    ['digits', '1'.repeat(MOST)],
    ['blanks', ' '.repeat(MOST)],
    ['the same name repeated', `{"overdueStates":[]${',"a":1'.repeat(MOST / 6)}}`],
    ['states without names', `{"overdueStates":[{}${',{}'.repeat(MOST / 3)}]}`],
    ['an endless name', `{"overdueStates":[{"name":"${'n'.repeat(MOST)}"}]}`],
  ] as const)
    it(`are processed quickly if they are JSON with ${title}`, () =>
      expect(problemsOf(() => readOverdueJson(document))).to.have.length.above(0));

  it('are shortened when messages quote them', () => {
    const error = (() => {
      try {
        readOverdueJson(`{"overdueStates":[{"name":"${'n'.repeat(MOST)}","${'x'.repeat(500)}":1}]}`);
      } catch (caught) {
        return caught;
      }
      return undefined;
    })();
    expect(error).to.be.instanceOf(BillingError);
    expect(String(error).length).to.be.below(2_000);
  });
});
