import { formattedNumber } from '../../../lib/invoicing/invoices/invoice-view.ts';
import { tenantProperties } from '../../../lib/tenants/configuration/tenant-properties.ts';
import { expect, localDate } from '../../support/unit.ts';

const day = localDate(2026, 3, 7);

function shown(pattern: string, number = 17, date = day): string | null {
  const patterns = tenantProperties['invoice.numberPattern'].parse(pattern);
  if (patterns === undefined) throw new Error(`${pattern} is no pattern`);
  return formattedNumber(number, date, patterns);
}

describe('invoicing §1.7: the number of an invoice by the pattern of the tenant', () => {
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
    it(`17 of 2026-03-07 by "${pattern}" is ${number}`, () => expect(shown(pattern)).to.equal(number));

  it('a number that has more digits keeps all of them, and a dry run has none', () => {
    expect(shown('{n:3}', 1_234_567)).to.equal('1234567');
    expect(shown('{n:3}', 0)).to.equal(null);
  });

  it('of years before 1000 and after 2099 every digit is shown', () =>
    expect(shown('{yyyy}-{yy}-{n}', 1, localDate(8_905, 1, 2))).to.equal('8905-05-1'));
});
