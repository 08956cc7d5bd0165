import {
  MAX_PROPERTIES_CHARACTERS,
  parseProperties,
} from '../../../lib/invoicing/documents/document-texts.ts';
import { codeThrownBy, expect } from '../../support/unit.ts';

const read = (source: string) => Object.fromEntries(parseProperties(source));

describe('Java properties parser', () => {
  for (const [what, source, entries] of [
    ['a key and its value', 'a=b', { a: 'b' }],
    ['blanks around the separator', '  a \t = b c ', { a: 'b c ' }],
    ['a colon as the separator', 'a:b', { a: 'b' }],
    ['a blank as the separator', 'a b=c', { a: 'b=c' }],
    ['further separators as part of the value', 'a==b:c', { a: '=b:c' }],
    ['a key without a value', 'a', { a: '' }],
    ['an empty value', 'a =', { a: '' }],
    ['an empty key', '=b', { '': 'b' }],
    ['comments and empty lines', '# a=b\n\n  ! c=d\n \t\ne=f', { e: 'f' }],
    ['a comment sign as part of a value', 'a=b # c', { a: 'b # c' }],
    ['every kind of line end', 'a=1\r\nb=2\rc=3\nd=4', { a: '1', b: '2', c: '3', d: '4' }],
    ['continued lines', 'a=one, \\\n    two, \\\r\n  three\nb=4', { a: 'one, two, three', b: '4' }],
    ['an escaped backslash at the end', 'a=b\\\\\nc=d', { a: 'b\\', c: 'd' }],
    ['a continuation at the end of the text', 'a=b\\', { a: 'b' }],
    ['a comment sign at the start of a continued line', 'a=b\\\n# c', { a: 'b# c' }],
    ['escaped separators in keys', 'a\\ b\\=c\\:d=e', { 'a b=c:d': 'e' }],
    ['escaped characters', 'a=\\t\\n\\r\\f\\\\\\"\\z', { a: '\t\n\r\f\\"z' }],
    ['Unicode escapes', 'a=\\u00e9\\u00C9\\ud83d\\ude00', { a: 'éÉ😀' }],
    ['unescaped Unicode characters', 'título=请求书 😀', { título: '请求书 😀' }],
    ['the last value of a duplicate key', 'a=1\na=2', { a: '2' }],
    [
      'names of built-in object members',
      '__proto__=x\nconstructor=y',
      Object.fromEntries([
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ]),
    ],
    ['a byte order mark', '\uFEFFa=b', { a: 'b' }],
    ['an empty text', '', {}],
  ] as const)
    it(`accepts ${what}`, () => expect(Object.entries(read(source))).to.eql(Object.entries(entries)));

  for (const [what, source, line] of [
    ['a Unicode escape that is too short', 'x=y\na=\\u00e', 2],
    ['an invalid Unicode escape', 'a=\\u00zz', 1],
    ['half of a surrogate pair', 'a=b\nc=d\ne=\\ud83d', 3],
    ['a NUL character', 'a=\\u0000', 1],
  ] as const)
    it(`rejects ${what}, and reports the line`, () =>
      expect(() => parseProperties(source))
        .to.throw(new RegExp(`^Line ${line}`))
        .with.property('code', 60_003));

  it('rejects text above its size limits', () => {
    expect(codeThrownBy(() => parseProperties('a=b\n'.repeat(25_001)))).to.equal(60_003);
    expect(codeThrownBy(() => parseProperties('a'.repeat(MAX_PROPERTIES_CHARACTERS + 1)))).to.equal(60_003);
    expect(
      codeThrownBy(() =>
        parseProperties(Array.from({ length: 25_001 }, (_, index) => `${index}=`).join('\n')),
      ),
    ).to.equal(60_003);
  });

  it('reads hostile text in one pass', () => {
    for (const piece of ['\\', ' ', '=', '\\\n', 'a\\', '\\u0041', ' \\\n '])
      parseProperties(`a=${piece.repeat(Math.floor(MAX_PROPERTIES_CHARACTERS / piece.length) - 2)}`);
  });
});
