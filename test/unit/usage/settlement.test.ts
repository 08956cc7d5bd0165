import type { UsageInterval } from '../../../lib/usage/intervals/usage-intervals.ts';
import { type BilledInterval, matchBilled } from '../../../lib/usage/settlement/billed-interval.ts';
import type { NegativeDeltaInput, UsageConfig } from '../../../lib/usage/settlement/usage-config.ts';
import { negativeDeltaOf } from '../../../lib/usage/settlement/usage-config.ts';
import { expect, localDateOf } from '../../support/unit.ts';
import { ScannedUsageLife } from '../../support/usage/scanned-usage-life.ts';
import {
  at,
  consumable,
  duoUsage,
  packsUsage,
  plusUsage,
  smsUsage,
  stdUsage,
  teamUsage,
  ticksUsage,
  type UsageSection,
} from '../../support/usage/sections.ts';
import { UTC_ZONE, usageEvent } from '../../support/usage/usage-catalog.ts';
import type { LifeInvoice, UsageLife } from '../../support/usage/usage-life.ts';

function lifeOf(section: UsageSection, from: string, config: Partial<UsageConfig> = {}): UsageLife {
  return new ScannedUsageLife([usageEvent('CREATE', from, { usages: [section] })], { config });
}

/** Returns the month of the interval and the amount; then rate × quantity, and the item that a credit reduces. */
function linesOf({ items }: LifeInvoice): readonly string[] {
  return items.map(({ from, amount, rate, quantity, credits }) =>
    [
      `${from.slice(5, 7)}: ${amount}`,
      ...(rate === null ? [] : [`(${rate} × ${quantity})`]),
      ...(credits === undefined ? [] : [`of ${credits}`]),
    ].join(' '),
  );
}

function interval(start: string, end: string): UsageInterval {
  return { start: dated(start), end: dated(end), includesEnd: false };
}

function dated(text: string) {
  return { at: at(text), date: localDateOf(at(text), UTC_ZONE) };
}

function billed(start: string, end: string, options: { readonly byDate?: true } = {}): BilledInterval {
  const [from, to] = [dated(start), dated(end)];
  return {
    usageName: 'calls',
    instants: options.byDate ? null : { start: from.at, end: to.at },
    startDate: from.date,
    endDate: to.date,
    entries: [],
    consumed: [],
  };
}

const midnight = (date: string) => `2026-${date}T00:00:00Z`;
const [apr1, apr10, apr20, may1, may10] = ['04-01', '04-10', '04-20', '05-01', '05-10'].map(midnight) as [
  string,
  string,
  string,
  string,
  string,
];
const noon = '2026-04-10T12:00:00Z';

describe('usage settled against billed intervals', () => {
  const cases: Readonly<Record<string, readonly [UsageInterval, BilledInterval, string]>> = {
    'an identical interval': [interval(apr1, may1), billed(apr1, may1), 'previous'],
    'an interval within the billed one': [interval(apr10, apr20), billed(apr1, may1), 'covered'],
    'the first part of the billed one': [interval(apr1, apr20), billed(apr1, may1), 'covered'],
    'the last part of the billed one': [interval(apr10, may1), billed(apr1, may1), 'covered'],
    'an interval around the billed one': [interval(apr1, may1), billed(apr10, apr20), 'previous'],
    'an interval that starts with the billed one': [interval(apr1, may1), billed(apr1, apr20), 'previous'],
    'an interval that ends with the billed one': [interval(apr1, may1), billed(apr10, may1), 'previous'],
    'an overlap with the end of the billed one': [interval(apr1, may1), billed(apr20, may10), 'overlapping'],
    'an overlap with the start of the billed one': [
      interval(apr10, may10),
      billed(apr1, apr20),
      'overlapping',
    ],
    'an interval after the billed one': [interval(may1, may10), billed(apr1, may1), 'apart'],
    'an interval before the billed one': [interval(apr1, apr10), billed(apr10, may1), 'apart'],
    'two intervals on one day': [interval(noon, '2026-04-10T13:00:00Z'), billed(apr10, noon), 'apart'],
    'an empty interval billed as empty': [interval(apr10, apr10), billed(apr10, apr10), 'previous'],
    'an empty interval within the billed one': [interval(apr10, apr10), billed(apr1, may1), 'covered'],
    'an empty billed interval within a month': [interval(apr1, may1), billed(apr10, apr10), 'overlapping'],
    'an empty billed interval within a day': [interval(apr10, noon), billed(apr10, apr10), 'previous'],
    'an empty billed interval elsewhere': [interval(apr10, noon), billed(apr1, apr1), 'apart'],
    'an identical interval billed by date': [
      interval(apr1, may1),
      billed(apr1, may1, { byDate: true }),
      'previous',
    ],
    'an interval within one billed by date': [
      interval(apr10, apr20),
      billed(apr1, may1, { byDate: true }),
      'covered',
    ],
  };
  for (const [title, [own, one, expected]] of Object.entries(cases))
    it(`treats ${title} as ${expected} (usage §7.3 step 2)`, () => {
      const match = matchBilled(own, [one]);
      const found =
        match.kind === 'COVERED'
          ? 'covered'
          : [...match.previous.map(() => 'previous'), ...match.overlapping.map(() => 'overlapping')].join() ||
            'apart';
      expect(found).to.equal(expected);
    });
});

