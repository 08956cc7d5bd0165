import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import { type LocalDate, maxDate } from '../../values/time/index.ts';
import type { AccountRun } from '../evaluation/evaluate-account.ts';
import type { SubscriptionBilling } from '../evaluation/evaluate-subscription.ts';
import {
  DateQueue,
  type DryRunInvoice,
  type DryRunWalk,
  type DryRunWalkInput,
  eventDates,
  Walk,
} from './walk.ts';

/**
 * Selects the subscriptions whose next invoice was requested. The invoice contains everything that is due on its date
 * (§11).
 */
export type IsWatched = (subscription: SubscriptionBilling) => boolean;

/**
 * Walks to the first invoice on a due or event date of a watched subscription (§11, UPCOMING_INVOICE). Returns null if
 * no invoice follows. Dates of other subscriptions are evaluated as well, so the invoice contains only items that
 * earlier runs have not billed. `targetDate` of the input is not used.
 */
export function* walkToUpcomingInvoice(
  input: DryRunWalkInput,
  isWatched: IsWatched,
  nextItemId: () => Uuid,
): DryRunWalk {
  const walk = new UpcomingWalk(input, isWatched, nextItemId);
  for (const date of input.runDates ?? []) {
    const invoice = yield* walk.step(date);
    if (invoice !== null) return invoice;
  }
  return yield* walk.next();
}

/** The invoices after a change of a subscription. */
export interface InvoicesAfterChange {
  /** The invoice of the runs that the change starts immediately, or null if these runs create no invoice. */
  readonly dueNow: DryRunInvoice | null;
  /** The next invoice after the runs, or null if no invoice follows. */
  readonly next: DryRunInvoice | null;
  /** The account credit that the runs add. 0 if the runs add no credit. */
  readonly credit: Decimal;
}

/**
 * Walks to the invoice of the requested runs and on to the next invoice (§11.1).
 * @param isBilledNow true if the change starts a run immediately. Otherwise no invoice is due now.
 */
export function* walkAfterChange(
  input: DryRunWalkInput,
  isBilledNow: boolean,
  nextItemId: () => Uuid,
): DryRunWalk<InvoicesAfterChange> {
  const walk = new UpcomingWalk(input, null, nextItemId);
  const { runDates = [] } = input;
  let dueNow: DryRunInvoice | null = null;
  for (const date of isBilledNow ? runDates : []) dueNow = (yield* walk.step(date)) ?? dueNow;
  const credit = walk.credit.minus(input.state.accountCBA);
  let next: DryRunInvoice | null = null;
  for (const date of isBilledNow ? [] : runDates) next ??= yield* walk.step(date);
  next ??= yield* walk.next();
  return { dueNow, next, credit: credit.isNegative() ? ZERO : credit };
}

/** Walks over the dates on which something can be billed. */
class UpcomingWalk {
  readonly #walk: Walk;
  readonly #today: LocalDate;
  readonly #candidates: DateQueue;
  readonly #watchedIds: ReadonlySet<Uuid>;
  readonly #watchedEvents: DateQueue;
  readonly #areAllWatched: boolean;

  /**
   * @param isWatched returns true for a subscription whose dates can become the date of an invoice. Null allows every
   * date of the account.
   */
  constructor(input: DryRunWalkInput, isWatched: IsWatched | null, nextItemId: () => Uuid) {
    const subscriptions = input.subscriptions.filter(isWatched ?? (() => true));
    this.#walk = new Walk(input, nextItemId, foreseen);
    this.#today = input.today;
    this.#candidates = new DateQueue([...input.dueDates, ...eventDates(input)]);
    this.#watchedIds = new Set(subscriptions.map(({ subscriptionId }) => subscriptionId));
    this.#watchedEvents = new DateQueue(eventDates({ ...input, subscriptions }));
    this.#areAllWatched = isWatched === null;
  }

  /** The account's credit after the last step. */
  get credit(): Decimal {
    return this.#walk.credit;
  }

  /**
   * Returns the invoice of a date, or null if the date has no invoice, or is not a date of a watched subscription.
   */
  *step(date: LocalDate): DryRunWalk {
    const isEvent = this.#watchedEvents.take(date);
    const isOwnDate = isEvent || this.#areAllWatched || this.#walk.isAnyDue(this.#watchedIds, date);
    const invoice = yield* this.#walk.step(date);
    this.#candidates.add(this.#walk.dueDates);
    if (!isOwnDate || invoice === null) return null;
    if (this.#areAllWatched) return invoice;
    // A late run happens today, regardless of its date.
    return { ...invoice, targetDate: maxDate(this.#today, invoice.targetDate) };
  }

  /** Returns the first invoice of the remaining dates, or null if none of them has an invoice. */
  *next(): DryRunWalk {
    for (;;) {
      const date = this.#candidates.takeFirst();
      const isOver = this.#watchedEvents.isEmpty && !this.#walk.isAnyAwaited(this.#watchedIds);
      if (date === undefined || isOver) return null;
      const invoice = yield* this.step(date);
      if (invoice !== null) return invoice;
    }
  }
}

/**
 * Returns the run with only the dates on which something can be billed. Otherwise a subscription without usage would
 * have an endless series of dates (usage §7.5 rule 4).
 */
function foreseen(run: AccountRun): AccountRun {
  const evaluations = run.evaluations.map((evaluation) => ({
    ...evaluation,
    cursor: { ...evaluation.cursor, nextDueDate: evaluation.foreseenDate },
  }));
  return { ...run, evaluations, dueDates: evaluations.flatMap(({ foreseenDate }) => foreseenDate ?? []) };
}
