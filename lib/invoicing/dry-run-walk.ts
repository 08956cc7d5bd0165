import { assertInvariant } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import { MAX_PERIODS_PER_RUN } from '../limits.ts';
import { type LocalDate, maxDate } from '../time/index.ts';
import { coverageAfter } from './apply-to-coverage.ts';
import { countedRun, creditRun } from './credit-run.ts';
import type { SubscriptionBilling, SubscriptionEvaluation } from './evaluate-subscription.ts';
import { type AccountRun, type AccountRunInput, evaluateAccount } from './invoice-run.ts';
import type { Invoice } from './model.ts';
import type { BilledItem } from './recurring-row.ts';

export interface DryRunWalkInput extends AccountRunInput {
  /** Dates of the account's pending due entries. */
  readonly dueDates: readonly LocalDate[];
  /** The account's unpaid invoices, which its credit is used on too; those being paid now are withheld from it. */
  readonly unpaid?: readonly Invoice[];
  readonly withheld?: ReadonlySet<Uuid>;
}

/** The invoice that a dry run answers with. */
export interface DryRunInvoice {
  /** Target date of the step that made it. */
  readonly targetDate: LocalDate;
  readonly run: AccountRun;
}

/**
 * The invoice that the run **at** the target date will make once all earlier due dates and events have happened; null =
 * none (invoicing.md §11 rule 1, TARGET_DATE). Each earlier candidate date is evaluated in memory by the rules of a real
 * run and counts as billed for the next one. Load what the first step needs, with the items of all rows in the window:
 * later steps look at later days only. Nothing of the input is changed.
 */
export function walkToTargetDate(input: DryRunWalkInput, nextItemId: () => Uuid): DryRunInvoice | null {
  const { targetDate } = input;
  const candidates = new CandidateDates(input);
  let account: AccountRunInput = { ...input, subscriptions: input.subscriptions.map(forToday) };
  const debts = new Debts(input);
  let latest: DryRunInvoice | null = null;
  for (let steps = 0; ; steps += 1) {
    assertInvariant(steps <= MAX_PERIODS_PER_RUN, `The dry run has more than ${MAX_PERIODS_PER_RUN} steps`, {
      accountId: input.state.accountId,
    });
    const candidate = candidates.takeFirst();
    const date = candidate ?? targetDate;
    const stepDate = account.state.maxTargetDate === null ? date : maxDate(date, account.state.maxTargetDate);
    const evaluated = evaluateAccount({ ...account, targetDate: stepDate }, nextItemId);
    const run = evaluated.items.length === 0 ? evaluated : debts.credit(evaluated, stepDate, nextItemId);
    const invoice = run.items.length === 0 ? null : { targetDate: stepDate, run };
    if (candidate === targetDate) return invoice;
    if (candidate === undefined) return invoice ?? latest;
    latest = invoice ?? latest;
    candidates.add(run.dueDates.filter((dueDate) => dueDate < targetDate));
    account = accountAfter(account, run);
  }
}

/** Dates still to be evaluated, each once, none before the last one taken. */
class CandidateDates {
  readonly #dates: Set<LocalDate>;

  constructor({ dueDates, subscriptions, state, targetDate }: DryRunWalkInput) {
    const { maxTargetDate } = state;
    const eventDates = subscriptions
      .flatMap(({ events }) => events.map(({ localDate }) => localDate))
      .filter((date) => maxTargetDate === null || date > maxTargetDate);
    this.#dates = new Set([...dueDates, ...eventDates].filter((date) => date <= targetDate));
  }

  takeFirst(): LocalDate | undefined {
    let first: LocalDate | undefined;
    for (const date of this.#dates) {
      if (first === undefined || date < first) first = date;
    }
    if (first !== undefined) this.#dates.delete(first);
    return first;
  }

  add(dates: readonly LocalDate[]): void {
    for (const date of dates) this.#dates.add(date);
  }
}

/** What credit is used on while the walk goes on; its own invoices count as paid once their credit is applied. */
class Debts {
  #unpaid: readonly Invoice[];
  readonly #withheld: ReadonlySet<Uuid>;

  constructor({ unpaid = [], withheld = new Set() }: DryRunWalkInput) {
    this.#unpaid = unpaid;
    this.#withheld = withheld;
  }

  credit(run: AccountRun, date: LocalDate, nextItemId: () => Uuid): AccountRun {
    const { state, candidates } = countedRun(run, nextItemId(), date);
    const input = { credit: state.accountCBA, candidates, unpaid: this.#unpaid, withheld: this.#withheld };
    const { run: credited, credited: others } = creditRun(run, input, { today: date, nextItemId });
    const after = new Map(others.invoices.map((invoice) => [invoice.id, invoice]));
    this.#unpaid = this.#unpaid.map((invoice) => after.get(invoice.id) ?? invoice);
    return credited;
  }
}

/** Every step stands for another day: the daily number of items is not a bound of the walk. */
function forToday(subscription: SubscriptionBilling): SubscriptionBilling {
  return subscription.itemsCreatedToday === 0 ? subscription : { ...subscription, itemsCreatedToday: 0 };
}

function accountAfter(account: AccountRunInput, run: AccountRun): AccountRunInput {
  const evaluationOf = new Map(run.evaluations.map((evaluation) => [evaluation.subscriptionId, evaluation]));
  const subscriptions = account.subscriptions.map((subscription) => {
    const evaluation = evaluationOf.get(subscription.subscriptionId);
    return evaluation === undefined ? subscription : subscriptionAfter(subscription, evaluation);
  });
  return { ...account, subscriptions, state: run.state };
}

/** The subscription as the next evaluation finds it once this one is written. */
export function subscriptionAfter(
  subscription: SubscriptionBilling,
  { items, coverage, repairable, cursor }: SubscriptionEvaluation,
): SubscriptionBilling {
  if (items.length === 0) return { ...subscription, cursor };
  const billed = new Map<Uuid, BilledItem>(subscription.items);
  for (const change of repairable) {
    const item = billed.get(change.id);
    if (item !== undefined) billed.set(change.id, { ...item, repairable: change.repairable });
  }
  for (const item of items) {
    if (item.itemType === 'RECURRING') billed.set(item.id, item);
  }
  return { ...subscription, cursor, items: billed, rows: coverageAfter(subscription.rows, coverage) };
}
