import { api } from '../core/data.ts';
import { durationText, label, valueText } from '../core/format.ts';
import { href, parameters } from '../core/location.ts';
import { Load, Page, Section } from '../parts/layout.tsx';
import { Outlook } from '../parts/outlook.tsx';
import { Filters, ListSection } from '../parts/table.tsx';
import { Badge, IdLink, Sentences } from '../parts/values.tsx';
import { texts } from '../texts.ts';

const t = texts.overdue;

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
  const search = <Filters of={{ account: { kind: 'search', label: t.accountIdOrKey } }} />;
  return (
    <Page name="overdue">
      <Load from={load}>
        {(data) => (
          <>
            <Section name="states" isExplained>
              <Flow {...data} />
            </Section>
            <Accounts {...data} />
          </>
        )}
      </Load>
      <Section name="forecast" actions={search}>
        {account !== null && <Forecast key={account} account={account} />}
      </Section>
    </Page>
  );
}

type Configuration = Awaited<ReturnType<typeof load>>;

/** The states from no debt to the most severe one, with the condition of each step and its effects. */
function Flow({ states, accounts }: Configuration) {
  if (states.length === 0) return <p class="quiet-text">{t.none}</p>;
  return (
    <ol class="flow">
      <li class="flow-state good">
        <strong>{t.clear}</strong>
        <span>{t.clearText}</span>
      </li>
      {states.map(({ name, condition, isClearState, ...effects }, index) => (
        <li key={name} class={`flow-state ${index === states.length - 1 ? 'bad' : 'warning'}`}>
          <small>→ {condition === null ? t.always : factsOf(condition).join(t.and)}</small>
          <strong>{name}</strong>
          <a href={`${href('/overdue')}?state=${encodeURIComponent(name)}`}>
            {t.count(accounts.get(name) ?? 0)}
          </a>
          <Sentences of={factsOf(effects)} />
        </li>
      ))}
    </ol>
  );
}

/** Returns the members that are set as sentences, such as `Unpaid for at least: 4 days`. */
function factsOf(of: object): readonly string[] {
  return Object.entries(of)
    .filter(([, value]) => value && value !== 'NONE')
    .map(([name, value]) => `${label(name)}: ${value.unit ? durationText(value) : valueText(value)}`);
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
      ]}
    />
  );
}

function Forecast({ account }: { readonly account: string }) {
  return (
    <Load from={async () => ({ found: await api().accounts.findExactly(account) })}>
      {({ found }) =>
        found === null ? (
          <p class="quiet-text">{t.unknownAccount(account)}</p>
        ) : (
          <Outlook accountId={found.id} />
        )
      }
    </Load>
  );
}
