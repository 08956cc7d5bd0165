import { expect } from 'chai';
import type { Instant, TenantBilling, Uuid } from '../../lib/index.ts';
import { BillingError, ErrorCode, formatDecimal, formatInstant, instant } from '../../lib/index.ts';
import type { TestEngine } from '../support/engine.ts';
import type { InvoiceItemView, InvoiceView } from '../support/plain-views.ts';
import type { BilledEntry } from '../support/usage-oracle/billed-record.ts';
import { dateText, dayAt, dayOf } from '../support/usage-oracle/calendar.ts';
import { billionths } from '../support/usage-oracle/oracle-price.ts';
import { type PlainItem, plainItems } from '../support/usage-oracle/plain-items.ts';
import type { OwedInterval } from '../support/usage-oracle/settled-items.ts';
import { historyOf } from '../support/usage-oracle/stored-history.ts';
import type { OracleSettings } from '../support/usage-oracle/usage-facts.ts';
import type { Owed, UsageOracle } from '../support/usage-oracle/usage-oracle.ts';
import { type OpenTables, openTables, type StoredRow } from './books.ts';
import { chargedTwice } from './charged-once.ts';

export interface MeteredCustomer {
  readonly acme: TenantBilling;
  readonly accountId: Uuid;
  readonly zone: string;
  readonly billCycleDay: number;
  readonly settings: OracleSettings;
  readonly subscriptions: MeteredSubscription[];
  readonly seen: Set<Uuid>;
  /** Whether a tag disables automatic runs. */
  isOff: boolean;
  /** Whether an invoice was voided since the last run, so that no other run follows automatically. */
  isVoided: boolean;
}

export interface MeteredSubscription {
  readonly id: Uuid;
  readonly bundleId: Uuid;
  readonly oracle: UsageOracle;
  readonly trackingIds: string[];
  readonly entries: Map<Uuid, BilledEntry>;
}

/** Histories played by the engine, with an oracle for their usage charges. */
export class UsageTown {
  readonly engine: TestEngine;
  readonly customers: MeteredCustomer[] = [];
  readonly agreed = { usage: 0, credits: 0, late: 0 };
  readonly #tables: OpenTables;
  #silent = 0;

  private constructor(engine: TestEngine, tables: OpenTables) {
    this.engine = engine;
    this.#tables = tables;
  }

  static async found(engine: TestEngine): Promise<UsageTown> {
    return new UsageTown(engine, await openTables(engine.database));
  }

  close(): Promise<void> {
    return this.#tables.close();
  }

  todayOf({ zone }: MeteredCustomer): number {
    return dayAt(this.engine.clock.now(), zone);
  }

  /** Completes due work and compares it. If zero items are dropped, requests a run, since it may leave no invoice. */
  async settle(): Promise<void> {
    await this.engine.settle();
    for (const { acme, accountId, settings, isOff } of this.customers) {
      if (settings.dropsZeroItems && !isOff)
        await acme.invoices.generate({ accountId }).catch(ignoreNothingToDo);
    }
    await this.engine.settle();
    await this.audit();
  }

  /** Moves the clock. If zero items are dropped, stops at each run, since it may leave no invoice. */
  async passTo(until: Instant): Promise<void> {
    const { clock } = this.engine;
    for (;;) {
      const due = await this.#nextSilentRun(until);
      if (due === null) break;
      clock.set(formatInstant(due));
      await this.engine.settle();
      await this.audit(this.customers, { isRequested: false });
    }
    clock.set(formatInstant(until));
    await this.settle();
  }

