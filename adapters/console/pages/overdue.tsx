import { api, type ResultOf, useLoad } from '../core/data.ts';
import { words } from '../core/format.ts';
import { href, parameters } from '../core/location.ts';
import { Action, requiredText } from '../parts/action.tsx';
import { Badge, Page, Section, Sentences, Show } from '../parts/layout.tsx';
import { Outlook } from '../parts/outlook.tsx';
import { Filter, FilterInput, ListSection } from '../parts/table.tsx';
import { texts } from '../texts.ts';

const t = texts.overdue;

type State = ResultOf<'overdue', 'get'>['overdueStates'][number];

async function load() {
  const [{ overdueStates }, { states: counts }] = await Promise.all([
    api().overdue.get(),
    api().reports.overdue(),
  ]);
  const states = overdueStates.filter(({ isClearState }) => !isClearState).toReversed();
  return { states, accounts: new Map(counts.map(({ name, accounts }) => [name, accounts])) };
}

/** The overdue configuration as a picture, the accounts in each state, and the forecast of one account. */
export function Overdue() {
  const upload = (
    <Action
      name="uploadConfiguration"
      needs="overdue:config_upload"
      fields={[{ name: 'xmlOrJson', kind: 'area', rows: 14, isRequired: true }]}
      run={(values) => api().overdue.upload(requiredText(values, 'xmlOrJson'))}
    />
  );
  const loaded = useLoad(load);
  const account = parameters.value.get('account') ?? '';
  return (
    <Page name="overdue" actions={upload}>
      <Section name="states">
        <p>{t.explanation}</p>
        <Show of={loaded}>{(data) => <Flow {...data} />}</Show>
      </Section>
      <Show of={loaded}>{({ states }) => <Accounts states={states} />}</Show>
      <Section name="forecast" actions={<FilterInput name="account" label={t.accountIdOrKey} />}>
        {account !== '' && <Forecast key={account} account={account} />}
      </Section>
    </Page>
  );
}

/** The states from no debt to the most severe one, with the condition of each step and its effects. */
function Flow({ states, accounts }: Awaited<ReturnType<typeof load>>) {
  if (states.length === 0) return <p class="empty">{t.none}</p>;
  return (
    <ol class="flow">
      <li class="flow-state good">
        <strong>{t.clear}</strong>
        <span>{t.clearText}</span>
      </li>
      {states.map((state, index) => (
        <li key={state.name} class={`flow-state ${index === states.length - 1 ? 'bad' : 'warning'}`}>
          <small>{conditionText(state)}</small>
          <strong>{state.name}</strong>
          <a href={`${href('/overdue')}?state=${encodeURIComponent(state.name)}`}>
            {t.count(accounts.get(state.name) ?? 0)}
          </a>
          <Sentences of={effectsOf(state)} />
        </li>
      ))}
    </ol>
  );
}

function conditionText({ condition }: State): string {
  if (condition === null) return t.always;
  const age = condition.timeSinceEarliestUnpaidInvoiceEqualsOrExceeds;
  const total = condition.totalUnpaidInvoiceBalanceEqualsOrExceeds;
  const count = condition.numberOfUnpaidInvoicesEqualsOrExceeds;
  const responses = condition.responseForLastFailedPayment;
  const { controlTagInclusion, controlTagExclusion } = condition;
  const parts = [
    age && t.unpaidSince(`${age.number} ${age.unit.toLowerCase()}`),
    count !== null && t.unpaidCount(count),
    total && t.unpaidTotal(String(total)),
    responses && t.lastFailure(responses.map(words).join(', ')),
    controlTagInclusion && t.withTag(controlTagInclusion),
    controlTagExclusion && t.withoutTag(controlTagExclusion),
  ];
  return parts.filter(Boolean).join(t.and);
}

function effectsOf(state: State): readonly string[] {
  const { isBlockChanges, isDisableEntitlement, subscriptionCancellationPolicy, externalMessage } = state;
  const policy = words(subscriptionCancellationPolicy).toLowerCase();
  return [
    ...(isBlockChanges || isDisableEntitlement ? [t.blocksChanges] : []),
    ...(isDisableEntitlement ? [t.stopsService] : []),
    ...(subscriptionCancellationPolicy === 'NONE' ? [] : [t.cancels(policy)]),
    ...(externalMessage === '' ? [] : [t.says(externalMessage)]),
  ];
}

function Accounts({ states }: { readonly states: readonly State[] }) {
  const state = parameters.value.get('state');
  const options = [['', t.anyState] as const, ...states.map(({ name }) => [name, name] as const)];
  return (
    <ListSection
      name="overdueAccounts"
      pageParameter="page"
      actions={<Filter name="state" options={options} />}
      load={({ offset, limit }) =>
        api().overdue.accounts({ offset, limit, ...(state !== null && { state }) })
      }
      inputs={[state]}
      columns={[
        ['name', (row) => <a href={href('/accounts', row.accountId)}>{row.name ?? row.externalKey}</a>],
        'externalKey',
        ['state', (row) => <Badge tone="warning">{row.state}</Badge>],
        [
          'forecast',
          ({ accountId, externalKey }) => (
            <a href={`${href('/overdue')}?account=${accountId}`}>{t.forecastOf(externalKey)}</a>
          ),
        ],
      ]}
    />
  );
}

/** The states that an account will reach if nothing is paid. */
function Forecast({ account }: { readonly account: string }) {
  const loaded = useLoad(async () => ({ found: await api().accounts.findExactly(account) }));
  return (
    <Show of={loaded}>
      {({ found }) =>
        found === null ? <p class="empty">{t.unknownAccount(account)}</p> : <Outlook accountId={found.id} />
      }
    </Show>
  );
}
