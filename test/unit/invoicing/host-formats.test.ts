import { documentFormats, formatsFrom } from '../../../lib/invoicing/documents/document-formats.ts';
import type { Locale } from '../../../lib/invoicing/documents/locale.ts';
import type { InvoiceFormatterFactory } from '../../../lib/ports/index.ts';
import { decimal, expect, localDate, type Uuid } from '../../support/unit.ts';

const locale = 'en_US' as Locale;
const [tenantId, accountId] = ['t' as Uuid, 'a' as Uuid];
const formatsOf = (formatter: InvoiceFormatterFactory['formatter']) =>
  formatsFrom({ name: 'own', formatter }, tenantId)(locale, { id: accountId });

describe('invoicing §14 rule 5: formats of the host', () => {
  it('without a factory everything is built in', () =>
    expect(formatsFrom(undefined, tenantId)(locale, { id: accountId })).to.equal(documentFormats(locale)));

  it('what a formatter leaves out is built in, and what it has is called on it', () => {
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
    expect([formats.number(decimal(1)), formats.date(day), formats.amount(decimal(1), 'USD')]).to.deep.equal([
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
      /^The invoice formatter "own" failed in formatter; the log/,
    ],
    'answers nothing': [() => null as never, /^The invoice formatter "own" answered no formatter$/],
    'throws in a member': [
      () => ({
        amount: () => {
          throw new Error('secret');
        },
      }),
      /"own" failed in amount/,
    ],
    'answers a number': [
      () => ({ amount: () => 1 as never }),
      /"own" answered no text of at most 1000 characters in amount/,
    ],
    'answers a promise': [() => ({ amount: async () => '1' }) as never, /answered no text/],
    'answers far too much': [() => ({ amount: () => 'x'.repeat(1_001) }), /answered no text/],
    'has what is no function': [() => ({ amount: 'x' }) as never, /"own" failed in amount/],
  } as const))
    it(`a formatter that ${what} is an error that names it`, () =>
      expect(() => formatsOf(formatter).amount(decimal(1), 'USD'))
        .to.throw(message)
        .with.property('code', 60_000));
});
