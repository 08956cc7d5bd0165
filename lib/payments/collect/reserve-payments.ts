import { changeInvoices } from '../../invoicing/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { type PaymentRequest, planReservation, type ReservationPlan } from '../planning/plan-reservation.ts';
import type { KnownFacts, PlanTools } from '../planning/reservation-facts.ts';
import { firstCheck, hasOutsideEffect } from '../planning/reserved-call.ts';
import {
  asSettled,
  changedRow,
  eventOfResult,
  invoicePaymentResult,
  settledInvoices,
} from '../state/invoice-effect.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import { invoicePaymentEvent } from '../state/payment-events.ts';
import { loadFacts } from './load-reservation-facts.ts';

export interface PlannedRequest<R extends PaymentRequest> {
  readonly request: R;
  readonly plan: ReservationPlan;
}

type ReserveTools = PlanTools & { readonly config: PaymentConfig };

/**
 * The Reserve step (§5.1 rule 1). Plans each request on the data under the accounts' locks and inserts what makes a call
 * recoverable: payment, transaction UNKNOWN with its lease, attempt, invoice payment, and the first recovery
 * notification. A gateway without outside effect needs no recovery. `accounts` are the locked ones; requests of other
 * accounts are left out. A constant number of statements.
 */
export async function reservePayments<R extends PaymentRequest>(
  session: WriteSession,
  { requests, accounts }: { readonly requests: readonly R[]; readonly accounts: readonly Account[] },
  tools: ReserveTools,
): Promise<readonly PlannedRequest<R>[]> {
  let facts = await loadFacts(session, requests, accounts);
  const lost = [...facts.values()].flatMap((known) => known.lost);
  if (lost.length > 0) {
    await repairLostSuccesses(session, lost, tools);
    facts = await loadFacts(session, requests, accounts);
  }
  const planned = requests.flatMap((request) => {
    const known = facts.get(request);
    return known ? [{ request, plan: planReservation(request, known.facts, tools) }] : [];
  });
  await writeReservations(
    session,
    planned.map(({ plan }) => plan),
    tools,
  );
  return planned;
}

/** What each request would become on the data under the accounts' locks; nothing is written. */
export async function planPayments<R extends PaymentRequest>(
  session: WriteSession,
  { requests, accounts }: { readonly requests: readonly R[]; readonly accounts: readonly Account[] },
  tools: PlanTools,
): Promise<readonly (PlannedRequest<R> & Pick<KnownFacts, 'facts'>)[]> {
  const known = await loadFacts(session, requests, accounts);
  return requests.flatMap((request) => {
    const found = known.get(request);
    return found ? [{ request, plan: planReservation(request, found.facts, tools), facts: found.facts }] : [];
  });
}

async function repairLostSuccesses(
  session: WriteSession,
  lost: KnownFacts['lost'],
  { ids }: ReserveTools,
): Promise<void> {
  const repairs = lost.map(({ row, transaction, invoice, attempt }) => {
    const settled = asSettled(transaction, { row, invoice, attempt });
    const result = invoicePaymentResult(settled, invoice.currency);
    return { ...changedRow(row, result), accountId: invoice.accountId };
  });
  const invoices = new Map(lost.map(({ invoice }) => [invoice.id, invoice]));
  await session.payments.updateInvoicePayments(repairs.map(({ after }) => after));
  session.publish(
    repairs.map(({ accountId, after }) =>
      invoicePaymentEvent({ type: eventOfResult(after), accountId, row: after, attempt: null }),
    ),
  );
  await changeInvoices(session, { changes: settledInvoices(repairs, invoices) }, ids);
}

async function writeReservations(
  session: WriteSession,
  plans: readonly ReservationPlan[],
  { config }: ReserveTools,
): Promise<void> {
  const charges = plans.flatMap((plan) => (plan.kind === 'CHARGE' ? [plan.charge] : []));
  const ended = plans.flatMap((plan) => (plan.kind === 'WAIT' ? [] : plan.ended));
  const newPayments = charges.flatMap(({ newPayment }) => newPayment ?? []);
  if (newPayments.length > 0) {
    const first = await session.payments.takePaymentNumbers(newPayments.length);
    await session.payments.insertPayments(
      newPayments.map((payment, index) => ({ ...payment, paymentNumber: first + index })),
    );
  }
  if (charges.length > 0)
    await session.payments.insertTransactions(charges.map(({ transaction }) => transaction));
  const begun = charges.filter(({ isControlled }) => isControlled !== true);
  const attempts = [...ended, ...begun.map(({ attempt }) => attempt)];
  if (attempts.length > 0) await session.payments.insertAttempts(attempts);
  const spent = plans.flatMap((plan) => (plan.kind === 'WAIT' ? [] : (plan.spent ?? [])));
  if (spent.length > 0) await session.payments.updateAttempts(spent);
  const newRows = charges.flatMap(({ newRow }) => newRow ?? []);
  if (newRows.length > 0) await session.payments.insertInvoicePayments(newRows);
  const changedRows = charges.flatMap((charge) => charge.changedRow ?? []);
  if (changedRows.length > 0) await session.payments.updateInvoicePayments(changedRows);
  await session.payments.insertHolds(
    plans.flatMap((plan) => (plan.kind === 'STOP' ? (plan.newHold ?? []) : [])),
  );
  await session.payments.endHolds(
    plans.flatMap((plan) => (plan.kind === 'WAIT' ? [] : (plan.endedHold ?? []))),
  );
  session.schedule(charges.filter(hasOutsideEffect).flatMap((charge) => firstCheck(charge, config) ?? []));
  session.publish(plans.flatMap((plan) => (plan.kind === 'STOP' ? plan.events : [])));
}
