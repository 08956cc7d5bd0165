import { useEffect, useRef, useState } from 'preact/hooks';
import type { Subscription } from '../core/data.ts';
import { day, money, words } from '../core/format.ts';
import { href } from '../core/location.ts';
import { texts } from '../texts.ts';
import { Badge, type Tone } from './values.tsx';

const t = texts.timeline;

const AXIS_HEIGHT = 26;
const ROW_HEIGHT = 52;
const BAR_HEIGHT = 24;
const SMALLEST_MONTH = 44;
const DAY_MS = 86_400_000;
/** Days shown after today, or after the last change. */
const DAYS_AHEAD = 92;

interface TimelineProps {
  readonly rows: readonly TimelineRow[];
  /** Today in the time zone of the account. */
  readonly today: string;
}

/** Subscriptions drawn to scale: phases and pauses as bars, and markers for changes. */
export function Timeline({ rows, today }: TimelineProps) {
  const region = useRef<HTMLElement>(null);
  const [room, setRoom] = useState(0);
  const [scrolled, setScrolled] = useState(0);
  useEffect(() => {
    const element = region.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setRoom(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [rows.length === 0]);
  const scale = scaleOf(rows, { today, room });
  useEffect(() => {
    // Shows today and what comes, when the past does not fit.
    if (region.current !== null) region.current.scrollLeft = scale.x(today) - room / 2;
  }, [room, scale.width]);
  if (rows.length === 0) return <p class="quiet-text">{t.none}</p>;
  const follow = () => setScrolled(region.current?.scrollLeft ?? 0);
  return (
    <div class="timeline">
      <ul class="timeline-names">
        {rows.map(({ id, name, state }) => (
          <li key={id}>
            <a href={href('/subscriptions', id)}>{name}</a>
            <StateBadge state={state} />
          </li>
        ))}
      </ul>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard. */}
      <section class="timeline-region" aria-label={t.title} tabIndex={0} ref={region} onScroll={follow}>
        <Drawing rows={rows} today={today} scale={scale} scrolled={scrolled} />
      </section>
      <p class="quiet-text">{t.legend}</p>
      <Words rows={rows} />
    </div>
  );
}

const tones: Partial<Record<TimelineRow['state'], Tone>> = {
  ACTIVE: 'good',
  BLOCKED: 'bad',
  PENDING: 'warning',
};

export function StateBadge({ state }: Pick<TimelineRow, 'state'>) {
  return <Badge tone={tones[state]}>{words(state)}</Badge>;
}

type Scale = ReturnType<typeof scaleOf>;

const dayNumber = (date: string) => Date.parse(date) / DAY_MS;

/** Returns the horizontal position of each day and the months of the axis, in pixels. */
function scaleOf(rows: readonly TimelineRow[], on: { readonly today: string; readonly room: number }) {
  const starts = rows.flatMap(({ phases }) => phases[0]?.from ?? []);
  const changes = rows.flatMap(({ marks }) => marks.map(({ date }) => date));
  const first = Math.min(...[on.today, ...starts].map(dayNumber)) - 5;
  const last = Math.max(...[on.today, ...changes].map(dayNumber)) + DAYS_AHEAD;
  const perDay = Math.max(on.room / (last - first), SMALLEST_MONTH / 31);
  const x = (date: string | null) => (date === null ? last - first : dayNumber(date) - first) * perDay;
  const start = new Date(first * DAY_MS);
  const months = Array.from({ length: Math.ceil((last - first) / 28) }, (_, index) => {
    const date = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1 + index, 1));
    const part = date.getUTCMonth() === 0 ? ({ year: 'numeric' } as const) : ({ month: 'short' } as const);
    const label = date.toLocaleDateString('en', { ...part, timeZone: 'UTC' });
    return { x: x(date.toISOString().slice(0, 10)), label };
  });
  return { width: (last - first) * perDay, x, months };
}

interface DrawingProps extends TimelineProps {
  readonly scale: Scale;
  /** Pixels at the left that are scrolled out of sight. */
  readonly scrolled: number;
}

