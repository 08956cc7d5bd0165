import { checkStorable, isStorable, shortenText } from '../../../lib/values/text/index.ts';
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
