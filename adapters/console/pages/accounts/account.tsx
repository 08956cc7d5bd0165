import type { JSX } from 'preact';
import { api, type ResultOf } from '../../core/api.ts';
import { day, money, words } from '../../core/format.ts';
import { useLoad } from '../../core/load.ts';
import { href, hrefWith } from '../../core/location.ts';
import type { PathValues } from '../../core/routes.ts';
import { may } from '../../core/session.ts';
import { Badge, Copyable, Figure, Page, Tabs } from '../../parts/layout.tsx';
import { Show } from '../../parts/loading.tsx';
import { texts } from '../../texts.ts';
import { AccountActions } from './account-actions.tsx';
import { Coupons } from './account-coupons.tsx';
import { Details } from './account-details.tsx';
import type { Account } from './account-form.ts';
import { AccountHistory } from './account-history.tsx';
import { Invoices } from './account-invoices.tsx';
import { Overview } from './account-overview.tsx';
import { Payments } from './account-payments.tsx';

const t = texts.account;

/** What the header and the figures of an account need. */
export interface AccountSummary {
  readonly account: Account;
  readonly balance: ResultOf<'accounts', 'balances'> extends ReadonlyMap<unknown, infer B> ? B : never;
  readonly overdue: ResultOf<'overdue', 'explain'>;
  readonly tags: ResultOf<'tags', 'ofObject'>;
  /** Null if no invoice is foreseen; undefined if the user may not foresee invoices. */
  readonly next: ResultOf<'invoices', 'dryRun'> | undefined;
}

/** One account: what it owes, what comes next, and everything it has. */
export function AccountPage({ path }: { readonly path: PathValues }): JSX.Element {
  const id = path.id ?? '';
  return <Show of={useLoad(() => summaryOf(id), [id])}>{(summary) => <Loaded {...summary} />}</Show>;
}

async function summaryOf(id: string): Promise<AccountSummary> {
  const foreseen = { accountId: id, dryRunType: 'UPCOMING_INVOICE', explain: true } as const;
  const [account, balances, overdue, tags, next] = await Promise.all([
    api().accounts.get(id),
    api().accounts.balances([id]),
    api().overdue.explain(id),
    api().tags.ofObject({ type: 'ACCOUNT', id }),
    may('invoice:dry_run') ? api().invoices.dryRun(foreseen) : undefined,
  ]);
  const [balance] = balances.values();
  if (balance === undefined) throw new Error(t.noBalance);
  return { account, balance, overdue, tags, next };
}

function Loaded(summary: AccountSummary): JSX.Element {
  const { account } = summary;
  const { id } = account;
  return (
    <Page
      title={account.name ?? account.externalKey}
      above={[[texts.accounts.title, href('/accounts')]]}
      subtitle={<Subtitle {...summary} />}
      actions={<AccountActions account={account} />}
    >
      <Figures {...summary} />
      <Tabs
        tabs={[
          { name: 'overview', title: t.overview, content: () => <Overview {...summary} /> },
          { name: 'invoices', title: t.invoices, content: () => <Invoices accountId={id} /> },
          { name: 'payments', title: t.payments, content: () => <Payments account={account} /> },
          { name: 'coupons', title: t.coupons, content: () => <Coupons account={account} /> },
          { name: 'details', title: t.details, content: () => <Details account={account} /> },
          { name: 'history', title: texts.history.title, content: () => <AccountHistory accountId={id} /> },
        ]}
      />
    </Page>
  );
}

function Subtitle({ account, overdue, tags }: AccountSummary): JSX.Element {
  const { externalKey, email, timeZone, currency } = account;
  return (
    <>
      <Copyable text={externalKey} /> {email !== null && <a href={`mailto:${email}`}>{email}</a>}{' '}
      {[currency, timeZone].filter((text) => text !== null).join(' · ')}{' '}
      {!overdue.state.isClearState && <Badge tone="bad">{t.overdueState(words(overdue.state.name))}</Badge>}{' '}
      {tags.map(({ id, tagDefinitionName }) => (
        <span key={id}>
          <Badge>{tagDefinitionName}</Badge>{' '}
        </span>
      ))}
    </>
  );
}

/** Returns true if the account gets no invoices, for example because it is suspended. */
export function isNotInvoiced({ overdue }: AccountSummary): boolean {
  return overdue.controlTags.includes('AUTO_INVOICING_OFF');
}

function Figures(summary: AccountSummary): JSX.Element {
  const { account, balance, overdue } = summary;
  const next = isNotInvoiced(summary) ? null : (summary.next ?? null);
  const { currency } = account;
  const owes = balance.accountBalance.gt(0);
  const { unpaidCount, unpaidTotal, unpaidSince } = overdue;
  return (
    <div class="figures">
      <Figure
        name={t.balance}
        value={money(balance.accountBalance, currency)}
        {...(owes && { tone: 'bad' as const })}
      />
      <Figure
        name={unpaidSince === null ? t.noUnpaid : t.unpaidSince(day(unpaidSince))}
        value={unpaidCount === 0 ? '0' : `${unpaidCount} · ${money(unpaidTotal, currency)}`}
        url={hrefWith({ tab: null })}
      />
      <Figure name={t.credit} value={money(balance.accountCBA, currency)} />
      {summary.next !== undefined && (
        <Figure
          name={next === null ? t.noNext : t.nextOn(day(next.targetDate))}
          value={next === null ? '–' : money(next.balance, currency)}
          url={hrefWith({ tab: null })}
        />
      )}
    </div>
  );
}