function Drawing({ rows, today, scale, scrolled }: DrawingProps) {
  const height = AXIS_HEIGHT + rows.length * ROW_HEIGHT;
  return (
    <svg width={scale.width} height={height} aria-hidden="true">
      {scale.months.map(({ x, label }) => (
        <g key={x} transform={`translate(${x} 0)`}>
          <line y1={16} y2={height} />
          <text x={4} y={14}>
            {label}
          </text>
        </g>
      ))}
      {rows.map(({ id, phases, blocks }, index) => (
        <g key={id} transform={`translate(0 ${AXIS_HEIGHT + index * ROW_HEIGHT})`}>
          {[...phases, ...blocks].map((span) => (
            <Bar key={span.kind + span.from} {...span} scale={scale} scrolled={scrolled} />
          ))}
        </g>
      ))}
      <g transform={`translate(${scale.x(today)} 0)`}>
        <rect class="future" y={AXIS_HEIGHT} width={scale.width} height={height} />
        <line class="today" y1={16} y2={height} />
        <text x={4} y={height - 2}>
          {t.today}
        </text>
      </g>
      {rows.map(({ id, marks }, index) => (
        <g key={id} transform={`translate(0 ${AXIS_HEIGHT + index * ROW_HEIGHT + BAR_HEIGHT / 2 + 6})`}>
          {/* Past changes need no marker: bars start there. */}
          {marks
            .filter(({ kind, date }) => kind !== 'CHANGE' || date > today)
            .map(({ date, label, kind }) => (
              <path
                key={date + label}
                class={kind}
                d={SHAPES[kind]}
                transform={`translate(${scale.x(date)} 0)`}
              >
                <title>{`${day(date)}: ${label}`}</title>
              </path>
            ))}
        </g>
      ))}
    </svg>
  );
}

const SHAPES = {
  CHANGE: 'M0 -7 L7 0 L0 7 L-7 0 Z',
  STATE: 'M-4 -4 H4 V4 H-4 Z',
  END: 'M-6 -6 L6 6 M6 -6 L-6 6',
};

/** A phase or a block. The nested picture cuts off a label that is wider than its bar. */
function Bar({ scale, scrolled, ...span }: Span & Pick<DrawingProps, 'scale' | 'scrolled'>) {
  const x = scale.x(span.from);
  const width = Math.max(2, scale.x(span.to) - x - 1);
  return (
    <svg x={x} width={width} y={6} height={BAR_HEIGHT}>
      <title>{spanText(span)}</title>
      <rect class={span.kind} width="100%" height="100%" rx={3} />
      <text x={8 + Math.max(0, scrolled - x)} y={16}>
        {span.label}
      </text>
    </svg>
  );
}

function spanText({ from, to, label }: Span): string {
  return to === null ? t.open(label, day(from)) : t.span(label, day(from), day(to));
}

function Words({ rows }: Pick<TimelineProps, 'rows'>) {
  return (
    <details>
      <summary>{t.words}</summary>
      {rows.map(({ id, name, state, phases, blocks, marks }) => (
        <ul key={id} aria-label={name}>
          <li>{`${name}: ${words(state)}`}</li>
          {[...phases, ...blocks].map((span) => (
            <li key={span.kind + span.from}>{spanText(span)}</li>
          ))}
          {marks.map(({ date, label }) => (
            <li key={date + label}>{`${day(date)}: ${label}`}</li>
          ))}
        </ul>
      ))}
    </details>
  );
}

type SubscriptionEvent = Subscription['events'][number];

/** A stretch of time, from its first day to the day after its last one. It is open without an end. */
interface Span {
  readonly from: string;
  readonly to: string | null;
  readonly label: string;
  /** The phase type, or `BLOCK`. */
  readonly kind: string;
}

interface Mark {
  readonly date: string;
  readonly label: string;
  readonly kind: 'CHANGE' | 'STATE' | 'END';
}

type TimelineRow = ReturnType<typeof timelineRow>;

/** Returns the row of a subscription. @param currency of its prices. */
export function timelineRow(subscription: Subscription, currency: string | null) {
  const { subscriptionId, planName, externalKey, state, events, quantity } = subscription;
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
