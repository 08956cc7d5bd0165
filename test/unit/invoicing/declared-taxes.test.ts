import {
  type DeclaredTax,
  declaredTaxProblem,
  type TaxedItem,
} from '../../../lib/invoicing/invoices/tax-facts.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Currency } from '../../../lib/values/money/index.ts';
import { nextId } from '../../support/subscriptions/example.ts';
import { decimal, expect } from '../../support/unit.ts';

/** Returns the problem of these taxes, with taxed items by amount: `100-40` is an item of 100 with 60 remaining. */
function problemOf(
  taxes: readonly (readonly [amount: string, taxed: string, rate?: string])[],
  currency: string = 'EUR',
): string | null {
  const taxedItems = new Map<Uuid, TaxedItem>();
  const items = taxes.map(([amount, taxed, rate = '19']): DeclaredTax => {
    const linkedItemId = nextId();
    const isRepair = taxed.startsWith('-');
    const [whole = '0', reduced = '0'] = isRepair ? [taxed, taxed.slice(1)] : taxed.split('-');
    const left = isRepair ? decimal(0) : decimal(whole).minus(reduced);
    taxedItems.set(linkedItemId, { amount: decimal(whole), left });
    const facts = { taxRate: decimal(rate), taxCategory: 'S' } as const;
    return { itemType: 'TAX', amount: decimal(amount), linkedItemId, ...facts };
  });
  return declaredTaxProblem(items, (id) => taxedItems.get(id), { currency: currency as Currency });
}

describe('taxes of category S (invoicing §14 rule 9)', () => {
  it('may differ from the amount at the rate by one minor unit for each TAX item with that rate', () => {
    expect(problemOf([['19.01', '100']])).to.equal(null);
    expect(problemOf([['18.99', '100']])).to.equal(null);
    expect(
      problemOf([
        ['0.03', '0.13'],
        ['0.02', '0.13'],
      ]),
    ).to.equal(null);
    expect(problemOf([['101', '1003', '10']], 'JPY')).to.equal(null);
    expect(problemOf([['19.02', '100']])).to.equal(
      'has the amount 19.02 with the taxRate 19 on an amount of 100: expected 19',
    );
    expect(problemOf([['102', '1003', '10']], 'JPY')).to.equal(
      'has the amount 102 with the taxRate 10 on an amount of 1003: expected 100',
    );
  });

  it('may contain only the rounding differences of the other items with the same rate', () => {
    const rest = Array.from({ length: 9 }, () => ['0.02', '0.13'] as const);
    expect(problemOf([...rest, ['0.07', '0.13']])).to.equal(null);
    expect(problemOf([...rest, ['0.14', '0.13']])).to.match(/has the amount 0\.14 .*: expected 0\.02$/);
    const more = Array.from({ length: 10 }, () => ['0.04', '0.13'] as const);
    expect(problemOf(more)).to.equal(
      'is one of 10 with the taxRate 19 and the total amount 0.4: expected 0.25',
    );
    expect(
      problemOf([
        ['19', '100'],
        ['5', '100', '7'],
      ]),
    ).to.match(/amount 5 with the taxRate 7/);
  });

  it('may be computed with or without the reduction of a charge', () => {
    for (const amount of ['19', '11.4', '15']) expect(problemOf([[amount, '100-40']])).to.equal(null);
    for (const amount of ['19.02', '11.38'])
      expect(problemOf([[amount, '100-40']])).to.match(/amount of 100/);
    expect(problemOf([['11.38', '100-40']])).to.match(/expected 11\.4$/);
  });

  it('cannot exceed the amount at the rate for a repair, but may be less because part of the tax may have been returned before', () => {
    for (const amount of ['-9.5', '-9.51', '-5', '0']) expect(problemOf([[amount, '-50']])).to.equal(null);
    expect(problemOf([['-9.52', '-50']])).to.equal(
      'has the amount -9.52 with the taxRate 19 on an amount of -50: expected -9.5',
    );
  });

  it('are compared only if the taxed item is known', () => {
    const tax = { itemType: 'TAX', amount: decimal(5), taxRate: decimal(19), taxCategory: 'S' } as const;
    const unknown = () => undefined;
    for (const linkedItemId of [null, nextId()])
      expect(
        declaredTaxProblem([{ ...tax, linkedItemId }], unknown, { currency: 'EUR' as Currency }),
      ).to.equal(null);
  });
});
