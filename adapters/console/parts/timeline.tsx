import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { day, words } from '../core/format.ts';
import { href } from '../core/location.ts';
import { texts } from '../texts.ts';
import { Badge } from './layout.tsx';
import type { Span, TimelineRow } from './timeline-rows.ts';

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

/** Subscriptions drawn to scale: phases as bars, pauses and blocks hatched, and markers for changes. */
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
  }, []);
  const scale = scaleOf(rows, { today, room });
  useEffect(() => {
    // Shows today and what comes, when the past does not fit.
    if (region.current !== null) region.current.scrollLeft = scale.x(today) - room / 2;
  }, [room, scale.width]);
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

const tones = {
  ACTIVE: 'good',
  BLOCKED: 'bad',
  PENDING: 'warning',
  CANCELLED: 'quiet',
  EXPIRED: 'quiet',
} as const;

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
  const hatch = useId();
  return (
    <svg width={scale.width} height={height} aria-hidden="true">
      <defs>
        <pattern id={hatch} width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="hatch-ground" width="8" height="8" />
          <rect class="hatch-line" width="3" height="8" />
        </pattern>
      </defs>
      {scale.months.map(({ x, label }) => (
        <g key={x} transform={`translate(${x} 0)`}>
          <line class="grid" y1={16} y2={height} />
          <text class="axis" x={4} y={14}>
            {label}
          </text>
        </g>
      ))}
      {rows.map((row, index) => (
        <g key={row.id} transform={`translate(0 ${AXIS_HEIGHT + index * ROW_HEIGHT})`}>
          <Bars row={row} scale={scale} hatch={hatch} scrolled={scrolled} />
        </g>
      ))}
      <g transform={`translate(${scale.x(today)} 0)`}>
        <rect class="future" y={AXIS_HEIGHT} width={scale.width} height={height} />
        <line class="today" y1={16} y2={height} />
        <text class="today" x={4} y={height - 2}>
          {t.today}
        </text>
      </g>
      {rows.map((row, index) => (
        <g key={row.id} transform={`translate(0 ${AXIS_HEIGHT + index * ROW_HEIGHT + BAR_HEIGHT / 2 + 6})`}>
          <Marks row={row} scale={scale} today={today} />
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

interface RowProps extends Pick<DrawingProps, 'scale'> {
  readonly row: TimelineRow;
}

/** The markers of a row. Past changes need none: bars and hatches start there. */
function Marks({ row, scale, today }: RowProps & Pick<DrawingProps, 'today'>) {
  return row.marks
    .filter(({ kind, date }) => kind !== 'CHANGE' || date > today)
    .map(({ date, label, kind }) => (
      <path
        key={`${date}${label}`}
        class={`mark ${kind}`}
        d={SHAPES[kind]}
        transform={`translate(${scale.x(date)} 0)`}
      >
        <title>{`${day(date)}: ${label}`}</title>
      </path>
    ));
}

/** @param hatch id of the pattern of blocked times. */
function Bars({
  row,
  scale,
  hatch,
  scrolled,
}: RowProps & { readonly hatch: string; readonly scrolled: number }) {
  const place = ({ from, to }: Pick<Span, 'from' | 'to'>) => ({
    x: scale.x(from),
    width: Math.max(2, scale.x(to) - scale.x(from) - 1),
  });
  const from = row.phases[0]?.from;
  return (
    <>
      {[...row.phases, ...row.blocks].map((span) => (
        // A nested picture cuts off a label that is wider than its bar.
        <svg key={span.kind + span.from} {...place(span)} y={6} height={BAR_HEIGHT}>
          <title>{spanText(span)}</title>
          <rect
            class={span.kind}
            fill={span.kind === 'BLOCK' ? `url(#${hatch})` : undefined}
            width="100%"
            height="100%"
            rx={3}
          />
          <text class="bar-label" x={8 + Math.max(0, scrolled - scale.x(span.from))} y={16}>
            {span.label}
          </text>
        </svg>
      ))}
      {row.billedThrough !== null && from !== undefined && row.billedThrough > from && (
        <rect class="axis" {...place({ from, to: row.billedThrough })} y={BAR_HEIGHT + 9} height={3}>
          <title>{t.billed(day(row.billedThrough))}</title>
        </rect>
      )}
    </>
  );
}

function spanText({ from, to, label }: Span): string {
  return to === null ? t.open(label, day(from)) : t.span(label, day(from), day(to));
}

/** The drawing in words. */
function Words({ rows }: Pick<TimelineProps, 'rows'>) {
  return (
    <details>
      <summary>{t.words}</summary>
      {rows.map(({ id, name, state, phases, blocks, marks, billedThrough }) => (
        <ul key={id} aria-label={name}>
          {[
            `${name}: ${words(state)}`,
            ...[...phases, ...blocks].map(spanText),
            ...marks.map(({ date, label }) => `${day(date)}: ${label}`),
            billedThrough && t.billed(day(billedThrough)),
          ].map((line) => line && <li key={line}>{line}</li>)}
        </ul>
      ))}
    </details>
  );
}
