import { expect } from 'chai';
import fc from 'fast-check';
import type { Uuid } from '../../lib/ids/index.ts';
import { type decimal, formatDecimal, minorUnits, roundToScale, sum } from '../../lib/money/index.ts';
import { addDays, formatLocalDate, type LocalDate, maxDate, parseLocalDate } from '../../lib/time/index.ts';
import { line, SubscriptionLedger } from '../unit/invoicing/subscription-ledger.ts';
import {
  eventsOf,
  type Fact,
  firstDifference,
  forOracle,
  type History,
  histories,
  kindOf,
  type Step,
} from './invoicing-history.ts';
import { daysOf, oraclePeriods } from './invoicing-oracle.ts';
import { propertyRuns } from './runs.ts';

/** A history on its way: every run is checked as it happens. */
class Life {
  readonly history: History;
  readonly ledger: SubscriptionLedger;
  readonly adjusted = new Map<Uuid, ReturnType<typeof decimal>>();
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
        this.#setFacts([...this.facts, this.#dated(step.fact, step.near)]);
        break;
      case 'REMOVE': {
        const index = this.facts.length === 0 ? 0 : step.index % this.facts.length;
        this.#setFacts(this.facts.filter((_, place) => place !== index));
        break;
      }
      case 'ADJUST':
        this.#adjust(step.index, step.percent);
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

  #adjust(index: number, percent: number): void {
    const charges = [...this.ledger.billed.values()];
    const charge = charges[index % Math.max(1, charges.length)];
    if (charge === undefined) return;
    const share = charge.repairable.times(percent).dividedBy(100);
    const amount = roundToScale(share, minorUnits(this.history.currency));
    if (amount.greaterThan(charge.repairable)) return;
    this.ledger.adjust(charge.id, amount);
    this.adjusted.set(charge.id, amount.plus(this.adjusted.get(charge.id) ?? 0));
  }

  /** `SubscriptionLedger.run` itself compares the windowed evaluation with that of the whole history. */
  #run(): void {
    this.ledger.run(this.targetDate);
    expect(this.ledger.run(this.targetDate), 'an immediate second run').to.deep.equal([]);
    this.#checkRepairs();
    this.#checkDays();
    this.#checkDueDate();
  }

  /** Nothing can be billed before the next due date, but for greedy arrears, which grow on any day. */
  #checkDueDate(): void {
    if (this.history.isGreedy) return;
    const due = this.ledger.cursor?.nextDueDate ?? null;
    expect(due === null || due > this.targetDate, 'due later').to.equal(true);
    const lastQuietDay = due === null ? addDays(this.targetDate, 400) : addDays(due, -1);
    expect(this.ledger.evaluate(lastQuietDay).items.map(line), 'nothing before it is due').to.deep.equal([]);
  }

  #checkRepairs(): void {
    for (const { id, amount, repairable } of this.ledger.billed.values()) {
      const repairs = this.ledger.items.filter(({ linkedItemId }) => linkedItemId === id);
      const left = sum([amount, ...repairs.map((repair) => repair.amount)]).minus(this.adjusted.get(id) ?? 0);
      expect(left.isNegative(), `${id} is repaired beyond its amount`).to.equal(false);
      expect(formatDecimal(repairable), `what is left of ${id}`).to.equal(formatDecimal(left));
      const isInForce = this.ledger.rows.some(({ itemId }) => itemId === id);
      if (!isInForce) expect(formatDecimal(left), `${id} is fully repaired and nets to zero`).to.equal('0');
    }
  }

  /** Each proposed day is in force exactly once, in its kind; days without an amount leave a free item instead. */
  #checkDays(): void {
    const periods = oraclePeriods(
      forOracle(this.history, this.ledger.events),
      formatLocalDate(this.targetDate),
    );
    const proposed = daysOf(periods);
    const inForce = daysOf(
      this.ledger.rows.flatMap((row) => (row.kind === 'RECURRING' ? [spanOf(row)] : [])),
    );
    for (const [date, kind] of inForce) expect(proposed.get(date), `in force on ${date}`).to.equal(kind);
    const free = this.ledger.rows.filter(({ kind }) => kind === 'FREE').map(spanOf);
    for (const [date, kind] of proposed) {
      if (inForce.has(date)) continue;
      const isFree = free.some(
        (span) => span.start <= date && date < span.end && phaseOf(span.kind) === phaseOf(kind),
      );
      expect(isFree, `${date} of ${kind} is missed`).to.equal(true);
    }
  }
}

/** Free items are told apart by plan and phase alone (invoicing.md §6 rule 1). */
function phaseOf(kind: string): string {
  return kind.slice(0, kind.lastIndexOf('|'));
}

function spanOf(row: SubscriptionLedger['rows'][number]) {
  const { planName, phaseName, rate, startDate, endDate } = row;
  const kind = kindOf(planName, phaseName, rate === null ? '' : formatDecimal(rate));
  const [start, end] = [startDate, endDate ?? startDate].map(formatLocalDate);
  return { kind, start: start ?? '', end: end ?? '' };
}

describe('the evaluation of a window', () => {
  it('equals that of the whole history, once and for all, over random lives of a subscription', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const life = new Life(history);
        for (const step of history.steps) life.take(step);
        life.take({ do: 'RUN', daysLater: 40 });
      }),
      { numRuns: propertyRuns },
    );
  }).timeout(0);
});