describe('usage changed after billing', () => {
  it('is rebilled under the new plan after a plan change within a billed period (usage §7.3 rule 7)', () => {
    const life = lifeOf(stdUsage, '2026-04-01');
    life.record('10 calls', '2026-04-05');
    life.record('10 calls', '2026-04-25');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: 20']);
    life.events = [...life.events, usageEvent('CHANGE', '2026-04-20', { usages: [plusUsage] })];
    life.record('1 calls', '2026-04-06');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: -9 of 20', '04: 20']);
    expect(linesOf(life.bill('2026-05-01'))).to.eql([]);
  });

  it('includes an item and its credit together when a change of the plan and the bill cycle day is undone (usage §7.3 rule 7)', () => {
    const life = lifeOf(stdUsage, '2026-04-01');
    const unchanged = life.events;
    const [first] = unchanged;
    if (first === undefined) throw new Error('no event');
    life.events = [first, usageEvent('BCD_CHANGE', '2026-04-01', { usages: [stdUsage], bcd: 2 })];
    life.record('1 calls', '2026-04-02T00:00:00Z');
    life.bill('2026-05-11');
    life.events = [first, usageEvent('CHANGE', '2026-05-01T01:00:00Z', { usages: [plusUsage] })];
    life.bill('2026-06-20');
    expect(life.total().toFixed()).to.equal('1');
    life.events = unchanged;
    life.bill('2026-07-30');
    expect(life.total().toFixed()).to.equal('1');
  });

  it('excludes a point that another period has charged in the meantime (usage §7.3 rule 7)', () => {
    const life = lifeOf(stdUsage, '2026-04-01');
    const unchanged = life.events;
    life.record('1 calls', '2026-05-02T00:00:00Z');
    life.bill('2026-06-20');
    life.events = [
      ...unchanged,
      usageEvent('CHANGE', '2026-04-01', { usages: [] }),
      usageEvent('CHANGE', '2026-05-01T01:00:00Z', { usages: [stdUsage], bcd: 2 }),
    ];
    life.bill('2026-07-30');
    life.events = unchanged;
    life.bill('2026-09-08');
    expect(life.total().toFixed()).to.equal('1');
  });

  it('is billed as the difference of the whole period when a change is undone (usage §7.3 step 2)', () => {
    const life = lifeOf(smsUsage, '2026-04-01');
    const unchanged = life.events;
    life.events = [...life.events, usageEvent('CHANGE', '2026-04-20', { usages: [plusUsage] })];
    life.record('150 sms', '2026-04-05');
    expect(linesOf(life.bill('2026-04-20'))).to.eql(['04: 5.9']);
    life.events = unchanged;
    life.record('100 sms', '2026-04-25');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: 2.95']);
  });

  it('excludes points charged by an overlapping period (usage §7.3 step 2)', () => {
    const life = lifeOf(stdUsage, '2026-04-01');
    life.record('10 calls', '2026-04-05');
    life.record('5 calls', '2026-04-25');
    life.bill('2026-05-01');
    life.events = [usageEvent('CREATE', '2026-04-20', { usages: [stdUsage], bcd: 20 })];
    life.record('3 calls', '2026-05-03');
    expect(linesOf(life.bill('2026-05-20'))).to.eql(['04: 3']);
  });

  it('is credited for voided points up to the amount of each item, newest item first (usage §7.7 rule 2)', () => {
    const life = lifeOf(stdUsage, '2026-04-01');
    life.record('10 calls', '2026-04-05', 'a');
    life.bill('2026-05-01');
    life.record('4 calls', '2026-04-06', 'b');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: 4']);
    life.voidPoints('a');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: -4 of 4', '04: -6 of 10']);
    expect(life.total().toFixed()).to.equal('4');
    expect(linesOf(life.bill('2026-05-01'))).to.eql([]);
    life.record('1 calls', '2026-04-07', 'c');
    const again = life.bill('2026-05-01');
    expect(linesOf(again)).to.eql(['04: 1']);
    expect(again.items[0]?.details).to.have.nested.property('tierDetails[0].quantity', 1);
  });

  it('can be billed again when its invoice is voided (usage §7.7)', () => {
    const life = lifeOf(stdUsage, '2026-04-01', { lookBackPeriods: 0 });
    life.record('10 calls', '2026-04-05');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: 10']);
    life.voidLast();
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: 10']);
  });

  it('creates no zero-amount item for a period within one day (usage §7.5 rule 3)', () => {
    const life = lifeOf(stdUsage, '2026-01-01');
    life.events = [...life.events, usageEvent('CHANGE', '2026-01-01T02:00:00Z', { usages: [plusUsage] })];
    expect(linesOf(life.bill('2026-01-01'))).to.eql([]);
  });

  it('creates one zero-amount item per empty period, or one per unit in detail mode (usage §7.5 rule 2)', () => {
    expect(linesOf(lifeOf(duoUsage, '2026-04-01').bill('2026-06-01'))).to.eql(['04: 0', '05: 0']);
    expect(linesOf(lifeOf(duoUsage, '2026-04-01', { itemMode: 'DETAIL' }).bill('2026-05-01'))).to.eql([
      '04: 0 (2 × 0)',
      '04: 0 (1 × 0)',
    ]);
    expect(linesOf(lifeOf(teamUsage, '2026-04-01', { itemMode: 'DETAIL' }).bill('2026-05-01'))).to.eql([
      '04: 0',
    ]);
  });
});

