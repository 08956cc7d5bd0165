import { expect } from 'chai';
import type { Account } from '../../lib/accounts/model.ts';
import { CatalogWithOverrides } from '../../lib/catalog/index.ts';
import { BillingError } from '../../lib/errors/index.ts';
import type { Uuid } from '../../lib/ids/index.ts';
import { accountBillCycleDay } from '../../lib/invoicing/account-bill-cycle-day.ts';
import { chargedThroughDates } from '../../lib/invoicing/charged-through-date.ts';
import { runTrigger } from '../../lib/invoicing/run-trigger.ts';
import { isDue } from '../../lib/invoicing/window.ts';
import type { Decimal } from '../../lib/money/index.ts';
import type { NewBusEvent } from '../../lib/queue/model.ts';
import { billCycleDaySources } from '../../lib/subscriptions/bill-cycle-sources.ts';
import { billingEvents } from '../../lib/subscriptions/billing-events.ts';
import { type BlockedObject, planBlock } from '../../lib/subscriptions/blocking-plan.ts';
import { type EditTools, planCancellation } from '../../lib/subscriptions/cancellation.ts';
import { decideChange, planChange } from '../../lib/subscriptions/change-of-plan.ts';
import { checkChangeRequest } from '../../lib/subscriptions/change-request.ts';
import { withDerivedPhases } from '../../lib/subscriptions/derived-phases.ts';
import { isMarker } from '../../lib/subscriptions/lifecycle-order.ts';
import type { BlockingState, LifecycleEvent, Subscription } from '../../lib/subscriptions/model.ts';
import { atReferenceTime, datedInstant, type RequestedDate } from '../../lib/subscriptions/requested-date.ts';
import type { RunningSubscription } from '../../lib/subscriptions/running-subscription.ts';
import { touchedBy, touchedDates } from '../../lib/subscriptions/save-edits.ts';
import { effectiveEvent } from '../../lib/subscriptions/subscription-bus-events.ts';
import type { SubscriptionEdit } from '../../lib/subscriptions/subscription-edit.ts';
import { planBillCycleDayChange, planQuantityChange } from '../../lib/subscriptions/terms-change.ts';
import { transitionsOf } from '../../lib/subscriptions/transitions.ts';
import { planUncancellation } from '../../lib/subscriptions/uncancellation.ts';
import { planUndoChange } from '../../lib/subscriptions/undo-change.ts';
import {
  addDays,
  type Instant,
  instant,
  type LocalDate,
  localDateOf,
  maxDate,
  parseLocalDate,
} from '../../lib/time/index.ts';
import { line, SubscriptionLedger } from '../unit/invoicing/subscription-ledger.ts';
import {
  account as accountOf,
  at,
  creationOf,
  type Life,
  nextId,
  workOf,
} from '../unit/subscriptions/example.ts';
import { adjustShare, checkAfterRun } from './invoicing-checks.ts';
import { catalogOf, planName } from './subscription-shelf.ts';
import type { AskedDay, LifeScript, LifeStep } from './subscription-steps.ts';

const msPerDay = 86_400_000;
const start = at('2024-01-01T00:00:00Z');
type PhaseName = 'TRIAL' | 'DISCOUNT' | 'EVERGREEN';

/**
 * One subscription with its queue and its invoices, lived through in memory by the rules that the engine decides by: what
 * calls store and withdraw, which days that touches, what falls due and which runs it asks for. Every run is checked.
 */
export class SubscriptionLife {
  readonly script: LifeScript;
  readonly ledger: SubscriptionLedger;
  readonly adjusted = new Map<Uuid, Decimal>();
  /** Calls that were accepted, by kind. */
  readonly accepted = new Map<string, number>();
  readonly #catalog: CatalogWithOverrides;
  readonly #bundle: Life['bundle'];
  #account: Account;
  #subscription: Subscription;
  /** Active and withdrawn ones, in the order of insertion. */
  #events: readonly LifecycleEvent[];
  #states: readonly BlockingState[];
  /** Queue: lifecycle events by id, runs by date. */
  readonly #dueEvents = new Map<Uuid, Instant>();
  readonly #dueRuns = new Map<LocalDate, Instant>();
  #now: Instant;
  #isAutomatic = true;

