import type { Invoice } from '../../records/index.ts';
import type { Steps } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_PERIODS_PER_RUN } from '../../values/limits.ts';
import type { Decimal } from '../../values/money/index.ts';
import { type Instant, type LocalDate, maxDate } from '../../values/time/index.ts';
import {
  type AccountRun,
  type AccountRunInput,
  evaluateAccount,
  type RunInvoice,
} from '../evaluation/evaluate-account.ts';
import type { SubscriptionBilling, SubscriptionEvaluation } from '../evaluation/evaluate-subscription.ts';
import { usageAfter } from '../evaluation/evaluate-usage.ts';
import { type Draft, itemOf, raisedTargetDate } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { tooManyPeriods } from '../proposals/target-date.ts';
import { isDue } from '../proposals/window.ts';
import { type BilledItem, coverageAfter } from '../reconciliation/coverage.ts';
import { type Debts, type MadeOfStep, NO_DEBTS, RunningDebts, unchangedStep } from './debts.ts';

export interface DryRunWalkInput extends AccountRunInput {
  /** The requested date. Like a run, the step for this date starts no earlier than the end of the billed days. */
  readonly targetDate: LocalDate;
  readonly now: Instant;
  /** Today, as a local date of the account. */
  readonly today: LocalDate;
  /** Dates of the runs that were just requested, in order. They precede all other dates. Empty by default. */
  readonly runDates?: readonly LocalDate[];
  /** Dates of the account's pending due entries. Only steps on these dates may be in the past. */
  readonly dueDates: readonly LocalDate[];
  /** The debts that the account's credit pays, except the invoices of the walk itself. */
  readonly debts?: Debts;
  /**
   * The existing drafts, oldest first, and the template of a new draft. The field is absent unless the account's runs
   * add to drafts.
   */
  readonly reuse?: { readonly drafts: readonly Draft[]; readonly newDraft: Invoice };
}

export interface DryRunInvoice {
  readonly targetDate: LocalDate;
  /** The date on which the invoice's run happens. */
  readonly runDate: LocalDate;
  readonly run: AccountRun;
}

/** A run of the walk, before account credit is applied. The walk waits for the result. */
export interface DryRunStep {
  /** Date of the step. For a late run, this is today. */
  readonly date: LocalDate;
  readonly runDate: LocalDate;
  readonly targetDate: LocalDate;
  readonly run: AccountRun;
  readonly invoiceId: Uuid;
  /** Returns the account credit items of the unchanged run. */
  credit(): readonly NewInvoiceItem[];
}

/** Result of a step: null if the run does not happen, and undefined if the run is unchanged. */
export type DryRunAnswer = MadeOfStep | null | undefined;

/** A generator that yields the steps of a dry run, receives the result of each step, and returns the final invoice. */
export type DryRunWalk<R = DryRunInvoice | null> = Generator<DryRunStep, R, DryRunAnswer>;

/** Returns the result of an unchanged walk. */
export function* unchangedWalk<R>(walk: DryRunWalk<R>): Steps<R> {
  for (;;) {
    const next = walk.next();
    if (next.done === true) return next.value;
    yield;
  }
}

/**
 * Walks to the invoice of the run at the target date, after all earlier due dates and events. Returns null without an
 * invoice (§11 rule 1, TARGET_DATE). Requested runs come first. The result is the requested run at the target date,
 * or the last invoice of the requested runs if nothing else is billed up to that date. Each earlier date is evaluated
 * by the rules of a real run and counts as billed for the next date. The first step needs the items of all rows in
 * the window. The input is not changed.
 */