describe('detailed usage item', () => {
  it('bills only the changed lines for late usage (usage §7.4)', () => {
    const life = lifeOf(duoUsage, '2026-04-01', { itemMode: 'DETAIL' });
    life.record('5 FOO', '2026-04-02');
    life.record('3 BAR', '2026-04-02');
    life.bill('2026-05-01');
    life.record('7 FOO', '2026-04-03');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: 5 (1 × 5)', '04: 20 (10 × 2)']);
    expect(linesOf(life.bill('2026-05-01'))).to.eql([]);
  });

  it('bills the extra cost of the unit for late TOP_TIER usage (usage §7.4)', () => {
    const life = lifeOf(packsUsage, '2026-04-01', { itemMode: 'DETAIL' });
    life.record('15 packs', '2026-04-02');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: 200 (100 × 2)']);
    life.record('10 packs', '2026-04-02');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: 100 (100 × 3)']);
    life.record('1075 packs', '2026-04-02');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: 800 (10 × 110)']);
    expect(linesOf(life.bill('2026-05-01'))).to.eql([]);
  });

  it('credits items of the same line first (usage §7.7 rule 2)', () => {
    const life = lifeOf(duoUsage, '2026-04-01', { itemMode: 'DETAIL' });
    life.record('12 FOO', '2026-04-02', 'a');
    life.record('3 BAR', '2026-04-02', 'b');
    life.bill('2026-05-01');
    life.voidPoints('b');
    life.record('1 FOO', '2026-04-02', 'c');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: -6 of 6', '04: 10 (10 × 1)']);
    expect(linesOf(life.bill('2026-05-01'))).to.eql([]);
  });

  it('credits the whole tier if it is no longer reached (usage §7.7 rule 2)', () => {
    const life = lifeOf(duoUsage, '2026-04-01', { itemMode: 'DETAIL' });
    life.record('7 FOO', '2026-04-02', 'a');
    life.record('5 FOO', '2026-04-02', 'b');
    life.bill('2026-05-01');
    life.voidPoints('b');
    const { items } = life.bill('2026-05-01');
    expect(linesOf({ items, trackingIds: [], chargedThrough: null, nextDate: null })).to.eql([
      '04: -3 of 10',
      '04: -20 of 20',
    ]);
    expect(items.map(({ details }) => (details as { quantity: number }).quantity)).to.eql([-3, -2]);
    expect(linesOf(life.bill('2026-05-01'))).to.eql([]);
  });

  it('credits a partly billed period only once, including TOP_TIER (usage §7.4)', () => {
    const life = lifeOf(packsUsage, '2026-04-01', { itemMode: 'DETAIL' });
    const [created] = life.events;
    if (created === undefined) throw new Error('there is no event');
    const endingOn = (day: string) => [created, usageEvent('CANCEL', day)];
    life.record('5 packs', '2026-04-02', 'a');
    life.events = endingOn('2026-04-10');
    life.bill('2026-05-01');
    life.events = endingOn('2026-04-20');
    life.voidPoints('a');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: -100 of 100']);
    expect(linesOf(life.bill('2026-05-01'))).to.eql([]);
  });

  it('keeps the billed part of a period that becomes longer, without adding items (usage §7.4)', () => {
    const life = lifeOf(packsUsage, '2026-04-01', { itemMode: 'DETAIL' });
    const [created] = life.events;
    if (created === undefined) throw new Error('there is no event');
    life.record('5 packs', '2026-04-02', 'a');
    life.events = [created, usageEvent('CANCEL', '2026-04-10')];
    life.bill('2026-05-01');
    life.events = [created];
    expect(linesOf(life.bill('2026-06-01'))).to.eql(['05: 0 (100 × 0)']);
    expect(linesOf(life.bill('2026-06-01'))).to.eql([]);
  });

  it('shows units beyond the last tier on that tier’s line (usage §7.4)', () => {
    const life = lifeOf(smsUsage, '2026-04-01', { itemMode: 'DETAIL' });
    life.record('101001 sms', '2026-04-02');
    const { items } = life.bill('2026-05-01');
    expect(items.map(({ details }) => (details as { overflow?: unknown }).overflow)).to.eql([
      undefined,
      [{ tierUnit: 'sms', quantity: 1 }],
    ]);
  });

  it('is not billed again after a switch from AGGREGATE to DETAIL and back (usage §7.3)', () => {
    const halfCents = consumable('half-cents', [
      [
        ['A', '1', '-1', '0.335'],
        ['B', '1', '-1', '0.335'],
      ],
    ]);
    for (const section of [duoUsage, ticksUsage, packsUsage, halfCents]) {
      const life = lifeOf(section, '2026-04-01');
      for (const what of ['37 FOO', '105 BAR', '55 tick', '995 packs', '1 A', '1 B'])
        life.record(what, '2026-04-02', 'a');
      life.bill('2026-05-01');
      for (const itemMode of ['DETAIL', 'AGGREGATE'] as const) {
        life.config = { ...life.config, itemMode };
        expect(linesOf(life.bill('2026-05-01')), `${section.name} ${itemMode}`).to.eql([]);
        life.record('1 FOO', '2026-04-03', itemMode);
        life.record('1 tick', '2026-04-03', itemMode);
        life.record('10 packs', '2026-04-03', itemMode);
        life.record('1 A', '2026-04-03', itemMode);
        expect(linesOf(life.bill('2026-05-01')), `${section.name} ${itemMode}`).to.have.length(1);
      }
    }
  });
});

