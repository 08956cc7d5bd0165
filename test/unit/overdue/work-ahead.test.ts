import { dueAhead, retryTiming } from '../../../lib/overdue/checks/order-checks.ts';
import type { OverdueJob } from '../../../lib/overdue/triggers/overdue-jobs.ts';
import { expect, formatInstant, instant, parseWireInstant, timeZone } from '../../support/unit.ts';

const at = (text: string) => parseWireInstant(text) ?? instant(0);
const job = (action: OverdueJob['action'], asked: string): OverdueJob => ({
  action,
  asked: at(asked),
  spreads: false,
  causedBy: null,
});

describe('work before an overdue entry (overdue §5.2)', () => {
  const rows = [
    ['CHECK', '2024-01-05T00:03:42Z', '2024-01-05T00:03:42Z', 'UTC', '2024-01-05T23:59:59.999Z'],
    ['CHECK', '2024-01-05T00:03:42Z', '2024-01-09T10:00:00Z', 'UTC', '2024-01-09T10:00:00.000Z'],
    ['REFRESH', '2024-01-05T10:00:00Z', '2024-01-05T10:00:05Z', 'UTC', '2024-01-05T10:00:05.000Z'],
    ['REFRESH', '2024-01-05T10:00:00Z', '2024-01-09T10:00:00Z', 'UTC', '2024-01-09T10:00:00.000Z'],
    ['CHECK', '2024-01-05T04:00:00Z', '2024-01-05T04:00:00Z', '-08:00', '2024-01-05T07:59:59.999Z'],
    [
      'CHECK',
      '2024-03-10T12:00:00Z',
      '2024-03-10T12:00:00Z',
      'America/Los_Angeles',
      '2024-03-11T06:59:59.999Z',
    ],
  ] as const;
  for (const [action, asked, now, zone, until] of rows)
    it(`includes all work due by ${until} for a ${action} requested at ${asked}, now ${now}, zone ${zone}`, () => {
      const found = dueAhead(job(action, asked), { timeZone: timeZone(zone) }, at(now));
      expect(found && formatInstant(found)).to.equal(until);
    });

  it('is empty before an entry that clears the account', () =>
    expect(
      dueAhead(job('CLEAR', '2024-01-05T00:00:00Z'), { timeZone: timeZone('UTC') }, at('2024-01-05')),
    ).to.equal(null));

  describe('that delays the entry', () => {
    const due = at('2024-01-05T00:03:42Z');
    const ahead = { asker: 7, lastDue: at('2024-01-05T15:00:00Z'), availableAtMs: null, isUnderWay: false };
    const again = (more: object) => retryTiming({ ...ahead, ...more }, { due, systemNowMs: 5_000 });

    it('makes the entry run again when the last work is due, but not before the entry is due', () => {
      expect(again({})).to.eql({ kind: 'DUE', at: ahead.lastDue });
      expect(again({ lastDue: at('2024-01-04') })).to.eql({ kind: 'DUE', at: due });
    });
    it('makes the entry run again after a pause, but ignores a pause that is over', () => {
      expect(again({ availableAtMs: 5_700 })).to.eql({ kind: 'PAUSE', delayMs: 700 });
      expect(again({ availableAtMs: 5_000 })).to.eql({ kind: 'DUE', at: ahead.lastDue });
    });
    it('makes the entry run again when the running work is done', () =>
      expect(again({ isUnderWay: true, availableAtMs: 5_700 })).to.eql({ kind: 'UNDER_WAY' }));
  });
});
