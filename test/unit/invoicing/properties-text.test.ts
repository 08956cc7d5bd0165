import {
  MAX_PROPERTIES_CHARACTERS,
  parseProperties,
} from '../../../lib/invoicing/documents/document-texts.ts';
import { codeThrownBy, expect } from '../../support/unit.ts';

const read = (source: string) => Object.fromEntries(parseProperties(source));

describe('Java properties', () => {
  for (const [what, source, entries] of [
    ['a key and its value', 'a=b', { a: 'b' }],
    ['blanks around the sign', '  a \t = b c ', { a: 'b c ' }],
    ['a colon', 'a:b', { a: 'b' }],
    ['a blank as the sign', 'a b=c', { a: 'b=c' }],
    ['the first sign alone', 'a==b:c', { a: '=b:c' }],
    ['a key alone', 'a', { a: '' }],
    ['an empty value', 'a =', { a: '' }],
    ['an empty key', '=b', { '': 'b' }],
    ['comments and empty lines', '# a=b\n\n  ! c=d\n \t\ne=f', { e: 'f' }],
    ['no comment behind a value', 'a=b # c', { a: 'b # c' }],
    ['every kind of line end', 'a=1\r\nb=2\rc=3\nd=4', { a: '1', b: '2', c: '3', d: '4' }],
    ['lines that go on', 'a=one, \\\n    two, \\\r\n  three\nb=4', { a: 'one, two, three', b: '4' }],
    ['an escaped backslash at the end', 'a=b\\\\\nc=d', { a: 'b\\', c: 'd' }],
    ['a line that goes on at the end of the text', 'a=b\\', { a: 'b' }],
    ['what looks like a comment behind a line that goes on', 'a=b\\\n# c', { a: 'b# c' }],
    ['escaped signs in keys', 'a\\ b\\=c\\:d=e', { 'a b=c:d': 'e' }],
    ['escaped characters', 'a=\\t\\n\\r\\f\\\\\\"\\z', { a: '\t\n\r\f\\"z' }],
    ['characters by number', 'a=\\u00e9\\u00C9\\ud83d\\ude00', { a: 'éÉ😀' }],
    ['characters as they are', 'título=请求书 😀', { título: '请求书 😀' }],
    ['the last of a key that comes twice', 'a=1\na=2', { a: '2' }],
    [
      'names of what every object has',
      '__proto__=x\nconstructor=y',
      Object.fromEntries([
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ]),
    ],
    ['a byte order mark', '\uFEFFa=b', { a: 'b' }],
    ['nothing', '', {}],
  ] as const)
    it(`reads ${what}`, () => expect(Object.entries(read(source))).to.deep.equal(Object.entries(entries)));

  for (const [what, source, line] of [
    ['a number that is too short', 'x=y\na=\\u00e', 2],
    ['a number that is none', 'a=\\u00zz', 1],
    ['half of a surrogate pair', 'a=b\nc=d\ne=\\ud83d', 3],
    ['a NUL character', 'a=\\u0000', 1],
  ] as const)
    it(`refuses ${what}, and says in which line`, () =>
      expect(() => parseProperties(source))
        .to.throw(new RegExp(`^Line ${line}`))
        .with.property('code', 60_003));

  it('refuses more than its bounds', () => {
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
