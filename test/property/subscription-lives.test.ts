import { SubscriptionLife } from '../support/lives/subscription-life.ts';
import { lifeScripts } from '../support/lives/subscription-steps.ts';
import { expect, forRuns, historyRuns } from '../support/property.ts';

/** Minimum coverage of the property: each kind occurs at least once in this many histories. */
const LIVES_BETWEEN: Readonly<Record<string, number>> = {
  CHANGE: 2,
  CANCEL: 4,
  UNCANCEL: 20,
  UNDO: 20,
  BILL_CYCLE_DAY: 8,
  QUANTITY: 8,
  BLOCK: 2,
  ACCOUNT_DAY: 25,
  ADJUST: 20,
  VOID: 15,
  ADD_ON: 4,
  'ADD_ON in the past': 40,
  'add-on ended at once': 40,
  'add-on ended when due': 80,
  'billed add-on': 4,
  TRANSFER: 20,
  'billed after a transfer': 20,
  repaired: 6,
  'seats of a long period': 100,
  'price of a long period': 200,
};

describe('random subscription histories', () => {
  it('are billed the same from windows as from the full history, with each day billed once and no excessive repair', () => {
    const counts = new Map<string, number>();
    forRuns(historyRuns, [lifeScripts], (script) => {
      const life = new SubscriptionLife(script);
      for (const step of script.steps) life.take(step);
      life.end();
      for (const [kind, count] of life.counts) counts.set(kind, count + (counts.get(kind) ?? 0));
    });
    if (historyRuns < 200) return;
    for (const [kind, lives] of Object.entries(LIVES_BETWEEN))
      expect(counts.get(kind) ?? 0, kind).to.be.greaterThan(historyRuns / lives);
  }).timeout(0);
});
