import { documentFormats, formatsFrom } from '../../../lib/invoicing/documents/document-formats.ts';
import type { Locale } from '../../../lib/invoicing/documents/locale.ts';
import type { InvoiceFormatterFactory } from '../../../lib/ports/index.ts';
import { decimal, expect, localDate, type Uuid } from '../../support/unit.ts';

const locale = 'en_US' as Locale;
const [tenantId, accountId] = ['t' as Uuid, 'a' as Uuid];
const formatsOf = (formatter: InvoiceFormatterFactory['formatter']) =>
  formatsFrom({ name: 'own', formatter }, tenantId)(locale, { id: accountId });

describe('custom invoice formats (invoicing §14 rule 5)', () => {
  it('default to the built-in formats if there is no factory', () =>
    expect(formatsFrom(undefined, tenantId)(locale, { id: accountId })).to.equal(documentFormats(locale)));

  it('fall back to the built-in format for each missing method, and call existing methods on the formatter', () => {
    class Own {
      readonly #sign = '#';
      number() {
        return this.#sign;
      }
      date() {
        return 'some day';
      }
    }
    const formats = formatsOf(() => new Own());
    const day = localDate(2026, 11, 1);
    expect([formats.number(decimal(1)), formats.date(day), formats.amount(decimal(1), 'USD')]).to.eql([
      '#',
      'some day',
      '$1.00',
    ]);
  });

  for (const [what, [formatter, message]] of Object.entries({
    throws: [
      () => {
        throw new Error('secret');
      },
      /^The invoice formatter "own" failed in formatter; see the server log/,
    ],
    'returns nothing': [() => null as never, /^The invoice formatter "own" returned no formatter$/],
    'throws in a method': [
      () => ({
        amount: () => {
          throw new Error('secret');
        },
      }),
      /"own" failed in amount/,
    ],
    'returns a number': [
      () => ({ amount: () => 1 as never }),
      /"own" did not return text of at most 1000 characters from amount/,
    ],
    'returns a promise': [() => ({ amount: async () => '1' }) as never, /did not return text/],
    'returns too much text': [() => ({ amount: () => 'x'.repeat(1_001) }), /did not return text/],
    'has a member that is not a function': [() => ({ amount: 'x' }) as never, /"own" failed in amount/],
  } as const))
    it(`report an error with the name of a formatter that ${what}`, () =>
      expect(() => formatsOf(formatter).amount(decimal(1), 'USD'))
        .to.throw(message)
        .with.property('code', 60_000));
});
