import { repairedDebts, repairsAmong } from '../../../lib/invoicing/credit/apply-credit.ts';
import { decimal, expect, type Uuid } from '../../support/unit.ts';

const debt = (name: string, owed: string) => ({ id: name as Uuid, rawBalance: decimal(owed) });
const repair = (item: string, amount: string) => ({ itemId: item as Uuid, amount: decimal(amount) });

function repaired(
  candidates: Parameters<typeof repairedDebts>[0],
  debts: Readonly<Record<string, ReturnType<typeof debt>>>,
): readonly string[] {
  const debtOf = new Map(Object.entries(debts).map(([item, of]) => [item as Uuid, of]));
  return repairedDebts(candidates, debtOf).map(
    ({ by, invoiceId, balance, amount }) =>
      `${by} takes ${amount.toFixed()} of ${balance.toFixed()} off ${invoiceId}`,
  );
}

describe('parent debt repairs (invoicing §10 rule 8)', () => {
  it('combine the repairs of all items of an invoice, up to the remainder of the invoice', () => {
    const first = debt('first', '50');
    const repairs = [repair('a', '20'), repair('b', '25'), repair('own', '9')];
    expect(repaired([{ ...debt('new', '-54'), repairs }], { a: first, b: first })).to.eql([
      'new takes 45 of 50 off first',
    ]);
    expect(
      repaired([{ ...debt('new', '-54'), repairs }], { a: debt('first', '30'), b: debt('first', '30') }),
    ).to.eql(['new takes 20 of 30 off first', 'new takes 10 of 10 off first']);
    expect(repaired([{ ...debt('new', '-54'), repairs }], { a: debt('first', '0') })).to.eql([]);
  });

  it('apply to one invoice at a time, up to the remaining debt', () => {
    const first = debt('first', '50');
    const candidates = [
      debt('first', '40'),
      { ...debt('one', '-30'), repairs: [repair('a', '30')] },
      { ...debt('two', '-30'), repairs: [repair('a', '30')] },
    ];
    expect(repaired(candidates, { a: first })).to.eql([
      'one takes 30 of 40 off first',
      'two takes 10 of 10 off first',
    ]);
  });

  it('exclude repairs of items on the same invoice', () => {
    const own = { ...debt('new', '5'), repairs: [repair('a', '3')] };
    expect(repaired([own], { a: own })).to.eql([]);
  });

  it('include only REPAIR_ADJ items that reduce another item', () => {
    const item = { id: 'r' as Uuid, linkedItemId: 'a' as Uuid, amount: decimal('-3') };
    expect(
      repairsAmong([
        { ...item, itemType: 'REPAIR_ADJ' },
        { ...item, itemType: 'ITEM_ADJ' },
        { ...item, itemType: 'REPAIR_ADJ', linkedItemId: null },
        { ...item, itemType: 'REPAIR_ADJ', amount: decimal('0') },
      ]).map(({ itemId, amount }) => `${itemId} ${amount.toFixed()}`),
    ).to.eql(['a 3']);
  });
});
