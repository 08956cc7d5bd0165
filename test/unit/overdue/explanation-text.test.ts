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
const begins = 'The account is not overdue. OD1 holds. So it comes to OD1 when it is looked at next.';

describe('the explanation of an overdue state in words', () => {
  it('says that no check is planned where another configuration holds since the account was looked at', () =>
    expect(explanationText(waiting)).to.equal(
      `${begins} No check is planned; it is looked at when something changes.`,
    ));

  it('says when the account is looked at, where a check is planned', () =>
    expect(explanationText({ ...waiting, nextCheck: parseLocalDate('2012-06-05') })).to.equal(
      `${begins} It is looked at again on 2012-06-05.`,
    ));

  it('says nothing of checks where the account is in the state that holds', () =>
    expect(explanationText({ ...waiting, state: 'OD1', since: parseLocalDate('2012-06-05') })).to.equal(
      'The account is in OD1 since 2012-06-05. OD1 holds.',
    ));
});
