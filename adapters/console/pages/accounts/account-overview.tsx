import { type Account, api, may, useLoad } from '../../core/data.ts';
import { day, label, money } from '../../core/format.ts';
import { href, hrefWith } from '../../core/location.ts';
import { Columns, Section, Show } from '../../parts/layout.tsx';
import { Outlook } from '../../parts/outlook.tsx';
import { InvoicePreview } from '../../parts/preview.tsx';
import { PAGE_SIZE, Pages, pageNumber, Table } from '../../parts/table.tsx';
import { Timeline } from '../../parts/timeline.tsx';
import { timelineRow } from '../../parts/timeline-rows.ts';
import { texts } from '../../texts.ts';
import { invoiceColumns, isOwed } from '../invoices/data.tsx';
import { NewSubscription } from '../subscriptions/new-subscription.tsx';
import type { AccountSummary } from './account-summary.ts';

const t = texts.account;

const NEWEST = 10;

/** The first tab of an account: what is due, what comes next, the subscriptions and the newest invoices. */
export function Overview(summary: AccountSummary) {
  const { account, overdue } = summary;
  const { unpaidCount, date } = overdue;
  const invoices = useLoad(async () => {
    const { pageOfAccount, ofAccount } = api().invoices;
    const [newest, unpaid] = await Promise.all([
      pageOfAccount(account.id, { offset: 0, limit: -NEWEST }),
      unpaidCount === 0 ? [] : ofAccount({ accountId: account.id, unpaidOnly: true, withItems: false }),
    ]);
    return { newest, unpaid: unpaid.filter(isOwed) };
  }, [unpaidCount]);
  return (
    <>
      <Subscriptions account={account} today={date} />
      <Columns>
        <NextInvoice {...summary} />
        <Section name="unpaidInvoices">
          {unpaidCount > 0 && <Outlook accountId={account.id} />}
          <Show of={invoices}>
            {({ unpaid }) => <Table name="unpaidInvoices" rows={unpaid} columns={invoiceColumns} />}
          </Show>
        </Section>
      </Columns>
      <Section name="newestInvoices">
        <Show of={invoices}>
          {({ newest }) => (
            <>
              <Table name="newestInvoices" rows={newest.rows} columns={invoiceColumns} />
              {newest.total > NEWEST && (
                <p>
                  <a href={hrefWith({ tab: 'invoices' })}>{t.allInvoices(newest.total)}</a>
                </p>
              )}
            </>
          )}
        </Show>
      </Section>
    </>
  );
}

/** When the account is charged next, how much, why, and what may prevent it. */
function NextInvoice({ account, overdue, next, isInvoiced }: AccountSummary) {
  const tags = overdue.controlTags.filter((name) => Object.hasOwn(t.effects, name));
  const paysParent = account.isPaymentDelegatedToParent && account.parentAccountId !== null;
  return (
    <Section name="nextInvoice">
      {next === undefined && <p>{texts.preview.mayNotForesee}</p>}
      {next === null && isInvoiced && <p>{t.noNextLong}</p>}
      {next && (
        <>
          <p>
            <strong>{t.charged(day(next.targetDate), money(next.balance, account.currency))}</strong>
          </p>
          {account.paymentMethodId === null && !paysParent && <p>{t.noMethod}</p>}
          {paysParent && <p>{t.parentIsCharged}</p>}
        </>
      )}
      {tags.map((name) => (
        <p key={name}>{t.effects[name as keyof typeof t.effects]}</p>
      ))}
      {next && <InvoicePreview invoice={next} />}
    </Section>
  );
}

function Subscriptions({ account, today }: { readonly account: Account; readonly today: string }) {
  const { id, currency } = account;
  const page = pageNumber('bundles');
  const request = { offset: (page - 1) * PAGE_SIZE, limit: -PAGE_SIZE };
  const loaded = useLoad(() => api().subscriptions.pageBundlesOfAccount(id, request), [page]);
  const actions = (
    <>
      {may('feature:view') && (
        <a class="button" href={href('/accounts', id, 'features')}>
          {label('features')}
        </a>
      )}
      <NewSubscription account={account} base={null} />
    </>
  );
  return (
    <Section name="subscriptions" actions={actions}>
      <Show of={loaded}>
        {({ rows, total }) => {
          const subscriptions = rows.flatMap((bundle) => bundle.subscriptions);
          if (subscriptions.length === 0) return <p class="empty">{t.noSubscriptions}</p>;
          return (
            <>
              <Timeline rows={subscriptions.map((each) => timelineRow(each, currency))} today={today} />
              <Pages page={page} total={total} shown={rows.length} name="bundles" />
            </>
          );
        }}
      </Show>
    </Section>
  );
}