  /** The next due time of accounts whose zero items are dropped; null = none up to then. */
  async #nextSilentRun(until: Instant): Promise<Instant | null> {
    const { clock } = this.engine;
    const rows = await this.#tables.rows(
      `select accounts.id as account, min(entries.effective_date) as due
       from bw_queue_entries entries join bw_accounts accounts on accounts.record_id = entries.account_record_id
       where entries.kind = 'NOTIFICATION' and entries.effective_date > ${clock.now()}
         and entries.effective_date <= ${until} group by accounts.id`,
    );
    const silent = new Set<string>(
      this.customers.filter(({ settings }) => settings.dropsZeroItems).map(({ accountId }) => accountId),
    );
    const dates = rows.flatMap(({ account, due }) => (silent.has(account ?? '') ? [Number(due)] : []));
    return dates.length === 0 ? null : instant(Math.min(...dates));
  }

  async audit(
    customers: readonly MeteredCustomer[] = this.customers,
    { through = 0, isRequested = true }: ProposedRun = {},
  ): Promise<void> {
    const events = await this.#tables.rows('select * from bw_subscription_events where is_active');
    const blocks = await this.#tables.rows('select * from bw_blocking_states where is_active');
    for (const customer of customers) {
      this.#update(customer, events, blocks);
      await this.#auditOne(customer, { through, isRequested });
    }
  }

  #update(customer: MeteredCustomer, events: readonly StoredRow[], blocks: readonly StoredRow[]): void {
    const { zone, billCycleDay, accountId } = customer;
    for (const { id, bundleId, oracle } of customer.subscriptions) {
      const about: readonly string[] = [id, bundleId, accountId];
      oracle.events = historyOf({
        events: events.filter((row) => row.subscription_id === id),
        blocks: blocks.filter(
          (row) => row.service !== 'entitlement-service' && about.includes(row.blocked_id ?? ''),
        ),
        zone,
        billCycleDay,
      });
    }
  }

  async #auditOne(customer: MeteredCustomer, { through, isRequested }: Required<ProposedRun>): Promise<void> {
    const invoices = await invoicesOf(customer);
    const isOfUsage = new Set(
      invoices.flatMap(({ items }) => items).flatMap((item) => (item.itemType === 'USAGE' ? [item.id] : [])),
    );
    for (const invoice of invoices) {
      if (customer.seen.has(invoice.id)) continue;
      customer.seen.add(invoice.id);
      customer.isVoided = false;
      this.#auditInvoice(customer, invoice, isOfUsage);
    }
    const isRun = !customer.isOff && (!customer.isVoided || customer.settings.dropsZeroItems);
    if (!isRun && through === 0) return;
    await this.#auditRest(customer, { through: Math.max(through, latestTarget(invoices)), isRequested });
  }

  #auditInvoice(customer: MeteredCustomer, invoice: InvoiceView, isOfUsage: ReadonlySet<Uuid>): void {
    if (invoice.targetDate === null) throw new Error('a run has a target date');
    const target = dayOf(invoice.targetDate);
    const owed = customer.subscriptions.map((one) => ({ one, owed: one.oracle.owed(target) }));
    const items = invoice.items.filter(
      ({ id, linkedItemId }) => isOfUsage.has(id) || (linkedItemId !== null && isOfUsage.has(linkedItemId)),
    );
    const context = () => this.#context(customer, invoice);
    for (const { one, owed: due } of owed) {
      const own = items.filter((item) => subscriptionOf(item, customer) === one);
      // A credit names its original item and no usage.
      const expected = plainItems(due).map((item) =>
        item.credits === undefined ? item : { ...item, usage: '' },
      );
      const plain = own.map((item) => plainItem(item, one));
      if (!same(plain, expected)) expect(plain, context()).to.eql(expected);
      one.oracle.bill(due, { run: invoice.id, hasInvoice: true, at: invoice.createdDate.getTime() });
      const entries = due.intervals.flatMap((interval) => interval.items.map(({ entry }) => entry));
      for (const [index, item] of own.entries()) {
        const entry = entries[index];
        if (entry === undefined) continue;
        one.entries.set(item.id, entry);
        if (item.linkedItemId !== null)
          expect(one.entries.get(item.linkedItemId), 'the credited item').to.equal(entry.of);
      }
      this.#count(due);
    }
    const trackingIds = [...new Set(owed.flatMap(({ owed: due }) => due.trackingIds))].sort();
    expect([...invoice.trackingIds].sort(), `tracking ids, ${context()}`).to.eql(
      invoice.status === 'VOID' ? [] : trackingIds,
    );
  }

  /** Compares data stored without an invoice, and checks that all ended usage is billed. */
  async #auditRest(
    customer: MeteredCustomer,
    { through, isRequested }: Required<ProposedRun>,
  ): Promise<void> {
    const target = Math.max(this.todayOf(customer), through);
    const isSure = customer.settings.dropsZeroItems && isRequested;
    const isStored = isSure ? () => true : await this.#silentlyStored();
    for (const { id, oracle } of customer.subscriptions) {
      const owed = oracle.owed(target);
      const unbilled = owed.intervals.filter(({ previous }) => previous.length === 0);
      const missing = unbilled.filter(
        ({ items, interval }) => items.length > 0 && interval.end.at < this.engine.clock.now() - DAY_MS,
      );
      if (missing.length > 0 && !customer.isVoided) {
        const plain = plainItems({ ...owed, intervals: missing });
        expect(plain, `is not billed, ${this.#context(customer, null)}`).to.eql([]);
      }
      this.#silent += 1;
      const silent = unbilled.filter((interval) => interval.items.length === 0 && isStored(id, interval));
      const run = { run: `silent ${this.#silent}`, hasInvoice: false, at: this.engine.clock.now() };
      oracle.bill({ ...owed, intervals: silent }, run);
      if (!customer.isVoided) expect(chargedTwice(oracle), this.#context(customer, null)).to.eql([]);
    }
  }

  async #silentlyStored() {
    const rows = await this.#tables.rows(
      `select subscription_id, usage_name, starts_at, ends_at from bw_usage_intervals where invoice_id is null`,
    );
    const stored = new Set(
      rows.map(({ subscription_id: id, usage_name: name, starts_at: start, ends_at: end }) =>
        [id, name, start, end].join(' '),
      ),
    );
    return (id: Uuid, { run, interval }: OwedInterval) =>
      stored.has([id, run.section.name, interval.start.at, interval.end.at].join(' '));
  }

  #count({ intervals }: Owed): void {
    for (const { items, previous } of intervals) {
      const credits = items.filter(({ entry }) => entry.of !== null).length;
      this.agreed.usage += items.length - credits;
      this.agreed.credits += credits;
      if (previous.length > 0) this.agreed.late += items.length;
    }
  }

  #context(customer: MeteredCustomer, invoice: InvoiceView | null): string {
    const about = customer.subscriptions.map(({ oracle }) => ({
      events: oracle.events.map(({ at, billing, billCycleDay, sections }) =>
        [
          new Date(at).toISOString(),
          billing,
          billCycleDay,
          ...sections.map(({ name, prices }) => `${name} ${prices}`),
        ].join(' '),
      ),
      points: oracle.points.map(({ unit, at, isOfDay, amount, trackingId, isVoid }) =>
        [
          new Date(at).toISOString(),
          isOfDay ? 'day' : '',
          Number(amount) / 1e9,
          unit,
          trackingId,
          isVoid ? 'void' : '',
        ].join(' '),
      ),
      billed: oracle.billed.map(({ usageName, start, end, points, entries, invoice: of }) =>
        [
          usageName,
          dateText(start.day),
          dateText(end.day),
          new Date(start.at).toISOString(),
          new Date(end.at).toISOString(),
          entries.map(({ amount }) => Number(amount) / 1e9).join('+'),
          `points ${[...points].map(({ trackingId }) => trackingId).join(',')}`,
          of,
        ].join(' '),
      ),
    }));
    return JSON.stringify(
      {
        now: new Date(this.engine.clock.now()).toISOString(),
        invoice: invoice && [
          invoice.invoiceNumber,
          invoice.targetDate && invoice.targetDate,
          invoice.items.map(({ itemType, usageName, startDate, endDate, amount }) =>
            [itemType, usageName, startDate && startDate, endDate && endDate, formatDecimal(amount)].join(
              ' ',
            ),
          ),
        ],
        zone: customer.zone,
        settings: customer.settings,
        about,
      },
      null,
      1,
    );
  }
}

