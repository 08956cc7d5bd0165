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
export type TimelineRow = ReturnType<typeof timelineRow>;

/** Returns the row of a subscription. @param currency of its prices. */
export function timelineRow(subscription: Subscription, currency: string | null) {
  const { subscriptionId, planName, externalKey, state, events, chargedThrough, quantity } = subscription;
  const name = planName ?? events[0]?.plan ?? externalKey;
  const phases = phasesOf(subscription, currency);
  return {
    id: subscriptionId,
    name: quantity === 1 ? name : `${name} × ${quantity}`,
    state,
    phases,
    /** Pauses and blocks. */
    blocks: blocksOf(events),
    marks: marksOf(events, phases),
    billedThrough: chargedThrough?.date ?? null,
  };
}

const STARTS: readonly string[] = ['START_ENTITLEMENT', 'START_BILLING', 'PHASE', 'CHANGE'];

const isEnd = ({ eventType }: SubscriptionEvent) =>
  eventType === 'STOP_ENTITLEMENT' || eventType === 'STOP_BILLING';

function phasesOf({ events, prices }: Subscription, currency: string | null): readonly Span[] {
  const starts = events
    .filter(({ eventType }) => STARTS.includes(eventType))
    .filter(({ plan, phase }, index, all) => {
      const before = all[index - 1];
      return before?.plan !== plan || before?.phase !== phase;
    });
  const end = events.findLast(isEnd)?.effective.date ?? null;
  return starts.map(({ plan, phase, billingPeriod, effective }, index) => {
    const price = prices.find(({ phaseName }) => phaseName === phase);
    const kind = price?.phaseType ?? 'EVERGREEN';
    const fixed = price?.fixedPrice ? money(price.fixedPrice, currency) : null;
    const recurring =
      price?.recurringPrice && t.price(money(price.recurringPrice, currency), billingPeriod ?? '');
    const parts = [kind === 'EVERGREEN' ? null : words(kind), plan, recurring ?? fixed];
    const label = parts.filter(Boolean).join(' · ');
    return { from: effective.date, to: starts[index + 1]?.effective.date ?? end, label, kind };
  });
}

/** Returns the times from each event that blocks to the next one that does not. */
function blocksOf(events: readonly SubscriptionEvent[]): readonly Span[] {
  const isBlocked = (event: SubscriptionEvent | undefined) =>
    event !== undefined && (event.isBlockedBilling || event.isBlockedEntitlement) && !isEnd(event);
  return events.flatMap((event, index) => {
    if (!isBlocked(event) || isBlocked(events[index - 1])) return [];
    const after = events.slice(index).find((each) => !isBlocked(each));
    const span = { from: event.effective.date, to: after?.effective.date ?? null };
    return span.from === span.to
      ? []
      : [{ ...span, label: stateLabel(event.serviceStateName), kind: 'BLOCK' }];
  });
}

function stateLabel(name: string): string {
  return name === 'ENT_BLOCKED' ? t.paused : words(name);
}

/** Changes after the start. Rows of service and of billing on one day are one mark. */
function marksOf(events: readonly SubscriptionEvent[], phases: readonly Span[]): readonly Mark[] {
  const marks = events
    .filter(({ eventType }) => !eventType.startsWith('START_'))
    .map((event) => ({ date: event.effective.date, ...markOf(event, phases) }));
  return [...new Map(marks.map((mark) => [`${mark.date} ${mark.label}`, mark])).values()];
}

function markOf(event: SubscriptionEvent, phases: readonly Span[]): Omit<Mark, 'date'> {
  const { eventType, effective, serviceStateName } = event;
  if (isEnd(event)) return { kind: 'END', label: t.ends };
  if (eventType === 'SERVICE_STATE_CHANGE') return { kind: 'STATE', label: stateLabel(serviceStateName) };
  if (eventType.startsWith('PAUSE_')) return { kind: 'CHANGE', label: stateLabel(serviceStateName) };
  if (!STARTS.includes(eventType)) return { kind: 'CHANGE', label: t.resumed };
  const begun = phases.find(({ from }) => from === effective.date);
  return { kind: 'CHANGE', label: t.change(begun?.label ?? '') };
}
