import type { OverdueCondition } from '../../../lib/overdue/config/overdue-config.ts';
import { evaluateOverdue } from '../../../lib/overdue/evaluation/evaluate.ts';
import { PaymentResponse } from '../../../lib/records/index.ts';
import {
  instant,
  localDateOf,
  parseLocalDate,
  parseWireInstant,
  timeZone,
} from '../../../lib/values/time/index.ts';
import {
  condition,
  config,
  duration,
  owed,
  snapshotOf,
  state,
  stateAt,
} from '../../support/overdue/states.ts';
import { decimal, expect } from '../../support/unit.ts';

const twoStates = config([
  stateAt(10, 'S2'),
  state('S1', { condition: condition({ unpaidFor: duration('5 DAYS'), unpaidTotal: decimal(20) }) }),
]);

/** Returns the name of the state on a date, or clear. */
function found(states: typeof twoStates, today: string, invoices: readonly string[]): string {
  const snapshot = snapshotOf(today, owed(...invoices));
  return evaluateOverdue(states, snapshot, parseLocalDate(today))?.name ?? 'clear';
}

describe('overdue evaluation', () => {
  for (const { unpaid, today, result, why } of [
    { unpaid: [], today: '2024-03-20', result: 'clear', why: 'time needs an unpaid invoice' },
    { unpaid: ['2024-03-01 30'], today: '2024-03-05', result: 'clear', why: '4 days' },
    { unpaid: ['2024-03-01 30'], today: '2024-03-06', result: 'S1', why: '5 days are enough' },
    { unpaid: ['2024-03-01 19.99'], today: '2024-03-06', result: 'clear', why: 'the total is too small' },
    { unpaid: ['2024-03-01 20'], today: '2024-03-06', result: 'S1', why: 'an equal total is enough' },
    { unpaid: ['2024-03-01 19.99'], today: '2024-03-11', result: 'S2', why: 'S2 has no total criterion' },
    {
      unpaid: ['2024-03-01 30'],
      today: '2024-03-11',
      result: 'S2',
      why: 'the first matching state wins, although S1 matches too',
    },
    { unpaid: ['2024-03-09 5'], today: '2024-03-11', result: 'clear', why: 'the anchor moved to 03-09' },
  ])
    it(`yields ${result} for [${unpaid}] on ${today}: ${why} (overdue §4)`, () =>
      expect(found(twoStates, today, unpaid)).to.equal(result));

  for (const { zone, now, date, result } of [
    { zone: '-08:00', now: '2024-03-06T07:59:00Z', date: '2024-03-05', result: 'clear' },
    { zone: '-08:00', now: '2024-03-06T08:00:00Z', date: '2024-03-06', result: 'S1' },
  ])
    it(`yields ${result} at ${now} in ${zone}, by the local date of the account (overdue §4)`, () => {
      expect(localDateOf(parseWireInstant(now) ?? instant(0), timeZone(zone))).to.equal(parseLocalDate(date));
      expect(found(twoStates, date, ['2024-03-01 30'])).to.equal(result);
    });

  it('uses the new offset of a zone in daylight saving time (overdue §4)', () => {
    const now = parseWireInstant('2024-03-12T07:30:00Z') ?? instant(0);
    expect(localDateOf(now, timeZone('America/Los_Angeles'))).to.equal(parseLocalDate('2024-03-12'));
    expect(found(twoStates, '2024-03-12', ['2024-03-07 30'])).to.equal('S1');
    expect(found(twoStates, '2024-03-11', ['2024-03-07 30'])).to.equal('clear');
  });

  it('counts one month after January 31 as the last day of February (overdue §4)', () => {
    const month = config([state('S', { condition: condition({ unpaidFor: duration('1 MONTHS') }) })]);
    expect(found(month, '2024-02-28', ['2024-01-31 30'])).to.equal('clear');
    expect(found(month, '2024-02-29', ['2024-01-31 30'])).to.equal('S');
    expect(found(month, '2023-02-28', ['2023-01-31 30'])).to.equal('S');
  });

  it('ages a former draft invoice from the day of its commit (overdue §3.2)', () => {
    expect(found(twoStates, '2024-03-12', ['2024-03-01 30 committed 2024-03-08'])).to.equal('clear');
    expect(found(twoStates, '2024-03-13', ['2024-03-01 30 committed 2024-03-08'])).to.equal('S1');
    expect(found(twoStates, '2024-03-06', ['2024-03-01 30 committed 2024-03-01'])).to.equal('S1');
    expect(found(twoStates, '2024-03-06', ['2024-03-01 30 committed 2024-02-01'])).to.equal('S1');
  });

  it('counts an invoice from its target date (overdue §3.1)', () => {
    expect(found(twoStates, '2024-03-08', ['2024-03-01 30 for 2024-03-09'])).to.equal('clear');
    expect(found(twoStates, '2024-03-09', ['2024-03-01 30 for 2024-03-09'])).to.equal('S1');
    expect(found(twoStates, '2024-03-06', ['2024-03-01 19 for 2024-03-06', '2024-03-06 1'])).to.equal('S1');
  });

  it('computes the number, total and anchor from the unpaid invoices (overdue §3.2)', () => {
    const invoices = owed('2024-03-04 10.10', '2024-03-02 0.05', '2024-03-01 5 for 2024-04-01');
    const { unpaidCount, unpaidTotal, anchor, nextUnpaidDate } = snapshotOf('2024-03-05', invoices);
    expect(unpaidCount).to.equal(2);
    expect(unpaidTotal.toFixed()).to.equal('10.15');
    expect(anchor).to.equal(parseLocalDate('2024-03-02'));
    expect(nextUnpaidDate).to.equal(parseLocalDate('2024-04-01'));
  });

  describe('condition', () => {
    const debt = ['2024-03-01 30', '2024-03-05 20'];
    interface Facts {
      readonly tags?: readonly string[];
      readonly response?: PaymentResponse | null;
      readonly today?: string;
      readonly unpaid?: readonly string[];
    }
    const cases: Readonly<Record<string, readonly [holds: boolean, Partial<OverdueCondition>, Facts?]>> = {
      'a time that is reached': [true, { unpaidFor: duration('5 DAYS') }],
      'a time in weeks that is not reached': [false, { unpaidFor: duration('1 WEEKS') }],
      'a time in weeks that is reached': [true, { unpaidFor: duration('1 WEEKS') }, { today: '2024-03-08' }],
      'a time in years that is reached': [true, { unpaidFor: duration('1 YEARS') }, { today: '2025-03-01' }],
      'a time of 0 days with debt': [true, { unpaidFor: duration('0 DAYS') }],
      'a time of 0 days without debt': [false, { unpaidFor: duration('0 DAYS') }, { unpaid: [] }],
      'an unlimited time': [false, { unpaidFor: duration('-1 UNLIMITED') }, { today: '9999-12-31' }],
      'more days than the calendar contains': [
        false,
        { unpaidFor: duration('2147483647 DAYS') },
        { today: '9999-12-31' },
      ],
      'as many unpaid invoices as required': [true, { unpaidCount: 2 }],
      'more unpaid invoices than required': [true, { unpaidCount: 1 }],
      'fewer unpaid invoices than required': [false, { unpaidCount: 3 }],
      'a required number of 0 without debt': [true, { unpaidCount: 0 }, { unpaid: [] }],
      'a total equal to the required total': [true, { unpaidTotal: decimal('50.00') }],
      'a total above the required total': [true, { unpaidTotal: decimal('49.99') }],
      'a total below the required total': [false, { unpaidTotal: decimal('50.01') }],
      'a response in the list': [
        true,
        { responses: ['EXPIRED_CARD', 'INSUFFICIENT_FUNDS'] },
        { response: 'INSUFFICIENT_FUNDS' },
      ],
      'a response that is not in the list': [
        false,
        { responses: ['EXPIRED_CARD', 'INSUFFICIENT_FUNDS'] },
        { response: 'DECLINE' },
      ],
      'the response OTHER': [true, { responses: ['OTHER'] }, { response: 'OTHER' }],
      'any listed response without a failed payment': [
        false,
        { responses: Object.values(PaymentResponse) },
        { response: null },
      ],
      'a required tag that the account has': [true, { tagCarried: 'PARTNER' }, { tags: ['TEST', 'PARTNER'] }],
      'a required tag that the account lacks': [false, { tagCarried: 'PARTNER' }, { tags: ['TEST'] }],
      'an excluded tag that the account lacks': [true, { tagMissing: 'PARTNER' }, { tags: ['TEST'] }],
      'an excluded tag that the account has': [false, { tagMissing: 'PARTNER' }, { tags: ['PARTNER'] }],
      'several criteria that are all met': [
        true,
        { unpaidFor: duration('5 DAYS'), unpaidCount: 2, unpaidTotal: decimal(50), tagMissing: 'TEST' },
      ],
      'several criteria if one is not met': [
        false,
        { unpaidFor: duration('5 DAYS'), unpaidCount: 2, unpaidTotal: decimal(50), tagCarried: 'TEST' },
      ],
      'a condition without criteria': [false, {}, { today: '2034-01-01' }],
    };
    for (const [criterion, [holds, criteria, facts = {}]] of Object.entries(cases))
      it(`${holds ? 'holds' : 'does not hold'} for ${criterion} (overdue §1.1)`, () => {
        const { tags, response, today = '2024-03-06', unpaid = debt } = facts;
        const snapshot = snapshotOf(today, owed(...unpaid), {
          tags: new Set(tags),
          lastPaymentResponse: response ?? null,
        });
        const states = config([state('S', { condition: condition(criteria) })]);
        expect(evaluateOverdue(states, snapshot, parseLocalDate(today))?.name).to.equal(
          holds ? 'S' : undefined,
        );
      });

    it('never enters a state that has no condition or is called clear (overdue §1.1 rule 1)', () => {
      const states = config([
        stateAt(0, 'CLEAR', { isClearState: true }),
        state('NEVER', { condition: null }),
        stateAt(1, 'LATE'),
      ]);
      expect(found(states, '2024-03-01', debt)).to.equal('clear');
      expect(found(states, '2024-03-02', debt)).to.equal('LATE');
    });
  });

  it('picks the most severe state for 2, 3 and 5 unpaid invoices (overdue §12 example 8)', () => {
    const states = config(
      [5, 3, 2].map((count, index) =>
        state(`OD${3 - index}`, { condition: condition({ unpaidCount: count }) }),
      ),
    );
    const debts = Array.from({ length: 5 }, () => '2024-03-01 9');
    const reached = debts.map((_, index) => found(states, '2024-03-01', debts.slice(0, index + 1)));
    expect(reached).to.eql(['clear', 'OD1', 'OD2', 'OD2', 'OD3']);
  });

  it('picks the most severe state for totals of 260, 600 and 1200 (overdue §12 example 9)', () => {
    const states = config(
      [1200, 600, 260].map((total, index) =>
        state(`OD${3 - index}`, { condition: condition({ unpaidTotal: decimal(total) }) }),
      ),
    );
    const debts = Array.from({ length: 5 }, () => '2024-03-01 249.95');
    const reached = debts.map((_, index) => found(states, '2024-03-01', debts.slice(0, index + 1)));
    expect(reached).to.eql(['clear', 'OD1', 'OD2', 'OD2', 'OD3']);
  });
});
