import type { ComponentChildren, JSX } from 'preact';
import { api, day, href, instant, useLoad } from '../../core/index.ts';
import { Section, Show } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { outcomeSentences } from '../payments/outcome.ts';
import { type InvoiceFacts, isOwed, methodName } from './data.ts';

const t = texts.unpaid;
const FORECAST_DAYS = 90;

/** Why an invoice is not paid, and what happens next, in sentences. */
export function Unpaid({ facts }: { readonly facts: InvoiceFacts }) {
  const { invoice } = facts;
  if (invoice.status === 'DRAFT') return <Reasons title={t.state} of={[t.draft]} />;
  if (invoice.status === 'VOID') return <Reasons title={t.state} of={[t.void]} />;
  if (invoice.isWrittenOff) return <Reasons title={t.state} of={[t.writtenOff]} />;
  return isOwed(invoice) ? <Owed facts={facts} /> : null;
}

function Reasons(props: {
  readonly title: string;
  readonly of: readonly string[];
  readonly children?: ComponentChildren;
}) {
  return (
    <Section title={props.title}>
      <ul class="reasons">
        {props.of.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      {props.children}
    </Section>
  );
}

function Owed({ facts }: { readonly facts: InvoiceFacts }) {
  const { account, invoice } = facts;
  const overdue = useLoad(() => loadOverdue(account.id), [account.id]);
  return (
    <Reasons title={t.title} of={paymentReasons(facts)}>
      <Show of={overdue}>
        {(found) => (
          <ul class="reasons">
            {holdReasons(found.now.controlTags)}
            {overdueReasons(found).map((text) => (
              <li key={text}>{text}</li>
            ))}
            {found.now.payingAccountId !== account.id && (
              <li>
                {t.parentPays} <a href={href('/accounts', found.now.payingAccountId)}>{t.parentAccount}</a>
                {invoice.parentInvoiceId !== null && (
                  <>
                    , <a href={href('/invoices', invoice.parentInvoiceId)}>{t.parentInvoice}</a>
                  </>
                )}
              </li>
            )}
          </ul>
        )}
      </Show>
    </Reasons>
  );
}

/** Loads the overdue state today and its changes ahead. Today is the day of the server. */
async function loadOverdue(accountId: string) {
  const now = await api().overdue.explain(accountId);
  const last = new Date(Date.parse(now.date) + FORECAST_DAYS * 86_400_000);
  return { now, ahead: await api().overdue.preview(accountId, last.toISOString().slice(0, 10)) };
}

type Overdue = Awaited<ReturnType<typeof loadOverdue>>;

/** What happened to the latest payment, and when the next attempt is made. */
function paymentReasons({ payments, account, methods, invoice }: InvoiceFacts): readonly string[] {
  const method = methods.find(({ id }) => id === account.paymentMethodId);
  const noMethod = method === undefined ? [t.noMethod] : [];
  const last = payments.at(-1);
  if (last === undefined) return method === undefined ? noMethod : [t.notTried(methodName(method))];
  const failures = last.transactions.filter(({ status }) => status === 'PAYMENT_FAILURE').length;
  const tries = failures > 1 ? [t.tries(failures, day(invoice.invoiceDate))] : [];
  const [outcome = '', ...ahead] = outcomeSentences(last, account.timeZone);
  return [...noMethod, outcome, ...tries, ...ahead];
}

function holdReasons(controlTags: readonly string[]): readonly JSX.Element[] {
  return controlTags
    .filter((tag) => tag === 'AUTO_PAY_OFF' || tag === 'MANUAL_PAY')
    .map((tag) => <li key={tag}>{t.held(tag)}</li>);
}

/** The overdue state of the account now, and the changes ahead if nobody pays. */
function overdueReasons({ now, ahead }: Overdue): readonly string[] {
  if (now.exemptBy !== null) return [t.exempt];
  const { state } = now;
  const since = now.since === null ? '' : (instant(now.since).split(',')[0] ?? '');
  const current = state.isClearState ? t.notOverdue : t.overdue(state.name, since, state.externalMessage);
  const steps = ahead.steps.map((step) =>
    step.state.isClearState
      ? t.stepClear(day(step.date))
      : t.step(day(step.date), step.state.name, step.state.externalMessage),
  );
  return [current, ...(steps.length > 0 ? steps : [t.noSteps(FORECAST_DAYS)])];
}
