import type { UsageSection } from '../../../lib/records/index.ts';
import { compareText } from '../../../lib/usage/rating/quantities.ts';
import { rateUsage } from '../../../lib/usage/rating/rate-usage.ts';
import type { OverflowPolicy, RatedUsage } from '../../../lib/usage/rating/rated-usage.ts';
import { aggregateDetails, lineDetails, readItemDetails } from '../../../lib/usage/rating/rated-usage.ts';
import { decimal, expect, formatDecimal } from '../../support/unit.ts';
import {
  capacity,
  consumable,
  duoTopUsage,
  duoUsage,
  packsUsage,
  smsUsage,
  teamUsage,
  ticksUsage,
} from '../../support/usage/sections.ts';

/** @param used such as `FOO 75, BAR 101` */
function rate(section: UsageSection, used: string, overflow: OverflowPolicy = 'CAP'): RatedUsage {
  const pairs = used === '' ? [] : used.split(', ').map((text) => text.split(' '));
  const quantities = new Map(pairs.map(([unit = '', amount = '']) => [unit, decimal(amount)]));
  return rateUsage({ section, quantities, currency: 'USD', overflow });
}

/** Returns the amount, one line each with unit, tier and price × quantity, and then the quantity beyond the tiers. */
function linesOf({ amount, lines, overflow }: RatedUsage): string {
  return [
    formatDecimal(amount),
    ...lines.map(
      ({ unit, tier, price, quantity }) =>
        `${unit} T${tier} ${formatDecimal(price)} × ${formatDecimal(quantity)}`,
    ),
    ...overflow.map(({ unit, quantity }) => `beyond: ${unit} ${formatDecimal(quantity)}`),
  ].join('; ');
}

const fractions = consumable('fractions', [[['gb', '0.001', '-1', '0.0005']]]);
const whole = consumable('whole', [[['gb', '1', '-1', '3']]]);
const thirds = consumable('thirds', [[['gb', '3', '-1', '1']]]);
const freeFirst = consumable('free-first', [[['gb', '1', '10', '0']], [['gb', '1', '-1', '2']]]);
const bounded = capacity('bounded', [
  ['1', ['mbps', '100']],
  ['5', ['mbps', '500']],
]);
const free = consumable('free', [[['gb', '1', '-1', '0']]]);

const cases: Readonly<Record<string, readonly [rated: RatedUsage, expected: string]>> = {
  'charges two started blocks (usage E1)': [rate(smsUsage, 'sms 199'), '5.9; sms T1 2.95 × 2'],
  'creates a zero line of tier 1 without usage (usage E1)': [rate(smsUsage, ''), '0; sms T1 2.95 × 0'],
  'passes the rest of a full tier to the next one (usage E2)': [
    rate(smsUsage, 'sms 5325'),
    '59.25; sms T1 2.95 × 10; sms T2 5.95 × 5',
  ],
  'caps and reports units beyond the last tier (usage E2)': [
    rate(smsUsage, 'sms 101001'),
    '624.5; sms T1 2.95 × 10; sms T2 5.95 × 100; beyond: sms 1',
  ],
  'charges units beyond the last tier with LAST_TIER (usage E2)': [
    rate(smsUsage, 'sms 101001', 'LAST_TIER'),
    '630.45; sms T1 2.95 × 10; sms T2 5.95 × 101',
  ],
  'fills a tier exactly (usage §5.1)': [rate(smsUsage, 'sms 1000'), '29.5; sms T1 2.95 × 10'],
  'charges a started block for a fraction (usage §5.1)': [rate(whole, 'gb 4.2'), '15; gb T1 3 × 5'],
  'supports fractional blocks (usage §5.1)': [rate(fractions, 'gb 4.2001'), '2.1; gb T1 0.0005 × 4201'],
  'charges another block for the smallest excess (usage §5.1)': [
    rate(thirds, 'gb 3.000000001'),
    '2; gb T1 1 × 2',
  ],
  'keeps every digit of large numbers (usage §5.1)': [
    rate(thirds, 'gb 299999999999999999997.000000001'),
    '100000000000000000000; gb T1 1 × 100000000000000000000',
  ],
  'uses free units first (usage §5.1)': [rate(freeFirst, 'gb 12'), '4; gb T1 0 × 10; gb T2 2 × 2'],
  'counts the blocks of free usage (usage §5.1)': [rate(free, 'gb 12'), '0; gb T1 0 × 12'],
  'prices all units by the first tier (usage E3)': [rate(packsUsage, 'packs 15'), '200; packs T1 100 × 2'],
  'prices all units by the tier reached (usage E3)': [
    rate(packsUsage, 'packs 1100'),
    '1100; packs T2 10 × 110',
  ],
  'prices all units by the last tier beyond all tiers (usage E3)': [
    rate(packsUsage, 'packs 40000'),
    '4000; packs T3 1 × 4000',
  ],
  'lowers the price at a cheaper tier (usage E4)': [
    rate(packsUsage, 'packs 1015'),
    '1020; packs T2 10 × 102',
  ],
  'uses tier 1 without usage (usage §5.2)': [rate(packsUsage, ''), '0; packs T1 100 × 0'],
  'prices each unit separately (usage E5)': [
    rate(duoUsage, 'FOO 75, BAR 101'),
    '2230; BAR T1 2 × 100; BAR T2 20 × 1; FOO T1 1 × 10; FOO T2 10 × 50; FOO T3 100 × 15',
  ],
  'applies TOP_TIER per unit (usage E5)': [
    rate(duoTopUsage, 'FOO 76, BAR 101'),
    '9620; BAR T2 20 × 101; FOO T3 100 × 76',
  ],
  'creates a zero line for a unit without points (usage §5.3)': [
    rate(duoUsage, 'FOO 3'),
    '3; BAR T1 2 × 0; FOO T1 1 × 3',
  ],
  'ignores units of other sections (usage §5.3)': [rate(smsUsage, 'mms 5'), '0; sms T1 2.95 × 0'],
  'rounds an amount once (usage E16)': [rate(ticksUsage, 'tick 55'), '3.69; tick T1 0.067 × 55'],
  'prices all peaks by the first tier (usage E19)': [
    rate(teamUsage, 'members 10, mbps 100'),
    '1; mbps T1 1 × 100; members T1 1 × 10',
  ],
  'raises the whole section for one peak (usage E19)': [
    rate(teamUsage, 'members 10, mbps 101'),
    '5; members T1 1 × 10; mbps T2 5 × 101',
  ],
  'charges nothing without usage (usage E19)': [rate(teamUsage, ''), '0; mbps T1 1 × 0; members T1 1 × 0'],
  'uses the higher of two tiers (usage E19)': [
    rate(teamUsage, 'members 51, mbps 101'),
    '10; mbps T2 5 × 101; members T3 10 × 51',
  ],
  'treats a negative peak as zero (usage §5.4)': [
    rate(teamUsage, 'members -5'),
    '0; mbps T1 1 × 0; members T1 1 × 0',
  ],
  'reports a peak beyond the last limit (usage §5.4)': [
    rate(bounded, 'mbps 501'),
    '5; mbps T2 5 × 501; beyond: mbps 1',
  ],
};