  constructor(script: LifeScript) {
    this.script = script;
    this.#now = instant(start + script.referenceSecond * 1_000);
    this.#account = {
      ...accountOf({ zone: script.zone, billCycleDayLocal: script.accountDay }),
      referenceTime: this.#now,
    };
    this.#catalog = new CatalogWithOverrides(catalogOf(script.shelf), []);
    const creation = creationOf({
      account: this.#account,
      catalog: catalogOf(script.shelf),
      request: {
        planName: this.#planAt(script.plan),
        billCycleDayLocal: script.billCycleDay,
        quantity: script.quantity,
      },
      options: { billingDate: this.#asked(script.billing) },
      now: this.#now,
    });
    if (creation.newBundle === null) throw new Error('a creation without found bundle makes one');
    this.#bundle = { ...creation.newBundle, recordId: 1 };
    this.#subscription = { ...creation.subscription, recordId: 1 };
    this.#events = creation.events.map((event, index) => ({ ...event, recordId: index + 1 }));
    this.#states = [{ ...creation.entitlementStart, recordId: 1 }];
    this.ledger = new SubscriptionLedger({
      config: {
        inArrearMode: script.isGreedy ? 'GREEDY' : 'DEFAULT',
        prorationFixedDays: script.fixedDays,
      },
    });
    this.ledger.cursor = creation.cursor;
    this.#tell(this.#events);
  }

  take(step: LifeStep): void {
    if (step.do === 'PASS') this.#pass(instant(this.#now + step.days * msPerDay + step.seconds * 1_000));
    else if (step.do === 'RUN') this.#run(addDays(this.#today, step.daysAhead));
    else if (step.do === 'ADJUST') adjustShare(this.ledger, this.adjusted, step);
    else if (step.do === 'VOID') this.#void(step.index);
    else if (step.do === 'AUTOMATIC') this.#switch(step.isOn);
    else if (step.do === 'ACCOUNT_DAY') this.#moveAccountDay(step.day);
    else if (step.do === 'BLOCK') this.#block(step);
    else this.#call(step);
  }