describe('usage item that changes between modes', () => {
  const halfCents = consumable('half-cents', [
    [
      ['A', '1', '-1', '0.335'],
      ['B', '1', '-1', '0.335'],
    ],
  ]);

  it('does not credit rounding differences (usage §7.3)', () => {
    const life = lifeOf(halfCents, '2026-04-01', { itemMode: 'DETAIL' });
    life.record('1 A', '2026-04-02');
    life.record('1 B', '2026-04-02');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: 0.34 (0.335 × 1)', '04: 0.34 (0.335 × 1)']);
    life.config = { ...life.config, itemMode: 'AGGREGATE' };
    expect(linesOf(life.bill('2026-05-01'))).to.eql([]);
  });

  it('assigns its rounded amounts to its lines, and the rest to the largest line (usage §7.3)', () => {
    const life = lifeOf(halfCents, '2026-04-01');
    life.record('1 A', '2026-04-02');
    life.record('1 B', '2026-04-02');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: 0.67']);
    life.config = { ...life.config, itemMode: 'DETAIL' };
    life.record('1 A', '2026-04-02');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: 0.34 (0.335 × 1)']);
    expect(life.total().toFixed(2)).to.equal('1.01');
  });

  it('uses the rating of the last item for TOP_TIER (usage §7.3)', () => {
    const life = lifeOf(packsUsage, '2026-04-01');
    for (const [itemMode, expected] of [
      ['AGGREGATE', '04: 200'],
      ['AGGREGATE', '04: 200'],
      ['DETAIL', '04: 200 (100 × 6)'],
      ['AGGREGATE', '04: 200'],
      ['DETAIL', '04: 200 (100 × 10)'],
    ] as const) {
      life.config = { ...life.config, itemMode };
      life.record('20 packs', '2026-04-02');
      expect(linesOf(life.bill('2026-05-01'))).to.eql([expected]);
    }
    expect(life.total().toFixed()).to.equal('1000');
  });
});

