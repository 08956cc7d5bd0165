import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { day, words } from '../core/format.ts';
import { href } from '../core/location.ts';
import { texts } from '../texts.ts';
import { Badge } from './layout.tsx';
import type { Mark, Span, TimelineRow } from './timeline-rows.ts';

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
  const follow = () => setScrolled(region.current?.scrollLeft ?? 0);
  const scale = scaleOf(rows, { today, room });
  useEffect(() => {
    // Shows today and what comes, when the past does not fit.
    if (region.current !== null) region.current.scrollLeft = scale.x(today) - room / 2;
  }, [room, scale.width]);
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
      <Ahead rows={rows} today={today} />
      <Words rows={rows} />
    </div>
  );
}

export function StateBadge({ state }: { readonly state: TimelineRow['state'] }) {
  const tones = { ACTIVE: 'good', BLOCKED: 'bad', PENDING: 'warning' } as const;
  return (
    <Badge tone={Object.hasOwn(tones, state) ? tones[state as keyof typeof tones] : 'quiet'}>
      {words(state)}
    </Badge>
  );
}

interface Scale {
  readonly width: number;
  readonly x: (date: string | null) => number;
  readonly months: readonly { readonly x: number; readonly label: string }[];
}

const dayNumber = (date: string) => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

function scaleOf(rows: readonly TimelineRow[], on: { readonly today: string; readonly room: number }): Scale {
  const starts = rows.flatMap(({ phases }) => phases[0]?.from ?? []);
  const changes = rows.flatMap(({ marks }) => marks.map(({ date }) => date));
  const first = dayNumber([on.today, ...starts].reduce((a, b) => (a < b ? a : b))) - 5;
  const last = dayNumber([on.today, ...changes].reduce((a, b) => (a > b ? a : b))) + DAYS_AHEAD;
  const perDay = Math.max(on.room / (last - first), SMALLEST_MONTH / 31);
  const x = (date: string | null) => (date === null ? last - first : dayNumber(date) - first) * perDay;
  const months: { x: number; label: string }[] = [];
  const start = new Date(first * DAY_MS);
  for (let month = start.getUTCMonth() + 1; ; month += 1) {
    const date = new Date(Date.UTC(start.getUTCFullYear(), month, 1));
    if (date.getTime() / DAY_MS > last) break;
    const isJanuary = date.getUTCMonth() === 0;
    const format = new Intl.DateTimeFormat('en', isJanuary ? YEAR : MONTH);
    months.push({ x: x(date.toISOString().slice(0, 10)), label: format.format(date) });
  }
  return { width: (last - first) * perDay, x, months };
}

const MONTH = { month: 'short', timeZone: 'UTC' } as const;
const YEAR = { year: 'numeric', timeZone: 'UTC' } as const;

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
        <g key={x}>
          <line class="grid" x1={x} x2={x} y1={16} y2={height} />
          <text class="axis" x={x + 4} y={14}>
            {label}
          </text>
        </g>
      ))}
      {rows.map((row, index) => (
        <g key={row.id} transform={`translate(0 ${AXIS_HEIGHT + index * ROW_HEIGHT})`}>
          <Bars row={row} scale={scale} hatch={hatch} scrolled={scrolled} />
        </g>
      ))}
      <rect
        class="future"
        x={scale.x(today)}
        y={AXIS_HEIGHT}
        width={scale.x(null) - scale.x(today)}
        height={height}
      />
      <line class="today" x1={scale.x(today)} x2={scale.x(today)} y1={16} y2={height} />
      <text class="today" x={scale.x(today) + 4} y={height - 2}>
        {t.today}
      </text>
      {rows.map((row, index) => (
        <g key={row.id} transform={`translate(0 ${AXIS_HEIGHT + index * ROW_HEIGHT + BAR_HEIGHT / 2 + 6})`}>
          {row.marks
            .filter((mark) => isDrawn(mark, today))
            .map(({ date, label, kind }) => (
              <path
                key={`${date}${label}`}
                class={`mark ${kind}`}
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

/** Past changes need no marker: bars and hatches start there. */
function isDrawn({ kind, date }: Mark, today: string): boolean {
  return kind !== 'CHANGE' || date > today;
}

const SHAPES = {
  CHANGE: 'M0 -7 L7 0 L0 7 L-7 0 Z',
  STATE: 'M-4 -4 H4 V4 H-4 Z',
  END: 'M-6 -6 L6 6 M6 -6 L-6 6',
};

interface BarsProps extends Pick<DrawingProps, 'scale' | 'scrolled'> {
  readonly row: TimelineRow;
  /** Id of the pattern of blocked times. */
  readonly hatch: string;
}

function Bars({ row, scale, hatch, scrolled }: BarsProps) {
  const place = ({ from, to }: Span) => ({
    x: scale.x(from),
    width: Math.max(2, scale.x(to) - scale.x(from) - 1),
  });
  const from = row.phases[0]?.from;
  return (
    <>
      {row.phases.map((phase) => (
        // A nested picture cuts off a label that is wider than its bar.
        <svg key={phase.from} {...place(phase)} y={6} height={BAR_HEIGHT}>
          <title>{spanText(phase)}</title>
          <rect class={`phase ${phase.kind}`} width="100%" height="100%" rx={3} />
          <text class="bar-label" x={8 + Math.max(0, scrolled - scale.x(phase.from))} y={16}>
            {phase.label}
          </text>
        </svg>
      ))}
      {row.blocks.map((block) => (
        <svg key={block.from} {...place(block)} y={6} height={BAR_HEIGHT}>
          <title>{spanText(block)}</title>
          <rect fill={`url(#${hatch})`} width="100%" height="100%" />
          <text class="bar-label blocked" x={4} y={16}>
            {block.label}
          </text>
        </svg>
      ))}
      {row.billedThrough !== null && from !== undefined && row.billedThrough > from && (
        <rect
          class="billed"
          {...place({ ...NO_SPAN, from, to: row.billedThrough })}
          y={BAR_HEIGHT + 9}
          height={3}
        >
          <title>{t.billed(day(row.billedThrough))}</title>
        </rect>
      )}
    </>
  );
}

const NO_SPAN: Span = { from: '', to: null, label: '', kind: '' };

function spanText({ from, to, label }: Span): string {
  return to === null ? t.open(label, day(from)) : t.span(label, day(from), day(to));
}

/** The changes ahead in words. */
function Ahead({ rows, today }: TimelineProps) {
  const ahead = rows
    .flatMap(({ id, name, marks }) => marks.map((mark) => ({ ...mark, id, name })))
    .filter(({ date }) => date > today)
    .sort((a, b) => (a.date < b.date ? -1 : 1));
  if (ahead.length === 0) return null;
  return (
    <ul>
      {ahead.map(({ id, name, date, label }) => (
        <li key={`${id}${date}${label}`}>{t.ahead(day(date), name, label)}</li>
      ))}
    </ul>
  );
}

/** The whole drawing in words. */
function Words({ rows }: { readonly rows: readonly TimelineRow[] }) {
  return (
    <details>
      <summary>{t.words}</summary>
      {rows.map(({ id, name, state, phases, blocks, marks, billedThrough }) => (
        <ul key={id} aria-label={name}>
          {[
            `${name}: ${words(state)}`,
            ...[...phases, ...blocks].map(spanText),
            ...marks
              .filter(({ kind }) => kind !== 'CHANGE')
              .map(({ date, label }) => `${day(date)}: ${label}`),
            ...(billedThrough === null ? [] : [t.billed(day(billedThrough))]),
          ].map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ))}
    </details>
  );
}
