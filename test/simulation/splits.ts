import { ofCounted } from './amounts.ts';
import { type Books, by, dayNumber, type StoredRow } from './books.ts';
import type { Invariant } from './invariant.ts';

/** Ruling R54: regardless of later catalog prices. */
export const fixedOnce: Invariant = {
  name: 'the fixed price of a phase is billed once',
  breaches: ({ books }) => {
    const fixed = ofCounted(books).filter(
      ({ item_type: type, subscription_id: id }) => type === 'FIXED' && id !== null,
    );
    const groups = Map.groupBy(
      fixed,
      ({ subscription_id: id, plan_name: plan, phase_name: phase, start_date: start }) =>
        `${phase} of ${plan} on ${start}, subscription ${id}`,
    );
    return [...groups].flatMap(([what, rows]) =>
      rows.length > 1 ? [`${what}: ${rows.map(({ amount }) => amount).join(' and ')}`] : [],
    );
  },
};

/** Ruling R55, from the items alone, without cycle dates. */
export const splitsLeaveEnds: Invariant = {
  name: 'a change of seats or price keeps the end of the current period',
  breaches: ({ books }) => {
    const items = ofCounted(books);
    const itemOf = new Map(items.map((item) => [item.id, item]));
    const chargesOf = by(
      items.filter(({ item_type: type }) => type === 'RECURRING'),
      'subscription_id',
    );
    const startsCycle = cycleStarts(books);
    return items.flatMap((repair) => {
      const whole = itemOf.get(repair.linked_item_id ?? null);
      if (repair.item_type !== 'REPAIR_ADJ' || whole?.item_type !== 'RECURRING') return [];
      if (repair.end_date !== whole.end_date || repair.start_date === whole.start_date) return [];
      const rest = chargesOf(whole.subscription_id).find(
        (charge) =>
          charge.invoice_id === repair.invoice_id &&
          charge.start_date === repair.start_date &&
          charge.plan_name === whole.plan_name &&
          charge.phase_name === whole.phase_name,
      );
      if (rest === undefined || startsCycle(whole, rest)) return [];
      return dayNumber(rest.end_date) > dayNumber(whole.end_date)
        ? [`${whole.plan_name} to ${whole.end_date} goes on from ${rest.start_date} to ${rest.end_date}`]
        : [];
    });
  },
};

/** Returns true if anything but a quantity or catalog price change can have split or shortened the charge. */
function cycleStarts(books: Books): (charge: StoredRow, rest: StoredRow) => boolean {
  const eventsOf = by(books.subscription_events, 'subscription_id');
  const statesOf = by(books.blocking_states, 'blocked_id');
  const inBundle = by(books.subscriptions, 'bundle_id');
  const subscriptionOf = new Map(books.subscriptions.map((row) => [row.id, row]));
  const moved = accountsWithMovedDays(books);
  return ({ start_date: start, end_date: end }, { subscription_id: id, start_date: split }) => {
    const subscription = subscriptionOf.get(id ?? null);
    if (subscription === undefined || moved.has(subscription.account_id)) return true;
    const ids = [subscription.id, subscription.bundle_id, subscription.account_id];
    const states = ids.flatMap((each) => statesOf(each));
    const isStart = ({ effective_local: date, type }: StoredRow): boolean =>
      type !== 'QUANTITY_CHANGE' && dayNumber(date) > dayNumber(start) && dayNumber(date) <= dayNumber(split);
    const ofBundle = inBundle(subscription.bundle_id).flatMap((each) => eventsOf(each.id));
    return (
      [...eventsOf(id), ...states].some(isStart) ||
      [...ofBundle, ...states].some(({ effective_local: date }) => date === end)
    );
  };
}

/** Accounts with a changed bill cycle day, and therefore changed cycles. */
function accountsWithMovedDays({ audit_log: log }: Books): ReadonlySet<string | null | undefined> {
  const days = new Map<string | null | undefined, Set<number>>();
  for (const { table_name: table, target_id: id, snapshot } of log) {
    if (table !== 'ACCOUNT') continue;
    const { billingCycleDayLocal: day } = JSON.parse(snapshot ?? '{}') as { billingCycleDayLocal?: number };
    if (day) days.set(id, (days.get(id) ?? new Set()).add(day));
  }
  return new Set([...days].filter(([, all]) => all.size > 1).map(([id]) => id));
}
