import { day } from '../../core/format.ts';
import { Section, Sentences } from '../../parts/layout.tsx';
import { Outlook } from '../../parts/outlook.tsx';
import { texts } from '../../texts.ts';
import { methodName, outcomeSentences } from '../payments/data.tsx';
import { type InvoiceFacts, isOwed } from './data.tsx';

const t = texts.unpaid;

/** Why an invoice is not paid, and what happens next, in sentences. */
export function Unpaid(facts: InvoiceFacts) {
  const { invoice } = facts;
  if (isOwed(invoice)) return <Owed {...facts} />;
  const reason =
    invoice.status === 'DRAFT'
      ? t.draft
      : invoice.status === 'VOID'
        ? t.void
        : invoice.isWrittenOff
          ? t.writtenOff
          : null;
  if (reason === null) return null;
  return (
    <Section name="whatHappensNext" title={t.state}>
      <p>{reason}</p>
    </Section>
  );
}

function Owed(facts: InvoiceFacts) {
  const { account, invoice } = facts;
  return (
    <Section name="whyUnpaid" title={t.title}>
      <Sentences of={paymentReasons(facts)} />
      <Outlook accountId={account.id} parentInvoiceId={invoice.parentInvoiceId} />
    </Section>
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
