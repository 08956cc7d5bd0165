import { expect } from 'chai';
import type { CoverageRow, LifecycleEvent } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { formatLocalDate, type LocalDate } from '../../../lib/values/time/index.ts';
import type { LifeInvoices } from './life-invoices.ts';
import type { LifeRecords } from './life-records.ts';
import { offerOf, type Shelf } from './subscription-shelf.ts';

export interface RunAccount {
  readonly accountId: Uuid;
  readonly targetDate: LocalDate;
  readonly records: LifeRecords;
  readonly invoices: LifeInvoices;
}

/** Checks that add-ons are billed only while their base product offers them (subscriptions §12). */
export function checkAddOnsOffered(
  shelf: Shelf,
  { accountId, targetDate, records, invoices }: RunAccount,
): void {
  for (const addOn of records.ofAccount(accountId)) {
    const base = addOn.category === 'ADD_ON' ? records.baseOf(addOn) : undefined;
    // subscriptions §12 does not define which add-ons a base keeps after a change of the add-on itself.
    if (base === undefined || planChoices(records.eventsOf(addOn.id)).length > 1) continue;
    const choices = planChoices(records.eventsOf(base.id));
    for (const row of recurringRows(invoices, addOn.id)) {
      choices.forEach(({ effective, planName }, index) => {
        const until = choices[index + 1]?.effective.date ?? Number.POSITIVE_INFINITY;
        if (effective.date >= row.endDate || until <= row.startDate || until === effective.date) return;
        if (effective.date > targetDate) return;
        const offer = offerOf(shelf, planName ?? '', row.planName);
        if (offer !== 'AVAILABLE') {
          const days = [row.startDate, row.endDate].map(formatLocalDate).join('..');
          expect(offer, `${row.planName} is billed for ${days} beside ${planName}`).to.equal('AVAILABLE');
        }
      });
    }
  }
}

/** A transfer that ends billing on one account on the day it starts on the other. */
export interface HandOver {
  readonly left: readonly Uuid[];
  readonly begun: readonly Uuid[];
  readonly date: LocalDate;
}

/** Checks that no day is billed to both accounts once a run reaches the transfer (subscriptions §17.4 rules 2, 4). */
export function checkHandedOver(
  handOvers: readonly HandOver[],
  { accountId, targetDate, records, invoices }: RunAccount,
) {
  const own = new Set(records.ofAccount(accountId).map(({ id }) => id));
  const daysOf = (ids: readonly Uuid[], isWrong: (row: RecurringRow) => boolean): readonly string[] =>
    ids
      .filter((id) => own.has(id))
      .flatMap((id) => recurringRows(invoices, id).filter(isWrong))
      .map(({ startDate, endDate }) => [startDate, endDate].map(formatLocalDate).join('..'));
  for (const { left, begun, date } of handOvers) {
    const late = targetDate < date ? [] : daysOf(left, ({ endDate }) => endDate > date);
    const early = daysOf(begun, ({ startDate }) => startDate < date);
    if (late.length + early.length === 0) continue;
    expect({ late, early }, formatLocalDate(date)).to.eql({ late: [], early: [] });
  }
}

function planChoices(events: readonly LifecycleEvent[]): readonly LifecycleEvent[] {
  return events
    .filter(({ type }) => type === 'CREATE' || type === 'TRANSFER' || type === 'CHANGE')
    .toSorted((a, b) => a.effective.at - b.effective.at);
}

type RecurringRow = CoverageRow & { readonly endDate: LocalDate };

function recurringRows(invoices: LifeInvoices, subscriptionId: Uuid): readonly RecurringRow[] {
  return invoices
    .ledgerOf(subscriptionId)
    .rows.filter((row): row is RecurringRow => row.kind === 'RECURRING' && row.endDate !== null);
}
