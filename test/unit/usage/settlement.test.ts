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

/** month of the interval, amount; then rate × quantity, and what a credit gives back from. */
function told({ items }: LifeInvoice): readonly string[] {
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

describe('matching with billed usage intervals', () => {
  const cases: readonly [title: string, UsageInterval, BilledInterval, string][] = [
    ['the same', interval(apr1, may1), billed(apr1, may1), 'previous'],
    ['within a billed one', interval(apr10, apr20), billed(apr1, may1), 'covered'],
    ['the first part of a billed one', interval(apr1, apr20), billed(apr1, may1), 'covered'],
    ['the last part of a billed one', interval(apr10, may1), billed(apr1, may1), 'covered'],
    ['around a billed one', interval(apr1, may1), billed(apr10, apr20), 'previous'],
    ['a billed one at its start', interval(apr1, may1), billed(apr1, apr20), 'previous'],
    ['a billed one at its end', interval(apr1, may1), billed(apr10, may1), 'previous'],
    ['a later part in common', interval(apr1, may1), billed(apr20, may10), 'overlapping'],
    ['an earlier part in common', interval(apr10, may10), billed(apr1, apr20), 'overlapping'],
    ['after a billed one', interval(may1, may10), billed(apr1, may1), 'apart'],
    ['before a billed one', interval(apr1, apr10), billed(apr10, may1), 'apart'],
    ['two of one day', interval(noon, '2026-04-10T13:00:00Z'), billed(apr10, noon), 'apart'],
    ['one of no length, billed so', interval(apr10, apr10), billed(apr10, apr10), 'previous'],
    ['one of no length in a billed one', interval(apr10, apr10), billed(apr1, may1), 'covered'],
    ['a billed one of no length in a month', interval(apr1, may1), billed(apr10, apr10), 'overlapping'],
    ['a billed one of no length in a day', interval(apr10, noon), billed(apr10, apr10), 'previous'],
    ['a billed one of no length elsewhere', interval(apr10, noon), billed(apr1, apr1), 'apart'],
    ['the same by date', interval(apr1, may1), billed(apr1, may1, { byDate: true }), 'previous'],
    ['within a billed one by date', interval(apr10, apr20), billed(apr1, may1, { byDate: true }), 'covered'],
  ];
  for (const [title, own, one, expected] of cases)
    it(`usage §7.3 step 2: ${title}: ${expected}`, () => {
      const match = matchBilled(own, [one]);
      const found =
        match.kind === 'COVERED'
          ? 'covered'
          : [...match.previous.map(() => 'previous'), ...match.overlapping.map(() => 'overlapping')].join() ||
            'apart';
      expect(found).to.equal(expected);
    });
});

describe('usage that changes after it is billed', () => {
  it('usage §7.3 rule 7: a change of plan over a billed period moves its usage to the new plan', () => {
    const life = lifeOf(stdUsage, '2026-04-01');
    life.record('10 calls', '2026-04-05');
    life.record('10 calls', '2026-04-25');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: 20']);
    life.events = [...life.events, usageEvent('CHANGE', '2026-04-20', { usages: [plusUsage] })];
    life.record('1 calls', '2026-04-06');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: -9 of 20', '04: 20']);
    expect(told(life.bill('2026-05-01'))).to.deep.equal([]);
  });

  it('usage §7.3 rule 7: an item and its credit count together when the change and a bill cycle day are undone', () => {
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

  it('usage §7.3 rule 7: a point that another period has charged since stays with that one', () => {
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

  it('usage §7.3 step 2: a change that is undone bills the difference of the whole period', () => {
    const life = lifeOf(smsUsage, '2026-04-01');
    const unchanged = life.events;
    life.events = [...life.events, usageEvent('CHANGE', '2026-04-20', { usages: [plusUsage] })];
    life.record('150 sms', '2026-04-05');
    expect(told(life.bill('2026-04-20'))).to.deep.equal(['04: 5.9']);
    life.events = unchanged;
    life.record('100 sms', '2026-04-25');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: 2.95']);
  });

  it('usage §7.3 step 2: points that an overlapping period has charged are left out', () => {
    const life = lifeOf(stdUsage, '2026-04-01');
    life.record('10 calls', '2026-04-05');
    life.record('5 calls', '2026-04-25');
    life.bill('2026-05-01');
    life.events = [usageEvent('CREATE', '2026-04-20', { usages: [stdUsage], bcd: 20 })];
    life.record('3 calls', '2026-05-03');
    expect(told(life.bill('2026-05-20'))).to.deep.equal(['04: 3']);
  });

  it('usage §7.7 rule 2: voided points are given back, newest item first, and no item beyond what it has', () => {
    const life = lifeOf(stdUsage, '2026-04-01');
    life.record('10 calls', '2026-04-05', 'a');
    life.bill('2026-05-01');
    life.record('4 calls', '2026-04-06', 'b');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: 4']);
    life.voidPoints('a');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: -4 of 4', '04: -6 of 10']);
    expect(life.total().toFixed()).to.equal('4');
    expect(told(life.bill('2026-05-01'))).to.deep.equal([]);
    life.record('1 calls', '2026-04-07', 'c');
    const again = life.bill('2026-05-01');
    expect(told(again)).to.deep.equal(['04: 1']);
    expect(again.items[0]?.details).to.have.nested.property('tierDetails[0].quantity', 1);
  });

  it('usage §7.7: the void of an invoice frees its late usage', () => {
    const life = lifeOf(stdUsage, '2026-04-01', { lookBackPeriods: 0 });
    life.record('10 calls', '2026-04-05');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: 10']);
    life.voidLast();
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: 10']);
  });

  it('usage §7.5 rule 3: a period within one day has no zero item', () => {
    const life = lifeOf(stdUsage, '2026-01-01');
    life.events = [...life.events, usageEvent('CHANGE', '2026-01-01T02:00:00Z', { usages: [plusUsage] })];
    expect(told(life.bill('2026-01-01'))).to.deep.equal([]);
  });

  it('usage §7.5 rule 2: every period without usage has one zero item, in detail one for each unit', () => {
    expect(told(lifeOf(duoUsage, '2026-04-01').bill('2026-06-01'))).to.deep.equal(['04: 0', '05: 0']);
    expect(told(lifeOf(duoUsage, '2026-04-01', { itemMode: 'DETAIL' }).bill('2026-05-01'))).to.deep.equal([
      '04: 0 (2 × 0)',
      '04: 0 (1 × 0)',
    ]);
    expect(told(lifeOf(teamUsage, '2026-04-01', { itemMode: 'DETAIL' }).bill('2026-05-01'))).to.deep.equal([
      '04: 0',
    ]);
  });
});

describe('usage items in detail', () => {
  it('usage §7.4: late usage bills the lines that change', () => {
    const life = lifeOf(duoUsage, '2026-04-01', { itemMode: 'DETAIL' });
    life.record('5 FOO', '2026-04-02');
    life.record('3 BAR', '2026-04-02');
    life.bill('2026-05-01');
    life.record('7 FOO', '2026-04-03');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: 5 (1 × 5)', '04: 20 (10 × 2)']);
    expect(told(life.bill('2026-05-01'))).to.deep.equal([]);
  });

  it('usage §7.4: late usage of TOP_TIER bills what its unit costs more', () => {
    const life = lifeOf(packsUsage, '2026-04-01', { itemMode: 'DETAIL' });
    life.record('15 packs', '2026-04-02');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: 200 (100 × 2)']);
    life.record('10 packs', '2026-04-02');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: 100 (100 × 3)']);
    life.record('1075 packs', '2026-04-02');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: 800 (10 × 110)']);
    expect(told(life.bill('2026-05-01'))).to.deep.equal([]);
  });

  it('usage §7.7 rule 2: what is given back goes to items of the same line first', () => {
    const life = lifeOf(duoUsage, '2026-04-01', { itemMode: 'DETAIL' });
    life.record('12 FOO', '2026-04-02', 'a');
    life.record('3 BAR', '2026-04-02', 'b');
    life.bill('2026-05-01');
    life.voidPoints('b');
    life.record('1 FOO', '2026-04-02', 'c');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: -6 of 6', '04: 10 (10 × 1)']);
    expect(told(life.bill('2026-05-01'))).to.deep.equal([]);
  });

  it('usage §7.7 rule 2: a tier that is not reached any more is given back as a whole', () => {
    const life = lifeOf(duoUsage, '2026-04-01', { itemMode: 'DETAIL' });
    life.record('7 FOO', '2026-04-02', 'a');
    life.record('5 FOO', '2026-04-02', 'b');
    life.bill('2026-05-01');
    life.voidPoints('b');
    const { items } = life.bill('2026-05-01');
    expect(told({ items, trackingIds: [], chargedThrough: null, nextDate: null })).to.deep.equal([
      '04: -3 of 10',
      '04: -20 of 20',
    ]);
    expect(items.map(({ details }) => (details as { quantity: number }).quantity)).to.deep.equal([-3, -2]);
    expect(told(life.bill('2026-05-01'))).to.deep.equal([]);
  });

  it('usage §7.4: what is given back of a period that was billed in part is given back once, also of TOP_TIER', () => {
    const life = lifeOf(packsUsage, '2026-04-01', { itemMode: 'DETAIL' });
    const [created] = life.events;
    if (created === undefined) throw new Error('there is no event');
    const endingOn = (day: string) => [created, usageEvent('CANCEL', day)];
    life.record('5 packs', '2026-04-02', 'a');
    life.events = endingOn('2026-04-10');
    life.bill('2026-05-01');
    life.events = endingOn('2026-04-20');
    life.voidPoints('a');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: -100 of 100']);
    expect(told(life.bill('2026-05-01'))).to.deep.equal([]);
  });

  it('usage §7.4: a longer period that has no items yet leaves what was billed of its parts as it is', () => {
    const life = lifeOf(packsUsage, '2026-04-01', { itemMode: 'DETAIL' });
    const [created] = life.events;
    if (created === undefined) throw new Error('there is no event');
    life.record('5 packs', '2026-04-02', 'a');
    life.events = [created, usageEvent('CANCEL', '2026-04-10')];
    life.bill('2026-05-01');
    life.events = [created];
    expect(told(life.bill('2026-06-01'))).to.deep.equal(['05: 0 (100 × 0)']);
    expect(told(life.bill('2026-06-01'))).to.deep.equal([]);
  });

  it('usage §7.4: units beyond the last tier stand on the line of that tier', () => {
    const life = lifeOf(smsUsage, '2026-04-01', { itemMode: 'DETAIL' });
    life.record('101001 sms', '2026-04-02');
    const { items } = life.bill('2026-05-01');
    expect(items.map(({ details }) => (details as { overflow?: unknown }).overflow)).to.deep.equal([
      undefined,
      [{ tierUnit: 'sms', quantity: 1 }],
    ]);
  });

  it('usage §7.3: from AGGREGATE to DETAIL and back nothing is billed again', () => {
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
        expect(told(life.bill('2026-05-01')), `${section.name} ${itemMode}`).to.deep.equal([]);
        life.record('1 FOO', '2026-04-03', itemMode);
        life.record('1 tick', '2026-04-03', itemMode);
        life.record('10 packs', '2026-04-03', itemMode);
        life.record('1 A', '2026-04-03', itemMode);
        expect(told(life.bill('2026-05-01')), `${section.name} ${itemMode}`).to.have.length(1);
      }
    }
  });
});

describe('usage whose items change their shape', () => {
  const halfCents = consumable('half-cents', [
    [
      ['A', '1', '-1', '0.335'],
      ['B', '1', '-1', '0.335'],
    ],
  ]);

  it('usage §7.3: cents that only rounding makes are not given back', () => {
    const life = lifeOf(halfCents, '2026-04-01', { itemMode: 'DETAIL' });
    life.record('1 A', '2026-04-02');
    life.record('1 B', '2026-04-02');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: 0.34 (0.335 × 1)', '04: 0.34 (0.335 × 1)']);
    life.config = { ...life.config, itemMode: 'AGGREGATE' };
    expect(told(life.bill('2026-05-01'))).to.deep.equal([]);
  });

  it('usage §7.3: an item for several lines has charged each its rounded amount, and the rest the largest', () => {
    const life = lifeOf(halfCents, '2026-04-01');
    life.record('1 A', '2026-04-02');
    life.record('1 B', '2026-04-02');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: 0.67']);
    life.config = { ...life.config, itemMode: 'DETAIL' };
    life.record('1 A', '2026-04-02');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: 0.34 (0.335 × 1)']);
    expect(life.total().toFixed(2)).to.equal('1.01');
  });

  it('usage §7.3: of TOP_TIER the last item has the rating in force', () => {
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
      expect(told(life.bill('2026-05-01'))).to.deep.equal([expected]);
    }
    expect(life.total().toFixed()).to.equal('1000');
  });
});

describe('late usage', () => {
  const cases: readonly [UsageConfig['lateMode'], string, readonly string[]][] = [
    ['DELTA', 'billed by itself', ['04: 3', '05: 5']],
    ['NEXT_PERIOD', 'billed with the next period', ['05: 8']],
    ['IGNORE', 'never billed', ['05: 5']],
  ];
  for (const [lateMode, title, expected] of cases)
    it(`usage §7.7: late usage is ${title} with lateMode ${lateMode}`, () => {
      const life = lifeOf(stdUsage, '2026-04-01', { lateMode });
      life.record('10 calls', '2026-04-02');
      life.bill('2026-05-01');
      life.record('3 calls', '2026-04-03');
      life.record('5 calls', '2026-05-03');
      expect(told(life.bill('2026-06-01'))).to.deep.equal(expected);
      expect(told(life.bill('2026-06-01'))).to.deep.equal([]);
    });

  it('usage §7.7: without a next period NEXT_PERIOD bills the delta', () => {
    const life = lifeOf(stdUsage, '2026-04-01', { lateMode: 'NEXT_PERIOD' });
    life.record('10 calls', '2026-04-02');
    life.bill('2026-05-01');
    life.record('3 calls', '2026-04-03');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: 3']);
  });

  it('usage §7.7: a late peak that is carried counts as a peak', () => {
    const life = lifeOf(teamUsage, '2026-04-01', { lateMode: 'NEXT_PERIOD' });
    life.record('10 members', '2026-04-02');
    expect(told(life.bill('2026-05-01'))).to.deep.equal(['04: 1']);
    life.record('45 members', '2026-04-03');
    life.record('8 members', '2026-05-03');
    expect(told(life.bill('2026-06-01'))).to.deep.equal(['05: 5']);
  });

  it('usage §7.1: with no look-back, late usage of billed periods has no effect', () => {
    const life = lifeOf(stdUsage, '2026-04-01', { lookBackPeriods: 0 });
    life.record('10 calls', '2026-04-02');
    life.bill('2026-05-01');
    life.record('3 calls', '2026-04-03');
    expect(told(life.bill('2026-06-01'))).to.deep.equal(['05: 0']);
  });

  it('usage §7.9 rule 6: a backlog is billed period by period', () => {
    const life = lifeOf(stdUsage, '2026-01-01', { lookBackPeriods: 0 });
    life.bill('2026-02-01');
    for (const month of ['02', '03', '04', '05', '06']) life.record(`${month} calls`, `2026-${month}-10`);
    expect(told(life.bill('2026-07-01'))).to.deep.equal(['02: 2', '03: 3', '04: 4', '05: 5', '06: 6']);
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
    it(`usage §7.7 rule 2: a negative delta with ${JSON.stringify(given)}: ${expected}`, () => {
      const none = { setting: null, isLenient: false, isFromSource: false, isDryRun: false };
      expect(negativeDeltaOf({ ...none, ...given })).to.equal(expected);
    });
});
