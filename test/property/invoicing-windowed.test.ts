import { addDays, type LocalDate, maxDate, parseLocalDate } from '../../lib/values/time/index.ts';
import { SubscriptionLedger } from '../support/invoicing/subscription-ledger.ts';
import { adjustShare, checkAfterRun } from '../support/lives/invoicing-checks.ts';
import type { Fact, History, Step } from '../support/lives/invoicing-history.ts';
import { eventsOf, firstDifference, histories } from '../support/lives/invoicing-history.ts';
import { type Decimal, expect, forRuns, historyRuns, type Uuid } from '../support/property.ts';

/** A history in progress, in which every run is checked. */
class Life {
  readonly history: History;
  readonly ledger: SubscriptionLedger;
  readonly adjusted = new Map<Uuid, Decimal>();
  readonly counts = new Map<string, number>();
  facts: readonly Fact[] = [];
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
        if (this.#setFacts([...this.facts, this.#dated(step.fact, step.near)])) this.#count(step.fact.type);
        break;
      case 'REMOVE': {
        const index = this.facts.length === 0 ? 0 : step.index % this.facts.length;
        if (this.#setFacts(this.facts.filter((_, place) => place !== index))) this.#count(step.do);
        break;
      }
      case 'ADJUST':
        if (adjustShare(this.ledger, this.adjusted, step)) this.#count(step.do);
        break;
      case 'VOID':
        this.#void(step.index);
        break;
      case 'RUN':
        this.#run(step.daysLater === null ? this.#dueDate() : addDays(this.targetDate, step.daysLater));
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

  /** Returns false if the change does not affect billing. */
  #setFacts(facts: readonly Fact[]): boolean {
    this.facts = facts;
    const events = eventsOf(this.history, facts);
    const from = firstDifference(this.ledger.events, events);
    if (from !== null) this.ledger.change(events, from);
    return from !== null;
  }

  #count(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  /** Voids an invoice, and evaluates the days that only this invoice covered again. */
  #void(index: number): void {
    const { ledger, history } = this;
    const before = ledger.maxTargetDate;
    if (!ledger.void(index)) return;
    this.#count('VOID');
    const left = ledger.maxTargetDate;
    if (left === before) return;
    ledger.change(ledger.events, left === null ? parseLocalDate(history.start) : addDays(left, 1));
  }

  /** Runs the ledger, which compares its windowed evaluation with that of the full history. */
  #run(wantedDate: LocalDate): void {
    const { ledger, adjusted, history } = this;
    const targetDate = maxDate(wantedDate, ledger.maxTargetDate ?? wantedDate);
    const before = this.targetDate;
    this.targetDate = targetDate;
    const made = ledger.items.length;
    if (!ledger.runIfDue(targetDate)) return;
    if (targetDate < before) this.#count('looked back');
    if (ledger.items.slice(made).some(({ itemType }) => itemType === 'REPAIR_ADJ')) this.#count('repaired');
    checkAfterRun({ ledger, adjusted, targetDate, isGreedy: history.isGreedy });
  }
}

/** Minimum coverage of the property: each kind occurs at least once in this many histories. */
const HISTORIES_BETWEEN: Readonly<Record<string, number>> = {
  CHANGE: 4,
  PRICE: 4,
  QUANTITY: 4,
  BCD: 4,
  PAUSE: 4,
  CANCEL: 4,
  REMOVE: 4,
  ADJUST: 8,
  VOID: 6,
  repaired: 5,
  'looked back': 20,
};

describe('window evaluation', () => {
  it('equals the evaluation of the full history for random subscription histories', () => {
    const counts = new Map<string, number>();
    forRuns(historyRuns, [histories], (history) => {
      const life = new Life(history);
      for (const step of history.steps) life.take(step);
      life.take({ do: 'RUN', daysLater: 40 });
      for (const [kind, count] of life.counts) counts.set(kind, count + (counts.get(kind) ?? 0));
    });
    if (historyRuns < 200) return;
    for (const [kind, between] of Object.entries(HISTORIES_BETWEEN))
      expect(counts.get(kind) ?? 0, kind).to.be.greaterThan(historyRuns / between);
  }).timeout(0);
});
