import { api, day, href, hrefWith, money, type PathValues, useLoad, words } from '../../core/index.ts';
import { Badge, Copyable, Figure, Page, Show, Tabs } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { AccountActions } from './account-actions.tsx';
import { Coupons } from './account-coupons.tsx';
import { Details } from './account-details.tsx';
import { AccountHistory } from './account-history.tsx';
import { Invoices } from './account-invoices.tsx';
import { Overview } from './account-overview.tsx';
import { Payments } from './account-payments.tsx';
import { type AccountSummary, isNotInvoiced, summaryOf } from './account-summary.ts';

const t = texts.account;

/** One account: what it owes, what comes next, and everything it has. */
export function AccountPage({ path }: { readonly path: PathValues }) {
  const id = path.id ?? '';
  return <Show of={useLoad(() => summaryOf(id), [id])}>{(summary) => <Loaded {...summary} />}</Show>;
}

function Loaded(summary: AccountSummary) {
  const { account } = summary;
  const { id } = account;
  return (
    <Page
      title={account.name ?? account.externalKey}
      above={[[texts.accounts.title, href('/accounts')]]}
      subtitle={<Subtitle {...summary} />}
      actions={<AccountActions account={account} />}
    >
      {summary.tags
        .filter(({ tagDefinitionName }) => tagDefinitionName === '__PARK__')
        .map(({ id: tagId }) => (
          <Parked key={tagId} accountId={id} tagId={tagId} />
        ))}
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

/** Why the account gets no invoices. The change that added the tag contains the reason. */
function Parked({ accountId, tagId }: { readonly accountId: string; readonly tagId: string }) {
  const history = useLoad(() => api().audit.historyWithin(accountId, { type: 'TAG', id: tagId }), [tagId]);
  return (
    <p class="problem">
      {t.parkedAccount(history.data?.[0]?.comments ?? '')}{' '}
      <a href={`${href('/operations')}?tab=parked`}>{t.parked}</a>
    </p>
  );
}

function Subtitle({ account, overdue, tags }: AccountSummary) {
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

function Figures(summary: AccountSummary) {
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
