import { expect } from 'chai';
import { firstChangedDate } from '../../../lib/invoicing/first-changed-date.ts';
import { priceDifferences } from '../../../lib/invoicing/price-differences.ts';
import { formatDecimal } from '../../../lib/money/index.ts';
import { formatLocalDate } from '../../../lib/time/index.ts';
import { cancel, event } from './billing-events.ts';

const created = event('CREATE', '2024-01-01', { price: '10.00' });
const raised = event('CHANGE', '2024-03-01', { price: '12.00' });
const lowered = event('CHANGE', '2024-05-01', { price: '8.00' });

describe('the first date that is billed differently', () => {
  const cases = [
    ['nothing', [created, raised], [created, raised], null],
    ['a price change more', [created, lowered], [created, raised, lowered], '2024-03-01'],
    ['a price change less', [created, raised], [created], '2024-03-01'],
    [
      'another price',
      [created, raised],
      [created, { ...raised, recurringPrice: lowered.recurringPrice }],
      '2024-03-01',
    ],
    [
      'another day',
      [created, raised],
      [created, event('CHANGE', '2024-02-01', { price: '12.00' })],
      '2024-02-01',
    ],
    ['another version', [created], [{ ...created, catalogEffectiveDate: raised.effectiveDate }], null],
    ['all of it', [], [created], '2024-01-01'],
  ] as const;
  for (const [name, before, after, expected] of cases) {
    it(`of ${name}: ${expected ?? 'none'}`, () => {
      const date = firstChangedDate(before, after);
      expect(date && formatLocalDate(date)).to.equal(expected);
    });
  }
});

describe('the differences of prices', () => {
  const lines = (...[before, after]: Parameters<typeof priceDifferences>) =>
    priceDifferences(before, after).map(({ from, oldPrice, newPrice, difference }) =>
      [
        formatLocalDate(from.date),
        ...[oldPrice, newPrice, difference].map((each) => each && formatDecimal(each)),
      ].join(' '),
    );

  it('are one for each stretch with one pair of prices', () => {
    expect(lines([created], [created, raised])).to.deep.equal(['2024-03-01 10 12 2']);
    expect(lines([created, lowered], [created, raised])).to.deep.equal([
      '2024-03-01 10 12 2',
      '2024-05-01 8 12 4',
    ]);
    expect(lines([created, raised], [created, raised])).to.deep.equal([]);
    expect(lines([created, raised, lowered], [created, lowered])).to.deep.equal(['2024-03-01 12 10 -2']);
  });

  it('are none before the subscription begins and after it ends', () => {
    const end = cancel('2024-04-01');
    expect(lines([created, end], [created, raised, end])).to.deep.equal(['2024-03-01 10 12 2']);
    expect(lines([created, end], [created, end])).to.deep.equal([]);
  });
});
