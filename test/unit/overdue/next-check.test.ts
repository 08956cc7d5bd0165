import { evaluateOverdue, needsNoCheck } from '../../../lib/overdue/evaluation/evaluate.ts';
import { nextCheckDate, type OverdueConfig } from '../../../lib/overdue/index.ts';
import {
  condition,
  config,
  configA,
  configC,
  duration,
  owed,
  snapshotOf,
  state,
  stateAt,
} from '../../support/overdue/states.ts';
import { expect, formatLocalDate, parseLocalDate } from '../../support/unit.ts';

interface Debt {
  readonly on?: string;
  readonly unpaid?: readonly string[];
}

/** Returns the state after an evaluation and the date of the next check. */
function after(states: OverdueConfig, { on = '2024-03-01', unpaid = ['2024-03-01 5'] }: Debt = {}): string {
  const today = parseLocalDate(on);
  const snapshot = snapshotOf(on, owed(...unpaid));
  const next = evaluateOverdue(states, snapshot, today);
  const check = nextCheckDate({ config: states, snapshot, next, today });
  return `${next?.name ?? 'clear'} ${check === null ? 'none' : formatLocalDate(check)}`;
}

describe('date of the next overdue check without conditions', () => {
  const none = config([state('FINE', { isClearState: true, condition: null })], 30);

  const cases: readonly (readonly [what: string, unpaid: readonly string[], expected: string])[] = [
    ['tomorrow with outstanding debt, regardless of the interval', ['2024-01-01 5'], 'clear 2024-03-01'],
    ['tomorrow with an invoice that counts later', ['2024-01-01 5 for 2024-06-01'], 'clear 2024-03-01'],
    ['absent without debt', [], 'clear none'],
  ];
  for (const [what, unpaid, expected] of cases)
    it(`is ${what} (overdue §6 rule 6)`, () =>
      expect(after(none, { on: '2024-02-29', unpaid })).to.equal(expected));
});

const byCount = (members: Parameters<typeof state>[1] = {}) =>
  state('MANY', { condition: condition({ unpaidCount: 1 }), ...members });

describe('next overdue check', () => {
  for (const [title, [expected, states, debt]] of Object.entries<
    readonly [expected: string, OverdueConfig, Debt?]
  >({
    'is the first threshold after the anchor': [
      'clear 2024-03-09',
      config([stateAt(20, 'B'), stateAt(8, 'W')]),
    ],
    'skips a threshold that is reached today': [
      'W 2024-03-21',
      config([stateAt(20, 'B'), stateAt(8, 'W')]),
      { on: '2024-03-09' },
    ],
    'is absent without a later threshold or an interval': [
      'B none',
      config([stateAt(20, 'B'), stateAt(8, 'W')]),
      { on: '2024-03-21' },
    ],
    'is the interval of the state when it ends before the thresholds': [
      'W 2024-03-12',
      config([stateAt(20, 'B'), stateAt(8, 'W', { reevaluationInterval: duration('3 DAYS') })]),
      { on: '2024-03-09' },
    ],
    'repeats the interval of the most severe state': [
      'B 2024-04-30',
      config([stateAt(20, 'B', { reevaluationInterval: duration('1 MONTHS') })]),
      { on: '2024-03-31' },
    ],
    'is the initial interval while clear with debt': ['clear 2024-03-05', config([stateAt(20, 'B')], 4)],
    'ignores the initial interval while clear without debt': [
      'clear none',
      config([stateAt(20, 'B')], 4),
      { unpaid: [] },
    ],
    'ignores the initial interval in a state': ['MANY none', config([byCount()], 4)],
    'ignores the threshold of a state called clear': [
      'MANY none',
      config([stateAt(9, 'CLEAR', { isClearState: true }), byCount()]),
    ],
    'is absent for a threshold that is never reached': [
      'clear none',
      config([
        state('S', { condition: condition({ unpaidFor: duration('-1 UNLIMITED') }) }),
        stateAt(2_147_483_647, 'T'),
      ]),
    ],
    'is absent for an interval that never ends': [
      'MANY none',
      config([byCount({ reevaluationInterval: duration('2147483647 YEARS') })]),
    ],
    'is the date from which another invoice counts': [
      'clear 2024-03-13',
      config([stateAt(20, 'B')]),
      {
        unpaid: ['2024-03-01 5 for 2024-03-15', '2024-03-01 5 for 2024-03-13', '2024-03-01 5 for 2024-03-14'],
      },
    ],
    'counts thresholds from the anchor of the remaining debt': [
      'clear 2012-07-30',
      configA,
      { on: '2012-07-20', unpaid: ['2012-06-30 249.95'] },
    ],
    'follows the moved anchor before the initial interval as in example 12': [
      'clear 2012-06-07',
      configC,
      { on: '2012-06-05', unpaid: ['2012-06-02 700', '2012-06-03 200'] },
    ],
    'comes 7 days later as in example 12': [
      'WARNING 2012-06-09',
      configC,
      { on: '2012-06-07', unpaid: ['2012-06-02 700', '2012-06-03 200'] },
    ],
    'comes 11 days later as in example 12': [
      'BLOCKED 2012-06-13',
      configC,
      { on: '2012-06-09', unpaid: ['2012-06-02 700', '2012-06-03 200'] },
    ],
    'is absent after the last state as in example 12': [
      'CANCELLATION none',
      configC,
      { on: '2012-06-13', unpaid: ['2012-06-02 700', '2012-06-03 200'] },
    ],
  }))
    it(`${title} (overdue §6)`, () => expect(after(states, debt)).to.equal(expected));

  it('is absent only for a clear account without current or future debt (overdue §6 rule 3)', () => {
    const [late] = configA.states;
    const needs = (unpaid: readonly string[], next: typeof late | null = null) =>
      !needsNoCheck({ snapshot: snapshotOf('2024-03-01', owed(...unpaid)), next: next ?? null });
    expect(needs([])).to.equal(false);
    expect(needs(['2024-03-01 5'])).to.equal(true);
    expect(needs(['2024-03-01 5 for 2024-03-15'])).to.equal(true);
    expect(needs([], late)).to.equal(true);
  });
});