  #block(step: Extract<LifeStep, { do: 'BLOCK' }>): void {
    const [account, bundle, subscription] = [this.#account, this.#bundle, this.#subscription];
    const block = {
      object: { type: step.on, account, bundle, subscription } as BlockedObject,
      service: step.service,
      stateName: step.name,
      isBlockChange: false,
      isBlockEntitlement: false,
      isBlockBilling: step.isBlocked,
      effective: datedInstant(this.#asked(step.from), this.#now, account),
    };
    const active = this.#states.filter(({ isActive }) => isActive);
    const { added, withdrawn, billedOtherwiseFrom } = planBlock(active, block, { now: this.#now, nextId });
    if (added === null) return;
    this.#accepted(step.do);
    const ended = new Set(withdrawn.map(({ id }) => id));
    this.#states = [
      ...this.#states.map((state) => (ended.has(state.id) ? { ...state, isActive: false } : state)),
      { ...added, recordId: this.#states.length + 1 },
    ];
    if (billedOtherwiseFrom !== null) {
      this.ledger.change(this.ledger.events, billedOtherwiseFrom.date);
      if (billedOtherwiseFrom.at <= this.#now) this.#askRun(this.#today);
    }
    const { at: dueAt, date } = added.effective;
    if (dueAt > this.#now) this.#dueRuns.set(date, dueAt);
  }

  /** The date up to which it is charged, and that which holds later runs, follow from what is left. */
  #void(index: number): void {
    const { ledger } = this;
    if (!ledger.void(index)) return;
    this.#accepted('VOID');
    const [first, ...others] = ledger.rows.map(
      ({ itemId, endDate, startDate }) =>
        endDate ?? ledger.items.find(({ id }) => id === itemId)?.endDate ?? startDate,
    );
    const chargedThrough =
      first === undefined ? null : atReferenceTime(maxDate(first, ...others), this.#account);
    this.#subscription = { ...this.#subscription, chargedThrough };
  }

  #switch(isOn: boolean): void {
    this.#isAutomatic = isOn;
    this.#askRun(this.#today);
  }

  #accepted(call: string): void {
    this.accepted.set(call, (this.accepted.get(call) ?? 0) + 1);
  }

  /** What holds later runs: they do not look at less than those whose recurring charges stand (invoicing.md §1.5). */
  get #maxTargetDate(): LocalDate | null {
    const [first, ...others] = this.ledger.invoices
      .filter(({ items }) => items.some(({ itemType }) => itemType === 'RECURRING'))
      .map(({ targetDate }) => targetDate);
    return first === undefined ? null : maxDate(first, ...others);
  }

  get #today(): LocalDate {
    return localDateOf(this.#now, this.#account.timeZone);
  }

  #planAt(index: number): string {
    return planName(index % this.script.shelf.plans.length);
  }

  #asked(day: AskedDay): RequestedDate | null {
    if (day === null) return null;
    if (day.second === null) return { date: addDays(this.#today, day.days) };
    return {
      at: instant(
        start + (this.#today - parseLocalDate('2024-01-01') + day.days) * msPerDay + day.second * 1_000,
      ),
    };
  }

  /** A call that the rules refuse changes nothing. */
  #call(step: LifeStep): void {
    let edit: SubscriptionEdit;
    try {
      edit = this.#editOf(step);
    } catch (error) {
      if (error instanceof BillingError) return;
      throw error;
    }
    this.#accepted(step.do);
    this.#save(edit);
  }

  #editOf(step: LifeStep): SubscriptionEdit {
    const running = this.#running();
    const tools: EditTools = { now: this.#now, nextId };
    const withdrawn = this.#events.filter(({ isActive }) => !isActive);
    switch (step.do) {
      case 'CHANGE':
        return this.#changeOf(running, step, tools);
      case 'CANCEL':
        return planCancellation(
          running,
          {
            requestedDate: this.#asked(step.when),
            entitlementPolicy: step.service,
            billingPolicy: step.policy,
            useRequestedDateForBilling: step.isForBilling,
          },
          tools,
        ).edit;
      case 'UNCANCEL':
        return planUncancellation(running, withdrawn, tools);
      case 'UNDO':
        return planUndoChange(running, withdrawn, tools);
      case 'BILL_CYCLE_DAY':
        return planBillCycleDayChange(running, { day: step.day, from: this.#from(step) }, tools).edit;
      case 'QUANTITY':
        return planQuantityChange(running, { quantity: step.quantity, from: this.#from(step) }, tools).edit;
      default:
        throw new Error(`${step.do} is no call`);
    }
  }

  #from({ from, isForced }: { readonly from: AskedDay; readonly isForced: boolean }) {
    return { effectiveFromDate: this.#asked(from), allowPastDate: isForced };
  }

  #changeOf(
    running: RunningSubscription,
    step: Extract<LifeStep, { do: 'CHANGE' }>,
    tools: EditTools,
  ): SubscriptionEdit {
    const request = checkChangeRequest(
      {
        planName: this.#planAt(step.plan),
        phaseType: step.phaseType as PhaseName | null,
        billCycleDayLocal: step.billCycleDay,
        quantity: step.quantity,
      },
      { requestedDate: this.#asked(step.when), billingPolicy: step.policy },
    );
    const decided = decideChange(running, request, tools.now);
    return planChange(running, { request, decided, overridePlan: null }, tools).edit;
  }

  #running(): RunningSubscription {
    const events = this.#events.filter(({ isActive }) => isActive);
    const plans = this.#catalog;
    const transitions = transitionsOf(
      withDerivedPhases({ events, plans, zone: this.#account.timeZone }),
      plans,
    );
    const subscription = this.#subscription;
    const billCycleDays = billCycleDaySources([{ subscription, transitions }], this.#account).get(
      subscription.id,
    );
    if (billCycleDays === undefined) throw new Error('the subscription has no start');
    const blockingStates = this.#states.filter(({ isActive }) => isActive);
    return {
      account: this.#account,
      subscription,
      bundle: this.#bundle,
      events,
      transitions,
      blockingStates,
      billCycleDays,
      catalog: plans,
      baseEnd: null,
    };
  }

  #save(edit: SubscriptionEdit): void {
    const causes = new Map(edit.withdrawn.map(({ event, by }) => [event.id, by]));
    const restored = new Set(edit.restored.map(({ id }) => id));
    this.#events = this.#events.map((event) => {
      const by = causes.get(event.id);
      if (by !== undefined) return { ...event, isActive: false, deactivatedBy: by };
      return restored.has(event.id) ? { ...event, isActive: true, deactivatedBy: null } : event;
    });
    const ended = new Set(edit.withdrawnStates.map(({ id }) => id));
    this.#states = [
      ...this.#states.map((state) => (ended.has(state.id) ? { ...state, isActive: false } : state)),
      ...edit.addedStates.map((state) => ({ ...state, recordId: this.#states.length + 1 })),
    ];
    for (const { event } of edit.withdrawn) this.#dueEvents.delete(event.id);
    for (const { id, effective } of edit.restored) {
      if (effective.at > this.#now) this.#dueEvents.set(id, effective.at);
    }
    for (const { date } of touchedDates(edit)) this.ledger.change(this.ledger.events, date);
    this.#tell(this.#insert(edit.addedEvents));
  }

  #insert(events: SubscriptionEdit['addedEvents']): readonly LifecycleEvent[] {
    const stored = events.map((event, index) => ({ ...event, recordId: this.#events.length + index + 1 }));
    this.#events = [...this.#events, ...stored];
    return stored;
  }

  /** What is due is told at once, the rest is planned. */
  #tell(added: readonly LifecycleEvent[]): void {
    const due = added.filter(({ effective }) => effective.at <= this.#now);
    for (const { id, effective } of added) {
      if (effective.at > this.#now) this.#dueEvents.set(id, effective.at);
    }
    const last = due.findLast((event) => event.type !== 'EXPIRED' && !isMarker(event));
    const subject = { subscription: this.#subscription, bundle: this.#bundle };
    this.#hear(due.map((event) => effectiveEvent(subject, event, event === last)));
  }

  #hear(events: readonly NewBusEvent[]): void {
    for (const { type, payload } of events) {
      const trigger = runTrigger({ topic: type, payload });
      if (trigger.kind === 'run' && type !== 'SUBSCRIPTION_EXPIRED' && type !== 'SUBSCRIPTION_UNCANCEL')
        this.#askRun(trigger.targetDate ?? this.#today);
    }
  }

  /** What the queue does up to `until`, in the order of its dates. */
  #pass(until: Instant): void {
    for (;;) {
      const event = earliest(this.#dueEvents, until);
      const run = earliest(this.#dueRuns, until);
      if (event === undefined && run === undefined) break;
      if (event !== undefined && (run === undefined || event[1] <= run[1])) this.#workEvent(event, until);
      else if (run !== undefined) this.#workRun(run);
    }
    this.#now = until;
  }

  #workEvent([id, dueAt]: readonly [Uuid, Instant], now: Instant): void {
    this.#dueEvents.delete(id);
    this.#now = dueAt;
    const events = this.#events.filter(({ isActive }) => isActive);
    const event = events.find((each) => each.id === id);
    if (event === undefined) return;
    const { addedEvents, busEvents } = workOf(
      {
        account: this.#account,
        catalog: catalogOf(this.script.shelf),
        bundle: this.#bundle,
        subscription: this.#subscription,
        events,
        blockingStates: this.#states,
        now: this.#now,
      },
      event,
      now,
    );
    for (const added of this.#insert(addedEvents)) {
      this.#dueEvents.set(added.id, added.effective.at);
      this.ledger.change(this.ledger.events, touchedBy(added).date);
    }
    this.#hear(busEvents);
  }

  #workRun([date, dueAt]: readonly [LocalDate, Instant]): void {
    this.#dueRuns.delete(date);
    this.#now = dueAt > this.#now ? dueAt : this.#now;
    this.#askRun(date);
  }

  #askRun(date: LocalDate): void {
    if (this.#isAutomatic) this.#run(date);
  }

  #moveAccountDay(day: number): void {
    const before = this.#account.billCycleDayLocal;
    if (before === day) return;
    this.#account = { ...this.#account, billCycleDayLocal: day };
    if (before === 0) return;
    this.ledger.change(this.ledger.events, this.#subscription.alignStart.date);
    this.#askRun(this.#today);
  }

  #run(asked: LocalDate): void {
    const held = this.#maxTargetDate;
    const targetDate = held === null ? asked : maxDate(asked, held);
    const { ledger } = this;
    ledger.change(this.#stream());
    const { events, cursor, config } = ledger;
    const { inArrearMode } = config;
    if (!isDue({ events, cursor, targetDate, inArrearMode })) {
      const lookedAt = lookedAtUpTo(cursor, targetDate);
      expect(ledger.evaluateWhole(lookedAt).items.map(line), 'nothing is due').to.deep.equal([]);
      return;
    }
    const before = ledger.items.length;
    ledger.run(targetDate);
    const made = ledger.items.slice(before);
    checkAfterRun({ ledger, adjusted: this.adjusted, targetDate, isGreedy: this.script.isGreedy });
    for (const date of chargedThroughDates(made).values()) {
      this.#subscription = { ...this.#subscription, chargedThrough: atReferenceTime(date, this.#account) };
    }
    const next = ledger.cursor?.nextDueDate ?? null;
    if (next !== null && next > targetDate) this.#dueRuns.set(next, atReferenceTime(next, this.#account).at);
  }

  /** As a run builds it: with the day that it gives an account without one. */
  #stream() {
    const histories = [
      {
        subscription: this.#subscription,
        events: this.#events.filter(({ isActive }) => isActive),
        blockingStates: this.#states.filter(({ isActive }) => isActive),
      },
    ];
    const build = () =>
      billingEvents({
        account: this.#account,
        histories,
        plans: this.#catalog,
        alignPriceChanges: this.script.alignsPriceChanges,
      }).events;
    const first = build();
    const day = this.#account.billCycleDayLocal === 0 ? accountBillCycleDay(first) : null;
    if (day === null) return first;
    this.#account = { ...this.#account, billCycleDayLocal: day };
    return build();
  }
}

/** What is not due may have been looked at up to a later date already, by a run ahead that has charged nothing. */
function lookedAtUpTo(cursor: SubscriptionLedger['cursor'], targetDate: LocalDate): LocalDate {
  if (cursor?.nextDueDate != null) return addDays(cursor.nextDueDate, -1);
  return maxDate(targetDate, cursor?.settledThrough ?? targetDate);
}

function earliest<K>(due: ReadonlyMap<K, Instant>, until: Instant): readonly [K, Instant] | undefined {
  let first: readonly [K, Instant] | undefined;
  for (const entry of due) {
    if (entry[1] <= until && (first === undefined || entry[1] < first[1])) first = entry;
  }
  return first;
}