describe('usage rating', () => {
  for (const [title, [rated, expected]] of Object.entries(cases))
    it(`${title} with the result ${expected}`, () => expect(linesOf(rated)).to.equal(expected));

  it('keeps fractions of a cent in details (usage E16)', () => {
    const { lines, exact, overflow } = rate(ticksUsage, 'tick 55');
    expect(JSON.parse(aggregateDetails({ lines, amount: exact, overflow }))).to.eql({
      tierDetails: [
        { tier: 1, tierUnit: 'tick', tierPrice: 0.067, quantity: 55, tierBlockSize: 1, amount: 3.685 },
      ],
      amount: 3.685,
    });
  });

  it('writes no blocks or line amounts in CAPACITY details (usage §7.4)', () => {
    const { lines, exact, overflow } = rate(teamUsage, 'members 10, mbps 101');
    expect(JSON.parse(aggregateDetails({ lines, amount: exact, overflow }))).to.eql({
      tierDetails: [
        { tier: 1, tierUnit: 'members', tierPrice: 1, quantity: 10 },
        { tier: 2, tierUnit: 'mbps', tierPrice: 5, quantity: 101 },
      ],
      amount: 5,
    });
  });

  it('lists the units beyond the last tier in details (usage E2)', () => {
    const { lines, exact, overflow } = rate(smsUsage, 'sms 101001');
    const { overflow: beyond } = JSON.parse(aggregateDetails({ lines, amount: exact, overflow }));
    expect(beyond).to.eql([{ tierUnit: 'sms', quantity: 1 }]);
  });

  it('reads both forms of stored details (usage §7.3)', () => {
    const rated = rate(duoUsage, 'FOO 75.000000001, BAR 101');
    if (rated.kind === 'CAPACITY') throw new Error('duo is no CAPACITY section');
    const { lines, exact, overflow } = rated;
    expect(readItemDetails(aggregateDetails({ lines, amount: exact, overflow }))).to.eql({
      shape: 'AGGREGATE',
      lines,
      amount: exact,
    });
    for (const line of lines)
      expect(readItemDetails(lineDetails(line))).to.eql({ shape: 'DETAIL', lines: [line] });
  });

  it('ignores details written by a plugin (usage §7.3)', () => {
    for (const text of [
      null,
      '',
      'hello',
      '[]',
      '{"amount":1}',
      '{"tierDetails":[{"tier":1}],"amount":1}',
      '7',
    ])
      expect(readItemDetails(text), String(text)).to.equal(null);
  });

  it('sorts units by code point (usage §5.4)', () =>
    expect(['b', '\u{1F600}', '\uFFFD', 'a', 'ab', 'B'].sort(compareText)).to.eql([
      'B',
      'a',
      'ab',
      'b',
      '\uFFFD',
      '\u{1F600}',
    ]));
});