export function* walkToTargetDate(input: DryRunWalkInput, nextItemId: () => Uuid): DryRunWalk {
  const { targetDate, runDates = [] } = input;
  const isUpToTarget = (date: LocalDate): boolean => date <= targetDate;
  const candidates = new DateQueue([...input.dueDates, ...eventDates(input)].filter(isUpToTarget));
  const walk = new Walk(input, nextItemId);
  let latest: DryRunInvoice | null = null;
  const step = function* (date: LocalDate): DryRunWalk {
    const invoice = yield* walk.step(date);
    latest = invoice ?? latest;
    candidates.add(walk.dueDates.filter((due) => due < targetDate));
    return invoice;
  };
  for (const date of runDates.filter(isUpToTarget)) yield* step(date);
  const requestedInvoice: DryRunInvoice | null = latest;
  if (requestedInvoice !== null && runDates.includes(targetDate)) return requestedInvoice;
  for (;;) {
    const candidate = candidates.takeFirst();
    const invoice = yield* step(candidate ?? targetDate);
    if (candidate === targetDate) return latest === requestedInvoice ? latest : invoice;
    if (candidate === undefined) return latest;
  }
}

export function eventDates({ subscriptions, now }: Pick<DryRunWalkInput, 'subscriptions' | 'now'>) {
  return subscriptions.flatMap(({ events }) =>
    events.filter(({ effectiveDate }) => effectiveDate > now).map(({ localDate }) => localDate),
  );
}

/** Evaluates an account date by date. On each date, the earlier dates are treated as billed. */
export class Walk {
  #account: AccountRunInput;
  #run: AccountRun | undefined;
  #steps = 0;
  readonly #debts: RunningDebts;
  readonly #reuse: DryRunWalkInput['reuse'];
  readonly #today: LocalDate;
  readonly #nextItemId: () => Uuid;
  readonly #seen: (run: AccountRun) => AccountRun;

  /** @param seen Function that changes each run before the walk uses the run. By default, runs stay unchanged. */
  constructor(
    { debts = NO_DEBTS, reuse, today, ...input }: DryRunWalkInput,
    nextItemId: () => Uuid,
    seen: (run: AccountRun) => AccountRun = (run) => run,
  ) {
    // Each step represents a different day, so the daily limit does not apply.
    const subscriptions = input.subscriptions.map((each) => ({ ...each, itemsCreatedToday: 0 }));
    this.#account = { ...input, subscriptions };
    this.#debts = new RunningDebts(debts);
    this.#reuse = reuse;
    this.#today = today;
    this.#nextItemId = nextItemId;
    this.#seen = seen;
  }

