import type { BillingEvent } from '../../lib/records/index.ts';
import { SubscriptionLedger } from '../support/invoicing/subscription-ledger.ts';
import { adjustShare } from '../support/lives/invoicing-checks.ts';
import type { Fact, History, Step } from '../support/lives/invoicing-history.ts';
import {
  eventsOf,
  factsOf,
  firstDifference,
  forOracle,
  histories,
} from '../support/lives/invoicing-history.ts';
import { isCycleDate } from '../support/lives/invoicing-oracle.ts';
import { forRuns, historyRuns } from '../support/property.ts';
import { addDays, expect, formatLocalDate, type LocalDate, parseLocalDate } from '../support/unit.ts';

/** The maximum number of days between two changes. */
const MOST_DAYS = 60;

/**
 * One subscription with two ledgers: one runs every day, the other only on days on which something is due under
 * invoicing §5.5 rule 3, given the events at that time.
 */
class DailyLife {
  readonly history: History;
  readonly daily: SubscriptionLedger;
  readonly onDueDays: SubscriptionLedger;
  readonly dailyLines: string[] = [];
  readonly dueLines: string[] = [];
  readonly counts = new Map<string, number>();
  facts: readonly Fact[] = [];
  today: LocalDate;
  /** Whether today's run has work regardless of the date, because something was backdated or withdrawn. */
  #isRequested = true;
  readonly #adjusted = [new Map(), new Map()] as const;

  constructor(history: History) {
    this.history = { ...history, isGreedy: false };
    this.today = parseLocalDate(history.start);
    this.daily = this.#ledger();
    this.onDueDays = this.#ledger();
    this.#pass(1);
  }

  take(step: Step): void {
    if (step.do === 'ADD') this.#setFacts([...this.facts, this.#dated(step.fact, step.near)]);
    if (step.do === 'REMOVE' && this.facts.length > 0) {
      const at = step.index % this.facts.length;
      this.#setFacts(this.facts.filter((_, place) => place !== at));
    }
    if (step.do === 'ADJUST') {
      adjustShare(this.daily, this.#adjusted[0], step);
      adjustShare(this.onDueDays, this.#adjusted[1], step);
    }
    if (step.do === 'RUN') this.#pass(Math.min(MOST_DAYS, Math.abs(step.daysLater ?? 1)));
  }

  #ledger(): SubscriptionLedger {
    const { history } = this;
    const ledger = new SubscriptionLedger({
      currency: history.currency,
      config: { prorationFixedDays: history.fixedDays },
      periodOfPhase: (planName) => history.plans.find(({ name }) => name === planName)?.period ?? null,
    });
    return ledger.change(eventsOf(history, []));
  }

  #dated(fact: Fact, near: number | null): Fact {
    const day = this.today - parseLocalDate(this.history.start) + (near ?? fact.day % MOST_DAYS);
    return { ...fact, day: Math.max(0, day) };
  }

  #setFacts(facts: readonly Fact[]): void {
    this.facts = facts;
    const before = this.daily.events;
    const events = eventsOf(this.history, facts);
    const from = firstDifference(before, events);
    if (from === null) return;
    for (const ledger of [this.daily, this.onDueDays]) ledger.change(events, from);
    if (from <= this.today) this.#isRequested = true;
    else this.#count('beyond the target');
    if (from > this.today && isWithdrawn(before, events)) {
      this.#isRequested = true;
      this.#count('withdrawn');
    }
  }

  #pass(days: number): void {
    for (let left = days; left > 0; left -= 1) {
      this.#bill();
      this.today = addDays(this.today, 1);
    }
  }

  #bill(): void {
    const { today, daily, onDueDays } = this;
    const isDue = this.#isRequested || this.#isDueDay();
    this.#isRequested = false;
    const date = formatLocalDate(today);
    for (const made of daily.run(today)) this.dailyLines.push(`${date}: ${made}`);
    if (isDue) for (const made of onDueDays.run(today)) this.dueLines.push(`${date}: ${made}`);
    if (this.dailyLines.at(-1)?.startsWith(`${date}: X`)) this.#count('repaired');
  }

  #isDueDay(): boolean {
    const { history, today, daily } = this;
    if (daily.events.some(({ localDate }) => localDate === today)) return true;
    const date = formatLocalDate(today);
    const inForce = forOracle(history, daily.events).findLast((event) => event.date < date);
    return inForce !== undefined && isCycleDate(inForce, date);
  }

  #count(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }
}

/** Returns whether an event was changed or removed. Charges that it prevented may be due at once. */
function isWithdrawn(before: readonly BillingEvent[], after: readonly BillingEvent[]): boolean {
  const left = new Set(after.map(factsOf));
  return before.some((event) => !left.has(factsOf(event)));
}

/** At least one in this many histories. */
const HISTORIES_BETWEEN: Readonly<Record<string, number>> = {
  'beyond the target': 1,
  withdrawn: 4,
  repaired: 2,
};

describe('billing day by day', () => {
  it('creates the same items on the same days as the due runs (invoicing §5.5 rule 3)', () => {
    const counts = new Map<string, number>();
    forRuns(historyRuns, [histories], (history) => {
      const life = new DailyLife(history);
      for (const step of history.steps) life.take(step);
      life.take({ do: 'RUN', daysLater: MOST_DAYS });
      expect(life.dailyLines).to.eql(life.dueLines);
      for (const [kind, count] of life.counts) counts.set(kind, count + (counts.get(kind) ?? 0));
    });
    for (const [kind, between] of Object.entries(HISTORIES_BETWEEN))
      expect(counts.get(kind) ?? 0, kind).to.be.greaterThan(historyRuns / between);
  }).timeout(0);
});
