import { describeJsonValue, parseExactJson } from '../../../lib/values/money/index.ts';
import { checkStorable, describeValue, isStorable, shortenText } from '../../../lib/values/text/index.ts';
import { BillingError, expect } from '../../support/unit.ts';

describe('text', () => {
  it('can be stored unless it contains a NUL or half of a surrogate pair', () => {
    for (const text of ['', 'a', '\u0001', '\ud83d\ude00', '\ufffd'])
      expect(isStorable(text), text).to.equal(true);
    for (const text of ['\u0000', 'a\u0000', '\ud83d', '\ude00a', '\ude00\ud83d']) {
      expect(isStorable(text), JSON.stringify(text)).to.equal(false);
      expect(() => checkStorable('Name', text)).to.throw(BillingError, /^Name contains a NUL/);
    }
    checkStorable('Name', null);
    checkStorable('Name', undefined);
  });

  it('is quoted only up to its first hundred whole characters', () => {
    expect(shortenText('x'.repeat(100))).to.equal('x'.repeat(100));
    expect(shortenText('x'.repeat(101))).to.equal(`${'x'.repeat(100)}…`);
    expect(shortenText(`${'x'.repeat(99)}\ud83d\ude00`)).to.equal(`${'x'.repeat(99)}\ufffd…`);
    expect(shortenText('\ud83d')).to.equal('\ufffd');
  });
});

describe('an invalid value in a message', () => {
  const described: readonly (readonly [unknown, string])[] = [
    ['x'.repeat(101), `"${'x'.repeat(100)}…"`],
    [5, '5'],
    [null, 'null'],
    [undefined, 'undefined'],
    [['a'], 'a list'],
    [{ a: 1 }, 'an object'],
    [() => 1, 'a function'],
  ];
  for (const [value, text] of described)
    it(`is described as ${text.slice(0, 12)}`, () => {
      expect(describeValue(value)).to.equal(text);
    });

  it('keeps all digits of a JSON number', () => {
    expect(describeJsonValue(parseExactJson('0.1000000000000000000001'))).to.equal(
      '0.1000000000000000000001',
    );
    expect(describeJsonValue('a')).to.equal('"a"');
  });
});
