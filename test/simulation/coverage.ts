import { ofCounted } from './amounts.ts';
import { type Books, billionths, by, dayNumber, is, type StoredRow } from './books.ts';
import type { Invariant } from './invariant.ts';

/** The end is exclusive. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Invariant 3, with one counter per day, independent of the engine's matching. */
export const coveredOnce: Invariant = {
  name: 'active recurring items cover each subscription day up to the charged-through date once',
  breaches: ({ books, observed }) => {
    const items = ofCounted(books);
    const repairsOf = by(items, 'linked_item_id');
    const chargesOf = by(
      items.filter(({ item_type: type }) => type === 'RECURRING'),
      'subscription_id',
    );
    const dueOf = billedDays(books);
    const days = books.subscriptions.flatMap((subscription) => {
      const covered = new Map<number, number>();
      for (const item of chargesOf(subscription.id)) {
        const repaired = repairsOf(item.id)
          .filter(({ item_type: type }) => type === 'REPAIR_ADJ')
          .map(spanOf);
        const weight = billionths(item.amount) === 0n ? 0 : 1;
        for (const day of daysOf(spanOf(item)))
          if (!repaired.some((span) => contains(span, day)))
            covered.set(day, (covered.get(day) ?? 0) + weight);
      }
      const twice = [...covered]
        .filter(([, times]) => times > 1)
        .map(([day]) => `day ${dateOf(day)} is covered twice`);
      const missed = dueOf(subscription)
        .filter((day) => !covered.has(day))
        .map((day) => `day ${dateOf(day)} is missed`);
      return [...twice, ...missed].slice(0, 3).map((what) => `subscription ${subscription.id}: ${what}`);
    });
    return [...days, ...observed.coverageDifferences];
  },
};

/** The days with recurring charges up to the charged-through date. */
function billedDays(books: Books): (subscription: StoredRow) => readonly number[] {
  const eventsOf = by(
    books.subscription_events.filter((row) => is(row, 'is_active')),
    'subscription_id',
  );
  const statesOf = by(
    books.blocking_states.filter((row) => is(row, 'is_active')),
    'blocked_id',
  );
  const zoneOf = new Map(books.accounts.map(({ id, time_zone: zone }) => [id, zone ?? 'UTC']));
  return (subscription) => {
    const ctd = subscription.charged_through_local;
    if (ctd == null) return [];
    const today = dayNumber(localDate(books.nowMs, zoneOf.get(subscription.account_id) ?? 'UTC'));
    // The end that follows from a base is not stored yet.
    const until = subscription.category === 'ADD_ON' ? Math.min(dayNumber(ctd), today) : dayNumber(ctd);
    const states = [subscription.id, subscription.bundle_id, subscription.account_id].flatMap((id) =>
      statesOf(id),
    );
    const blocked = blockedSpans(states);
    return segments(eventsOf(subscription.id), until)
      .flatMap(daysOf)
      .filter((day) => !blocked.some((span) => contains(span, day)));
  };
}

/** The recurring parts of the timeline: all phases except trials. */
function segments(events: readonly StoredRow[], until: number): readonly Span[] {
  const inOrder = events
    .filter(({ phase_name: phase, type }) => phase !== null || ENDS.includes(String(type)))
    .toSorted((a, b) => Number(a.effective) - Number(b.effective) || Number(a.sequence) - Number(b.sequence));
  const end = inOrder.findIndex(({ type }) => ENDS.includes(String(type)));
  const before = end < 0 ? inOrder : inOrder.slice(0, end + 1);
  return before.flatMap((event, index) => {
    if (event.phase_name === null || event.phase_name?.endsWith('-trial')) return [];
    const next = before[index + 1];
    const to = next === undefined ? until : Math.min(until, dayNumber(next.effective_local));
    return [{ from: dayNumber(event.effective_local), to }];
  });
}

const ENDS: readonly string[] = ['CANCEL', 'EXPIRED'];
const MORE_THAN_A_DAY_MS = 25 * 3_600_000;

/** Days without billing, including blocks of about a day, which may not count (subscriptions §19.3 rule 2). */
function blockedSpans(states: readonly StoredRow[]): readonly Span[] {
  const ends = states.filter(({ state_name: name }) => name === 'ENT_CANCELLED');
  const groups = Map.groupBy(
    states.filter((state) => !ends.includes(state)),
    ({ blocked_id: id, service }) => `${id} ${service}`,
  );
  const windows = [...groups.values()].flatMap(windowsOf);
  return windows.map(({ from, to }) => {
    const isShort = to !== undefined && Number(to.effective) - Number(from.effective) < MORE_THAN_A_DAY_MS;
    const last =
      to === undefined ? Number.POSITIVE_INFINITY : dayNumber(to.effective_local) + (isShort ? 1 : 0);
    return { from: dayNumber(from.effective_local), to: last };
  });
}

function windowsOf(states: readonly StoredRow[]) {
  const inOrder = states.toSorted(
    (a, b) => Number(a.effective) - Number(b.effective) || Number(a.sequence) - Number(b.sequence),
  );
  const windows: { from: StoredRow; to: StoredRow | undefined }[] = [];
  let open: StoredRow | undefined;
  for (const state of inOrder) {
    if (is(state, 'is_block_billing')) open ??= state;
    else if (open !== undefined) {
      windows.push({ from: open, to: state });
      open = undefined;
    }
  }
  if (open !== undefined) windows.push({ from: open, to: undefined });
  return windows;
}

function spanOf({ start_date: start, end_date: end }: StoredRow): Span {
  return { from: dayNumber(start), to: dayNumber(end) };
}

function daysOf({ from, to }: Span): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

function contains({ from, to }: Span, day: number): boolean {
  return day >= from && day < to;
}

function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

function localDate(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(ms);
}
