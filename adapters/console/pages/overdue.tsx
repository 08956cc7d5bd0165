import { api, type ResultOf } from '../core/data.ts';
import { words } from '../core/format.ts';
import { href, parameters } from '../core/location.ts';
import { Action } from '../parts/action.tsx';
import { Badge, IdLink, Load, Page, Section, Sentences } from '../parts/layout.tsx';
import { Outlook } from '../parts/outlook.tsx';
import { Filters, ListSection } from '../parts/table.tsx';
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
  const account = parameters.value.get('account');
  const upload = (
    <Action
      name="uploadConfiguration"
      needs="overdue:config_upload"
      fields={{ xmlOrJson: { kind: 'area', rows: 14, isRequired: true } }}
      run={({ xmlOrJson }) => api().overdue.upload(xmlOrJson)}
    />
  );
  return (
    <Page name="overdue" actions={upload}>
      <Load from={load}>
        {(data) => (
          <>
            <Section name="states">
              <p>{t.explanation}</p>
              <Flow {...data} />
            </Section>
            <Accounts {...data} />
          </>
        )}
      </Load>
      <Section
        name="forecast"
        actions={<Filters of={{ account: { kind: 'search', label: t.accountIdOrKey } }} />}
      >
        {account !== null && <Forecast key={account} account={account} />}
      </Section>
    </Page>
  );
}

type Configuration = Awaited<ReturnType<typeof load>>;

/** The states from no debt to the most severe one, with the condition of each step and its effects. */
function Flow({ states, accounts }: Configuration) {
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

function Accounts({ states }: Configuration) {
  const state = parameters.value.get('state');
  const options = [['', t.anyState] as const, ...states.map(({ name }) => [name, name] as const)];
  return (
    <ListSection
      name="overdueAccounts"
      pageParameter="page"
      actions={<Filters of={{ state: { kind: 'select', options } }} />}
      load={(page) => api().overdue.accounts({ ...page, ...(state !== null && { state }) })}
      columns={[
        ['name', (row) => <IdLink page="/accounts" id={row.accountId} label={row.name ?? row.externalKey} />],
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
  return (
    <Load from={async () => ({ found: await api().accounts.findExactly(account) })}>
      {({ found }) =>
        found === null ? <p class="empty">{t.unknownAccount(account)}</p> : <Outlook accountId={found.id} />
      }
    </Load>
  );
}
