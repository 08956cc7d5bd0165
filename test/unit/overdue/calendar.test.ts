import { CLEAR_STATE_NAME } from '../../../lib/overdue/config/overdue-config.ts';
import { type CalendarInput, overdueCalendar } from '../../../lib/overdue/evaluation/explanation.ts';
import { condition, config, configA, configC, owed, state, stateAt } from '../../support/overdue/states.ts';
import { expect, formatLocalDate, parseLocalDate } from '../../support/unit.ts';

interface CalendarCase extends Partial<Pick<CalendarInput, 'config' | 'current'>> {
  readonly unpaid: readonly string[];
  readonly check: string | null;
  readonly today: string;
  readonly until: string;
  readonly tags?: readonly string[];
}

function calendar({ unpaid, check, today, until, tags, ...members }: CalendarCase): readonly string[] {
  const steps = overdueCalendar({
    config: configC,
    current: CLEAR_STATE_NAME,
    ...members,
    owed: owed(...unpaid),
    facts: { lastPaymentResponse: 'OTHER', tags: new Set(tags) },
    check: check === null ? null : parseLocalDate(check),
    today: parseLocalDate(today),
    until: parseLocalDate(until),
  });
  return steps.map(({ date, state }) => `${formatLocalDate(date)} ${state?.name ?? 'clear'}`);
}

describe('overdue calendar', () => {
  const unpaid = ['2012-05-31 249.95'];
  const example = { unpaid, check: '2012-06-05', today: '2012-06-01', until: '2012-12-31' };

  it('lists the dates of all states (overdue §12 example 5)', () => {
    const months = ['2012-05-31 249.95', '2012-06-30 249.95'];
    const all = {
      config: configA,
      unpaid: months,
      check: '2012-06-30',
      today: '2012-06-01',
      until: '2012-12-31',
    };
    expect(calendar(all)).to.eql(['2012-06-30 OD1', '2012-07-10 OD2', '2012-07-20 OD3']);
  });

  it('includes the requested date as its last day', () => {
    expect(calendar({ ...example, until: '2012-06-07' })).to.eql([
      '2012-06-05 WARNING',
      '2012-06-07 BLOCKED',
    ]);
    expect(calendar({ ...example, until: '2012-06-06' })).to.eql(['2012-06-05 WARNING']);
    expect(calendar({ ...example, until: '2012-06-04' })).to.eql([]);
  });

  it('starts after the current state of the account', () =>
    expect(calendar({ ...example, current: 'WARNING', check: '2012-06-07', today: '2012-06-05' })).to.eql([
      '2012-06-07 BLOCKED',
      '2012-06-11 CANCELLATION',
    ]));

  it('is empty without a pending check (overdue §1.2 rule 4)', () =>
    expect(calendar({ ...example, check: null })).to.eql([]));

  it('assumes that a late check runs today, and skips the intermediate states', () =>
    expect(calendar({ ...example, today: '2012-06-08' })).to.eql([
      '2012-06-08 BLOCKED',
      '2012-06-11 CANCELLATION',
    ]));

  it('clears an account whose state was removed from the configuration', () =>
    expect(calendar({ ...example, current: 'OLD', check: '2012-06-02' })).to.eql([
      '2012-06-02 clear',
      '2012-06-05 WARNING',
      '2012-06-07 BLOCKED',
      '2012-06-11 CANCELLATION',
    ]));

  it('includes an invoice from its target date, but measures its age from the invoice date (overdue §3)', () => {
    const later = ['2012-06-04 5', '2012-05-31 9 for 2012-06-08'];
    expect(calendar({ ...example, unpaid: later, check: '2012-06-08', today: '2012-06-04' })).to.eql([
      '2012-06-08 BLOCKED',
      '2012-06-11 CANCELLATION',
    ]);
  });

  it('applies the current tags of the account to future states', () => {
    const partners = config([
      state('BLOCKED', {
        condition: condition({ unpaidFor: { unit: 'DAYS', number: 7 }, tagMissing: 'PARTNER' }),
      }),
      stateAt(5, 'WARNING'),
    ]);
    expect(calendar({ ...example, config: partners })).to.eql(['2012-06-05 WARNING', '2012-06-07 BLOCKED']);
    expect(calendar({ ...example, config: partners, tags: ['PARTNER'] })).to.eql(['2012-06-05 WARNING']);
  });

  it('covers a century without evaluating every day', () => {
    const daily = config([
      stateAt(36_000, 'OLD'),
      stateAt(1, 'NEW', { reevaluationInterval: { unit: 'DAYS', number: 1 } }),
    ]);
    expect(calendar({ ...example, config: daily, check: '2012-06-01', until: '2112-06-01' })).to.eql([
      '2012-06-01 NEW',
      '2110-12-24 OLD',
    ]);
  });
});
