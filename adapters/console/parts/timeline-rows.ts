import type { Subscription } from '../core/data.ts';
import { money, words } from '../core/format.ts';
import { texts } from '../texts.ts';

const t = texts.timeline;

type SubscriptionEvent = Subscription['events'][number];

/** A stretch of time, from its first day to the day after its last one. It is open without an end. */
export interface Span {
  readonly from: string;
  readonly to: string | null;
  readonly label: string;
  /** The phase type, or `BLOCK`. */
  readonly kind: string;
}

/** A change on a day. */
export interface Mark {
  readonly date: string;
  readonly label: string;
  readonly kind: 'CHANGE' | 'STATE' | 'END';
}

/** A subscription on the timeline. */
export interface TimelineRow {
  readonly id: string;
  readonly name: string;
  readonly state: Subscription['state'];
  readonly phases: readonly Span[];
  /** Pauses and blocks. */
  readonly blocks: readonly Span[];
  readonly marks: readonly Mark[];
  readonly billedThrough: string | null;
}

/** Returns the row of a subscription. @param currency of its prices. */
export function timelineRow(subscription: Subscription, currency: string | null): TimelineRow {
  const { subscriptionId, planName, externalKey, state, events, chargedThrough, quantity } = subscription;
  const name = planName ?? events[0]?.plan ?? externalKey;
  const phases = phasesOf(subscription, currency);
  return {
    id: subscriptionId,
    name: quantity === 1 ? name : `${name} × ${quantity}`,
    state,
    phases,
    blocks: blocksOf(events).filter(({ from, to }) => from !== to),
    marks: marksOf(events, phases),
    billedThrough: chargedThrough?.date ?? null,
  };
}

const STARTS = new Set<string>(['START_ENTITLEMENT', 'START_BILLING', 'PHASE', 'CHANGE']);

const isEnd = ({ eventType }: SubscriptionEvent) =>
  eventType === 'STOP_ENTITLEMENT' || eventType === 'STOP_BILLING';

function phasesOf({ events, prices }: Subscription, currency: string | null): readonly Span[] {
  const starts = events
    .filter(({ eventType }) => STARTS.has(eventType))
    .filter(({ plan, phase }, index, all) => {
      const before = all[index - 1];
      return before?.plan !== plan || before?.phase !== phase;
    });
  const end = events.findLast(isEnd)?.effective.date ?? null;
  return starts.map(({ plan, phase, billingPeriod, effective }, index) => {
    const price = prices.find(({ phaseName }) => phaseName === phase);
    const amount = price?.recurringPrice ?? price?.fixedPrice ?? null;
    const kind = price?.phaseType ?? 'EVERGREEN';
    const each = price?.recurringPrice ? t.price(money(amount, currency), billingPeriod ?? '') : null;
    const cost = each ?? (amount === null ? null : money(amount, currency));
    const parts = [kind === 'EVERGREEN' ? null : words(kind), plan, cost];
    const label = parts.filter((part) => part !== null).join(' · ');
    return { from: effective.date, to: starts[index + 1]?.effective.date ?? end, label, kind };
  });
}

function blocksOf(events: readonly SubscriptionEvent[]): readonly Span[] {
  const blocks: Span[] = [];
  let open: SubscriptionEvent | null = null;
  for (const event of events) {
    const isBlocked = (event.isBlockedBilling || event.isBlockedEntitlement) && !isEnd(event);
    if (open === null && isBlocked) open = event;
    if (open === null || isBlocked) continue;
    blocks.push(blockFrom(open, event.effective.date));
    open = null;
  }
  return open === null ? blocks : [...blocks, blockFrom(open, null)];
}

function blockFrom({ effective, serviceStateName }: SubscriptionEvent, to: string | null): Span {
  return { from: effective.date, to, label: stateLabel(serviceStateName), kind: 'BLOCK' };
}

function stateLabel(name: string): string {
  return name === 'ENT_BLOCKED' ? t.paused : words(name);
}

/** Changes after the start. Rows of service and of billing on one day are one mark. */
function marksOf(events: readonly SubscriptionEvent[], phases: readonly Span[]): readonly Mark[] {
  const marks = events
    .filter(({ eventType }) => !eventType.startsWith('START_'))
    .map((event) => ({ date: event.effective.date, ...markOf(event, phases) }));
  return marks.filter(
    ({ date, label }, index) =>
      marks.findIndex((mark) => mark.date === date && mark.label === label) === index,
  );
}

function markOf(event: SubscriptionEvent, phases: readonly Span[]): Omit<Mark, 'date'> {
  const { eventType, effective, serviceStateName } = event;
  if (isEnd(event)) return { kind: 'END', label: t.ends };
  if (eventType === 'SERVICE_STATE_CHANGE') return { kind: 'STATE', label: stateLabel(serviceStateName) };
  if (STARTS.has(eventType)) {
    const begun = phases.find(({ from }) => from === effective.date);
    return { kind: 'CHANGE', label: t.change(begun?.label ?? '') };
  }
  if (eventType.startsWith('PAUSE_')) return { kind: 'CHANGE', label: stateLabel(serviceStateName) };
  return { kind: 'CHANGE', label: t.resumed };
}
