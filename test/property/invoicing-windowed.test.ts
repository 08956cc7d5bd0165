import { expect } from 'chai';
import fc from 'fast-check';
import type { Uuid } from '../../lib/ids/index.ts';
import type { Decimal } from '../../lib/money/index.ts';
import { addDays, type LocalDate, maxDate, parseLocalDate } from '../../lib/time/index.ts';
import { SubscriptionLedger } from '../unit/invoicing/subscription-ledger.ts';
import { adjustShare, checkAfterRun } from './invoicing-checks.ts';
import {
  eventsOf,
  type Fact,
  firstDifference,
  type History,
  histories,
  type Step,
} from './invoicing-history.ts';
import { historyRuns } from './runs.ts';

/** A history on its way: every run is checked as it happens. */
class Life {
  readonly history: History;
  readonly ledger: SubscriptionLedger;
  readonly adjusted = new Map<Uuid, Decimal>();
  facts: readonly Fact[] = [];
  voided = 0;
  targetDate: LocalDate;

  constructor(history: History) {
    this.history = history;
    this.targetDate = addDays(parseLocalDate(history.start), -10);
    this.ledger = new SubscriptionLedger({
      currency: history.currency,
      config: {
        inArrearMode: history.isGreedy ? 'GREEDY' : 'DEFAULT',
        prorationFixedDays: history.fixedDays,
      },
      periodOfPhase: (planName) => history.plans.find(({ name }) => name === planName)?.period ?? null,
    });
    this.ledger.change(eventsOf(history, []));
  }

  take(step: Step): void {
    switch (step.do) {
      case 'ADD':
        this.#setFacts([...this.facts, this.#dated(step.fact, step.near)]);
        break;
      case 'REMOVE': {
        const index = this.facts.length === 0 ? 0 : step.index % this.facts.length;
        this.#setFacts(this.facts.filter((_, place) => place !== index));
        break;
      }
      case 'ADJUST':
        adjustShare(this.ledger, this.adjusted, step);
        break;
      case 'VOID':
        if (this.ledger.void(step.index)) this.voided += 1;
        break;
      case 'RUN':
        this.targetDate =
          step.daysLater === null ? this.#dueDate() : addDays(this.targetDate, step.daysLater);
        this.#run();
        break;
    }
  }

  #dueDate(): LocalDate {
    return maxDate(this.targetDate, this.ledger.cursor?.nextDueDate ?? this.targetDate);
  }

  #dated(fact: Fact, near: number | null): Fact {
    if (near === null) return fact;
    return { ...fact, day: Math.max(0, this.targetDate - parseLocalDate(this.history.start) + near) };
  }

  #setFacts(facts: readonly Fact[]): void {
    this.facts = facts;
    const events = eventsOf(this.history, facts);
    const from = firstDifference(this.ledger.events, events);
    if (from !== null) this.ledger.change(events, from);
  }

  /** `SubscriptionLedger.run` itself compares the windowed evaluation with that of the whole history. */
  #run(): void {
    this.ledger.run(this.targetDate);
    const { ledger, adjusted, targetDate, history } = this;
    checkAfterRun({ ledger, adjusted, targetDate, isGreedy: history.isGreedy });
  }
}

describe('the evaluation of a window', () => {
  it('equals that of the whole history, once and for all, over random lives of a subscription', () => {
    let voided = 0;
    fc.assert(
      fc.property(histories, (history) => {
        const life = new Life(history);
        for (const step of history.steps) life.take(step);
        life.take({ do: 'RUN', daysLater: 40 });
        voided += life.voided;
      }),
      { numRuns: historyRuns },
    );
    expect(voided, 'invoices that were voided').to.be.greaterThan(historyRuns / 20);
  }).timeout(0);
});