describe('late usage', () => {
  const cases: readonly [UsageConfig['lateMode'], string, readonly string[]][] = [
    ['DELTA', 'billed separately', ['04: 3', '05: 5']],
    ['NEXT_PERIOD', 'billed with the next period', ['05: 8']],
    ['IGNORE', 'never billed', ['05: 5']],
  ];
  for (const [lateMode, title, expected] of cases)
    it(`is ${title} with lateMode ${lateMode} (usage §7.7)`, () => {
      const life = lifeOf(stdUsage, '2026-04-01', { lateMode });
      life.record('10 calls', '2026-04-02');
      life.bill('2026-05-01');
      life.record('3 calls', '2026-04-03');
      life.record('5 calls', '2026-05-03');
      expect(linesOf(life.bill('2026-06-01'))).to.eql(expected);
      expect(linesOf(life.bill('2026-06-01'))).to.eql([]);
    });

  it('is billed as a delta if NEXT_PERIOD has no next period (usage §7.7)', () => {
    const life = lifeOf(stdUsage, '2026-04-01', { lateMode: 'NEXT_PERIOD' });
    life.record('10 calls', '2026-04-02');
    life.bill('2026-05-01');
    life.record('3 calls', '2026-04-03');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: 3']);
  });

  it('counts as a peak even when it is carried forward (usage §7.7)', () => {
    const life = lifeOf(teamUsage, '2026-04-01', { lateMode: 'NEXT_PERIOD' });
    life.record('10 members', '2026-04-02');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['04: 1']);
    life.record('45 members', '2026-04-03');
    life.record('8 members', '2026-05-03');
    expect(linesOf(life.bill('2026-06-01'))).to.eql(['05: 5']);
  });

  it('has no effect on billed periods without a look-back (usage §7.1)', () => {
    const life = lifeOf(stdUsage, '2026-04-01', { lookBackPeriods: 0 });
    life.record('10 calls', '2026-04-02');
    life.bill('2026-05-01');
    life.record('3 calls', '2026-04-03');
    expect(linesOf(life.bill('2026-06-01'))).to.eql(['05: 0']);
  });

  it('is billed one period at a time if several periods are unbilled (usage §7.9 rule 6)', () => {
    const life = lifeOf(stdUsage, '2026-01-01', { lookBackPeriods: 0 });
    life.bill('2026-02-01');
    for (const month of ['02', '03', '04', '05', '06']) life.record(`${month} calls`, `2026-${month}-10`);
    expect(linesOf(life.bill('2026-07-01'))).to.eql(['02: 2', '03: 3', '04: 4', '05: 5', '06: 6']);
  });

  const modes: readonly [Partial<NegativeDeltaInput>, string][] = [
    [{}, 'CREDIT'],
    [{ isFromSource: true }, 'FAIL'],
    [{ isFromSource: true, isDryRun: true }, 'IGNORE'],
    [{ setting: 'FAIL' }, 'FAIL'],
    [{ setting: 'FAIL', isDryRun: true }, 'IGNORE'],
    [{ setting: 'CREDIT', isFromSource: true }, 'CREDIT'],
    [{ setting: 'CREDIT', isDryRun: true }, 'CREDIT'],
    [{ setting: 'FAIL', isLenient: true }, 'IGNORE'],
  ];
  for (const [given, expected] of modes)
    it(`yields ${expected} for a negative delta with ${JSON.stringify(given)} (usage §7.7 rule 2)`, () => {
      const none = { setting: null, isLenient: false, isFromSource: false, isDryRun: false };
      expect(negativeDeltaOf({ ...none, ...given })).to.equal(expected);
    });
});
