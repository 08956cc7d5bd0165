import { type Account, api, may } from '../../core/data.ts';
import { day, label, money, words } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { amountField } from '../../parts/form.tsx';
import { Load, Page, pageOf, Section, Tabs } from '../../parts/layout.tsx';
import { InvoicePreview, Outlook } from '../../parts/outlook.tsx';
import { ListPages, ListSection } from '../../parts/table.tsx';
import { Timeline, timelineRow } from '../../parts/timeline.tsx';
import { Badge, Copyable, Figures } from '../../parts/values.tsx';
import { texts } from '../../texts.ts';
import { invoiceColumns } from '../invoices/data.tsx';
import { GiveBackOnAccount } from '../payments/give-back.tsx';
import { NewSubscription } from '../subscriptions/subscription.tsx';
import { Details, Features, HistoryOfAccount, Payments } from './account-tabs.tsx';
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
      subtitle={<Subtitle {...summary} />}
      actions={<AccountActions {...summary} />}
    >
      {parked && <Parked accountId={id} tagId={parked.id} />}
      <SummaryFigures {...summary} />
      <Tabs
        of={{
          overview: () => <Overview {...summary} />,
          payments: () => <Payments account={account} />,
          ...(may('feature:view') && { features: () => <Features account={account} /> }),
          details: () => <Details account={account} />,
          history: () => <HistoryOfAccount accountId={id} />,
        }}
      />
    </Page>
  );
});

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

function SummaryFigures({ account: { currency }, balance, overdue, next }: AccountSummary) {
  const { unpaidCount, unpaidTotal, unpaidSince } = overdue;
  const unpaid = unpaidCount === 0 ? '0' : `${unpaidCount} · ${money(unpaidTotal, currency)}`;
  const nextTitle = next ? t.nextOn(day(next.targetDate)) : t.noNext;
  const tone = balance.accountBalance.gt(0) ? 'bad' : 'quiet';
  return (
    <Figures
      of={[
        [label('balance'), money(balance.accountBalance, currency), tone],
        [unpaidSince === null ? t.noUnpaid : t.unpaidSince(day(unpaidSince)), unpaid],
        [label('credit'), money(balance.accountCBA, currency)],
        [nextTitle, money(next?.balance, currency)],
      ]}
    />
  );
}

/** An account with what it owes and what comes next. */
type AccountSummary = Awaited<ReturnType<typeof loadSummary>>;

async function loadSummary(id: string) {
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
  // A suspended account, for example, gets no invoices.
  const isInvoiced = !overdue.controlTags.includes('AUTO_INVOICING_OFF');
  return {
    account,
    balance,
    overdue,
    tags,
    /** Null if no invoice is foreseen; undefined if the user may not foresee invoices. */
    next: isInvoiced || next === undefined ? next : null,
    isInvoiced,
  };
}

/** The first tab of an account: what is due, what comes next, the subscriptions and the invoices. */
function Overview(summary: AccountSummary) {
  const { account, overdue } = summary;
  const { id } = account;
  return (
    <>
      <Subscriptions account={account} today={overdue.date} />
      <div class="columns">
        <NextInvoice {...summary} />
        <Section name="unpaidInvoices">
          {overdue.unpaidCount > 0 ? <Outlook accountId={id} /> : t.noUnpaid}
        </Section>
      </div>
      <ListSection
        name="invoices"
        isNewestFirst
        load={(page) => api().invoices.pageOfAccount(id, page)}
        columns={invoiceColumns}
      />
    </>
  );
}

/** The date, amount and reason of the account's next charge, and the facts that may prevent it. */
function NextInvoice({ account, overdue, next, isInvoiced }: AccountSummary) {
  const paysParent = account.isPaymentDelegatedToParent && account.parentAccountId !== null;
  const obstacles = [
    next === undefined && texts.preview.mayNotForesee,
    next === null && isInvoiced && t.noNextLong,
    next && account.paymentMethodId === null && !paysParent && t.noMethod,
    next && paysParent && t.parentIsCharged,
    ...overdue.controlTags.map((tag) => t.effects[tag]),
  ];
  return (
    <Section name="nextInvoice">
      {next && <strong>{t.charged(day(next.targetDate), money(next.balance, account.currency))}</strong>}
      {obstacles.map((text) => text && <p key={text}>{text}</p>)}
      {next && <InvoicePreview invoice={next} />}
    </Section>
  );
}

function Subscriptions({ account, today }: { readonly account: Account; readonly today: string }) {
  const { id, currency } = account;
  return (
    <Section name="subscriptions" actions={<NewSubscription account={account} base={null} />}>
      <ListPages
        load={(page) => api().subscriptions.pageBundlesOfAccount(id, page)}
        isNewestFirst
        pageParameter="bundles"
      >
        {(bundles) => {
          const subscriptions = bundles.flatMap((bundle) => bundle.subscriptions);
          return <Timeline rows={subscriptions.map((each) => timelineRow(each, currency))} today={today} />;
        }}
      </ListPages>
    </Section>
  );
}
