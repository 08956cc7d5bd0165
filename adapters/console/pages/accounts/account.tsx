import { api } from '../../core/data.ts';
import { day, label, money, words } from '../../core/format.ts';
import { href, hrefWith } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { amountField } from '../../parts/form.tsx';
import { Badge, Copyable, Figure, Load, Page, pageOf, Tabs } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { GiveBackOnAccount } from '../payments/give-back.tsx';
import { Details, HistoryOfAccount } from './account-details.tsx';
import { type AccountSummary, loadSummary, Overview } from './account-overview.tsx';
import { Payments } from './account-payments.tsx';
import { EditAccount } from './accounts.tsx';

const t = texts.account;

/** One account: what it owes, what comes next, and everything it has. */
export const AccountPage = pageOf(loadSummary, (summary) => {
  const { account, tags } = summary;
  const { id } = account;
  const parked = tags.find(({ tagDefinitionName }) => tagDefinitionName === '__PARK__');
  return (
    <Page
      title={account.name ?? account.externalKey}
      above={['accounts']}
      subtitle={<Subtitle {...summary} />}
      actions={<AccountActions {...summary} />}
    >
      {parked && <Parked accountId={id} tagId={parked.id} />}
      <Figures {...summary} />
      <Tabs
        of={{
          overview: () => <Overview {...summary} />,
          payments: () => <Payments account={account} />,
          details: () => <Details account={account} />,
          history: () => <HistoryOfAccount accountId={id} />,
        }}
      />
    </Page>
  );
});

/** The actions that support needs every day. */
function AccountActions({ account }: AccountSummary) {
  const { id: accountId, currency } = account;
  return (
    <>
      <GiveBackOnAccount account={account} />
      <Action
        name="charge"
        needs="account:charge"
        fields={{ amount: amountField(currency), description: { help: t.descriptionHelp } }}
        run={(item) => api().invoices.addCharges({ accountId, items: [item], autoCommit: true })}
      />
      <EditAccount account={account} />
    </>
  );
}

/** Why the account gets no invoices. The change that added the tag contains the reason. */
function Parked({ accountId, tagId }: { readonly accountId: string; readonly tagId: string }) {
  return (
    <Load from={() => api().audit.historyWithin(accountId, { type: 'TAG', id: tagId })}>
      {([added]) => (
        <p class="problem">
          {t.parkedAccount(added?.comments ?? '')}{' '}
          <a href={`${href('/operations')}?tab=parkedAccounts`}>{label('parkedAccounts')}</a>
        </p>
      )}
    </Load>
  );
}

function Subtitle({ account, overdue, tags }: AccountSummary) {
  const { externalKey, email, timeZone, currency } = account;
  return (
    <>
      <Copyable text={externalKey} /> {email !== null && <a href={`mailto:${email}`}>{email}</a>}{' '}
      {[currency, timeZone].filter((text) => text !== null).join(' · ')}{' '}
      {!overdue.state.isClearState && <Badge tone="bad">{t.overdueState(words(overdue.state.name))}</Badge>}
      {tags.map(({ id, tagDefinitionName }) => (
        <Badge key={id}>{tagDefinitionName}</Badge>
      ))}
    </>
  );
}

function Figures({ account: { currency }, balance, overdue, next }: AccountSummary) {
  const { unpaidCount, unpaidTotal, unpaidSince } = overdue;
  const overview = hrefWith({ tab: null });
  return (
    <div class="figures">
      <Figure
        name="balance"
        value={money(balance.accountBalance, currency)}
        tone={balance.accountBalance.gt(0) ? 'bad' : undefined}
      />
      <Figure
        title={unpaidSince === null ? t.noUnpaid : t.unpaidSince(day(unpaidSince))}
        value={unpaidCount === 0 ? '0' : `${unpaidCount} · ${money(unpaidTotal, currency)}`}
        url={overview}
      />
      <Figure name="credit" value={money(balance.accountCBA, currency)} />
      {next !== undefined && (
        <Figure
          title={next === null ? t.noNext : t.nextOn(day(next.targetDate))}
          value={money(next?.balance, currency)}
          url={overview}
        />
      )}
    </div>
  );
}
