import { api, href, may, parameters, type ResultOf, useLoad, words } from '../../core/index.ts';
import { Action, Badge, Filter, Page, PagedTable, Section, Show, textOf } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { Forecast } from './forecast.tsx';

const t = texts.overdue;

type Configuration = ResultOf<'overdue', 'get'>;
type State = Configuration['overdueStates'][number];

/** The overdue configuration as a picture, the accounts in each state, and the forecast of one account. */
export function Overdue() {
  const configuration = useLoad(() => api().overdue.get());
  const counts = useLoad(() => api().reports.overdue());
  const accounts = new Map(counts.data?.states.map((state) => [state.name, state.accounts]));
  return (
    <Page title={t.title} actions={may('overdue:config_upload') && <Upload />}>
      <Section title={t.states}>
        <p>{t.explanation}</p>
        <Show of={configuration}>
          {({ overdueStates }) => <Flow states={overdueStates} accounts={accounts} />}
        </Show>
      </Section>
      <Show of={configuration}>{({ overdueStates }) => <Accounts states={overdueStates} />}</Show>
      <Section title={t.forecast}>
        <Forecast />
      </Section>
    </Page>
  );
}

/** The states from no debt to the most severe one, with the condition of each step and its effects. */
function Flow(props: { states: readonly State[]; accounts: ReadonlyMap<string, number> }) {
  const states = props.states.filter(({ isClearState }) => !isClearState).toReversed();
  if (states.length === 0) return <p class="empty">{t.none}</p>;
  return (
    <ol class="flow">
      <li class="flow-state good">
        <strong>{t.clear}</strong>
        <span>{t.clearText}</span>
      </li>
      {states.map((state, index) => {
        const count = props.accounts.get(state.name) ?? 0;
        return (
          <li key={state.name} class={`flow-state ${index === states.length - 1 ? 'bad' : 'warning'}`}>
            <small>{conditionText(state)}</small>
            <strong>{state.name}</strong>
            <a href={`${href('/overdue')}?state=${encodeURIComponent(state.name)}`}>{t.count(count)}</a>
            <ul>
              {effectsOf(state).map((effect) => (
                <li key={effect}>{effect}</li>
              ))}
            </ul>
          </li>
        );
      })}
    </ol>
  );
}

function conditionText({ condition }: State): string {
  if (condition === null) return t.always;
  const age = condition.timeSinceEarliestUnpaidInvoiceEqualsOrExceeds;
  const total = condition.totalUnpaidInvoiceBalanceEqualsOrExceeds;
  const count = condition.numberOfUnpaidInvoicesEqualsOrExceeds;
  return [
    ...(age === null ? [] : [t.unpaidSince(`${age.number} ${age.unit.toLowerCase()}`)]),
    ...(count === null ? [] : [t.unpaidCount(count)]),
    ...(total === null ? [] : [t.unpaidTotal(String(total))]),
    ...(condition.responseForLastFailedPayment === null
      ? []
      : [t.lastFailure(condition.responseForLastFailedPayment.map(words).join(', '))]),
    ...(condition.controlTagInclusion === null ? [] : [t.withTag(condition.controlTagInclusion)]),
    ...(condition.controlTagExclusion === null ? [] : [t.withoutTag(condition.controlTagExclusion)]),
  ].join(t.and);
}

function effectsOf(state: State): readonly string[] {
  const cancels = state.subscriptionCancellationPolicy !== 'NONE';
  return [
    ...(state.isBlockChanges || state.isDisableEntitlement ? [t.blocksChanges] : []),
    ...(state.isDisableEntitlement ? [t.stopsService] : []),
    ...(cancels ? [t.cancels(words(state.subscriptionCancellationPolicy).toLowerCase())] : []),
    ...(state.externalMessage === '' ? [] : [t.says(state.externalMessage)]),
  ];
}

function Accounts({ states }: { readonly states: readonly State[] }) {
  const state = parameters.value.get('state');
  const names = states.filter(({ isClearState }) => !isClearState).map(({ name }) => name);
  const options = [['', t.anyState] as const, ...names.map((name) => [name, name] as const)];
  return (
    <Section title={t.accounts} actions={<Filter label={t.state} name="state" options={options} />}>
      <PagedTable
        caption={t.accounts}
        load={({ offset, limit }) =>
          api().overdue.accounts({ offset, limit, ...(state !== null && { state }) })
        }
        inputs={[state]}
        keyOf={({ accountId }) => accountId}
        empty={t.nobody}
        columns={[
          {
            title: texts.accounts.name,
            cell: (row) => <a href={href('/accounts', row.accountId)}>{row.name ?? row.externalKey}</a>,
          },
          { title: texts.accounts.key, cell: ({ externalKey }) => externalKey },
          { title: t.state, cell: (row) => <Badge tone="warning">{row.state}</Badge> },
          {
            title: t.forecast,
            cell: ({ accountId, externalKey }) => (
              <a href={`${href('/overdue')}?account=${accountId}`}>{t.forecastOf(externalKey)}</a>
            ),
          },
        ]}
      />
    </Section>
  );
}

function Upload() {
  return (
    <Action
      label={t.upload}
      explanation={t.uploadExplanation}
      fields={[{ name: 'document', label: t.document, kind: 'area', rows: 14, isRequired: true }]}
      run={(values) => api().overdue.upload(textOf(values, 'document') ?? '')}
      done={t.uploaded}
    />
  );
}