interface ProposedRun {
  /** Date of a run without an invoice, or 0. */
  readonly through?: number;
  /** Whether a run was just requested because zero items are dropped. */
  readonly isRequested?: boolean;
}

const DAY_MS = 86_400_000;

export function ignoreNothingToDo(error: unknown): void {
  if (!(error instanceof BillingError) || error.code !== ErrorCode.INVOICE_NOTHING_TO_DO) throw error;
}

export async function invoicesOf({ acme, accountId }: MeteredCustomer): Promise<readonly InvoiceView[]> {
  const all = await acme.invoices.ofAccount({ accountId, withItems: true, includeVoided: true });
  return all.toSorted((a, b) => a.invoiceNumber - b.invoiceNumber);
}

/** No run reads before this date (usage §6). */
function latestTarget(invoices: readonly InvoiceView[]): number {
  const counted = invoices.filter(
    ({ status, items }) =>
      status !== 'VOID' && items.some(({ itemType }) => itemType === 'USAGE' || itemType === 'RECURRING'),
  );
  return Math.max(0, ...counted.map(({ targetDate }) => (targetDate === null ? 0 : dayOf(targetDate))));
}

/** A credit names its subscription, or its original item does. */
function subscriptionOf(
  { subscriptionId, linkedItemId }: InvoiceItemView,
  { subscriptions }: MeteredCustomer,
): MeteredSubscription | undefined {
  return subscriptions.find(
    ({ id, entries }) => id === subscriptionId || (linkedItemId !== null && entries.has(linkedItemId)),
  );
}

export function plainItem(item: InvoiceItemView, { entries }: MeteredSubscription): PlainItem {
  const { usageName, startDate, endDate, amount, rate, quantity, itemDetails, linkedItemId } = item;
  const credited = linkedItemId === null ? undefined : entries.get(linkedItemId);
  return {
    usage: usageName ?? '',
    from: startDate === null ? '' : startDate,
    to: endDate === null ? '' : endDate,
    amount: formatDecimal(amount),
    rate: rate === null ? null : formatDecimal(rate),
    quantity: quantity === null ? null : formatDecimal(quantity),
    details: JSON.parse(itemDetails ?? 'null'),
    ...(credited === undefined ? {} : { credits: formatCents(credited.amount) }),
  };
}

function formatCents(amount: bigint): string {
  return String(Number(amount) / Number(billionths('1')));
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
