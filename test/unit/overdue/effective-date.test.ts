import type { EffectiveInput, OverdueBlock } from '../../../lib/overdue/evaluation/transition.ts';
import { blockOf, effectiveOf, isWorse, reachedDate } from '../../../lib/overdue/evaluation/transition.ts';
import {
  formatInstant,
  formatLocalDate,
  instant,
  localDateOf,
  parseLocalDate,
  parseWireInstant,
  timeZone,
  UTC,
} from '../../../lib/values/time/index.ts';
import { condition, config, duration, state, stateAt } from '../../support/overdue/states.ts';
import { newId } from '../../support/storage/stored-records.ts';
import { type DatedInstant, decimal, expect, type Instant, type LocalDate } from '../../support/unit.ts';

const at = (text: string): Instant => parseWireInstant(text) ?? instant(0);
const reference = at('2012-05-01T00:03:42Z');
const utc = { timeZone: UTC, referenceTime: reference };

const late = at('2012-06-08T12:00:00Z');

interface Found extends Partial<EffectiveInput> {
  readonly now: Instant;
  readonly anchor?: LocalDate;
}

const unpaid = (invoiceDate: LocalDate, balance: string, targetDate: LocalDate | null = null) => ({
  invoiceId: newId(),
  invoiceDate,
  commitDate: null,
  targetDate,
  balance: decimal(balance),
});

/** Returns the instant and date from which the state is in effect, by default of a refresh to a more severe state. */
function effective({ anchor: since = anchor, ...members }: Found): string {
  const next = members.next ?? null;
  const isWorse = members.isWorse ?? next !== null;
  const found = effectiveOf({
    scheduled: null,
    reached: next === null ? null : reachedDate(next, [unpaid(since, '30')]),
    account: utc,
    prevEffective: null,
    ...members,
    next,
    isWorse,
  });
  return `${formatInstant(found.at).replace('.000Z', '')} ${formatLocalDate(found.date)}`;
}

const dated = (text: string): DatedInstant => ({ at: at(text), date: localDateOf(at(text), UTC) });
const anchor = parseLocalDate('2012-05-31');
const scheduled = at('2012-06-05T00:03:42Z');
const blocked = stateAt(7, 'BLOCKED');
const many = state('MANY', { condition: condition({ unpaidCount: 2 }) });

describe('effective date of an overdue state', () => {
  for (const [title, [found, expected]] of Object.entries<readonly [Found, string]>({
    'is the scheduled time of a check, even when it runs later (overdue §5.3 rule 1)': [
      { scheduled, next: stateAt(5, 'WARNING'), now: at('2012-06-05T18:00:00Z') },
      '2012-06-05T00:03:42 2012-06-05',
    ],
    'is the scheduled time of a late check that enters a state without a time (overdue §5.3 rule 1)': [
      { scheduled, next: many, now: late },
      '2012-06-05T00:03:42 2012-06-05',
    ],
    'is not earlier than the check when its time was reached before (overdue §5.3 rule 1)': [
      { scheduled: at('2012-06-09T00:03:42Z'), next: blocked, now: at('2012-06-10T12:00:00Z') },
      '2012-06-09T00:03:42 2012-06-09',
    ],
    'is the day of the threshold for a late check, at the reference time (overdue §5.3 rule 2, §12 example 13)':
      [{ scheduled, next: blocked, now: late }, '2012-06-07T00:03:42 2012-06-07'],
    'is the current time if the check was scheduled by a clock that ran ahead (overdue §5.3 rule 4)': [
      { scheduled, next: many, now: at('2012-06-04T09:59:58Z') },
      '2012-06-04T09:59:58 2012-06-04',
    ],
  }))
    it(title, () => expect(effective(found)).to.equal(expected));

  it('uses the account’s calendar for the threshold day (overdue §5.3 rule 2)', () => {
    const account = { timeZone: timeZone('America/Los_Angeles'), referenceTime: at('2024-01-15T18:30:00Z') };
    expect(
      effective({
        scheduled: at('2024-03-08T18:30:00Z'),
        now: at('2024-03-20T00:00:00Z'),
        next: state('S', { condition: condition({ unpaidFor: duration('1 WEEKS') }) }),
        anchor: parseLocalDate('2024-03-05'),
        account,
      }),
    ).to.equal('2024-03-12T17:30:00 2024-03-12');
  });

  for (const { what, members } of [
    { what: 'every result of a refresh', members: { next: blocked } },
    { what: 'a refresh that clears', members: {} },
    { what: 'a check that clears', members: { scheduled } },
    { what: 'a check that leads to a milder state', members: { scheduled, next: blocked, isWorse: false } },
  ])
    it(`is the current time for ${what} (overdue §5.3 rule 3)`, () =>
      expect(effective({ ...members, now: late })).to.equal('2012-06-08T12:00:00 2012-06-08'));

  it('is never in the future, even when the threshold’s time of day is still ahead (overdue §5.3 rule 4)', () => {
    const account = { timeZone: UTC, referenceTime: at('2012-05-01T20:00:00Z') };
    const now = at('2012-06-07T12:00:00Z');
    expect(effective({ scheduled: at('2012-06-05T20:00:00Z'), now, next: blocked, account })).to.equal(
      '2012-06-07T12:00:00 2012-06-07',
    );
  });

  it('is never before the instant of the previous state (overdue §5.3 rule 4)', () => {
    const prevEffective = dated('2012-06-07T00:03:42Z');
    expect(effective({ scheduled, next: many, now: late, prevEffective })).to.equal(
      '2012-06-07T00:03:42 2012-06-07',
    );
    expect(
      effective({ scheduled: at('2012-06-07T00:03:43Z'), next: many, now: late, prevEffective }),
    ).to.equal('2012-06-07T00:03:43 2012-06-07');
  });

  it('is never on an earlier local date than the previous state (subscriptions §2 rule 8)', () => {
    const prevEffective = { at: at('2012-06-06T09:00:00Z'), date: parseLocalDate('2012-06-07') };
    expect(effective({ now: at('2012-06-06T10:00:00Z'), prevEffective })).to.equal(
      '2012-06-06T10:00:00 2012-06-07',
    );
  });

  it('is a whole second (subscriptions §2 rule 5)', () => {
    expect(effective({ now: at('2012-06-06T10:00:01.500Z') })).to.equal('2012-06-06T10:00:01 2012-06-06');
    expect(effective({ scheduled: at('2012-06-05T10:00:00.999Z'), next: many, now: late })).to.equal(
      '2012-06-05T10:00:00 2012-06-05',
    );
  });
});

