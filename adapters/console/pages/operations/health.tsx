import { type Api, api, failureOf, recordingFetch } from '../../core/data.ts';
import { label, quantity, words } from '../../core/format.ts';
import { parameters, serverBase } from '../../core/location.ts';
import { Chart } from '../../parts/chart.tsx';
import { Badge, Load, Section } from '../../parts/layout.tsx';
import { Filters, ListSection } from '../../parts/table.tsx';

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
  return (
    <>
      <ListSection
        name="checksOfThisNode"
        load={checks}
        columns={[
          ['check', ({ name }) => words(name)],
          [
            'state',
            ({ healthy }) => (
              <Badge tone={healthy ? 'good' : 'bad'}>{label(healthy ? 'healthy' : 'failing')}</Badge>
            ),
          ],
          ['finding', 'message', 'text'],
        ]}
      />
      <Measurements />
    </>
  );
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const ranges = {
  lastHour: { ms: HOUR_MS, stepMs: MINUTE_MS, granularity: 'MINUTE' },
  lastDay: { ms: 24 * HOUR_MS, stepMs: HOUR_MS, granularity: 'HOUR' },
  lastWeek: { ms: 7 * 24 * HOUR_MS, stepMs: 24 * HOUR_MS, granularity: 'DAY' },
} as const;

type RangeName = keyof typeof ranges;

/** Charts by their names: the unit, and the lines with label, category of the samples, and kind. */
const charts: Readonly<Record<string, { readonly unit: string; readonly lines: Lines }>> = {
  lateWorkAndParkedAccounts: {
    unit: '',
    lines: [
      ['events', 'queue.bus.late', 'value'],
      ['plannedWork', 'queue.notifications.late', 'value'],
      ['parkedAccounts', 'accounts.parked', 'value'],
    ],
  },
  ageOfWork: {
    unit: ' ms',
    lines: [
      ['events', 'queue.bus.latency', 'tp95'],
      ['plannedWork', 'queue.notifications.latency', 'tp95'],
    ],
  },
  requests: { unit: '/s', lines: [['requests', 'http.requests', 'one_minute_rate']] },
  durationOfRequests: {
    unit: ' ms',
    lines: [
      ['halfAreFaster', 'http.requests', 'median'],
      ['slowest', 'http.requests', 'tp95'],
    ],
  },
  durationOfGatewayCalls: { unit: ' ms', lines: [['slowest', 'payment.plugin', 'tp95']] },
  errors: {
    unit: '/s',
    lines: [
      ['loggedErrors', 'logs.rates.error', 'one_minute_rate'],
      ['failedDeliveries', 'push.failed', 'one_minute_rate'],
    ],
  },
};

type Lines = readonly (readonly [name: string, eventCategory: string, sampleKind: string])[];

function Measurements() {
  const given = parameters.value.get('range') ?? 'lastHour';
  const name: RangeName = Object.hasOwn(ranges, given) ? (given as RangeName) : 'lastHour';
  const filter = <Filters of={{ range: { kind: 'select', options: Object.keys(ranges) } }} />;
  return (
    <Section name="measurements" actions={filter}>
      <Load from={() => measured(name)} inputs={[name]}>
        {({ labels, values }) => (
          <div class="columns">
            {Object.entries(charts).map(([name, { unit, lines }]) => (
              <Chart
                key={name}
                title={label(name)}
                labels={labels}
                series={lines.map(([line, category, kind]) => ({
                  label: label(line),
                  kind: 'line',
                  values: values.get(`${category} ${kind}`) ?? labels.map(() => null),
                }))}
                valueText={(value) => `${quantity(Number(value.toPrecision(3)))}${unit}`}
              />
            ))}
          </div>
        )}
      </Load>
    </Section>
  );
}

type SystemTime = NonNullable<Parameters<Api['monitoring']['samples']>[0]['from']>;

/** Values by category and kind, one for each label. The highest value of the nodes counts. */
async function measured(name: RangeName) {
  const { ms, stepMs, granularity } = ranges[name];
  const toMs = Math.ceil(Date.now() / stepMs) * stepMs;
  const starts = Array.from({ length: ms / stepMs }, (_, index) => toMs - ms + index * stepMs);
  const kinds = Object.values(charts).flatMap(({ lines }) =>
    lines.map(([, eventCategory, sampleKind]) => ({ eventCategory, sampleKind })),
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
  return name === 'lastWeek'
    ? new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(date)
    : new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(date);
}
