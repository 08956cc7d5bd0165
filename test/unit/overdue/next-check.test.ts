import { expect } from 'chai';
import { evaluateOverdue, needsNoCheck } from '../../../lib/overdue/evaluation/evaluate.ts';
import { nextCheckDate, type OverdueConfig } from '../../../lib/overdue/index.ts';
import { formatLocalDate, parseLocalDate } from '../../../lib/values/time/index.ts';
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

/** State and date of the next check after an evaluation. */
function after(states: OverdueConfig, on: string, unpaid: readonly string[]): string {
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
      const check = after(none, '2024-02-29', unpaid);
      expect(check).to.equal(expected);
    });
});

const byCount = (members: Parameters<typeof state>[1] = {}) =>
  state('MANY', { condition: condition({ unpaidCount: 1 }), ...members });

describe('Next overdue check', () => {
  for (const [title, { states, on, unpaid, expected }] of Object.entries({
    'the first threshold after the anchor': {
      states: config([stateAt(20, 'B'), stateAt(8, 'W')]),
      on: '2024-03-01',
      unpaid: ['2024-03-01 5'],
      expected: 'clear 2024-03-09',
    },
    'a threshold that is reached today is past': {
      states: config([stateAt(20, 'B'), stateAt(8, 'W')]),
      on: '2024-03-09',
      unpaid: ['2024-03-01 5'],
      expected: 'W 2024-03-21',
    },
    'no threshold is left and the state has no interval': {
      states: config([stateAt(20, 'B'), stateAt(8, 'W')]),
      on: '2024-03-21',
      unpaid: ['2024-03-01 5'],
      expected: 'B none',
    },
    'the interval of the state, if earlier than the thresholds': {
      states: config([stateAt(20, 'B'), stateAt(8, 'W', { reevaluationInterval: duration('3 DAYS') })]),
      on: '2024-03-09',
      unpaid: ['2024-03-01 5'],
      expected: 'W 2024-03-12',
    },
    'the interval of the most severe state goes on': {
      states: config([stateAt(20, 'B', { reevaluationInterval: duration('1 MONTHS') })]),
      on: '2024-03-31',
      unpaid: ['2024-03-01 5'],
      expected: 'B 2024-04-30',
    },
    'the initial interval while clear with a debt': {
      states: config([stateAt(20, 'B')], 4),
      on: '2024-03-01',
      unpaid: ['2024-03-01 5'],
      expected: 'clear 2024-03-05',
    },
    'not the initial interval while clear without a debt': {
      states: config([stateAt(20, 'B')], 4),
      on: '2024-03-01',
      unpaid: [],
      expected: 'clear none',
    },
    'not the initial interval in a state': {
      states: config([byCount()], 4),
      on: '2024-03-01',
      unpaid: ['2024-03-01 5'],
      expected: 'MANY none',
    },
    'not the threshold of a state that is called clear': {
      states: config([stateAt(9, 'CLEAR', { isClearState: true }), byCount()]),
      on: '2024-03-01',
      unpaid: ['2024-03-01 5'],
      expected: 'MANY none',
    },
    'a time that never comes gives none': {
      states: config([
        state('S', { condition: condition({ unpaidFor: duration('-1 UNLIMITED') }) }),
        stateAt(2_147_483_647, 'T'),
      ]),
      on: '2024-03-01',
      unpaid: ['2024-03-01 5'],
      expected: 'clear none',
    },
    'an interval that never ends gives none': {
      states: config([byCount({ reevaluationInterval: duration('2147483647 YEARS') })]),
      on: '2024-03-01',
      unpaid: ['2024-03-01 5'],
      expected: 'MANY none',
    },
    'the date from which a further invoice counts': {
      states: config([stateAt(20, 'B')]),
      on: '2024-03-01',
      unpaid: ['2024-03-01 5 for 2024-03-15', '2024-03-01 5 for 2024-03-13', '2024-03-01 5 for 2024-03-14'],
      expected: 'clear 2024-03-13',
    },
    'thresholds count from the anchor of the debt that is left': {
      states: configA,
      on: '2012-07-20',
      unpaid: ['2012-06-30 249.95'],
      expected: 'clear 2012-07-30',
    },
    'example 12: the moved anchor comes before the initial interval': {
      states: configC,
      on: '2012-06-05',
      unpaid: ['2012-06-02 700', '2012-06-03 200'],
      expected: 'clear 2012-06-07',
    },
    'example 12: then 7 days': {
      states: configC,
      on: '2012-06-07',
      unpaid: ['2012-06-02 700', '2012-06-03 200'],
      expected: 'WARNING 2012-06-09',
    },
    'example 12: then 11 days': {
      states: configC,
      on: '2012-06-09',
      unpaid: ['2012-06-02 700', '2012-06-03 200'],
      expected: 'BLOCKED 2012-06-13',
    },
    'example 12: and nothing after the last': {
      states: configC,
      on: '2012-06-13',
      unpaid: ['2012-06-02 700', '2012-06-03 200'],
      expected: 'CANCELLATION none',
    },
  }))
    it(`overdue §6: ${title}`, () => expect(after(states, on, unpaid)).to.equal(expected));

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
