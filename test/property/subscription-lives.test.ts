import { expect } from 'chai';
import fc from 'fast-check';
import { historyRuns } from './runs.ts';
import { SubscriptionLife } from './subscription-life.ts';
import { lifeScripts } from './subscription-steps.ts';

const CALLS = ['CHANGE', 'CANCEL', 'UNCANCEL', 'UNDO', 'BILL_CYCLE_DAY', 'QUANTITY', 'BLOCK', 'VOID'];

describe('the life of a subscription', () => {
  it('is billed by windows as it is by the whole history: every day once, nothing repaired beyond its amount', () => {
    const accepted = new Map<string, number>();
    fc.assert(
      fc.property(lifeScripts, (script) => {
        const life = new SubscriptionLife(script);
        for (const step of script.steps) life.take(step);
        life.take({ do: 'AUTOMATIC', isOn: true });
        life.take({ do: 'PASS', days: 62, seconds: 0 });
        for (const [call, count] of life.accepted) accepted.set(call, count + (accepted.get(call) ?? 0));
      }),
      { numRuns: historyRuns },
    );
    if (historyRuns < 200) return;
    for (const call of CALLS) {
      expect(accepted.get(call) ?? 0, `${call}: accepted calls`).to.be.greaterThan(historyRuns / 20);
    }
  }).timeout(0);
});
