import { runTrigger } from '../../../lib/invoicing/evaluation/run-entries.ts';
import type { Account, NewBusEvent, Subscription } from '../../../lib/records/index.ts';
import { BlockingStateType, ProductCategory } from '../../../lib/records/index.ts';
import { type BlockedObject, planState } from '../../../lib/subscriptions/blocking/blocked-time.ts';
import { dueWork } from '../../../lib/subscriptions/edits/due-work.ts';
import type {
  CreateSubscriptionOptions,
  CreateSubscriptionRequest,
} from '../../../lib/subscriptions/requests/create-request.ts';
import type { EditTools } from '../../../lib/subscriptions/timeline/lifecycle-events.ts';
import { atReferenceTime, datedInstant } from '../../../lib/subscriptions/timeline/phase-timeline.ts';
import { BillingError } from '../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { addDays, type Instant, instant, type LocalDate } from '../../../lib/values/time/index.ts';
import { account as accountOf, nextId } from '../subscriptions/example.ts';
import { checkAddOnsOffered, checkHandedOver, type HandOver } from './bundle-checks.ts';
import { isPriceChange } from './invoicing-history.ts';
import { creationOf, editsOf, transferOf } from './life-edits.ts';
import { LifeInvoices } from './life-invoices.ts';
import {
  type DueEntry,
  given,
  LifeRecords,
  lifeStart,
  requestedDateOf,
  type Stored,
  todayOf,
} from './life-records.ts';
import { addOnName, planName } from './subscription-shelf.ts';
import type {
  AddOnCall,
  BlockStep,
  LifeCall,
  LifeScript,
  LifeStep,
  TransferCall,
} from './subscription-steps.ts';

const msPerDay = 86_400_000;
const LONG_PERIODS: readonly string[] = ['QUARTERLY', 'ANNUAL'];

interface DueRun {
  readonly accountId: Uuid;
  readonly date: LocalDate;
  readonly at: Instant;
}

/** A base with its add-ons, played in memory by the rules of the engine. Every run is checked. */
export class SubscriptionLife {
  readonly script: LifeScript;
  readonly records: LifeRecords;
  readonly invoices: LifeInvoices;
  readonly counts = new Map<string, number>();
  readonly #handOvers: HandOver[] = [];
  readonly #dueRuns = new Map<string, DueRun>();
  #now: Instant;
  #isAutomatic = true;

