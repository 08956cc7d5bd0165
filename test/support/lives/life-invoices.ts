import { expect } from 'chai';
import { billCycleDayToSet } from '../../../lib/invoicing/evaluation/billing-streams.ts';
import { findChargedThroughDates } from '../../../lib/invoicing/invoices/charged-through-date.ts';
import type { BillingEvent, InvoicingCursor, Subscription } from '../../../lib/records/index.ts';
import type { BillingEventStream } from '../../../lib/subscriptions/billing-stream/billing-event-stream.ts';
import { billingEvents } from '../../../lib/subscriptions/billing-stream/billing-event-stream.ts';
import type { TouchedDate } from '../../../lib/subscriptions/edits/subscription-edit.ts';
import { atReferenceTime } from '../../../lib/subscriptions/timeline/phase-timeline.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Decimal } from '../../../lib/values/money/index.ts';
import { addDays, type LocalDate, maxDate } from '../../../lib/values/time/index.ts';
import { SubscriptionLedger } from '../invoicing/subscription-ledger.ts';
import { adjustShare, checkAfterRun, checkAlignedPrices } from './invoicing-checks.ts';
import { given, type LifeRecords } from './life-records.ts';
import type { LifeScript } from './subscription-steps.ts';

interface Book {
  readonly ledger: SubscriptionLedger;
  readonly adjusted: Map<Uuid, Decimal>;
}

/** The invoices of a history, with one ledger per subscription. Every run is checked. */
export class LifeInvoices {
  readonly #script: LifeScript;
  readonly #records: LifeRecords;
  readonly #books = new Map<Uuid, Book>();

  constructor(script: LifeScript, records: LifeRecords) {
    this.#script = script;
    this.#records = records;
  }

  begin(cursor: InvoicingCursor): void {
    const { isGreedy, fixedDays } = this.#script;
    const config = { inArrearMode: isGreedy ? 'GREEDY' : 'DEFAULT', prorationFixedDays: fixedDays } as const;
    const ledger = new SubscriptionLedger({ subscriptionId: cursor.subscriptionId, config });
    ledger.cursor = cursor;
    this.#books.set(cursor.subscriptionId, { ledger, adjusted: new Map() });
  }

  ledgerOf(subscriptionId: Uuid): SubscriptionLedger {
    return this.#bookOf(subscriptionId).ledger;
  }

  touch(touched: readonly TouchedDate[]): void {
    for (const { subscriptionId, date } of touched) {
      const { ledger } = this.#bookOf(subscriptionId);
      ledger.change(ledger.events, date);
    }
  }

  adjust(subscriptionId: Uuid, share: { readonly index: number; readonly percent: number }): boolean {
    const { ledger, adjusted } = this.#bookOf(subscriptionId);
    return adjustShare(ledger, adjusted, share);
  }

  /** Voids the n-th invoice and recalculates the charged-through date. Returns false if the rules reject it. */
  void(subscriptionId: Uuid, index: number): boolean {
    const { ledger } = this.#bookOf(subscriptionId);
    const { accountId } = given(this.#records.subscriptions.get(subscriptionId));
    const ofAccount = this.#records.ofAccount(accountId);
    const held = this.#maxTargetDate(ofAccount);
    if (!ledger.void(index)) return false;
    const left = this.#maxTargetDate(ofAccount);
    if (left !== held) {
      const from = left === null ? null : addDays(left, 1);
      this.touch(
        ofAccount.map(({ id, alignStart }) => ({ subscriptionId: id, date: from ?? alignStart.date })),
      );
    }
    const [first, ...others] = ledger.rows.map(
      ({ itemId, endDate, startDate }) =>
        endDate ?? ledger.items.find(({ id }) => id === itemId)?.endDate ?? startDate,
    );
    this.#setChargedThrough(subscriptionId, first === undefined ? null : maxDate(first, ...others));
    return true;
  }

  /** Runs an account at a date, or at a later one that is already billed. @returns the dates of the next runs. */
  run(accountId: Uuid, wantedDate: LocalDate): readonly LocalDate[] {
    const subscriptions = this.#records.ofAccount(accountId);
    const targetDate = maxDate(wantedDate, this.#maxTargetDate(subscriptions) ?? wantedDate);
    const stream = this.#stream(accountId);
    const eventsOf = Map.groupBy(stream.events, ({ subscriptionId }) => subscriptionId);
    const due = subscriptions.flatMap(({ id }) => this.#runOne(id, eventsOf.get(id) ?? [], targetDate) ?? []);
    this.#checkEnds(subscriptions, stream);
    return due.filter((date) => date > targetDate);
  }

  #runOne(subscriptionId: Uuid, events: readonly BillingEvent[], targetDate: LocalDate) {
    const { ledger, adjusted } = this.#bookOf(subscriptionId);
    ledger.change(events);
    const before = ledger.items.length;
    if (!ledger.runIfDue(targetDate)) return null;
    const made = ledger.items.slice(before);
    if (this.#script.alignsPriceChanges) checkAlignedPrices(events);
    checkAfterRun({ ledger, adjusted, targetDate, isGreedy: this.#script.isGreedy });
    for (const date of findChargedThroughDates(made).values()) this.#setChargedThrough(subscriptionId, date);
    return ledger.cursor?.nextDueDate;
  }

  #bookOf(subscriptionId: Uuid): Book {
    return given(this.#books.get(subscriptionId));
  }

  #setChargedThrough(subscriptionId: Uuid, date: LocalDate | null): void {
    const subscription = given(this.#records.subscriptions.get(subscriptionId));
    const account = this.#records.accountOf(subscription);
    const chargedThrough = date === null ? null : atReferenceTime(date, account);
    this.#records.subscriptions.set(subscriptionId, { ...subscription, chargedThrough });
  }

  #maxTargetDate(subscriptions: readonly Subscription[]): LocalDate | null {
    const [first, ...others] = subscriptions.flatMap(({ id }) => this.#bookOf(id).ledger.maxTargetDate ?? []);
    return first === undefined ? null : maxDate(first, ...others);
  }

  /** Built as in a run, which sets a missing bill cycle day. */
  #stream(accountId: Uuid): BillingEventStream {
    const { accounts, catalog: plans } = this.#records;
    const account = given(accounts.get(accountId));
    const histories = this.#records.historiesOf(accountId);
    const parts = { histories, plans, alignPriceChanges: this.#script.alignsPriceChanges };
    const day = billCycleDayToSet({ account, ...parts });
    const billed = day === null ? account : { ...account, billCycleDayLocal: day };
    accounts.set(accountId, billed);
    return billingEvents({ account: billed, ...parts });
  }

  /** An add-on ends no later than its base. */
  #checkEnds(subscriptions: readonly Subscription[], { ends }: BillingEventStream): void {
    for (const { id, category, bundleId, alignStart } of subscriptions) {
      const base = category === 'ADD_ON' ? this.#records.baseOf({ bundleId }) : undefined;
      const end = base && ends.get(base.id);
      if (end === undefined) continue;
      const own = ends.get(id)?.at ?? Number.POSITIVE_INFINITY;
      expect(own, 'the end of an add-on whose base ends').to.be.at.most(Math.max(end.at, alignStart.at));
    }
  }
}
