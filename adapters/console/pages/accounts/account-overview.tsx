import { type Account, api, may } from '../../core/data.ts';
import { day, label, money } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { Section } from '../../parts/layout.tsx';
import { Outlook } from '../../parts/outlook.tsx';
import { InvoicePreview } from '../../parts/preview.tsx';
import { List, ListPages, ListSection } from '../../parts/table.tsx';
import { Timeline } from '../../parts/timeline.tsx';
import { timelineRow } from '../../parts/timeline-rows.ts';
import { texts } from '../../texts.ts';
import { invoiceColumns, isOwed } from '../invoices/data.tsx';
import { NewSubscription } from '../subscriptions/subscription-actions.tsx';

const t = texts.account;

/** An account with what it owes and what comes next. */
export type AccountSummary = Awaited<ReturnType<typeof loadSummary>>;

export async function loadSummary(id: string) {
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
export function Overview(summary: AccountSummary) {
  const { account, overdue } = summary;
  const { id } = account;
  const loadUnpaid = async () =>
    (await api().invoices.ofAccount({ accountId: id, unpaidOnly: true, withItems: false })).filter(isOwed);
  return (
    <>
      <Subscriptions account={account} today={overdue.date} />
      <div class="columns">
        <NextInvoice {...summary} />
        <Section name="unpaidInvoices">
          {overdue.unpaidCount > 0 && <Outlook accountId={id} />}
          <List name="unpaidInvoices" load={loadUnpaid} columns={invoiceColumns} />
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

/** When the account is charged next, how much, why, and what may prevent it. */
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
      <ListPages
        load={(page) => api().subscriptions.pageBundlesOfAccount(id, page)}
        isNewestFirst
        pageParameter="bundles"
      >
        {(bundles) => {
          const rows = bundles.flatMap(({ subscriptions }) =>
            subscriptions.map((each) => timelineRow(each, currency)),
          );
          return rows.length === 0 ? (
            <p class="quiet-text">{t.noSubscriptions}</p>
          ) : (
            <Timeline rows={rows} today={today} />
          );
        }}
      </ListPages>
    </Section>
  );
}