  constructor(script: LifeScript) {
    this.script = script;
    this.#now = instant(lifeStart + script.referenceSecond * 1_000);
    const accounts = [
      { zone: script.zone, billCycleDayLocal: script.accountDay },
      { zone: script.otherZone, billCycleDayLocal: script.otherDay },
    ].map((parts, index) => ({ ...accountOf(parts), recordId: index + 1, referenceTime: this.#now }));
    this.records = new LifeRecords(script.shelf, accounts);
    this.invoices = new LifeInvoices(script, this.records);
    const account = given(accounts[0]);
    this.#create(
      {
        accountId: account.id,
        planName: planName(script.plan % script.shelf.plans.length),
        billCycleDayLocal: script.billCycleDay,
        quantity: script.quantity,
      },
      { billingDate: requestedDateOf(script.billing, account, this.#now) },
    );
  }

  take(step: LifeStep): void {
    switch (step.do) {
      case 'PASS':
        this.#pass(instant(this.#now + step.days * msPerDay + step.seconds * 1_000));
        break;
      case 'AUTOMATIC':
        this.#switch(step.isOn);
        break;
      case 'RUN':
        this.#runAhead(this.#account(step.subject), step.daysAhead);
        break;
      case 'ADJUST':
        if (this.invoices.adjust(this.#subject(step.subject).id, step)) this.#count(step.do);
        break;
      case 'VOID':
        if (this.invoices.void(this.#subject(step.subject).id, step.index)) this.#count(step.do);
        break;
      case 'ACCOUNT_DAY':
        this.#moveAccountDay(this.#account(step.subject), step.day);
        break;
      case 'BLOCK':
        this.#block(step);
        break;
      default:
        this.#call(step);
    }
  }

  end(): void {
    this.take({ do: 'AUTOMATIC', isOn: true });
    this.take({ do: 'PASS', days: 62, seconds: 0 });
    for (const { id, category } of this.records.subscriptions.values()) {
      const { items } = this.invoices.ledgerOf(id);
      const [first] = this.records.eventsOf(id);
      if (items.some(({ itemType }) => itemType === 'REPAIR_ADJ')) this.#count('repaired');
      if (items.length === 0) continue;
      this.#countSplits(id);
      if (category === ProductCategory.ADD_ON) this.#count('billed add-on');
      if (first?.type === 'TRANSFER') this.#count('billed after a transfer');
    }
  }

  /** Counts billed seat and price changes within a period longer than a month. */
  #countSplits(id: Uuid): void {
    const { events, cursor } = this.invoices.ledgerOf(id);
    const long = events.filter(
      ({ billingPeriod, localDate, cycleStart }) =>
        LONG_PERIODS.includes(billingPeriod) &&
        cycleStart < localDate &&
        localDate < (cursor?.settledThrough ?? localDate),
    );
    if (long.some(({ transitionType }) => transitionType === 'QUANTITY_CHANGE'))
      this.#count('seats of a long period');
    if (long.some(isPriceChange)) this.#count('price of a long period');
  }

  /** A rejected call changes nothing. */
  #call(call: LifeCall): void {
    try {
      this.#make(call);
    } catch (error) {
      if (!(error instanceof BillingError)) throw error;
      return;
    }
    this.#count(call.do);
  }

  #make(call: LifeCall): void {
    if (call.do === 'ADD_ON') this.#addOn(call);
    else if (call.do === 'TRANSFER') this.#transfer(call);
    else {
      const { id, bundleId } = this.#subject(call.subject);
      const bundle = this.records.runningIn(bundleId);
      const running = given(bundle.find(({ subscription }) => subscription.id === id));
      const { records } = this;
      const edits = editsOf(call, { running, bundle, shelf: this.script.shelf, records, tools: this.#tools });
      const [, ...followed] = edits;
      if (followed.some(({ addedEvents }) => addedEvents.length > 0)) this.#count('add-on ended at once');
      this.#store(records.saveEdits(edits, this.#now));
    }
  }

  #create(request: CreateSubscriptionRequest, options: CreateSubscriptionOptions): readonly Subscription[] {
    const { records } = this;
    const { bundles, late } = creationOf(request, options, { records, tools: this.#tools });
    const creations = bundles.flatMap((bundle) => bundle.creations);
    for (const { cursor } of creations) this.invoices.begin(cursor);
    const created = records.saveCreations(bundles, this.#now);
    if (late.length > 0) this.#count('add-on created after its end');
    const ended = records.saveEdits(late, this.#now);
    this.#store({ busEvents: [...created.busEvents, ...ended.busEvents], touched: ended.touched });
    return creations.map(({ subscription }) => given(records.subscriptions.get(subscription.id)));
  }

  #addOn({ plan, service, billing, billCycleDay, quantity }: AddOnCall): void {
    const { bundleId, accountId } = this.#last();
    const account = this.records.accountOf({ accountId });
    const made = this.#create(
      {
        accountId,
        bundleId,
        planName: addOnName(plan % this.script.shelf.addOns.length),
        billCycleDayLocal: billCycleDay,
        quantity,
      },
      {
        entitlementDate: requestedDateOf(service, account, this.#now),
        billingDate: requestedDateOf(billing, account, this.#now),
      },
    );
    const today = todayOf(account, this.#now);
    if (made.some(({ alignStart }) => alignStart.date < today)) this.#count('ADD_ON in the past');
  }

  #transfer(call: TransferCall): void {
    const { records } = this;
    const { plan, handOver } = transferOf(call, this.#last(), { records, tools: this.#tools });
    for (const { cursor } of plan.begun.creations) this.invoices.begin(cursor);
    if (handOver !== null) this.#handOvers.push(handOver);
    const ended = records.saveEdits(plan.ends, this.#now);
    const begun = records.saveCreations([plan.begun], this.#now);
    this.#store({
      busEvents: [...ended.busEvents, ...begun.busEvents],
      touched: [...ended.touched, ...begun.touched],
    });
  }

  #block(step: BlockStep): void {
    const { records } = this;
    const subscription = this.#subject(step.subject);
    const account = records.accountOf(subscription);
    const bundle = given(records.bundles.get(subscription.bundleId));
    const block = {
      object: { type: step.on, account, bundle, subscription } as BlockedObject,
      service: step.service,
      stateName: step.name,
      isBlockChange: false,
      isBlockEntitlement: false,
      isBlockBilling: step.isBlocked,
      effective: datedInstant(requestedDateOf(step.from, account, this.#now), this.#now, account),
    };
    const below = {
      [BlockingStateType.ACCOUNT]: () => [account.id, records.ofAccount(account.id)] as const,
      [BlockingStateType.SUBSCRIPTION_BUNDLE]: () => [bundle.id, records.ofBundle(bundle.id)] as const,
      [BlockingStateType.SUBSCRIPTION]: () => [subscription.id, [subscription]] as const,
    };
    const [blockedId, blocked] = below[step.on]();
    const active = records.statesOf(blockedId);
    const { added, withdrawn, billedOtherwiseFrom } = planState(active, block, this.#tools);
    if (added === null) return;
    this.#count(step.do);
    records.withdrawStates(withdrawn);
    records.insertStates([added], this.#now);
    if (billedOtherwiseFrom === null) return;
    const { date } = billedOtherwiseFrom;
    this.invoices.touch(blocked.map(({ id: subscriptionId }) => ({ subscriptionId, date })));
    if (billedOtherwiseFrom.at <= this.#now) this.#requestRun(account.id, todayOf(account, this.#now));
  }

  #moveAccountDay(account: Account, day: number): void {
    const before = account.billCycleDayLocal;
    if (before === day) return;
    this.records.accounts.set(account.id, { ...account, billCycleDayLocal: day });
    if (before === 0) return;
    this.#count('ACCOUNT_DAY');
    const starts = this.records.ofAccount(account.id);
    this.invoices.touch(starts.map(({ id, alignStart }) => ({ subscriptionId: id, date: alignStart.date })));
    this.#requestRun(account.id, todayOf(account, this.#now));
  }

  #switch(isOn: boolean): void {
    this.#isAutomatic = isOn;
    for (const account of this.records.accounts.values())
      this.#requestRun(account.id, todayOf(account, this.#now));
  }

  #store({ busEvents, touched }: Stored): void {
    this.invoices.touch(touched);
    this.#hear(busEvents);
  }

  #hear(events: readonly NewBusEvent[]): void {
    for (const { type, payload } of events) {
      if (type === 'SUBSCRIPTION_EXPIRED' || type === 'SUBSCRIPTION_UNCANCEL') continue;
      const trigger = runTrigger({ topic: type, payload });
      const account = given(this.records.accounts.get(payload.accountId as Uuid));
      if (trigger.kind === 'run')
        this.#requestRun(account.id, trigger.targetDate ?? todayOf(account, this.#now));
    }
  }

  /** Processes the queue up to `until`, in date order. */
  #pass(until: Instant): void {
    for (;;) {
      const entry = earliest(this.records.due, until);
      const run = earliest(this.#dueRuns, until);
      if (entry !== undefined && (run === undefined || entry[1].at <= run[1].at)) {
        this.records.due.delete(entry[0]);
        this.#work(entry[1], until);
      } else if (run !== undefined) {
        this.#dueRuns.delete(run[0]);
        const { at: dueAt, accountId, date } = run[1];
        this.#now = dueAt > this.#now ? dueAt : this.#now;
        this.#requestRun(accountId, date);
      } else break;
    }
    this.#now = until;
  }

  #work({ item, at: dueAt }: DueEntry, now: Instant): void {
    this.#now = dueAt > this.#now ? dueAt : this.#now;
    const work = dueWork(item, this.records.dueFacts(), { now, nextId });
    if (work.addOnEnds.length > 0) this.#count('add-on ended when due');
    this.#store(this.records.saveWork(work, now));
  }

  #requestRun(accountId: Uuid, date: LocalDate): void {
    if (this.#isAutomatic) this.#run(accountId, date);
  }

  #runAhead(account: Account, days: number): void {
    this.#run(account.id, addDays(todayOf(account, this.#now), days));
  }

  #run(accountId: Uuid, requested: LocalDate): void {
    const account = given(this.records.accounts.get(accountId));
    for (const date of this.invoices.run(accountId, requested)) {
      this.#dueRuns.set(`${accountId} ${date}`, { accountId, date, at: atReferenceTime(date, account).at });
    }
    const { records, invoices } = this;
    const run = { accountId, targetDate: requested, records, invoices };
    checkAddOnsOffered(this.script.shelf, run);
    checkHandedOver(this.#handOvers, run);
  }

  get #tools(): EditTools {
    return { now: this.#now, nextId };
  }

  #subject(index: number): Subscription {
    const all = [...this.records.subscriptions.values()];
    return given(all[index % all.length]);
  }

  #account(subject: number): Account {
    return this.records.accountOf(this.#subject(subject));
  }

  #last(): Subscription {
    return given([...this.records.subscriptions.values()].at(-1));
  }

  #count(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }
}

function earliest<E extends { readonly at: Instant }>(due: ReadonlyMap<string, E>, until: Instant) {
  let first: readonly [string, E] | undefined;
  for (const entry of due) {
    if (entry[1].at <= until && (first === undefined || entry[1].at < first[1].at)) first = entry;
  }
  return first;
}