describe('first date of an overdue state', () => {
  const day = (text: string) => parseLocalDate(`2012-${text}`);
  const owed = [
    unpaid(day('05-01'), '10'),
    unpaid(day('05-09'), '15'),
    unpaid(day('05-02'), '20', day('05-12')),
    unpaid(day('05-04'), '5'),
  ];
  for (const [what, members, expected] of [
    ['5 days', { unpaidFor: duration('5 DAYS') }, '2012-05-06'],
    ['3 invoices', { unpaidCount: 3 }, '2012-05-09'],
    ['4 invoices, one of which counts from its target date on', { unpaidCount: 4 }, '2012-05-12'],
    ['more invoices than exist', { unpaidCount: 5 }, null],
    ['no invoice', { unpaidCount: 0 }, null],
    ['a total of 15', { unpaidTotal: decimal('15') }, '2012-05-04'],
    ['a total of 15.01', { unpaidTotal: decimal('15.01') }, '2012-05-09'],
    ['a total of 0', { unpaidTotal: decimal('0') }, null],
    ['the later of 5 days and 3 invoices', { unpaidFor: duration('5 DAYS'), unpaidCount: 3 }, '2012-05-09'],
    ['the later of 9 days and 3 invoices', { unpaidFor: duration('9 DAYS'), unpaidCount: 3 }, '2012-05-10'],
    ['a condition without invoice criteria', { tagCarried: 'TEST' }, null],
  ] as const)
    it(`is ${expected ?? 'empty'} for ${what} (overdue §5.3 rule 2)`, () => {
      const found = reachedDate(state('S', { condition: condition(members) }), owed);
      expect(found && formatLocalDate(found)).to.equal(expected);
    });

  it('does not precede the date from which the unpaid invoice counts (overdue §5.3 rule 2)', () => {
    const one = [unpaid(day('05-01'), '10', day('05-20'))];
    const found = reachedDate(stateAt(5, 'S'), one);
    expect(found && formatLocalDate(found)).to.equal('2012-05-20');
    expect(reachedDate(state('S', { condition: null }), one)).to.equal(null);
  });
});

describe('overdue state severity', () => {
  const mild = state('MILD', { blockChanges: true });
  const hard = state('HARD', { disableEntitlement: true });
  const clear = state('CLEAR', { isClearState: true });
  const states = config([hard, mild, clear]);
  const old = (flags: Partial<OverdueBlock>): OverdueBlock => ({
    ...blockOf(null),
    stateName: 'OLD',
    ...flags,
  });
  for (const { from, to, expected } of [
    { from: null, to: null, expected: false },
    { from: null, to: mild, expected: true },
    { from: blockOf(null), to: mild, expected: true },
    { from: blockOf(mild), to: hard, expected: true },
    { from: blockOf(mild), to: mild, expected: false },
    { from: blockOf(hard), to: mild, expected: false },
    { from: blockOf(hard), to: null, expected: false },
    { from: blockOf(clear), to: mild, expected: true },
    { from: old({}), to: mild, expected: true },
    { from: old({ isBlockChange: true }), to: mild, expected: false },
    { from: old({ isBlockChange: true }), to: hard, expected: true },
    { from: old({ isBlockChange: true, isBlockEntitlement: true }), to: hard, expected: true },
    { from: old({ isBlockChange: true, isBlockBilling: true }), to: hard, expected: true },
    { from: blockOf({ ...hard, name: 'OLD' }), to: hard, expected: false },
  ]) {
    const flags =
      from === null
        ? 'none'
        : `${from.stateName} ${from.isBlockChange} ${from.isBlockEntitlement} ${from.isBlockBilling}`;
    it(`${expected ? 'increases' : 'does not increase'} from ${flags} to ${to?.name ?? 'clear'} (overdue §5.3 rule 1)`, () =>
      expect(isWorse(states, from, to)).to.equal(expected));
  }
});
