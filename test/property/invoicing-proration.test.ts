import { recurringProposals } from '../../lib/invoicing/proposals/recurring-proposals.ts';
import { eventsOf, forOracle, type History, histories } from '../support/lives/invoicing-history.ts';
import { oraclePeriods } from '../support/lives/invoicing-oracle.ts';
import { addDays, fc, forAll, formatLocalDate, parseLocalDate } from '../support/property.ts';
import { type Decimal, expect, minorUnits } from '../support/unit.ts';

function allEvents(history: History) {
  return eventsOf(
    history,
    history.steps.flatMap((step) => (step.do === 'ADD' ? [step.fact] : [])),
  );
}

function inMinorUnits(amount: Decimal, history: History): bigint {
  return BigInt(amount.times(10 ** minorUnits(history.currency)).toFixed());
}

describe('recurring invoice proposals', () => {
  it('match the periods and amounts of a day-by-day count', () =>
    forAll([histories, fc.integer({ min: -5, max: 1_000 })], (history, day) => {
      const events = allEvents(history);
      const targetDate = addDays(parseLocalDate(history.start), day);
      const ours = recurringProposals({
        events,
        anchorIndex: 0,
        windowStart: null,
        targetDate,
        currency: history.currency,
        config: { inArrearMode: history.isGreedy ? 'GREEDY' : 'DEFAULT', prorationFixedDays: 0 },
      }).map(({ startDate, endDate, amount }) => ({
        start: formatLocalDate(startDate),
        end: formatLocalDate(endDate),
        amount: inMinorUnits(amount, history),
      }));
      const theirs = oraclePeriods(forOracle(history, events), formatLocalDate(targetDate));
      expect(ours).to.eql(theirs.map(({ start, end, amount }) => ({ start, end, amount })));
    })).timeout(0);

  it('match the proposals from the full history that start within their window', () =>
    forAll([histories, fc.nat(1_000), fc.nat(1_000)], (history, day, from) => {
      const start = parseLocalDate(history.start);
      const windowStart = addDays(start, from);
      const input = {
        events: allEvents(history),
        anchorIndex: 0,
        targetDate: addDays(start, day),
        currency: history.currency,
        config: { inArrearMode: 'DEFAULT', prorationFixedDays: history.fixedDays },
      } as const;
      const whole = recurringProposals({ ...input, windowStart: null });
      expect(recurringProposals({ ...input, windowStart })).to.eql(
        whole.filter(({ startDate }) => startDate >= windowStart),
      );
    })).timeout(0);
});