  *step(date: LocalDate): DryRunWalk {
    const { state } = this.#account;
    if (this.#steps > MAX_PERIODS_PER_RUN) throw tooManyPeriods(date, { accountId: state.accountId });
    this.#steps += 1;
    const targetDate = raiseEffectiveDate(date, state.maxTargetDate);
    const evaluated = this.#seen(evaluateAccount({ ...this.#account, targetDate }, this.#nextItemId));
    // Credit gets the date of the run, not the target date (§10 rule 7).
    const runDate = maxDate(this.#today, date);
    const isEmpty = evaluated.items.length === 0;
    // The id is not used if there are no items.
    const invoiceId = isEmpty ? ('' as Uuid) : (evaluated.invoice.draft?.invoice.id ?? this.#nextItemId());
    const credit = () => this.#debts.preview({ run: evaluated, invoiceId, date: runDate }, this.#nextItemId);
    const made = yield { date, runDate, targetDate, run: evaluated, invoiceId, credit };
    if (made === null) {
      this.#run = undefined;
      return null;
    }
    const run = isEmpty
      ? evaluated
      : this.#debts.credit(
          { ...unchangedStep(evaluated), ...made, invoiceId, date: runDate },
          this.#nextItemId,
        );
    this.#run = run;
    this.#account = { ...accountAfter(this.#account, run), invoice: this.#invoiceAfter(run, targetDate) };
    return run.items.length === 0 ? null : { targetDate, runDate, run };
  }

  /**
   * Returns the invoice of the next run. A draft keeps the items of the run. After a committed invoice, the next run
   * gets another invoice.
   */
  #invoiceAfter({ invoice, items }: AccountRun, targetDate: LocalDate): RunInvoice {
    const reuse = this.#reuse;
    if (reuse === undefined || items.length === 0) return invoice;
    if (invoice.status === 'COMMITTED') {
      const index = reuse.drafts.findIndex((each) => each.invoice.id === invoice.draft?.invoice.id);
      return { ...invoice, draft: index < 0 ? null : (reuse.drafts[index + 1] ?? null) };
    }
    const draft = invoice.draft ?? { invoice: reuse.newDraft, items: [] };
    const { createdDate } = draft.invoice;
    const added = items.map((item) => ({ ...itemOf(draft.invoice, item, createdDate), recordId: 0 }));
    return {
      ...invoice,
      draft: {
        invoice: { ...draft.invoice, targetDate: raisedTargetDate(draft.invoice, targetDate) },
        items: [...draft.items, ...added],
      },
    };
  }

  get credit(): Decimal {
    return this.#account.state.accountCBA;
  }

  /** Due dates that the last step found. */
  get dueDates(): readonly LocalDate[] {
    return this.#run?.dueDates ?? [];
  }

  /** Returns true if a step on the date could bill something for these subscriptions. */
  isAnyDue(subscriptionIds: ReadonlySet<Uuid>, date: LocalDate): boolean {
    const { config, state, subscriptions } = this.#account;
    const targetDate = raiseEffectiveDate(date, state.maxTargetDate);
    return subscriptions.some(
      ({ subscriptionId, events, cursor }) =>
        subscriptionIds.has(subscriptionId) && isDue({ events, cursor, targetDate, config }),
    );
  }

  /** Returns true if any remaining date could bill something for these subscriptions. */
  isAnyAwaited(subscriptionIds: ReadonlySet<Uuid>): boolean {
    return this.#account.subscriptions.some(
      ({ subscriptionId, cursor }) =>
        subscriptionIds.has(subscriptionId) &&
        (cursor === null || cursor.dirtyFrom !== null || cursor.nextDueDate !== null),
    );
  }
}

/** Returns the effective date of a run, which is never before the end of the billed days (§8.2 step 4). */
function raiseEffectiveDate(date: LocalDate, maxTargetDate: LocalDate | null): LocalDate {
  return maxTargetDate === null ? date : maxDate(date, maxTargetDate);
}

/** A queue of distinct dates in order. */
export class DateQueue {
  readonly #dates: Set<LocalDate>;

  constructor(dates: readonly LocalDate[]) {
    this.#dates = new Set(dates);
  }

  get isEmpty(): boolean {
    return this.#dates.size === 0;
  }

  takeFirst(): LocalDate | undefined {
    let first: LocalDate | undefined;
    for (const date of this.#dates) if (first === undefined || date < first) first = date;
    if (first !== undefined) this.#dates.delete(first);
    return first;
  }

  /** Removes the date from the queue. Returns true if the queue contained the date. */
  take(date: LocalDate): boolean {
    return this.#dates.delete(date);
  }

  add(dates: readonly LocalDate[]): void {
    for (const date of dates) this.#dates.add(date);
  }
}

function accountAfter(account: AccountRunInput, run: AccountRun): AccountRunInput {
  const evaluationOf = new Map(run.evaluations.map((evaluation) => [evaluation.subscriptionId, evaluation]));
  const subscriptions = account.subscriptions.map((subscription) => {
    const evaluation = evaluationOf.get(subscription.subscriptionId);
    return evaluation === undefined
      ? subscription
      : subscriptionAfter(subscription, evaluation, run.items.length > 0);
  });
  return { ...account, subscriptions, state: run.state };
}

/**
 * Returns the subscription as stored after this evaluation.
 * @param hasInvoice true if the run of the account has created an invoice. By default, true if the subscription has
 * items.
 */
export function subscriptionAfter(
  before: SubscriptionBilling,
  { items, coverage, repairable, cursor, usage }: SubscriptionEvaluation,
  hasInvoice = items.length > 0,
): SubscriptionBilling {
  const subscription =
    usage === null || before.usage == null
      ? before
      : { ...before, usage: usageAfter(before.usage, usage, hasInvoice) };
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
