import { formattedNumber } from '../../../lib/invoicing/invoices/invoice-view.ts';
import { tenantProperties } from '../../../lib/tenants/configuration/tenant-properties.ts';
import { expect, localDate } from '../../support/unit.ts';

const day = localDate(2026, 3, 7);

function shown(pattern: string, number = 17, date = day): string | null {
  const patterns = tenantProperties['invoice.numberPattern'].parse(pattern);
  if (patterns === undefined) throw new Error(`${pattern} is not a pattern`);
  return formattedNumber(number, date, patterns);
}

describe('formatted invoice number (invoicing §1.7)', () => {
  for (const [pattern, number] of [
    ['INV-{yyyy}-{n:6}', 'INV-2026-000017'],
    ['{n}', '17'],
    ['{n:1}/{yy}', '17/26'],
    ['{yyyy}{mm}{dd}.{n:3}', '20260307.017'],
    ['', null],
    ['2026-03-08 A{n}', null],
    ['2026-03-07 A{n}', 'A17'],
    ['A{n}, 2026-03-01 B{n}, 2026-03-08 C{n}', 'B17'],
  ] as const)
    it(`is ${number ?? 'empty'} for invoice 17 on 2026-03-07 with the pattern "${pattern}"`, () =>
      expect(shown(pattern)).to.equal(number));

  it('keeps all digits of a long number, and is empty in a dry run', () => {
    expect(shown('{n:3}', 1_234_567)).to.equal('1234567');
    expect(shown('{n:3}', 0)).to.equal(null);
  });

  it('shows every digit of years before 1000 and after 2099', () =>
    expect(shown('{yyyy}-{yy}-{n}', 1, localDate(8_905, 1, 2))).to.equal('8905-05-1'));
});
