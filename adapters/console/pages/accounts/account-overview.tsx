import { api, day, href, hrefWith, may, money, useLoad } from '../../core/index.ts';
import { Columns, PAGE_SIZE, Pages, pageNumber, Section, Show } from '../../parts/index.ts';
import { InvoicePreview } from '../../parts/preview.tsx';
import { Timeline } from '../../parts/timeline.tsx';
import { timelineRow } from '../../parts/timeline-rows.ts';
import { texts } from '../../texts.ts';
import { isOwed } from '../invoices/data.ts';
import { Outlook } from '../overdue/outlook.tsx';
import { NewSubscription } from '../subscriptions/new-subscription.tsx';
import type { Account } from './account-form.ts';
import { InvoiceTable } from './account-invoices.tsx';
import { type AccountSummary, isNotInvoiced } from './account-summary.ts';

const t = texts.account;

const NEWEST = 10;

/** The first tab of an account: what is due, what comes next, the subscriptions and the newest invoices. */
export function Overview(summary: AccountSummary) {
  const { account, overdue } = summary;
  const invoices = useLoad(async () => {
    const [newest, unpaid] = await Promise.all([
      api().invoices.pageOfAccount(account.id, { offset: 0, limit: -NEWEST }),
      overdue.unpaidCount === 0
        ? []
        : api().invoices.ofAccount({ accountId: account.id, unpaidOnly: true, withItems: false }),
    ]);
    return { newest, unpaid };
  }, [account.id, overdue.unpaidCount]);
  return (
    <>
      <Subscriptions account={account} today={overdue.date} />
      <Columns>
        <NextInvoice {...summary} />
        <Section title={t.unpaid}>
          {overdue.unpaidCount > 0 && <Outlook accountId={account.id} />}
          <Show of={invoices}>
            {({ unpaid }) => (
              <InvoiceTable rows={unpaid.filter(isOwed)} caption={t.unpaid} empty={t.noUnpaid} />
            )}
          </Show>
        </Section>
      </Columns>
      <Section title={t.newestInvoices}>
        <Show of={invoices}>
          {({ newest }) => (
            <>
              <InvoiceTable rows={newest.rows} caption={t.newestInvoices} />
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
function NextInvoice(summary: AccountSummary) {
  const { account, overdue } = summary;
  // Without invoicing, the answer is the reason.
  const next = isNotInvoiced(summary) ? undefined : summary.next;
  const tags = overdue.controlTags.filter((name) => Object.hasOwn(t.effects, name));
  const paysParent = account.isPaymentDelegatedToParent && account.parentAccountId !== null;
  return (
    <Section title={texts.preview.next}>
      {summary.next === undefined && <p>{t.mayNotForesee}</p>}
      {next === null && <p>{t.noNextLong}</p>}
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

function Subscriptions(props: { readonly account: Account; readonly today: string }) {
  const { id, currency } = props.account;
  const page = pageNumber('bundles');
  const request = { offset: (page - 1) * PAGE_SIZE, limit: -PAGE_SIZE };
  const loaded = useLoad(() => api().subscriptions.pageBundlesOfAccount(id, request), [id, page]);
  return (
    <Section
      title={t.subscriptions}
      actions={
        <>
          {may('feature:view') && (
            <a class="button" href={href('/accounts', id, 'features')}>
              {t.features}
            </a>
          )}
          {may('entitlement:create') && <NewSubscription account={props.account} />}
        </>
      }
    >
      <Show of={loaded}>
        {({ rows, total }) => {
          const subscriptions = rows.flatMap((bundle) => bundle.subscriptions);
          if (subscriptions.length === 0) return <p class="empty">{t.noSubscriptions}</p>;
          return (
            <>
              <Timeline rows={subscriptions.map((each) => timelineRow(each, currency))} today={props.today} />
              <Pages page={page} total={total} shown={rows.length} name="bundles" />
            </>
          );
        }}
      </Show>
    </Section>
  );
}
