import { api, useLoad } from '../../core/data.ts';
import { day, label, money, words } from '../../core/format.ts';
import { href, hrefWith } from '../../core/location.ts';
import { Badge, Copyable, Figure, Page, pageOf, Tabs } from '../../parts/layout.tsx';
import { ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { invoiceColumns } from '../invoices/data.tsx';
import { AccountActions } from './account-actions.tsx';
import { Coupons } from './account-coupons.tsx';
import { Details } from './account-details.tsx';
import { AccountHistory } from './account-history.tsx';
import { Overview } from './account-overview.tsx';
import { Payments } from './account-payments.tsx';
import { type AccountSummary, loadSummary } from './account-summary.ts';

const t = texts.account;

/** One account: what it owes, what comes next, and everything it has. */
export const AccountPage = pageOf(loadSummary, Content);

function Content(summary: AccountSummary) {
  const { account } = summary;
  const { id } = account;
  return (
    <Page
      title={account.name ?? account.externalKey}
      above={[[label('accounts'), href('/accounts')]]}
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
        of={{
          overview: () => <Overview {...summary} />,
          invoices: () => (
            <ListSection
              name="invoices"
              load={({ offset, limit, sort }) =>
                api().invoices.pageOfAccount(id, { offset, limit: sort === 'number' ? limit : -limit })
              }
              columns={invoiceColumns}
            />
          ),
          payments: () => <Payments account={account} />,
          coupons: () => <Coupons accountId={id} subscriptionId={null} />,
          details: () => <Details account={account} />,
          history: () => <AccountHistory accountId={id} />,
        }}
      />
    </Page>
  );
}

/** Why the account gets no invoices. The change that added the tag contains the reason. */
function Parked({ accountId, tagId }: { readonly accountId: string; readonly tagId: string }) {
  const history = useLoad(() => api().audit.historyWithin(accountId, { type: 'TAG', id: tagId }));
  return (
    <p class="problem">
      {t.parkedAccount(history.data?.[0]?.comments ?? '')}{' '}
      <a href={`${href('/operations')}?tab=parkedAccounts`}>{label('parkedAccounts')}</a>
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

function Figures({ account: { currency }, balance, overdue, next }: AccountSummary) {
  const { unpaidCount, unpaidTotal, unpaidSince } = overdue;
  return (
    <div class="figures">
      <Figure
        name="balance"
        value={money(balance.accountBalance, currency)}
        tone={balance.accountBalance.gt(0) ? 'bad' : undefined}
      />
      <Figure
        name="unpaid"
        title={unpaidSince === null ? t.noUnpaid : t.unpaidSince(day(unpaidSince))}
        value={unpaidCount === 0 ? '0' : `${unpaidCount} · ${money(unpaidTotal, currency)}`}
        url={hrefWith({ tab: null })}
      />
      <Figure name="credit" value={money(balance.accountCBA, currency)} />
      {next !== undefined && (
        <Figure
          name="nextInvoice"
          title={next === null ? t.noNext : t.nextOn(day(next.targetDate))}
          value={next === null ? '–' : money(next.balance, currency)}
          url={hrefWith({ tab: null })}
        />
      )}
    </div>
  );
}
