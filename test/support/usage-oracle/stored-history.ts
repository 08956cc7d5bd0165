import { Temporal } from 'temporal-polyfill';
import { dayAt } from './calendar.ts';
import { REPRICED, sectionsOf } from './metered-shelf.ts';
import type { OracleEvent } from './usage-facts.ts';

type Cells = Readonly<Record<string, unknown>>;

export interface StoredFacts {
  /** Active rows of `bw_subscription_events`. */
  readonly events: readonly Cells[];
  /** Active rows of `bw_blocking_states` for the subscription, its bundle and its account. */
  readonly blocks: readonly Cells[];
  readonly zone: string;
  /** Of the account. */
  readonly billCycleDay: number;
}

interface InForce {
  readonly at: number;
  readonly planName: string;
  readonly phaseName: string;
  readonly billCycleDay: number;
  readonly isEnd: boolean;
}

/** The billing events of a subscription (subscriptions §19), derived from its rows. */
export function historyOf(facts: StoredFacts): readonly OracleEvent[] {
  const plain = withPriceChange(statesOf(facts));
  const billingStates = withPauses(plain, pausesOf(facts, plain.findLast(({ isEnd }) => isEnd)?.at ?? null));
  return billingStates.map(({ state, at, billing }) => ({
    at,
    day: dayAt(at, facts.zone),
    billing,
    billCycleDay: state.billCycleDay,
    sections: billing === 'ON' ? sectionsOf(state.planName, state.phaseName, state.at) : [],
  }));
}

const BRINGS_PHASE = ['CREATE', 'TRANSFER', 'CHANGE', 'PHASE'];

function statesOf({ events, billCycleDay }: StoredFacts): readonly InForce[] {
  const states: InForce[] = [];
  let now = { planName: '', phaseName: '', billCycleDay };
  for (const row of inOrder(events)) {
    const type = String(row.type);
    const at = Number(row.effective);
    if (type === 'BCD_CHANGE') now = { ...now, billCycleDay: Number(row.bill_cycle_day) };
    else if (BRINGS_PHASE.includes(type))
      now = { ...now, planName: String(row.plan_name ?? now.planName), phaseName: String(row.phase_name) };
    const isEnd = type === 'CANCEL' || type === 'EXPIRED';
    // A day requested before the start has no event.
    if (now.planName !== '') states.push({ ...now, at, isEnd });
    if (isEnd) break;
  }
  return states;
}

function inOrder(rows: readonly Cells[]): readonly Cells[] {
  return rows.toSorted(
    (a, b) => Number(a.effective) - Number(b.effective) || Number(a.sequence) - Number(b.sequence),
  );
}

/** Adds the new prices of the catalog. */
function withPriceChange(states: readonly InForce[]): readonly InForce[] {
  const at = Date.parse(REPRICED);
  const index = states.findLastIndex((state) => state.at < at);
  const before = states[index];
  if (before === undefined || before.isEnd) return states;
  return [...states.slice(0, index + 1), { ...before, at }, ...states.slice(index + 1)];
}

interface Pause {
  readonly from: number;
  /** Null = unlimited. */
  readonly to: number | null;
}

/** Applies subscriptions §19.3 rules 1 to 3. */
function pausesOf({ blocks, zone }: StoredFacts, end: number | null): readonly Pause[] {
  const counted = inOrder(blocks).filter(({ effective }) => end === null || Number(effective) <= end);
  const single = [...Map.groupBy(counted, (row) => `${row.service} ${row.blocked_id}`).values()].flatMap(
    (rows) => pausesOfService(rows, zone),
  );
  const merged: Pause[] = [];
  for (const pause of single.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last === undefined || (last.to !== null && last.to < pause.from)) merged.push(pause);
    else {
      const to = last.to === null || pause.to === null ? null : Math.max(last.to, pause.to);
      merged[merged.length - 1] = { from: last.from, to };
    }
  }
  return merged;
}

function pausesOfService(rows: readonly Cells[], zone: string): readonly Pause[] {
  const pauses: Pause[] = [];
  let from: number | null = null;
  for (const row of rows) {
    const at = Number(row.effective);
    if (Number(row.is_block_billing) === 1) from ??= at;
    else if (from !== null) {
      if (at >= aDayAfter(from, zone)) pauses.push({ from, to: at });
      from = null;
    }
  }
  return from === null ? pauses : [...pauses, { from, to: null }];
}

function aDayAfter(at: number, zone: string): number {
  const begun = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  return begun.add({ days: 1 }).epochMilliseconds;
}

interface BillingState {
  readonly at: number;
  readonly billing: OracleEvent['billing'];
  readonly state: InForce;
}

/** Applies subscriptions §19.3 rule 4. */
function withPauses(states: readonly InForce[], pauses: readonly Pause[]): readonly BillingState[] {
  const holds = ({ from, to }: Pause, at: number) => from <= at && (to === null || at < to);
  const own = states
    .filter(({ at }) => !pauses.some((pause) => holds(pause, at)))
    .map((state): BillingState => ({ at: state.at, billing: state.isEnd ? 'ENDED' : 'ON', state }));
  const begins = pauses.flatMap(({ from }): readonly BillingState[] => {
    const state = states.findLast(({ at }) => at < from);
    return state === undefined || state.isEnd ? [] : [{ at: from, billing: 'PAUSED', state }];
  });
  const ends = pauses.flatMap(({ to }): readonly BillingState[] => {
    const state = to === null ? undefined : states.findLast(({ at }) => at < to);
    return to === null || state === undefined || state.isEnd ? [] : [{ at: to, billing: 'ON', state }];
  });
  return [...ends, ...own, ...begins].toSorted((a, b) => a.at - b.at);
}
