import {
  api,
  day,
  href,
  hrefWith,
  may,
  money,
  navigate,
  now,
  type PathValues,
  parameters,
  quantity,
  useLoad,
  words,
} from '../../core/index.ts';
import { Chart } from '../../parts/chart.tsx';
import {
  Action,
  ListSection,
  ListTable,
  Page,
  Section,
  Show,
  textOf,
  type Values,
} from '../../parts/index.ts';
import { texts } from '../../texts.ts';

const t = texts.usage;

const DAY_MS = 86_400_000;
const SHOWN_DAYS = 45;

/** Usage of a subscription: recorded by day, rated so far, and what no invoice contains, with the reasons. */
export function Usage({ path }: { readonly path: PathValues }) {
  const subscriptionId = path.id ?? '';
  const subscription = useLoad(() => api().subscriptions.get(subscriptionId), [subscriptionId]);
  const to = parameters.value.get('to') ?? dateAfter(now(), 1);
  const from = parameters.value.get('from') ?? dateAfter(new Date(to), -SHOWN_DAYS);
  return (
    <Page
      title={t.title}
      above={[[subscription.data?.planName ?? texts.common.loading, href('/subscriptions', subscriptionId)]]}
      actions={may('usage:record') && <RecordUsage subscriptionId={subscriptionId} />}
    >
      <Span from={from} to={to} />
      <Recorded subscriptionId={subscriptionId} from={from} to={to} />
      <Rated subscriptionId={subscriptionId} />
      <Unbilled subscriptionId={subscriptionId} from={from} to={to} />
    </Page>
  );
}

interface SpanProps {
  readonly subscriptionId: string;
  readonly from: string;
  readonly to: string;
}

function dateAfter(start: Date, days: number): string {
  return new Date(start.getTime() + days * DAY_MS).toISOString().slice(0, 10);
}

/** The first day and the day after the last one. Both are in the URL. */
function Span({ from, to }: Pick<SpanProps, 'from' | 'to'>) {
  const field = (name: string, label: string, value: string) => (
    <label class="filter">
      {label}
      <input
        type="date"
        value={value}
        onChange={({ currentTarget }) =>
          navigate(hrefWith({ [name]: currentTarget.value }), { replace: true })
        }
      />
    </label>
  );
  return (
    <div class="filters">
      {field('from', t.from, from)}
      {field('to', t.before, to)}
    </div>
  );
}

function Recorded({ subscriptionId, from, to }: SpanProps) {
  const days = useLoad(
    () => api().usage.timeline(subscriptionId, { granularity: 'DAY', startDate: from, endDate: to }),
    [subscriptionId, from, to],
  );
  return (
    <Section title={t.recorded}>
      <Show of={days}>
        {(rows) => {
          const units = [
            ...new Set(rows.flatMap(({ rolledUpUnits }) => rolledUpUnits.map(({ unitType }) => unitType))),
          ];
          if (units.length === 0) return <p class="empty">{t.nothingRecorded}</p>;
          const amountOf = (row: (typeof rows)[number], unit: string) =>
            Number(row.rolledUpUnits.find(({ unitType }) => unitType === unit)?.amount ?? 0);
          return units.map((unit) => (
            <Chart
              key={unit}
              title={unit}
              labels={rows.map(({ startDate }) => startDate.toISOString().slice(5, 10))}
              series={[{ label: unit, values: rows.map((row) => amountOf(row, unit)) }]}
              valueText={(value) => quantity(value)}
            />
          ));
        }}
      </Show>
    </Section>
  );
}

/** The usage items that an invoice would contain today. */
function Rated({ subscriptionId }: { readonly subscriptionId: string }) {
  const rated = useLoad(() => api().usage.rated(subscriptionId), [subscriptionId]);
  return (
    <Section title={t.rated}>
      <p>{t.ratedExplanation}</p>
      <ListTable
        of={rated}
        pageParameter="rated"
        caption={t.rated}
        keyOf={({ id }) => id}
        empty={t.nothingRated}
        columns={[
          { title: t.usage, cell: (item) => item.prettyUsageName ?? item.usageName },
          { title: t.period, cell: ({ startDate, endDate }) => t.span(day(startDate), day(endDate)) },
          {
            title: t.quantity,
            cell: ({ usage, quantity: amount }) =>
              usage.map((unit) => `${quantity(unit.quantity)} ${unit.name}`).join(', ') || quantity(amount),
            isNumber: true,
          },
          { title: t.amount, cell: ({ amount, currency }) => money(amount, currency), isNumber: true },
        ]}
      />
    </Section>
  );
}

function Unbilled({ subscriptionId, from, to }: SpanProps) {
  const unbilled = useLoad(
    () => api().usage.unbilled(subscriptionId, { startDate: from, endDate: to }),
    [subscriptionId, from, to],
  );
  return (
    <ListSection
      of={unbilled}
      pageParameter="unbilled"
      caption={t.unbilled}
      keyOf={(row) => JSON.stringify(row)}
      empty={t.allBilled}
      columns={[
        { title: t.unit, cell: ({ unitType }) => unitType },
        { title: t.quantity, cell: ({ amount }) => quantity(amount), isNumber: true },
        { title: t.period, cell: ({ startDate, endDate }) => t.span(day(startDate), day(endDate)) },
        { title: t.reason, cell: ({ reason }) => t.reasons[reason] ?? words(reason), isText: true },
      ]}
    />
  );
}

function RecordUsage({ subscriptionId }: { readonly subscriptionId: string }) {
  const record = (values: Values) =>
    api().usage.record({
      subscriptionId,
      trackingId: textOf(values, 'trackingId') ?? null,
      unitUsageRecords: [
        {
          unitType: textOf(values, 'unitType') ?? '',
          usageRecords: [
            { recordDate: textOf(values, 'recordDate') ?? '', amount: textOf(values, 'amount') ?? '' },
          ],
        },
      ],
    });
  return (
    <Action
      label={t.record}
      explanation={t.recordExplanation}
      fields={[
        { name: 'unitType', label: t.unit, isRequired: true },
        { name: 'amount', label: t.quantity, kind: 'amount', isRequired: true },
        { name: 'recordDate', label: t.day, kind: 'date', isRequired: true },
        { name: 'trackingId', label: t.trackingId, help: t.trackingIdHelp },
      ]}
      run={record}
      done={t.wasRecorded}
    />
  );
}
