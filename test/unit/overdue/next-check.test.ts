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

describe('Next overdue check where no state has a condition', () => {
  const none = config([state('FINE', { isClearState: true, condition: null })], 30);

  const cases: readonly (readonly [what: string, unpaid: readonly string[], expected: string])[] = [
    ['tomorrow while something is owed, whatever the interval', ['2024-01-01 5'], 'clear 2024-03-01'],
    ['tomorrow while something counts later', ['2024-01-01 5 for 2024-06-01'], 'clear 2024-03-01'],
    ['none where nothing is owed', [], 'clear none'],
  ];
  for (const [what, unpaid, expected] of cases)
    it(`overdue §6 rule 6: ${what}`, () => {
      const check = after(none, { on: '2024-02-29', unpaid });
      expect(check).to.equal(expected);
    });
});

const byCount = (members: Parameters<typeof state>[1] = {}) =>
  state('MANY', { condition: condition({ unpaidCount: 1 }), ...members });

describe('Next overdue check', () => {
  for (const [title, [expected, states, debt]] of Object.entries<
    readonly [expected: string, OverdueConfig, Debt?]
  >({
    'the first threshold after the anchor': ['clear 2024-03-09', config([stateAt(20, 'B'), stateAt(8, 'W')])],
    'a threshold that is reached today is past': [
      'W 2024-03-21',
      config([stateAt(20, 'B'), stateAt(8, 'W')]),
      { on: '2024-03-09' },
    ],
    'no threshold is left and the state has no interval': [
      'B none',
      config([stateAt(20, 'B'), stateAt(8, 'W')]),
      { on: '2024-03-21' },
    ],
    'the interval of the state, if earlier than the thresholds': [
      'W 2024-03-12',
      config([stateAt(20, 'B'), stateAt(8, 'W', { reevaluationInterval: duration('3 DAYS') })]),
      { on: '2024-03-09' },
    ],
    'the interval of the most severe state goes on': [
      'B 2024-04-30',
      config([stateAt(20, 'B', { reevaluationInterval: duration('1 MONTHS') })]),
      { on: '2024-03-31' },
    ],
    'the initial interval while clear with a debt': ['clear 2024-03-05', config([stateAt(20, 'B')], 4)],
    'not the initial interval while clear without a debt': [
      'clear none',
      config([stateAt(20, 'B')], 4),
      { unpaid: [] },
    ],
    'not the initial interval in a state': ['MANY none', config([byCount()], 4)],
    'not the threshold of a state that is called clear': [
      'MANY none',
      config([stateAt(9, 'CLEAR', { isClearState: true }), byCount()]),
    ],
    'a time that never comes gives none': [
      'clear none',
      config([
        state('S', { condition: condition({ unpaidFor: duration('-1 UNLIMITED') }) }),
        stateAt(2_147_483_647, 'T'),
      ]),
    ],
    'an interval that never ends gives none': [
      'MANY none',
      config([byCount({ reevaluationInterval: duration('2147483647 YEARS') })]),
    ],
    'the date from which a further invoice counts': [
      'clear 2024-03-13',
      config([stateAt(20, 'B')]),
      {
        unpaid: ['2024-03-01 5 for 2024-03-15', '2024-03-01 5 for 2024-03-13', '2024-03-01 5 for 2024-03-14'],
      },
    ],
    'thresholds count from the anchor of the debt that is left': [
      'clear 2012-07-30',
      configA,
      { on: '2012-07-20', unpaid: ['2012-06-30 249.95'] },
    ],
    'example 12: the moved anchor comes before the initial interval': [
      'clear 2012-06-07',
      configC,
      { on: '2012-06-05', unpaid: ['2012-06-02 700', '2012-06-03 200'] },
    ],
    'example 12: then 7 days': [
      'WARNING 2012-06-09',
      configC,
      { on: '2012-06-07', unpaid: ['2012-06-02 700', '2012-06-03 200'] },
    ],
    'example 12: then 11 days': [
      'BLOCKED 2012-06-13',
      configC,
      { on: '2012-06-09', unpaid: ['2012-06-02 700', '2012-06-03 200'] },
    ],
    'example 12: and nothing after the last': [
      'CANCELLATION none',
      configC,
      { on: '2012-06-13', unpaid: ['2012-06-02 700', '2012-06-03 200'] },
    ],
  }))
    it(`overdue §6: ${title}`, () => expect(after(states, debt)).to.equal(expected));

  it('overdue §6 rule 3: only an account that is clear and owes nothing, now or later, needs no check', () => {
    const [late] = configA.states;
    const needs = (unpaid: readonly string[], next: typeof late | null = null) =>
      !needsNoCheck({ snapshot: snapshotOf('2024-03-01', owed(...unpaid)), next: next ?? null });
    expect(needs([])).to.equal(false);
    expect(needs(['2024-03-01 5'])).to.equal(true);
    expect(needs(['2024-03-01 5 for 2024-03-15'])).to.equal(true);
    expect(needs([], late)).to.equal(true);
  });
});
