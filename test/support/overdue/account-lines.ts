import type { AccountFacts, InvoiceFacts, SubscriptionFacts } from './account-facts.ts';

/** Year of the stories: their lines leave it out. */
const YEAR = '2012-';

/**
 * An account in lines, each about one thing and unlike all others: what happens to the account is lines that are new.
 *
 *     invoice 2 of 06-30: RECURRING 06-30..07-31 249.95
 *     invoice 2 owes 249.95
 *     invoice 2, payment 1: PURCHASE PAYMENT_FAILURE 249.95
 *     OD1 from 06-30T00:03:42: changes
 */
export function linesOf(facts: AccountFacts): readonly string[] {
  const numbers = new Map(facts.invoices.map(({ invoiceId }, index) => [invoiceId, index + 1]));
  return [
    ...facts.invoices.flatMap((invoice, index) => invoiceLines(invoice, index + 1)),
    ...paymentLines(facts, numbers),
    ...facts.blocks.map((block) => {
      const stops = [
        block.isBlockChange ? ['changes'] : [],
        block.isBlockEntitlement ? ['service'] : [],
        block.isBlockBilling ? ['billing'] : [],
      ].flat();
      const what = stops.length === 0 ? 'nothing' : stops.join(', ');
      return `${shownName(block.stateName)} from ${shortDate(block.effectiveDate)} blocks ${what}`;
    }),
    `state ${shownName(facts.state.name)}`,
    facts.tags.length === 0 ? 'no tags' : `tags ${facts.tags.toSorted().join(', ')}`,
    ...facts.subscriptions.flatMap(subscriptionLines),
    `account owes ${facts.balance}, has ${facts.credit}`,
  ];
}

/** The clear state by a short name. */
export function shownName(stateName: string): string {
  return stateName === '__KILLBILL__CLEAR__OVERDUE_STATE__' ? 'clear' : stateName;
}

function invoiceLines(
  { invoiceDate, status, balance, items }: InvoiceFacts,
  number: number,
): readonly string[] {
  const states = status === 'COMMITTED' ? '' : ` ${status}`;
  return [
    ...numbered(
      items.map(({ itemType, startDate, endDate, amount }) => {
        const days = [startDate, endDate].map((date) => (date === null ? '' : shortDate(date))).join('..');
        return `invoice ${number} of ${shortDate(invoiceDate)}: ${itemType} ${days} ${amount}`;
      }),
    ),
    `invoice ${number}${states} owes ${balance}`,
  ];
}

function paymentLines(facts: AccountFacts, numbers: ReadonlyMap<string, number>): readonly string[] {
  const counts = new Map<number, number>();
  return facts.payments.flatMap(({ targetInvoiceId, transactions }) => {
    const invoice = numbers.get(targetInvoiceId ?? '') ?? 0;
    return transactions.map(({ transactionType, status, amount }) => {
      const count = (counts.get(invoice) ?? 0) + 1;
      counts.set(invoice, count);
      return `invoice ${invoice}, try ${count}: ${transactionType} ${status} ${amount}`;
    });
  });
}

function subscriptionLines({ planName, state, ...rest }: SubscriptionFacts): readonly string[] {
  const { cancelledDate, billingEndDate, events } = rest;
  const ends = [
    cancelledDate === null ? [] : [`service ends ${shortDate(cancelledDate)}`],
    billingEndDate === null ? [] : [`billing ends ${shortDate(billingEndDate)}`],
  ].flat();
  return [
    [`${planName} ${state}`, ...ends].join(', '),
    ...events
      .filter(({ serviceName }) => serviceName === 'overdue-service')
      .map(
        ({ eventType, effectiveDate, serviceStateName }) =>
          `${planName} ${eventType} ${shortDate(effectiveDate)} by ${shownName(serviceStateName)}`,
      ),
  ];
}

/** Equal lines are told apart by a number. */
function numbered(lines: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  return lines.map((line) => {
    const count = (counts.get(line) ?? 0) + 1;
    counts.set(line, count);
    return count === 1 ? line : `${line} (${count})`;
  });
}

/** `06-30`, with the time of day `06-30T00:03:42`. */
export function shortDate(date: string): string {
  return date.replace(YEAR, '').replace('.000Z', '');
}
