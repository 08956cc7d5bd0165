import { type ExplainedState, explanationText } from '../../../lib/overdue/evaluation/explanation.ts';
import { expect, parseLocalDate } from '../../support/unit.ts';

const CLEAR = '__KILLBILL__CLEAR__OVERDUE_STATE__';
const waiting: ExplainedState = {
  state: CLEAR,
  since: null,
  matched: 'OD1',
  exempt: null,
  isPaidByParent: false,
  reasons: [{ state: 'OD1', holds: true, criteria: [], text: 'OD1 holds.' }],
  nextCheck: null,
};
const begins = 'The account is not overdue. OD1 holds. It will move to OD1 at the next check.';

describe('overdue state explanation', () => {
  it('reports that no check is planned when the configuration has changed since the last evaluation', () =>
    expect(explanationText(waiting)).to.equal(
      `${begins} No check is scheduled; the next change triggers one.`,
    ));

  it('contains the date of the planned check', () =>
    expect(explanationText({ ...waiting, nextCheck: parseLocalDate('2012-06-05') })).to.equal(
      `${begins} The next check is on 2012-06-05.`,
    ));

  it('omits checks when the account is already in the matching state', () =>
    expect(explanationText({ ...waiting, state: 'OD1', since: parseLocalDate('2012-06-05') })).to.equal(
      'The account has been in OD1 since 2012-06-05. OD1 holds.',
    ));
});
