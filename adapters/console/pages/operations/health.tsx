import { type Api, api } from '../../core/data.ts';
import { label, quantity } from '../../core/format.ts';
import { parameters } from '../../core/location.ts';
import { Chart } from '../../parts/chart.tsx';
import { Load, Section } from '../../parts/layout.tsx';
import { Filters } from '../../parts/table.tsx';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The time that the charts show, and the distance of their points. */
const ranges = {
  lastHour: { ms: HOUR_MS, stepMs: MINUTE_MS, granularity: 'MINUTE' },
  lastDay: { ms: 24 * HOUR_MS, stepMs: HOUR_MS, granularity: 'HOUR' },
} as const;

/** Charts by their names: the unit, then the lines with label, category of the samples, and kind. */
const charts: Readonly<Record<string, readonly [unit: string, ...lines: readonly Line[]]>> = {
  lateWorkAndParkedAccounts: [
    '',
    ['events', 'queue.bus.late', 'value'],
    ['plannedWork', 'queue.notifications.late', 'value'],
    ['parkedAccounts', 'accounts.parked', 'value'],
  ],
  ageOfWork: [
    ' ms',
    ['events', 'queue.bus.latency', 'tp95'],
    ['plannedWork', 'queue.notifications.latency', 'tp95'],
  ],
  requests: ['/s', ['requests', 'http.requests', 'one_minute_rate']],
  durationOfRequests: [
    ' ms',
    ['halfAreFaster', 'http.requests', 'median'],
    ['slowest', 'http.requests', 'tp95'],
  ],
  durationOfGatewayCalls: [' ms', ['slowest', 'payment.plugin', 'tp95']],
  errors: [
    '/s',
    ['loggedErrors', 'logs.rates.error', 'one_minute_rate'],
    ['failedDeliveries', 'push.failed', 'one_minute_rate'],
  ],
};

type Line = readonly [name: string, eventCategory: string, sampleKind: string];

export function Health() {
  const given = parameters.value.get('range') ?? '';
  const name = Object.hasOwn(ranges, given) ? (given as keyof typeof ranges) : 'lastHour';
  const filter = <Filters of={{ range: { kind: 'select', options: Object.keys(ranges) } }} />;
  return (
    <Section name="measurements" actions={filter}>
      <Load from={() => loadSamples(ranges[name])} inputs={[name]}>
        {({ labels, values }) => (
          <div class="columns">
            {Object.entries(charts).map(([title, [unit, ...lines]]) => (
              <Chart
                key={title}
                title={label(title)}
                kind="lines"
                labels={labels}
                series={lines.map(([line, category, kind]) => ({
                  label: label(line),
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
async function loadSamples({ ms, stepMs, granularity }: (typeof ranges)[keyof typeof ranges]) {
  const to = Math.ceil(Date.now() / stepMs) * stepMs;
  const from = to - ms;
  const starts = Array.from({ length: ms / stepMs }, (_, index) => from + index * stepMs);
  const kinds = Object.values(charts).flatMap(([, ...lines]) =>
    lines.map(([, eventCategory, sampleKind]) => ({ eventCategory, sampleKind })),
  );
  const request = { from: from as SystemTime, to: to as SystemTime, kinds, granularity };
  const values = new Map<string, (number | null)[]>();
  for (const { eventCategory, sampleKind, samples } of await api().monitoring.samples(request)) {
    const key = `${eventCategory} ${sampleKind}`;
    const list = values.get(key) ?? starts.map(() => null);
    values.set(key, list);
    for (const { atMs, value } of samples) {
      const at = Math.floor((atMs - from) / stepMs);
      if (at in list) list[at] = Math.max(list[at] ?? 0, value);
    }
  }
  const format = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
  return { labels: starts.map((start) => format.format(start)), values };
}
