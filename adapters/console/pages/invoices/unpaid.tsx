import type { ComponentChildren } from 'preact';
import { day } from '../../core/index.ts';
import { Section } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { Outlook } from '../overdue/outlook.tsx';
import { outcomeSentences } from '../payments/outcome.ts';
import { type InvoiceFacts, isOwed, methodName } from './data.ts';

const t = texts.unpaid;

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
  return (
    <Reasons title={t.title} of={paymentReasons(facts)}>
      <Outlook accountId={account.id} parentInvoiceId={invoice.parentInvoiceId} />
    </Reasons>
  );
}

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
