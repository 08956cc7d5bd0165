import {
  type Api,
  api,
  failureOf,
  parameters,
  quantity,
  recordingFetch,
  serverBase,
  useLoad,
  words,
} from '../../core/index.ts';
import { Chart } from '../../parts/chart.tsx';
import { Badge, Columns, Filter, ListSection, Section, Show } from '../../parts/index.ts';
import { texts } from '../../texts.ts';

const t = texts.operations;

interface Check {
  readonly name: string;
  readonly healthy: boolean;
  readonly message: string | null;
}

/** The checks of the node that answers. A failed check makes the status 503. */
async function checks(): Promise<readonly Check[]> {
  const response = await recordingFetch(`${serverBase}/1.0/healthcheck`);
  if (!response.ok && response.status !== 503) throw await failureOf(response);
  const found = (await response.json()) as Readonly<Record<string, Omit<Check, 'name'>>>;
  return Object.entries(found).map(([name, check]) => ({ name, ...check }));
}

/** Checks of the node, and measurements of the deployment as charts. */
export function Health() {
  const loaded = useLoad(checks);
  return (
    <>
      <ListSection
        caption={t.checks}
        of={loaded}
        keyOf={({ name }) => name}
        columns={[
          { title: t.check, cell: ({ name }) => t.checkNames[name] ?? words(name) },
          {
            title: t.state,
            cell: ({ healthy }) => (
              <Badge tone={healthy ? 'good' : 'bad'}>{healthy ? t.healthy : t.failing}</Badge>
            ),
          },
          { title: t.finding, cell: ({ message }) => message, isText: true },
        ]}
      />
      <Measurements />
    </>
  );
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const ranges = {
  hour: { ms: HOUR_MS, stepMs: MINUTE_MS, granularity: 'MINUTE' },
  day: { ms: 24 * HOUR_MS, stepMs: HOUR_MS, granularity: 'HOUR' },
  week: { ms: 7 * 24 * HOUR_MS, stepMs: 24 * HOUR_MS, granularity: 'DAY' },
} as const;

type RangeName = keyof typeof ranges;

/** Lines of a chart: label, category of the samples, and kind. */
type Lines = readonly (readonly [label: string, category: string, kind: string])[];

const { lines } = t;

const charts: readonly {
  readonly name: keyof typeof t.charts;
  readonly unit: string;
  readonly lines: Lines;
}[] = [
  {
    name: 'late',
    unit: '',
    lines: [
      [lines.events, 'queue.bus.late', 'value'],
      [lines.planned, 'queue.notifications.late', 'value'],
      [lines.parked, 'accounts.parked', 'value'],
    ],
  },
  {
    name: 'age',
    unit: ' ms',
    lines: [
      [lines.events, 'queue.bus.latency', 'tp95'],
      [lines.planned, 'queue.notifications.latency', 'tp95'],
    ],
  },
  { name: 'requests', unit: '/s', lines: [[lines.requests, 'http.requests', 'one_minute_rate']] },
  {
    name: 'latency',
    unit: ' ms',
    lines: [
      [lines.median, 'http.requests', 'median'],
      [lines.slowest, 'http.requests', 'tp95'],
    ],
  },
  { name: 'gateway', unit: ' ms', lines: [[lines.slowest, 'payment.plugin', 'tp95']] },
  {
    name: 'errors',
    unit: '/s',
    lines: [
      [lines.errors, 'logs.rates.error', 'one_minute_rate'],
      [lines.pushes, 'push.failed', 'one_minute_rate'],
    ],
  },
];

function Measurements() {
  const given = parameters.value.get('range') ?? 'hour';
  const name: RangeName = Object.hasOwn(ranges, given) ? (given as RangeName) : 'hour';
  const loaded = useLoad(() => measured(name), [name]);
  return (
    <Section
      title={t.measurements}
      actions={<Filter label={t.range} name="range" options={Object.entries(t.ranges)} />}
    >
      <Show of={loaded}>
        {({ labels, values }) => (
          <Columns>
            {charts.map((chart) => (
              <Chart
                key={chart.name}
                title={t.charts[chart.name]}
                labels={labels}
                series={chart.lines.map(([label, category, kind]) => ({
                  label,
                  kind: 'line',
                  values: values.get(`${category} ${kind}`) ?? labels.map(() => null),
                }))}
                valueText={(value) => `${quantity(Number(value.toPrecision(3)))}${chart.unit}`}
              />
            ))}
          </Columns>
        )}
      </Show>
    </Section>
  );
}

type SystemTime = NonNullable<Parameters<Api['monitoring']['samples']>[0]['from']>;

/** Values by category and kind, one for each label. The highest value of the nodes counts. */
async function measured(name: RangeName): Promise<{
  readonly labels: readonly string[];
  readonly values: ReadonlyMap<string, readonly (number | null)[]>;
}> {
  const { ms, stepMs, granularity } = ranges[name];
  const toMs = Math.ceil(Date.now() / stepMs) * stepMs;
  const starts = Array.from({ length: ms / stepMs }, (_, index) => toMs - ms + index * stepMs);
  const kinds = charts.flatMap((chart) =>
    chart.lines.map(([, eventCategory, sampleKind]) => ({ eventCategory, sampleKind })),
  );
  const found = await api().monitoring.samples({
    from: (toMs - ms) as SystemTime,
    to: toMs as SystemTime,
    kinds,
    granularity,
  });
  const values = new Map<string, (number | null)[]>();
  for (const { eventCategory, sampleKind, samples } of found) {
    const key = `${eventCategory} ${sampleKind}`;
    const list = values.get(key) ?? starts.map(() => null);
    values.set(key, list);
    for (const { atMs, value } of samples) {
      const at = Math.floor((atMs - (toMs - ms)) / stepMs);
      if (at in list) list[at] = Math.max(list[at] ?? 0, value);
    }
  }
  return { labels: starts.map((startMs) => labelOf(startMs, name)), values };
}

function labelOf(startMs: number, name: RangeName): string {
  const date = new Date(startMs);
  return name === 'week'
    ? new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(date)
    : new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(date);
}
